"""Owns embedding over HTTP in the shape of OpenAI's API: batches, retries with back-off, a time limit."""

import http.client
import json
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

import numpy as np

from hansard.domain.errors import Invalid
from hansard.embedding.ports import EmbedderDown, Floats, ModelIdentity, TextRefused, unit_rows

ANY_REVISION = "http"
BATCH_TEXTS_MAX = 128
TEXT_CHARACTERS_MAX = 24_000
ATTEMPTS_MAX = 3
BACKOFF_SECONDS = 0.5
ANSWER_BYTES_MAX = 64 * 1024 * 1024
_RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


_REFUSED_STATUS = frozenset({400, 413, 422})
"""What a provider answers to a text it does not take: too long, or not to its taste."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A provider that sends us elsewhere would send our key along."""

    def redirect_request(self, *_: object) -> None:
        return None


class _Deadline:
    """Ends every connection made under it once the time is up; a limit on each read alone can be dripped past."""

    def __init__(self, seconds: float) -> None:
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self.passed = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def opener(self) -> urllib.request.OpenerDirector:
        return urllib.request.build_opener(_NoRedirect, _Watched(self._sockets), _WatchedTls(self._sockets))

    def _cut(self) -> None:
        self.passed = True
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _watched(kind: type[http.client.HTTPConnection], sockets: list[socket.socket]) -> Any:
    class Connection(kind):  # type: ignore[valid-type, misc]
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    return Connection


class _Watched(urllib.request.HTTPHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPConnection, self._sockets), req)


class _WatchedTls(urllib.request.HTTPSHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPSConnection, self._sockets), req)


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
        revision: str = ANY_REVISION,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = _parsed(base_url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or not base_url.isprintable():
            raise Invalid("embedding.base_url must be an address that starts with http:// or https://.")
        if parts.username is not None or parts.password is not None:
            raise Invalid("embedding.base_url must not hold a name or a password; give the key as embedding.key.")
        if key is not None and not (key.isprintable() and key.isascii()):
            raise Invalid("embedding.key must be one line of ASCII characters.")
        self._url = base_url.rstrip("/") + "/embeddings"
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._pause = pause
        # Not the address: a provider that moved to another port or host still has the same model.
        self.identity = ModelIdentity(model, revision, dimensions)

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> Floats:
        attempts = ATTEMPTS_MAX if patient else 1
        parts = [
            self._batch(texts[start : start + BATCH_TEXTS_MAX], attempts=attempts)
            for start in range(0, len(texts), BATCH_TEXTS_MAX)
        ]
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
        except (KeyError, TypeError, ValueError, OverflowError) as error:
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
            deadline = _Deadline(self._timeout_seconds)
            try:
                with deadline, deadline.opener().open(request, timeout=self._timeout_seconds) as response:
                    return json.loads(response.read(ANSWER_BYTES_MAX))
            except urllib.error.HTTPError as error:
                problem = f"status {error.code}"
                if error.code in _REFUSED_STATUS:
                    raise TextRefused(f"{self._url} did not answer: {problem}.") from None
                if error.code not in _RETRIED_STATUS:
                    break
            except RecursionError:
                problem = "an answer nested too deeply"
                break
            except (OSError, ValueError, http.client.HTTPException) as error:
                problem = str(getattr(error, "reason", "")) or type(error).__name__
                if deadline.passed:
                    problem = f"the time of {self._timeout_seconds:g} s is up"
        raise EmbedderDown(f"{self._url} did not answer: {problem}.")


def _parsed(address: str) -> urllib.parse.SplitResult | None:
    try:
        return urllib.parse.urlsplit(address)
    except ValueError:
        return None
