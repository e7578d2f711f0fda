"""`hansard context` of a server that falls silent: the turn goes on within `context.wait_seconds`."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.settings import Settings
from support import postgres
from support.faltering import faltering

PROGRAM = Path(sys.executable).with_name("hansard")
WAIT_SECONDS = 3.0
"""In less, a new connection has no time after the one that was silent, and takes its own two seconds."""
START_SECONDS_MAX = 8.0
"""What a process takes to start and to end, on a machine that has other things to do."""


@pytest.mark.parametrize(
    "silence",
    [{"bytes_max": 1}, {"bytes_max": 700}, {"bytes_max": 1_100}, {"bytes_max": 2_000}]
    + [{"word": one} for one in (b"schema_version", b"FROM projects", b"FROM heads", b"FROM decisions")],
    ids=str,
)
def test_no_silence_of_a_server_keeps_a_turn_longer_than_it_waits(silence: dict[str, int | bytes]) -> None:
    target = postgres.fresh_database()
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        hansard.project("shop", create=True).decide(type="scope", title="Only payments", content="We build payments.")
    more = {"HANSARD_PROJECT": "shop", "HANSARD_USER": "ana", "HANSARD_CONTEXT_WAIT_SECONDS": str(WAIT_SECONDS)}
    with faltering(**silence) as net:  # type: ignore[arg-type]
        begun = time.monotonic()
        ran = subprocess.run(
            [str(PROGRAM), "context", "--agent", "tank"],
            env=os.environ | more | {"HANSARD_DB": net.address(target)},
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert time.monotonic() - begun < WAIT_SECONDS + START_SECONDS_MAX
    assert ran.returncode == 0
    assert b"Nothing is told this turn." in ran.stderr
    postgres.give_back(target)
