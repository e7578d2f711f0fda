"""First readings of hostile texts, in the time of an unshared machine: `python -m support.unread SIZE NAME…`."""

import json
import sys
from collections.abc import Callable

from benchmarks.stalling import stalling
from benchmarks.unread import first_readings

from support import pace

TRIES = 2


def main(size: str, *names: str) -> None:
    texts = {name: text for name, text in stalling(int(size)).items() if not names or name in names}
    tries = [first_readings(texts, once) for _ in range(TRIES)]
    sys.stdout.write(json.dumps({name: min(one[name] for one in tries) for name in texts}))


def once(work: Callable[[], object]) -> float:
    return pace.milliseconds(work, tries=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
