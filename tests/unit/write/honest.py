"""Honest sentences that speak of keys, tokens, secrets and passwords, and give none away."""

from __future__ import annotations

from itertools import product

_WORDS = ("key", "token", "secret", "password", "passphrase", "API key", "access token", "credential", "client secret")
_FRAMES = (
    "The {} to success: patience.",
    "A {} must be 12 characters long.",
    "{}: must be at least 12 characters long",
    "The {} budget: 300 a day.",
    "The {} is rotated every 90 days.",
    "The {} is short-lived, and that is how we want it.",
    "We lost the {}: nobody knows why.",
    "Each {} expires after 24 hours.",
    "If the {} is wrong, the server answers 401.",
    "Never send a {} by mail.",
    "The {} was rotated on 2026-03-04 by ana.",
    "{}: required",
    "{}: string, at least 8 characters",
    "{} = None",
    "{}=${{VALUE}}",
    "Ask Maria for the {}, she keeps it in the vault.",
    "Which {} does the deploy job use? The one of staging.",
    "{} rotation: see the runbook of the platform team.",
    "There are 3 rules for a {}: keep it, rotate it, revoke it.",
    "The {} is missing from the environment of the build.",
    "The column {} is encrypted at rest.",
    "no {}: the request was anonymous",
    "The {} is stored in the key ring of the operating system.",
    "Renamed the field {} to identity in release 2.4.0.",
    "Her {} is never written to a log.",
    "A lost {} is revoked within the hour, says the policy.",
    "The lesson of the {} incident: rehearse the rollback.",
    "The form asks for a name and a {}.",
)
_OTHERS = """
The key to a good review is time.
key: value
primary_key: order_id
primary key = (tenant, id)
foreign_key=customer_id
sort_key: created_at
The cache key is the path of the page.
partition_key=tenant_id
public_key: see docs/keys.md
The model has a context of 200,000 tokens.
max_tokens=4096
token_count: 1523
tokens: 300
The token budget: 300 per request.
Key findings: latency fell by 12 percent.
Keyboard: German layout
The monkey: a small one
Key: C major
The key signature is D minor.
Keynote: Tuesday at nine.
Turkey: the second market this year
pass: 12, fail: 3
pass=12 fail=0
The tests pass: all of them.
passed: 311
compass: north
bypass: not needed
Password policy: 12 characters, no rotation.
Password reset: the link is good for an hour.
Passwords are hashed with argon2.
The password field is of type string.
Forgot your password? Ask the desk.
token type: bearer
Token lifetime: 15 minutes
token_type=bearer
The secret of the soup: fresh thyme.
Secret santa: everyone draws a name on Friday.
The secret ballot is on Monday.
Secretary: Maria Lopez
secrets: []
secret management is handled by the platform team
credentials: see the vault entry of the team
The credentials provider is chosen by the region.
key=lambda one: one.name
sorted(items, key=len)
d[key] = value
for key, value in items.items(): print(key)
def login(user: str, password: str) -> None: ...
password = getpass.getpass()
token = request.headers.get("x")
token = await client.fetch_token()
secret = settings.secret
connect(user=user, password=password)
api_key = os.environ["API_KEY"]
api_key: ${API_KEY}
password: <your password>
--password-file /run/secrets/db
--key-id 17
--token-ttl 300
The flag --token is deprecated.
Use https://example.com/@ana for her profile.
http://localhost:8080/@user/page shows it.
postgresql://app@db.internal/prod needs no word.
git@example.com:team/repo.git was moved.
Mail ana@example.com about the key.
ssh://git@example.com:22/team/repo.git
"""


def sentences() -> list[str]:
    """More than three hundred of them."""
    framed = (frame.format(word if frame[0] != "{" else word.capitalize()) for frame, word in product(_FRAMES, _WORDS))
    return [*dict.fromkeys(framed), *_OTHERS.strip().splitlines()]
