"""Pages: how much one call may ask for."""

import pytest

from hansard.domain.errors import Invalid
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Page, Window, window


@pytest.mark.parametrize("limit", [1, 100, PAGE_ITEMS_MAX])
def test_a_limit_within_bounds_is_taken(limit: int) -> None:
    assert window(limit, None) == Window(limit)


@pytest.mark.parametrize("limit", [0, -1, PAGE_ITEMS_MAX + 1, 2**70, True, 1.5, "5", None])
def test_any_other_limit_is_refused(limit: object) -> None:
    with pytest.raises(Invalid, match="whole number from 1 to 1000"):
        window(limit, None)  # type: ignore[arg-type]


def test_an_empty_cursor_is_the_beginning() -> None:
    assert window(5, "").cursor is None
    assert window(5, "x").cursor == "x"


def test_a_page_ends_unless_it_says_where_to_go_on() -> None:
    assert Page((1, 2)).next_cursor is None
