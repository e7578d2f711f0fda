"""What is computed of texts before they are stored: the same for a batch of any size, in little memory."""

import tracemalloc

import pytest

from hansard.embedding.static import bundled
from hansard.index import prepare as preparing
from hansard.index.prepare import prepare

TEXTS = ["The upload retries three times.", "", "word " * 4_000, "Ask Ana on Monday, 2026-03-02?", "x" * 5_000, "last"]


@pytest.mark.parametrize("characters", [1, 100, 6_000])
def test_a_batch_is_prepared_in_portions_as_it_is_at_once(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bundled()
    at_once = prepare(TEXTS, model, model)
    monkeypatch.setattr(preparing, "PREPARED_CHARACTERS", characters)

    assert prepare(TEXTS, model, model) == at_once
    assert len(at_once) == len(TEXTS)
    assert len(at_once[2]) > 1


def test_a_large_batch_takes_little_more_memory_than_what_comes_of_it() -> None:
    model = bundled()
    texts = [f"{number} " + f"word{number} " * 2_000 for number in range(100)]
    prepare(texts[:1], model, model)
    tracemalloc.start()
    try:
        kept = prepare(texts, model, model)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(kept) == 100
    assert peak - held < 16_000_000
