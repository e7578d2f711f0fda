"""A clock for tests. It passes the same contract as the system's."""

MICROSECONDS = 1_000_000
START = 1_767_225_600 * MICROSECONDS  # 2026-01-01T00:00:00Z


class FakeClock:
    """Stands still between two ticks of one microsecond, so that order is never a matter of luck."""

    def __init__(self, start: int = START) -> None:
        self._now = start

    def now(self) -> int:
        self._now += 1
        return self._now

    def advance(self, *, days: float = 0, seconds: float = 0) -> None:
        self._now += int((days * 86_400 + seconds) * MICROSECONDS)
