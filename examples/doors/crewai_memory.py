"""CrewAI: its unified memory without a model of its own."""

import sys
from tempfile import TemporaryDirectory

from muniment.adapters.crewai import MunimentMemory


def main(vault: str) -> None:
    memory = MunimentMemory(vault, actor="crew", user="ada")
    memory.remember("The launch is on Friday", scope="/project/alpha", categories=["dates"])
    memory.remember("The budget is 5000 CHF", scope="/project/beta")
    for match in memory.recall("when is the launch?"):
        print(match.format())
    print(memory.tree("/project"))
    memory.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
