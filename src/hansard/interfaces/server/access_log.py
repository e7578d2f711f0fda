"""Owns the log of requests: what was asked for and how it went, with ids, and nothing of what was sent or stored."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
from collections.abc import Mapping
from typing import Any

from hansard.domain.tokens import PREFIX
from hansard.services.admission import safe

ACCESS = logging.getLogger("hansard.access")
ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
USUAL_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16}")
"""What programs make: it is no secret, and needs no long look."""
OUR_OWN = frozenset({"hansard", "uvicorn"})
OTHER = "other"
"""The route of what no route takes: the path itself may be anything."""


def request_id(given: str | None) -> str:
    """The id that the caller gave, if it is a plain one and no secret; else a new one."""
    return given if given is not None and _is_plain(given) else secrets.token_hex(8)


def _is_plain(given: str) -> bool:
    if USUAL_ID.fullmatch(given):
        return True
    return ID.fullmatch(given) is not None and PREFIX not in given.lower() and safe(given) == given


def route_of(scope: Mapping[str, Any]) -> str:
    """The pattern of the path, never the path: that may hold a name or a slug."""
    return str(getattr(scope.get("route"), "path", None) or OTHER)


def note(scope: Mapping[str, Any], *, id: str, status: int, seconds: float, caller: str | None) -> None:
    ACCESS.info(
        "request",
        extra={
            "told": {
                "id": id, "method": scope["method"] if scope["method"].isalpha() else OTHER, "route": route_of(scope),
                "status": status, "ms": round(seconds * 1_000, 1), "caller": caller,
            }
        },
    )  # fmt: skip


class Lines(logging.Formatter):
    """One JSON document a line. Messages are cleaned: an error may quote what somebody sent."""

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "log": record.name}
        told = getattr(record, "told", None)
        if isinstance(told, dict):
            line |= told
        elif record.name.partition(".")[0] in OUR_OWN:
            line["message"] = safe(record.getMessage())
        else:
            # Other packages quote what they were given.
            line["message"] = f"see line {record.lineno} of {record.module}"
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = _where(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True)


def _where(error: BaseException) -> str:
    """The kind of an error and where it came from. Its words may repeat what is stored, so they are left out."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"


def begin() -> None:
    """Has all logs written to standard error, one document a line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("hansard").setLevel(logging.INFO)
    # It tells of addresses and of starting; the server says that itself.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
