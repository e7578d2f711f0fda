"""A client of the real application in this process, with the token of one caller."""

from typing import Any, NamedTuple

from starlette.testclient import TestClient

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.interfaces.server.app import build
from hansard.interfaces.server.options import Options
from hansard.services import grant

ANA = Actor("ana", "human")
PLACE = "http://localhost"


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes
    json: Any


class Client:
    """Calls the addresses of one project as one caller."""

    def __init__(self, http: TestClient, token: str | None, project: str = "shop") -> None:
        self._http = http
        self._token = token
        self._project = project

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Calls an address in the project, or another one if it begins with `/api`."""
        address = path if path.startswith("/api") else f"/api/v1/projects/{self._project}{path}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        found = self._http.request(method, address, json=body, headers=sent)
        kind = found.headers.get("content-type", "")
        return Answer(
            found.status_code, dict(found.headers), found.content, found.json() if kind.endswith("json") else None
        )

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.ask("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.ask("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Answer:
        return self.ask("DELETE", path, **headers)


class Server:
    """The application over an open store, and clients of it."""

    def __init__(self, hansard: Hansard) -> None:
        self._hansard = hansard
        self.app = build(hansard, Options(requests_per_second=10_000))
        self._http = TestClient(self.app, base_url=PLACE, raise_server_exceptions=True)

    def token(self, agent: str, role: str, projects: list[str] | None = None) -> str:
        _, text = grant.grant(self._hansard.store, ANA, agent=agent, role=role, projects=projects)
        return text

    def client(self, agent: str, role: str, projects: list[str] | None = None) -> Client:
        return Client(self._http, self.token(agent, role, projects))

    def stranger(self, token: str | None = None) -> Client:
        return Client(self._http, token)
