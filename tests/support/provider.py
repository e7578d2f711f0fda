"""A scripted model endpoint: a real HTTP server on loopback that speaks the shape of OpenAI's embeddings."""

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

SLOW_SECONDS_MAX = 30.0


class Asked(NamedTuple):
    """A request as it arrived."""

    model: str
    texts: tuple[str, ...]
    dimensions: int
    key: str | None


class Answer(NamedTuple):
    """What goes back. With `promised` the header claims so many bytes, however many there are; a drip is slow."""

    status: int
    body: bytes
    promised: int | None = None
    location: str | None = None
    drip_seconds: float = 0.0


Reply = Callable[[Asked], Answer]


def vector(text: str, dimensions: int) -> list[float]:
    """The same words give the same direction; the length is anything but one."""
    parts = [0.0] * dimensions
    for word in text.lower().split():
        parts[zlib.crc32(word.strip(".,?!").encode()) % dimensions] += 3.0
    return parts


def rows(asked: Asked, dimensions: int | None = None) -> list[dict[str, Any]]:
    size = asked.dimensions if dimensions is None else dimensions
    return [{"index": place, "embedding": vector(text, size)} for place, text in enumerate(asked.texts)]


def of(data: object) -> Answer:
    return Answer(200, json.dumps({"object": "list", "data": data}).encode())


def good(asked: Asked) -> Answer:
    """Out of order on purpose: the index says which text an embedding belongs to."""
    return of(rows(asked)[::-1])


def wrong_dimensions(asked: Asked) -> Answer:
    return of(rows(asked, asked.dimensions + 1))


def too_few(asked: Asked) -> Answer:
    return of(rows(asked)[1:])


def not_a_number(asked: Asked) -> Answer:
    return of([one | {"embedding": [float("nan")] * asked.dimensions} for one in rows(asked)])


def infinite(asked: Asked) -> Answer:
    return of([one | {"embedding": [float("inf")] * asked.dimensions} for one in rows(asked)])


def enormous(asked: Asked) -> Answer:
    return of([one | {"embedding": [1e300] * asked.dimensions} for one in rows(asked)])


def malformed(asked: Asked) -> Answer:
    return Answer(200, b'{"data": [{"index": 0, "embe')


def cut_short(asked: Asked) -> Answer:
    whole = good(asked).body
    return Answer(200, whole[: len(whole) // 2], promised=len(whole))


def dripping(asked: Asked) -> Answer:
    return good(asked)._replace(drip_seconds=0.05)


def nested(asked: Asked) -> Answer:
    return Answer(200, b"[" * 200_000)


def status(code: int) -> Reply:
    return lambda _: Answer(code, b'{"error": {"message": "try again later"}}')


def body(text: str) -> Reply:
    return lambda _: Answer(200, text.encode())


def moved(url: str) -> Reply:
    return lambda _: Answer(302, b"", location=f"{url}/embeddings")


class Provider:
    """What the server was asked, and what it answers: the script first, then `always`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.script: list[Reply] = []
        self.always: Reply = good
        self.release = threading.Event()
        self.entered = threading.Event()
        self.url = ""

    @property
    def texts(self) -> list[str]:
        return [text for one in self.asked for text in one.texts]

    def slow(self, asked: Asked) -> Answer:
        """Answers when released, and says that it was entered."""
        self.entered.set()
        self.release.wait(SLOW_SECONDS_MAX)
        return good(asked)

    def reply(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        return (self.script.pop(0) if self.script else self.always)(asked)


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._answer(
                Asked(said["model"], tuple(said["input"]), said["dimensions"], self.headers.get("authorization"))
            )

        def do_GET(self) -> None:
            self._answer(Asked("", (), 0, self.headers.get("authorization")))

        def _answer(self, asked: Asked) -> None:
            answer = provider.reply(asked)
            # Whoever lost patience has closed the connection; that is no failure of the server.
            with suppress(OSError):
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                size = len(answer.body) if answer.promised is None else answer.promised
                self.send_header("content-length", str(size))
                if answer.location is not None:
                    self.send_header("location", answer.location)
                self.end_headers()
                step = 1 if answer.drip_seconds else max(1, len(answer.body))
                for start in range(0, len(answer.body), step):
                    self.wfile.write(answer.body[start : start + step])
                    provider.release.wait(answer.drip_seconds)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing: what was asked is kept by the provider."""

    return Handler


@contextmanager
def serving() -> Iterator[Provider]:
    """A provider on a free port of this machine, for as long as the block lasts."""
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        provider.release.set()
        server.shutdown()
        thread.join()
        server.server_close()
