"""Names of columns: how they are compared, and which thing each names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import InputError, read_qrels, read_run
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


def test_the_detailed_export_of_quepid_is_judgments_and_a_run(tmp_path: Path) -> None:
    path = tmp_path / "case.csv"
    head = "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,Field1"
    path.write_text(f"{head}\nShop,A,7,lamp,x,1,X,0,f\nShop,A,7,lamp,y,2,Y,3,f\nShop,A,7,sofa,y,1,Y,,f\n")
    assert read_qrels(path).to_dict() == {"lamp": {"x": 0, "y": 3}}
    run = read_run(path)
    assert {topic: list(run.of(topic)) for topic in run.topics} == {"lamp": ["x", "y"], "sofa": ["y"]}


def test_the_text_of_a_query_is_the_topic_only_where_no_id_is(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_text("query_text,query_id,doc_id,grade\nlamp,q1,x,1\n")
    assert read_qrels(path).to_dict() == {"q1": {"x": 1}}


def test_an_id_that_ends_as_a_usual_one_is_not_nearly_that_one(tmp_path: Path) -> None:
    path = tmp_path / "case.csv"
    path.write_text("Case ID,Query Text,Score,Notes,Count\n77,lamp,0.3,,1\n77,sofa,0.9,,1\n")
    with pytest.raises(InputError, match="no column is known to hold the documents") as error:
        read_run(path)
    assert "course_id" not in str(error.value)
    assert "doc=Case ID" not in str(error.value)
    path.write_text("query,prodct_id,score\nlamp,a,0.3\nlamp,b,0.9\n")
    with pytest.raises(InputError, match="'prodct_id' is nearly 'product_id'"):
        read_run(path)
