"""Others' code against ours: Schemathesis makes requests from the OpenAPI document, right ones and wrong ones."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from hansard import Hansard
from hansard.interfaces.rest import routes
from hansard.settings import Settings
from support.rest import PLACE, Server

EXAMPLES = int(os.environ.get("HANSARD_SCHEMATHESIS_EXAMPLES", "4"))
"""Requests of each kind for each operation; `make schemathesis` makes many more."""
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
    response_headers_conformance,
]  # fmt: skip
PREFIX = "/api/v1"


def documented() -> dict[str, Any]:
    app = FastAPI()
    for router in routes.routers():
        app.include_router(router)
    return routes.documented(app)


SCHEMA = schemathesis.openapi.from_dict(documented())
OPERATIONS = {one.ok().label: one.ok() for one in SCHEMA.get_all_operations() if isinstance(one, Ok)}


class Filled:
    """A project with one of everything, and a client that may do everything."""

    def __init__(self, hansard: Hansard) -> None:
        at = hansard.project("shop", create=True)
        memory = at.remember("The API needs a Bearer prefix.", agent="tank", tags=["cross-team"])
        at.propose(agent="tank", slug="use-postgres", type="architectural", content="All data lives in PostgreSQL.")
        at.decide(type="scope", title="No billing", content="Billing is out of scope.", by="ana")
        run = at.start_run(agent="tank", task="Fix the login")
        at.start_session(focus="Auth rework", id="auth")
        block = at.compile(agent="tank", keep=True)
        assert block is not None
        self.known = {
            "project": "shop", "memory_id": memory.id, "run_id": run.id, "session_id": "current",
            "receipt_id": str(block.receipt.id), "seq": 1,
        }  # fmt: skip
        self.server = Server(hansard)
        self.token = self.server.token("ana", "human")
        self.http = TestClient(self.server.app, base_url=PLACE, raise_server_exceptions=False)

    def send(self, case: Any, *, known: bool) -> Any:
        """Sends the request, with the names of what is there in its address if it is to find something."""
        found = self.known | {"reference": "P-1" if "inbox" in case.path or "quarantine" in case.path else "D-1"}
        case.path_parameters["project"] = "shop"
        if known:
            case.path_parameters.update({name: value for name, value in found.items() if name in case.path_parameters})
        if case.path.endswith("/events"):
            # Without an end the stream is one.
            case.query = {**(case.query or {}), "idle_seconds": 0}
        sent = case.as_transport_kwargs(base_url=PLACE)
        headers = {**sent.pop("headers", {}), "Authorization": f"Bearer {self.token}"}
        allowed = {"method", "url", "params", "json", "data"}
        given = {name: value for name, value in sent.items() if name in allowed and value is not None}
        data = given.pop("data", None)
        if isinstance(data, bytes | str):
            given["content"] = data
        return self.http.request(headers=headers, **given)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    place = tmp_path_factory.mktemp("schemathesis") / "hansard.db"
    with Hansard.open(place, settings=Settings(user="ana", mirror_auto="off")) as opened:
        yield Filled(opened)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_is_a_documented_one(filled: Filled, label: str, mode: GenerationMode) -> None:
    operation = OPERATIONS[label]

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode), known=st.booleans())
    def run(case: Any, *, known: bool) -> None:
        response = filled.send(case, known=known)
        case.validate_response(response, checks=CHECKS)

    run()
