"""Every code a finding may have: what it means and what to do. Those of the reference validator, and our own.

Ours are only given in the spec verdict. The first letter of one of ours is its severity at core: error, warning, info.
"""

from __future__ import annotations

from muniment.model.value import Value


class Code(Value):
    """`ours` tells that the reference validator 0.1.0 does not give it."""

    means: str
    hint: str
    ours: bool = False


def _ours(means: str, hint: str) -> Code:
    return Code(means=means, hint=hint, ours=True)


CODES: dict[str, Code] = {
    "E000": Code(means="not JSON", hint="Correct the text there; it must be one JSON document in UTF-8."),
    "E100": Code(means="an entry is no object", hint="Make it a resource, or leave it out."),
    "E101": Code(
        means="an entry has no known resourceType", hint="R1 knows MemoryRecord, Entity, Relationship, Episode."
    ),
    "E110": Code(means="the envelope is not as its schema wants it", hint="Correct the field of the bundle."),
    "E111": Code(means="the bundle does not say that it is one", hint='Set resourceType to "Bundle".'),
    "E120": Code(means="an entry is not as its schema wants it", hint="Correct the field, or move it to an extension."),
    "E200": Code(
        means="a reference names nothing in the bundle", hint="Add what it names, or leave the reference out."
    ),
    "E201": Code(means="a reference names a resource of another type", hint="Refer to a resource of the type named."),
    "W202": Code(means="two resources of a type have the same id", hint="Give each resource an id of its own."),
    "E203": _ours("a record is its own ancestor", "Leave parentId out of one of the records of the circle."),
    "W204": _ours("a record has very many ancestors", "Refer to a nearer ancestor."),
    "W205": _ours("a record competes with itself", "Leave the reference to itself out."),
    "I206": _ours("nothing refers to an entity", "Refer to it, or leave it out."),
    "I207": _ours("nothing was derived from an episode", "Name it as sourceEpisode, or leave it out."),
    "E250": _ours("normalised strengths of one node sum to more than 1", "Divide them by their sum."),
    "E251": _ours("a normalised strength without its normalization", "Say scheme and over in normalization."),
    "E300": Code(
        means="the bundle is not of release R1", hint='Set omirVersion to "R1", or read it with a newer reader.'
    ),
    "E301": Code(means="a meta block does not say R1", hint='Set meta.omirVersion to "R1".'),
    "E302": Code(means="no meta block, at level strict", hint='Add a meta block with omirVersion "R1".'),
    "I302": Code(means="no meta block", hint='A meta block with omirVersion "R1" lets the entry say what it is.'),
    "E400": _ours("a profile the resource claims is not kept", "Add what the profile demands, or do not claim it."),
    "E401": _ours("a claimed profile is not known here", "Give its definition with --profile, or do not claim it."),
    "W402": _ours("a required profile is not claimed", "Add its url to meta.profile."),
    "W403": _ours("a recommendation of a claimed profile is not kept", "Do as the profile recommends, if you can."),
    "E500": _ours("a key is said twice in one object", "Leave one of the two out; readers take either."),
    "W501": _ours("the @context is another text than the canonical address", "Name the canonical context."),
    "I510": _ours("a draft field of R1.x", "Readers of R1 refuse it; move it to an extension for them."),
    "W520": _ours("an extension carries no value, or several", "Let each extension carry exactly one value."),
    "I521": _ours("two extensions of one resource have the same url", "Put both values into one extension."),
    "W522": _ours("an extension under omir.io that is not published", "Use an address you control."),
    "W530": _ours("two times are in the wrong order", "Correct one of them."),
    "W531": _ours(
        "an event lies far ahead, and is no intention", "Correct eventTime, or say experienceType intention."
    ),
    "W540": _ours("a calibrated value its evidence does not bear out", "Compute it from alpha and beta."),
    "I541": _ours("another maturity than R1 gives the type", "Maturity grades the type of resource, not this one."),
    "I550": _ours("a relationType that is not lower_snake_case", "Write it in lower case with underscores."),
    "W551": _ours("an empty text where something should be said", "Say something, or leave the resource out."),
    "W560": _ours("a familiarity sketch of the wrong size", "Its data must be base64 of as many bits as it declares."),
}
