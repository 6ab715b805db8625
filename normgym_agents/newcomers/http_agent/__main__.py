"""Write the OpenAPI document: `python -m normgym_agents.newcomers.http_agent > docs/http-agent.openapi.json`."""

from __future__ import annotations

import asyncio
import json
import sys

from normgym_agents.newcomers.http_agent.app import make_app
from normgym_agents.newcomers.http_agent.desk import Desk


async def document() -> str:
    """The document as it is published."""
    return json.dumps(make_app(Desk()).openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(document()))
