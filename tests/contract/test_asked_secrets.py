"""With the policy to ask, whatever a secret was taken out of waits: also what a run leaves, and what a note says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract.test_secrets import MARK, TOKEN
from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory
from hansard.domain.mirror import LEDGER
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from hansard.services.notes import index_notes
from hansard.settings import Settings

TASK = "Find out how the registry is deployed"


@pytest.fixture
def asking(target: str) -> Iterator[Hansard]:
    with Hansard.open(target, settings=Settings(user="ana", guard_secrets="ask")) as opened:
        yield opened


@pytest.fixture
def ana(asking: Hansard, tmp_path: Path) -> Project:
    (tmp_path / "work/.hansard/notes/tank").mkdir(parents=True)
    (tmp_path / "work/.hansard/notes/shared").mkdir()
    return asking.project("shop", create=True, root=tmp_path / "work")


@pytest.fixture
def tank(asking: Hansard, ana: Project) -> Project:
    return asking.project(ana.key, actor=Actor("tank", "agent"))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "work/.hansard/notes"


def waiting(ana: Project) -> list[str]:
    return [one.content for one in ana.list_quarantined()]


def seen(project: Project) -> list[str]:
    return [one.content for one in project.list_memories(limit=100).items]


def test_what_a_run_leaves_waits_for_its_agent_and_for_the_team(ana: Project, tank: Project) -> None:
    run = tank.start_run(task=TASK, task_type="research")
    tank.finish_run(run.id, outcome="completed", output=f"Use the token {TOKEN}")

    assert seen(tank) == []
    assert [MARK in one for one in waiting(ana)] == [True, True]
    assert all(one.signs == ("secret",) for one in ana.list_quarantined())


def test_the_reason_of_a_run_that_failed_waits_too(ana: Project, tank: Project) -> None:
    run = tank.start_run(task=TASK)
    tank.finish_run(run.id, outcome="failed", reason=f"The token {TOKEN} was refused")

    assert seen(tank) == []
    assert len(waiting(ana)) == 1


def test_so_does_what_is_left_of_a_task_with_a_secret(ana: Project, tank: Project) -> None:
    run = tank.start_run(task=f"Deploy the registry with {TOKEN}")
    tank.finish_run(run.id, outcome="completed", output="It is deployed.")

    assert seen(tank) == []
    assert len(waiting(ana)) == 1


def test_a_run_without_a_secret_leaves_an_ordinary_memory(ana: Project, tank: Project) -> None:
    run = tank.start_run(task=TASK, task_type="research")
    tank.finish_run(run.id, outcome="completed", output="The pipeline deploys it.")

    assert len(seen(tank)) == 2
    assert waiting(ana) == []


def test_a_chunk_of_a_note_waits_and_the_others_of_its_file_do_not(ana: Project, tank: Project, notes: Path) -> None:
    deploy, build = "The pipeline takes its time. " * 60, "The build takes a minute. " * 60
    (notes / "tank/deploy.md").write_text(f"# Deploy\n\n{deploy}\nUse {TOKEN}.\n\n# Build\n\n{build}\n")
    tank.index_notes()

    assert seen(tank)
    assert all("build" in one and MARK not in one for one in seen(tank) if "pipeline" not in one)
    assert all("build" not in one and MARK in one for one in waiting(ana))
    assert len(waiting(ana)) == 1


def test_a_note_that_gets_a_secret_waits_until_the_secret_is_gone(ana: Project, tank: Project, notes: Path) -> None:
    file = notes / "tank/deploy.md"
    file.write_text("# Deploy\n\nUse the pipeline.\n")
    tank.index_notes()
    file.write_text(f"# Deploy\n\nUse the pipeline with {TOKEN}.\n")
    tank.index_notes()
    assert (seen(tank), len(waiting(ana))) == ([], 1)

    file.write_text("# Deploy\n\nUse the pipeline with the token of the vault.\n")
    tank.index_notes()

    assert seen(tank) == ["# Deploy\n\nUse the pipeline with the token of the vault."]
    assert waiting(ana) == []


def test_moving_a_note_that_waits_to_the_team_does_not_let_it_out(ana: Project, tank: Project, notes: Path) -> None:
    file = notes / "tank/deploy.md"
    file.write_text(f"# Deploy\n\nUse {TOKEN}.\n")
    tank.index_notes()
    file.rename(notes / "shared/deploy.md")
    tank.index_notes()

    assert seen(tank) == []
    assert len(waiting(ana)) == 1


def test_a_note_that_a_person_released_stays_out(ana: Project, tank: Project, notes: Path) -> None:
    file = notes / "tank/deploy.md"
    file.write_text(f"# Deploy\n\nUse {TOKEN}.\n")
    tank.index_notes()
    ana.release(ana.list_quarantined()[0].id, reason="it was revoked")
    tank.index_notes()
    file.rename(notes / "shared/deploy.md")
    tank.index_notes()

    assert seen(tank) == [f"# Deploy\n\nUse {MARK}."]


def test_a_file_that_a_person_names_waits_as_well(ana: Project, tmp_path: Path) -> None:
    file = tmp_path / "work/plan.md"
    file.write_text(f"# Plan\n\nUse {TOKEN}.\n")
    index_notes(ana.seat(by="ana"), [file], agent="tank")

    (held,) = ana.list_quarantined()
    assert (held.signs, held.cleared) == (("secret",), None)


def test_what_a_person_released_of_a_file_is_not_asked_about_again_when_it_is_shared(
    ana: Project, tmp_path: Path
) -> None:
    file = tmp_path / "work/plan.md"
    file.write_text(f"# Plan\n\nUse {TOKEN}.\n")
    index_notes(ana.seat(by="ana"), [file], agent="tank")
    ana.release(ana.list_quarantined()[0].id, reason="it was revoked")
    index_notes(ana.seat(by="ana"), [file], agent="tank", scope="team")

    assert waiting(ana) == []
    assert seen(ana) == [f"# Plan\n\nUse {MARK}."]


@pytest.mark.parametrize("others", ["agent", "human"])
def test_no_second_source_lets_out_what_waits_for_a_secret(
    asking: Hansard, ana: Project, tank: Project, others: str
) -> None:
    neo = asking.project(ana.key, actor=Actor("neo", others))
    neo.remember("Neo was here once.", agent="neo")
    memory = tank.remember(f"Call the registry with {TOKEN} and wait.", origin="tool_output")
    assert memory.is_quarantined
    assert not neo.remember(memory.content, agent="neo").is_quarantined
    still = ana.get_memory(memory.id)
    assert (still.is_quarantined, still.cleared, still.version) == (True, None, memory.version)
    assert not ana.get_memory(ana.release(memory.id, reason="the rest is fine").id).is_quarantined


@pytest.mark.parametrize("kind", ["memory", "entry"])
def test_no_line_of_another_clone_lets_it_out(ana: Project, tank: Project, tmp_path: Path, kind: str) -> None:
    said = f"Call the registry with {TOKEN} and wait."
    honest: Memory | Entry
    waiting: Memory | Entry
    if kind == "memory":
        honest = tank.remember("The build uses bazel.", scope="team")
        waiting = tank.remember(said, scope="team")
    else:
        honest = tank.propose(slug="seed", type="learning", content="The build uses bazel.")
        waiting = tank.propose(slug="call", type="learning", content=said)
    assert waiting.is_quarantined
    law = ana.decide(type="learning", title="call", content=waiting.content, by="ana")
    root = tmp_path / "work"
    ana.export(root)
    file = root / LEDGER[Subject(kind)]
    line = json.loads(next(one for one in file.read_text(encoding="utf-8").splitlines() if honest.id in one))
    line |= {"id": waiting.id, "version": 9, "content": waiting.content}
    if isinstance(waiting, Entry):
        reviewed = {"state": "merged", "reviewer": "ana", "reviewed_at": line["updated_at"], "decision_id": law.id}
        line |= {"slug": "call", "requested_slug": "call", "title": "call", "number": waiting.number, **reviewed}
    else:
        line["content"] += " Really."
    with file.open("a", encoding="utf-8") as ledger:
        ledger.write(json.dumps(line) + "\n")
    assert ana.import_inbox(root).ledger.updated == 1
    now = ana.get_quarantined(waiting.id)
    assert (now.is_quarantined, now.version) == (True, 9)
