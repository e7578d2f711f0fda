"""Export in bad moments: somebody saves meanwhile, the export is killed, or the folder was replaced by a link."""

import json
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import Invalid
from hansard.domain.findings import Severity
from hansard.domain.mirror import digest, is_kept_name
from hansard.project import Project
from hansard.services import keep_up, mirror
from hansard.workspace import renaming
from hansard.workspace.files import Enclosure
from support.marks import invariant

DECISIONS = ".squad/decisions.md"
NOW = ".squad/identity/now.md"
INBOX = ".squad/decisions/inbox"


class Killed(BaseException):
    """Nothing catches it, as nothing catches a kill."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(params=["exchange", "link"], autouse=True)
def renames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as this system can rename, and once as one can that knows no exchange."""
    if request.param == "link":
        monkeypatch.setattr(renaming, "_system_call", lambda: None)


@pytest.fixture
def filled(project: Project) -> Project:
    project.decide(type="scope", title="No billing", content="Billing is out.", by="ana")
    project.propose(agent="tank", slug="use-postgres", type="architectural", content="All data.")
    project.remember("open", agent="neo", scope="team")
    return project


def kept(root: Path) -> list[str]:
    return sorted(one.read_text() for one in root.rglob("*") if is_kept_name(one.name))


def left(root: Path) -> list[Path]:
    return [one for one in root.rglob("*") if one.name.endswith(".tmp")]


def save(path: Path, text: str) -> None:
    """As editors do it: written beside, and renamed."""
    beside = path.with_name("editor~")
    beside.write_text(text)
    beside.replace(path)


@invariant("INV-01")
def test_a_save_between_the_look_at_a_file_and_its_writing_is_kept(
    filled: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.export(root)
    swap = Enclosure.swap

    def saved_before(files: Enclosure, inside: str, data: bytes) -> str | None:
        if inside == DECISIONS:
            save(root / DECISIONS, "mine\n")
        return swap(files, inside, data)

    monkeypatch.setattr(Enclosure, "swap", saved_before)
    filled.decide(type="scope", title="Two", content="x", by="ana")
    report = filled.export(root)
    assert [one.path for one in report.set_aside] == [DECISIONS]
    assert kept(root) == ["mine\n"]
    assert "Two" in (root / DECISIONS).read_text()
    assert left(root) == []


@invariant("INV-01")
def test_a_save_between_the_look_at_a_file_and_its_removal_is_kept(
    filled: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.export(root)
    take_away = Enclosure.take_away

    def saved_before(files: Enclosure, inside: str) -> str:
        save(root / inside, "mine\n")
        return take_away(files, inside)

    monkeypatch.setattr(Enclosure, "take_away", saved_before)
    filled.reject("use-postgres", by="ana", reason="No.")
    report = filled.export(root)
    assert [one.path for one in report.set_aside] == [f"{INBOX}/use-postgres.md"]
    assert kept(root) == ["mine\n"]


@invariant("INV-01")
def test_a_list_of_files_of_another_project_is_not_believed(filled: Project, root: Path) -> None:
    for path in (DECISIONS, NOW):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("precious\n")
    (root / ".hansard").mkdir()
    files = {path: digest(b"precious\n") for path in (DECISIONS, NOW)}
    told = {"project": "another", "state": "", "files": files, "intended": {one: [files[one]] for one in files}}
    (root / ".hansard/mirror.json").write_text(json.dumps(told))
    report = filled.export(root)
    assert [one.path for one in report.set_aside] == [DECISIONS]
    assert kept(root) == ["precious\n"]
    assert (root / NOW).read_text() == "precious\n"
    assert report.removed == ()


@invariant("INV-01")
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("times", [1, 2])
def test_after_a_kill_our_own_files_are_known_and_nothing_forgotten_is_kept(
    filled: Project, root: Path, monkeypatch: pytest.MonkeyPatch, moment: str, times: int
) -> None:
    filled.export(root)
    secrets = [filled.remember(f"SECRET {name}", agent=name, scope="team") for name in ("neo", "abe")]
    filled.update_decision("D-1", content="SECRET too", by="ana")
    swap = Enclosure.swap
    for number in range(3):
        count = 0

        def killed(files: Enclosure, inside: str, data: bytes, number: int = number) -> str | None:
            nonlocal count
            count += 1
            if count > number and moment == "before":
                raise Killed
            displaced = swap(files, inside, data)
            if count > number:
                raise Killed
            return displaced

        monkeypatch.setattr(Enclosure, "swap", killed)
        for again in range(times):
            filled.remember(f"SECRET {number}.{again}", agent="abe", scope="team")
            with pytest.raises(Killed):
                filled.export(root)
        monkeypatch.setattr(Enclosure, "swap", swap)
    for one in (*secrets, *filled.list_memories(agent="abe").items):
        filled.forget(one.id, by="ana")
    filled.update_decision("D-1", content="Nothing of it.", by="ana")
    report = filled.export(root)
    assert (report.set_aside, report.failed, kept(root), left(root)) == ((), (), [], [])
    assert not [one for one in root.rglob("*") if one.is_file() and b"SECRET" in one.read_bytes()]
    assert filled.export(root).written == ()


@invariant("INV-01")
def test_what_a_killed_export_moved_away_is_kept_if_it_was_somebody_elses(
    filled: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.export(root)
    (root / DECISIONS).write_text("mine\n")
    swap = Enclosure.swap

    def killed(files: Enclosure, inside: str, data: bytes) -> None:
        swap(files, inside, data)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Enclosure, "swap", killed)
        with pytest.raises(Killed):
            filled.export(root)
    assert len(left(root)) == 1
    report = filled.export(root)
    assert [one.path for one in report.set_aside] == [DECISIONS]
    assert (kept(root), left(root)) == (["mine\n"], [])


@invariant("INV-01")
def test_a_kill_hides_no_edit_of_a_proposal_with_a_long_name_and_stops_no_later_export(
    project: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slugs = ["a" * 198 + end for end in "bc"]
    for slug in slugs:
        project.propose(agent="tank", slug=slug, type="scope", content="One.")
    project.export(root)
    places = [root / INBOX / f"{slug}.md" for slug in slugs]
    edited = [place.read_text() + f"precious {place.name[-4]}\n" for place in places]
    for place, text in zip(places, edited, strict=True):
        save(place, text)
    with monkeypatch.context() as patched:
        swap = Enclosure.swap

        def killed(files: Enclosure, inside: str, data: bytes) -> None:
            swap(files, inside, data)
            raise Killed

        patched.setattr(Enclosure, "swap", killed)
        with pytest.raises(Killed):
            project.export(root)
    report = project.export(root)
    assert sorted(one.path for one in report.set_aside) == [f"{INBOX}/{slug}.md" for slug in slugs]
    assert (report.failed, kept(root), left(root)) == ((), edited, [])
    project.propose(agent="tank", slug=slugs[0], type="scope", content="Two.")
    assert project.export(root).failed == ()
    assert "Two." in places[0].read_text()


@invariant("INV-13")
def test_a_folder_that_became_a_link_is_neither_read_nor_written_and_the_doctor_says_so(
    hansard: Hansard, root: Path, tmp_path: Path
) -> None:
    project = hansard.project("web", create=True, root=root)
    project.propose(agent="tank", slug="idea", type="scope", content="Yes.")
    outside = tmp_path / "outside"
    outside.mkdir()
    root.rename(tmp_path / "moved")
    root.symlink_to(outside)
    for given in (None, root):
        with pytest.raises(Invalid, match="through a link"):
            project.export(given)
        with pytest.raises(Invalid, match="through a link"):
            project.import_inbox(given)
    assert "through a link" in str(keep_up.keep_up(project.seat()._replace(actor=keep_up.EXPORTER), str(root)))
    with pytest.raises(Invalid, match="through a link"):
        keep_up.drifted(project.seat(), str(root))
    with pytest.raises(Invalid, match="through a link"):
        mirror.home(project.seat())
    assert list(outside.iterdir()) == []
    (finding,) = [one for one in project.doctor() if one.check == "folders"]
    assert finding.severity is Severity.WARNING
    assert str(outside) in finding.found
    assert "hansard init --project web --join" in str(finding.advice)
