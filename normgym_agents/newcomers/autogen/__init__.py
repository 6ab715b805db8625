"""AutoGen agents and teams as newcomers, as they are. The only package that imports AutoGen.

An agent of AutoGen remembers what it was told, its client and its team belong to one event loop, and a team
stops where its owner's condition says so, or never. So each episode runs a cast of its own (`casting`), each
turn is a run with an end (`running`, `ending`), and what comes of it is read as one reply (`replying`).
"""

from normgym_agents.newcomers.autogen.clients import make_client
from normgym_agents.newcomers.autogen.components import adapt_component
from normgym_agents.newcomers.autogen.newcomer import adapt_agent, own_agent

__all__ = ["adapt_agent", "adapt_component", "make_client", "own_agent"]
