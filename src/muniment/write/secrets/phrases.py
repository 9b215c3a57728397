"""Credentials that are known by what is said of them: a key block, a header, a connection string, `password=`."""

from __future__ import annotations

import base64
import binascii
import re

from muniment.write.secrets.detector import NOT_BEFORE, Detector, LazyPattern, shaped

_KEY = (
    r"(?:api|secret|access|private|signing|encryption|account|master|service|storage|deploy|shared[_ -]?access)"
    r"[_ -]?(?:access[_ -]?)?(?:key|token|secret)(?:[_ -]?id)?"
)
_SECRET = r"(?:client|app|consumer|webhook)[_ -]?secret | (?:auth|bearer|refresh|session|bot|id)[_ -]?token"
_PASSWORD = (
    r"password | passwd | passphrase | passcode | (?<![A-Za-z])(?:pwd|pass(?=[\s\"']{0,2}[:=]))"
    r"| passwort | kennwort | mot\ de\ passe | contrase[ñn]a | \bsenha\b | wachtwoord | has[łl]o\b"
    r"| пароль | 密码 | 密碼 | パスワード | 비밀번호"
)
_NAME = rf"(?: {_KEY} | {_SECRET} | {_PASSWORD} )"
_SET = r"""(?: ["']? \s{0,8} [:=]>? \s{0,8} ["']? | \s{1,8} (?:is|ist|est|es|é|jest) \s{1,8} ["']? )"""
# A reference to a secret is none: a variable, a template, a call, a dotted name, an address, a row of stars.
_REFERENCE = (
    r"""(?: [$%<{(\[!*] | \w{1,64}(?:\.\w{1,64}){0,8}[(\[]"""
    r"""| [A-Za-z_]\w{0,64}(?:\.[A-Za-z_]\w{0,64}){1,8}(?!\.?[^\s"',;.]) | \w{1,32}:// )"""
)
# In an address: stars, a variable, a template.
_NO_PASSWORD = r"\*+@ | \$ (?: [{(] | (?-i: [A-Z_][A-Z0-9_]*+ @ ) ) | < | \{ | %s"
_PASSWORDS = (
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "pass=",
    "pass:",
    "pass ",
    'pass"',
    "pass'",
    'pass\\"',
    "kennwort",
    "mot de passe",
    "contrase",
    "senha",
    "wachtwoord",
    "has\u0142o",
    "haslo",
    "\u043f\u0430\u0440\u043e\u043b\u044c",
    "\u5bc6\u7801",
    "\u5bc6\u78bc",
    "\u30d1\u30b9\u30ef\u30fc\u30c9",
    "\ube44\ubc00\ubc88\ud638",
)
_NAMED = ("key", "token", "secret", "credential", *_PASSWORDS)


_SAID = re.compile(
    r"""(?ix) (?: key | token | secret | credentials? | [_ -]id | passw(?:ord|d|ort) | passphrase | passcode | pwd
    | pass | wort | de\ passe | contrase[ñn]a | senha | wachtwoord | has[łl]o
    | пароль | 密码 | 密碼 | パスワード | 비밀번호 )
    \\? ["']? (?: \s | \\[nrt] ){0,8} (?: [:=] | (?:is|ist|est|es|é|jest) (?: \s | \\[nrt] ) )"""
)
"""A text in which something that may be secret is given a value, also as JSON spells it."""


def _phrase(
    sort: str,
    pattern: str,
    *needles: str,
    flags: re.RegexFlag = re.IGNORECASE | re.VERBOSE,
    gate: re.Pattern[str] | None = None,
) -> Detector:
    return Detector(sort=sort, find=shaped(LazyPattern(pattern, flags)), needles=needles, gate=gate)


def _says_who(text: str) -> bool:
    """Whether it is a name and a password, as a browser spells them."""
    try:
        return b":" in base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


_BLOCKS = (
    _phrase(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----.*?"
        r"(?:-----END [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        "-----begin",
        flags=re.DOTALL,
    ),
    _phrase(
        "private_key",
        r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----.*?(?:---- END SSH2 ENCRYPTED PRIVATE KEY ----|\Z)",
        "begin ssh2 encrypted",
        flags=re.DOTALL,
    ),
    _phrase(
        "private_key",
        r"PuTTY-User-Key-File-\d:.*?(?:Private-MAC: *[0-9a-f]{40,64}|\Z)",
        "putty-user-key-file",
        flags=re.DOTALL,
    ),
    _phrase(
        "private_key",
        r""" "d"\s{0,4}:\s{0,4}"(?P<value>[A-Za-z0-9_-]{40,}) """,
        '"d"',
        'd\\"',
    ),
)
_HEADERS = (
    _phrase(
        "authorization_header",
        r"""authorization ["']? \s{0,8} [:=] \s{0,8} ["']?
        (?: (?:bearer|basic|token|apikey|digest|ssws|negotiate) \s{1,8} ) (?P<value> [A-Za-z0-9._~+/=-]{8,} )""",
        "authorization",
    ),
    _phrase(
        "authorization_header",
        rf"""{NOT_BEFORE} bearer \s{{1,8}} (?P<value> (?= [A-Za-z._~+/-]{{0,64}} \d )
        [A-Za-z0-9._~+/-]{{20,}} ={{0,2}} )""",
        "bearer",
    ),
    Detector(
        sort="authorization_header",
        find=shaped(
            LazyPattern(rf"{NOT_BEFORE}(?i:basic)\s{{1,8}}(?P<value>[A-Za-z0-9+/]{{8,}}={{0,2}})(?![A-Za-z0-9+/=])"),
            _says_who,
        ),
        needles=("basic",),
    ),
    _phrase(
        "authorization_header",
        r"""(?<![a-z]) (?:set-)? cookie ["']? \s{0,8} : \s{0,8} ["']?
        (?P<value> [\w.-]{1,64}=[^\s;"',]{16,} (?: ;\s{0,2} [\w.-]{1,64} = [^\s;"',]{1,4096} )* )""",
        "cookie",
    ),
    _phrase(
        "authorization_header",
        rf"""{NOT_BEFORE} curl \b [^\n]{{0,256}}? \s (?:-u|--user) [ =]{{0,2}} ["']? [^\s:"'$]{{1,64}} :
        (?P<value> (?! [$%<{{(*] ) [^\s"']{{1,256}} )""",
        "curl",
    ),
)
_CONNECTIONS = (
    _phrase(
        "password_in_url",
        rf"""(?<=://) [^\s/:@]{{0,128}} : (?! {_NO_PASSWORD} ) (?: [^\s/"'<>`]{{1,512}} | [^\s/@]{{1,256}} ) (?=@)""",
        "://",
    ),
    _phrase(
        "connection_string",
        rf"""(?: ; | ["'] ) \s{{0,4}} (?:password|pwd|accountkey|sharedaccesskey|sharedsecret) \s{{0,4}} = \s{{0,4}}
        (?P<value> (?! {_REFERENCE} ) [^\s;"']{{1,256}} )""",
        *("password", "pwd", "accountkey", "sharedaccesskey", "sharedsecret"),
    ),
    _phrase(
        "connection_string",
        rf"""{NOT_BEFORE} [\w.-]{{1,64}} : (?P<value> (?! [$%<{{(\[*] ) [^\s@/:]{{1,128}} ) @ (?:tcp|unix|udp) \(""",
        "@tcp(",
        "@unix(",
        "@udp(",
    ),
    _phrase(
        "connection_string",
        rf"""{NOT_BEFORE} [\w.*-]{{1,253}} : (?:54[0-9]{{2}}|6432|\*) : [\w*-]{{1,63}} : [\w*-]{{1,63}} :
        (?P<value> [^\s:]{{1,128}} ) (?= \s | $ )""",
        *(":54", ":6432:", ":*:"),
    ),
    _phrase(
        "credential",
        r"""(?<![a-z]) (?:machine \s{1,8} \S{1,253} | default) \s{1,8} login \s{1,8} \S{1,128} \s{1,8}
        (?:password|passwd) \s{1,8} (?P<value> \S{1,256} )""",
        "login",
    ),
)
_ASSIGNED = (
    _phrase(
        "credential",
        rf"""{_NAME} {_SET} (?P<value> (?! {_REFERENCE} ) (?= [^\s"',;]{{0,256}} [\d!@#$%^&+=~] ) [^\s"',;]{{8,}} )""",
        *_NAMED,
        gate=_SAID,
    ),
    _phrase(
        "credential",
        rf"""(?: {_PASSWORD} ) {_SET} (?P<value> (?! {_REFERENCE} ) (?= [^\s"',;]{{0,8}} \d )
        (?= [^\s"',;]{{0,8}} [a-z] ) [^\s"',;.()]{{5,7}} ) (?= [\s"',;.)] | $ )""",
        *_PASSWORDS,
        gate=_SAID,
    ),
    _phrase(
        "credential",
        r"""(?<![a-z]) (?: sshpass \s{1,4} -p \s? | mysql(?:dump|admin|import)? \s [^\n]{0,128}? -p
        | docker \s login \s [^\n]{0,128}? -p \s ) ["']? (?P<value> (?! [$%<{(*] ) [^\s"']{4,256} )""",
        "sshpass",
        "mysql",
        "docker login",
    ),
    _phrase(
        "credential",
        r"""\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53} | \$(?:1|5|6|y|7|apr1)\$[^\s$:]{1,64}\$
        (?:[^\s$:]{1,64}\$)?[./A-Za-z0-9]{22,128} | \$argon2(?:id|i|d)\$[^\s:]{20,512}
        | \$pbkdf2[a-z0-9-]{0,16}\$[^\s:]{20,512}""",
        *("$2a$", "$2b$", "$2x$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$7$", "$apr1$", "$argon2", "$pbkdf2"),
    ),
)
# What a name ends in that says a secret is given under it; and names of keys that open nothing.
_SECRET_WORD = r"(?: password | passwd | passphrase | passcode | pwd | secret | token | credentials? )"
_OPENS_NOTHING = (
    r"(?: public | primary | foreign | sort | partition | cache | idempotency | row | hash | map | index | join | group"
    r"| object | entity | dedup | routing | message | shortcut | registry | hot | meta | composite | unique | natural )"
)
_SECRET_NAME = rf"""(?: (?P<sure> {_NAME} | (?<![A-Za-z]) credentials )
    | (?<![A-Za-z]) (?: [A-Za-z0-9]{{1,32}} [_-] ){{0,4}}+ {_SECRET_WORD}
    | (?<![A-Za-z0-9_-]) (?: [A-Za-z0-9]{{1,32}}+ [_-] ){{0,3}} (?! {_OPENS_NOTHING} ) [A-Za-z0-9]{{2,32}} [_-] key
    | (?-i: [a-z](?:Password|Secret|Token|ApiKey|Credentials?)) | (?<![A-Za-z]) [A-Za-z0-9]{{1,32}}+ [_-] pass )
    (?![A-Za-z0-9_])"""
# What is said of a secret, or what sort of thing it is; a value that stands for another, as the name of a key does.
_NO_VALUE = rf"""(?: {_REFERENCE} | \[redacted | (?: key | token ) [: ] [A-Za-z0-9_-]{{1,64}} \\?["']
    | (?: none | null | nil | undefined | true | false | yes | no | empty | unset | missing | required | optional
    | invalid | valid | wrong | expired | revoked | rotated | changed | reset | unknown | hidden | redacted
    | masked | omitted | removed | withheld | string | str | text | bytes | int | integer | number | bool | boolean
    | varchar | char
    | any | object | list | dict | array | here | there | below | above | same | see | tbd | todo | n/a | na | ok
    | await | new | return | async | self | this | default | auto | disabled | enabled | not | the | an? | is | in
    | never | always | only | plain | encrypted | hashed | stored | safe | secret | password | token | credentials?
    | vault )
    (?: [\s"',;.)\]}}] | $ ) )"""
_FIGURE = r"""(?: \d{1,6} (?![^\s"',;.)]) )"""
_UNUSUAL = r"""(?= [^\s"',;]{0,64} [\d!@#$%^&+=~_/-] | [^\s"',;]{16} | (?-i: [^\s"',;]{0,64} [a-z][A-Z] ) )"""
_LONE = r"""(?= ["']? [ \t]* (?: $ | [\n\r,;)}\]&|] | \\n | [#] | // ) )"""
# Behind the name: a value in quotation marks, whatever it is; one right behind a sign, up to a gap; one after a gap
# that no word is like; and for the surest names one that stands alone.
_GIVEN = (
    _phrase(
        "credential",
        rf"""(?P<name> {_SECRET_NAME} ) (?:
        \\?["']? \s{{0,8}} (?: [:=]>? | := ) (?!=) \s{{0,8}} \\?(?P<quote>["'`]) (?! \s{{0,4}} (?P=quote) )
        (?P<value> (?! {_NO_VALUE} ) [^"'`\n]{{3,256}} ) \\?(?P=quote)
        | ["']? = (?![=>\s]) ["']?
        (?P<value_behind> (?! {_NO_VALUE} | \w{{0,32}}? (?P=name) (?!\w) | {_FIGURE} ) [^\s"',;&)]{{4,}} )
        | ["']? \s{{0,8}} (?: =>? | := | : ) (?![=/]) \s{{0,8}} (?! {_NO_VALUE} | \w{{0,32}}? (?P=name) (?!\w) ) (?:
        (?P<value_unusual> (?! {_FIGURE} ) {_UNUSUAL} [^\s"',;]{{6,}} )
        | (?(sure) (?P<value_alone> (?! \d{{1,3}}\b ) [^\s"',;]{{4,}} ) {_LONE} | (?!) ) ) )""",
        *_NAMED,
        gate=_SAID,
    ),
    # A line of a file, or all that is said: the name, and one word.
    _phrase(
        "credential",
        rf"""(?: ^ | \n | \\n ) [ \t]{{0,16}} (?: [-*]\s )? (?: export \s | set \s )? ["']? {_SECRET_NAME} ["']?
        [ \t]{{0,8}} (?: =>? | := | : ) [ \t]{{1,8}}
        (?P<value> (?! {_NO_VALUE} | {_FIGURE} ) [^\s"',;]{{4,}} ) {_LONE}""",
        *_NAMED,
        gate=_SAID,
    ),
    _phrase(
        "credential",
        rf"""(?: {_PASSWORD} ) \s{{1,8}} (?: is|ist|est|es|é|jest ) \s{{1,8}} (?P<quote>["'`])
        (?P<value> (?! {_NO_VALUE} ) [^"'`\n]{{3,128}} ) (?P=quote)""",
        *_PASSWORDS,
        gate=_SAID,
    ),
    # A flag of a command.
    _phrase(
        "credential",
        rf"""(?<! \S ) -- (?: [a-z0-9]{{1,32}}- ){{0,3}} (?: {_SECRET_WORD} | pass
        | (?: api|secret|access|private|auth)-?key ) [ =] ["']? (?P<value> (?! {_NO_VALUE} | - ) [^\s"',;]{{3,}} )""",
        *("key", "token", "secret", "pass", "pwd", "credential"),
        gate=re.compile(r"--[A-Za-z]"),
    ),
)
PHRASES = (*_BLOCKS, *_HEADERS, *_CONNECTIONS, *_ASSIGNED, *_GIVEN)
