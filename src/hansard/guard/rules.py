"""Owns the rule table: reads rules.json once and says what each rule is."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("rules.json")


class Rule(NamedTuple):
    """One row of the table: how a secret looks, and what has to hold beside the pattern."""

    id: str
    kind: str
    pattern: str
    words: tuple[str, ...]
    """Literal text without which the pattern cannot match: heads of a token, keywords, or words of the context."""
    entropy: float
    digits: int
    allow: tuple[str, ...]
    judge: str


class Table(NamedTuple):
    """All rules, and the words by which names and values are judged."""

    tokens: tuple[Rule, ...]
    """Recognisable by themselves, wherever they stand."""
    shapes: tuple[Rule, ...]
    """Recognisable by what stands around them; group 1 is the secret."""
    contexts: tuple[Rule, ...]
    """Values without a mark of their own, secret if their name or the words before them tell whose they are."""
    names: dict[str, str]
    foreign_names: dict[str, str]
    """Names and signs outside of Latin-1 or of several words, each with one as long that is known."""
    key_names: frozenset[str]
    owners: frozenset[str]
    """What stands before "pass" or "pwd" in a name written in one: `dbpass`, and not `compass`."""
    harmless_names: frozenset[str]
    harmless_keys: frozenset[str]
    """Words before "key" that make it one that opens nothing: a public key, a cache key."""
    harmless_tokens: frozenset[str]
    """Words before "token" that make it a place in a list: a cursor token, a page token."""
    request_tokens: frozenset[str]
    """Words before "token" that make a UUID the mark of a request: a client token."""
    harmless_nouns: frozenset[str]
    """Words behind a name in a sentence that make something else of it: a password hash, a token id."""
    pointers: frozenset[str]
    """Words before a colon that say where a secret is kept: `env:DB_PASSWORD`, `vault:shop/db#password`."""
    placeholders: tuple[str, ...]
    placeholder_values: frozenset[str]


@cache
def table() -> Table:
    import json

    raw = json.loads(FILE.read_text(encoding="utf-8"))
    return Table(
        tokens=tuple(_rule(row, "heads") for row in raw["tokens"]),
        shapes=tuple(_rule(row, "keywords") for row in raw["shapes"]),
        contexts=tuple(_rule(row, "context") for row in raw["contexts"]),
        names={word: kind for kind, words in raw["names"].items() for word in words},
        foreign_names=dict(raw["foreign_names"]),
        key_names=frozenset(raw["key_names"]),
        owners=frozenset(raw["owners"]),
        harmless_names=frozenset(raw["harmless_names"]),
        harmless_keys=frozenset(raw["harmless_keys"]),
        harmless_tokens=frozenset(raw["harmless_tokens"]),
        request_tokens=frozenset(raw["request_tokens"]),
        harmless_nouns=frozenset(raw["harmless_nouns"]),
        pointers=frozenset(raw["pointers"]),
        placeholders=tuple(raw["placeholders"]),
        placeholder_values=frozenset(raw["placeholder_values"]),
    )


def _rule(row: dict[str, Any], words: str) -> Rule:
    return Rule(
        id=row["id"],
        kind=row["kind"],
        pattern=row["pattern"],
        words=tuple(row[words]),
        entropy=float(row.get("entropy", 0.0)),
        digits=int(row.get("digits", 0)),
        allow=tuple(row.get("allow", ())),
        judge=row.get("judge", "entropy"),
    )
