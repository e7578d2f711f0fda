"""The operations of the OpenAPI document, as tests ask about them."""

from functools import cache
from typing import Any, NamedTuple

from fastapi import FastAPI

from hansard.interfaces.rest import routes


class Described(NamedTuple):
    """One operation: where it is, and what the document says of it."""

    method: str
    path: str
    said: dict[str, Any]

    @property
    def answers(self) -> dict[str, Any]:
        found: dict[str, Any] = self.said["responses"]
        return found

    def takes(self, header: str) -> bool:
        return header in [one["name"] for one in self.said.get("parameters", ())]


@cache
def document() -> dict[str, Any]:
    app = FastAPI()
    for router in routes.routers():
        app.include_router(router)
    return routes.documented(app)


def described() -> list[Described]:
    return [
        Described(method.upper(), path, said)
        for path, known in document()["paths"].items()
        for method, said in known.items()
    ]
