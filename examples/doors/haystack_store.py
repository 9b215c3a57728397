"""Haystack: chat messages as memories, each user's apart."""

import sys
from tempfile import TemporaryDirectory

from haystack.dataclasses import ChatMessage

from muniment.adapters.haystack import MunimentMemoryStore


def main(vault: str) -> None:
    store = MunimentMemoryStore(vault, actor="helper")
    store.add_memories(messages=[ChatMessage.from_user("I take the 7:40 train")], user_id="ada")
    for message in store.search_memories(query="which train?", user_id="ada"):
        print(message.text, round(message.meta["score"], 2))
    print(store.search_memories(query="which train?", user_id="bob"))
    store.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
