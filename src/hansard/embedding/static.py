"""Owns the bundled model: one vector per token, and a text is the mean of its tokens. No key, no network."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hansard.domain.errors import StoreCorrupt
from hansard.embedding.ports import Floats, ModelIdentity
from hansard.embedding.wordpiece import TERMS, WordPiece

FOLDER = Path(__file__).with_name("model")
UNKNOWN_WORD_WEIGHT = 1.0
_BATCH_TOKENS = 4_096
_PRODUCT_MAX = 262_144
"""Multiplications up to which OpenBLAS stays in one thread."""
_PRODUCT_ROWS_MIN = 16


class StaticModel:
    """The tokens' vectors, how much a match of each token counts, and the vocabulary."""

    def __init__(self, folder: Path = FOLDER) -> None:
        try:
            described = json.loads((folder / "model.json").read_text(encoding="utf-8"))
            self.vectors: NDArray[np.int8] = np.load(folder / "vectors.npy", mmap_mode="r")
            scales = np.load(folder / "scales.npy")
        except (OSError, ValueError) as error:
            raise StoreCorrupt(f"The bundled model in {folder} is damaged: {error}. Install Hansard again.") from error
        self._table = np.asarray(self.vectors)
        tokens = len(self.vectors)
        self.identity = ModelIdentity(described["name"], described["files"]["vectors.npy"][:12], self.vectors.shape[1])
        self.is_local = True
        self._scales: Floats = np.zeros(TERMS, np.float32)
        self._scales[:tokens] = scales[0]
        self.unit_scales: Floats = scales[1]
        self.match_weight: Floats = np.full(TERMS, UNKNOWN_WORD_WEIGHT, np.float32)
        self.match_weight[:tokens] = scales[2]
        self._matchable: list[bool] = (self.match_weight > 0).tolist()
        self.wordpiece = WordPiece(folder / "vocab.txt")

    def content(self, terms: Sequence[int]) -> list[int]:
        """The terms that can be matched, once each, in order: no punctuation."""
        matchable = self._matchable
        return [term for term in dict.fromkeys(terms) if matchable[term]]

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> Floats:  # noqa: ARG002
        return self.embed_terms([self.wordpiece.encode(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        """A vector as long as the share of the text that the model knows: how far its cosines can be trusted."""
        terms = self.wordpiece.encode(text)
        told = self.content(terms)
        known = sum(term < len(self.vectors) for term in told) / len(told) if told else 1.0
        return np.asarray(self.embed_terms([terms])[0] * np.float32(known), np.float32)

    def embed_terms(self, terms: Sequence[Sequence[int]]) -> Floats:
        """One unit vector for each list of terms; zeros where no term has a vector."""
        out = np.zeros((len(terms), self.identity.dimensions), np.float32)
        by_length: dict[int, list[int]] = {}
        for place, ids in enumerate(terms):
            by_length.setdefault(len(ids), []).append(place)
        # Texts of one length are one matrix product; summing ragged rows is six times slower.
        for length, places in by_length.items():
            step = max(1, _BATCH_TOKENS // max(length, 1))
            for start in range(0, len(places) if length else 0, step):
                some = places[start : start + step]
                matrix = np.array([terms[place] for place in some], np.int64)
                rows = self._table[np.minimum(matrix, len(self.vectors) - 1)].astype(np.float32)
                out[some] = np.matmul(self._scales[matrix][:, None, :], rows)[:, 0, :]
        norms = np.sqrt(np.einsum("ij,ij->i", out, out))
        out /= np.maximum(norms, 1e-9)[:, None]
        return out

    def similarity(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> Floats:
        """The cosine of every left term with every right term; an unknown word is only like itself."""
        known = len(self.vectors)
        unit = self._unit_vectors(left)
        inside = np.minimum(right, known - 1)
        similar = np.empty((len(left), len(right)), np.float32)
        # In steps too small for the matrix library to start threads, which would go on spinning afterwards.
        step = max(_PRODUCT_ROWS_MIN, _PRODUCT_MAX // max(unit.size, 1))
        for start in range(0, len(right), step):
            rows = self._table.take(inside[start : start + step], axis=0).astype(np.float32)
            similar[:, start : start + step] = unit @ rows.T
        similar *= np.where(right < known, self.unit_scales[inside], np.float32(0))
        for row in np.flatnonzero(left >= known):
            similar[row] = right == left[row]
        return similar

    def _unit_vectors(self, terms: NDArray[np.int64]) -> Floats:
        known = len(self.vectors)
        inside = np.minimum(terms, known - 1)
        scales = np.where(terms < known, self.unit_scales[inside], np.float32(0))
        return np.asarray(self._table[inside].astype(np.float32) * scales[:, None], np.float32)


@cache
def bundled() -> StaticModel:
    """The model that ships with the package, loaded once for the process."""
    return StaticModel()
