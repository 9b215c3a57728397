"""Which sorts of source there are: a closed vocabulary, and how far a text of each may be heard at most."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches

from muniment.model.errors import Malformed
from muniment.model.vocabulary import ActorType, Label

SOURCE_TYPES: dict[Label, tuple[str, ...]] = {
    Label.PERSON: ("person", "human", "user", "owner", "user_confirmed_preference"),
    Label.TOOL: (
        "tool",
        "tool_output",
        "tool_result",
        "tool_response",
        "tool_call",
        "function_result",
        "function_output",
        "command",
        "command_output",
        "shell",
        "terminal",
        "log",
        "measurement",
        "sensor",
        "code",
    ),
    Label.SYSTEM: ("system", "service", "trusted_service"),
    Label.AGENT: (
        "agent",
        "assistant",
        "model",
        "llm",
        "own",
        "observation",
        "statement",
        "summary",
        "approved_summarizer",
        "action_observation_trajectory",
        "decision_record",
    ),
    Label.IMPORT: ("import", "imported", "migration", "export", "backup"),
    Label.EXTERNAL: (
        "external",
        "outside",
        "third_party",
        "web",
        "web_page",
        "website",
        "site",
        "page",
        "url",
        "uri",
        "link",
        "http",
        "https",
        "html",
        "raw_external_html",
        "internet",
        "browser",
        "crawl",
        "crawler",
        "scrape",
        "search",
        "search_result",
        "web_search",
        "rss",
        "feed",
        "news",
        "article",
        "blog",
        "forum",
        "wiki",
        "social_media",
        "email",
        "mail",
        "message",
        "chat",
        "conversation",
        "sms",
        "ticket",
        "issue",
        "comment",
        "review",
        "transcript",
        "webhook",
        "event",
        "notification",
        "api",
        "mcp",
        "plugin",
        "document",
        "document_excerpt",
        "document_review",
        "file",
        "upload",
        "attachment",
        "pdf",
        "doc",
        "docx",
        "text",
        "txt",
        "markdown",
        "csv",
        "json",
        "xml",
        "spreadsheet",
        "image",
        "ocr",
        "audio",
        "video",
        "book",
        "paper",
        "rag",
        "retrieval",
        "knowledge_base",
        "database",
        "dataset",
    ),
    Label.UNKNOWN: ("unknown", "untrusted", "unverified", "anonymous", "none", "other"),
}
"""Every word there is, by the label that a text from there has at most. The first word of each is its name, the others
are its synonyms. What an agent had from a tool nobody verified: it counts as outside text."""


def _letters(word: str) -> str:
    """A word without case, width, white space, punctuation and what cannot be seen.

    >>> _letters(" Web-Page\\u200b") == _letters("webpage")
    True
    """
    return "".join(sign for sign in unicodedata.normalize("NFKC", word).casefold() if sign.isalnum())


_LABELS = {_letters(word): label for label, words in SOURCE_TYPES.items() for word in words}
_WORDS = {_letters(word): word for words in SOURCE_TYPES.values() for word in words}


def read_source_type(field: str, said: str) -> str:
    """The word of the vocabulary that is meant, however it is spelled. Another is refused, with the nearest named."""
    found = _WORDS.get(_letters(said))
    if found is None:
        near = get_close_matches(_letters(said)[:64], list(_WORDS), n=1, cutoff=0.5)
        hint = f"The nearest is {_WORDS[near[0]]}." if near else "Where nobody can say it, say unknown."
        names = ", ".join(words[0] for words in SOURCE_TYPES.values())
        raise Malformed(field, f"a sort of source: {names}, or a synonym such as web, email, file", hint=hint)
    return found


def source_label(said: str | None, proposer: ActorType) -> Label:
    """How far a text may be heard at most by where it is said to come from. Nothing said bounds nothing; a word that is
    not in the vocabulary, kept because another system said it, bounds as an unknown source does.

    >>> source_label("telepathy", ActorType.PERSON), source_label(None, ActorType.AGENT)
    (<Label.UNKNOWN: 'unknown'>, <Label.PERSON: 'person'>)
    """
    if said is None:
        return Label.PERSON
    label = _LABELS.get(_letters(said), Label.UNKNOWN)
    return Label.EXTERNAL if label is Label.TOOL and proposer is ActorType.AGENT else label
