"""Runs SQL as its readers do: with the server's own psql, which ends at the first error."""

import re
import subprocess
from pathlib import Path

import psycopg

from support import postgres

RECIPES = Path(__file__).resolve().parents[2] / "src" / "hansard" / "store" / "postgres" / "recipes"
RUN_SECONDS_MAX = 120
_ERROR = re.compile(r"ERROR:  ([0-9A-Z]{5}): (.*)")


def play(url: str, recipe: str, **variables: str) -> None:
    """A recipe of the package, with variables such as `psql -v` sets them."""
    run(url, (RECIPES / f"{recipe}.sql").read_text(encoding="utf-8"), **variables)


def run(url: str, sql: str, **variables: str) -> None:
    """Raises the driver's error of the code that the server told."""
    given = {"ON_ERROR_STOP": "1", "VERBOSITY": "verbose", **variables}
    options = [part for name, value in given.items() for part in ("-v", f"{name}={value}")]
    done = subprocess.run(
        [str(postgres.server().bin_path / "psql"), "--no-psqlrc", "--quiet", *options, "-f", "-", url],
        input=sql, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, check=False,
    )  # fmt: skip
    if told := _ERROR.search(done.stderr):
        raise psycopg.errors.lookup(told[1])(told[2])
    assert done.returncode == 0, done.stderr
