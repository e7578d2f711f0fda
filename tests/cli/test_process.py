"""The installed command as a process: exit codes, pipes, colours, and trouble with the database."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli

PROGRAM = Path(sys.executable).with_name("hansard")


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
        timeout=60,
    )


def test_the_demo_is_realistic_and_can_be_run_twice(shop: Path) -> None:
    first, second = _run("demo"), _run("demo")
    assert first.returncode == second.returncode == 0
    assert "was created" in first.stdout
    assert "is there already" in second.stdout
    assert "## Boundaries and Decisions" in first.stdout
    assert "## Current Session" in second.stdout
    assert _run("history", "verify", "--project", "demo-shop").returncode == 0


def test_no_colour_reaches_a_pipe_or_a_person_who_wants_none(shop: Path) -> None:
    _run("demo")
    for environment in ({}, {"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        ran = _run("decisions", "list", "--project", "demo-shop", **environment)
        assert ran.returncode == 0
        assert "\x1b[" not in ran.stdout


def _shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bash = shutil.which("bash")
    assert bash is not None
    return subprocess.run(
        [bash, "-c", line], capture_output=True, text=True, check=False, env=os.environ | environment, timeout=60
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("flags", ["", "--json"])
def test_a_reader_that_goes_away_is_no_error(shop: Path, flags: str, unbuffered: str) -> None:
    _run("demo")
    line = f'"{PROGRAM}" history list --project demo-shop {flags} | true; echo "${{PIPESTATUS[0]}}"'
    for _ in range(3):
        ran = _shell(line, PYTHONUNBUFFERED=unbuffered)
        assert (ran.stdout, ran.stderr) == ("0\n", "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("place", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", ["inbox list", "inbox list --json", "--help", "inbox show P-1"])
def test_an_answer_that_cannot_be_written_is_one_sentence(
    shop: Path, command: str, place: str, unbuffered: str
) -> None:
    _run("demo")
    environment = {"PYTHONUNBUFFERED": unbuffered, "HANSARD_PROJECT": "demo-shop"}
    for program in (f'"{PROGRAM}"', f'"{sys.executable}" -m hansard'):
        ran = _shell(f"{program} {command} {place}", **environment)
        assert ran.returncode == 1
        assert ran.stderr.endswith(": the answer could not be written. [system.failed]\n")
        assert len(ran.stderr.splitlines()) == 1
        assert _shell(f"{program} {command} {place} 2>&1", **environment).returncode == 1
    assert _run("history", "verify", "--project", "demo-shop").returncode == 0


def test_an_error_that_cannot_be_told_keeps_its_exit_code(shop: Path) -> None:
    _run("demo")
    for place in ("2>&-", "2>/dev/full", ">/dev/full", ">&- 2>&- <&-"):
        assert _shell(f'"{PROGRAM}" inbox show P-99 --project demo-shop --json {place}').returncode == 3


def test_a_closed_standard_input_is_one_sentence(shop: Path) -> None:
    _run("demo")
    propose = f'"{PROGRAM}" inbox propose a --type scope --agent tank --content - --project demo-shop <&-'
    ran = _shell(propose)
    assert ran.returncode == 1
    assert ran.stderr == "Error: Standard input is closed. [system.failed]\n"
    assert _shell(f"{propose} >&- 2>&-").returncode == 1
    assert _run("history", "verify", "--project", "demo-shop").returncode == 0


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("inbox list --status ", ["pending", "merged", "rejected", "all"]),
        ("inbox propose x --type a", ["architectural"]),
        ("decisions list --status s", ["superseded"]),
        ("memory record x --importance ", ["high", "medium", "low"]),
        ("memory list --scope t", ["team"]),
        ("memory list --source m", ["manual"]),
        ("run finish x --outcome ", ["completed", "failed", "declined"]),
        ("memory list --role c", ["coordinator"]),
        ("--role s", ["service"]),
        ("config get context.it", ["context.items_max"]),
        ("config set memory.profile ", ["standard", "adaptive"]),
        ("config set role a", ["agent"]),
    ],
)
def test_the_shell_completes_closed_words(shop: Path, typed: str, offered: list[str]) -> None:
    words = f"hansard {typed}"
    ran = _run(_HANSARD_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    assert ran.stdout.split() == [f"plain,{word}" for word in offered]
    assert ran.stderr == ""


@pytest.mark.parametrize("typed", ["inbox propose x --file ", "memory load ", "memory list --db "])
def test_the_shell_completes_files(shop: Path, typed: str) -> None:
    words = f"hansard {typed}"
    ran = _run(_HANSARD_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    assert ran.stdout.startswith("file,")


def test_an_error_escapes_what_a_terminal_obeys_and_nothing_else(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a\tb\x1b[31m"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ran = cli("decisions", "list", "--db", str(folder / "none.db"))
    assert ran.code == 6
    assert "\x1b" not in ran.err
    monkeypatch.chdir(tmp_path)
    assert cli("demo").code == 0
    monkeypatch.chdir(folder)
    ran = cli("decisions", "list")
    assert ran.code == 3
    assert "a\tb\\u001b[31m" in ran.err


def test_what_the_demo_prints_works_when_it_is_pasted(shop: Path) -> None:
    ran = _run("demo", "--db", "its own.db")
    lines = [line for line in ran.stdout.partition("Look around:\n")[2].splitlines() if line.startswith("  ")]
    assert len(lines) == 4
    for line in lines:
        done = _shell(line)
        assert (done.returncode, done.stderr) == (0, "")
    assert "delete the file its own.db" in ran.stdout


def test_everybody_in_the_demo_does_their_own_part(shop: Path) -> None:
    _run("demo")
    events = json.loads(_run("history", "list", "--project", "demo-shop", "--limit", "500", "--json").stdout)["items"]
    actors = {(one["action"], one["actor"]) for one in events}
    assert {actor for action, actor in actors if action.startswith("run.")} == {"tank", "trinity"}
    assert {actor for action, actor in actors if action == "memory.recorded"} == {
        "tank", "trinity", "morpheus", "ana", "scribe",
    }  # fmt: skip
    assert "delete the file" in _run("demo").stdout
    _run("init")
    assert "delete the file" not in _run("demo").stdout


def test_the_demo_honours_a_flag_or_refuses_it(shop: Path) -> None:
    assert "This is what trinity is told" in _run("demo", "--agent", "Trinity").stdout
    for flags in (("--agent", "smith"), ("--project", "mine"), ("--role", "human")):
        ran = _run("demo", *flags)
        assert ran.returncode == 2
        assert "[usage]" in ran.stderr
    assert _run("projects", "--json").stdout.count('"key"') == 1


def test_a_terminal_without_unicode_still_gets_an_answer(shop: Path) -> None:
    _run("demo")
    ran = _run("memory", "list", "--project", "demo-shop", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert ran.returncode == 0
    ran = _run(
        "memory", "record", "Größe", "--agent", "tank", "--project", "demo-shop", "--json", PYTHONIOENCODING="ascii"
    )
    assert ran.returncode == 0
    assert "Gr\\u00f6\\u00dfe" in ran.stdout


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"this is not a database, it is a letter to a friend " * 40, "store.corrupt"),
        (b"SQLite format 3\x00" + b"\x01" * 2000, "store.corrupt"),
    ],
)
def test_a_file_that_is_no_database_is_one_sentence(cli: Cli, tmp_path: Path, content: bytes, code: str) -> None:
    file = tmp_path / "letter.db"
    file.write_bytes(content)
    ran = cli("projects", "--db", str(file))
    assert ran.code == 1
    assert f"[{code}]" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert file.read_bytes() == content


def test_a_folder_in_place_of_a_database_is_one_sentence(cli: Cli, tmp_path: Path) -> None:
    ran = cli("projects", "--db", str(tmp_path))
    assert ran.code == 1
    assert "is a folder" in ran.err


def test_a_server_address_of_an_unknown_kind_is_refused(cli: Cli) -> None:
    ran = cli("projects", "--db", "mysql://host/db")
    assert ran.code == 6


def test_an_unknown_role_is_refused(project_cli: Cli) -> None:
    ran = project_cli("memory", "list", "--role", "wizard")
    assert ran.code == 6
    assert "human, coordinator, agent, service" in ran.err
