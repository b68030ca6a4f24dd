"""What an item of a text is called, and which texts there are."""

from __future__ import annotations

import pytest

from gradeval import InputError
from gradeval.papers.item import Item, require_text


def test_an_item_is_called_by_the_two_words_of_its_command() -> None:
    assert str(Item("ferro14", "table2", "Is it so?", "ranks", "QRELS RUNS...", "runs")) == "ferro14 table2"


def test_an_unknown_text_is_one_line_with_the_nearest_one() -> None:
    require_text("sakai05")
    with pytest.raises(
        InputError, match=r"^there is no text 'sakai06' \(did you mean sakai05\?\); there are robertson10, "
    ):
        require_text("sakai06")
