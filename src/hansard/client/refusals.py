"""Owns the list of what cannot be done over the network, each with the reason and what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from hansard.domain.errors import Unsupported

Kind = TypeVar("Kind", bound=type)

OF_A_STORE: Mapping[str, str] = {
    "begin": "A folder is made a project where the folder is: run `hansard init` there.",
    "roots": "The folders of a project are the server's: `hansard projects` lists them there.",
    "follow_policies": "A server follows the policies of its projects by itself.",
    "create_token": "No token makes another one: run `hansard token create` on the server's machine.",
    "tokens": "Tokens are listed on the server's machine: `hansard token list`.",
    "revoke_token": "Tokens are revoked on the server's machine: `hansard token revoke`.",
    "copy_to": "A copy is proven against the store itself: download a backup and restore it.",
    "restore": "A backup is restored into an empty store, before a server serves it: `hansard restore`.",
}
PARTS_OF_A_STORE = ("store", "settings", "shelf", "dispatcher")
OF_A_PROJECT: Mapping[str, str] = {
    "may_reembed": "Call `reembed`: it raises the same before it begins.",
    "seat": "It is the way to the store itself. Make this call on the server's machine.",
}


def refusing(refused: Mapping[str, str], parts: tuple[str, ...] = ()) -> Callable[[Kind], Kind]:
    """Has these calls of a class, and these parts of it, raise Unsupported with the reason."""

    def changed(kind: Kind) -> Kind:
        for name, reason in refused.items():
            setattr(kind, name, staticmethod(_refusal(name, reason)))
        for name in parts:
            refusal = _refusal(name, "The store is the server's.")
            setattr(kind, name, property(refusal))
        return kind

    return changed


def _refusal(name: str, reason: str) -> Callable[..., NoReturn]:
    def refused(*_given: Any, **_named: Any) -> NoReturn:
        raise Unsupported(f"{name} is no call over the network. {reason}")

    refused.__name__ = name
    refused.__doc__ = f"Raises Unsupported. {reason}"
    return refused
