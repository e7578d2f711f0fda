"""`hansard watch` as a process: what it prints, how it ends, and that a lost server does not end it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from support import postgres

INBOX = Path(".squad/decisions/inbox")
DROPPED = "---\nagent: beta\nslug: my-idea\ntype: scope\n---\n\nDo it.\n"


@pytest.fixture
def own() -> Iterator[Any]:
    """A server that the test may stop."""
    with postgres.private_folder() as folder:
        server = postgres.start(folder)
        yield server
        server.stop()


@contextmanager
def watching(*flags: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "hansard", *flags], env=dict(os.environ), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def dropped(shop: Path) -> None:
    (shop / INBOX).mkdir(parents=True, exist_ok=True)
    (shop / INBOX / "x.md").write_text(DROPPED)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_what_it_does_in_lines_and_ends_cleanly(project_cli: Cli, shop: Path, ending: signal.Signals) -> None:
    with watching("watch") as process:
        assert line(process)[8:].startswith("  exported   ")
        dropped(shop)
        assert line(process)[8:] == f"  imported   {INBOX}/x.md as P-1 (my-idea)\n"
        assert line(process)[8:] == "  exported   2 files written, 1 removed\n"
        project_cli("inbox", "merge", "my-idea")
        assert line(process)[8:] == "  exported   4 files written, 1 removed\n"
        process.send_signal(ending)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err.splitlines() == [f"Watching {shop}; stop with Ctrl-C.", "Stopped watching."]


def test_as_json_every_line_is_one_document_and_nothing_else_is_said(project_cli: Cli, shop: Path) -> None:
    with watching("watch", "--json") as process:
        first = json.loads(line(process))
        dropped(shop)
        second = json.loads(line(process))
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == ""
    assert (process.returncode, first["what"], ".squad/decisions.md" in first["written"]) == (0, "exported", True)
    assert first["at"].endswith("Z")
    assert {**second, "at": ""} == {
        "at": "", "what": "imported", "path": f"{INBOX}/x.md", "slug": "my-idea", "ref": "P-1",
    }  # fmt: skip


def test_a_folder_that_goes_away_and_a_file_that_is_wrong_are_lines_too(project_cli: Cli, shop: Path) -> None:
    with watching("watch") as process:
        line(process)
        (shop / INBOX).mkdir(parents=True)
        (shop / INBOX / "bad.md").write_text("hello\n")
        assert line(process)[8:] == (
            f"  skipped    {INBOX}/bad.md:1: the file does not begin with front matter; begin the first line with ---\n"
        )
        shop.rename(shop.with_name("elsewhere"))
        told = f"{shop} is gone. If it was moved, run `hansard init --project web-shop --join` where it is now."
        assert line(process)[8:] == f"  waiting    {told}\n"
        shop.with_name("elsewhere").rename(shop)
        assert line(process)[8:] == "  back       going on\n"


def test_a_server_that_goes_away_is_told_of_once_and_waited_for(
    cli: Cli, own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_DB", postgres.address("postgres", own))
    monkeypatch.setenv("HANSARD_STORE_BUSY_SECONDS", "0.1")
    assert cli("init").code == 0
    with watching("watch", "--json") as process:
        assert json.loads(line(process))["what"] == "exported"
        own.stop()
        gone = json.loads(line(process))
        assert gone["what"] == "waiting"
        # A server that is being stopped says so before it is gone.
        assert gone["code"] in {"store.unreachable", "store.starting"}
        own.start()
        assert cli("decisions", "create", "--type", "scope", "--title", "t", "--content", "c").code == 0
        assert [json.loads(line(process))["what"] for _ in range(2)] == ["back", "exported"]


def test_a_project_without_a_folder_has_nothing_to_watch(cli: Cli, tmp_path: Path) -> None:
    ran = cli("watch", "--project", "nope", "--db", str(tmp_path / "none.db"))
    assert ran.code == 3


def test_an_agent_watches_no_folder_but_the_projects_own(project_cli: Cli, tmp_path: Path) -> None:
    assert project_cli("watch", "--root", str(tmp_path), "--agent", "tank").code == 5


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_watcher_of_notes_ends_the_same_way(project_cli: Cli, shop: Path, ending: signal.Signals) -> None:
    own = shop / ".hansard/notes/tank"
    own.mkdir(parents=True)
    with watching("memory", "index", "--watch", "--json") as process:
        assert json.loads(line(process))["files"] == []
        (own / "a.md").write_text("About zebras.")
        assert [one["status"] for one in json.loads(line(process))["files"]] == ["new"]
        process.send_signal(ending)
        assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 0
