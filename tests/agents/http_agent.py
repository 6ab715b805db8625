"""An agent in a process of its own, over HTTP; with httpx alone, and nothing of ours."""

import os

import httpx

episodes = "http://127.0.0.1:8700/v1/episodes"
token = {"Authorization": f"Bearer {os.environ['NORMGYM_AGENT_TOKEN']}"}


def answer(text: str) -> str:
    return "wait"


with httpx.Client(headers=token, timeout=60, transport=httpx.HTTPTransport(retries=8)) as http:
    while (come := http.post(episodes)).status_code != 410:  # 410: the run is over
        episode = f"{episodes}/{come.json()['episode']}" if come.status_code == 200 else None
        while episode and (asked := http.get(episode)).status_code in (200, 204):  # 204: nothing yet
            if asked.status_code == 200 and asked.json()["kind"] == "end":
                break
            if asked.status_code == 200:
                reply = {"number": asked.json()["number"], "text": answer(asked.json()["text"])}
                http.post(f"{episode}/replies", json=reply)
