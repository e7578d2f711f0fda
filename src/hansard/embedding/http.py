"""Owns embedding over HTTP in the shape of OpenAI's API: batches, retries with back-off, a time limit."""

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hansard.domain.errors import Invalid
from hansard.embedding.ports import EmbedderDown, Floats, ModelIdentity, unit_rows

BATCH_TEXTS_MAX = 128
TEXT_CHARACTERS_MAX = 24_000
ATTEMPTS_MAX = 3
BACKOFF_SECONDS = 0.5
ANSWER_BYTES_MAX = 64 * 1024 * 1024
_RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A provider that sends us elsewhere would send our key along."""

    def redirect_request(self, *_: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


class HttpEmbedder:
    """A provider at a base URL. Texts leave the machine only if somebody configured one."""

    is_local = False

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int,
        key: str | None,
        timeout_seconds: float,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = _parsed(base_url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or not base_url.isprintable():
            raise Invalid("embedding.base_url must be an address that starts with http:// or https://.")
        if key is not None and not (key.isprintable() and key.isascii()):
            raise Invalid("embedding.key must be one line of ASCII characters.")
        self._url = base_url.rstrip("/") + "/embeddings"
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._pause = pause
        self.identity = ModelIdentity(model, base_url.rstrip("/"), dimensions)

    def embed(self, texts: Sequence[str]) -> Floats:
        parts = [self._batch(texts[start : start + BATCH_TEXTS_MAX]) for start in range(0, len(texts), BATCH_TEXTS_MAX)]
        if not parts:
            return np.zeros((0, self.identity.dimensions), np.float32)
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Floats:
        return np.asarray(self._batch([text], attempts=1)[0], np.float32)

    def _batch(self, texts: Sequence[str], *, attempts: int = ATTEMPTS_MAX) -> Floats:
        asked = {
            "model": self.identity.name,
            "input": [text[:TEXT_CHARACTERS_MAX].replace("\n", " ") or " " for text in texts],
            "dimensions": self.identity.dimensions,
            "encoding_format": "float",
        }
        answer = self._post(json.dumps(asked).encode(), attempts)
        try:
            rows = sorted(answer["data"], key=lambda one: one["index"])
            vectors = np.array([row["embedding"] for row in rows], np.float64)
        except (KeyError, TypeError, ValueError) as error:
            raise EmbedderDown(f"{self._url} answered something that is no list of embeddings.") from error
        return unit_rows(vectors, self.identity, len(texts))

    def _post(self, body: bytes, attempts: int) -> Any:
        headers = {"content-type": "application/json", "user-agent": "hansard"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, data=body, headers=headers)  # noqa: S310 - checked above
        problem = "no answer"
        for attempt in range(attempts):
            if attempt:
                self._pause(BACKOFF_SECONDS * 2 ** (attempt - 1))
            try:
                with _OPENER.open(request, timeout=self._timeout_seconds) as response:
                    return json.loads(response.read(ANSWER_BYTES_MAX))
            except urllib.error.HTTPError as error:
                problem = f"status {error.code}"
                if error.code not in _RETRIED_STATUS:
                    break
            except RecursionError:
                problem = "an answer nested too deeply"
                break
            except (OSError, ValueError, http.client.HTTPException) as error:
                problem = str(getattr(error, "reason", "")) or type(error).__name__
        raise EmbedderDown(f"{self._url} did not answer: {problem}.")


def _parsed(address: str) -> urllib.parse.SplitResult | None:
    try:
        return urllib.parse.urlsplit(address)
    except ValueError:
        return None
