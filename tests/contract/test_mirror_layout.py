"""What the files say after decisions were replaced and archived, and a session came and went."""

from pathlib import Path

import pytest

from hansard.project import Project

DECISIONS = ".squad/decisions.md"
BOUNDARIES = ".agentweaver/context/boundaries.md"
NOW = ".squad/identity/now.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def section(text: str, heading: str) -> str:
    """What stands below a heading of the second level."""
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_decisions_show_their_state_their_number_and_what_replaced_them(project: Project, root: Path) -> None:
    old = project.decide(type="scope", title="Old", content="c", by="ana")
    new = project.decide(type="scope", title="New", content="c", by="ana")
    project.decide(type="process", title="Rest", content="c", by="ana")
    project.supersede(old.id, new.id, by="ana")
    project.archive("D-3", by="ana")
    project.export(root)
    text = (root / DECISIONS).read_text()
    for heading, status, number in (
        ("Old", "superseded", "D-1"),
        ("New", "active", "D-2"),
        ("Rest", "archived", "D-3"),
    ):
        assert f"**Status:** {status} | **Number:** {number}" in section(text, heading)
    assert "> **Superseded by:** D-2" in section(text, "Old")
    assert "> **Supersedes:** D-1" in section(text, "New")
    assert "Supersede" not in section(text, "Rest")
    project.restore("D-3", by="ana")
    project.export(root)
    assert "**Status:** active | **Number:** D-3" in section((root / DECISIONS).read_text(), "Rest")


def test_only_what_binds_now_is_a_boundary_architectural_before_scope(project: Project, root: Path) -> None:
    for type, title in (
        ("scope", "S1"), ("architectural", "A1"), ("process", "P"), ("technical", "T"), ("learning", "L"),
        ("architectural", "A2"), ("scope", "S2"), ("scope", "S3"),
    ):  # fmt: skip
        project.decide(type=type, title=title, content="c", by="ana")
    project.propose(agent="tank", slug="pending", type="scope", content="c")
    project.supersede("D-1", "D-7", by="ana")
    project.archive("D-6", by="ana")
    project.export(root)
    text = (root / BOUNDARIES).read_text()
    assert [line for line in text.splitlines() if line.startswith("##")] == [
        "## Architectural", "### A1", "## Scope", "### S2", "### S3",
    ]  # fmt: skip


def test_a_session_that_ends_takes_its_focus_its_issues_and_its_summary_along(project: Project, root: Path) -> None:
    project.start_session(focus="Auth rework", issues=["#7"], summary="Half done.")
    project.export(root)
    assert all(one in (root / NOW).read_text() for one in ("Auth rework", "#7", "Half done."))
    project.end_session()
    project.export(root)
    text = (root / NOW).read_text()
    assert not [one for one in ("Auth rework", "#7", "Half done.") if one in text]
    assert "focus_area: " in text
    project.start_session(focus="Billing")
    project.export(root)
    assert "Billing" in (root / NOW).read_text()


def test_a_session_that_the_scribe_closes_leaves_the_files_too(project: Project, root: Path) -> None:
    run = project.start_run(agent="tank")
    project.start_session(focus="Auth rework", run_id=run.id, agent="tank")
    project.propose(agent="tank", slug="lesson", type="learning", content="Tokens expire.", run_id=run.id)
    project.export(root)
    project.finish_run(run.id, outcome="failed")
    project.export(root)
    assert "Auth rework" not in (root / NOW).read_text()
    assert "**Number:** D-1" in (root / DECISIONS).read_text()
    assert "Tokens expire." in (root / ".squad/agents/tank/history.md").read_text()
