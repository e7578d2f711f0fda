"""A change that names the version it was made for is made to that version, or to nothing."""

from collections.abc import Callable

import pytest

from hansard.domain.errors import StaleVersion
from hansard.project import Project
from hansard.services.run import finish_run

Change = Callable[[Project, int], object]
Prepared = Callable[[Project], Change]


def _decision(at: Project) -> str:
    made = at.decide(type="scope", title="No billing", content="Billing is out of scope.")
    at.update_decision(made.ref, rationale="Nobody asked for it.")
    return made.ref


def _memory(at: Project) -> str:
    made = at.remember("The API needs a Bearer prefix.", agent="tank")
    at.edit_memory(made.id, agent="tank", importance="high")
    return made.id


def archived(at: Project) -> Change:
    ref = _decision(at)
    return lambda project, version: project.archive(ref, expected_version=version)


def restored(at: Project) -> Change:
    made = at.decide(type="scope", title="No billing", content="Billing is out of scope.")
    at.archive(made.ref)
    return lambda project, version: project.restore(made.ref, expected_version=version)


def superseded(at: Project) -> Change:
    ref = _decision(at)
    new = at.decide(type="scope", title="Billing by hand", content="Invoices are written by hand.")
    return lambda project, version: project.supersede(ref, new.ref, expected_version=version)


def shared(at: Project) -> Change:
    memory = _memory(at)
    return lambda project, version: project.share_memory(memory, agent="tank", expected_version=version)


def forgotten(at: Project) -> Change:
    memory = _memory(at)
    return lambda project, version: project.forget(memory, expected_version=version)


def held(at: Project) -> Change:
    memory = _memory(at)
    return lambda project, version: project.hold(memory, reason="odd", expected_version=version)


def _quarantined(at: Project) -> str:
    made = at.remember("The API needs a Bearer prefix.", agent="tank")
    at.hold(made.id, reason="odd")
    return made.id


def released(at: Project) -> Change:
    memory = _quarantined(at)
    return lambda project, version: project.release(memory, reason="fine", expected_version=version)


def confirmed(at: Project) -> Change:
    memory = _quarantined(at)
    return lambda project, version: project.confirm(memory, reason="true", expected_version=version)


def redacted(at: Project) -> Change:
    memory = _quarantined(at)
    return lambda project, version: project.redact(memory, reason="odd", expected_version=version)


def _session(at: Project) -> None:
    at.start_session(focus="Auth rework")
    at.update_session("The login works.")


def updated(at: Project) -> Change:
    _session(at)
    return lambda project, version: project.update_session("The tokens are next.", expected_version=version)


def ended(at: Project) -> Change:
    _session(at)
    return lambda project, version: project.end_session(expected_version=version)


CHANGES: list[Prepared] = [
    archived, restored, superseded, shared, forgotten, held, released, confirmed, redacted, updated, ended,
]  # fmt: skip


@pytest.mark.parametrize("prepared", CHANGES, ids=lambda one: one.__name__)
def test_a_change_for_an_older_version_is_refused_and_nothing_happens(project: Project, prepared: Prepared) -> None:
    change = prepared(project)
    before = project.list_events(limit=1).items

    with pytest.raises(StaleVersion, match="at version 2, not 1; read it again"):
        change(project, 1)

    assert project.list_events(limit=1).items == before
    change(project, 2)
    assert project.list_events(limit=1).items != before


def test_a_run_is_finished_at_the_version_that_was_read(project: Project) -> None:
    run = project.start_run(agent="tank", task="Fix the login")

    with pytest.raises(StaleVersion, match="The run is at version 1, not 7"):
        finish_run(project.seat(agent="tank"), run.id, outcome="completed", expected_version=7)

    assert project.get_run(run.id).is_open
    assert project.finish_run(run.id, outcome="completed", expected_version=1).version == 2
