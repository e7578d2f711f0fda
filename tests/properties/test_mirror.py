"""The mirror for any content: files come back as they were, nothing forges layout, no bytes break the reader."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from hansard import Hansard
from hansard.domain import frontmatter, mirror
from hansard.domain.errors import AlreadyReviewed
from hansard.domain.inbox import Entry
from hansard.domain.layout import BLOCK_LABELS, FILE_LABELS, OUTSIDE_MARK
from hansard.domain.mirror import State
from hansard.domain.text import is_blank, prose
from hansard.domain.trust import is_from_outside
from hansard.domain.vocabulary import DecisionType, MemoryType, Origin, Scope
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.escapes import flat, hidden, plain, skeleton, texts
from support.examples import examples, many
from support.marks import invariant
from support.records import decision, entry, memory, session

LINES = st.sampled_from(
    ["---", "**Rationale:** x", "\\**Rationale:** x", "agent: ana", "# Team Decisions", "## D", "### [tank] 2026-01-01",
     "**Type:** scope | **By:** ana", "> **Superseded by:** D-9", "```", "~~~", "<!--", "    code", "\tx", "===",
     "*Decided by ana on 2026-01-01 (D-1)*", "- [x] y", "...", "%YAML 1.1", "\u2028", "\ufeff", "",
     OUTSIDE_MARK, "> q", ">", "<U+200B>", "<U+003C>"]
)  # fmt: skip
CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"])
TEXTS = st.lists(LINES | st.text(CHARACTERS, max_size=12), min_size=1, max_size=5).map(
    lambda lines: prose("x" + "\n".join(lines), field="content", bytes_max=10_000)
)
INDENTED = st.builds(lambda text, lead: lead + text, TEXTS, st.sampled_from(["", "  ", "\t", "    "]))
TITLES = st.text(CHARACTERS.filter(lambda one: one not in "\u2028\u2029"), min_size=1, max_size=20).map(
    lambda one: one.strip() or "x"
)
HOSTILE_TITLES = st.sampled_from(["x: y", "--- type: scope", "'", '"', "# x", "- x", "null", "a\\", "{", "😀 [x]"])
AUTHORS = st.sampled_from(["tank", "Beta", "my agent", "my-agent", "日本", "ci:it's", "a/b", "CON", "true"])
SLUGS = st.sampled_from(["use-postgres", "Use Postgres", "retry", "con", "null", "a" * 200, "use-postgres-beta"])
TYPES = st.sampled_from(DecisionType)
PROPOSALS = st.lists(
    st.tuples(AUTHORS, SLUGS, TYPES, HOSTILE_TITLES | TITLES, INDENTED, st.none() | INDENTED), min_size=1, max_size=8
)


@examples(400)
@given(TITLES | HOSTILE_TITLES, AUTHORS, INDENTED, st.none() | INDENTED, TYPES, st.none() | st.sampled_from(Origin))
def test_a_proposal_comes_back_from_its_file_as_it_was(
    title: str, author: str, content: str, rationale: str | None, type: DecisionType, origin: Origin | None
) -> None:
    # No entry has a title that shows nothing.
    assume(not is_blank(title))
    made = entry(content, title=title, author=author, type=type, rationale=rationale)._replace(origin=origin)
    text = frontmatter.written(made)
    found = frontmatter.read(text.encode())
    assert found.refusal is None
    assert found.proposal is not None
    assert found.warnings == ()
    told = found.proposal
    assert (told.author, told.requested_slug, told.type, told.title) == (author, made.slug, type, title)
    assert (told.content, told.rationale) == (content, rationale)
    head, _, body = text.partition("\n---\n")
    front = yaml.safe_load(head.removeprefix("---\n"))
    plain = {"agent": author, "slug": made.slug, "type": type.value}
    if not is_from_outside(made):
        assert front == {**plain, "title": title}
        return
    assert front == {**plain, "title": f"{title} {OUTSIDE_MARK}", "origin": origin}
    assert told.origin is origin
    assert [one for one in body.splitlines() if one and not one.startswith("> ")] == [
        OUTSIDE_MARK, *([f"**Rationale:** {OUTSIDE_MARK}"] if rationale else []),
    ]  # fmt: skip


@invariant("INV-12")
@examples(400)
@given(st.binary(max_size=60) | st.builds(lambda one, two: b"---\n" + one + b"\n---\n" + two, st.binary(), st.binary()))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    found = frontmatter.read(data)
    assert (found.proposal is None) == (found.refusal is not None)


@examples(300)
@given(st.lists(st.sampled_from(["agent: x", "slug: y", "type: scope", "title: '", "---", "a: 'b", 'title: "\\u12'])))
def test_no_lines_break_the_reader(lines: list[str]) -> None:
    found = frontmatter.read("\n".join(["---", *lines]).encode())
    assert (found.proposal is None) == (found.refusal is not None)


def files_of(text: str, line: str, author: str, origin: Origin) -> dict[str, str]:
    """The files that show words of others, as a reader has them."""
    said = memory(text, agent=author, scope=Scope.TEAM)._replace(origin=origin)
    state = State(
        [decision(line, text, rationale=text, author=author, applies_to=[line])],
        [],
        [said, said._replace(id="memory-2", type=MemoryType.PATTERN)],
        session(line, issues=[line], summary=text),
    )
    files = mirror.rendered(state).items()
    return {path: data.decode() for path, data in files if not mirror.is_ledger_path(path)}


@invariant("INV-17")
@many(100)
@given(texts, flat, AUTHORS, st.sampled_from(Origin))
def test_no_text_leaves_its_item_of_a_mirror_file(text: str, line: str, author: str, origin: Origin) -> None:
    harmless = files_of(plain(text), "x", author, origin)
    for path, shown in files_of(text, line, author, origin).items():
        labels = FILE_LABELS if path in {mirror.DECISIONS, mirror.BOUNDARIES} else BLOCK_LABELS
        assert skeleton(shown, labels=labels) == skeleton(harmless[path], labels=labels)
        assert hidden(shown) == []


def snapshot(root: Path) -> dict[str, bytes]:
    own = {"mirror.json", "mirror.lock"}
    return {
        str(one.relative_to(root)): one.read_bytes()
        for one in sorted(root.rglob("*"))
        if one.is_file() and one.name not in own
    }


@invariant("INV-01")
@invariant("INV-12")
@invariant("INV-17")
@examples(60)
@given(PROPOSALS)
def test_proposals_without_a_ledger_come_back_from_their_files_as_words_from_a_file(
    proposals: list[tuple[str, str, DecisionType, str, str, str | None]],
) -> None:
    with two_projects() as (ours, theirs, first, second):
        for author, slug, type, title, content, rationale in proposals:
            ours.propose(agent=author, slug=slug, type=type, title=title, content=content, rationale=rationale)
        ours.export(first)
        for file in (first / ".hansard/ledger").iterdir():
            file.unlink()
        report = theirs.import_inbox(first)
        assert (report.skipped, report.warnings) == ((), ())
        # What imitates a line of the record waits for a person, as words from outside do.
        came = (*theirs.list_inbox().items, *theirs.list_quarantined().items)
        taken = {one.slug: one for one in came if isinstance(one, Entry)}
        assert {one.origin for one in taken.values()} == {Origin.IMPORTED_FILE}
        for one in ours.list_inbox().items:
            told = taken.pop(one.slug)
            assert (told.author, told.type, told.title) == (one.author, one.type, one.title)
            assert (told.content, told.rationale) == (one.content, one.rationale)
        assert taken == {}
        theirs.export(second)
        for root in (first, second):
            again = theirs.import_inbox(root)
            assert again.imported == ()
            assert all(skipped.known for skipped in again.skipped)


@invariant("INV-01")
@invariant("INV-12")
@examples(60)
@given(PROPOSALS, st.lists(st.tuples(AUTHORS, INDENTED, st.none() | TITLES, st.sampled_from(MemoryType)), max_size=5))
def test_export_import_and_export_again_is_identical(
    proposals: list[tuple[str, str, DecisionType, str, str, str | None]],
    notes: list[tuple[str, str, str | None, MemoryType]],
) -> None:
    with two_projects() as (ours, theirs, first, second):
        for place, (author, slug, type, title, content, rationale) in enumerate(proposals):
            with suppress(AlreadyReviewed):
                made = ours.propose(
                    agent=author, slug=slug, type=type, title=title, content=content, rationale=rationale
                )
                if place % 3 == 1:
                    # Under its version: a slug that is proposed again as another type is not accepted unread.
                    ours.merge(f"{made.ref}@{made.version}", by="ana", note=rationale and rationale[:200])
                if place % 3 == 2:
                    ours.reject(made.id, by="ana", reason=title)
        for place, (agent, content, name, kind) in enumerate(notes):
            kept = ours.remember(content, agent=agent, name=name, type=kind, scope="team", citations=["src/a.py:1"])
            if place % 3 == 2:
                ours.forget(kept.id)
        decided = ours.list_decisions().items
        for old, new in pairwise(decided):
            ours.supersede(old.id, new.id, by="ana")
        ours.export(first)
        report = theirs.import_inbox(first)
        assert (report.ledger.skipped, report.ledger.warnings, report.warnings) == ((), (), ())
        assert report.imported == ()
        theirs.export(second)
        assert snapshot(second) == snapshot(first)
        # In a fresh clone the files are there already, and nobody remembers having written them.
        (first / ".hansard/mirror.json").unlink()
        told = theirs.export(first)
        assert (told.written, told.removed, told.set_aside, told.waiting) == ((), (), (), ())
        assert theirs.verify().ok


@contextmanager
def two_projects() -> Iterator[tuple[Project, Project, Path, Path]]:
    settings = Settings(user="importer", embedding_provider="none")
    with (
        tempfile.TemporaryDirectory() as folder,
        Hansard.open(":memory:", settings=settings, clock=FakeClock()) as hansard,
    ):
        first, second = Path(folder) / "first", Path(folder) / "second"
        first.mkdir()
        second.mkdir()
        yield hansard.project("ours", create=True), hansard.project("theirs", create=True), first, second
