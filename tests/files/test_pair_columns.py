"""Tables of users and the items that they took, without grades: each pair is relevant, once."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from table_forms import FILES, TABLE_FORMS, TEXTS, read_table, write_table

from gradeval import InputError, evaluate, read_qrels
from gradeval.files.named_columns import Columns
from gradeval.files.pair_columns import find_relevant_pairs

NAMES = {
    "user,item": ("user", "item", None),
    "item,timestamp,user": ("user", "item", "timestamp"),
    "reviewerID,asin,unixReviewTime": ("reviewerID", "asin", "unixReviewTime"),
    "date,query-id,corpus-id": ("query-id", "corpus-id", "date"),
}
ROWS: list[tuple[str, str]] = [("u1", "a"), ("u2", "b"), ("u1", "c"), ("u1", "a"), ("u2", "b"), ("u1", "a")]
EXPECTED = {"u1": {"a": 1, "c": 1}, "u2": {"b": 1}}


def columns_of(names: str, rows: list[tuple[str, str]], **others: list[Any]) -> dict[str, list[Any]]:
    """The columns of a table with these names."""
    user, item, _ = NAMES[names]
    cells = {user: [row[0] for row in rows], item: [row[1] for row in rows]}
    return {name: cells.get(name, [881250949 + at for at in range(len(rows))]) for name in names.split(",")} | others


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("form", TABLE_FORMS)
@pytest.mark.parametrize(("rows", "repeated"), [(ROWS[:3], 0), (ROWS[:4], 1), (ROWS, 3)])
def test_each_pair_is_relevant_and_counts_once(
    form: str, names: str, rows: list[tuple[str, str]], repeated: int, tmp_path: Path
) -> None:
    read = read_table(form, columns_of(names, rows), tmp_path)
    assert read.qrels.to_dict() == EXPECTED
    assert "no grades: each row is relevant, grade 1" in read.said
    assert read.qrels.repeated == repeated


@pytest.mark.parametrize("number", [1, 7])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_users_and_items_may_be_numbers(form: str, number: int, tmp_path: Path) -> None:
    read = read_table(form, {"user": [number, 2, number], "item": [10, 20, 10]}, tmp_path)
    assert read.qrels.to_dict() == {str(number): {"10": 1}, "2": {"20": 1}}
    assert "relevance" not in read.said


IGNORED: dict[str, tuple[list[Any], str]] = {
    "quantity": ([1, 2, 3], "quantity does not count; to grade by quantity: "),
    "session": ([71, 71, 72], "session does not count; to grade by session: "),
    "price": ([0.5, 9.99, 3], "price does not count; to grade by price: "),
    "event": (
        ["view", "cart", "view"],
        "event does not count; to grade by event: --columns grade=event --recode cart=GRADE,view=GRADE",
    ),
    "brand": (
        ["Dis & Co", "", "Not"],
        "brand does not count; to grade by brand: --columns grade=brand --recode 'Dis & Co=GRADE,Not=GRADE'",
    ),
    "colour": (["a=b", "c", "d"], "colour does not count; to grade by colour: write numbers for its words"),
    "category_id": ([5, 6, 5], "category_id does not count"),
    "bought at": (["1 May", "2 May", "3 May"], "bought at does not count"),
}


@pytest.mark.parametrize("name", IGNORED)
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_other_columns_of_a_log_do_not_count_and_are_named(form: str, name: str, tmp_path: Path) -> None:
    cells, said = IGNORED[name]
    read = read_table(form, columns_of("item,timestamp,user", ROWS[:3], **{name: cells}), tmp_path)
    assert read.qrels.to_dict() == EXPECTED
    assert f"no grades: each row is relevant, grade 1; {said}" in read.said
    if said.endswith(": ") and form in FILES:
        assert f"{said}columns:grade={name}:FILE, for all files --columns grade={name}, or in Python" in read.said
    elif said.endswith(": ") and form != "records":
        assert f"{said}name the columns: qrels_from_frame(frame, relevance={name!r})" in read.said


@pytest.mark.parametrize("form", TABLE_FORMS)
def test_many_columns_are_named_in_one_note(form: str, tmp_path: Path) -> None:
    others = {f"{letter}{letter}": ["x", "y", "z"] for letter in "abcdefg"} | {"price": [1, 2, 3]}
    read = read_table(form, columns_of("user,item", ROWS[:3], **others), tmp_path)
    assert "grade 1; aa, bb, cc, dd, ee and 3 more do not count; to grade by price: " in read.said
    assert "; to grade by aa: --columns grade=aa --recode x=GRADE,y=GRADE,z=GRADE" in read.said


DENYING: dict[str, list[Any]] = {
    "clicked": [1, 1, 1],
    "reordered": [1, 0, 1],
    "quantity": [2, -1, 3],
    "liked": [True, False, True],
    "verdict": ["yes", "No", "yes"],
    "event": ["add", "remove_from_cart", "add"],
    "feedback": ["like", "dislike", "like"],
    "ratng": [3, 4, 5],
    "grade_anna": [3, 4, 5],
    "prediction": [0.5, 0.25, 0.1],
}


@pytest.mark.parametrize("name", DENYING)
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_column_that_may_say_what_is_not_relevant_is_refused(form: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column is known to hold the grades") as error:
        read_table(form, columns_of("user,item", ROWS[:3], **{name: DENYING[name]}), tmp_path)
    if form in FILES and name not in ("ratng", "prediction"):
        assert f"columns:grade={name}:FILE, for all files --columns" in str(error.value)
        alone = "; or, if every row is a relevant document, keep the columns of topics, documents and times alone"
        assert (alone in str(error.value)) == (name != "grade_anna")  # a grading sheet is no list of relevant documents


def test_columns_of_queries_are_no_log(tmp_path: Path) -> None:
    for name in ("note", "punkte"):
        with pytest.raises(InputError, match="no column is known to hold the grades"):
            read_table("csv", {"query": ["q", "q"], "doc": ["a", "b"], name: [1, 2]}, tmp_path)


@pytest.mark.parametrize("form", [*TEXTS, "parquet"])
def test_a_column_that_does_not_count_can_be_taken_as_grade(form: str, tmp_path: Path) -> None:
    place = write_table(form, columns_of("user,item", ROWS[:3], quantity=[2, 5, 1]), tmp_path / "x")
    assert read_qrels(place, columns="grade=quantity").to_dict() == {"u1": {"a": 2, "c": 1}, "u2": {"b": 5}}


@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_column_of_grades_counts_and_a_repeated_pair_has_one_grade(form: str, tmp_path: Path) -> None:
    table = columns_of("item,timestamp,user", ROWS[:3], rating=[3, 0, 2])
    read = read_table(form, table, tmp_path)
    assert read.qrels.to_dict() == {"u1": {"a": 3, "c": 2}, "u2": {"b": 0}}
    assert "each row is relevant" not in read.said
    with pytest.raises(InputError, match=r"twice|already"):
        read_table(form, columns_of("user,item", ROWS, rating=[*range(6)]), tmp_path)


@pytest.mark.parametrize("late", [{"clicks": 7}, {"session": 0}])
def test_what_a_late_record_has_counts_for_all(late: dict[str, Any], tmp_path: Path) -> None:
    place = write_table("lines", columns_of("user,item", ROWS[:3]), tmp_path / "x.jsonl")
    with place.open("a") as file:
        file.write(f'{{"user": "u3", "item": "a", {str(late)[1:-1]}}}\n'.replace("'", '"'))
    with pytest.raises(InputError, match="no column is known to hold the grades"):
        read_qrels(place)
    place.write_text(place.read_text().replace('"session": 0', '"rating": 2').replace('"clicks": 7', '"rating": 2'))
    read = read_qrels(place)
    assert read.to_dict() == {"u3": {"a": 2}}
    assert "3 without a grade are unjudged" in read.read_as


@pytest.mark.parametrize("form", FILES)
def test_pairs_in_parts_of_a_folder_count_once(form: str, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    endings = {"lines": "jsonl", "array": "json", "semicolons": "csv"}
    for number in range(3):
        place = folder / f"part-{number}.{endings.get(form, form)}"
        write_table(form, columns_of("item,timestamp,user", ROWS[2 * number : 2 * number + 2]), place)
    read = read_qrels(folder)
    assert read.to_dict() == EXPECTED
    assert read.repeated == 3


@pytest.mark.parametrize("form", TEXTS)
def test_an_index_that_pandas_wrote_is_no_column_and_names_of_items_may_have_blanks(form: str, tmp_path: Path) -> None:
    read = read_table(form, {"": [0, 1, 2]} | columns_of("user,item", ROWS[:3]), tmp_path)
    assert read.qrels.to_dict() == EXPECTED
    table = {"user": ["1", "2", "1"], "movie": ["The Matrix", "Heat", "Blade Runner"]}
    named = read_table(form, table, tmp_path).qrels
    assert named.to_dict() == {"1": {"The Matrix": 1, "Blade Runner": 1}, "2": {"Heat": 1}}


@pytest.mark.parametrize("form", TEXTS)
def test_a_line_of_another_width_is_named_by_what_stands_in_it(form: str, tmp_path: Path) -> None:
    place = write_table(form, columns_of("item,timestamp,user", ROWS[:3]), tmp_path / "x")
    with place.open("a") as file:
        file.write("u9\n")
    with pytest.raises(InputError, match="x:5: found 1 column, where the first line has 3"):
        read_qrels(place)


def test_a_missing_item_is_refused(tmp_path: Path) -> None:
    for form in ("csv", "lines", "parquet", "pandas"):
        with pytest.raises(InputError, match=r"empty|missing|is not an id"):
            read_table(form, {"user": ["u1", "u2"], "item": ["a", None]}, tmp_path)


def test_names_that_the_user_gives_are_pairs_too_and_runs_are_none(tmp_path: Path) -> None:
    place = write_table("csv", {"wer": ["u1", "u1"], "was": ["a", "b"]}, tmp_path / "x.csv")
    assert read_qrels(place, columns="query=wer,doc=was").to_dict() == {"u1": {"a": 1, "b": 1}}
    assert find_relevant_pairs(["user", "item"], "qrels", Columns(grade="stars")) is None
    assert find_relevant_pairs(["user", "item"], "run", Columns()) is None
    assert find_relevant_pairs(["user", "item", "item"], "qrels", Columns()) is None


def test_such_judgments_evaluate_a_recommender(tmp_path: Path) -> None:
    place = write_table("csv", columns_of("item,timestamp,user", ROWS), tmp_path / "test.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = evaluate(place, {"u1": ["x", "a"], "u2": ["b"]}, "RR R@2")
    assert scores.mean()[0].tolist() == pytest.approx([(1 / 2 + 1) / 2, (1 / 2 + 1) / 2])


@pytest.mark.parametrize("time", ["881250949", "1700000000", "1700000000123"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_time_without_a_name_is_no_grade(delimiter: str, time: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(delimiter.join(["u1", "a", time]) + "\n" + delimiter.join(["u1", "b", time]) + "\n")
    with pytest.raises(InputError, match=f"x:1: the grade {time} looks like a time; write a first line with names"):
        read_qrels(tmp_path / "x")
    levels = {"query": 1, "doc": 2, "grade": 3}
    assert read_qrels(tmp_path / "x", columns=levels).of("u1")["a"] == int(time)
