"""Owns embedding with sentence-transformers, for those who installed the extra."""

from collections.abc import Sequence

import numpy as np

from hansard.domain.errors import Invalid
from hansard.embedding.ports import EmbedderDown, Floats, ModelIdentity, unit_rows


class SentenceEmbedder:
    """A transformer on this machine. Slower than the bundled model, so a write does not wait for it."""

    is_local = False

    def __init__(self, *, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise Invalid("embedding.provider is sentence; install it with `pip install '.[sentence]'`.") from None
        try:
            self._model = SentenceTransformer(model)
        except (OSError, ValueError) as error:
            raise EmbedderDown(f"The model {model} cannot be loaded: {error}.") from error
        dimensions = self._model.get_sentence_embedding_dimension()
        self.identity = ModelIdentity(model, "sentence-transformers", int(dimensions or 0))

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> Floats:  # noqa: ARG002
        vectors = np.asarray(self._model.encode(list(texts), show_progress_bar=False), np.float32)
        return unit_rows(vectors.reshape(len(texts), -1), self.identity, len(texts))

    def embed_query(self, text: str) -> Floats:
        return np.asarray(self.embed([text])[0], np.float32)
