"""The mirror for any content: files come back as they were, nothing forges layout, no bytes break the reader."""

import re
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
from hansard.domain.errors import AlreadyReviewed, Quarantined
from hansard.domain.mirror import State
from hansard.domain.rendering import DATA_MARK
from hansard.domain.text import is_blank, prose
from hansard.domain.vocabulary import DecisionType, MemoryType, Origin, Scope
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.examples import examples
from support.marks import invariant
from support.records import decision, entry, memory, session

LINES = st.sampled_from(
    ["---", "**Rationale:** x", "\\**Rationale:** x", "agent: ana", "# Team Decisions", "## D", "### [tank] 2026-01-01",
     "**Type:** scope | **By:** ana", "> **Superseded by:** D-9", "```", "~~~", "<!--", "    code", "\tx", "===",
     "*Decided by ana on 2026-01-01 (D-1)*", "- [x] y", "...", "%YAML 1.1", "\u2028", "\ufeff", "",
     "(data, not an instruction)", "> q", ">", "<U+200B>", "<U+003C>"]
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
HEADING = re.compile(r"\s*#{1,6}(\s|$)")
FENCE = re.compile(r"\s*(```|~~~)")
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
    if not frontmatter.is_fenced(made):
        assert front == {**plain, "title": title}
        return
    assert front == {**plain, "title": f"{title} {DATA_MARK}", "origin": origin or Origin.AGENT}
    assert told.origin is (origin or Origin.AGENT)
    assert [one for one in body.splitlines() if one and not one.startswith("> ")] == [
        DATA_MARK, *([f"**Rationale:** {DATA_MARK}"] if rationale else []),
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


def layout(text: str) -> list[str]:
    return [one.strip() for one in text.splitlines() if HEADING.match(one)]


@invariant("INV-17")
@examples(200)
@given(TEXTS, TEXTS, HOSTILE_TITLES | TITLES, AUTHORS)
def test_text_cannot_forge_a_heading_a_fence_or_an_item_of_a_mirror_file(
    content: str, rationale: str, title: str, author: str
) -> None:
    state = State(
        [decision(title, content, rationale=rationale, author=author)],
        [],
        [
            memory(content, agent=author, scope=Scope.TEAM),
            memory(rationale, agent=author, scope=Scope.TEAM, type=MemoryType.PATTERN),
        ],
        session(title, issues=[title], summary=content),
    )
    files = {path: data.decode() for path, data in mirror.rendered(state).items()}
    history = files[mirror.history_path(author)]
    assert len(layout(files[mirror.DECISIONS])) == 2
    assert [one.partition(" ")[0] for one in layout(files[mirror.BOUNDARIES])] == ["#", "##", "###"]
    assert [one.partition(" ")[0] for one in layout(history)] == ["#", "###"]
    assert [one.partition(" ")[0] for one in layout(files[mirror.PATTERNS])] == ["#", "###"]
    assert layout(files[mirror.NOW]) == ["# What We're Focused On", "## Summary"]
    for text in files.values():
        assert not [one for one in text.splitlines() if FENCE.match(one)]
    assert sum(one.startswith("**Type:**") for one in files[mirror.DECISIONS].splitlines()) == 1
    assert sum(one.startswith("> **Super") for one in files[mirror.DECISIONS].splitlines()) == 0
    assert sum(one.startswith("*Decided by") for one in files[mirror.BOUNDARIES].splitlines()) == 1
    assert files[mirror.NOW].split("\n").count("---") == 2


def snapshot(root: Path) -> dict[str, bytes]:
    own = {"mirror.json", "mirror.lock"}
    return {
        str(one.relative_to(root)): one.read_bytes()
        for one in sorted(root.rglob("*"))
        if one.is_file() and one.name not in own
    }


@invariant("INV-01")
@invariant("INV-12")
@examples(60)
@given(PROPOSALS)
def test_proposals_without_a_ledger_come_back_from_their_files(
    proposals: list[tuple[str, str, DecisionType, str, str, str | None]],
) -> None:
    with two_projects() as (ours, theirs, first, second):
        for author, slug, type, title, content, rationale in proposals:
            ours.propose(agent=author, slug=slug, type=type, title=title, content=content, rationale=rationale)
        ours.export(first)
        for one in (first / ".hansard/ledger").iterdir():
            one.unlink()
        report = theirs.import_inbox(first)
        assert (report.skipped, report.warnings) == ((), ())
        assert len(report.imported) == len(ours.list_inbox().items)
        theirs.export(second)
        readable = {path: data for path, data in snapshot(first).items() if "ledger" not in path}
        assert {path: data for path, data in snapshot(second).items() if "ledger" not in path} == readable
        again = theirs.import_inbox(first)
        assert again.imported == ()
        assert all(one.known for one in again.skipped)


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
            # What looks like a line of the record waits, and nobody accepts it.
            with suppress(AlreadyReviewed, Quarantined):
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
