"""Names of columns: how they are compared, and which thing each names."""

from __future__ import annotations

import pytest

from gradeval.files.column_names import (
    find_documents,
    first_usual,
    is_name_of_id,
    normal_name,
    place_among_runs,
    places_by_name,
    show_names,
)


@pytest.mark.parametrize(
    ("name", "normal"),
    [("Query-ID", "query_id"), (" doc.id ", "doc_id"), ("item_id:token", "item_id"), ("title:token_seq", "title")],
)
def test_names_are_compared_in_one_spelling(name: str, normal: str) -> None:
    assert normal_name(name) == normal


def test_of_several_usual_names_the_first_one_counts() -> None:
    names = ["docid", "DocNo", "text", "docno"]
    assert places_by_name(names) == {"docid": 0, "docno": 1, "text": 2}
    assert first_usual(places_by_name(names), ["doc_id", "docno", "docid"]) == 1
    assert find_documents(names) == "DocNo"
    assert find_documents(["text"]) is None


def test_names_that_are_usual_for_runs_come_before_others() -> None:
    assert sorted(["colour", "tag", "Run-ID", "run"], key=place_among_runs) == ["run", "Run-ID", "tag", "colour"]


def test_names_in_messages_are_a_few() -> None:
    assert show_names(["a", " ", "c"], 2) == "a, one without a name and 1 more"
    assert show_names([]) == "no columns"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in "unit_id srch_id itemNo item-no productKey listingID user_id docno userid".split()),
        *((name, False) for name in "bid paid valid grid bm25 price no_of_words keyed id_share casino keynote".split()),
    ],
)
def test_names_of_ids_are_told_by_their_last_word(name: str, expected: bool) -> None:
    assert is_name_of_id(name) is expected


@pytest.mark.parametrize("name", ["listing_id", "Listing-ID", "hotel_id", "prop_id", "offer_id", "job_id", "adId"])
def test_ids_of_what_shops_and_markets_list_name_documents(name: str) -> None:
    assert find_documents(["search_id", "price", name]) == name
    assert find_documents([name, "doc_id"]) == "doc_id"
