"""What a text names: each shape by examples, what is no entity, and what must hold of any text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.model.entity import ENTITIES_MAX, ENTITY_LENGTH_MAX, EntityKind
from muniment.text.entities import READ_MAX, entities, entity_key


def named(text: str, kind: str) -> list[str]:
    return [one.text for one in entities(text) if one.kind == kind]


def keys(text: str) -> list[str]:
    return [one.key for one in entities(text)]


@each(
    ("text", "names"),
    [
        ("we met Maria Lopez in New York", ["Maria Lopez", "New York"]),
        ("Maria Lopez met us at the Eiffel Tower.", ["Maria Lopez", "Eiffel Tower"]),
        ("the deal with ACME Corp. is off", ["ACME Corp."]),
        ("she bought an iPhone 15 there", ["iPhone 15"]),
        ("ask Jan van der Berg or Ludwig von Mises", ["Jan van der Berg", "Ludwig von Mises"]),
        ("the Bank of America and Johnson & Johnson", ["Bank of America", "Johnson & Johnson"]),
        ("see Dr. Smith and J. K. Rowling", ["Dr. Smith", "J. K. Rowling"]),
        ("books by J.K. Rowling", ["J.K. Rowling"]),
        ("it runs on AWS with S3 and EC2", ["AWS", "S3", "EC2"]),
        ("NASA's API is open", ["NASA", "API"]),
        ("I drove Maria's Honda Civic", ["Maria", "Honda Civic"]),
        ("on Valentine's Day", ["Valentine's Day"]),
        ("with Jean-Luc O'Brien", ["Jean-Luc O'Brien"]),
        ("we moved to Zürich and to Łódź", ["Zürich", "Łódź"]),
        ("там была Анна Каренина", ["Анна Каренина"]),
        ("it runs Windows 11 and Python 3.11.", ["Windows 11", "Python 3.11"]),
        ("at Acme 30 people left", ["Acme"]),
        ("in Berlin 2024 began", ["Berlin"]),
        ("we use GitHub here", ["GitHub"]),
        ("the great Will Smith came", ["Will Smith"]),
        ("Caroline: hello", ["Caroline"]),
        ("Paris is nice.", ["Paris"]),
        ("Maria went home.", ["Maria"]),
        ("Postgres crashed.", ["Postgres"]),
        ("Yesterday Maria left.", ["Maria"]),
        ("The Eiffel Tower", ["Eiffel Tower"]),
        ("Did Maria Lopez call?", ["Maria Lopez"]),
        ("Learning German is fun", ["German"]),
    ],
)
def test_names_are_runs_of_capitalised_words(text: str, names: list[str]) -> None:
    assert named(text, "name") == names


@each(
    "text",
    [
        "I went home.",
        "It's fine. Don't worry! You're right. They've left.",
        "When I came, We left.",
        "On Friday in March",
        "May I go?",
        "Thanks! Wow. Great job.",
        "Deploying things takes time.",
        "Appreciate it, really",
        "Books are good.",
        "Running costs money.",
        "Coffee costs a lot. I like coffee.",
        "it has 3.5 GB left",
        "Coffee smells nice. I like coffee.",
        "THIS IS VERY LOUD TEXT",
        "A B C",
        "in Jan or on Sun",
        "今日は天気がいい",
        "",
        "   ",
        "the and of",
    ],
)
def test_an_ordinary_word_is_no_name_because_a_sentence_begins_with_it(text: str) -> None:
    assert named(text, "name") == []


def test_a_doubtful_word_is_a_name_when_it_is_one_elsewhere() -> None:
    assert named("Acme agreed? Odd.", "name") == ["Acme"]
    assert named("Boeing planes fly.", "name") == []
    assert named("Boeing planes fly. I work for Boeing.", "name") == ["Boeing"]


@each(
    ("kind", "text", "found"),
    [
        ("id", "see OPS-7, #1234 and JIRA-123.", ["OPS-7", "#1234", "JIRA-123"]),
        ("id", "See OPS-7", ["OPS-7"]),
        ("id", "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301!", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"]),
        ("id", "commit deadbeef12 and 3fa85f6", ["deadbeef12", "3fa85f6"]),
        ("id", "record rec_01h9xyz", ["rec_01h9xyz"]),
        ("id", "from v1.2.3 to 2.0.0-rc.1 (v2)", ["v1.2.3", "2.0.0-rc.1", "v2"]),
        ("id", "at 10.0.0.1 and 10.0.0.2:8080.", ["10.0.0.1", "10.0.0.2:8080"]),
        ("id", "order 123456789", ["123456789"]),
        ("id", "in eu-west-2", ["eu-west-2"]),
        ("id", "the decade, a facade, 1234", []),
        ("date", "on 2024-03-15 and March 15, 2024", ["2024-03-15"]),
        ("date", "On March 16, 2024 we", ["March 16, 2024"]),
        ("date", "15 Mar 2024", ["15 Mar 2024"]),
        ("date", "on 3/15/2024", ["3/15/2024"]),
        ("date", "In May 2023", ["May 2023"]),
        ("date", "the 5th of May", ["5th of May"]),
        ("date", "in May on Friday", []),
        ("date", "May, 2023", ["May, 2023"]),
        ("quantity", "42 km, $1,200, 15 %, 3.5 GB", ["42 km", "$1,200", "15 %", "3.5 GB"]),
        ("quantity", "it cost $1.2 million or €5k", ["$1.2 million", "€5k"]),
        ("quantity", "a 4-week course", ["4-week"]),
        ("quantity", "15 people, 3 dogs and 7", []),
        ("quantity", "about 100ms", ["100ms"]),
        ("path", "in /etc/hosts, src/x/y.py and C:\\x\\y.txt.", ["/etc/hosts", "src/x/y.py", "C:\\x\\y.txt"]),
        ("path", "~/notes.md ./run.sh ../a/b", ["~/notes.md", "./run.sh", "../a/b"]),
        ("path", "edit README.md.", ["README.md"]),
        ("path", "and/or, he/she, 24/7, km/h", []),
        ("path", "src/muniment/text", ["src/muniment/text"]),
        ("url", "see https://Example.org/a/#top.", ["https://Example.org/a/#top"]),
        ("url", "at example.com/x now", ["example.com/x"]),
        ("url", "(http://x.org/a)", ["http://x.org/a"]),
        ("email", "write ana@example.org.", ["ana@example.org"]),
        ("email", "First.Last+tag@mail.example.co", ["First.Last+tag@mail.example.co"]),
        ("handle", "ask @ana_b or (@bob)", ["@ana_b", "@bob"]),
        ("handle", "ana@example.org", []),
        ("code", "snake_case camelCase CONSTANT_CASE", ["snake_case", "camelCase", "CONSTANT_CASE"]),
        ("code", "call foo.bar() or os.path.join", ["foo.bar()", "os.path.join"]),
        ("code", "`git log`", ["`git log`"]),
        ("code", "with --dry-run and --x", ["--dry-run"]),
        ("code", "end of a.b. And so on", []),
        ("quoted", 'she read "The Name of the Rose" twice', ["The Name of the Rose"]),
        ("quoted", "“Dune” and 'hello there'", ["Dune", "hello there"]),
        ("quoted", "it's the dog's bone", []),
        ("quoted", '"' + "x" * 61 + '"', []),
        ("quoted", "「桜」です", ["桜"]),
        ("quoted", 'a 5" screen and a 7" one', []),
    ],
)
def test_each_kind_is_known_by_its_shape(kind: str, text: str, found: list[str]) -> None:
    assert named(text, kind) == found


@each(
    ("one", "other", "key"),
    [
        ("with Maria Lopez", "with MARIA Lopez's", "maria lopez"),
        ("at the Eiffel Tower", "The Eiffel Tower", "eiffel tower"),
        ("see Dr. Smith", "it is Smith", "smith"),
        ("on March 15, 2024", "on 15.3.2024", "2024-03-15"),
        ("in May 2023", "in May, 2023", "2023-05"),
        ("it is 1.5 km", "it is 1,500 metres", "1500 length"),
        ("100 ms", "0.1 s", "0.1 time"),
        ("$1.2 million", "$1,200,000", "1200000 $"),
        ("v1.2.3", "1.2.3", "1.2.3"),
        ("https://www.Example.org/a/", "http://example.org/a#top", "example.org/a"),
        ("`foo.bar`", "foo.bar()", "foo.bar"),
        ("see OPS-7", "see ops-7", "ops-7"),
        ("C:\\Temp\\x", "c:\\temp\\X", "c:/temp/x"),
    ],
)
def test_two_mentions_of_one_thing_share_a_key(one: str, other: str, key: str) -> None:
    assert keys(one) == keys(other) == [key]


def test_a_date_that_can_be_read_in_two_ways_keeps_its_spelling() -> None:
    assert keys("on 3/4/2024") == ["3/4/2024"]
    assert keys("on 4/4/2024") == ["2024-04-04"]


def test_a_thing_is_listed_once_where_it_is_first_mentioned() -> None:
    found = entities("we asked Ana, then Bob, then ANA's friend and OPS-7")
    assert [one.text for one in found] == ["Ana", "Bob", "OPS-7"]
    assert [one.kind for one in found] == [EntityKind.NAME, EntityKind.NAME, EntityKind.ID]


@each(
    ("text", "kind"),
    [
        ("https://example.org/src/a.py", "url"),
        ("ana@example.org", "email"),
        ("/srv/2024-03-15/x.log", "path"),
        ("`OPS-7 in src/a.py`", "code"),
        ("2024-03-15T10:30:00Z", "date"),
        ('"Maria Lopez"', "quoted"),
    ],
)
def test_of_what_overlaps_the_longest_is_taken(text: str, kind: str) -> None:
    assert [one.kind.value for one in entities(f"it is {text} there")] == [kind]


def test_no_more_than_so_many_entities_are_taken() -> None:
    assert len(entities(" ".join(f"OPS-{number}" for number in range(200)))) == ENTITIES_MAX == 64


def test_only_the_head_of_a_long_text_is_read() -> None:
    assert entities("x" * READ_MAX + " OPS-7") == ()
    assert keys("x" * (READ_MAX - 6) + " OPS-7") == ["ops-7"]


def test_what_is_too_long_to_be_a_name_is_none() -> None:
    assert entities("see " + "A" + "a" * 300 + " there") == ()


@each(
    "piece",
    [
        "x",
        "a-",
        "A.b",
        "'",
        '"a ',
        "1,",
        "1.1.",
        "/a",
        "a.a@",
        "`a",
        "(\n",
        "É",
        "_",
        "--a",
        "of the A ",
        "a1",
        "\u0661",
    ],
)
def test_a_megabyte_of_anything_is_read_to_its_bound(piece: str) -> None:
    assert len(entities(piece * (1_048_576 // len(piece)))) <= ENTITIES_MAX


def test_the_key_of_a_name_is_what_a_mention_of_it_has() -> None:
    assert entity_key("The Eiffel  Tower") == keys("at the Eiffel Tower")[0]
    assert entity_key("Maria’s") == keys("with Maria")[0]


pieces = st.sampled_from(
    [
        "Maria Lopez",
        "OPS-7",
        "2024-03-15",
        "May",
        "42 km",
        "$5",
        "/etc/hosts",
        "https://x.org",
        "@ana",
        "ana@x.org",
        "foo_bar",
        "`x`",
        '"q"',
        "the",
        "I",
        "'s",
        ". ",
        ", ",
        "15",
        "of",
        "\n",
        "３",
        "ﬁ",
        "İ",
        "ß",
        "\u0661\u0662/\u0663/\u0662\u0660",
    ]
)
texts = st.one_of(
    st.text(max_size=120),
    st.lists(st.tuples(pieces, st.sampled_from(["", " "])), max_size=20).map(
        lambda found: "".join(a + b for a, b in found)
    ),
)


@given(texts)
def test_whatever_is_named_stands_in_the_text_and_keeps_its_bounds(text: str) -> None:
    found = entities(text)
    assert found == entities(text)
    assert len({(one.kind, one.key) for one in found}) == len(found) <= ENTITIES_MAX
    for one in found:
        assert one.text
        assert one.key
        assert one.text in text
        assert max(len(one.text), len(one.key)) <= ENTITY_LENGTH_MAX
        assert one.key == " ".join(one.key.split())
    places = [text.index(one.text) for one in found if text.count(one.text) == 1]
    assert places == sorted(places)
