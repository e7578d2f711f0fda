"""Repositories as git makes them, for tests that must agree with it."""

import os
import subprocess
from pathlib import Path

_SETTINGS = ("-c", "user.name=ana", "-c", "user.email=ana@example.org", "-c", "core.excludesFile=")


def git(folder: Path, *arguments: str, given: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
    """What git prints. Nothing of the machine's own settings is read."""
    environment = os.environ | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    ran = subprocess.run(
        ["git", *_SETTINGS, *arguments], cwd=folder, input=given, capture_output=True, env=environment, check=False
    )
    assert ran.returncode in codes, ran.stderr.decode()
    return ran.stdout


def repository(folder: Path) -> Path:
    """A repository with one commit of all that is in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "first")
    return folder


def work_tree(folder: Path, *, of: Path) -> Path:
    """A work tree of its own branch."""
    git(of, "worktree", "add", "--quiet", "-b", folder.name, str(folder))
    return folder
