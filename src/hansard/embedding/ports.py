"""Owns the shape of an embedder. Every vector is stored with the identity of the model that made it."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hansard.domain.errors import EmbedderDown, TextRefused
from hansard.domain.units import ModelIdentity

Floats = NDArray[np.float32]

__all__ = ["Embedder", "EmbedderDown", "Floats", "ModelIdentity", "TextRefused", "unit_rows"]


class Embedder(Protocol):
    """Turns texts into unit vectors. Raises EmbedderDown, and nothing else, when it cannot."""

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def is_local(self) -> bool:
        """Whether embedding is cheap and never leaves the machine, so that a write may wait for it."""
        ...

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> Floats:
        """The vectors of many texts. Raises TextRefused if one of them is the reason that there are none.

        A caller that is not patient gets a single try.
        """
        ...

    def embed_query(self, text: str) -> Floats:
        """The vector of one text that somebody is waiting for: a single try, no back-off.

        It is shorter than one, down to nothing, if the model knows only a part of the text.
        """
        ...


def unit_rows(vectors: NDArray[np.floating[Any]], identity: ModelIdentity, count: int) -> Floats:
    """The vectors with length one, after checking what a provider sent. A zero row stays zero."""
    if vectors.shape != (count, identity.dimensions):
        raise EmbedderDown(
            f"{identity.name} answered vectors of shape {vectors.shape}, not ({count}, {identity.dimensions})."
        )
    if not np.isfinite(vectors).all():
        raise EmbedderDown(f"{identity.name} answered vectors with numbers that are not finite.")
    # By the largest part first, so that no square overflows.
    peaks = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float64)
    scaled = vectors / np.maximum(peaks, 1e-300)[:, None]
    norms = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return np.asarray(scaled / np.maximum(norms, 1e-9)[:, None], np.float32)
