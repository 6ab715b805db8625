"""Classes and objects that hold the graph, or make it."""

from functools import cached_property

from langgraph.graph import START, MessagesState, StateGraph


def _builder() -> StateGraph:
    def respond(state: MessagesState) -> dict:
        turns = sum(message.type == "human" for message in state["messages"])
        return {"messages": [("ai", f"say turn {turns}")]}

    return StateGraph(MessagesState).add_node("respond", respond).add_edge(START, "respond")


class Loader:
    def load(self):
        return _builder().compile()


class Provider:
    async def get_graph(self):
        return _builder()


class Agent:
    def __init__(self, greeting: str = "turn"):
        self.greeting = greeting
        self.graph = self.build()

    def build(self):
        return _builder().compile()

    @cached_property
    def lazy(self):
        return self.build()


loader = Loader()
provider = Provider()
agent = Agent()
