"""The OpenAPI document: complete, with an example for every operation, and every example true to its schema."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from hansard.interfaces.rest import bodies, routes
from hansard.interfaces.rest.operations import SHOWN

ANSWERS = ("200", "201")


class Operation(NamedTuple):
    method: str
    path: str
    said: dict[str, Any]


def document() -> dict[str, Any]:
    app = FastAPI()
    for router in routes.routers():
        app.include_router(router)
    return routes.documented(app)


DOCUMENT = document()
OPERATIONS = [
    Operation(method.upper(), path, said) for path, known in DOCUMENT["paths"].items() for method, said in known.items()
]


def shown(one: Operation) -> str:
    return f"{one.method} {one.path}"


def request_bodies() -> Iterator[type[BaseModel]]:
    for one in vars(bodies).values():
        if isinstance(one, type) and issubclass(one, bodies.Body) and one.model_config.get("json_schema_extra"):
            yield one


@pytest.mark.parametrize("one", OPERATIONS, ids=shown)
def test_every_operation_says_what_it_does_and_shows_an_answer(one: Operation) -> None:
    answers = [one.said["responses"][status] for status in ANSWERS if status in one.said["responses"]]

    assert one.said["summary"]
    assert answers
    assert all("example" in content for answer in answers for content in answer["content"].values())


@pytest.mark.parametrize("one", OPERATIONS, ids=shown)
def test_every_refusal_is_documented_as_a_problem(one: Operation) -> None:
    refusals = {status: said for status, said in one.said["responses"].items() if status not in ANSWERS}

    assert {"401", "403", "404", "422", "429", "503"} <= set(refusals)
    assert all(list(said["content"]) == ["application/problem+json"] for said in refusals.values())
    assert one.method != "POST" or "409" in refusals


@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.method == "POST"], ids=shown)
def test_every_post_takes_an_idempotency_key(one: Operation) -> None:
    assert "Idempotency-Key" in [parameter["name"] for parameter in one.said["parameters"]]


@pytest.mark.parametrize(("name", "status"), SHOWN, ids=str)
def test_every_example_of_an_answer_is_true_to_its_model(name: str, status: int) -> None:
    example = SHOWN[name, status]

    if example.model is None:
        assert example.media_type != "application/json"
    else:
        assert issubclass(example.model, BaseModel)
        example.model.model_validate(example.shown)


@pytest.mark.parametrize("body", list(request_bodies()), ids=lambda body: body.__name__)
def test_every_body_has_an_example_that_it_takes(body: type[BaseModel]) -> None:
    (example,) = body.model_json_schema()["examples"]

    body.model_validate(example)


def test_every_operation_with_a_body_shows_one() -> None:
    wanted = {
        part["$ref"].rpartition("/")[2]
        for one in OPERATIONS
        if "requestBody" in one.said
        for schema in [one.said["requestBody"]["content"]["application/json"]["schema"]]
        for part in schema.get("anyOf", [schema])
        if "$ref" in part
    }

    assert wanted <= {body.__name__ for body in request_bodies()}
    assert all("examples" in DOCUMENT["components"]["schemas"][name] for name in wanted)


def test_names_are_in_snake_case() -> None:
    names = {name for schema in DOCUMENT["components"]["schemas"].values() for name in schema.get("properties", {})}

    assert all(name == name.lower() and "-" not in name for name in names)


def test_operation_ids_are_unique() -> None:
    ids = [one.said["operationId"] for one in OPERATIONS]

    assert len(ids) == len(set(ids))
