"""The kinds of text and number that requests are made of, with the bounds that the published schema shows."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from muniment.model.checks import CONTENT_BYTES_MAX, LIST_LENGTH_MAX, TEXT_BYTES_MAX
from muniment.model.query import LIMIT_MAX, QUERY_BYTES_MAX

_PRINTABLE = r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]"
_SAYING = r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\s]"
SAYS = f"^{_PRINTABLE}*{_SAYING}{_PRINTABLE}*$"
"""Text that says something: one character at least that is no space, and no control character."""

PAGE_MAX = 500
PAGE_USUAL = 50

Name: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
Text: TypeAlias = Annotated[str, Meta(pattern=SAYS, max_length=TEXT_BYTES_MAX)]
Content: TypeAlias = Annotated[str, Meta(pattern=SAYS, max_length=CONTENT_BYTES_MAX)]
Question: TypeAlias = Annotated[str, Meta(pattern=SAYS, max_length=QUERY_BYTES_MAX)]
Namespace: TypeAlias = Annotated[str, Meta(pattern=r"^/$|^(/[^/\u0000-\u001f\u007f]{1,128})+$", max_length=512)]
Names: TypeAlias = Annotated[tuple[Name, ...], Meta(max_length=LIST_LENGTH_MAX)]
Texts: TypeAlias = Annotated[tuple[Text, ...], Meta(max_length=LIST_LENGTH_MAX)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Weight: TypeAlias = Annotated[float, Meta(gt=0, le=1)]
Hours: TypeAlias = Annotated[float, Meta(gt=0, lt=1e308)]
Days: TypeAlias = Annotated[int, Meta(ge=1, le=36_500)]
Age: TypeAlias = Annotated[float, Meta(ge=0, le=4_000_000)]
Revision: TypeAlias = Annotated[int, Meta(ge=1, le=2**31)]
Position: TypeAlias = Annotated[int, Meta(ge=0, le=2**62)]
Tokens: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=LIMIT_MAX)]
Digest: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
PageSize: TypeAlias = Annotated[int, Meta(ge=1, le=PAGE_MAX)]
Short: TypeAlias = Annotated[str, Meta(pattern=SAYS, max_length=512)]
"""Text that has room in an address."""
FewNames: TypeAlias = Annotated[tuple[Name, ...], Meta(max_length=32)]
FewPlaces: TypeAlias = Annotated[tuple[Annotated[str, Meta(pattern=SAYS, max_length=200)], ...], Meta(max_length=16)]
Cursor: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,2048}$")]
