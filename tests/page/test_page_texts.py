from __future__ import annotations

import json

import pytest

from gradeval.files.texts import Text
from gradeval.page.page_texts import CUTS, MOST_BYTES, PageTexts, fit_texts


def test_topics_go_by_labels_where_they_have_a_query() -> None:
    texts = PageTexts({"1": Text("", "what\u202eis it"), "2": Text("", "w" * 400)})
    assert texts.label("1") == "1 · \u2068what\\u202eis it\u2069"
    assert texts.label("2").endswith("w…\u2069")
    assert len(texts.label("2")) < 200
    assert (texts.label("3"), texts.cells("3"), texts.cells("1")) == ("3", [None], ["what\u202eis it"])
    assert (PageTexts().label("1"), PageTexts().cells("1"), PageTexts().tell("1")) == ("1", [], [])
    assert texts.tell("1", "3", "1") == ["Topic 1 asks: what\u202eis it"]


@pytest.mark.parametrize("letter", ["w", "字"])
@pytest.mark.parametrize("number", [1, 300, 3_000, 30_000])
def test_texts_are_cut_to_the_room_of_a_page(letter: str, number: int) -> None:
    """The longest cut that fits: the one before it does not."""
    found = {f"d{n}": Text(letter * 40, letter * 400) for n in range(number)}
    ranks = [{f"d{n}": n % 50 for n in range(start, min(number, start + 100))} for start in range(0, number, 100)]
    shown, letters, depth = fit_texts(found, ranks)

    def size(letters: int, depth: int | None) -> int:
        parts = [letter * 40 if letters >= 40 else "", letter * (letters - 1) + "…"]
        written = len(json.dumps(parts))
        kept = [name for topic in ranks for name, rank in topic.items() if depth is None or rank < depth]
        return sum(written + len(name) for name in kept)

    fitting = [cut for cut in CUTS if size(*cut) <= MOST_BYTES]
    assert (letters, depth) == (fitting or CUTS[-1:])[0]
    for topic, known in zip(ranks, shown, strict=True):
        assert [*known] == [name for name, rank in topic.items() if depth is None or rank < depth]
