"""Spell families of figures as Prometheus reads them (text format 0.0.4). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.surfaces.telemetry.instruments import Family, Labels, Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def expose(families: Iterable[Family]) -> str:
    """The whole page. A family without samples is named all the same, so that a dashboard can find it.

    >>> sample = Sample(labels=(("to", "a"),), value=2.0)
    >>> print(expose([Family(name="calls", kind="counter", meaning="Calls.", samples=(sample,))]))
    # HELP calls Calls.
    # TYPE calls counter
    calls{to="a"} 2
    <BLANKLINE>
    """
    lines: list[str] = []
    for family in families:
        lines.append(f"# HELP {family.name} {_meaning(family.meaning)}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        lines += (_line(family.name, sample) for sample in family.samples)
    return "\n".join(lines) + "\n"


def _line(name: str, sample: Sample) -> str:
    return f"{name}{sample.suffix}{_braces(sample.labels)} {_number(sample.value)}"


def _braces(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_quoted(value)}"' for name, value in labels) + "}" if labels else ""


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _meaning(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
