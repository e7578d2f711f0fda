"""Owns how a record becomes a model of the OpenAPI document: field by field, so that a new one cannot be forgotten."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

Model = type[BaseModel]
Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""An instant in UTC, such as 2026-01-31T09:15:00.000000Z."""
HIDDEN = frozenset({"salt"})
_made: dict[type, Model] = {}


class Answer(BaseModel):
    """Every field is always there; what is not set is null."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


def described(record: type, name: str | None = None, *, without: Collection[str] = HIDDEN, **more: Any) -> Model:
    """The model of a record, field by field, as `shapes.record` shows it, with more fields if there are any."""
    hints = get_type_hints(record)
    fields: dict[str, Any] = {
        field: (_typed(field, hints[field]), ...)
        for field in getattr(record, "_fields", ())
        if field not in without and field not in more
    }
    fields |= {field: (kind, ...) for field, kind in more.items()}
    about = (record.__doc__ or "").strip().partition("\n\n")[0]
    made = create_model(name or record.__name__, __base__=Answer, __doc__=about, **fields)
    _made.setdefault(record, made)
    return made


def _typed(field: str, hint: Any) -> Any:
    """What a field is in JSON: a time is text, a tuple a list, a record its model."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _united([_typed(field, one) for one in get_args(hint)])
    if field.endswith("_at") or field == "at":
        return None if hint is types.NoneType else Time
    if origin is tuple:
        return list[_typed("", get_args(hint)[0])]  # type: ignore[misc]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[get_args(hint)]  # type: ignore[misc]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        return _made.get(hint) or described(hint)
    return None if hint is types.NoneType else hint


def _united(kinds: list[Any]) -> Any:
    united = kinds[0]
    for one in kinds[1:]:
        united = united | one
    return united


def page_of(model: Model, name: str) -> Model:
    """A page of a list: its items, and where the next page begins."""
    return create_model(
        name,
        __base__=Answer,
        __doc__="One page of a list. `next_cursor` is given back as `cursor` for the next one; null is the end.",
        items=(list[model], ...),  # type: ignore[valid-type]
        next_cursor=(str | None, ...),
    )


def list_of(model: Model, name: str) -> Model:
    return create_model(name, __base__=Answer, __doc__="All of them.", items=(list[model], ...))  # type: ignore[valid-type]
