"""The OpenAPI document: complete, with an example for every operation, and every example true to its schema."""

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from hansard.interfaces.rest import bodies
from hansard.interfaces.rest.operations import SHOWN
from rest.test_versions import CHANGES
from support.routes import Described as Operation
from support.routes import described, document

ANSWERS = ("200", "201")


DOCUMENT = document()
OPERATIONS = described()


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


def test_the_addresses_that_go_by_a_version_take_the_header_and_document_the_refusal() -> None:
    documented = {shown(one) for one in OPERATIONS if "412" in one.answers}
    taking = {shown(one) for one in OPERATIONS if one.takes("If-Match")}

    assert documented == taking
    assert len(taking) == len(CHANGES), "a request of tests/rest/test_versions.py for each"


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
