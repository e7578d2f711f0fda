"""Embedding over HTTP: batches, order, patience, and one kind of error whatever the provider does."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from hansard.domain.errors import HansardError, Invalid
from hansard.embedding.http import (
    ANY_REVISION,
    ATTEMPTS_MAX,
    BACKOFF_SECONDS,
    BATCH_TEXTS_MAX,
    TEXT_CHARACTERS_MAX,
    HttpEmbedder,
)
from hansard.embedding.ports import EmbedderDown, ModelIdentity, TextRefused
from support import provider as scripted
from support.provider import Provider, Reply, serving

DIMENSIONS = 64
KEY = "sk-very-secret"
BACKOFFS = [BACKOFF_SECONDS * 2**attempt for attempt in range(ATTEMPTS_MAX - 1)]


@pytest.fixture
def waits() -> list[float]:
    """How long the embedder wanted to wait, instead of waiting."""
    return []


@pytest.fixture
def embedder(provider: Provider, waits: list[float]) -> HttpEmbedder:
    return make(provider.url, waits)


def make(url: str, waits: list[float], *, key: str | None = KEY, timeout_seconds: float = 10.0) -> HttpEmbedder:
    return HttpEmbedder(
        base_url=url, model="text-small", dimensions=DIMENSIONS, key=key, timeout_seconds=timeout_seconds,
        pause=waits.append,
    )  # fmt: skip


@contextmanager
def listening(line: bytes) -> Iterator[str]:
    """A port where somebody answers every connection with a few bytes that are no HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        closing = threading.Event()

        def answer() -> None:
            while not closing.is_set():
                connection, _ = server.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(line)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        finally:
            closing.set()
            socket.create_connection(server.getsockname()).close()
            thread.join()


def test_texts_become_unit_vectors_in_their_own_order(provider: Provider, embedder: HttpEmbedder) -> None:
    texts = ["alpha beta", "gamma", "alpha beta"]
    vectors = embedder.embed(texts)
    expected = np.array([scripted.vector(text, DIMENSIONS) for text in texts], np.float64)
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(expected, abs=1e-6)
    assert provider.asked[0]._replace(key=None) == ("text-small", tuple(texts), DIMENSIONS, None)
    assert not embedder.is_local


def test_the_identity_is_model_revision_and_dimensions_and_not_the_address(embedder: HttpEmbedder) -> None:
    assert embedder.identity == ModelIdentity("text-small", ANY_REVISION, DIMENSIONS)
    assert make("https://elsewhere.example/v1", []).identity == embedder.identity


def test_many_texts_go_in_batches(provider: Provider, embedder: HttpEmbedder) -> None:
    texts = [f"word{number}" for number in range(2 * BATCH_TEXTS_MAX + 5)]
    vectors = embedder.embed(texts)
    assert [len(one.texts) for one in provider.asked] == [BATCH_TEXTS_MAX, BATCH_TEXTS_MAX, 5]
    assert provider.texts == texts
    for place, text in enumerate(texts):
        assert int(vectors[place].argmax()) == int(np.argmax(scripted.vector(text, DIMENSIONS)))


def test_no_texts_are_not_asked_for(provider: Provider, embedder: HttpEmbedder) -> None:
    assert embedder.embed([]).shape == (0, DIMENSIONS)
    assert provider.asked == []


def test_a_text_is_never_sent_empty_or_endless(provider: Provider, embedder: HttpEmbedder) -> None:
    embedder.embed(["", "a\nb", "x" * (TEXT_CHARACTERS_MAX + 1)])
    assert provider.texts == [" ", "a b", "x" * TEXT_CHARACTERS_MAX]


def test_the_key_is_sent_as_a_bearer(provider: Provider, embedder: HttpEmbedder) -> None:
    embedder.embed(["a"])
    make(provider.url, [], key=None).embed(["a"])
    assert [one.key for one in provider.asked] == [f"Bearer {KEY}", None]


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504, 408])
def test_a_provider_in_trouble_is_asked_again_later(
    provider: Provider, embedder: HttpEmbedder, waits: list[float], code: int
) -> None:
    provider.script = [scripted.status(code)] * (ATTEMPTS_MAX - 1)
    assert embedder.embed(["alpha"]).any()
    assert len(provider.asked) == ATTEMPTS_MAX
    assert waits == BACKOFFS == sorted(BACKOFFS)


def test_after_some_attempts_it_gives_up(provider: Provider, embedder: HttpEmbedder, waits: list[float]) -> None:
    provider.always = scripted.status(500)
    with pytest.raises(EmbedderDown, match="did not answer: status 500"):
        embedder.embed(["alpha"])
    assert (len(provider.asked), waits) == (ATTEMPTS_MAX, BACKOFFS)


def test_somebody_who_waits_for_a_search_waits_for_one_try(
    provider: Provider, embedder: HttpEmbedder, waits: list[float]
) -> None:
    assert embedder.embed_query("alpha").shape == (DIMENSIONS,)
    provider.always = scripted.status(500)
    with pytest.raises(EmbedderDown):
        embedder.embed_query("alpha")
    assert (len(provider.asked), waits) == (2, [])


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_repeated(provider: Provider, embedder: HttpEmbedder, waits: list[float], code: int) -> None:
    provider.always = scripted.status(code)
    with pytest.raises(EmbedderDown, match=f"status {code}"):
        embedder.embed(["alpha"])
    assert (len(provider.asked), waits) == (1, [])


def test_one_batch_that_fails_fails_all(provider: Provider, embedder: HttpEmbedder) -> None:
    provider.script = [scripted.good, *[scripted.status(500)] * ATTEMPTS_MAX]
    with pytest.raises(EmbedderDown):
        embedder.embed(["x"] * (BATCH_TEXTS_MAX + 1))


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (scripted.wrong_dimensions, r"shape \(2, 65\), not \(2, 64\)"),
        (scripted.too_few, r"shape \(1, 64\), not \(2, 64\)"),
        (scripted.not_a_number, "not finite"),
        (scripted.infinite, "not finite"),
        (scripted.malformed, "did not answer|no list of embeddings"),
        (scripted.cut_short, "did not answer|no list of embeddings"),
        (scripted.nested, "did not answer|no list of embeddings"),
        (scripted.body(""), "did not answer|no list of embeddings"),
        (scripted.body("[]"), "no list of embeddings"),
        (scripted.body("null"), "no list of embeddings"),
        (scripted.body('{"data": null}'), "no list of embeddings"),
        (scripted.body('{"data": [{"embedding": [1]}]}'), "no list of embeddings"),
        (scripted.body('{"data": [{"index": 0, "embedding": "abc"}]}'), "no list of embeddings"),
        (scripted.body('{"data": [{"index": 0, "embedding": [1]}, {"index": "a", "embedding": [1]}]}'), "no list"),
        (scripted.body('{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}'), "no list"),
        (scripted.body('{"error": {"message": "quota"}}'), "no list of embeddings"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused_in_one_sentence(
    provider: Provider, embedder: HttpEmbedder, reply: Reply, told: str
) -> None:
    provider.always = reply
    with pytest.raises(EmbedderDown, match=told) as caught:
        embedder.embed(["alpha", "beta"])
    assert caught.value.code == "embedding.down"
    assert KEY not in caught.value.message
    assert "\n" not in caught.value.message


def test_enormous_numbers_are_only_a_direction(provider: Provider, embedder: HttpEmbedder) -> None:
    provider.always = scripted.enormous
    assert embedder.embed(["alpha"])[0].tolist() == pytest.approx([DIMENSIONS**-0.5] * DIMENSIONS)


def test_an_answer_that_comes_too_late_is_no_answer(provider: Provider, waits: list[float]) -> None:
    provider.always = provider.slow
    with pytest.raises(EmbedderDown, match=r"did not answer: .*[Tt]ime"):
        make(provider.url, waits, timeout_seconds=0.1).embed(["alpha"])
    assert waits == BACKOFFS


def test_nobody_at_the_address_is_no_answer(waits: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(EmbedderDown, match="refused"):
        make(f"http://127.0.0.1:{port}/v1", waits).embed(["alpha"])
    assert waits == BACKOFFS


@pytest.mark.parametrize("line", [b"HELLO\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00\xff\n", b""], ids=repr)
def test_somebody_who_speaks_no_http_is_no_answer(line: bytes, waits: list[float]) -> None:
    with listening(line) as url, pytest.raises(EmbedderDown, match="did not answer"):
        make(url, waits).embed(["alpha"])


@pytest.mark.parametrize("url", ["ftp://example.org", "example.org", "", "file:///etc/passwd"])
def test_only_http_addresses_are_taken(url: str) -> None:
    with pytest.raises(Invalid, match="http:// or https://"):
        make(url, [])


@pytest.mark.parametrize("url", ["http://[", "http://a b/v1", "http://", "http://127.0.0.1:99999/v1", "http://x:y/v1"])
def test_an_address_that_leads_nowhere_is_an_error_with_a_message(url: str) -> None:
    with pytest.raises(HansardError):
        make(url, []).embed(["alpha"])


@pytest.mark.parametrize("key", ["line\nbreak-secret", "sécrèt→key"])
def test_a_key_that_cannot_be_sent_is_not_shown_either(provider: Provider, key: str) -> None:
    with pytest.raises(HansardError) as caught:
        make(provider.url, [], key=key).embed(["alpha"])
    assert "secret" not in caught.value.message
    assert "key" not in caught.value.message.replace("embedding.key", "")


def test_the_key_never_follows_to_another_address(provider: Provider, embedder: HttpEmbedder) -> None:
    with serving() as stranger:
        provider.always = scripted.moved(stranger.url)
        with pytest.raises(EmbedderDown):
            embedder.embed(["alpha"])
        assert stranger.asked == []


def test_an_answer_that_drips_is_cut_when_the_time_is_up(provider: Provider) -> None:
    provider.always = scripted.dripping
    embedder = make(provider.url, [], timeout_seconds=0.3)
    start = time.monotonic()
    with pytest.raises(EmbedderDown, match=r"the time of 0\.3 s is up"):
        embedder.embed_query("alpha")
    assert time.monotonic() - start < 3


def test_numbers_beyond_any_float_are_no_answer(provider: Provider) -> None:
    provider.always = scripted.body('{"data": [{"index": 0, "embedding": [' + "9" * 400 + "]}]}")
    with pytest.raises(EmbedderDown, match="no list of embeddings"):
        make(provider.url, []).embed_query("alpha")


@pytest.mark.parametrize("code", [400, 413, 422])
def test_a_refused_text_is_told_from_a_provider_that_is_down(provider: Provider, code: int) -> None:
    provider.always = scripted.status(code)
    with pytest.raises(TextRefused):
        make(provider.url, []).embed(["alpha"])
    assert len(provider.asked) == 1


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(Invalid, match=r"embedding\.key"):
        make("http://ana:s3cret@127.0.0.1:1/v1", [])


def test_somebody_in_a_hurry_gets_one_try(provider: Provider) -> None:
    provider.always = scripted.status(503)
    with pytest.raises(EmbedderDown):
        make(provider.url, []).embed(["alpha"], patient=False)
    assert len(provider.asked) == 1
