"""What is told of a place to somebody who is not at the machine."""

import pytest

from hansard.domain.errors import GitFailed
from hansard.domain.whereabouts import without_places

SHOP = "/srv/my shop"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{SHOP} is gone.", "The project's folder is gone."),
        (f"Bad line in {SHOP}/.git/config", "Bad line in the project's folder/.git/config"),
        ("Not a directory: '/opt/data/x.db'.", "Not a directory: '…'."),
        ("Look into /opt/data. Then go on.", "Look into …. Then go on."),
        ("Look into ~/data/x, please", "Look into …, please"),
    ],
)
def test_a_folder_is_named_by_what_it_is_and_another_place_not_at_all(text: str, told: str) -> None:
    assert without_places(text, [SHOP]) == told


@pytest.mark.parametrize(
    "text", ["see https://a.example/x/y", ".squad/decisions/a.md differs", "and/or/both", "org/model-2/x", "50 / 3 / 2"]
)
def test_what_is_no_place_of_the_machine_stays(text: str) -> None:
    assert without_places(text, [SHOP, "/", ""]) == text


def test_a_folder_whose_name_only_begins_alike_is_another_one() -> None:
    assert without_places("/srv/shop2 and /srv/shop", ["/srv/shop"]) == "… and the project's folder"
    assert without_places("/srv/shop/in and /srv/shop", ["/srv/shop", "/srv/shop/in"]) == (
        "The project's folder and the project's folder"
    )


def test_an_error_tells_at_the_machine_what_it_hides_abroad() -> None:
    error = GitFailed(f"git commit failed in {SHOP}: no", SHOP)

    assert error.message == str(error) == f"git commit failed in {SHOP}: no"
    assert error.told_abroad == "git commit failed in the project's folder: no"
