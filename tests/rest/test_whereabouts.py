"""Where the project's folder is, is told over REST to people and services, and to no agent or coordinator."""

from pathlib import Path

import pytest

from support.engines import on_sqlite
from support.rest import Answer, Client

pytestmark = on_sqlite


def said(answer: Answer, check: str) -> str:
    return " ".join(one["found"] for one in answer.json["items"] if one["check"] == check)


def test_of_a_folder_that_is_gone_the_doctor_tells_agents_that_it_is_and_people_where_it_was(
    ana: Client, tank: Client, neo: Client, folder: Path
) -> None:
    folder.rmdir()

    for client in (tank, neo):
        told = client.get("/doctor")
        assert said(told, "folders") == "The project's folder is gone."
        assert str(folder.parent).encode() not in told.body
    assert said(ana.get("/doctor"), "folders") == f"{folder} is gone."


def test_of_a_link_in_the_place_of_the_folder_neither_end_is_told(
    ana: Client, tank: Client, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("some where")
    folder.rmdir()
    folder.symlink_to(elsewhere)

    told = tank.get("/doctor")

    assert "through a link now" in said(told, "folders")
    assert str(folder.parent).encode() not in told.body
    assert str(elsewhere.parent).encode() not in told.body
    assert b"some where" not in told.body
    assert str(elsewhere) in said(ana.get("/doctor"), "folders")


def test_why_an_export_failed_is_told_without_where(ana: Client, tank: Client, folder: Path) -> None:
    (folder / ".hansard").write_text("a file where a folder has to be", encoding="utf-8")
    ana.post("/decisions", {"type": "scope", "title": "No billing", "content": "Billing is out of scope."})
    answers = [tank.post("/mirror/export"), tank.get("/doctor"), tank.post("/mirror/import"), tank.get("/sync")]

    assert "The last export to the project's folder failed" in said(answers[1], "mirror")
    assert not [one for one in answers if str(folder.parent).encode() in one.body]
    assert str(folder) in said(ana.get("/doctor"), "mirror")


def test_claims_cannot_be_checked_in_a_folder_that_is_gone_and_nobody_hears_where_it_was(
    tank: Client, folder: Path
) -> None:
    folder.rmdir()

    refused = tank.post("/memories/verify")

    assert (refused.status, refused.json["code"]) == (422, "project.folder_gone")
    assert str(folder.parent).encode() not in refused.body


def test_a_broken_repository_is_told_in_gits_words_without_its_paths(tank: Client, checkout: Path) -> None:
    (checkout / ".git/config").write_text("[core\n", encoding="utf-8")

    refused = tank.get("/sync")

    assert (refused.status, refused.json["code"]) == (409, "git.failed")
    assert "failed in the project's folder: fatal: bad config" in refused.json["detail"]
    assert str(checkout.parent).encode() not in refused.body


def test_what_a_hook_says_is_told_without_the_paths_in_it(ana: Client, neo: Client, checkout: Path, home: Path) -> None:
    ana.post("/mirror/export")
    hook = checkout / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f'#!/bin/sh\necho "no commits on a Friday, see {home}/rules.md and https://a.example/x/y"\nexit 1\n'
    )
    hook.chmod(0o755)

    refused = neo.post("/sync")

    assert (refused.status, refused.json["code"]) == (409, "git.failed")
    assert "no commits on a Friday, see … and https://a.example/x/y" in refused.json["detail"]
    assert str(checkout.parent).encode() not in refused.body
    assert str(home).encode() not in refused.body
