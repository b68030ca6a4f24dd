"""The virtual users of Scheel, Lommatzsch & Albayrak's figures."""

from __future__ import annotations

import pytest

from gradeval.papers.swaps import swaps
from gradeval.papers.texts.scheel11 import ITEMS
from gradeval.papers.virtual_users import virtual_users

BY_NAME = {item.name: item for item in ITEMS}


@pytest.mark.parametrize(
    ("figure", "users"), [("figure6", ["labels"]), ("figure7", ["1:ranks"]), ("figure8", ["1:ranks", "9:values"])]
)
def test_users_are_the_labels_the_first_feature_and_the_ninth(figure: str, users: list[str]) -> None:
    item = BY_NAME[figure]
    assert item.study == virtual_users.__name__
    assert str(item.settings["users"]).split(",") == users


def test_only_the_second_figure_of_made_data_has_unequal_shares() -> None:
    made = {name: item.settings for name, item in BY_NAME.items() if item.study == swaps.__name__}
    assert made == {"figure4": {}, "figure5": {"shares": "dirichlet:0.5"}}
