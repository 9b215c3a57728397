"""Two agents of a LangGraph graph share a governed store; each user's memories are apart."""

import sys
from tempfile import TemporaryDirectory

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from muniment.adapters.langgraph import MunimentStore


def scout(state: dict, *, store: BaseStore) -> dict:
    store.put(("memories", state["user"]), "train", {"text": "Takes the 7:40 train to Bern"})
    return state


def planner(state: dict, *, store: BaseStore) -> dict:
    found = store.search(("memories", state["user"]), query="which train?")
    return {**state, "answer": found[0].value["text"]}


def main(vault: str) -> None:
    store = MunimentStore(vault, actor="crew", users=("memories", "{user}"))
    graph = StateGraph(dict)
    graph.add_node("scout", scout)
    graph.add_node("planner", planner)
    graph.add_edge(START, "scout")
    graph.add_edge("scout", "planner")
    graph.add_edge("planner", END)
    print(graph.compile(store=store).invoke({"user": "ada"})["answer"])
    print("above all users:", store.search(("memories",)))
    store.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
