"""Processes: one that has ended is known to be gone, and of one that cannot be seen nothing is claimed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hansard.workspace import process
from support.mirrors import until


def test_this_process_is_not_gone() -> None:
    assert process.name() == process.name()
    assert not process.is_gone(process.name())


def test_a_process_that_ended_is_gone_even_while_nobody_asked_for_its_end() -> None:
    code = "from hansard.workspace import process; print(process.name(), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert not process.is_gone(name)
        child.stdin.write("\n")
        child.stdin.close()
        until(lambda: process.is_gone(name), "it has ended, and nobody has waited for it yet")
        child.wait()
        assert process.is_gone(name)


def test_another_process_with_the_number_of_one_that_ended_is_another_process() -> None:
    number, _, namespace = process.name().split(" ")
    assert process.is_gone(f"{number} 1 {namespace}")


@pytest.mark.parametrize("name", ["", "somebody", "x y z", "99999999999999999999999 1 {namespace}", "{number} 1 other"])
def test_of_a_name_that_means_nothing_here_nothing_is_claimed(name: str) -> None:
    number, _, namespace = process.name().split(" ")
    assert not process.is_gone(name.format(number=number, namespace=namespace))


def test_a_process_that_is_started_has_a_session_of_its_own_and_no_stream_of_ours(tmp_path: Path) -> None:
    said = tmp_path / "said"
    code = (
        "import os, sys; streams = {os.readlink(f'/proc/self/fd/{n}') for n in range(3)}; "
        "print(os.getsid(0) == os.getpid(), streams, os.environ['MARK'], file=open(sys.argv[1], 'w'))"
    )
    started = process.start([sys.executable, "-c", code, str(said)], {**os.environ, "MARK": "here"})
    assert process.wait_for(started) == 0
    assert said.read_text() == "True {'/dev/null'} here\n"
    assert process.wait_for(started) == 0, "somebody else waited for it"
    failing = process.start([sys.executable, "-c", "raise SystemExit(3)"], os.environ)
    assert process.wait_for(failing) == 3


def test_what_cannot_be_started_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        process.start([str(tmp_path / "nothing")], {})
