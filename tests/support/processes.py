"""Starts modules of `support` in real processes, with this checkout's packages and nobody's home."""

import os
import subprocess
import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]


def writer(*arguments: str) -> subprocess.Popen[str]:
    return started("support.writer", *arguments)


def started(module: str, *arguments: str) -> subprocess.Popen[str]:
    paths = [str(_TESTS), *(path for path in sys.path if path)]
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    """What the process said, once it ended well."""
    said, complained = process.communicate(timeout=120)
    assert process.returncode == 0, complained
    return said
