"""A custom AutoGen agent: a subclass of `BaseChatAgent` that counts what it was told."""

from collections.abc import Sequence

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseChatMessage, TextMessage
from autogen_core import CancellationToken


class CountingAgent(BaseChatAgent):
    def __init__(self, name: str = "counter"):
        super().__init__(name, "An agent that counts.")
        self._heard: list[str] = []

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        self._heard += [message.to_text() for message in messages]
        return Response(chat_message=TextMessage(content=f"say {len(self._heard)}", source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        self._heard.clear()


agent = CountingAgent()


class Unforgetting(CountingAgent):
    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        raise NotImplementedError("forgetting is not for me")


unforgetting = Unforgetting("elephant")


def make_unforgetting():
    return Unforgetting("elephant")
