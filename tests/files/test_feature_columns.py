"""Which columns of a table are what: as the user says, else by their names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import FeaturesWarning
from gradeval.files.feature_columns import FeatureColumns
from gradeval.files.named_columns import Columns
from gradeval.files.readers import read_features

SHOP = "srch_id,unit_id,clicked,title,price,stars\n1,7,0,inn,10,3\n1,8,1,spa,20,4\n2,7,1,inn,30,5\n"


def given(columns: str = "", leave_out: str = "") -> FeatureColumns:
    return FeatureColumns.of(Columns.parse(columns) if columns else None, leave_out.split(",") if leave_out else None)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.csv").write_text(SHOP)
    return tmp_path / "shop.csv"


def test_the_columns_that_the_user_names_are_taken_and_others_left_out(shop: Path) -> None:
    said = given("query=srch_id,doc=Unit_ID,grade=clicked", "TITLE")
    features = read_features(shop, given=said)
    assert (features.topics, features.docs, features.columns) == (["1", "2"], ["7", "8", "7"], ("price", "stars"))
    assert features.grades.tolist() == [0, 1, 1]
    said.require_met()


@pytest.mark.parametrize(
    ("columns", "leave_out", "refused"),
    [
        ("query=srch_id,grade=clickd", "title", "--columns grade=clickd: nothing that was read has a column 'clickd'"),
        ("query=srch_id", "title,pric", "--leave-out pric: nothing that was read has a column 'pric' (did you mean pr"),
    ],
)
def test_names_that_no_file_has_are_refused_once_all_are_read(
    columns: str, leave_out: str, refused: str, shop: Path
) -> None:
    said = given(columns, leave_out)
    read_features(shop, given=said)
    assert refused in said_of(said.require_met)


@pytest.mark.parametrize(
    ("columns", "leave_out", "refused"),
    [
        ("score=price", "", "--columns score=price: features have no such column; accepted are query, doc and grade"),
        ("query=srch_id,doc=srch_id", "title", "column 'srch_id' is named for two things"),
        ("query=srch_id,doc=unit_id", "title,price,stars,clicked", "no column with a feature besides srch_id, unit_id"),
        (
            "query=1",
            "title",
            "--columns query=1 is no name of its columns; write a name in place of the number (it has s",
        ),
        ("query=srch_id", "srch_id", "no column is known to hold the queries"),
    ],
)
def test_what_cannot_be_meant_is_refused(columns: str, leave_out: str, refused: str, shop: Path) -> None:
    assert refused in said_of(lambda: read_features(shop, given=given(columns, leave_out)))


def test_the_features_of_a_ranker_are_taken_in_its_order_and_other_columns_named(shop: Path) -> None:
    said = replace(given("query=srch_id"), wanted=("stars", "price"))
    with pytest.warns(
        FeaturesWarning,
        match="unit_id, clicked, title: left out, as the ranker is trained on stars, price; documents are called",
    ):
        features = read_features(shop, given=said)
    assert (features.columns, features.X.tolist()) == (("stars", "price"), [[3, 10], [4, 20], [5, 30]])


def test_features_of_letor_text_are_left_out_by_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:5 2:6 3:7\n0 qid:1 1:8 2:9 3:1\n")
    features = read_features(tmp_path / "a.txt", given=given("", "2"))
    assert (features.columns, features.X.tolist()) == (("1", "3"), [[5, 7], [8, 1]])
    assert "LETOR text has none with a name; leave it out" in said_of(
        lambda: read_features(tmp_path / "a.txt", given=given("query=q"))
    )


def test_documents_without_a_name_are_told_where_an_id_is_left_out(shop: Path) -> None:
    said = replace(given("query=srch_id"), wanted=("stars", "price"))
    with pytest.warns(FeaturesWarning, match="if 'unit_id' names them: --columns doc=unit_id$"):
        read_features(shop, given=said)
    named = replace(given("query=srch_id,doc=unit_id"), wanted=("stars", "price"))
    with pytest.warns(FeaturesWarning, match="trained on stars, price$"):
        assert read_features(shop, given=named).docs == ["7", "8", "7"]


def test_a_feature_of_a_ranker_that_a_table_spells_otherwise_is_named(shop: Path) -> None:
    said = replace(given("query=srch_id"), wanted=("stars", "Price"))
    error = said_of(lambda: read_features(shop, given=said))  # rather than its column of titles
    assert error.endswith(
        "lacks Price, which the ranker was trained on (did you mean price?); call column 'price' 'Price'"
    )
    assert "title" not in error


def test_a_feature_of_a_ranker_that_a_table_lacks_is_named_before_its_other_columns(shop: Path) -> None:
    """None of a ranker's features can be left out, and the words of others are no matter."""
    error = said_of(
        lambda: read_features(shop, given=replace(given("query=srch_id"), wanted=("stars", "age", "distance")))
    )
    assert "lacks age, distance, which the ranker was trained on; add them (it has unit_id, clicked, title" in error
    assert "leave" not in error


def test_words_in_a_feature_of_a_ranker_are_to_be_numbers(shop: Path, tmp_path: Path) -> None:
    error = said_of(lambda: read_features(shop, given=replace(given("query=srch_id"), wanted=("title", "price"))))
    assert error == (
        f"{shop}: column 'title' (line 2: 'inn') holds no numbers, and the ranker was trained on numbers there; write "
        "numbers in place of the words"
    )
    (tmp_path / "some.csv").write_text(SHOP.replace("20,4", "cheap,4"))
    some = said_of(
        lambda: read_features(tmp_path / "some.csv", given=replace(given("query=srch_id"), wanted=("price",)))
    )
    assert some.endswith("(line 3: 'cheap'); write a number there or, where the value is missing, give None")
