"""How hard the property tests search: the same examples on every run, and nothing written to disk."""

from hypothesis import HealthCheck, settings

_UNCHECKED = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much)


def examples(count: int, *, steps: int = 30) -> settings:
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=_UNCHECKED,
    )
