"""alias and entity."""

from __future__ import annotations

from tests.surfaces.shell import Shell


def test_a_question_by_one_name_finds_a_record_by_another(shell: Shell) -> None:
    record = shell.remember("PostgreSQL 15 runs on db-7")
    assert shell("recall", "PG", "--json").json["abstained"] == "no_match"
    said = shell("alias", "PG", "PostgreSQL", "--json")
    assert (said.code, said.json) == (0, {"entity": "postgresql", "names": ["postgresql", "pg"]})
    found = shell("recall", "PG", "--json").json
    assert [one["id"] for one in found["records"]] == [record]
    assert set(found["searched"]["names"]) == {"pg", "postgresql"}
    assert "understood: names pg, postgresql\n" in shell("recall", "PG").out


def test_alias_in_words_and_how_it_is_undone(shell: Shell) -> None:
    shell("init")
    assert shell("alias", "PG", "PostgreSQL").out.startswith("postgresql is also called pg;")
    assert shell("alias", "PG", "PG").out == "pg stands alone: no other name means the same\n"
    assert shell("entity", "PG", "--json").json["names"] == ["pg"]


def test_who_may_not_give_names_is_told_so(shell: Shell) -> None:
    shell("init")
    said = shell("alias", "PG", "PostgreSQL", "--as", "docs", "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "not_permitted")


def test_entity_shows_names_records_and_what_is_mentioned_with_it(shell: Shell) -> None:
    first = shell.remember("Maria Lopez owns the billing queue at Acme Cloud", "--kind", "fact")
    second = shell.remember("Maria Lopez wrote to Acme Cloud about invoices", "--kind", "observation")
    shell("alias", "ML", "Maria Lopez")
    said = shell("entity", "ML", "--json").json
    assert (said["asked"], said["entity"], said["names"]) == ("ML", "maria lopez", ["maria lopez", "ml"])
    assert [(one["id"], one["kind"]) for one in said["records"]] == [(second, "observation"), (first, "fact")]
    related = {one["entity"]: one["records"] for one in said["related"]}
    assert related["acme cloud"] == 2
    human = shell("entity", "ML").out
    for words in ("maria lopez\n", "also called: ml", f"{second}@1", "acme cloud", "billing queue"):
        assert words in human
    assert len(shell("entity", "ML", "--limit", "1", "--json").json["records"]) == 1


def test_entity_tells_nothing_of_what_the_caller_may_not_see(shell: Shell) -> None:
    shell.remember("Maria Lopez earns too little", "--sensitivity", "secret")
    said = shell("entity", "Maria Lopez", "--as", "docs", "--json").json
    absent = shell("entity", "Maria Lopes", "--as", "docs", "--json").json
    assert (said["records"], said["related"]) == (absent["records"], absent["related"]) == ([], [])
    assert "none that you may see speaks of it" in shell("entity", "Maria Lopez", "--as", "docs").out
