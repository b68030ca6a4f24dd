"""Tables of any kind become judgments and runs, and are refused where they say less than they should."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_frames import COLUMNS, MAKERS, SCORES, of_run, refusal, refusal_of_qrels

from gradeval import InputError, Qrels, evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame
from gradeval.files.plain_text import EDGES


def of_qrels(qrels: Qrels) -> dict[str, dict[str, float]]:
    return {topic: qrels.of(topic) for topic in qrels.topics}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_table_with_scores_is_a_run(maker: str) -> None:
    assert of_run(run_from_frame(MAKERS[maker](COLUMNS))) == SCORES


@pytest.mark.parametrize("maker", MAKERS)
def test_a_table_with_relevance_is_judgments(maker: str) -> None:
    columns = {**COLUMNS, "relevance": [3, 0, -2, 1]}
    del columns["score"]
    qrels = qrels_from_frame(MAKERS[maker](columns))
    assert of_qrels(qrels) == {"302": {"d3": 3, "d1": -2}, "301": {"d1": 0, "d2": 1}}
    assert qrels.levels == (0, 1, 2, 3)


def test_names_of_columns_can_be_chosen() -> None:
    frame = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2], "score": [0.5]})
    names = {"query_id": "qid", "doc_id": "docno"}
    assert of_qrels(qrels_from_frame(frame, relevance="label", **names)) == {"1": {"d": 2}}
    run = run_from_frame(frame, score="score", name="mine", **names)
    assert (run.name, of_run(run)) == ("mine", {"1": {"d": 0.5}})


@given(
    st.lists(
        st.tuples(st.text(max_size=3), st.text(max_size=3), st.floats(-1e9, 1e9)),
        min_size=1,
        unique_by=lambda row: (row[0].strip(EDGES), row[1].strip(EDGES)),
    )
)
def test_ids_and_scores_come_through_without_blanks_around_ids(rows: list[tuple[str, str, float]]) -> None:
    rows = [row for row in rows if row[0].strip(EDGES) and row[1].strip(EDGES) not in ("", "-1")] or [("1", "d", 0.0)]
    queries, documents, scores = (list(column) for column in zip(*rows, strict=True))
    expected: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        expected.setdefault(query.strip(EDGES), {})[document.strip(EDGES)] = score
    assert of_run(run_from_frame({"query_id": queries, "doc_id": documents, "score": scores})) == expected


# Parquet


def test_a_parquet_file_is_read_as_a_run_and_as_judgments(tmp_path: Path) -> None:
    path = tmp_path / "both.parquet"
    pq.write_table(pa.table({**COLUMNS, "relevance": [3, 0, -2, 1], "text": ["..."] * 4}), path)
    run = read_run(path)
    assert of_run(run) == SCORES
    assert (run.name, run.place) == ("both", str(path))
    assert of_qrels(read_qrels(path, recode={3: 2})) == {"302": {"d3": 2, "d1": -2}, "301": {"d1": 0, "d2": 1}}


def test_a_parquet_file_without_the_column_is_an_error_that_lists_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    ids = {name: COLUMNS[name] for name in ("query_id", "doc_id")}
    pq.write_table(pa.table({**ids, "note": COLUMNS["doc_id"]}), path)
    said = r"run\.parquet: no column is known to hold the grades .*query_id, doc_id, note"
    with pytest.raises(InputError, match=said):
        read_qrels(path)


def test_scores_are_not_taken_for_grades(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({**COLUMNS, "score": [0.5, 1.0, 2.0, 3.0]}), path)
    with pytest.raises(InputError, match=r"run\.parquet: column 'score' holds numbers that are not whole"):
        read_qrels(path)
    assert read_qrels(path, columns={"grade": "score"}).grades[0] == 0.5


@pytest.mark.parametrize("content", [b"", b"301 Q0 d1\n", b"PAR1 and no more"])
def test_what_is_no_parquet_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"run\.parquet: is no Parquet file, or a damaged one"):
        read_run(path)


def test_a_missing_parquet_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\.parquet: no such file"):
        read_run(tmp_path / "run.parquet")


# What is refused


def test_without_a_column_to_read_the_error_says_which_are_there() -> None:
    unknown = pd.DataFrame(COLUMNS).rename(columns={"score": "worth"})
    there = "(it has query_id, doc_id, worth)"
    pair = "frame[['query_id', 'doc_id']]"
    how = "name the columns: run_from_frame(frame, score='worth'), or rank='worth' if less is better"
    how += f"; or give {pair}, whose rows are then in rank order"
    of_run = f"run: no column is known to hold the scores {there}; {how}"
    of_qrels = f"qrels: no column is known to hold the grades {there}; name the columns: qrels_from_frame(frame, "
    of_qrels += f"relevance='worth'); or, if every row is a relevant document, give {pair}"
    assert refusal(unknown) == of_run
    assert refusal_of_qrels(unknown) == of_qrels
    known, qrels = pd.DataFrame(COLUMNS), {"1": {"a": 1}}
    for pair, message in (((unknown, known), of_qrels), ((qrels, unknown), of_run)):
        with pytest.raises(InputError) as caught:
            evaluate(*pair, "AP")
        assert str(caught.value) == message


def test_a_missing_column_is_named_with_the_nearest() -> None:
    message = refusal(pd.DataFrame(COLUMNS), score="scores")
    assert message.startswith("run: has no column 'scores' (did you mean score?) (it has query_id, doc_id, score)")


def test_a_table_without_rows_is_an_error() -> None:
    assert refusal(pd.DataFrame(COLUMNS)[:0]) == "run: the table has no rows"
    assert refusal({"query_id": [], "doc_id": [], "score": []}) == "run: the table has no rows"


def test_the_rule_for_repeated_documents_is_taken_where_the_error_advises_it() -> None:
    frame = {"query_id": ["1", "1", "1"], "doc_id": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]}
    with pytest.raises(InputError, match="in Python repeated='best'"):
        of_run(run_from_frame(frame))
    assert of_run(run_from_frame(frame, repeated="best")) == {"1": {"a": 3.0, "b": 2.0}}
    assert of_run(run_from_frame(frame, repeated="first")) == {"1": {"a": 1.0, "b": 2.0}}
    with pytest.raises(InputError, match="repeated='mean'"):
        run_from_frame(frame, repeated="mean")  # type: ignore[arg-type]
