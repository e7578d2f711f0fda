"""Loads the generator of the reference pages, which is a script and not a module of any package."""

import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

from house.source import ROOT


@cache
def pages() -> dict[Path, str]:
    """Every generated file by its path from the root, as the code would have it now."""
    script = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))
    return cast("Callable[[], dict[Path, str]]", script["pages"])()
