"""Owns how the versions of a record are told: the first in full, then what each later one changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from hansard.domain.actors import key_of
from hansard.domain.errors import NotFound
from hansard.interfaces.cli.calling import details, moment, say
from hansard.interfaces.cli.marking import worded

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.ledger import Body, Revision
    from hansard.domain.memories import Memory

    Versioned = TypeVar("Versioned", Entry, Decision, Memory)

NAMES = frozenset({"agent", "author", "decided_by", "amended_by", "reviewer"})
"""Fields of which an earlier version keeps only what the name is compared by."""

WORDS = frozenset({
    "title", "content", "rationale", "name", "subject", "reason", "category", "citations", "source_ref", "tags",
})  # fmt: skip
"""Fields whose words come from where the record comes from. A note is its reviewer's own."""
SHORT = 60
QUIET = frozenset({
    "id", "number", "slug", "requested_slug", "version", "created_at", "updated_at", "salt", "access_count",
    "accessed_at", "alpha", "beta", "duplicate", "amended_by",
})  # fmt: skip
"""Fields that no version changes, that every version does, or that its first line tells."""


def pick(current: Versioned, earlier: Sequence[Revision], version: int | None, *, ref: str) -> Versioned:
    """The record as it stood in this version. Raises NotFound for one it never had, or that was forgotten."""
    for one in _all(current, earlier):
        if version in (None, one.version):
            return current if version is None else one
    first = min((one.version for one in earlier), default=current.version)
    known = f"version {first}" if first == current.version else f"versions {first} to {current.version}"
    raise NotFound(f"{ref} has no version {version}; it has {known}.")


def tell(
    current: Versioned,
    earlier: Sequence[Revision],
    *,
    made_by: str,
    deeds: Mapping[int, str],
    refs: Mapping[str, str],
) -> None:
    """Prints every version, oldest first. `deeds` says what made a version, `refs` how an id is spoken of."""
    makers = {one.version + 1: one.changed_by for one in earlier} | {1: made_by}
    before: dict[str, Any] = {}
    for one in _all(current, earlier):
        deed = deeds.get(one.version, "changed" if before else "made")
        maker = makers.get(one.version)
        by = f" by {maker}" if maker else ""
        say(f"{chr(10) if before else ''}Version {one.version}: {deed}{by}, {moment(one.updated_at)}")
        after = _shown(one, refs)
        details([(f"  {name}", _change(value, before.get(name), anew=not before)) for name, value in after.items()
                 if value != before.get(name)])  # fmt: skip
        before = after


def _all(current: Versioned, earlier: Sequence[Revision]) -> Iterator[Versioned]:
    for one in earlier:
        yield _with_body(current, one.body)
    yield current


def _with_body(current: Versioned, body: Body) -> Versioned:
    fields: dict[str, Any] = {name: value for name, value in body.items() if name in current._fields}
    for name in NAMES & fields.keys():
        now = getattr(current, name)
        if now is not None and key_of(now) == fields[name]:
            fields[name] = now
    # A version from before there were these fields says nothing of them, and what holds now did not hold then.
    fields |= {name: None for name in ("amended_by", "cleared") if name in current._fields and name not in fields}
    if "signs" in fields:
        # A fingerprint leaves out what is not set.
        fields["signs"] = tuple(fields["signs"] or ())
    return current._replace(**fields)


def _shown(record: Entry | Decision | Memory, refs: Mapping[str, str]) -> dict[str, str]:
    told = {}
    for name, value in record._asdict().items():
        if name in QUIET:
            continue
        if name.endswith("_at"):
            text = moment(value)
        elif isinstance(value, tuple | list):
            text = ", ".join(value)
        else:
            text = "" if value is None else refs.get(str(value), str(value))
        if text and name in WORDS:
            text = worded(text, record) or ""
        told[name.removesuffix("_at").removesuffix("_id").replace("_", " ")] = text
    return told


def _change(value: str, before: str | None, *, anew: bool) -> str:
    if anew or not before:
        return value
    if not value:
        return "(removed)"
    short = max(len(value), len(before)) <= SHORT and "\n" not in value + before
    return f"{value} (was {before})" if short else value
