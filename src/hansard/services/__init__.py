"""One use case per module. Services ask the policy, open a transaction, change records and chronicle the change.

`services.propose` imports its module on first use, so that a command pays only for what it does.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hansard.services import (
        allow,
        audit,
        check_claims,
        compact,
        compile,
        complete,
        configure,
        converse,
        decide,
        doctor,
        finalise,
        keep,
        keep_up,
        mirror,
        notes,
        propose,
        purge,
        quarantine,
        rate,
        recall,
        reembed,
        remember,
        replay,
        review,
        run,
        scan,
        scribe,
        share,
        sync,
        watch,
    )

__all__ = [
    "allow",
    "audit",
    "check_claims",
    "compact",
    "compile",
    "complete",
    "configure",
    "converse",
    "decide",
    "doctor",
    "finalise",
    "keep",
    "keep_up",
    "mirror",
    "notes",
    "propose",
    "purge",
    "quarantine",
    "rate",
    "recall",
    "reembed",
    "remember",
    "replay",
    "review",
    "run",
    "scan",
    "scribe",
    "share",
    "sync",
    "watch",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module 'hansard.services' has no attribute {name!r}")
    return import_module(f"hansard.services.{name}")
