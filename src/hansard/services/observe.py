"""Tells whoever listens how much work was done, in numbers: never of what, and never whose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Listener: TypeAlias = Callable[[str, float], None]
"""Is told the name of a measure and a number."""

RECALL_WORDS = "recall_words"
RECALL_VECTORS = "recall_vectors"
"""Searches whose best hits the arm of words, or that of vectors, spoke for."""
COMPILED_CHARACTERS = "compiled_characters"

_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Has a listener told from now on; what is returned ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def tell(measure: str, value: float = 1.0) -> None:
    for listener in tuple(_listeners):
        listener(measure, value)
