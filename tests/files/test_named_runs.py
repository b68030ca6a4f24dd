"""Names of runs, by their files and tags."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gradeval import Run, evaluate, read_run, read_runs

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
