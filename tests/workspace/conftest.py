"""A repository whose claims are checked, and a git that writes down each time it is run."""

import os
from pathlib import Path

import pytest

from support.repositories import repository


@pytest.fixture
def claimed(tmp_path: Path) -> Path:
    """A repository with a few files, one of them with the line ends of Windows, and rules for what is ignored."""
    folder = tmp_path / "shop"
    (folder / "src" / "store").mkdir(parents=True)
    (folder / "src" / "x.py").write_text("def do_it():\n    return keyboardShortcuts\n")
    (folder / "src" / "store" / "rows.py").write_bytes(b"class Row:\r\n    def fetch_all(self): pass\r\n")
    (folder / ".gitignore").write_text("/dist/\n*.log\n")
    return repository(folder)


@pytest.fixture
def git_calls(claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that gets a line for each time git is run."""
    log = tmp_path / "calls.txt"
    log.touch()
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    real = next(str(Path(one) / "git") for one in os.environ["PATH"].split(os.pathsep) if (Path(one) / "git").is_file())
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec "{real}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    return log
