"""What lies in a mirror's folder: the doctor and the watcher tell of it, whoever set it aside or dropped it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from hansard import Hansard
from hansard.domain.findings import Finding, Severity
from hansard.domain.mirror import LEDGER_FOLDER
from hansard.project import Project
from hansard.services.watch import Happening, keep_in_step
from support.raw import everything

INBOX = ".squad/decisions/inbox"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / INBOX).mkdir(parents=True)
    return folder


@pytest.fixture
def web(hansard: Hansard, root: Path) -> Project:
    """A project with a folder on this machine, and its files in step."""
    made = hansard.project("web", create=True, root=root)
    made.decide(type="scope", title="No billing", content="Billing is out.", by="ana")
    made.remember("Retry thrice.", agent="tank", scope="team")
    made.export()
    return made


def drop(root: Path, name: str, said: str | None = None) -> None:
    text = said or f"---\nagent: beta\nslug: {Path(name).stem}\ntype: scope\n---\n\nDo it.\n"
    (root / INBOX / name).write_text(text)


def mirrored(project: Project) -> list[Finding]:
    return [one for one in project.doctor() if one.check == "mirror" and one.severity is not Severity.OK]


def test_nothing_is_found_in_a_folder_that_is_in_step(web: Project) -> None:
    assert mirrored(web) == []


@pytest.mark.parametrize(
    "name",
    [".squad/decisions.md", ".squad/agents/tank/history.md", ".agentweaver/context/boundaries.md"],
)
def test_the_doctor_shows_copies_that_were_set_aside_until_they_are_gone(web: Project, root: Path, name: str) -> None:
    (root / name).write_text("mine\n")
    [aside] = web.export().set_aside
    [found] = mirrored(web)
    assert found.found == f"Copies that were set aside in {root}: 1 ({aside.kept})."
    assert "Compare each with the file" in (found.advice or "")
    (root / aside.kept).unlink()
    assert mirrored(web) == []


def test_the_doctor_names_files_that_wait_and_files_that_cannot_be_read_and_changes_nothing(
    web: Project, root: Path, target: str
) -> None:
    drop(root, "idea.md")
    drop(root, "bad.md", "# Hello\n")
    before = everything(target)
    waiting, unread = mirrored(web)
    assert everything(target) == before
    assert waiting.found == f"Proposals in {root} that are not in the record yet: 1 ({INBOX}/idea.md)."
    assert "hansard import" in (waiting.advice or "")
    assert unread.found.startswith(f"Files in {root} that cannot be imported: 1 ({INBOX}/bad.md: ")
    web.import_inbox()
    web.export()
    assert [one.found for one in mirrored(web)] == [unread.found]


def test_the_doctor_names_a_ledger_that_waits_and_one_with_bad_lines(
    web: Project, root: Path, hansard: Hansard, tmp_path: Path
) -> None:
    other = hansard.project("other", create=True)
    other.decide(type="scope", title="Theirs", content="C", by="bob")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other.export(elsewhere)
    ledger = root / LEDGER_FOLDER / "decisions.jsonl"
    theirs = (elsewhere / LEDGER_FOLDER / "decisions.jsonl").read_bytes()
    ledger.write_bytes(ledger.read_bytes() + theirs + b"{\n")
    told = " ".join(one.found for one in mirrored(web))
    assert f"The ledger files in {root} have what other clones made and the record does not know: " in told
    assert "decisions.jsonl: 1 of its lines cannot be read" in told
    assert [one.title for one in web.list_decisions().items] == ["No billing"]


def test_a_watcher_tells_what_another_export_set_aside(web: Project, root: Path) -> None:
    (root / ".squad/decisions.kept-20260101T000000Z.md").write_text("old, told of long ago\n")
    told: list[list[Happening]] = [[]]

    def by_another() -> None:
        (root / ".squad/decisions.md").write_text("mine\n")
        web.export()

    def by_itself() -> None:
        (root / ".squad/decisions.md").write_text("mine again\n")
        web.decide(type="scope", title="More", content="C", by="ana")

    steps: Iterator[object] = iter((by_another, None, None, by_itself, None, None))

    def wait(seconds: float) -> bool:
        step = next(steps, "end")
        if step == "end":
            raise KeyboardInterrupt
        told.append([])
        if callable(step):
            step()
        return True

    with suppress(KeyboardInterrupt):
        for one in keep_in_step(web.seat(), root, wait):
            told[-1].append(one)
    asides = [[one.details["path"] for one in some if one.what == "set aside"] for some in told]
    assert asides[1] == [".squad/decisions.md"], "at the next look after somebody else did it"
    assert [one for some in asides for one in some] == [".squad/decisions.md"] * 2, "each one once, its own too"


class Behind(NamedTuple):
    """A project, and the event at which its files were in step."""

    project: Project
    exported: int


@pytest.fixture
def behind(web: Project) -> Behind:
    """A project whose files were in step here, until others went on with it elsewhere: no file was touched since."""
    accepted, refused = (
        web.propose(agent="tank", slug=slug, type="scope", content=f"To {slug}.") for slug in ("use-pg", "use-my")
    )
    web.propose(agent="tank", slug="use-ql", type="scope", content="All data in QL.")
    web.start_session(focus="Storage")
    exported = web.export().position
    web.merge(accepted.id, by="ben")
    web.reject(refused.id, by="ben", reason="No.")
    web.propose(agent="tank", slug="use-ql", type="scope", content="All data in SQL.")
    web.remember("Retry twice.", agent="neo", scope="team")
    return Behind(web, exported)


def test_files_that_nobody_touched_while_the_record_went_on_elsewhere_are_told_as_behind_and_no_fault(
    behind: Behind, root: Path
) -> None:
    project, exported = behind
    events = project.verify().events - exported
    assert mirrored(project) == []
    [told] = [one.found for one in project.doctor() if one.check == "mirror"]
    left = f"The files in {root} are as this machine exported them last"
    assert f"{left}, and behind the record by {events} events" in told
    assert "`hansard export` brings them on" in told
    project.export()
    [told] = [one.found for one in project.doctor() if one.check == "mirror"]
    assert told.startswith("The files of the mirror say what the record says")


def test_of_files_that_are_behind_only_the_edited_ones_are_told_as_such(behind: Behind, root: Path) -> None:
    (root / ".squad/decisions.md").write_text("mine\n")
    (root / ".squad/identity/now.md").unlink()
    (root / INBOX / "use-ql.md").write_text("mine\n")
    edited = [one for one in mirrored(behind.project) if "do not say what the record says" in one.found]
    files = f".squad/decisions.md, {INBOX}/use-ql.md, .squad/identity/now.md"
    told = f"Files in {root} that do not say what the record says: 3 ({files})."
    assert [one.found for one in edited] == [told]
    assert "What somebody edited is set aside, not lost." in (edited[0].advice or "")


def test_files_of_a_record_that_went_back_are_not_told_as_behind(
    web: Project, hansard: Hansard, root: Path, tmp_path: Path
) -> None:
    hansard.backup(tmp_path / "backup.db")
    web.decide(type="scope", title="Later", content="Later.", by="ana")
    web.export()
    Hansard.restore(tmp_path / "backup.db", tmp_path / "earlier.db", settings=hansard.settings)
    with Hansard.open(tmp_path / "earlier.db", settings=hansard.settings) as earlier:
        earlier.project("web").remember("Another way.", agent="tank", scope="team")
        assert any("do not say what the record says" in one.found for one in mirrored(earlier.project("web")))
