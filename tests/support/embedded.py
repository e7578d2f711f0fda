"""A Hansard with a provider of vectors of one's choice, and what its store then holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hansard import Hansard
from hansard.embedding.http import HttpEmbedder
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.provider import Provider
from support.raw import raw

WAIT_SECONDS = 30.0


@contextmanager
def opened(
    target: str, kind: str, provider: Provider | None = None, *, model: str = "small", dimensions: int = 64
) -> Iterator[tuple[Hansard, Project]]:
    """A process of its own with another provider. Over HTTP it does not wait between attempts."""
    settings = Settings(user="ana", embedding_provider=kind)
    with Hansard.open(target, settings=settings, clock=FakeClock()) as hansard:
        if provider is not None:
            hansard.shelf._embedder = HttpEmbedder(
                base_url=provider.url, model=model, dimensions=dimensions, key=None, timeout_seconds=WAIT_SECONDS,
                pause=lambda _: None,
            )  # fmt: skip
            hansard.shelf._chosen = True
        yield hansard, hansard.project("shop", create=True)


def sizes(target: str) -> dict[str, dict[int, int]]:
    """For each model the sizes of its vectors in bytes, and how many there are of each."""
    found: dict[str, dict[int, int]] = {}
    with raw(target) as connection:
        rows: Any = connection.execute(
            "SELECT m.name, length(v.vector), count(*) FROM models m JOIN vectors v"
            " ON v.project_id = m.project_id AND v.model_id = m.id GROUP BY 1, 2"
        )
        for name, size, count in rows:
            found.setdefault(name, {})[size] = count
    return found


def cosine(project: Project, query: str) -> float:
    return project.recall(query, agent="tank", limit=1)[0].cosine
