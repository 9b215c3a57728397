"""Where a vault is: how a place is read, what is refused, and that no picture of it shows a password."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment import Memory
from muniment.backends.postgres.address import DatabaseAddress
from muniment.config import Config, ServerSettings
from muniment.engine import place as places
from muniment.engine.place import Database, Folder, Place, folder_of, place_of
from muniment.model.errors import ConfigurationError, Malformed

SECRET = "hunter2"
PLACES = {
    "postgresql://ana:hunter2@db1/prod": "postgresql://ana@db1/prod",
    "postgres://ana:hunter2@db1:5432,db2:5433/prod": "postgresql://ana@db1:5432,db2:5433/prod",
    "postgresql://:hunter2@[::1]:5432,[fe80::2]/prod": "postgresql://[::1]:5432,[fe80::2]/prod",
    "postgresql:///prod?host=/run/pg&password=hunter2": "postgresql:///prod?host=/run/pg",
    "postgresql://%2Frun%2Fpg/prod?sslpassword=hunter2&schema=m": "postgresql://%2Frun%2Fpg/prod?schema=m",
    "postgresql://db?options=-chunter2&target_session_attrs=any": "postgresql://db/?target_session_attrs=any",
    "postgresql://ana:hunter2%40%2F@db/prod?passfile=hunter2&service=hunter2": "postgresql://ana@db/prod",
}
WRONG = (
    "postgresql://ana:hunter2@home@db/prod",
    "postgresql://ana:hunter2/x@db/prod",
    "postgresql://ana:hunter2?x@db/prod",
    "postgresql://ana:hunter2#x@db/prod",
    "postgresql://ana:hunter2%zz@db/prod",
    "postgresql://ana:hunter2%00@db/prod",
    "postgresql://ana:hunter2@db/a/b",
    "postgresql://ana:hunter2@db:hunter2/prod",
    "postgresql://ana:hunter2@db:65536/prod",
    "postgresql://ana:hunter2@[::1/prod",
    "postgresql://ana:hunter2@db/prod?hunter2",
    "postgresql://ana:hunter2@db/prod?a=1&a=2",
    "postgresql://ana:hunter2@db/prod?schema=",
    "postgresql://ana:hunter2@db/prod?schema=Hunter2",
    "postgresql://ana:hunter2@db/prod?schema=pg_hunter2",
    "postgresql://ana:hunter2@db/prod?schema=hunter2%22",
    "postgresql://ana:hunter2@db/prod?schema=a123456789012345678901234567890123456789x",
    "postgresql://ana:hunter2@db/prod?patience=hunter2",
    "postgresql://ana:hunter2@db/prod?patience=3601",
    "postgresql://ana:hunter2@db/prod?allow_async_commit=hunter2",
    "postgresql://ana:hunter2@db/prod?application_name=a b",
    "postgresql://ana:hunter2@db/prod\n",
    "POSTGRESQL://ana:hunter2@db/prod",
    "postgresql:/ana:hunter2@db/prod",
    "mysql://ana:hunter2@db/prod",
    "sqlite:///hunter2",
    "",
    "a\0hunter2",
)


@each(("said", "shown"), PLACES.items())
def test_a_database_is_shown_without_what_may_be_secret(said: str, shown: str) -> None:
    place = place_of(said)
    assert isinstance(place, Database)
    assert (str(place), repr(place)) == (shown, f"Database({shown!r})")
    assert SECRET not in f"{place} {place!r} {DatabaseAddress.parse(said)} {DatabaseAddress.parse(said)!r}"


@each("said", WRONG)
def test_what_is_no_place_is_refused_and_not_quoted(said: str) -> None:
    with pytest.raises(Malformed) as refused:
        place_of(said)
    assert (refused.value.code, refused.value.field) == ("malformed", "vault")
    assert SECRET not in f"{refused.value} {refused.value.hint}".lower()


@each("said", [None, 7, b"postgresql://db/prod", Path("postgresql://ana:hunter2@db/prod")])
def test_what_is_no_text_is_no_address(said: object) -> None:
    with pytest.raises(Malformed) as refused:
        place_of(said)  # type: ignore[arg-type]  # what a caller without types may hand in
    assert SECRET not in str(refused.value)


@each("said", ["./here", "/a/b", "C:/a", "postgresql", "a:b", "~/x", "a?b=c@d"])
def test_everything_else_is_a_folder(said: str) -> None:
    assert place_of(said) == Folder(name=str(Path(said)))
    assert place_of(Path(said)) == place_of(said)


def test_what_is_ours_is_taken_out_before_libpq_reads_an_address() -> None:
    given = "postgres://ana:hunter2@a,b/prod?schema=memory&sslmode=require&patience=30&allow_async_commit=true"
    address = DatabaseAddress.parse(given)
    assert (address.schema, address.patience_s, address.allow_async_commit) == ("memory", 30.0, True)
    assert address.conninfo == (
        "postgresql://ana:hunter2@a,b/prod?sslmode=require&connect_timeout=5&application_name=muniment"
        "&keepalives_idle=10&keepalives_interval=5&keepalives_count=3&tcp_user_timeout=15000"
    )


def test_what_an_address_says_of_time_and_name_is_left_to_it() -> None:
    address = DatabaseAddress.parse("postgresql://db/prod?connect_timeout=2&application_name=fleet")
    assert address.conninfo.startswith("postgresql://db/prod?connect_timeout=2&application_name=fleet&keepalives")
    assert (address.schema, address.patience_s, address.allow_async_commit) == ("muniment", 10.0, False)


@given(st.text(alphabet="abcXYZ019-._~!$'()*,;=", min_size=1).map(lambda text: f"pw{text}pw"))
def test_no_password_of_any_spelling_is_ever_shown(password: str) -> None:
    for said in (f"postgresql://ana:{password}@db/prod", f"postgresql:///prod?user=ana&password={password}"):
        assert password not in f"{place_of(said)} {place_of(said)!r}"


def test_settings_are_pictured_without_the_password_of_their_vault() -> None:
    said = "postgresql://ana:hunter2@db/prod"
    for settings in (Config(vault=said), ServerSettings(vault=said)):
        assert SECRET not in f"{settings} {settings!r}"
        assert "vault='postgresql://…'" in repr(settings)
    again = msgspec.json.decode(msgspec.json.encode(ServerSettings(vault=said)), type=ServerSettings)
    assert again.vault == said


def test_what_is_done_to_files_says_what_to_use_for_a_database() -> None:
    assert folder_of("here", instead="-") == Path("here")
    with pytest.raises(ConfigurationError) as refused:
        folder_of("postgresql://ana:hunter2@db/prod", instead="use pg_dump")
    assert (refused.value.setting, refused.value.hint) == ("vault", "use pg_dump")
    assert SECRET not in str(refused.value)


def test_every_folder_goes_through_one_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(path: Path) -> Place:
        return Folder(name=str(tmp_path / "elsewhere" / path.name))

    monkeypatch.setattr(places, "folder_place", elsewhere)
    Memory.open(tmp_path / "vault").close()
    assert (tmp_path / "elsewhere" / "vault" / "vault.toml").is_file()
    assert not (tmp_path / "vault").exists()


def test_without_the_driver_a_database_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_spec("psycopg") is not None
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [one for one in sys.modules if one.startswith("muniment.backends.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ConfigurationError) as refused:
        Memory.open("postgresql://ana:hunter2@127.0.0.1:1/prod")
    assert (refused.value.setting, refused.value.hint) == ("vault", '`pip install "muniment[postgres]"`')
    assert "psycopg" in str(refused.value)


def test_content_keys_are_refused_for_a_folder_and_make_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(tmp_path / "vault", content_keys=tmp_path)
    assert (refused.value.setting, "muniment encryption key" in refused.value.hint) == ("content_keys", True)
    assert not (tmp_path / "vault").exists()
    monkeypatch.setenv("MUNIMENT_CONTENT_KEYS", str(tmp_path))
    Memory.open(tmp_path / "vault").close()


def test_what_bounds_and_encrypts_files_is_refused_before_a_database_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere = f"postgresql:///prod?host={tmp_path}"
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(nowhere, capacity=1_000_000)
    assert (refused.value.setting, "quota" in refused.value.hint) == ("capacity", True)
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(nowhere, encryption_key=bytes(32))
    assert (refused.value.setting, "content keys" in refused.value.hint) == ("encryption_key", True)
    monkeypatch.setenv("MUNIMENT_ENCRYPTION_KEY", "00" * 32)
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(nowhere)
    assert refused.value.setting == "encryption_key"
