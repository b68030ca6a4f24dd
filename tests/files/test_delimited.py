"""tsv, csv and lines of three columns: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusing import said_of

from gradeval import InputError, read_qrels, read_run


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n", {"q1": {"d1": -1, "d2": -2}, "q2": {"d3": -1}}),
        ("q1 d1 0\nq1 d2 1\n", {"q1": {"d1": 0, "d2": -1}}),
        ("q1 d1 3.5\nq1 d2 1\n", {"q1": {"d1": 3.5, "d2": 1}}),
        ("qid,docid,rank,score\nq1,d1,1,7\nq1,d2,2,9\n", {"q1": {"d1": 7, "d2": 9}}),
        ("qid,docid,rank\nq1,d1,10\nq1,d2,20\n", {"q1": {"d1": -10, "d2": -20}}),
        ("q1,Q0,d1,1,7,t\nq1,Q0,d2,2,9,t\n", {"q1": {"d1": 7, "d2": 9}}),
        ('qid,docid,score\nq1,"a, b",-1e-3\n', {"q1": {"a, b": -0.001}}),
    ],
)
def test_runs_have_scores_or_ranks(tmp_path: Path, text: str, scores: dict[str, dict[str, float]]) -> None:
    (tmp_path / "mine").write_text(text)
    run = read_run(tmp_path / "mine")
    assert run.to_dict() == scores
    assert (run.name, run.place) == ("t" if "Q0" in text else "mine", str(tmp_path / "mine"))


@pytest.mark.parametrize("index", ["", "Unnamed: 0", "__index_level_0__"])
def test_an_index_without_a_name_tells_no_runs_and_no_raters_apart(tmp_path: Path, index: str) -> None:
    (tmp_path / "own.csv").write_text(f"{index},qid,docno,score\n0,q1,d1,2.5\n1,q1,d1,2.5\n")
    said = said_of(lambda: len(read_run(tmp_path / "own.csv")))
    assert "was already given in line 2; a run names a document once per topic" in said
    assert "differ" not in said
    assert "--repeated best (or first" in said
    assert read_run(tmp_path / "own.csv", repeated="first").to_dict() == {"q1": {"d1": 2.5}}
    (tmp_path / "own.csv").write_text(f"{index},qid,docno,grade\n0,q1,d1,2\n1,q1,d1,1\n")
    said = said_of(read_qrels, tmp_path / "own.csv")
    assert "(grades 2 and 1); a topic judges a document once" in said
    assert "groupby" not in said


HEADER = b"query-id\tcorpus-id\tscore\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + b"q1\td1\tx\n", ":2: grade 'x' is not a finite number"),
        (HEADER + b"q1\td1\tnan\n", ":2: grade 'nan' is not a finite number"),
        (HEADER + b"q1\td1\t-inf\n", ":2: grade '-inf' is not a finite number"),
        (HEADER + b"q1\td1\t1_0\n", ":2: grade '1_0' is not a finite number"),
        (HEADER + b"q1\td1\t1\n\nq1\td1\t2\n", ":4: document 'd1' of topic 'q1' was already given in line 2"),
        (
            b"query,doc,rater,grade\nq1,d1,ann,1\nq1,d1,bob,2\n",
            ":3: document 'd1' of topic 'q1' was already given in line 2 (grades 1 and 2; the lines differ in "
            "rater); a topic judges a document once: of several raters, --repeated mean (or best, first) makes one "
            "grade, in Python read_qrels(FILE, repeated='mean') or qrels_from_frame(FRAME, repeated='mean'); to "
            "compare raters write a file for each: gradeval judges ANN.csv --judge BOB.csv; in pandas: for name, rows "
            "in df.groupby('rater'): rows.to_csv(f'{name}.csv', index=False)",
        ),
        (HEADER + b"q1\td1\n", ":2: found 2 columns, where the first line has 3"),
        (HEADER + b"q1\t\t1\n", ":2: the document is empty"),
        (HEADER, ": holds a header and no lines"),
        (b"", ": the file is empty"),
        (HEADER + b"q1\td\x81\t1\n", ":2: is not valid UTF-8 (byte 0x81)"),
        (HEADER + b"q1\td\0\t1\n", ":2: control byte"),
        (HEADER + b"q1\td1\t0.5\n", "column 'score' holds numbers that are not whole"),
        (b'query-id,corpus-id,score\nq1,"d1,1\nq1,d2,1\n', ":2: a quote opens a cell here and does not close it"),
        (
            b"a,b,c,d\nq1,0,d1,1\n",
            ":1: no columns are known to hold the topics, the documents and the grades (it has a, b, c, d)",
        ),
        (b"qid 0 passage gain\nq1 0 d1 x\n", ":2: grade 'x' is not a finite number"),
        (b"q1,0,d1,1,7\n", ":1: found 5 columns ('q1,0,d1,1,7'); accepted are query,doc,grade"),
        (b"qid\tscore\nq1\t1\n", ": no column is known"),
        ("query-id\tcorpus-id\tscore\n".encode("utf-16")[:-1], ":1: is not valid utf-16"),
    ],
)
def test_what_cannot_be_right_is_an_error_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "qrels.csv").write_bytes(content)
    refused = said_of(lambda: read_qrels(tmp_path / "qrels.csv"))
    assert message in refused
    assert refused.startswith(str(tmp_path / "qrels.csv"))


def test_whole_numbers_that_are_no_ranks_are_ambiguous(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 d1 7\nq1 d2 3\n")
    with pytest.raises(InputError, match=r"columns may hold ranks or scores .*--columns query=1,doc=2,score=3"):
        read_run(tmp_path / "run")
    assert read_run(tmp_path / "run", columns={"query": 1, "doc": 2, "score": 3}).to_dict() == {
        "q1": {"d1": 7, "d2": 3}
    }


@pytest.mark.parametrize("text", ["q1 d1 1\nq1 d2 2\nq1 d3 7\n", "q1 d1 0\nq1 d2 5\n", "q1 d1 2\nq1 d2 1\nq2 d1 3\n"])
def test_ranks_leave_no_gaps(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").write_text(text)
    with pytest.raises(InputError, match="may hold ranks or scores"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("lines", ["csv", "json"])
def test_many_different_whole_scores_are_those_of_a_run(tmp_path: Path, lines: str) -> None:
    """Few different ones are grades, as BEIR calls them."""
    for number, refused in ((30, False), (31, True)):
        path = tmp_path / f"run{number}.{lines}"
        if lines == "csv":
            path.write_text("query,doc,score\n" + "".join(f"q1,d{n},{n}\n" for n in range(number)))
        else:
            path.write_text("".join(f'{{"query": "q1", "doc": "d{n}", "score": {n}}}\n' for n in range(number)))
        if refused:
            with pytest.raises(InputError, match="holds more than 30 different numbers, as the scores of a run do"):
                read_qrels(path)
            assert len(read_qrels(path, columns={"grade": "score"})) == number
        else:
            assert len(read_qrels(path)) == number


@pytest.mark.parametrize("number", ["4,00638E+12", "4.00638E+12"])
def test_ids_that_excel_shortened_are_no_work_of_raters(number: str, tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_text(f"query;docid;grade\ntent;{number};3\ntent;{number};1\n")
    with pytest.raises(
        InputError, match=r"this id lost its last digits, as Excel .* or import the column there as Text$"
    ) as error:
        read_qrels(path)
    assert "--repeated" not in str(error.value)


ENDS = {"\t": "{}", ";": "{}", ",": '"{}"'}
"""How a cell with a comma stands between such signs."""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("sign", ENDS)
def test_decimal_commas_are_read_where_they_separate_no_cells(
    sign: str, header: bool, encoding: str, tmp_path: Path
) -> None:
    rows = [("u1", "a", "3,0"), ("u1", "b", "0,5"), ("u2", "a", "4"), ("u2", "c", "1,250")]
    grades = {"u1": {"a": 3, "b": 0.5}, "u2": {"a": 4, "c": 1.25}}
    for value, read in (("rating", read_qrels), ("score", read_run)):
        lines = [["user", "item", value]] * header + [[*row[:2], ENDS[sign].format(row[2])] for row in rows]
        path = tmp_path / f"{value}.csv"
        path.write_text("".join(sign.join(line) + "\n" for line in lines), encoding)
        found = read(path)
        assert found.to_dict() == grades
        assert "decimal commas" in found.read_as


@pytest.mark.parametrize("sign", ["\t", ","])
def test_a_comma_that_may_separate_thousands_is_asked_about(sign: str, tmp_path: Path) -> None:
    cells = [["user", "artist_id", "grade"], ["u1", "a", "25"], ["u1", "b", ENDS[sign].format("1,250")]]
    path = tmp_path / "plays.csv"
    path.write_text("".join(sign.join(line) + "\n" for line in cells))
    with pytest.raises(InputError, match=r":3: '1,250' may have a decimal comma, or .*; write 1\.250 or 1250$"):
        read_qrels(path, columns={"doc": "artist_id"})


def test_a_comma_and_a_point_are_not_both_decimal(tmp_path: Path) -> None:
    path = tmp_path / "grades.tsv"
    path.write_text("user\titem\trating\nu1\ta\t3,5\nu1\tb\t3.5\n")
    with pytest.raises(InputError, match=r":3: has a decimal point, and line 2 a decimal comma; write all in one way$"):
        read_qrels(path)


def test_decimal_commas_between_commas_and_signs_of_thousands_are_told_how_to_write(tmp_path: Path) -> None:
    ratings, run = tmp_path / "ratings.csv", tmp_path / "run.csv"
    ratings.write_text("user,item,rating,time\n1,5,4,0,1000\n")
    with pytest.raises(InputError, match=r"if 4,0 is a number, write 4.0, or separate columns by semicolons"):
        read_qrels(ratings)
    ratings.write_text("user;item;rating;time\n1;5;4,0;1000\n")
    assert read_qrels(ratings).to_dict() == {"1": {"5": 4.0}}
    for value, plain in (("15.699,90", "15699.90"), ("-1,215.5", "-1215.5"), ("1.000.000,5", "1000000.5")):
        run.write_text(f"user;item;score\n1;5;{value}\n")
        with pytest.raises(InputError, match=f"without a sign between thousands, as {plain}$"):
            read_run(run).to_dict()
