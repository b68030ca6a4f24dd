"""Which reader is for which place: one table."""

from __future__ import annotations

import gzip
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
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
    evaluate,
    qrels_from_frame,
    read_qrels,
    read_run,
    read_runs,
    read_scores,
    run_from_frame,
)
from gradeval.files.readers import FORMATS, InputFormat, file_of, format_of, read_features


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("qrels.txt", "trec"),
        ("-", "trec"),
        ("irds:cranfield", "irds"),
        ("letor:S1.txt#9", "letor"),
        ("json:qrels.txt", "json"),
        ("runs/BM25.Parquet", "parquet"),
        ("run.json.gz", "json"),
        ("run.CSV.zst", "columns"),
        ("run.json.zip", "trec"),
        ("letor:S1.parquet", "letor"),
        ("a/letor:S1.txt", "trec"),
    ],
)
def test_the_name_of_a_place_says_its_format(place: str, name: str) -> None:
    assert format_of(place).name == name


def test_every_reader_of_the_table_is_there() -> None:
    for format in FORMATS:
        for reader in filter(None, (format.qrels, format.run, format.features, format.open_run, format.content)):
            module, _, function = reader.partition(":")
            assert callable(getattr(import_module(f"gradeval.files.{module}"), function)), reader


def test_the_file_of_a_place_is_without_prefix_and_feature(tmp_path: Path) -> None:
    for place in ("qrels.txt", "a.parquet", "-", "irds:cranfield", "a#1"):
        assert file_of(place) == place
    assert file_of("letor:S1.txt") == "S1.txt"
    assert file_of("letor:S1.txt#9") == "S1.txt"
    (tmp_path / "odd#9").touch()
    assert file_of(f"letor:{tmp_path}/odd#9") == f"{tmp_path}/odd#9"


def test_one_more_format_is_one_row_and_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("numbered")
    module.qrels = lambda path, name: Qrels.from_dict({"1": {"d": int(str(path.place))}}, name or path.place)
    module.run = lambda path, name: Run.from_dict({"1": {"d": 1.0}}, name or path.place)
    monkeypatch.setitem(sys.modules, "gradeval.files.numbered", module)
    monkeypatch.setattr(
        "gradeval.files.readers.FORMATS",
        (*FORMATS, InputFormat("grade", "numbered:qrels", "numbered:run", is_file=False)),
    )
    assert read_qrels("grade:2").of("1") == {"d": 2}
    assert read_qrels("grade:2", recode={2: 1}, levels=(0, 1, 2), name="mine").levels == (0, 1, 2)
    assert read_run("grade:7").name == "7"
    assert evaluate("grade:2", "grade:7", "AP").values.item() == 1


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
        assert said.endswith("give it to scores_from_frame()")


def test_the_functions_that_are_named_take_what_was_refused() -> None:
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1]})
    table = {"q": {"d": 1}}
    assert qrels_from_frame(frame).to_dict() == run_from_frame(frame).to_dict() == table
    assert Qrels.from_dict(table).to_dict() == Run.from_dict(table).to_dict() == table


@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize(("prefix", "meant"), [("lettor", "letor"), ("jsn", "json"), ("parqet", "parquet")])
def test_a_prefix_that_is_misspelled_is_named(read: Any, prefix: str, meant: str, tmp_path: Path) -> None:
    place = f"{prefix}:{tmp_path / 'x'}"
    assert f"no format is called {prefix!r} (did you mean {meant}?)" in said_of(lambda: read(place))


@pytest.mark.parametrize("before", ["", "\n", "# made by hand\n"])
def test_features_without_their_prefix_are_told(before: str, tmp_path: Path) -> None:
    place = tmp_path / "t.txt"
    place.write_text(f"{before}2 qid:1 1:0.5 2:1\n0 qid:1 1:0.25\n")
    assert (
        said_of(lambda: read_qrels(place)) == f"{place}: this looks like learning-to-rank features; write letor:{place}"
    )
    assert (
        said_of(lambda: read_run(place))
        == f"{place}: this looks like learning-to-rank features; write letor:{place}#NUMBER"
    )
    assert evaluate(f"letor:{place}", f"letor:{place}#1", "RR").mean().tolist() == [[1.0]]


@pytest.mark.parametrize("columns", [{"grade": "g"}, "grade=g", "query=qid, grade=g"])
def test_columns_are_named_as_text_or_by_a_mapping(columns: Any, tmp_path: Path) -> None:
    place = tmp_path / "qrels.csv"
    place.write_text("qid,docno,rel,g\nq,d,1,2\n,,,\n")
    assert read_qrels(place, columns=columns).to_dict() == {"q": {"d": 2}}
    assert "columns are a mapping or text, not a list" in said_of(lambda: read_qrels(place, columns=["g"]))


CSV = "query_id,doc_id,score\nq1,d1,2\nq2,d2,1\n"
JSON = '{"q1": {"d1": 2}, "q2": {"d2": 1}}'
JSONL = '{"query_id": "q1", "doc_id": "d1", "score": 2}\n{"query_id": "q2", "doc_id": "d2", "score": 1}\n'
BY_RUN = "run,query_id,doc_id,score\na.run,q1,d1,2\nb,q1,d1,2\n"


def trec(tag: str) -> str:
    return f"q1 Q0 d1 1 2 {tag}\nq2 Q0 d2 1 1 {tag}\n"


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({"vA.csv": CSV, "vB.jsonl": JSONL, "vC.json": JSON, "b.v2.tsv": CSV.replace(",", "\t")}, "vA vB vC b.v2"),
        ({"vA.csv": CSV, "vA.json": JSON, "vB.csv": CSV}, "vA.csv vA.json vB"),
        ({"vA.csv": CSV, "vA.run": trec("vA")}, "vA.csv vA"),
        ({"vA.run": trec("vA.run"), "vB.csv": CSV}, "vA.run vB"),
        ({"x.run": trec("one"), "y.run": trec("one"), "one.csv": CSV}, "x y one"),
        ({"a/vA.csv": CSV, "b/vA.csv": CSV}, "a/vA b/vA"),
        ({"x.csv": BY_RUN, "y.csv": BY_RUN}, "x a.run|x b|y a.run|y b"),
    ],
)
def test_names_from_files_lose_their_endings_where_they_stay_different_and_tags_keep_them(
    files: dict[str, str], names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place, text in files.items():
        Path(place).parent.mkdir(exist_ok=True)
        Path(place).write_text(text)
    expected = names.split("|") if "|" in names else names.split(" ")
    assert [run.name for run in read_runs(list(files)).runs] == expected
    assert evaluate({"q1": {"d1": 1}}, list(files), "AP").runs == expected
    again = [read_run(place) for place in files] if "|" not in names else read_runs(list(files)).runs
    assert len(set(evaluate({"q1": {"d1": 1}}, again, "AP").runs)) == len(expected)


def test_a_name_that_the_user_gives_keeps_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "vA.csv"
    path.write_text(CSV)
    assert (read_run(path).name, read_run(path, name="vA.csv").name) == ("vA", "vA.csv")
    assert evaluate({"q1": {"d1": 1}}, {"vA.csv": path}, "AP").runs == ["vA.csv"]
    assert evaluate({"q1": {"d1": 1}}, [Run.from_dict({"q1": {"d1": 1}}, "vB.csv")], "AP").runs == ["vB.csv"]


def test_runs_are_chosen_with_and_without_their_endings(tmp_path: Path) -> None:
    for name in ("vA.csv", "vB.csv.gz", "vC.csv"):
        (tmp_path / name).write_bytes(gzip.compress(CSV.encode()) if name.endswith("gz") else CSV.encode())
    scores = evaluate({"q1": {"d1": 1}}, [tmp_path / "vA.csv", tmp_path / "vB.csv.gz", tmp_path / "vC.csv"], "AP")
    assert scores.sel(runs=["vA.csv", "vB"]).runs == ["vA", "vB"]
    assert evaluate({"q1": {"d1": 1}}, [str(tmp_path / "*")], "AP", runs="vB.csv,vC").runs == ["vB", "vC"]
