"""Numbers of chunks within files: the error says how to join both, and what it says, typed, reads the table."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import said_of
from table_forms import FILES, give_table, write_table

from gradeval import evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame
from gradeval.warning_categories import FilesWarning

PARTS = [("q1", "a.md", 5), ("q1", "b.md", 5), ("q1", "b.md", 6)]
SAID = "if 'source' and 'chunk_id' name a document together, join them, as the judgments do"
IN_PANDAS = "df['chunk_id'] = df.pop('source') + '::' + df.pop('chunk_id').astype(str)"


@pytest.mark.parametrize("form", ["csv", "jsonl", "hits", "metadata", "frame"])
def test_numbers_of_chunks_within_files_are_to_be_joined_with_these(form: str, tmp_path: Path) -> None:
    rows = [{"query_id": q, "source": s, "chunk_id": n, "score": 9.0 - at} for at, (q, s, n) in enumerate(PARTS)]
    hits = [{"source": source, "chunk_id": number} for _, source, number in PARTS]
    records: dict[str, list[Any]] = {
        "jsonl": rows,
        "hits": [{"query_id": "q1", "documents": hits}],
        "metadata": [{"query_id": "q1", "documents": [{"page_content": "x", "metadata": one} for one in hits]}],
    }
    path = tmp_path / "run"
    path.write_text("\n".join(map(json.dumps, records.get(form, rows))))
    if form == "csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    said = said_of(lambda: evaluate({"q1": {"a.md::5": 1}}, pd.DataFrame(rows) if form == "frame" else path, "RR"))
    assert SAID in said
    assert ("write 'a.md::5' for chunk_id there; else " if form in ("hits", "metadata") else IN_PANDAS) in said
    names = {"df": pd.DataFrame(rows)}
    exec(IN_PANDAS, names)  # what the message says works as it stands
    assert evaluate({"q1": {"b.md::5": 1}}, names["df"], "RR").mean().item() == 0.5


def test_columns_of_documents_are_not_joined_in_silence() -> None:
    said = said_of(lambda: read_run("run.csv", columns={"doc": "source+chunk_id"}))
    assert "doc=source+chunk_id: only query joins columns" in said


@pytest.mark.parametrize("form", ["csv", "lines", "parquet", "pandas"])
@pytest.mark.parametrize(
    ("number", "value"),
    [("chunk_id", "")] + [(name, value) for name in ("chunk_no", "chunk_index") for value in ("", "grade", "score")],
)
def test_a_table_of_files_and_numbers_of_chunks_is_told_to_join_them(
    form: str, number: str, value: str, tmp_path: Path
) -> None:
    """What is said is typed as it stands, and the table is read; names of files are never proposed as grades."""
    table: dict[str, list[Any]] = {"question_id": ["q1", "q2"], "source": ["a.md", "b.md"], number: [5, 6]}
    table |= {value: [1, 2]} if value else {}
    path = tmp_path / f"x.{form}"
    given = write_table(form, table, path) if form in FILES else give_table(form, table)
    read: Any = read_qrels if form in FILES else qrels_from_frame
    if value == "score":
        read = read_run if form in FILES else run_from_frame
    said = said_of(lambda: read(given))
    others = "judgments" if value == "score" else "runs"
    assert f"; if 'source' and {number!r} name a document together, join them, as the {others} do: in pandas " in said
    assert not re.search(r"(grade|relevance|score)'?[=:] ?'?source", said)
    [typed] = re.findall(r"df\[.*\.astype\(str\)", said)
    frames = {"df": pd.DataFrame(table)}
    exec(typed, frames)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FilesWarning)
        read_joined: Any = run_from_frame if value == "score" else qrels_from_frame
        joined = read_joined(frames["df"])
    two = {"q1": {"a.md::5": 1}, "q2": {"b.md::6": 1}}
    assert (evaluate(two, joined, "P@1") if value == "score" else evaluate(joined, two, "P@1")).mean().item() == 1


def test_names_of_files_are_not_proposed_as_the_only_column_left(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("question_id,source,chunk_no\nq1,a.md,5\nq2,b.md,6\n")
    said = said_of(lambda: read_qrels(path, columns={"doc": "chunk_no"}))
    assert "doc=chunk_no,grade=NAME" in said


def test_titles_beside_ids_are_not_to_be_joined_with_these(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("question_id,title,doc_id\nq1,one,5\nq2,two,6\n")
    assert "name a document together" not in said_of(lambda: read_qrels(path))
