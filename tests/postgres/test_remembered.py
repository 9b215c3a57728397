"""What a writer remembers of an actor's pace is what the table would say."""

from __future__ import annotations

from muniment.backends.postgres.writer_memory import ACTORS_MAX, WriterMemory


def test_the_pace_of_an_actor_moves_on_with_what_it_writes() -> None:
    memory = WriterMemory(keep=4)
    memory.learn_pace("ana", 3, [(1, 10), (2, 20)])
    memory.wrote("ana", (5, 50))
    memory.wrote("bo", (6, 60))
    memory.wrote("ana", (7, 70))
    assert list(memory.pace("ana", 3) or ()) == [(2, 20), (5, 50), (7, 70)]


def test_nobody_is_known_who_was_not_asked_about() -> None:
    memory = WriterMemory(keep=4)
    memory.wrote("ana", (1, 10))
    assert memory.pace("ana", 3) is None


def test_a_revision_that_is_not_the_latest_makes_it_unknown() -> None:
    memory = WriterMemory(keep=4)
    memory.learn_pace("ana", 3, [(8, 10)])
    memory.wrote("ana", (7, 70))
    assert memory.pace("ana", 3) is None


def test_what_is_forgotten_of_words_is_forgotten_of_actors() -> None:
    memory = WriterMemory(keep=4)
    memory.learn_pace("ana", 3, [(8, 10)])
    memory.clear()
    assert memory.pace("ana", 3) is None


def test_a_bounded_number_of_actors_is_remembered() -> None:
    memory = WriterMemory(keep=4)
    for number in range(ACTORS_MAX + 1):
        memory.learn_pace(f"a{number}", 3, [])
    assert memory.pace("a0", 3) is None
    assert memory.pace("a1", 3) is not None
