"""A query in several segments: two columns joined to one tell its topics apart, in every table."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of
from table_forms import FILES, TABLE_FORMS, give_table, write_table

from gradeval import FilesWarning, InputError, evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame
from gradeval.files.joined_columns import join_cells
from gradeval.files.named_columns import parts_of
from gradeval.scores.slices import slice_topics

ROWS = [
    ("laptop", "de", "x1", 2),
    ("laptop", "de", "x2", 0),
    ("laptop", "fr", "x1", 1),
    ("laptop", "fr", "x3", 2),
    ("c++", "de", "x2", 1),
]
JOINED = {"laptop+de": {"x1": 2, "x2": 0}, "laptop+fr": {"x1": 1, "x3": 2}, "c+++de": {"x2": 1}}
NAMED = {"query": "query+locale"}


def columns(*, value: str = "grade", rows: Any = ROWS) -> dict[str, list[Any]]:
    names = ("query", "locale", "doc_id", value)
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def graded(qrels: Any) -> dict[str, dict[str, float]]:
    return {topic: dict(qrels.of(topic)) for topic in qrels.topics}


@pytest.mark.parametrize("form", [form for form in TABLE_FORMS if form != "records"])
def test_judgments_and_runs_of_a_query_in_segments_are_joined(form: str, tmp_path: Path) -> None:
    tables = columns(), columns(value="sim")
    if form in FILES:
        judged, run = (write_table(form, table, tmp_path / f"{number}.{form}") for number, table in enumerate(tables))
        qrels, ranked = read_qrels(judged, columns=NAMED), read_run(run, columns=NAMED)
    else:
        frames = tables if form == "columns" else [give_table(form, table) for table in tables]
        qrels = qrels_from_frame(frames[0], query_id="query+locale")
        ranked = run_from_frame(frames[1], query_id="query+locale")
    assert graded(qrels) == JOINED
    assert sorted(ranked.topics) == sorted(JOINED)
    assert evaluate(qrels, ranked, "nDCG@10").values == pytest.approx(1.0)


def csv(rows: list[tuple[Any, ...]], head: str = "query,locale,doc_id,grade") -> str:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"


def read(folder: Path, text: str, named: str = "query+locale") -> Any:
    (folder / "judged.csv").write_text(text)
    return read_qrels(folder / "judged.csv", columns={"query": named})


def test_names_are_found_in_any_case_and_a_column_of_that_name_goes_first(tmp_path: Path) -> None:
    assert graded(read(tmp_path, csv(ROWS), "Query+LOCALE")) == JOINED
    own = csv([("t1", *row) for row in ROWS[:1]], "query+locale,query,locale,doc_id,grade")
    assert list(graded(read(tmp_path, own))) == ["t1"]


def test_parts_of_a_folder_are_joined_without_a_header_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "part-0.csv").write_text(csv(ROWS[:2]))
    (folder / "part-1.csv.gz").write_bytes(gzip.compress(csv(ROWS[2:]).partition("\n")[2].encode()))
    assert graded(read_qrels(folder, columns=NAMED)) == JOINED


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("a", "b+c", "x1", 1), "judged.csv:7: column 'locale' holds 'b+c', and + joins the columns; name this column"),
        (("a", "", "x1", 1), "judged.csv:7: the topic is empty"),
        (("a", "de"), "judged.csv:7: found 2 columns, where the first line has 4"),
    ],
)
def test_cells_that_cannot_be_joined_are_refused(row: tuple[Any, ...], said: str, tmp_path: Path) -> None:
    assert said in said_of(lambda: read(tmp_path, csv([*ROWS, row])))


@pytest.mark.parametrize("cell", [1.5, True, ["de"]])
def test_cells_of_json_that_are_no_ids_are_refused(cell: Any, tmp_path: Path) -> None:
    records = [{"query": "a", "locale": one, "doc": "x1", "grade": 1} for one in ("de", cell)]
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    said = said_of(lambda: read_qrels(tmp_path / "judged.jsonl", columns=NAMED))
    assert said.endswith(f"judged.jsonl:2: locale '{cell}' is not an id; ids are text or whole numbers")


def test_a_join_with_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"query=query\+market: nothing that was read has a column"):
        read(tmp_path, csv(ROWS[:2]), "query+market")


def test_labels_are_of_joined_topics_where_no_topic_has_the_name_of_the_query(tmp_path: Path) -> None:
    text = "query,locale,traffic\nlaptop,de,head\nlaptop,fr,tail\nc++,de,tail\n"
    (tmp_path / "labels.csv").write_text(text)
    relevant = dict.fromkeys(JOINED, 1)
    slices = slice_topics(str(tmp_path / "labels.csv"), list(JOINED), relevant, None)
    assert slices.labels["traffic"] == {"laptop+de": "head", "laptop+fr": "tail", "c+++de": "tail"}
    assert slices.labels["locale"] == {"laptop+de": "de", "laptop+fr": "fr", "c+++de": "de"}


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("query+segment", [2, 0]),
        (" Query + SEGMENT ", [2, 0]),
        ("query", []),
        (None, []),
        ("query+other", []),
        ("query+query", []),
        ("a+b", []),  # a column of its own
    ],
)
def test_a_name_joins_columns_that_are_there(name: str | None, places: Sequence[int]) -> None:
    assert parts_of(name, ["segment", "a+b", "query", "a", "b"]) == places


@pytest.mark.parametrize(
    ("cells", "joined"), [(["laptop", "de"], "laptop+de"), (["c++", "de"], "c+++de"), (["laptop", ""], "")]
)
def test_cells_become_one_unless_one_is_empty(cells: list[str], joined: str) -> None:
    assert join_cells(cells, "query+segment", "log:2") == joined


def test_the_join_stands_in_the_first_cell_only() -> None:
    said = said_of(lambda: join_cells(["laptop", "d+e"], "query+segment", "log:2"))
    assert said.startswith("log:2: column 'segment' holds 'd+e', and + joins the columns; name this column first")


FOLDED = {"userId": ["1", "1", "2"], "fold": ["0", "1", "0"], "movieId": ["a", "b", "c"]}


@pytest.mark.parametrize("form", FILES)
def test_a_column_that_topics_join_is_no_grade_and_no_score(form: str, tmp_path: Path) -> None:
    """Pairs of a user in a fold and a film are relevant; with another column the error proposes no joined one."""
    columns = {"query": "userId+fold"}
    place = write_table(form, FOLDED, tmp_path / f"truth.{form}")
    assert graded(read_qrels(place, columns=columns)) == {"1+0": {"a": 1}, "1+1": {"b": 1}, "2+0": {"c": 1}}
    other = write_table(form, {**FOLDED, "watched": [3, 4, 5]}, tmp_path / f"other.{form}")
    for reader in (read_qrels, read_run):
        said = said_of(reader, other, columns=columns)
        assert "=fold" not in said
        assert "'fold'" not in said


def test_a_frame_of_joined_columns_holds_pairs() -> None:
    with pytest.warns(FilesWarning, match="each row is relevant"):
        assert len(qrels_from_frame(FOLDED, query_id="userId+fold")) == len(FOLDED["userId"])
