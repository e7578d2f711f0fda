"""No secret gets past the gate in a line of another clone, and none stays in a file without being named."""

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from hansard import Hansard
from hansard.domain.errors import Invalid
from hansard.domain.mirror import INBOX_FOLDER, LEDGER, LedgerReport, is_kept_name
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from hansard.services.guide import read_guidance
from hansard.settings import Settings
from support.clock import START, FakeClock
from support.fakes import fake_key, fake_secret
from support.marks import invariant

TOKEN = fake_secret(61)
KEY = fake_key(62)
MARK = "[REDACTED:github_token]"
DECISIONS = ".squad/decisions.md"
KINDS = tuple(LEDGER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "clone"
    made.mkdir()
    return made


@pytest.fixture
def here(hansard: Hansard, folder: Path) -> Project:
    """A project with a folder on this machine, whose files follow when they are told to."""
    return hansard.project("shop", create=True, root=folder)


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The ledger files of a teammate who has one record of every kind and state."""
    place = tmp_path / "theirs"
    place.mkdir()
    settings = Settings(user="bob", embedding_provider="none")
    with Hansard.open(":memory:", settings=settings, clock=FakeClock(START + 1_000_000)) as mate:
        project = mate.project("shop", create=True)
        entry = project.propose(
            agent="tank", slug="pending", type="scope", content="c", title="t", rationale="r", importance="high",
            tags=["air"],
        )  # fmt: skip
        refused = project.propose(agent="tank", slug="refused", type="scope", content="d")
        project.reject(refused.id, by="bob", reason="no")
        learned = project.propose(agent="tank", slug="learned", type="learning", content="e")
        project.merge(learned.id, by="bob", note="yes")
        old = project.decide(type="scope", title="Old", content="o", rationale="r", applies_to=["src/**"], by="bob")
        new = project.decide(type="scope", title="New", content="n", tags=["air"], by="bob")
        project.supersede(old.id, new.id, by="bob")
        project.remember(
            "Rows are kept for 9 days.", agent="tank", scope="team", name="rows", category="data", citations=["a.py"],
            subject="rows", reason="asked", source_ref="x", tags=["air"],
        )  # fmt: skip
        gone = project.remember("Gone.", agent="tank", scope="team")
        project.forget(gone.id, by="bob")
        assert entry.slug == "pending"
        project.export(place)
    return place


def lines_of(place: Path, kind: Subject) -> list[dict[str, Any]]:
    return [json.loads(one) for one in (place / LEDGER[kind]).read_text().splitlines()]


def spread(theirs: Path, folder: Path, kind: Subject, lines: list[dict[str, Any]]) -> None:
    """What a pull would bring: the teammate's files, one of them with other lines."""
    for one in KINDS:
        (folder / LEDGER[one]).parent.mkdir(parents=True, exist_ok=True)
        (folder / LEDGER[one]).write_bytes((theirs / LEDGER[one]).read_bytes())
    (folder / LEDGER[kind]).write_text("".join(f"{json.dumps(one)}\n" for one in lines))


def everything(project: Project) -> str:
    store = project.seat().store
    with store.read(project.id) as tx:
        tables = store.tables(tx)
        return repr([
            [bytes(one) if isinstance(one, memoryview) else one for one in row]
            for name in tables.names()
            for row in tables.rows(name, tables.columns(name))
        ])  # fmt: skip


def in_files(folder: Path, *, but: frozenset[str] = frozenset()) -> list[str]:
    """The files below the folder with one of the secrets in it."""
    found = []
    for one in sorted(folder.rglob("*")):
        path = one.relative_to(folder).as_posix()
        if one.is_file() and path not in but:
            said = one.read_bytes().lower()
            found += [path] if TOKEN.lower().encode() in said or KEY.lower().encode() in said else []
    return found


def with_secret(name: str, value: Any) -> Any:
    """The value with a secret in it, as its field would have to spell it."""
    if name in ("slug", "requested_slug"):
        return KEY.lower()
    return [KEY.lower()] if isinstance(value, list) else f"x {TOKEN}"


@invariant("INV-20")
@pytest.mark.parametrize("kind", KINDS)
def test_no_field_of_a_line_of_another_clone_brings_a_secret(
    hansard: Hansard, here: Project, theirs: Path, folder: Path, kind: Subject
) -> None:
    lines = lines_of(theirs, kind)
    fields = sorted({name for line in lines for name, value in line.items() if isinstance(value, str | list)})
    assert {"id", "state"} < set(fields)
    for name in fields:
        spread(
            theirs, folder, kind, [{**one, name: with_secret(name, one[name])} if name in one else one for one in lines]
        )
        report = here.import_inbox(folder).ledger
        said = everything(here)
        assert TOKEN.lower() not in said.lower(), name
        assert KEY.lower() not in said.lower(), name
        assert TOKEN not in repr(report), name
        assert KEY.lower() not in repr(report), name


@invariant("INV-20")
def test_the_name_of_a_decider_that_is_a_secret_is_refused_and_reaches_no_file(
    here: Project, theirs: Path, folder: Path
) -> None:
    lines = lines_of(theirs, Subject.DECISION)
    lines[0]["decided_by"] = TOKEN
    spread(theirs, folder, Subject.DECISION, lines)
    report = here.import_inbox(folder).ledger
    assert any("The name holds a secret (github_token)" in one.reason for one in report.skipped)
    here.export(folder)
    assert in_files(folder) == []


def reported(here: Project, theirs: Path, folder: Path, line: dict[str, Any]) -> LedgerReport:
    lines = lines_of(theirs, Subject.MEMORY)
    spread(theirs, folder, Subject.MEMORY, [lines[0] | line, *lines[1:]])
    return here.import_inbox(folder).ledger


@pytest.mark.parametrize("line", [{TOKEN: "x"}, {"origin": TOKEN}, {"created_at": TOKEN}])
def test_what_an_import_says_of_a_line_repeats_no_secret_of_it(
    here: Project, theirs: Path, folder: Path, line: dict[str, Any]
) -> None:
    report = reported(here, theirs, folder, line)
    assert len(report.warnings) == 1
    assert TOKEN not in repr(report)
    assert MARK in report.warnings[0].problem


def kept(folder: Path) -> list[Path]:
    return sorted(one for one in folder.rglob("*") if is_kept_name(one.name))


@invariant("INV-20")
def test_lines_that_cannot_be_read_are_set_aside_without_their_secrets(
    here: Project, theirs: Path, folder: Path
) -> None:
    spread(theirs, folder, Subject.MEMORY, lines_of(theirs, Subject.MEMORY))
    path = folder / LEDGER[Subject.MEMORY]
    path.write_text(f"{path.read_text()}<<<<<<< {TOKEN}\nnot JSON {TOKEN} at all\n")
    path.chmod(0o600)
    here.import_inbox(folder)
    report = here.export(folder)
    (copy,) = kept(folder)
    assert f"not JSON {MARK} at all" in copy.read_text()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert [one.redacted for one in report.set_aside] == [True]
    assert in_files(folder) == []


@invariant("INV-20")
@invariant("INV-01")
def test_an_edit_by_hand_is_set_aside_with_every_word_but_its_secret(here: Project, folder: Path) -> None:
    here.export(folder)
    (folder / DECISIONS).write_bytes(b"mine \xff\n" + TOKEN.encode() + b" and more\n")
    report = here.export(folder)
    (copy,) = kept(folder)
    assert copy.read_bytes() == b"mine \xff\n" + MARK.encode() + b" and more\n"
    assert report.set_aside[0].redacted
    assert [one.name for one in copy.parent.iterdir() if one.name.startswith(".hansard-")] == []


def test_what_was_allowed_is_kept_in_a_copy_as_it_is(here: Project, folder: Path) -> None:
    here.allow_secret(TOKEN, reason="printed in a manual", by="ana")
    here.export(folder)
    (folder / DECISIONS).write_text(f"mine {TOKEN}\n")
    report = here.export(folder)
    (copy,) = kept(folder)
    assert copy.read_text() == f"mine {TOKEN}\n"
    assert not report.set_aside[0].redacted


def proposed(folder: Path, content: str) -> Path:
    file = folder / INBOX_FOLDER / "honest.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nagent: tank\nslug: honest\ntype: scope\n---\n\nOne line.\n\n{content}\n")
    return file


@invariant("INV-20")
def test_a_proposal_in_a_file_with_a_secret_leaves_no_copy_of_it_and_its_author_is_told(
    here: Project, folder: Path
) -> None:
    file = proposed(folder, f"Deploy with {TOKEN}.")
    report = here.import_inbox(folder)
    (warned,) = report.warnings
    assert (warned.path, warned.line) == (f"{INBOX_FOLDER}/honest.md", 9)
    assert "github_token" in warned.problem
    assert "revoke" in warned.fix
    assert TOKEN not in repr(report)
    assert here.export(folder).set_aside == ()
    assert f"Deploy with {MARK}." in file.read_text()
    assert in_files(folder) == []


def test_a_file_that_differs_from_the_record_by_its_secret_only_needs_nobody(here: Project, folder: Path) -> None:
    proposed(folder, f"Deploy with {TOKEN}.")
    here.import_inbox(folder)
    (known,) = here.import_inbox(folder).skipped
    assert known.settled


@invariant("INV-20")
def test_a_redaction_writes_the_files_anew_whatever_is_set(here: Project, folder: Path) -> None:
    allowed = here.allow_secret(TOKEN, reason="to have it stored", by="ana")
    decision = here.decide(type="scope", title="Keyed", content=f"use {TOKEN}", by="ana")
    here.export(folder)
    assert in_files(folder) != []
    here.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    found = here.scan(by="ana")
    files = {one.id.removeprefix(f"{folder}/") for one in found.findings if one.place == "file"}
    assert files == set(in_files(folder))
    report = here.scan(redact=True, by="ana")
    assert in_files(folder) == []
    assert not any(one.stays for one in report.findings)
    assert {one.ref for one in report.findings if one.place == "decision"} == {decision.ref}
    assert here.scan(by="ana").findings == ()


def test_a_scan_names_files_that_it_does_not_mend(here: Project, folder: Path) -> None:
    here.export(folder)
    note = folder / ".hansard/notes/shared/deploy.md"
    note.parent.mkdir(parents=True)
    note.write_text(f"# Deploy\n\nWith {TOKEN}.\n")
    copy = folder / f"{DECISIONS.removesuffix('.md')}.kept-20260101T000000Z.md"
    copy.write_text(f"old {TOKEN}\n")
    before = note.read_bytes(), copy.read_bytes()
    for redact in (False, True):
        report = here.scan(redact=redact, by="ana")
        told = {(one.id, one.field, one.stays) for one in report.findings}
        assert told == {(str(note), "line 3", True), (str(copy), "line 1", True)}
        assert all(one.fix and one.kind == "github_token" for one in report.findings)
        assert TOKEN not in repr(report)
    assert (note.read_bytes(), copy.read_bytes()) == before


@pytest.mark.parametrize(("policy", "way"), [("redact", "`hansard import`"), ("block", "delete the file")])
def test_a_scan_says_of_a_dropped_proposal_what_the_policy_lets_somebody_do(
    target: str, folder: Path, policy: Literal["redact", "block"], way: str
) -> None:
    with Hansard.open(target, settings=Settings(user="ana", guard_secrets=policy)) as strict:
        project = strict.project("shop", create=True, root=folder)
        dropped = folder / INBOX_FOLDER / "rotate.md"
        dropped.parent.mkdir(parents=True)
        dropped.write_text(f"Rotate {TOKEN} today.\n")

        (finding,) = project.scan(by="ana").findings

    assert (finding.stays, way in finding.fix) == (True, True)


def test_files_that_others_wrote_are_named_and_left_alone(here: Project, folder: Path) -> None:
    (folder / DECISIONS).parent.mkdir()
    (folder / DECISIONS).write_text(f"# Ours\n\n{TOKEN}\n")
    (finding,) = here.scan(redact=True, by="ana").findings
    assert (finding.place, finding.field, finding.stays) == ("file", "line 3", True)
    assert "hansard export" in finding.fix
    assert TOKEN in (folder / DECISIONS).read_text()


def test_two_fields_of_a_ledger_line_are_no_name_and_value(here: Project, folder: Path) -> None:
    here.decide(type="scope", title="The rotation of a token", content="Every 90 days.", tags=["api-key"], by="ana")
    cited = ["src/token", "8f3a2c1b9d7e6f50a4b3c2d1e0f9a8b7c6d5e4f3"]
    here.remember("Tokens live for 15 minutes.", agent="tank", scope="team", name="api token", citations=cited)
    here.export(folder)
    assert here.scan(by="ana").findings == ()


@invariant("INV-20")
def test_the_reason_of_a_review_holds_no_secret_even_if_it_was_allowed(here: Project) -> None:
    allowed = here.allow_secret(TOKEN, reason="printed in a manual", by="ana")
    held = here.remember("Deploy at noon.", agent="tank")
    here.hold(held.id, reason=f"it has {TOKEN}", by="ana")
    here.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    assert TOKEN not in repr(here.list_events(limit=50))
    assert here.scan(by="ana").findings == ()


def test_a_scan_names_the_events_that_hold_a_secret_and_says_that_they_stay(here: Project) -> None:
    from hansard.domain.ledger import Draft

    seat = here.seat(by="ana")
    with seat.writing() as tx:
        # As a version without this rule would have written it.
        told = {"reason": f"it has {TOKEN}"}
        tx.ledger.append([Draft("memory.released", Subject.PROJECT, here.id, "ana", "human", None, None, told)])
        last = tx.ledger.head()[0]
    (finding,) = here.scan(redact=True, by="ana").findings
    assert (finding.place, finding.id, finding.field, finding.stays) == ("event", str(last), "reason", True)
    assert "revoke" in finding.fix
    assert here.verify().ok


WORD = "Xk9" + "#qLm2vTz"


@invariant("INV-20")
def test_a_value_under_a_name_that_says_what_it_is_is_not_stored(here: Project) -> None:
    made = here.remember(WORD, agent="tank", name="Staging DB password")
    assert made.content == "[REDACTED:password]"
    here.edit_memory(made.id, agent="tank", content=f"`{WORD}`")
    here.propose(agent="tank", slug="db-password", type="scope", content=WORD)
    here.propose(agent="tank", slug="db-password", type="scope", content=f"{WORD}.")
    here.decide(type="scope", title="DB password", content=WORD, by="ana")
    assert WORD not in everything(here)


@invariant("INV-20")
def test_the_same_holds_in_a_batch(here: Project) -> None:
    notes = [{"content": f"Fact {number}.", "agent": "tank", "name": "facts"} for number in range(20)]
    notes[7] = {"content": WORD, "agent": "tank", "subject": "db_password"}
    here.remember_many(notes)
    assert WORD not in everything(here)
    assert [one.field for one in here.redactions] == ["8.content"]


@invariant("INV-20")
def test_a_secret_in_the_guidance_file_is_told_to_nobody_and_named_by_a_scan(here: Project, home: Path) -> None:
    here.remember("Deploys need two keys.", agent="tank", importance="high")
    file = home / "data" / "hansard" / "projects" / here.id / "memory_summary.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"Deploy with care.\nThe token is {TOKEN}\n", encoding="utf-8")
    block = here.compile(agent="tank", keep=True)
    assert block is not None
    assert block.receipt.id is not None

    assert TOKEN not in block.text
    assert MARK in block.text
    assert here.replay(block.receipt.id).text == block.text
    (copy,) = (file.parent / "told").iterdir()
    assert MARK in copy.read_text(encoding="utf-8")
    assert TOKEN not in read_guidance(here.seat())
    # A copy of before there was a guard.
    copy.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    found = here.scan()
    assert {(one.id, one.field, one.fix.split(";")[0]) for one in found.findings} == {
        (str(file), "line 2", "take it out of the file"),
        (str(copy), "line 2", "delete the copy"),
    }


def test_a_long_file_of_harmless_lines_is_no_secret_and_hides_none(here: Project, folder: Path) -> None:
    """Each of many memories is judged by itself, and so is its line in the file that has them all."""
    harmless = "  - key: Linux-node-{:064x} of the cache\n"
    here.remember_many(
        [{"content": harmless.format(one).strip(), "agent": "tank", "scope": "team"} for one in range(400)]
    )
    here.export(folder)
    assert here.scan().found == 0
    history = folder / ".squad/agents/tank/history.md"
    history.write_text(f"{history.read_text()}\nand the token {TOKEN}\n")

    assert [(one.place, one.kind) for one in here.scan().findings] == [("file", "github_token")]


def test_a_dump_is_not_allowed_and_an_allowance_of_one_lets_nothing_through(here: Project) -> None:
    dump = "".join(f"key: Linux-node-{one:064x} of the cache\n" for one in range(400)) + f"and the token {TOKEN}"
    with pytest.raises(Invalid, match="in parts"):
        here.allow_secret(dump, reason="keys of the cache")
    here.remember(dump[:60_000], agent="tank")

    assert "[REDACTED:flood]" in here.list_memories().items[0].content
