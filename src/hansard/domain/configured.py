"""Owns how what a file or the environment says becomes a value: flat names, numbers in bounds, and which layer wins."""

import math
from collections.abc import Mapping

from hansard.domain.errors import BadSetting

DEPTH_MAX = 4
SECRETS = "guard.secrets"
_STRICTNESS = ("redact", "ask", "block")
LIMITS = frozenset({"guard.writes_per_minute", "guard.memories_max", "guard.pending_max"})
GUARDED = LIMITS | {SECRETS}
"""Of these the strictest layer wins: nobody gets round a project's policy by a variable of the environment."""

Value = str | int | float


def wins(name: str, value: Value, before: Value) -> bool:
    """Whether a value of a stronger layer takes the place of the one below it."""
    if name == SECRETS:
        return _STRICTNESS.index(str(value)) >= _STRICTNESS.index(str(before))
    if name in LIMITS:
        return (float(value) or math.inf) <= (float(before) or math.inf)
    return True


def flattened(tree: Mapping[object, object], prefix: str = "", *, depth: int = 0) -> dict[str, object]:
    """Nested settings by their dotted names."""
    if depth > DEPTH_MAX:
        raise BadSetting(f"settings are nested at most {DEPTH_MAX} deep; {prefix[:60]}… is deeper.")
    flat: dict[str, object] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            flat |= flattened(value, f"{name}.", depth=depth + 1)
        elif value is not None:
            flat[name] = value
    return flat


def number(raw: object, bounds: tuple[float | None, float | None], *, whole: bool) -> int | float | None:
    """The number that was given, None if it is none or out of bounds."""
    try:
        value = float(raw) if isinstance(raw, int | float) else float(str(raw)[:40].strip())
    except (ValueError, OverflowError):
        return None
    low = -math.inf if bounds[0] is None else bounds[0]
    high = math.inf if bounds[1] is None else bounds[1]
    if isinstance(raw, bool) or not math.isfinite(value) or not low <= value <= high or (whole and value % 1):
        return None
    return int(value) if whole else value
