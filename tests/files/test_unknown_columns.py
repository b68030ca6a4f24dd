"""Columns that nobody knows: the errors say what to type, and it works."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
import pytest
from frame_forms import FORMATS, QRELS, as_given
from refusing import said_of

from gradeval import (
    InputError,
    Qrels,
    Run,
    evaluate,
    judges,
    qrels_from_frame,
    read_qrels,
    read_run,
    read_scores,
    run_from_frame,
)
from gradeval.files.column_choice import choose_columns
from gradeval.files.named_columns import Columns


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"objects", "categories"}))
@pytest.mark.parametrize("column", ["distance", "_distance", "Cosine Distance", "dist"])
def test_the_advice_for_a_column_of_distances_puts_the_nearest_first(form: str, column: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], column: [0.1, 0.7]})
    place = tmp_path / "lines"
    given = FORMATS[form](frame, place)
    given = place if given is None else given
    said = said_of(lambda: evaluate(QRELS, given, "AP"))
    assert f": column {column!r} is no score, as less is better" in said
    if form in ("frame", "records"):
        assert said.endswith(f": rank={column!r}, or call the column rank")
        called = frame.rename(columns={column: "rank"})
        given = called if form == "frame" else called.to_dict("records")
        assert evaluate({"q1": {"d1": 1}}, given, "AP").mean().item() == 1
        nearest_first = run_from_frame(frame, rank=column)
    else:
        assert f", for all files --columns {quote(f'rank={column}')}, or" in said
        assert f", or in Python read_run(FILE, columns={{'rank': {column!r}}})" in said
        nearest_first = (
            read_run(place, columns={"rank": column}) if given is place else run_from_frame(frame, rank=column)
        )
    assert evaluate({"q1": {"d1": 1}}, nearest_first, "AP").mean().item() == 1


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_records_are_not_advised_what_their_reader_does_not_take(kind: str) -> None:
    unknown = [{"query_id": "q1", "doc_id": "d1", "unknown": 1}]
    given = (unknown, QRELS) if kind == "qrels" else (QRELS, unknown)
    said = said_of(lambda: evaluate(*given, "AP"))
    assert "columns" not in said
    assert '; write records as in {"query_id": "q1"' in said


MISSPELT = [
    ("run", "query_id doc_id scroe", "'scroe' is nearly 'score'; ", "score=scroe"),
    ("run", "query_idd doc_id score", "'query_idd' is nearly 'query_id'; ", "query=query_idd"),
    ("run", "query_id doc_id rnak", "'rnak' is nearly 'rank'; ", "rank=rnak"),
    (
        "run",
        "query-idd doc_id Scroe",
        "'query-idd' is nearly 'query_id'; 'Scroe' is nearly 'score'; ",
        "query=query-idd,score=Scroe",
    ),
    ("run", "query_id doc_id bm25", "", "score=bm25"),
    ("qrels", "query_id doc_id relevence", "'relevence' is nearly 'relevance'; ", "grade=relevence"),
    ("qrels", "query_id dcoid grade", "'dcoid' is nearly 'docid'; ", "doc=dcoid"),
    ("qrels", "query_id doc_id rank", "'rank' is usual in a run, and judgments are expected; ", "grade=rank"),
]


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet"])
@pytest.mark.parametrize(("kind", "names", "said", "option"), MISSPELT)
def test_an_unknown_name_is_answered_by_what_to_type(
    kind: str, names: str, said: str, option: str, form: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame([("q", "d", 2), ("q", "e", 1)], columns=names.split())
    place = tmp_path / "x"
    FORMATS[form](frame, place)
    read: Any = read_qrels if kind == "qrels" else read_run
    error = said_of(lambda: read(place))
    assert f"(it has {', '.join(names.split())}); {said}" in error
    values = any(f"{one}=" in option for one in ("grade", "score", "rank"))
    for_all, for_one = f"--columns {option}", f"columns:{option}:FILE"
    both = f"{for_one}, for all files {for_all}" if values else f"{for_all}, for one file {for_one}"
    assert f"{both}, or in Python read_" in error
    sign = -1 if "rank=" in option else 1
    assert read(place, columns=option).to_dict() == {"q": {"d": sign * 2, "e": sign}}
    assert read(f"columns:{option}:{place}").to_dict() == read(place, columns=option).to_dict()


def test_names_with_blanks_are_quoted_and_frames_are_told_the_name() -> None:
    columns = ["query_id", "doc_id", "my score"]
    with pytest.raises(InputError, match=r"'columns:score=my score:FILE', for all files --columns 'score=my score'"):
        choose_columns(columns, "run", Columns(), "x")
    with pytest.raises(InputError, match="'scroe' is nearly 'score'; name the columns: run_from_frame"):
        run_from_frame(pd.DataFrame([("q", "d", 1.0)], columns=["qid", "docno", "scroe"]))


@pytest.mark.parametrize(
    "form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "categories", "frame", "records"]
)
@pytest.mark.parametrize("column", ["arm", "which one"])
def test_an_unknown_column_that_tells_repeated_documents_apart_may_be_named(
    form: str, column: str, tmp_path: Path
) -> None:
    given = as_given(form, column, ["oak", "oak", "elm", "elm"], tmp_path)
    said = said_of(lambda: evaluate(QRELS, given, "AP"))
    assert "--repeated" not in said
    assert (
        f"if {column!r} names runs, call it run" if form in ("records", "frame") else f"{{'run': {column!r}}}"
    ) in said


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("unit_id", "'unit_id' is named like an id; name it: --columns doc=unit_id, "),
        ("dcoid", "'dcoid' is nearly 'docid'; name it: --columns doc=dcoid, "),
        ("thing", "name it: --columns doc=NAME, "),
    ],
)
def test_a_flag_is_not_advised_as_the_documents(column: str, said: str, form: str, tmp_path: Path) -> None:
    others = dict.fromkeys("abcdef", 1.5)  # of which none is called alike
    rows = [{"qid": "q", column: f"u{row}", "booked": row % 2, "grade": row % 3, **others} for row in range(6)]
    FORMATS[form](pd.DataFrame(rows), tmp_path / "x")
    error = said_of(lambda: read_qrels(tmp_path / "x"))
    assert said in error, error
    assert "doc=booked" not in error


GOLD = {"Q1": ["a#1"], "Q2": ["b#7", "b#9", "c#3"], "Q3": ["d#1", "e#6"]}


@pytest.mark.parametrize("sign", ["|", ";", ","])
def test_lists_in_cells_stand_alone_and_the_advice_works(sign: str, tmp_path: Path) -> None:
    lists = {"u1": ["a", "b", "c"], "u2": ["d", "e"], "u3": ["f"]}
    frame = pd.DataFrame({"user_id": [*lists], "recs": [sign.join(ids) for ids in lists.values()]})
    place = tmp_path / "recs.csv"
    frame.to_csv(place, index=False)
    of_frame = said_of(lambda: run_from_frame(frame))
    holds = f"'recs' holds lists of documents between {sign!r}, as {sign.join('abc')!r}; "
    if sign == "\n":  # which no id holds
        assert {topic: [*found] for topic, found in read_run(place).to_dict().items()} == lists
    else:
        assert said_of(lambda: read_run(place)) == f"{place}:1: {holds}read them as lists:FILE"
    assert of_frame == f"run: {holds}write df['recs'] = df['recs'].str.split({sign!r})"
    frame["recs"] = frame["recs"].str.split(sign)
    for run in (read_run(f"lists:{place}"), run_from_frame(frame)):
        assert {topic: [*run.of(topic)] for topic in run.topics} == lists
    titles = pd.DataFrame({"user_id": ["u1", "u2"], "recs": ["Alien, The Director's Cut", "Heat, A Film"]})
    assert "holds lists" not in said_of(lambda: run_from_frame(titles))


@pytest.mark.parametrize("way", [json.dumps, str, tuple, np.array], ids=["JSON", "Python", "tuples", "NumPy"])
@pytest.mark.parametrize("name", ["gold_chunk_ids", "bad"])
@pytest.mark.parametrize("of_frame", [qrels_from_frame, run_from_frame])
def test_written_lists_as_the_only_other_column_become_lists_as_advised(
    of_frame: Callable[[pd.DataFrame], Qrels | Run], name: str, way: Callable[[list[str]], object]
) -> None:
    gold = {"q1": ["c1", "c9"], "q2": ["c2"], "q3": ["c3"], "q4": ["c4"]}
    df = pd.DataFrame({"question_id": [*gold], name: [str(way(ids)) for ids in gold.values()]})
    said = said_of(lambda: of_frame(df))
    assert f"{name!r} holds lists of documents as text, as " in said
    typed = said.partition(f"write df[{name!r}] = ")[2].partition(", after import ast")[0].partition("; if")[0]
    df[name] = eval(typed, {"df": df, "ast": ast})
    assert {topic: [*found] for topic, found in of_frame(df).to_dict().items()} == gold


def test_lists_between_line_breaks_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"user_id": [*GOLD], "recs": ["\n".join(ids) for ids in GOLD.values()]})
    frame.to_csv(tmp_path / "recs.csv", index=False)
    for columns in (None, {"doc": "recs"}):
        run = read_run(tmp_path / "recs.csv", columns=columns)
        assert {topic: [*run.of(topic)] for topic in run.topics} == GOLD


def test_a_table_of_means_is_no_run_and_the_error_says_what_reads_it(tmp_path: Path) -> None:
    (tmp_path / "published.csv").write_text("system,nDCG@10,AP,source\nelm,.7,.4,table 2\noak,.6,,table 3\n")
    with pytest.raises(
        InputError, match=r"its columns are measures \(nDCG@10, AP\), so it holds means.*read_scores\('own.csv', FILE"
    ) as said:
        len(read_run(tmp_path / "published.csv"))
    (tmp_path / "own.csv").write_text("run,topic,measure,value\nash,all,nDCG@10,.5\n")
    call = str(said.value).rpartition("in Python ")[2].replace("'own.csv'", "own").replace("FILE", "file")
    places = {"own": tmp_path / "own.csv", "file": tmp_path / "published.csv", "read_scores": read_scores}
    assert "ash" in str(eval(call, places))
    (tmp_path / "other.csv").write_text("system,speed\nelm,.7\n")
    with pytest.raises(InputError, match="no columns are known to hold the topics and the documents"):
        len(read_run(tmp_path / "other.csv"))


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize(
    ("query", "doc", "named"),
    [("question_id", "gold_chunk_ids", {"doc": "gold_chunk_ids"}), ("user_id", "item_id", {})],
)
@pytest.mark.parametrize("sign", ["|", ";"])
def test_lists_in_cells_of_named_columns_are_no_documents(
    sign: str, query: str, doc: str, named: dict[str, str], form: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({query: [*GOLD], doc: [sign.join(ids) for ids in GOLD.values()]})
    place = tmp_path / "gold"
    if form == "frame":
        error = said_of(lambda: qrels_from_frame(frame, query_id=query, doc_id=doc))
        assert f"write df[{doc!r}] = df[{doc!r}].str.split({sign!r})" in error
        frame[doc] = frame[doc].str.split(sign)
        judged = qrels_from_frame(frame, query_id=query, doc_id=doc)
    else:
        FORMATS[form](frame, place)
        if (sign, form) == ("\n", "csv"):  # no id holds a line end
            assert read_qrels(place, columns=named).to_dict() == {
                one: dict.fromkeys(ids, 1) for one, ids in GOLD.items()
            }
            return
        error = said_of(lambda: read_qrels(place, columns=named))
        assert ("; read them as lists:FILE" if form == "csv" else '; write each as a list, as ["d1", "d2"]') in error
        if form != "csv":
            frame[doc] = frame[doc].str.split(sign)
            FORMATS[form](frame, place)
        judged = read_qrels(f"lists:{place}") if form == "csv" else read_qrels(place, columns={"doc": doc})
    assert f"{doc!r} holds lists of documents between {sign!r}, as " in error
    assert judged.to_dict() == {topic: dict.fromkeys(ids, 1) for topic, ids in GOLD.items()}


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize("sign", [";", "|"])
def test_lists_in_cells_of_a_run_are_no_documents(sign: str, form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"user_id": [*GOLD], "recs": [sign.join(ids) for ids in GOLD.values()]})
    FORMATS[form](frame, tmp_path / "recs")
    given = {"doc": "recs"}
    if (sign, form) == ("\n", "csv"):  # no id holds a line end
        assert {one: [*ids] for one, ids in read_run(tmp_path / "recs", columns=given).to_dict().items()} == GOLD
        return
    read = {"frame": lambda: run_from_frame(frame, doc_id="recs")}.get(form)
    error = said_of(read or (lambda: read_run(tmp_path / "recs", columns=given)))
    assert f"'recs' holds lists of documents between {sign!r}, as " in error


@pytest.mark.parametrize("graded", [False, True])
def test_ids_with_a_sign_of_lists_are_ids_where_topics_repeat_or_grades_say_so(graded: bool, tmp_path: Path) -> None:
    topics = ["q1", "q2"] if graded else ["q1", "q1"]
    frame = pd.DataFrame({"query_id": topics, "doc_id": ["a|1", "b|2"]} | ({"relevance": [1, 1]} if graded else {}))
    frame.to_csv(tmp_path / "x.csv", index=False)
    for judged in (read_qrels(tmp_path / "x.csv"), qrels_from_frame(frame)):
        assert {document for documents in judged.to_dict().values() for document in documents} == {"a|1", "b|2"}


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("names", "option"), [("u i", "query=u,doc=i"), ("u i v", "query=u,doc=i,grade=v"), ("u item v", "query=u,grade=v")]
)
def test_all_columns_that_are_missing_are_named_at_once(names: str, option: str, form: str, tmp_path: Path) -> None:
    """What the error says to type reads the file, on the command line, in Python, and of a frame."""
    called, place = names.split(), tmp_path / f"x.{form}"
    frame = pd.DataFrame([("u1", "a", 2), ("u1", "b", 1), ("u2", "a", 1)], columns=["u", "i", "v"])
    expected = {"u1": {"a": 2, "b": 1}, "u2": {"a": 1}} if called[2:] else {"u1": {"a": 1, "b": 1}, "u2": {"a": 1}}
    frame = frame[["u", "i", "v"][: len(called)]].set_axis(called, axis=1)
    FORMATS[form](frame, place)
    said = said_of(lambda: read_qrels(place))
    assert re.split(", for one file |, or in Python ", said.split("--columns ")[1])[0] == option
    assert read_qrels(place, columns=option).to_dict() == expected
    python = re.findall(r"in Python (read_qrels\(.*?\)$|read_qrels\([^;]*)", said)[0]
    assert eval(python, {"read_qrels": read_qrels, "FILE": place}).to_dict() == expected
    code = re.findall(r"name the columns: ([^;]*)", said_of(lambda: qrels_from_frame(frame)))[0]
    assert eval(code, {"qrels_from_frame": qrels_from_frame, "frame": frame}).to_dict() == expected


def test_a_column_that_the_user_named_stays_in_the_advice(tmp_path: Path) -> None:
    frame = pd.DataFrame([("u1", "a"), ("u2", "b")], columns=["u", "i"])
    place = tmp_path / "x.csv"
    frame.to_csv(place, index=False)
    said = said_of(lambda: read_qrels(place, columns="query=u"))
    assert "--columns query=u,doc=i, for one file" in said
    said = said_of(lambda: qrels_from_frame(frame, query_id="u"))
    assert said.endswith("name the columns: qrels_from_frame(frame, query_id='u', doc_id='i')")


def test_words_are_not_advised_as_grades_and_a_first_line_of_data_is_numbered(tmp_path: Path) -> None:
    place = tmp_path / "x.csv"
    place.write_text("q1,a,Exact\nq1,b,Bad\nq2,a,Exact\n")
    said = said_of(lambda: read_qrels(place))
    assert "columns:query=NAME,doc=NAME,grade=NAME:FILE, for all files --columns" in said
    option = said.split("if it is no header, number them: --columns ")[1]
    read = read_qrels(place, columns=option, recode={"Exact": 1, "Bad": 0})
    assert read.to_dict() == {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("qrels", "u{},{},{},Monday"),
        ("qrels", "u{},Q0,{},{}"),
        ("run", "u{},{},{},first,third,mine"),
        ("run", "u{},Q0,{},first,{},mine"),
    ],
)
def test_the_numbers_of_columns_fit_the_table(kind: str, line: str, tmp_path: Path) -> None:
    """TREC's second column, Q0, is passed over; other tables have their columns in order."""
    place = tmp_path / "x.csv"
    place.write_text("".join(f"{line.format(number, 'abc'[number], value)}\n" for number, value in enumerate("WXY")))
    read = read_qrels if kind == "qrels" else read_run
    option = said_of(lambda: read(place)).split("if it is no header, number them: --columns ")[1]
    place.write_text(place.read_text().replace("W", "3").replace("X", "2").replace("Y", "1"))
    assert read(place, columns=option).to_dict() == {"u0": {"a": 3}, "u1": {"b": 2}, "u2": {"c": 1}}


def test_a_frame_of_relevant_rows_beside_other_columns_is_told_how_to_be_read() -> None:
    frame = pd.DataFrame([("q1", "a", "x"), ("q2", "b", "y")], columns=["query_id", "doc_id", "text"])
    code = said_of(lambda: qrels_from_frame(frame)).split("if every row is a relevant document, give ")[1]
    assert qrels_from_frame(eval(code, {"frame": frame})).to_dict() == {"q1": {"a": 1}, "q2": {"b": 1}}
    ranked = pd.DataFrame([("q1", "a", 7), ("q1", "b", 8)], columns=["query_id", "doc_id", "size"])
    code = said_of(lambda: run_from_frame(ranked)).split("; or give ")[1].split(", whose")[0]
    assert [*run_from_frame(eval(code, {"frame": ranked})).of("q1")] == ["a", "b"]


RATED = "query,docid,Anna Smith,Bob Jones,Unknown\nq,a,2,3,\nq,b,0,,1\nq,c,1,1,\n"
MEANS = {"a": 2.5, "b": 0.5, "c": 1.0}


def test_columns_of_raters_are_told_with_the_line_that_takes_their_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pandas = pytest.importorskip("pandas")
    Path("book.csv").write_text(RATED)
    with pytest.raises(InputError, match="'Anna Smith', 'Bob Jones' and 'Unknown' may be raters") as error:
        read_qrels("book.csv")
    said = str(error.value)
    code = said.split("in pandas: ")[1].split(", then read grades.csv with --repeated mean")[0]
    exec(code, {"df": pandas.read_csv("book.csv")})
    assert read_qrels("grades.csv", repeated="mean").to_dict()["q"] == MEANS
    assert "--columns 'grade=Anna Smith'" in said
    assert read_qrels("book.csv", columns={"grade": "Anna Smith"}).to_dict()["q"] == {"a": 2, "b": 0, "c": 1}


def test_a_frame_with_columns_of_raters_is_told_the_same_in_python() -> None:
    pandas = pytest.importorskip("pandas")
    df = pandas.read_csv(StringIO(RATED))
    with pytest.raises(InputError, match="may be raters") as error:
        qrels_from_frame(df)
    code = str(error.value).split("in pandas: ")[1].split("; for one of them")[0]
    assert eval(code, {"df": df, "qrels_from_frame": qrels_from_frame}).to_dict()["q"] == MEANS


def test_flags_are_no_raters(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("query,docid,liked,shared\nq,a,1,0\nq,b,0,1\n")
    with pytest.raises(InputError, match="'liked' may say which rows are relevant, as it holds '0'"):
        read_qrels(path)


JUDGED = "label grade relevance rel my_label Grades goldRank gold user_clicked y_true is_relevant".split()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize("judged", JUDGED)
def test_what_a_run_is_judged_by_is_never_offered_as_its_scores(judged: str, form: str, tmp_path: Path) -> None:
    rows = [("q", f"d{at}", grade, 0.5) for at, grade in enumerate([3, 2, 1])]
    for others in ([], ["f1"]):
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", judged, "f1"])[
            ["query_id", "doc_id", judged, *others]
        ]
        place: Any = frame
        if form != "frame":
            place = tmp_path / "x"
            FORMATS[form](frame, place)
        said = said_of(lambda place=place: evaluate(QRELS, place, "nDCG"))
        column = repr(others[0]) if others else "NAME"
        assert f"score={column}" in said.replace("score=f1", "score='f1'")
        assert f"{judged!r} is usual in judgments, and a run is expected" in said
        assert all(word not in said for word in (f"={judged}", f"={judged!r}", f": {judged!r}"))


def test_lists_of_several_runs_beside_gold_are_named_and_no_gold_is_advised_as_a_run(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"question_id": ["q1", "q2"], "gold_ids": [["a"], ["b"]], "bm25": [["x", "a"], ["b"]], "dense": [["a"], ["x"]]}
    )
    said = said_of(lambda: evaluate(frame, frame, "RR"))
    hold = "'gold_ids', 'bm25' and 'dense' hold lists of documents; name the column of each run: "
    assert f"{hold}run_from_frame(frame, doc_id='bm25')" in said
    assert evaluate(frame, run_from_frame(frame, doc_id="bm25"), "RR").mean().ravel().tolist() == [0.75]
    place = tmp_path / "one.parquet"
    frame.to_parquet(place)
    said = said_of(lambda: evaluate(place, place, "RR"))
    assert f"{hold}columns:doc=bm25:FILE" in said
    both = evaluate(place, [f"columns:doc={name}:{place}" for name in ("bm25", "dense")], "RR")
    assert both.runs == ["one bm25", "one dense"]
    assert both.mean().ravel().tolist() == [0.75, 0.5]


def test_records_with_arrays_of_numpy_are_records_with_lists() -> None:
    """As ``frame.to_dict("records")`` has them of a frame that was read from Parquet."""
    records = [{"question_id": "q1", "retrieved_ids": np.array(["x", "a"]), "seed": np.int64(3)}]
    assert evaluate({"q1": {"a": 1}}, records, "RR").mean().ravel().tolist() == [0.5]


def test_the_first_advice_for_a_judge_whose_grades_have_another_name_works(tmp_path: Path) -> None:
    humans, judge = tmp_path / "humans.csv", tmp_path / "judge.csv"
    humans.write_text("query_id,doc_id,relevance\nq,a,1\nq,b,0\nr,a,1\nr,b,0\ns,a,1\ns,b,0\n")
    judge.write_text("query_id,doc_id,verdct\nq,a,1\nq,b,0\nr,a,0\nr,b,0\ns,a,1\ns,b,0\n")
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"b": 2.0, "a": 1.0}, "s": {"a": 1.0}}
    said = said_of(lambda: judges(humans, {"judge": str(judge)}, [run]))
    [advised] = re.findall(r"name it: (columns:\S+):FILE, for all files", said)
    assert judges(humans, {"judge": f"{advised}:{judge}"}, [run])
