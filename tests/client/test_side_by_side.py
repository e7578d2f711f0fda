"""Every public call is made on an embedded project and over REST, and both say the same, field by field."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client.conftest import Served
from client.scripts import SCRIPTS
from hansard import Hansard
from hansard.client import Client, RemoteProject
from hansard.client.refusals import OF_A_PROJECT, OF_A_STORE, PARTS_OF_A_STORE
from hansard.domain.errors import Unsupported
from hansard.interfaces.cli.group import COMMANDS
from hansard.project import Project
from support.twins import Plain, Trio

ANSWERED_BY_A_SERVER = frozenset({"actor", "backup", "close", "doctor", "open", "project", "projects"})


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_call_over_rest_answers_what_the_embedded_call_answers(
    name: str, served: Served, twin: Trio, tmp_path: Path
) -> None:
    here, there = Plain(str(tmp_path / "twin")), Plain(str(served.folder))
    expected = [(step, here.of(told)) for step, told in SCRIPTS[name](twin)]
    answered = [(step, there.of(told)) for step, told in SCRIPTS[name](served.remote)]
    for one, other in zip(answered, expected, strict=True):
        assert one == other


def test_every_public_call_of_a_project_is_compared_or_refused_with_a_reason(twin: Trio) -> None:
    told = {step for script in SCRIPTS.values() for step, _ in script(twin)}

    assert public(Project) == told | set(OF_A_PROJECT)
    assert public(RemoteProject) == public(Project)


def test_every_public_call_of_a_store_is_answered_or_refused_with_a_reason() -> None:
    assert public(Hansard) - ANSWERED_BY_A_SERVER == set(OF_A_STORE)
    assert public(Client) == ANSWERED_BY_A_SERVER | set(OF_A_STORE) | set(PARTS_OF_A_STORE)


def test_what_cannot_be_done_over_the_network_says_so(served: Served) -> None:
    with Client.open(served.running.address, token=served.running.token("ana", "human")) as client:
        for name in OF_A_STORE:
            with pytest.raises(Unsupported, match=name):
                getattr(client, name)("anything")
        for name in PARTS_OF_A_STORE:
            with pytest.raises(Unsupported, match=name):
                getattr(client, name)
    for name in OF_A_PROJECT:
        with pytest.raises(Unsupported, match=name):
            getattr(served.remote.ana, name)("anything")


def test_commands_that_are_named_instead_of_a_call_exist() -> None:
    reasons = " ".join((*OF_A_STORE.values(), *OF_A_PROJECT.values()))
    named = set(re.findall(r"`hansard ([a-z-]+)", reasons))

    assert "projects" in named
    assert named <= set(COMMANDS)


def test_arguments_about_the_servers_machine_are_refused_and_not_passed_over(served: Served, tmp_path: Path) -> None:
    ana = served.remote.ana
    calls: tuple[Callable[[], object], ...] = (
        lambda: ana.export(tmp_path),
        lambda: ana.export(wait_seconds=1.0),
        lambda: ana.import_inbox(progress=print),
        lambda: ana.compile(agent="tank", cwd=tmp_path),
        lambda: ana.verify_memories(root=tmp_path),
        lambda: ana.reindex(progress=print),
        lambda: Client.open("http://localhost", token="t").project("shop", root=tmp_path),
    )
    for call in calls:
        with pytest.raises(Unsupported):
            call()


def test_signatures_are_those_of_the_embedded_calls() -> None:
    calls = public(Project) - set(OF_A_PROJECT) - {"id", "key", "record", "redactions", "held_back"}

    assert {name: _parameters(RemoteProject, name) for name in calls} == {
        name: _parameters(Project, name) for name in calls
    }


def test_what_a_server_stores_is_read_over_rest_with_the_same_values(served: Served) -> None:
    for _ in SCRIPTS["memories"](served.remote):
        pass
    own, remote = served.own.ana, served.remote.ana
    reads: tuple[Callable[[Project], object], ...] = (
        lambda at: at.list_memories(limit=200, expired=True),
        lambda at: at.list_events(limit=200),
        lambda at: at.list_agents(),
        lambda at: at.retrievals(),
        lambda at: at.memory_usage(),
        lambda at: at.record,
    )
    for read in reads:
        assert without_salt(read(remote)) == without_salt(read(own))


def without_salt(value: Any) -> Any:
    if hasattr(value, "_fields"):
        return type(value), [without_salt(getattr(value, name)) for name in value._fields if name != "salt"]
    return [without_salt(one) for one in value] if isinstance(value, tuple) else value


def _parameters(kind: type, name: str) -> list[tuple[str, Any, Any]]:
    found = inspect.signature(getattr(kind, name)).parameters.values()
    return [(one.name, one.kind, one.default) for one in found]
