"""The end of the server's own work: it is waited for once, not for each thread."""

import threading
import time

from hansard import Hansard
from hansard.interfaces.server.background import Background
from support.engines import on_sqlite


@on_sqlite
def test_many_threads_that_do_not_end_are_waited_for_together(hansard: Hansard) -> None:
    background = Background(hansard, follows_files=False)
    release = threading.Event()
    for number in range(8):
        stuck = threading.Thread(target=release.wait, args=(30,), daemon=True)
        background._following["shop", str(number)] = stuck
        stuck.start()
    began = time.monotonic()
    try:
        ended = background.stop(0.2)
    finally:
        release.set()

    assert not ended
    assert time.monotonic() - began < 1.0
