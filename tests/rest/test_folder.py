"""What is done over REST in the project's folder on the server's machine: settings, git, notes, compaction."""

from pathlib import Path
from typing import Any

import pytest

from support.engines import on_sqlite
from support.repositories import git
from support.rest import Client

pytestmark = on_sqlite
CONFIG = ".hansard/config.yml"


def test_a_setting_is_written_to_the_projects_file_and_the_rest_of_it_stays(ana: Client, folder: Path) -> None:
    (folder / ".hansard").mkdir(exist_ok=True)
    (folder / CONFIG).write_text("# ours\ncontext.learnings_max: 7\n", encoding="utf-8")

    written = ana.ask("PUT", "/settings/context.items_max", {"value": 30})

    assert (written.status, written.json["of_project"], written.json["value"]) == (200, 30, 20)
    assert (folder / CONFIG).read_text() == "# ours\ncontext.learnings_max: 7\ncontext.items_max: 30\n"
    assert ana.get("/settings/context.items_max").json == written.json
    listed = {one["name"]: one["of_project"] for one in ana.get("/settings").json["items"]}
    assert (listed["context.items_max"], listed["context.learnings_max"]) == (30, 7)
    assert "user" not in listed


def test_a_setting_is_removed_once(ana: Client, folder: Path) -> None:
    ana.ask("PUT", "/settings/context.items_max", {"value": "30"})

    assert ana.delete("/settings/context.items_max").json == {"name": "context.items_max", "removed": True}
    assert ana.delete("/settings/context.items_max").json["removed"] is False
    assert (folder / CONFIG).read_text() == ""


@pytest.mark.parametrize(
    ("name", "value", "status", "code"),
    [
        ("context.items_max", "many", 422, "config.bad_setting"),
        ("context.items_max", True, 422, "input.invalid"),
        ("user", "ana", 422, "config.bad_setting"),
        ("no.such", 1, 404, "not_found"),
    ],
)
def test_what_is_no_setting_of_a_project_is_refused(
    ana: Client, folder: Path, name: str, value: Any, status: int, code: str
) -> None:
    refused = ana.ask("PUT", f"/settings/{name}", {"value": value})

    assert (refused.status, refused.json["code"]) == (status, code)
    assert not (folder / CONFIG).exists()


@pytest.mark.usefixtures("folder")
def test_settings_are_peoples(tank: Client, neo: Client) -> None:
    for client in (tank, neo):
        assert client.get("/settings").status == 403
        assert client.ask("PUT", "/settings/context.items_max", {"value": 30}).status == 403
        assert client.delete("/settings/context.items_max").status == 403


def test_the_mirror_is_shown_and_committed_alone(ana: Client, tank: Client, neo: Client, checkout: Path) -> None:
    (checkout / "main.py").write_text("not ours")
    ana.post("/decisions", {"type": "scope", "title": "No billing", "content": "Billing is out of scope."})
    ana.post("/mirror/export")

    changed = {one["path"]: one["status"] for one in tank.get("/sync").json["items"]}
    refused = tank.post("/sync")
    done = neo.post("/sync", {"message": "What we decided"})

    assert changed[".squad/decisions.md"] == "new"
    assert (refused.status, refused.json["code"]) == (403, "policy.denied")
    assert done.json["commit"] == git(checkout, "rev-parse", "HEAD").decode().strip()
    assert git(checkout, "log", "-1", "--format=%s").decode().strip() == "What we decided"
    assert git(checkout, "status", "--porcelain", "main.py").decode() == "?? main.py\n"
    assert ana.post("/sync").json["commit"] is None


def test_what_git_cannot_do_is_said_in_its_words(ana: Client, checkout: Path) -> None:
    ana.post("/mirror/export")
    hook = checkout / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no commits on a Friday\nexit 1\n")
    hook.chmod(0o755)

    refused = ana.post("/sync", {"message": "--amend"})

    assert (refused.status, refused.json["code"]) == (409, "git.failed")
    assert "no commits on a Friday" in refused.json["detail"]


@pytest.mark.parametrize("message", ["", " \n", "a\0b"])
def test_a_commit_needs_a_message_that_is_text(ana: Client, checkout: Path, message: str) -> None:
    ana.post("/mirror/export")

    assert ana.post("/sync", {"message": message}).status == 422
    assert git(checkout, "status", "--porcelain", "--untracked-files=all")


@pytest.mark.usefixtures("folder")
def test_outside_of_a_repository_there_is_nothing_to_commit_to(ana: Client) -> None:
    assert ana.get("/sync").status == 422


def test_notes_on_the_servers_machine_are_indexed(tank: Client, ana: Client, folder: Path) -> None:
    notes = folder / ".hansard/notes/tank"
    notes.mkdir(parents=True)
    (notes / "api.md").write_text("# API\n\nThe API needs a Bearer prefix.\n", encoding="utf-8")

    first, again = tank.post("/memories/index"), ana.post("/memories/index", {})

    assert [(one["status"], one["agent"]) for one in first.json["files"]] == [("new", "tank")]
    assert (first.json["counts"]["new"], again.json["counts"]["unchanged"]) == (1, 1)
    assert tank.post("/memories/search", {"query": "which prefix?"}).json["items"]
    assert tank.post("/memories/index", {"agent": "mouse"}).json["code"] == "policy.impersonation"


def test_a_conversation_is_compacted_with_the_projects_binding_decisions(ana: Client, tank: Client) -> None:
    ana.post("/decisions", {"type": "scope", "title": "No billing", "content": "Billing is out of scope."})
    told = [{"role": "user", "content": "Never push to main."}, {"role": "assistant", "content": "I see."}]

    done = tank.post("/compact", {"conversation": told, "with_decisions": True}).json

    assert (done["state"], done["action"]) == ("COMPLETE", "continue")
    assert "Never push to main" in done["text"]
    assert "Billing is out of scope" in done["text"]
    assert tank.post("/compact", {"conversation": "user: Never push to main.\n"}).json["kept"]


def test_a_text_and_its_json_are_compacted_alike(tank: Client) -> None:
    state = {"active phase": "login", "blockers": ["no disk"]}

    as_json = tank.post("/compact", {"conversation": state}).json
    as_text = tank.post("/compact", {"conversation": "active phase: login\nblockers:\n- no disk\n"}).json

    assert as_json["kept"] == as_text["kept"]


def test_a_task_that_fails_too_often_waits_for_a_person(ana: Client, tank: Client, folder: Path) -> None:
    body = {"conversation": "user: Never push to main.\n", "tokens_target": 1, "task": "login"}

    states = [tank.post("/compact", body).json["state"] for _ in range(6)]
    refused = tank.post("/compact/login/reset")
    reset = ana.post("/compact/login/reset").json

    assert states[0] == "FAILED"
    assert states[-1] == "WAITING_APPROVAL"
    assert refused.status == 403
    assert reset["failures_forgotten"] > 0
    assert tank.post("/compact", body).json["state"] == "FAILED"
    assert ana.post("/compact/login/purge").json["task"] == "login"
    assert folder.exists()


@pytest.mark.parametrize(
    "body", [{"conversation": " "}, {"conversation": 7}, {"conversation": "x", "level_max": 9}, {}]
)
def test_what_cannot_be_compacted_is_refused(tank: Client, body: dict[str, Any]) -> None:
    assert tank.post("/compact", body).status == 422


def test_a_conversation_longer_than_a_server_takes_is_refused(tank: Client) -> None:
    refused = tank.post("/compact", {"conversation": "user: Never push to main.\n" * 100_000})

    assert (refused.status, refused.json["code"]) == (422, "input.too_large")


def test_an_agent_is_not_told_where_the_folder_is(tank: Client, ana: Client, folder: Path) -> None:
    for method, path in (("POST", "/mirror/export"), ("POST", "/memories/verify")):
        assert tank.ask(method, path).json["root"] is None
        assert ana.ask(method, path).json["root"] == str(folder)


def test_who_asks_for_a_folder_that_is_gone_is_told_so_and_not_where_it_was(ana: Client, folder: Path) -> None:
    folder.rmdir()

    (state,) = ana.get("/mirror").json["items"]
    told = ana.post("/mirror/export")

    assert (state["in_step"], state["error"]) == (False, "The folder is gone from this machine.")
    assert (told.status, told.json["code"]) == (422, "project.folder_gone")
    assert str(folder).encode() not in told.body
    assert "hansard init --join" in told.json["detail"]


def test_a_link_on_the_way_to_the_folder_is_refused_and_not_told_of(
    ana: Client, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    folder.rmdir()
    folder.symlink_to(elsewhere)

    told = ana.post("/mirror/export")

    assert (told.status, told.json["code"]) == (422, "project.folder_linked")
    assert str(folder).encode() not in told.body
    assert str(elsewhere).encode() not in told.body
