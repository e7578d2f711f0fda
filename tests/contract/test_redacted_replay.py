"""A replay of a block says which of its records were redacted since, by a scan or by a reviewer."""

from typing import Any

import pytest

from hansard.project import Project
from hansard.services.replay import QUOTES_REDACTED, UNEXPLAINED
from support.fakes import fake_secret
from support.raw import raw

TOKEN = fake_secret(11)
MARK = "[REDACTED:github_token]"


@pytest.fixture
def allowed(project: Project) -> str:
    """The id of what lets the token be written for now."""
    return project.allow_secret(TOKEN, reason="to have it stored", by="ana").id


def kept(project: Project, **asked: Any) -> str:
    block = project.compile(agent="tank", keep=True, **asked)
    assert block is not None
    assert TOKEN in block.text
    assert block.receipt.id is not None
    return block.receipt.id


def scanned(project: Project, allowed: str) -> None:
    project.disallow_secret(allowed, reason="It is one after all.", by="ana")
    project.scan(redact=True, by="ana")
    assert project.verify().ok


def test_a_memory_that_a_scan_redacted_explains_what_differs(project: Project, allowed: str) -> None:
    memory = project.remember(f"Deploy key is {TOKEN}", agent="tank", importance="high")
    receipt = kept(project)
    scanned(project, allowed)
    replayed = project.replay(receipt)
    assert replayed.differences == (f"The memory {memory.id} was redacted meanwhile.",)
    assert MARK in replayed.text
    assert TOKEN not in replayed.text


def test_an_earlier_version_that_a_scan_redacted_explains_it_too(project: Project, allowed: str) -> None:
    memory = project.remember(f"Deploy key is {TOKEN}", agent="tank", importance="high")
    receipt = kept(project)
    project.edit_memory(memory.id, agent="tank", content="The deploy key is in the vault.")
    scanned(project, allowed)
    assert project.replay(receipt).differences == (f"The memory {memory.id} was redacted meanwhile.",)


def test_a_decision_a_session_and_a_run_that_a_scan_redacted_are_each_named(project: Project, allowed: str) -> None:
    decision = project.decide(type="scope", title="Keys", content=f"The key is {TOKEN}.", by="ana")
    plain = project.decide(type="scope", title="Other", content="Nothing to hide.", by="ana")
    session = project.start_session(focus="Keys", summary=f"Began with {TOKEN}.")
    run = project.start_run(agent="neo", task=f"Roll out {TOKEN}")
    receipt = kept(project)
    scanned(project, allowed)
    differences = project.replay(receipt).differences
    assert differences == (
        f"The decision {decision.id} was redacted meanwhile.",
        f"The session {session.id} was redacted meanwhile.",
        f"The run {run.id} was redacted meanwhile.",
    )
    assert plain.id not in repr(differences)


def test_a_path_of_a_decision_that_a_scan_redacted_explains_it(project: Project, allowed: str, target: str) -> None:
    decision = project.decide(type="scope", title="Keys", content="Kept there.", by="ana", applies_to=["x"])
    with raw(target) as database:
        # As it was recorded before there was a guard: no path with a secret in it is taken today.
        database.execute("UPDATE decisions SET applies_to = ? WHERE id = ?", (f'["{TOKEN}"]', decision.id))
    receipt = kept(project)
    project.disallow_secret(allowed, reason="It is one after all.", by="ana")
    project.scan(redact=True, by="ana")
    assert project.replay(receipt).differences == (f"The decision {decision.id} was redacted meanwhile.",)


def test_what_a_receipt_quotes_of_a_record_that_was_redacted_explains_it(project: Project, allowed: str) -> None:
    run = project.start_run(agent="neo", task="Rework the login")
    project.remember("The login reads this.", agent="neo", run_id=run.id, scope="team", citations=[f"src/{TOKEN}.py"])
    receipt = kept(project)
    scanned(project, allowed)
    assert project.replay(receipt).differences == (QUOTES_REDACTED,)


def test_a_mark_that_the_charter_had_from_the_start_explains_nothing(project: Project, target: str) -> None:
    run = project.start_run(agent="neo", task="Rework the login")
    block = project.compile(agent="tank", keep=True, charter=f"Use {TOKEN}.")
    assert block is not None
    assert block.receipt.id is not None
    assert MARK in block.text
    with raw(target) as database:
        database.execute("UPDATE runs SET task = 'Rework the logout' WHERE id = ?", (run.id,))
    assert project.replay(block.receipt.id).differences == (UNEXPLAINED,)


def test_what_a_reviewer_redacted_is_said_to_be_redacted_and_not_forgotten(project: Project) -> None:
    memory = project.remember("The API needs a Bearer prefix.", agent="tank", importance="high")
    block = project.compile(agent="tank", keep=True)
    assert block is not None
    assert block.receipt.id is not None
    project.hold(memory.id, reason="Wrong.", by="ana")
    project.redact(memory.id, reason="Not ours.", by="ana")
    replayed = project.replay(block.receipt.id)
    assert replayed.differences == (f"The memory {memory.id} was redacted meanwhile.",)
    assert f"- [forgotten] memory://memories/{memory.id}\n" in replayed.text


def test_what_was_redacted_by_a_scan_and_forgotten_later_is_forgotten(project: Project, allowed: str) -> None:
    memory = project.remember(f"Deploy key is {TOKEN}", agent="tank", importance="high")
    receipt = kept(project)
    scanned(project, allowed)
    project.forget(memory.id, agent="tank")
    assert project.replay(receipt).differences == (f"The memory {memory.id} was forgotten meanwhile.",)


def test_a_redaction_before_the_receipt_explains_nothing(project: Project, allowed: str, target: str) -> None:
    memory = project.remember(f"Deploy key is {TOKEN}", agent="tank", importance="high")
    scanned(project, allowed)
    block = project.compile(agent="tank", keep=True)
    assert block is not None
    assert block.receipt.id is not None
    assert project.replay(block.receipt.id).differences == ()
    with raw(target) as database:
        database.execute("UPDATE memories SET content = 'Deploy key is [REDACTED:other]' WHERE id = ?", (memory.id,))
    assert project.replay(block.receipt.id).differences == (UNEXPLAINED,)
