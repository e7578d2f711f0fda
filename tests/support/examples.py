"""How hard the property tests search: the same examples on every run, and nothing written to disk."""

import os

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


def many(count: int) -> settings:
    """For what is worth a long search now and then: `make escapes` asks for so many by an environment variable."""
    return examples(max(count, int(os.environ.get("HANSARD_PROPERTY_EXAMPLES", "0"))))
