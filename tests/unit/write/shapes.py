"""How the credentials of many issuers are made, written down apart from what finds them, and a maker of such values.

A shape is text in which `<U16>` stands for sixteen characters of an alphabet: U upper case and digits, L lower case
and digits, W letters and digits, N those with `_` and `-`, H hexadecimal, D digits, B base64. Nothing made here opens
anything.
"""

from __future__ import annotations

import random
import re
import string

_ALPHABETS = {
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "W": string.ascii_letters + string.digits,
    "N": string.ascii_letters + string.digits + "_-",
    "H": "0123456789abcdef",
    "D": string.digits,
    "B": string.ascii_letters + string.digits + "+/",
}
_UUID = "<H8>-<H4>-<H4>-<H4>-<H12>"
_PLACE = re.compile(r"<([A-Z])(\d+)>")


def make(shape: str, pick: random.Random) -> str:
    """One value of a shape. Its ends are letters or digits, and a digit is in every longer part."""

    def part(hit: re.Match[str]) -> str:
        letters, size = _ALPHABETS[hit[1]], int(hit[2])
        chars = [pick.choice(letters) for _ in range(size)]
        plain = [char for char in letters if char.isalnum()]
        chars[0], chars[-1] = pick.choice(plain), pick.choice(plain)
        if size > 8:
            chars[size // 2] = pick.choice(string.digits)
        return "".join(chars)

    return _PLACE.sub(part, shape)


TOKENS: dict[str, tuple[str, ...]] = {
    "cloud access key": (
        "AKIA<U16>",
        "ASIA<U16>",
        "AIza<N35>",
        "GOCSPX-<N28>",
        "ya29.<N60>",
        "<W3>8Q~<N31>",
        "https://files.example.blob/x?sv=2024&sig=<W44>",
        "LTAI<W20>",
        "AKID<W32>",
        "dop_v1_<H64>",
        "doo_v1_<H64>",
        "HRKU-<W36>",
        "fo1_<N43>",
        "FlyV1 fm2_<W80>",
        "nfp_<W40>",
        "rnd_<W32>",
        "sbp_<H40>",
        "sb_secret_<W32>",
        "pscale_tkn_<N43>",
        "dapi<H32>",
        "hvs.<N90>",
        "<W14>.atlasv1.<N64>",
        "pul-<H40>",
        "dp.pt.<W43>",
        "dp.st.prd.<W43>",
        "AQVN<N36>",
        "tskey-auth-<W12>-<W20>",
    ),
    "code host token": (
        "ghp_<W36>",
        "gho_<W36>",
        "ghu_<W36>",
        "ghs_<W36>",
        "ghr_<W36>",
        "github_pat_<W22>_<W59>",
        "glpat-<N20>",
        "gldt-<N20>",
        "glrt-<N20>",
        "glptt-<H40>",
        "ATATT3<N180>=<U8>",
        "ATBB<W32>",
    ),
    "build token": (
        "CCIPAT_<W22>_<H40>",
        "bkua_<H40>",
        "sqp_<H40>",
        "squ_<H40>",
        "dckr_pat_<N27>",
        "AKCp<W69>",
        "API-<U28>",
        "pat.<N22>.<H24>.<W20>",
    ),
    "chat token": (
        "xoxb-<D12>-<D12>-<W24>",
        "xoxp-<D12>-<D12>-<D12>-<H32>",
        "xapp-1-A<U10>-<D13>-<H64>",
        "hooks.slack.com/services/T<U9>/B<U9>/<W24>",
        "MTIz<N22>.<N6>.<N38>",
        "discord.com/api/webhooks/<D18>/<N68>",
        "<D10>:AA<N33>",
        "SK<H32>",
    ),
    "payment key": (
        "sk_live_<W24>",
        "rk_live_<W24>",
        "sk_test_<W24>",
        "whsec_<W32>",
        "sq0atp-<N22>",
        "sq0csp-<N43>",
        "EAAA<N60>",
        "access_token$production$<L16>$<H32>",
        "shpat_<H32>",
        "shpss_<H32>",
        "rzp_live_<W14>",
        "FLWSECK-<H32>-X",
        "live_<W30>",
        f"access-production-{_UUID}",
    ),
    "mail key": (
        "SG.<N22>.<N43>",
        "key-<H32>",
        "<H32>-us21",
        "xkeysib-<H64>-<W16>",
        "re_<W8>_<W24>",
    ),
    "package token": (
        "npm_<W36>",
        "pypi-AgEIcHlwaS5vcmc<N100>",
        "rubygems_<H48>",
        "oy2<L43>",
        "cio<W32>",
        "CLOJARS_<H60>",
    ),
    "api key": (
        "sk-<W48>",
        "sk-proj-<N120>",
        "sk-ant-api03-<N93>",
        "sk-or-v1-<H64>",
        "hf_<W34>",
        "r8_<W37>",
        "gsk_<W52>",
        "pplx-<W48>",
        "xai-<W80>",
        "fw_<W24>",
        "tgp_v1_<N43>",
        "lsv2_pt_<H32>_<H10>",
        f"sk-lf-{_UUID}",
        "pcsk_<W6>_<W60>",
        "jina_<W60>",
        "tvly-dev-<W32>",
        "nvapi-<N64>",
        "csk-<L48>",
    ),
    "app token": (
        "NRAK-<U27>",
        "glsa_<W32>_<H8>",
        "sntrys_eyJ<W60>_<B43>",
        "dt0c01.<U24>.<U64>",
        "lin_api_<W40>",
        "ntn_<W46>",
        "secret_<W43>",
        "pat<W14>.<H64>",
        "figd_<N40>",
        "PMAK-<H24>-<H34>",
        "sk.eyJ<N60>.<N22>",
        f"pat-na1-{_UUID}",
        "CFPAT-<N43>",
        "sl.<N130>",
        "AAAAAAAAAAAAAAAAAAAAAA<W30>%3D<W44>",
        "AGE-SECRET-KEY-1<U58>",
        "tfp_<W44>",
        "EZAK<W54>",
        "duffel_live_<N43>",
        "pnu_<W36>",
    ),
    "signed token": ("eyJ<W33>.eyJ<W60>.<N43>", "eyJ<W33>.<W60>.<N43>", "eyJ<W33>.eyJ<W60>", "v4.local.<N120>"),
    "memory key": ("mnk_<L12>_<N43>",),
    "service account": ("<L8>@<L10>.iam.gserviceaccount.com",),
    "private key": (
        "-----BEGIN PRIVATE KEY-----\n<B64>\n<B64>\n-----END PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n<B64>\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n<B64>\n=<B4>\n-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN EC PRIVATE KEY-----\n<B64>",
    ),
}
"""Tokens that are known by themselves, by the sort they are taken out as."""

PHRASES: dict[str, tuple[tuple[str, str], ...]] = {
    "authorization header": (
        ("Authorization: Bearer {}", "<W40>"),
        ("-H 'authorization: token {}'", "<W40>"),
        ('"Authorization": "Basic {}"', "dXNlcjpw<W24>"),
        ("curl -s -u admin:{} https://example.com/x", "<W12>"),
        ("curl --user admin:{} https://example.com/x", "<W9>"),
        ("use Bearer {} there", "<W32>"),
        ("Cookie: session={}; theme=dark", "<W32>"),
    ),
    "password in url": (
        ("postgres://app:{}@db.internal/prod", "<W12>"),
        ("redis://:{}@cache:6379/0", "<W10>"),
        ("https://ana:{}@example.com/x", "<W9>"),
        ("amqp://guest:{}@mq:5672", "<L7>"),
    ),
    "connection string": (
        ("Server=db;Database=x;User Id=sa;Password={};Encrypt=true", "<W6>"),
        ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=core", "<B86>=="),
        ("Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey={}", "<B43>="),
        ("app:{}@tcp(db:3306)/prod", "<W10>"),
        ("db.internal:5432:prod:app:{}", "<W10>"),
    ),
    "credential": (
        ("password={}", "<W9>"),
        ("password: {}", "<L6>7"),
        ('"password": "{}"', "<W14>"),
        ("DB_PASSWORD={}", "<W16>"),
        ("the password is {}", "<W11>"),
        ("Passwort: {}", "<W10>"),
        ("mot de passe : {}", "<W10>"),
        ("\u5bc6\u7801\uff1a{}", "<W10>"),
        ("api_key = '{}'", "<W32>"),
        ("x-api-key: {}", "<W24>"),
        ("aws_secret_access_key = {}", "<B40>"),
        ("client_secret={}", "<W30>"),
        ("refresh_token: {}", "<W30>"),
        ("token: {}", "<W24>"),
        ("mysql -u root -p{} prod", "<W10>"),
        ("sshpass -p {} ssh host", "<W10>"),
        ("deploy --token {} --force", "<W24>"),
        ("machine api.example.com login ana password {}", "<L8>"),
        ("ana:$2b$12${}", "<W53>"),
        ("root:$6$saltsalt${}:19000:0:", "<W86>"),
        ("//registry.invalid/:_authToken={}", "<W36>"),
    ),
}
"""Values that are known by what stands around them: the words, and the shape of the value."""
