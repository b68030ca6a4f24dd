"""Whatever the functions read: columns, features; what is no file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import (
    InputError,
    Qrels,
    Run,
    check,
    qrels_from_frame,
    read_qrels,
    read_run,
    read_runs,
    read_scores,
    run_from_frame,
)
from gradeval.files.readers import read_features


def test_features_are_read_with_and_without_a_prefix(tmp_path: Path) -> None:
    (tmp_path / "S1.txt").write_text("1 qid:7 1:0.5\n0 qid:7 1:0.25\n")
    for place in (tmp_path / "S1.txt", f"letor:{tmp_path}/S1.txt"):
        assert read_features(place).grades.tolist() == [1.0, 0.0]
        assert read_features(place, name="mine").name == "mine"


def test_columns_that_no_file_has_are_refused(tmp_path: Path) -> None:
    trec, table = tmp_path / "qrels.txt", tmp_path / "run.csv"
    trec.write_text("q1 0 d1 2\n")
    table.write_text("topic,passage,score\nq1,d1,7.5\n")
    with pytest.raises(InputError, match=r"columns query=x: nothing that was read has columns with names"):
        read_qrels(trec, columns={"query": "x"})
    with pytest.raises(InputError, match=r"columns doc=psg: .* a column .psg.* \(there are topic, passage"):
        read_run(table, columns={"doc": "psg"})
    assert read_run(table, columns={"doc": "passage"}).topics == ["q1"]
    with pytest.raises(InputError, match=r"columns query=topik: .*did you mean topic\?"):
        read_runs([table], columns={"query": "topik"})
    with pytest.raises(InputError, match=r"--columns doc=psg: "):
        check(trec, [table], columns={"doc": "psg"})
    assert check(trec, [table], columns={"doc": "passage"}).passed  # of the run, not of the judgments


def test_columns_that_a_frame_lacks_are_refused() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match=r"qrels: the column query=nope: .* \(there are topic, doc, rel\)"):
        qrels_from_frame({"topic": ["a"], "doc": ["d"], "rel": [1]}, query_id="nope")


class Opened:
    """A file that is open."""

    def read(self) -> str:
        return ""


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        (pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1]}), "_from_frame()"),
        (pa.table({"query_id": ["q"]}), "_from_frame()"),
        ({"q": {"d": 1}}, "from_"),
        (None, "give the place of a file"),
        (7, "give the place of a file"),
        (Opened(), "give the place of that file, or - for standard input"),
    ],
)
@pytest.mark.parametrize("read", [read_qrels, read_run, read_runs, read_features, read_scores])
def test_what_is_no_file_is_refused_in_a_line_that_says_what_takes_it(read: Any, given: Any, remedy: str) -> None:
    said = said_of(lambda: read(given))
    assert said.startswith(f"{read.__name__}() ")
    if read is not read_scores:
        assert remedy in said
    elif hasattr(given, "columns") or isinstance(given, dict):
        assert "give scores_from_frame() its columns; there, too, means=True takes means alone" in said


def test_the_functions_that_are_named_take_what_was_refused() -> None:
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1]})
    table = {"q": {"d": 1}}
    assert qrels_from_frame(frame).to_dict() == run_from_frame(frame).to_dict() == table
    assert Qrels.from_dict(table).to_dict() == Run.from_dict(table).to_dict() == table


@pytest.mark.parametrize("columns", [{"grade": "g"}, "grade=g", "query=qid, grade=g"])
def test_columns_are_named_as_text_or_by_a_mapping(columns: Any, tmp_path: Path) -> None:
    place = tmp_path / "qrels.csv"
    place.write_text("qid,docno,rel,g\nq,d,1,2\n,,,\n")
    assert read_qrels(place, columns=columns).to_dict() == {"q": {"d": 2}}
    assert "columns are a mapping or text, not a list" in said_of(lambda: read_qrels(place, columns=["g"]))
