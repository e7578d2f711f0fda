"""Git as a process of ours: it is given up in time, and ends with us."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hansard.domain.claims import Verdict
from hansard.workspace.evidence import Evidence
from hansard.workspace.search import Search
from support.claims import UNCHECKED, VERIFIED, path, symbol
from support.mirrors import until


@pytest.mark.parametrize("ending", ["wait", "exit 0"])
def test_a_child_of_a_wrapper_cannot_hold_a_search_open(
    claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/sh\nsleep 60 &\n{ending}\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")

    start = time.perf_counter()
    found = Evidence(claimed).check([symbol("do_it")], seconds_max=0.2)

    assert time.perf_counter() - start < 30
    assert list(found.values()) == [Verdict(UNCHECKED, "`do_it` was not checked: the search took too long")]


def test_a_search_that_takes_too_long_is_given_up(
    claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")

    start = time.perf_counter()
    found = Evidence(claimed).check([symbol("do_it"), path("src/x.py")], seconds_max=0.2)

    assert time.perf_counter() - start < 30

    assert list(found.values()) == [
        Verdict(UNCHECKED, "`do_it` was not checked: the search took too long"),
        Verdict(VERIFIED),
    ]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_git_ends_with_us_however_we_end(claimed: Path, tmp_path: Path, end: signal.Signals) -> None:
    numbers = tmp_path / "numbers"
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\nsleep 600 &\necho "$$" > {numbers}.new\nmv {numbers}.new {numbers}\nwait\n')
    slow.chmod(0o755)
    code = (
        "import sys; from pathlib import Path; from hansard.workspace.search import Search; "
        "Search(Path(sys.argv[1]), seconds_max=60).words(['do_it'])"
    )
    environment = os.environ | {"PATH": f"{slow.parent}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, "-c", code, str(claimed)], env=environment) as ours:
        until(numbers.exists, "git was started")
        ours.send_signal(end)
    group = int(numbers.read_text())

    until(lambda: not members(group), "git and its child have ended")


def test_a_search_leaves_nobody_behind_who_waits_for_us(
    claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = tmp_path / "number"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/sh\necho $$ > {number}\nexit 1\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")

    assert Search(claimed, seconds_max=60).words(["do_it"]) == {}
    group = int(number.read_text())
    until(lambda: not members(group), "whoever waited for our end has ended")


def members(group: int) -> list[str]:
    """The processes of a group that are still at work."""
    found: list[str] = []
    for one in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group, *_ = one.read_text().rpartition(")")[2].split()
            found += [one.parent.name] if int(its_group) == group and state not in "ZX" else []
    return found
