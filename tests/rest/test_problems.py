"""Errors over REST: one table from kinds to statuses, stable codes, and nothing of what was given."""

import re
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from hansard.domain import errors
from hansard.domain.errors import HansardError
from hansard.interfaces.rest import problems
from hansard.interfaces.rest.routes import routers
from hansard.project import Project
from support.engines import on_sqlite
from support.fakes import fake_secret
from support.rest import Client, Server

SECRET = fake_secret()


def every(kind: type[HansardError] = HansardError) -> list[type[HansardError]]:
    return [kind, *(found for below in kind.__subclasses__() for found in every(below))]


@pytest.mark.parametrize("kind", [one for one in every() if one.__module__ == errors.__name__])
def test_every_kind_of_error_has_a_status(kind: type[HansardError]) -> None:
    status = problems.status_of(kind("what happened"))

    faults = {HansardError, errors.CopyDiffers, errors.BackupBroken}
    assert (status == 500) == (kind in faults)
    assert issubclass(kind, errors.NotFound) == (status == 404)
    assert issubclass(kind, errors.Unavailable) == (status == 503)


@on_sqlite
def test_a_problem_says_what_happened_and_has_a_stable_code(ana: Client) -> None:
    found = ana.get("/decisions/D-9")

    assert found.headers["content-type"] == "application/problem+json"
    assert found.json == {
        "type": "urn:hansard:problem:decision.unknown", "title": "No such decision in this project.", "status": 404,
        "detail": found.json["detail"], "code": "decision.unknown",
    }  # fmt: skip


@on_sqlite
def test_a_malformed_body_is_refused_field_by_field_and_never_repeated(tank: Client) -> None:
    refused = tank.post("/memories", {"content": 7, "type": "sekret-value", "colour": "red"})

    assert (refused.status, refused.json["code"]) == (422, "input.invalid")
    assert {one["field"] for one in refused.json["errors"]} == {"body.content", "body.type", "body.colour"}
    assert b"sekret-value" not in refused.body


@on_sqlite
def test_no_operation_passes_over_a_word_of_the_query_that_it_does_not_know(ana: Client) -> None:
    operations = [route for router in routers() for route in router.routes if isinstance(route, APIRoute)]
    for one in operations:
        path = re.sub(r"{\w+}", "x", one.path.replace("{project}", "shop"))
        for method in one.methods or ():
            refused = ana.ask(method, f"{path}?nix=1")
            assert (refused.status, refused.json["code"]) == (422, "input.invalid"), one.path
            assert "query.nix" in [fault["field"] for fault in refused.json["errors"]], one.path
    assert len(operations) > 60


@on_sqlite
def test_a_misspelt_word_is_named_and_nothing_is_done(tank: Client) -> None:
    refused = tank.post("/memories?forse=true&%20=1&forse=", {"content": "Hello."})

    assert refused.json["errors"] == [
        {"field": "query.forse", "message": "Extra inputs are not permitted"},
        {"field": "query. ", "message": "Extra inputs are not permitted"},
    ]
    assert tank.get("/memories").json["items"] == []
    assert tank.get("/events?sinse=0&idle_seconds=0").json["errors"][0]["field"] == "query.sinse"
    assert tank.get("/events?since=0&idle_seconds=0").status == 200
    assert tank.get("/doctor?full=true").status == 200


@on_sqlite
@pytest.mark.parametrize("path", ["/agents", "/memories/{}/versions", "/inbox/P-1/versions", "/decisions/D-1/history"])
def test_what_is_answered_whole_takes_no_limit(ana: Client, path: str) -> None:
    made = ana.post("/memories", {"content": "Hello.", "agent": "tank"}).json
    ana.post("/inbox", {"slug": "a", "type": "scope", "content": "No billing.", "agent": "tank"})
    ana.post("/inbox/P-1/merge", {})

    assert ana.get(path.format(made["id"])).status == 200
    assert ana.get(f"{path.format(made['id'])}?limit=1").status == 422


@on_sqlite
def test_a_word_outside_a_vocabulary_has_the_code_it_has_everywhere(tank: Client) -> None:
    assert tank.post("/memories", {"content": "Hello.", "type": "wisdom"}).json["code"] == "input.unknown_value"
    assert tank.get("/memories?type=wisdom").json["code"] == "input.unknown_value"


@on_sqlite
def test_an_unknown_address_and_a_wrong_method_are_problems_too(ana: Client) -> None:
    missing, refused = ana.get("/colours").json, ana.ask("PUT", "/decisions")
    wrong = refused.json

    assert missing["code"] == "request.unknown_path"
    assert "nothing at /api/v1/projects/shop/colours" in missing["detail"]
    assert "openapi.json" in missing["detail"]
    assert wrong["code"] == "request.method"
    assert wrong["detail"] == "PUT is no method of this address. It takes GET, POST."
    assert refused.headers["allow"] == "GET, POST"


@on_sqlite
@pytest.mark.parametrize("path", ["/colours/", "/memories/", "/decisions/", "/inbox/"])
def test_an_address_that_is_a_secret_is_not_repeated(ana: Client, path: str) -> None:
    found = ana.get(path + SECRET)

    assert found.status == 404
    assert "[REDACTED:github_token]" in found.json["detail"]
    assert SECRET not in found.body.decode()


@on_sqlite
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/inbox/merge", {"references": [SECRET]}),
        ("/inbox/reject", {"references": [SECRET]}),
        ("/context", {"agent": SECRET}),
        (f"/compact/{SECRET}/reset", None),
        (f"/compact/{SECRET}/purge", None),
    ],
)
def test_an_answer_does_not_repeat_a_secret_either(
    ana: Client, project: Project, folder: Path, path: str, body: dict[str, object] | None
) -> None:
    project.decide(type="scope", title="No app", content="We build no app.", by="ana")
    found = ana.post(path, body)

    assert found.status == 200, found.json
    assert "[REDACTED:github_token]" in found.body.decode()
    assert SECRET not in found.body.decode()


@on_sqlite
def test_a_body_that_is_no_json_is_refused(server: Server) -> None:
    http = TestClient(server.app, base_url="http://localhost")
    headers = {"Authorization": f"Bearer {server.token('tank', 'agent')}", "Content-Type": "application/json"}

    refused = http.post("/api/v1/projects/shop/memories", content=b"{nonsense", headers=headers)

    assert (refused.status_code, refused.json()["code"]) == (422, "input.invalid")
    assert refused.json()["detail"].startswith("The body is not valid JSON: ")
    assert "character 1" in refused.json()["detail"]


@on_sqlite
@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (None, 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/json; charset=latin-1", 415),
        ("nonsense", 415),
        ("application/json", 201),
        ("Application/JSON", 201),
        ("application/json; charset=utf-8", 201),
        ('application/json;charset="UTF-8"', 201),
        ("application/merge-patch+json", 201),
    ],
)
def test_a_body_says_that_it_is_json_or_is_refused_with_what_to_send(
    server: Server, kind: str | None, status: int
) -> None:
    http = TestClient(server.app, base_url="http://localhost")
    headers = {"Authorization": f"Bearer {server.token('tank', 'agent')}"} | ({"Content-Type": kind} if kind else {})

    answer = http.post("/api/v1/projects/shop/memories", content=b'{"content": "Hello."}', headers=headers)

    assert answer.status_code == status
    if status == 415:
        assert answer.json()["code"] == "request.media_type"
        assert "application/json" in answer.json()["detail"]


@on_sqlite
def test_a_request_without_a_body_needs_no_content_type(ana: Client) -> None:
    assert ana.post("/mirror/import").status == 422
    assert ana.post("/memories/purge").status == 200


@on_sqlite
@pytest.mark.parametrize("body", [b"\xff\xfe{", b"[" * 5_000])
def test_a_body_that_cannot_be_read_at_all_is_said_to_be_none(server: Server, body: bytes) -> None:
    http = TestClient(server.app, base_url="http://localhost")
    headers = {"Authorization": f"Bearer {server.token('tank', 'agent')}", "Content-Type": "application/json"}

    refused = http.post("/api/v1/projects/shop/memories", content=body, headers=headers)

    assert refused.status_code in (400, 422)
    assert "JSON" in refused.json()["detail"]


@on_sqlite
def test_a_status_that_is_none_is_refused_with_all_that_there_are(ana: Client) -> None:
    assert "pending, merged, rejected, all;" in ana.get("/inbox?status=open").json["detail"]
    assert "active, superseded, archived, all;" in ana.get("/decisions?status=open").json["detail"]


@on_sqlite
def test_a_fault_of_the_server_tells_nothing_of_itself(server: Server) -> None:
    @server.app.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("the secret is swordfish")

    http = TestClient(server.app, base_url="http://localhost", raise_server_exceptions=False)
    failed = http.get("/api/v1/broken", headers={"Authorization": f"Bearer {server.token('tank', 'agent')}"})

    assert (failed.status_code, failed.json()["code"]) == (500, "hansard.unexpected")
    assert "swordfish" not in failed.text


def test_a_busy_agent_is_told_when_to_come_back() -> None:
    found = problems.problem(429, "guard.rate", "Too many.", "Try again in a minute.")

    assert found.headers["retry-after"] == "60"


@on_sqlite
def test_no_name_of_a_field_or_parameter_that_is_a_secret_is_repeated(tank: Client) -> None:
    token = fake_secret(31)
    for refused in (tank.post("/memories", {"content": "Hello.", token: 1}), tank.get(f"/memories?{token}=1")):
        assert refused.status == 422
        assert token.encode() not in refused.body
        assert b"[REDACTED:github_token]" in refused.body
    long = tank.post("/memories", {"content": "Hello.", "x" * 5_000: 1})
    assert (long.status, len(long.body) < 1_000) == (422, True)
