"""A command that stays is stopped by the first request, even by one that comes while an object is taken down."""

import signal
import threading
import time

import pytest

from hansard.interfaces.cli.stopping import stoppable

LONG_SECONDS = 30.0


class Ends:
    """Asks for the end while it is taken down, where Python lets no exception out."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_request_that_python_swallowed_comes_again(number: signal.Signals) -> None:
    def stays() -> None:
        held = Ends(number)
        del held
        threading.Event().wait(LONG_SECONDS)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), stoppable():
        stays()
    assert time.monotonic() - start < LONG_SECONDS / 2


def test_whoever_was_stopped_is_not_asked_again() -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    with pytest.raises(KeyboardInterrupt), stoppable():
        signal.raise_signal(signal.SIGINT)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)] == before
