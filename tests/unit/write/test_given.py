"""What is given under a name that says it is secret is taken out, whatever it looks like; honest sentences are left."""

from __future__ import annotations

from tests.cases import each
from tests.unit.write.honest import sentences

from muniment.model.claim import Claim
from muniment.model.value import canonical
from muniment.write.secrets import DEFAULT

GIVEN = (
    ("API_KEY=sk-secret-key-abcdefghij", "sk-secret-key-abcdefghij"),
    ("api key: sk-live-abcdefghijkl", "sk-live-abcdefghijkl"),
    ("API_KEY=abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"),
    ("API_KEY=swordfish", "swordfish"),
    ("the api_key = swordfish\n", "swordfish"),
    ('"api_key": "swordfish"', "swordfish"),
    ("apiKey: 'swordfish'", "swordfish"),
    ("password: hunter", "hunter"),
    ("password=hunter", "hunter"),
    ("password = hunter", "hunter"),
    ("DB_PASS=hunter", "hunter"),
    ("db_pwd: hunter", "hunter"),
    ("Secret: patiencexyz", "patiencexyz"),
    ("secret=patience", "patience"),
    ("export GITHUB_TOKEN=abcdefgh", "abcdefgh"),
    ("--token abcdef", "abcdef"),
    ("--password=hunter", "hunter"),
    ("--api-key swordfish", "swordfish"),
    ("x-api-key: swordfish", "swordfish"),
    ("X-Auth-Token: swordfish", "swordfish"),
    ("client_secret: 'open sesame now'", "open sesame now"),
    ("postgresql://admin:p@ssw0rd@host", "p@ssw0rd"),
    ("postgresql://admin:p@ss@w0rd@host:5432/db", "p@ss@w0rd"),
    ("postgres://u:$ecretpw@host/x", "$ecretpw"),
    ("mongodb://u:a#b?c@h/x", "a#b?c"),
    ('{"password": "correct horse battery staple"}', "correct horse battery staple"),
    ('password: "correct horse battery"', "correct horse battery"),
    ("the password is 'swordfish'", "swordfish"),
    ("STRIPE_KEY=abcdefghijklmnop", "abcdefghijklmnop"),
    ("MY_SIGNING_KEY: abcdefghijklmnopqr", "abcdefghijklmnopqr"),
    ("the token: abcdefghijklmnopqrst is used", "abcdefghijklmnopqrst"),
    ("userPassword=hunter", "hunter"),
    ("credentials=hunter:two", "hunter:two"),
    ("config: {password: hunter, user: ana}", "hunter"),
    ("passwd = 'x y z'", "x y z"),
    ("api-key=swordfish&user=1", "swordfish"),
    ("https://h/x?api_key=swordfish&y=1", "swordfish"),
    ("https://h/x?token=swordfish", "swordfish"),
    ("auth_token => swordfish", "swordfish"),
    ("secret_key: swordfish", "swordfish"),
    ("PASSWORD=12345678", "12345678"),
    ("PGPASSWORD=hunter psql", "hunter"),
    ("password:hunter", "hunter"),
    ("pwd:hunter", "hunter"),
    ('password="hunter2"', "hunter2"),
    ("AWS_SECRET_ACCESS_KEY=abcdefgh", "abcdefgh"),
    ("token=abc123", "abc123"),
    ("key: password: swordfish", "swordfish"),
    ("login with password: swordfish", "swordfish"),
)


@each(("text", "secret"), GIVEN)
def test_what_is_given_under_a_telling_name_is_taken_out(text: str, secret: str) -> None:
    left, sorts = DEFAULT.redact(text)
    assert sorts
    assert secret not in left
    assert DEFAULT.suspicious(text)
    assert DEFAULT.suspicious(canonical(Claim(content=text)).decode())


def test_the_password_of_an_address_goes_and_the_address_stays() -> None:
    left, _ = DEFAULT.redact("postgresql://admin:p@ss@w0rd@db.internal:5432/prod and mail ana@example.com")
    assert left == "postgresql://[redacted: password in url]@db.internal:5432/prod and mail ana@example.com"


def test_honest_sentences_about_secrets_are_left_as_they_are() -> None:
    said = sentences()
    assert len(said) >= 300
    assert [text for text in said if DEFAULT.redact(text) != (text, ())] == []
