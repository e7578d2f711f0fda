"""Projects and agents over REST: who may enter, and who may make one."""

import pytest

from hansard import Hansard
from support.engines import on_sqlite
from support.fakes import fake_hex_token, fake_secret
from support.rest import Client, Server

pytestmark = on_sqlite


def test_a_caller_sees_the_projects_of_its_token_and_no_others(server: Server, hansard: Hansard) -> None:
    hansard.project("mill", create=True)
    some, every = server.client("tank", "agent", ["shop"]), server.client("ana", "human")

    assert [one["key"] for one in some.get("/api/v1/projects").json["items"]] == ["shop"]
    assert [one["key"] for one in every.get("/api/v1/projects").json["items"]] == ["mill", "shop"]


def test_a_project_that_the_token_is_not_for_is_missing_in_the_same_words(tank: Client, hansard: Hansard) -> None:
    hansard.project("mill", create=True)

    forbidden, missing = tank.get("/api/v1/projects/mill"), tank.get("/api/v1/projects/pier")

    assert (forbidden.status, missing.status) == (404, 404)
    assert forbidden.body.replace(b"mill", b"pier") == missing.body


def test_the_list_of_projects_is_paged_by_key(ana: Client, hansard: Hansard) -> None:
    for key in ("mill", "pier"):
        hansard.project(key, create=True)

    first = ana.get("/api/v1/projects?limit=2")
    second = ana.get(f"/api/v1/projects?limit=2&cursor={first.json['next_cursor']}")

    assert [one["key"] for one in first.json["items"]] == ["mill", "pier"]
    assert ([one["key"] for one in second.json["items"]], second.json["next_cursor"]) == (["shop"], None)


def test_a_person_makes_a_project_and_finds_it_where_the_answer_says(ana: Client) -> None:
    made = ana.post("/api/v1/projects", {"key": "Mill", "name": "The mill"})

    assert (made.status, made.json["key"], made.json["name"]) == (201, "mill", "The mill")
    assert ana.get(made.headers["location"]).json == made.json
    assert ana.post("/api/v1/projects", {"key": "mill"}).json["code"] == "project.exists"


def test_an_agent_makes_no_project(tank: Client, server: Server) -> None:
    everywhere = server.client("trinity", "agent")

    assert tank.post("/api/v1/projects", {"key": "mill"}).status == 403
    assert everywhere.post("/api/v1/projects", {"key": "mill"}).status == 403


def test_every_name_that_acted_is_listed(tank: Client) -> None:
    tank.post("/memories", {"content": "The API needs a Bearer prefix."})

    assert "tank" in [one["name"] for one in tank.get("/agents").json["items"]]


@pytest.mark.parametrize("token", [None, "", "hsd_nonsense"])
def test_without_a_good_token_nothing_is_said(server: Server, token: str | None) -> None:
    refused = server.stranger(token).get("/decisions")

    assert (refused.status, refused.json["code"]) == (401, "auth.needed")
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_caller_is_told_who_it_is_by_its_token(tank: Client, ana: Client) -> None:
    assert tank.get("/api/v1/caller").json == {"name": "tank", "roles": ["agent"], "projects": ["shop"]}
    assert ana.get("/api/v1/caller").json == {"name": "ana", "roles": ["human"], "projects": None}


@pytest.mark.parametrize("secret", [fake_secret(), fake_hex_token()])
def test_a_secret_in_the_place_of_a_project_is_not_repeated(secret: str, ana: Client, tank: Client) -> None:
    for client in (ana, tank):
        answer = client.get(f"/api/v1/projects/{secret}")

        assert answer.status == 404
        assert "[REDACTED:" in answer.json["detail"]
        assert secret[7:].lower().encode() not in answer.body.lower()
