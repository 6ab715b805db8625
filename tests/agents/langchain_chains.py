"""LangChain chains and runnable functions, as people write them before they need a graph."""

from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_openai import ChatOpenAI

SESSIONS: dict[str, list[str]] = {}


def _model(_):
    return ChatOpenAI(model="gpt-4o-mini").invoke(_)


model = RunnableLambda(_model)
prompt = ChatPromptTemplate.from_messages([("system", "Answer with one act."), ("human", "{observation}")])
chain = prompt | model | StrOutputParser()

with_history = (
    ChatPromptTemplate.from_messages([MessagesPlaceholder("chat_history"), ("human", "{input}")])
    | model
    | StrOutputParser()
)

of_messages = ChatPromptTemplate.from_messages([MessagesPlaceholder("messages")]) | model


def _counted(text, config):
    said = SESSIONS.setdefault(config["configurable"]["session_id"], [])
    said.append(text)
    return f"say turn {len(said) - 1}"


in_sessions = RunnableLambda(_counted)
of_two = ChatPromptTemplate.from_messages([("human", "{name} sees: {scene}")]) | model

of_words = RunnableLambda(lambda text: "wait")
of_an_answer = RunnablePassthrough() | RunnableLambda(lambda text: {"steps": ["think"], "output": "wait"})
of_a_message = RunnableLambda(lambda text: AIMessage("wait"))


class Needy:
    """Not an agent, but what makes one once it is given a name."""

    def __init__(self, name):
        self.name = name

    def __call__(self, text):
        return "wait"
