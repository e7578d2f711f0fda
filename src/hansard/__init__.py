"""Governed memory for teams of AI agents.

from hansard import Hansard

with Hansard.open("team.db") as h:
    p = h.project("shop", create=True, root=".")
    p.remember("The API needs a Bearer prefix.", agent="tank", importance="high")
    print(p.compile(agent="tank").text)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.domain.actors import Actor
    from hansard.domain.errors import HansardError

__all__ = ["Actor", "Hansard", "HansardError", "__version__"]
__version__ = "0.1.0"

_HOMES = {"Hansard": "hansard.app", "Actor": "hansard.domain.actors", "HansardError": "hansard.domain.errors"}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first used: importing the package costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hansard' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
