"""Owns how answers are written: JSON bytes, the place of what was made, the version as an ETag."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from fastapi import Response

ROOT = "/api/v1"


def place(project: str, *parts: str) -> str:
    """The address of something in a project."""
    return "/".join([f"{ROOT}/projects", *(quote(part, safe="") for part in (project, *parts))])


def answer(
    shape: dict[str, Any], *, status: int = 200, location: str | None = None, version: int | None = None
) -> Response:
    headers = {}
    if location is not None:
        headers["Location"] = location
    if version is not None:
        headers["ETag"] = f'"{version}"'
    body = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
    # A file name of another machine may hold bytes that are no text; such a name is escaped rather than refused.
    return Response(body.encode("utf-8", "backslashreplace"), status, headers, media_type="application/json")
