"""Names of columns: which is which."""

from __future__ import annotations

from itertools import permutations

import pytest

from gradeval import InputError
from gradeval.files.column_names import GUESSED, Columns, are_known, choose_columns, normal_name


@pytest.mark.parametrize(
    ("name", "normal"),
    [("Query-ID", "query_id"), (" doc.id ", "doc_id"), ("item_id:token", "item_id"), ("title:token_seq", "title")],
)
def test_names_are_compared_in_one_spelling(name: str, normal: str) -> None:
    assert normal_name(name) == normal


@pytest.mark.parametrize("names", [*permutations(["query-id", "text", "Doc_ID", "score"])])
def test_usual_names_are_found_wherever_they_stand(names: tuple[str, ...]) -> None:
    assert are_known(names, "run", GUESSED)
    chosen = choose_columns(names, "run", GUESSED, "run.csv")
    found = tuple(names[place] for place in chosen[:3] if place is not None)
    assert found == ("query-id", "Doc_ID", "score")


def test_names_that_are_given_go_before_usual_ones() -> None:
    columns = Columns.parse("query=q, doc=d, grade=rating")
    assert Columns.of({"query": "q", "doc": "d", "grade": "rating"}) == columns
    names = ["query_id", "q", "doc_id", "d", "rating", "relevance"]
    chosen = choose_columns(names, "qrels", columns, "qrels.csv")
    assert [names[place] for place in chosen[:3] if place is not None] == ["q", "d", "rating"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query", "'query' names no column"),
        ("query=a,query=b", "names the column query twice"),
        ("quury=a", r"no column is called 'quury' \(did you mean query"),
        ("score=a,rank=b", "by a score or by a rank, not by both"),
    ],
)
def test_what_names_no_columns_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Columns.parse(text)
