"""Files of scores that are given as judgments and runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval import evaluate
from gradeval.cli import main

QRELS = {topic: {"a": 2, "b": 0, "c": 1} for topic in ("q1", "q2", "q3")}
RUNS = {
    "elm": {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in QRELS},
    "oak": {topic: {"c": 3.0, "b": 2.0, "a": 1.0 + place} for place, topic in enumerate(QRELS)},
}


def run(words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, shlex.split(words))
    return done.exit_code, done.output


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scores = evaluate(QRELS, RUNS, "AP nDCG")
    for name in ("s1.tsv", "s 2.csv", "s3.jsonl", "s4.parquet"):
        scores.save(name)
    for name, run_ in RUNS.items():
        lines = (f"{t} Q0 {d} 1 {s} {name}\n" for t, of in run_.items() for d, s in of.items())
        Path(f"{name}.run").write_text("".join(lines))
    Path("qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in QRELS.items() for d, g in of.items()))


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("command", ["compare", "ranks", "report", "evaluate", "robustness"])
@pytest.mark.parametrize(
    "files", ["s1.tsv 's 2.csv'", "s3.jsonl s4.parquet", "qrels.txt s1.tsv", "s4.parquet qrels.txt"]
)
def test_scores_in_place_of_judgments_and_runs_are_told_what_to_type_and_it_works(command: str, files: str) -> None:
    status, said = run(f"{command} {files}")
    of_scores = [file for file in shlex.split(files) if file.startswith("s")]
    assert status == 2
    assert f"{of_scores[0]}: holds scores by topic, neither judgments nor a run; write: gradeval " in said
    told = said.split("write: gradeval ")[1].strip()
    assert told.split()[0] == (command if command in ("compare", "ranks", "report") else "compare")
    assert shlex.split(told)[1:] == [word for file in of_scores for word in ("--scores", file)]
    status, shown = run(told + (" -o page.html" if command == "report" else ""))
    assert status == 0, shown


@pytest.mark.usefixtures("_files")
def test_scores_behind_one_option_are_told_an_option_each(tmp_path: Path) -> None:
    for name, run_ in zip(("elm.tsv", "oak.tsv"), RUNS, strict=True):
        evaluate(QRELS, {run_: RUNS[run_]}, "AP").save(tmp_path / name)
    status, said = run("compare --scores elm.tsv oak.tsv")
    assert status == 2
    told = said.split("write: gradeval ")[1].strip()
    assert told == "compare --scores elm.tsv --scores oak.tsv"
    status, shown = run(told)
    assert status == 0
    assert "oak may be" in shown  # worse or better than elm
    assert "each file of scores needs a --scores of its own" in run("compare --scores elm.tsv none.tsv")[1]


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(("files", "exit_status"), [("s1.tsv", 2), ("s4.parquet", 2), ("qrels.txt s4.parquet", 1)])
def test_check_says_what_scores_are_and_which_command_reads_them(files: str, exit_status: int) -> None:
    status, said = run(f"check {files}")
    assert status == exit_status
    file = files.split()[-1]
    assert (
        f"{file}: holds scores by topic, neither judgments nor a run; write: gradeval compare --scores {file}" in said
    )


@pytest.mark.usefixtures("_files")
def test_saved_scores_by_other_judgments_are_called_so_and_the_advice_works(tmp_path: Path) -> None:
    """The judgments were corrected in a grade since the scores were saved."""
    new = (tmp_path / "qrels.txt").read_text().replace("q1 0 c 1", "q1 0 c 0")
    (tmp_path / "new.txt").write_text(new)
    for run_, qrels in (("elm", "qrels.txt"), ("oak", "new.txt")):
        assert run(f"evaluate {qrels} {run_}.run -m nDCG -q -o {run_}.parquet")[0] == 0
    for files in ("elm.parquet oak.parquet", "new.txt elm.parquet oak.run"):
        status, said = run(f"gate {files}")
        assert status == 2
        assert "before was scored by other judgments than after; score both runs again by the same: " in said
        told = said.partition("by the same: gradeval ")[2].strip()
        assert told == "gate QRELS BEFORE AFTER"
        status, said = run(told.replace("QRELS", "new.txt").replace("BEFORE", "elm.run").replace("AFTER", "oak.run"))
        assert status in (0, 1), said
    assert run("gate qrels.txt elm.parquet oak.run")[0] in (0, 1)  # the judgments of the scores
    status, said = run("gate elm.parquet elm.run oak.run")
    assert status == 2
    assert "elm.parquet: holds scores by topic, neither judgments nor a run" in said


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("command", ["compare", "ranks", "report -o page.html"])
def test_scores_of_two_runs_by_other_judgments_are_scored_again_as_told(command: str) -> None:
    for name, documents in RUNS.items():
        qrels = QRELS | {"q1": {"a": 1, "c": int(name == "oak")}}
        evaluate(qrels, {name: documents}, "AP nDCG").save(f"{name}.parquet")
    for given in ("elm.parquet oak.parquet".split(), "a=elm.parquet b=oak.parquet".split()):
        status, said = run(" ".join([command, *(f"--scores {one}" for one in given)]))
        assert status == 2
        told = said.partition("score all runs by the same judgments: gradeval ")[2].strip()
        assert run(told.replace("QRELS", "qrels.txt").replace("RUNS", "elm.run oak.run"))[0] == 0
        status, said = run(f"{command} --scores {shlex.split(told)[-1]}")
        assert status == 0, said


@pytest.mark.usefixtures("_files")
def test_another_error_is_not_taken_for_scores(tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("q1 Q0 a one x t\n")
    status, said = run("compare qrels.txt bad.run")
    assert status == 2
    assert "holds scores" not in said
    assert "bad.run:1: " in said


def test_a_name_before_a_run_is_told_what_to_type_and_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test.csv").write_text("user,item,rating\n1,5,4\n1,6,1\n2,7,5\n2,8,2\n")
    for name in ("als", "pop"):
        Path(f"{name}0.csv").write_text("user,item,score\n1,5,0.9\n1,6,0.8\n2,7,0.9\n")
    status, said = run("evaluate test.csv als=als0.csv pop=pop0.csv -m RR")
    assert status == 2
    assert "als=als0.csv: judgments and runs have no name before their file; write: als0.csv pop0.csv; " in said
    assert "to call one als, rename its file als.csv" in said
    status, said = run("evaluate test.csv als0.csv pop0.csv -m RR")
    assert status == 0, said
    Path("RR.csv").write_text("topic,als,pop\n1,0.5,1\n2,1,1\n")
    assert "write: gradeval compare --scores RR=RR.csv" in run("evaluate test.csv RR=RR.csv")[1]
