"""Where rows of text with columns begin: headers with blank or numbered cells, and lines with # above and below."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusing import said_of

from gradeval import (
    FilesWarning,
    InputError,
    Qrels,
    Run,
    evaluate,
    read_clicks,
    read_qrels,
    read_run,
    read_scores,
    split_log,
)

ROWS = [("#10 envelopes", "#d1", "1"), ("shoe", "d1", "0"), ("shoe", "#d2", "2"), ("#", "d,3", "1")]
WANTED = {"#10 envelopes": {"#d1": 1}, "shoe": {"d1": 0, "#d2": 2}, "#": {"d,3": 1}}
READERS = {"rating": read_qrels, "score": read_run}
DELIMITERS = ["\t", ",", ";"]


def of(table: Qrels | Run) -> dict[str, dict[str, float]]:
    return {topic: table.of(topic) for topic in table.topics}


def write(path: Path, delimiter: str, header: list[str] | None, rows: list[list[str]], above: str = "") -> Path:
    """A file with all cells of data between quotes, or none of them in tsv."""
    mark = "" if delimiter == "\t" else '"'
    lines = [delimiter.join(f"{mark}{cell}{mark}" for cell in row) for row in rows]
    path.write_text(above + "\n".join([*([] if header is None else [delimiter.join(header)]), *lines]) + "\n")
    return path


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("value", READERS)
@pytest.mark.parametrize(
    "extra",
    [
        {3: ""},
        {0: ""},
        {1: ""},
        {2: "", 4: ""},
        {3: "", 4: "", 5: ""},
        {3: "2024"},
        {0: "0", 4: "1e5"},
        {0: "Unnamed: 0"},
        {0: "#"},
        {0: "", 4: "note", 5: ""},
    ],
)
def test_cells_without_a_name_leave_a_header_a_header(
    tmp_path: Path, delimiter: str, value: str, extra: dict[int, str]
) -> None:
    """A cell that is blank or a number, at any place, and whatever stands below it."""
    for filling in ("", "7", "x"):
        header, rows = ["query", "docid", value], [list(row) for row in ROWS]
        for place, name in extra.items():
            header.insert(place, name)
            for row in rows:
                row.insert(place, filling)
        path = write(tmp_path / "table", delimiter, header, rows)
        assert of(READERS[value](path)) == WANTED


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("value", READERS)
@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("iteration", [False, True])
def test_numbers_of_pandas_are_no_data(
    tmp_path: Path, delimiter: str, value: str, index: bool, iteration: bool
) -> None:
    rows = [list(row) for row in ROWS]
    if iteration and value == "rating":
        rows = [[topic, "0", document, grade] for topic, document, grade in rows]
    elif iteration:
        rows = [[topic, "Q0", document, "1", score, "t"] for topic, document, score in rows]
    else:
        rows = [[topic, document, f"{number}.0"] for topic, document, number in rows]
        if value == "score":
            rows[0][2] = "1.5"
    header = list(map(str, range(len(rows[0]))))
    if index:
        header, rows = ["", *header], [[str(place), *row] for place, row in enumerate(rows)]
    read = READERS[value](write(tmp_path / "table", delimiter, header, rows))
    wanted = {**WANTED, "#10 envelopes": {"#d1": 1.5}} if value == "score" and not iteration else WANTED
    assert of(read) == wanted
    assert "below the numbers 0 to" in read.read_as


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_numbers_of_pandas_above_trec_text_are_no_data(tmp_path: Path, separator: str) -> None:
    (tmp_path / "qrels").write_text("\n".join(map(separator.join, ["0123", ["301", "0", "FT9-1", "1"]])) + "\n")
    assert of(read_qrels(tmp_path / "qrels")) == {"301": {"FT9-1": 1}}
    (tmp_path / "run").write_text(
        "\n".join(map(separator.join, ["012345", ["301", "Q0", "F1", "1", "2.5", "t"]])) + "\n"
    )
    assert of(read_run(tmp_path / "run")) == {"301": {"F1": 2.5}}


def test_numbers_above_ids_that_are_numbers_are_header_or_data_as_the_user_says(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("0,1,2\n1,7,3\n")
    said = said_of(read_qrels, tmp_path / "table")
    assert said.endswith(
        "table:1: 0,1,2 may be a header that pandas wrote, or data; delete a header, or say that it is "
        "data: --columns query=1,doc=2,grade=3"
    )
    assert of(read_qrels(tmp_path / "table", columns={"query": 1, "doc": 2, "grade": 3})) == {
        "0": {"1": 2},
        "1": {"7": 3},
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,docid,\nshoe,d1,1\n", ":1: no column is known to hold the grades (it has query, docid, one without"),
        ("query,docid,2024\nshoe,d1,1\n", ":1: no column is known to hold the grades"),
        (
            "frage,dokument,note\nshoe,d1,1\n",
            ":1: no columns are known to hold the topics, the documents and the grades",
        ),
        ("frage,dokument,note,\nshoe,d1,1,7\n", ":1: column 4 of the first line is empty"),
        ("frage,dokument,\nshoe,d1,7\n", ":1: column 3 of the first line is empty"),
        ("query,docid,rating,\nshoe,d1,1\n", ":2: found 3 columns, where the first line has 4"),
        ("query,docid,rating\nshoe,d1,1\n# all\n", ":3: found 1 column, where the first line has 3 (comments stand"),
        (
            'query,docid,rating\n"a, b",d1,1\nx,"H"_(a),1\n',
            ":2: found 4 columns, where the first line has 3 (quotes are",
        ),
        ("red dress\td1\t1\t\nred shoes\td2\t0\t\n", ":1: column 4 of the first line is empty"),
        ("red dress, d1, 1,\nred shoes, d2, 0,\n", ":1: column 4 of the first line is empty"),
        ("red dress\td1\t1\t\t\nred shoes\td2\t0\t\t\n", ":1: found 5 columns"),
    ],
)
def test_a_header_is_never_taken_for_data(tmp_path: Path, text: str, said: str) -> None:
    """Whatever the file is called."""
    for name in ("table.csv", "table.tsv", "table"):
        (tmp_path / name).write_text(text)
        assert said in said_of(read_qrels, tmp_path / name)


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize(
    ("above", "header", "said"),
    [
        ("", True, ""),
        ("# of 2024\n#\n\n", True, "; 2 lines above, with #, left out"),
        ("# a{0}b{0}1\n", True, "; 1 line above, with #, left out"),
        ("#query{0}docid{0}rating\n", False, ""),
        ("# made by x\n# query{0} docid{0} rating\n", False, "; 1 line above, with #, left out"),
        ("# made by x\n", False, "; 1 line above, with #, left out"),
        ("", False, ""),
    ],
)
def test_lines_with_a_hash_are_comments_above_a_header_only(
    tmp_path: Path, delimiter: str, above: str, header: bool, said: str
) -> None:
    names = ["query", "docid", "rating"] if header else None
    path = write(tmp_path / "table.csv", delimiter, names, [list(row) for row in ROWS], above.format(delimiter))
    read = read_qrels(path)
    assert of(read) == WANTED
    assert read.read_as.endswith(f"){said}")


@pytest.mark.parametrize("delimiter", [*DELIMITERS, "::", " "])
def test_all_rows_may_begin_with_a_hash(tmp_path: Path, delimiter: str) -> None:
    (tmp_path / "table.csv").write_text(delimiter.join(["#a", "d1", "1"]) + "\n" + delimiter.join(["#b", "d1", "2"]))
    assert of(read_qrels(tmp_path / "table.csv")) == {"#a": {"d1": 1}, "#b": {"d1": 2}}


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize(
    "header",
    [
        "user,item,rating,timestamp",
        "user,item,rating,timestamp,",
        ",user,item,rating,timestamp",
        "0,1,2,3",
        ",0,1,2,3",
        "",
        "# by x\nuser,item,rating,timestamp",
    ],
)
def test_a_log_of_ratings_loses_no_line_with_a_hash(tmp_path: Path, delimiter: str, header: str) -> None:
    before, behind = header.startswith(","), header.endswith(",")
    lines = []
    for number, (user, item, time) in enumerate([("#u1", "a", 5), ("#u1", "#b", 6), ("u2", "a", 1), ("u2", "#a", 9)]):
        cells = [*([str(number)] if before else []), user, item, "4", str(time), *([""] if behind else [])]
        lines.append(delimiter.join(cells) + "\n")
    head = header.replace(",", delimiter) + "\n" if header else ""
    (tmp_path / "log").write_text(head + "".join(lines))
    done = split_log(tmp_path / "log", train=tmp_path / "train", test=tmp_path / "test", last=1)
    assert (tmp_path / "train").read_text() == head + lines[0] + lines[2]
    assert (tmp_path / "test").read_text() == head + lines[1] + lines[3]
    assert (done.users, done.tested) == (2, 2)


def test_a_log_keeps_the_lines_of_a_row_together(tmp_path: Path) -> None:
    rows = ['u1,"a, b\nc",4,5\n', 'u1,"d ""e""",4,6\n', "u2,f,4,1\n", 'u2,"g\r\n\r\n",4,2\n']
    (tmp_path / "log").write_bytes(("user,item,rating,time\n\n" + "\n".join(rows)).encode())
    split_log(tmp_path / "log", train=tmp_path / "train", test=tmp_path / "test", last=1)
    assert (tmp_path / "test").read_bytes().decode() == "user,item,rating,time\n" + rows[1] + rows[3]
    (tmp_path / "log").write_text("user,item,rating,time\n" + rows[0] + "u2,f,4,noon\n")
    assert "log:4: time 'noon'" in said_of(
        lambda: split_log(tmp_path / "log", train=tmp_path / "train", test=tmp_path / "test", last=1)
    )


def test_a_log_of_whole_numbers_below_the_numbers_of_pandas_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("0,1,2,3\n1,2,3,4\n1,3,3,5\n")
    parts = {"train": tmp_path / "a", "test": tmp_path / "b"}
    assert "log:1: 0,1,2,3 may be a header that pandas wrote" in said_of(
        lambda: split_log(tmp_path / "log", **parts, last=1)
    )
    assert split_log(tmp_path / "log", **parts, last=1, user=1).users == 2


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "text", ["qid,docno,rel\nq,d,2\nq,e,0\n", "q,d,2\nq,e,0\n", "# made\nqid,docno,rel\nq,d,2\nq,e,0\n"]
)
def test_the_line_of_excel_that_names_the_delimiter_is_left_out_and_said(
    text: str, delimiter: str, tmp_path: Path
) -> None:
    place = tmp_path / "qrels.csv"
    place.write_text(f"sep={delimiter}\n{text.replace(',', delimiter)}")
    qrels = read_qrels(place)
    assert qrels.to_dict() == {"q": {"d": 2, "e": 0}}
    assert "; the line sep= left out" in qrels.read_as
    (tmp_path / "AP.csv").write_text(f"sep={delimiter}\nmodel,x,y\nm,0.5,0.25\n".replace(",", delimiter))
    assert read_scores(tmp_path / "AP.csv").values.ravel().tolist() == [0.5, 0.25]


def joined(path: Path, header: str, *parts: str, mark: str = "") -> Path:
    """Files with a header each, one below the other as ``cat`` joins them."""
    path.write_text("".join(f"{mark}{header}\n{part}" for part in parts), "utf-8")
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("kind", READERS)
def test_a_header_that_stands_again_where_cat_joined_files_is_left_out_and_said(
    tmp_path: Path, kind: str, mark: str
) -> None:
    parts = ["u1,i1,3\nu1,i2,1\n", "u2,i1,2\n", "u3,i9,1\n"]
    path = joined(tmp_path / "all.csv", f"userId,itemId,{kind}", *parts, mark=mark)
    with pytest.warns(FilesWarning, match=r"all\.csv: lines 4 and 6 repeat the header and are left out") as said:
        table = READERS[kind](path)
    assert of(table) == {"u1": {"i1": 3, "i2": 1}, "u2": {"i1": 2}, "u3": {"i9": 1}}
    assert len(said) == 1


def test_a_line_is_no_second_header_where_the_first_one_is_none(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("q1,d1,0.5\nq1,d2,0.2\nq1,d1,0.5\n")
    with pytest.raises(InputError, match=r"pairs\.csv:3: document 'd1' of topic 'q1' was already given"):
        read_run(path)


def test_no_table_takes_a_second_header_for_data(tmp_path: Path) -> None:
    test = joined(tmp_path / "test.csv", "user,item,rating", "u1,a,1\nu2,b,1\n")
    run = {"u1": {"c": 3, "a": 2}, "u2": {"b": 2, "d": 1}}
    seen = joined(tmp_path / "seen.csv", "user,item", "u1,c\n", "u2,d\n")
    labels = joined(tmp_path / "users.csv", "user,segment", "u1,new\n", "u2,old\n")
    saved = joined(tmp_path / "saved.csv", "run,topic,measure,value", "r,u1,RR,1\n", "r,u2,RR,0.5\n")
    clicks = joined(tmp_path / "clicks.csv", "session,topic,rank,document,click", "1,q,1,a,1\n", "2,q,1,a,0\n")
    for path, line, read in (
        (seen, 3, lambda: evaluate(read_qrels(test), run, ["RR"], exclude=seen).values.ravel().tolist() == [1, 1]),
        (labels, 3, lambda: evaluate(read_qrels(test), run, ["RR"], by=labels).slices is not None),
        (saved, 3, lambda: read_scores(saved).values.ravel().tolist() == [1, 0.5]),
        (clicks, 3, lambda: len(read_clicks(clicks)) == 2),
    ):
        with pytest.warns(FilesWarning, match=f"{path.name}: line {line} repeats the header and is left out"):
            assert read()
