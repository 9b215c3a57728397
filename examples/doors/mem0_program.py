"""A mem0 program, unchanged but for the import and the vault."""

import sys
from tempfile import TemporaryDirectory

from muniment.adapters.mem0 import Memory


def main(vault: str) -> None:
    memory = Memory(vault, actor="helper")
    messages = [
        {"role": "user", "content": "I'm planning to watch a movie tonight. I love sci-fi."},
        {"role": "assistant", "content": "Then watch a sci-fi movie."},
    ]
    print([one["event"] for one in memory.add(messages, user_id="alice", metadata={"category": "movies"})["results"]])
    for found in memory.search("what does she love?", filters={"user_id": "alice"})["results"]:
        print(found["memory"], found["metadata"])
    print(memory.get_all(filters={"user_id": "bob"}))
    memory.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
