"""Every example of a request in the OpenAPI document is sent as it stands, and taken."""

from pathlib import Path
from typing import Any

import pytest

from hansard import Hansard
from hansard.domain.errors import HansardError
from hansard.interfaces.rest import operations, problems
from support.engines import on_sqlite
from support.repositories import repository
from support.rest import Client
from support.routes import Described, described, document

WITH_BODY = [one for one in described() if "requestBody" in one.said]
DECISION = {"type": "scope", "title": "No billing", "content": "Billing is out of scope."}


@pytest.fixture
def world(hansard: Hansard, ana: Client, tank: Client, tmp_path: Path) -> dict[str, str]:
    """A shop in which what the examples name is there; each part of an address with what it stands for."""
    folder = tmp_path / "work"
    folder.mkdir()
    repository(folder)
    hansard.project("shop", create=True, root=folder)
    for number in range(4):
        ana.post("/decisions", DECISION | {"title": f"Rule {number}"})
    for number in range(1, 11):
        entry = {"slug": f"entry-{number}", "type": "technical", "content": f"Proposal {number}."}
        tank.post("/inbox", entry)
        if number == 7:
            tank.post("/inbox", entry | {"content": "Proposal 7, revised."})
    kept, held = (tank.post("/memories", {"content": f"Fact {n}."}).json["id"] for n in range(2))
    ana.post(f"/guard/quarantine/{held}/hold", {"reason": "odd"})
    ana.post("/sessions", {"focus": "Auth rework"})
    run = tank.post("/runs", {"task": "Fix the login"}).json["id"]
    return {
        "{project}": "shop", "{memory_id}": kept, "{session_id}": "current", "{run_id}": run,
        "{name}": "context.items_max", "/inbox/{reference}": "/inbox/P-1", "/decisions/{reference}": "/decisions/D-1",
        "/quarantine/{reference}/hold": f"/quarantine/{kept}/hold", "/quarantine/{reference}": f"/quarantine/{held}",
    }  # fmt: skip


def example_of(one: Described) -> Any:
    schema = one.said["requestBody"]["content"]["application/json"]["schema"]
    (name,) = (part["$ref"].rpartition("/")[2] for part in schema.get("anyOf", [schema]) if "$ref" in part)
    (example,) = document()["components"]["schemas"][name]["examples"]
    return example


@on_sqlite
@pytest.mark.parametrize("one", WITH_BODY, ids=lambda one: f"{one.method} {one.path}")
def test_the_example_of_a_request_is_taken_as_it_stands(ana: Client, world: dict[str, str], one: Described) -> None:
    path = one.path
    for part, stands_for in world.items():
        path = path.replace(part, stands_for)
    assert "{" not in path, path

    answer = ana.ask(one.method, path, example_of(one))

    assert answer.status in (200, 201), answer.json
    assert not (answer.json or {}).get("failed"), answer.json


def every(kind: type[HansardError] = HansardError) -> list[type[HansardError]]:
    return [kind, *(found for below in kind.__subclasses__() for found in every(below))]


@pytest.mark.parametrize("one", described(), ids=lambda one: f"{one.method} {one.path}")
def test_the_example_of_a_problem_has_a_code_that_comes_with_its_status(one: Described) -> None:
    known = {(kind.code, problems.status_of(kind("x"))) for kind in every()}
    known |= {(code, status) for code, status, _ in problems.OWN_CODES}
    shown = [
        (content["example"]["code"], int(status))
        for status, answer in one.answers.items()
        for kind, content in answer["content"].items()
        if kind == problems.MEDIA_TYPE
    ]

    assert shown
    assert set(shown) <= known
    assert not {code for code, _ in shown} & {"not_found", "conflict", "hansard.error"}, "a general code tells nothing"


def test_every_special_problem_is_one_of_an_operation() -> None:
    tags = {(one.said["tags"][0], int(status)) for one in described() for status in one.answers}

    assert set(operations.SPECIAL) <= tags
