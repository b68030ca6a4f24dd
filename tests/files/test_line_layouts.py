"""Lines of separated columns: which columns they have is told by a header, by numbers, or by how many."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusing import said_of

from gradeval import InputError, evaluate, read_qrels, read_run

GRADES = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
SEMICOLONS = "csv with semicolons with a header (topic, pid, rel)"


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n", "BEIR tsv"),
        ("\ufeffquery-id\tcorpus-id\tscore\r\nq1\td1\t2\r\n\r\nq1\td2\t0\r\nq2\td1\t1", "BEIR tsv"),
        ("Label,QID,note,DocNo\n2,q1,x,d1\n0,q1,,d2\n1,q2,y,d1\n", "csv with a header (QID, DocNo, Label)"),
        ('"topic"; "pid"; "rel"\n"q1"; "d1"; 2\nq1; d2; 0\nq2;d1;1\n', SEMICOLONS),
        ("topic iter docno rel\nq1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n", "text with a header (topic, docno, rel)"),
        ("q1,0,d1,2\nq1,0,d2,0\nq2,0,d1,1\n", "csv of 4 columns (query 1, doc 3, value 4)"),
        ("q1 d1 2\nq1 d2 0\nq2 d1 1\n", "text of 3 columns (query 1, doc 2, value 3)"),
        ("q1\t0\td1\t2\nq1\t0\td2\t0\nq2\t0\td1\t1\n", ""),  # MS MARCO's are TREC text
    ],
)
def test_judgments_are_read_in_whatever_columns_they_stand(tmp_path: Path, text: str, read_as: str) -> None:
    (tmp_path / "qrels").write_bytes(text.encode())
    qrels = read_qrels(tmp_path / "qrels")
    assert qrels.to_dict() == GRADES
    assert qrels.read_as == read_as
    assert evaluate(qrels, {"q1": {"d2": 2.0, "d1": 1.0}}, "AP").values[0].ravel().tolist() == [1 / 2, 0]


def test_columns_are_named_or_numbered(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q,text,bm25,e5\nq1,d1,7,0.5\n")
    columns = {"query": "q", "doc": "text", "score": "e5"}
    assert read_run(tmp_path / "run", columns=columns).to_dict() == {"q1": {"d1": 0.5}}
    (tmp_path / "trec").write_text("q1 Q0 d1 1 7 t\nq1 Q0 d2 2 8 t\n")
    by_rank = read_run(tmp_path / "trec", columns={"query": 1, "doc": 3, "rank": 4})
    assert by_rank.to_dict() == {"q1": {"d1": -1, "d2": -2}}
    with pytest.raises(InputError, match=r"'bm26' .*did you mean bm25.*it has q, text, bm25, e5"):
        read_run(tmp_path / "run", columns={"query": "q", "doc": "text", "score": "bm26"})
    with pytest.raises(InputError, match="three different columns are needed"):
        read_run(tmp_path / "trec", columns={"query": 1, "doc": 1, "score": 4})
    with pytest.raises(InputError, match="there is no column 9"):
        read_run(tmp_path / "trec", columns={"query": 1, "doc": 3, "score": 9})
    (tmp_path / "commas").write_text("q1 Q0 d1 1 7,5 t\n")
    with pytest.raises(InputError, match="there is no column 3; read as csv, the first line has 2"):
        read_run(tmp_path / "commas", columns={"query": 1, "doc": 3, "score": 5})
    with pytest.raises(InputError, match="no column is called 'topics'"):
        read_run(tmp_path / "trec", columns={"topics": 1})
    with pytest.raises(InputError, match="ordered by a score or by a rank"):
        read_run(tmp_path / "trec", columns={"score": 1, "rank": 2})
    with pytest.raises(InputError, match="trec has no columns with names"):
        read_run(tmp_path / "trec", columns={"score": "s"}, format="trec")


@pytest.mark.parametrize(
    ("columns", "numbered"),
    [
        ({"query": 2, "doc": 1}, "query=2, doc=1"),
        ({"query": 2}, "query=2"),
        ({"score": 3}, "score=3"),
        ({"query": "topic", "doc": 1, "score": 3}, "doc=1, score=3"),
    ],
)
@pytest.mark.parametrize("text", ["q1,d1,0.5\n", "q1 Q0 d1 1 0.5 t\n", "qid,docid,score\nq1,d1,0.5\n"])
def test_numbering_some_columns_is_an_error(
    tmp_path: Path, text: str, columns: dict[str, str | int], numbered: str
) -> None:
    (tmp_path / "run").write_text(text)
    with pytest.raises(InputError, match=rf"run: {numbered} numbers some columns and not all; .*query=1,doc=3,score=5"):
        read_run(tmp_path / "run", columns=columns)


@pytest.mark.parametrize("header", ["qid,qid,docno,rel", "qid,docno,docno,rel", "qid,docno,rel,rel"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_header_that_names_a_column_twice_is_refused(header: str, delimiter: str, tmp_path: Path) -> None:
    place = tmp_path / "qrels"
    place.write_text(f"{header}\nq1,d1,1,2\n".replace(",", delimiter))
    assert f"{place}:1: has more than one column " in said_of(lambda: read_qrels(place))
