"""The community: members, referee, sanctions and rounds, as a LangGraph graph and as a plain loop."""
