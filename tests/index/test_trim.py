"""Giving memory back: what was freed in small pieces does not stay with the process."""

import subprocess
import sys

HOLES = """
from hansard.index.trim import give_back

def resident():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) // 1024

pieces = [bytes(3_000) for _ in range(40_000)]
full = resident()
kept = pieces[::64]
del pieces
before = resident()
give_back()
print(full, before, resident())
"""


def test_what_was_freed_between_what_is_kept_goes_back_to_the_system() -> None:
    told = subprocess.run([sys.executable, "-c", HOLES], check=True, capture_output=True, text=True).stdout
    full, before, after = map(int, told.split())

    assert full - before < 20
    assert before - after > 60
