"""Absolute URIs (RFC 3986), as far as a document needs to be told that one is none."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address

# Every repetition is possessive: what it took it keeps, so that no text, however it is made, is gone over twice.
_CHARS = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*+"
_FORM = re.compile(rf"[A-Za-z][A-Za-z0-9+\-.]*+:(?://(?P<authority>[^\s/?#]*+))?+{_CHARS}(?:#{_CHARS})?+", re.ASCII)
_AUTHORITY = re.compile(
    r"(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*+@)?"
    r"(?:\[(?P<address>[0-9A-Fa-f:.]++)\]|\[v[0-9A-Fa-f]++\.[A-Za-z0-9\-._~!$&'()*+,;=:]++\]"
    r"|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*+)"
    r"(?::[0-9]*+)?",
    re.ASCII,
)


def is_uri(text: str) -> bool:
    """Whether a text is an absolute URI: it has a scheme, and nothing in it that a URI cannot hold.

    >>> is_uri("https://example.org/a?b#c"), is_uri("javascript:"), is_uri("/a/b"), is_uri("x:%zz")
    (True, True, False, False)
    >>> is_uri("http://[2001:db8::1]:80/"), is_uri("http://[1:2]/")
    (True, False)
    """
    found = _FORM.fullmatch(text)
    if found is None:
        return False
    authority = found.group("authority")
    if authority is None:
        return True
    named = _AUTHORITY.fullmatch(authority)
    return named is not None and (named.group("address") is None or _is_address(named.group("address")))


def _is_address(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True
