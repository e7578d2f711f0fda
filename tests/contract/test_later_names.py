"""A name that a record gets later says what its earlier versions held, so they are read under it too."""

import pytest

from hansard import Actor, Hansard
from hansard.project import Project
from support.marks import invariant

PASSWORD = "Xk9#" + "mQ2v!Lp7z"
MARK = "[REDACTED:password]"
TITLE = "DB password"


def said(project: Project) -> str:
    """Every row of every table as text."""
    store = project.seat().store
    with store.read(project.id) as tx:
        tables = store.tables(tx)
        return "\n".join(repr(row) for name in tables.names() for row in tables.rows(name, tables.columns(name)))


@invariant("INV-20")
@pytest.mark.parametrize("content", [PASSWORD, "It is rotated every month."])
def test_a_new_title_takes_what_it_makes_a_secret_out_of_every_version_of_a_proposal(
    content: str, project: Project
) -> None:
    project.propose(agent="mallory", slug="dbp", type="technical", content=PASSWORD)
    project.propose(agent="mallory", slug="dbp", type="technical", title=TITLE, content=content)

    assert project.entry_versions("dbp")[1][0].body["content"] == MARK
    assert PASSWORD not in said(project)
    assert project.scan(by="ana").findings == ()
    assert project.verify().ok


def test_a_proposal_whose_title_took_something_out_is_revised_as_ever(project: Project) -> None:
    project.propose(agent="mallory", slug="dbp", type="technical", content=PASSWORD)
    project.propose(agent="mallory", slug="dbp", type="technical", title=TITLE, content=PASSWORD)
    same = project.propose(agent="mallory", slug="dbp", type="technical", title=TITLE, content=PASSWORD)
    last = project.propose(agent="mallory", slug="dbp", type="technical", title=TITLE, content="It is in the vault.")

    assert (last.version, last.content) == (same.version + 1, "It is in the vault.")
    assert project.verify().ok


@invariant("INV-20")
def test_a_later_name_takes_a_secret_out_of_versions_before_the_last(project: Project) -> None:
    made = project.remember(PASSWORD, agent="tank", name="note")
    project.edit_memory(made.id, content="It is rotated every month.")
    project.edit_memory(made.id, name=TITLE)
    law = project.decide(type="technical", title="Staging", content=PASSWORD[::-1], by="ana")
    project.update_decision(law.id, content="It is rotated every month.", by="ana")
    project.update_decision(law.id, title=TITLE, by="ana")

    assert PASSWORD not in said(project)
    assert PASSWORD[::-1] not in said(project)
    assert project.verify().ok


@invariant("INV-20")
def test_a_new_title_of_a_decision_takes_the_secret_out_of_its_proposal_and_its_memory(project: Project) -> None:
    project.propose(agent="tank", slug="z1", type="learning", content=PASSWORD)
    made = project.merge("z1", by="ana")
    project.update_decision(made.id, title=TITLE, by="ana")

    assert project.get_entry("z1").content == MARK
    assert PASSWORD not in said(project)
    assert project.verify().ok


@invariant("INV-20")
def test_a_reviewers_title_takes_a_secret_out_of_the_first_draft(project: Project) -> None:
    project.propose(agent="tank", slug="z1", type="learning", content=PASSWORD)
    project.propose(agent="tank", slug="z1", type="learning", content="It is rotated every month.")
    project.merge("z1", title=TITLE, by="ana")

    assert PASSWORD not in said(project)
    assert project.verify().ok


@pytest.fixture
def renamed(project: Project) -> Project:
    """Records with a secret in a version that only a later name makes one, as an earlier Hansard left them."""
    allowed = project.allow_secret(f"{TITLE}: {PASSWORD}", reason="to have it stored", by="ana")
    for title in (None, TITLE, "Staging"):
        project.propose(agent="tank", slug="dbp", type="technical", title=title, content=PASSWORD if not title else "x")
    made = project.remember(PASSWORD, agent="tank", name="note")
    project.edit_memory(made.id, name=TITLE, content="It is in the vault.")
    law = project.decide(type="technical", title="Staging", content=PASSWORD, by="ana")
    project.update_decision(law.id, title=TITLE, content="It is in the vault.", by="ana")
    project.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    return project


@invariant("INV-20")
def test_a_scan_reads_an_earlier_version_under_the_names_that_came_later(renamed: Project) -> None:
    found = renamed.scan(by="ana").findings
    assert {(one.place, one.version, one.field, one.kind) for one in found} == {
        ("entry", 1, "content", "password"), ("memory", 1, "content", "password"),
        ("decision", 1, "content", "password"),
    }  # fmt: skip
    assert len(found) == 3

    assert renamed.scan(redact=True, by="ana").redacted == 3
    assert PASSWORD not in said(renamed)
    assert renamed.scan(by="ana").findings == ()
    assert renamed.verify().ok


def test_an_earlier_name_makes_no_secret_of_what_was_said_later(project: Project) -> None:
    project.propose(agent="tank", slug="dbp", type="technical", title=TITLE, content="It is in the vault.")
    project.propose(agent="tank", slug="dbp", type="technical", title="Build", content=PASSWORD)

    assert project.get_entry("dbp").content == PASSWORD
    assert project.scan(by="ana").findings == ()


def test_sentences_of_earlier_versions_stay_under_a_telling_name(hansard: Hansard, project: Project) -> None:
    words = "Rotate it every month, and tell ops."
    project.propose(agent="tank", slug="dbp", type="technical", content=words)
    project.propose(agent="tank", slug="dbp", type="technical", title=TITLE, content="Rotate it every week.")

    reader = hansard.project(project.key, actor=Actor("neo", role="agent"))
    assert reader.entry_versions("dbp")[1][0].body["content"] == words
