"""Shows attacks in every place where words are read, and finds those that stand there outside of a quotation."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.foundation import opened
from hansard import Actor, Hansard
from hansard.domain import layout
from hansard.project import Project
from hansard.services import grant

ANA, TANK = Actor("ana", "human"), Actor("tank", "agent")
READERS = (TANK, Actor("neo", "coordinator"), ANA)
OUTSIDE = ("tool_output", "imported_file", "extraction", "external")
PLACE = "/api/v1/projects/shop"
PIECE = re.compile(r"[A-Za-z][\w ,.'/:~@-]{9,}")
"""A part of a line that no frame changes but by an escape."""
OWN = "\n".join(value for value in vars(layout).values() if isinstance(value, str))
"""What Hansard itself says in these places."""
QUOTED = re.compile(rf"\s*(?:- \[\w+\] )?>|.*{re.escape(layout.OUTSIDE_MARK)}")


def unframed(folder: Path, attacks: Sequence[str], *, by_person: bool = False) -> dict[str, int]:
    """Of how many attacks something stands outside of a quotation, by place. A person lets out what waits."""
    pieces = [PIECE.findall(one) or one.split("\n") for one in attacks]
    probes = [tuple(one for one in found if one not in OWN) for found in pieces]
    root = folder / "work"
    notes = root / ".hansard/notes/shared"
    notes.mkdir(parents=True)
    with opened(folder / "attacks.db") as hansard:
        project = hansard.project("shop", create=True, root=root)
        author, origins = (ANA, ("human",)) if by_person else (TANK, OUTSIDE)
        bound = hansard.project("shop", actor=author)
        for number, attack in enumerate(attacks):
            origin, title = origins[number % len(origins)], attack.split("\n")[0]
            bound.remember(attack, agent="tank", origin=origin, importance="high", name=title[:100])
            bound.propose(
                agent=author.name, slug=f"attack-{number}", type="learning", title=title, content=attack,
                rationale=attack, origin=None if by_person else origin,
            )  # fmt: skip
            (notes / f"attack-{number}.md").write_text("" if by_person else attack, encoding="utf-8")
        project.index_notes(root=root, agent="tank")
        for held in project.list_quarantined(limit=1000):
            project.release(held.id, reason="a trial", by="ana")
        project.export(root)
        files = [one for one in root.rglob("*") if one.is_file() and notes not in one.parents]
        told: dict[str, list[Any]] = {
            "blocks": [one for reader in READERS for one in _blocks(hansard.project("shop", actor=reader), attacks)],
            "mirror files": [part for file in files for part in _parts(file)],
            "MCP answers": [one for reader in READERS for one in _tool_answers(hansard, reader, attacks)],
            "REST answers": [one for reader in READERS for one in _http_answers(hansard, reader, attacks)],
        }
    return {place: sum(any(leaks(one, probe) for one in said) for probe in probes) for place, said in told.items()}


def leaks(told: Any, probe: Sequence[str], *, outside: bool = False) -> bool:
    """Whether a piece of the attack stands there, neither quoted nor in a record that says where it is from."""
    if isinstance(told, dict):
        outside = outside or told.get("outside") is True or told.get("origin") in OUTSIDE
        # The task is what the reader asked for.
        return any(leaks(one, probe, outside=outside) for name, one in told.items() if name != "task")
    if isinstance(told, list):
        return any(leaks(one, probe, outside=outside) for one in told)
    if outside or not isinstance(told, str):
        return False
    lines = [one.replace("\\", "") for one in told.split("\n") if not QUOTED.match(one)]
    return any(piece in line for line in lines for piece in probe)


def _parts(file: Path) -> list[Any]:
    """A file for people, or the records of one for programs."""
    text = file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if file.suffix in {".jsonl", ".ndjson"} else [text]


def _blocks(project: Project, tasks: Sequence[str]) -> Iterator[str]:
    for task in (None, *tasks):
        block = project.compile(task=task)
        yield "" if block is None else block.text


def _tool_answers(hansard: Hansard, reader: Actor, asked: Sequence[str]) -> list[Any]:
    """What the official client is told by the tools and resources that show memories and proposals."""
    import anyio
    from mcp import Client

    from hansard.interfaces.mcp.calling import Calling
    from hansard.interfaces.mcp.server import build

    project = hansard.project("shop", actor=reader)
    server = build(lambda _: Calling(project), aliases=lambda: False)
    ids = [one.id for one in project.list_memories(limit=1000).items]
    calls: list[tuple[str, dict[str, Any]]] = [("memory_get", {"memory_id": one}) for one in ids]
    calls += [("list_inbox", {"limit": 50})]
    calls += [("memory_search", {"query": one}) for one in asked] + [("get_context", {"task": one}) for one in asked]
    addresses = [f"memory://memories/{one}" for one in ids] + [f"memory://inbox/attack-{n}" for n in range(len(asked))]

    async def told() -> list[Any]:
        async with Client(server) as client:
            answers = [await client.call_tool(tool, given) for tool, given in calls]
            read = [await client.read_resource(address) for address in addresses]
        assert not any(one.is_error for one in answers)
        parts = [*(one.contents[0] for one in read), *(one.content[0] for one in answers)]
        return [*(one.model_dump()["text"] for one in parts), *(one.structured_content for one in answers)]

    return anyio.run(told)


def _http_answers(hansard: Hansard, reader: Actor, asked: Sequence[str]) -> Iterator[Any]:
    """What a program is told over HTTP."""
    from starlette.testclient import TestClient

    from hansard.interfaces.server.app import build
    from hansard.interfaces.server.options import Options

    _, token = grant.grant(hansard.store, ANA, agent=reader.name, role=reader.role, projects=["shop"])
    client = TestClient(build(hansard, Options(requests_per_second=10_000)), base_url="http://localhost")
    ids = [one.id for one in hansard.project("shop", actor=reader).list_memories(limit=1000).items]
    calls: list[tuple[str, str, Any]] = [("GET", f"/memories/{one}", None) for one in ids]
    calls += [("GET", f"/inbox/attack-{number}", None) for number in range(len(asked))]
    calls += [("GET", "/memories?limit=1000", None), ("GET", "/inbox?limit=1000", None)]
    calls += [("POST", "/memories/search", {"query": one}) for one in asked]
    calls += [("POST", "/context", {"task": one}) for one in asked]
    for method, path, body in calls:
        answer = client.request(method, PLACE + path, json=body, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text
        yield answer.json()
