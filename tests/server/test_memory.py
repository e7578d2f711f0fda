"""The memory of the server's process: what large requests took goes back to the system."""

import subprocess
import sys

PIECES = """
import sys
from hansard.interfaces.server.serving import hold_little

def resident():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) // 1024

if sys.argv[1] == "held little":
    hold_little()
before = resident()
# The allocator takes the first for a sign that such pieces are common, and keeps those that follow.
first = bytearray(6_000_000)
del first
pieces = []
for _ in range(16):
    pieces += [bytearray(5_000_000), bytearray(50_000)]
    pieces[-2][:] = b"x" * 5_000_000
kept = pieces[1::2]
del pieces
print(resident() - before)
"""


def _grown(how: str) -> int:
    told = subprocess.run([sys.executable, "-c", PIECES, how], check=True, capture_output=True, text=True).stdout
    return int(told)


def test_large_pieces_go_back_to_the_system_though_small_ones_between_them_are_kept() -> None:
    assert _grown("as it comes") > 40
    assert _grown("held little") < 10
