"""Logs of clicks in other shapes: each is read, or an error says what is missing and what makes a log of it."""

from __future__ import annotations

import json
import shlex
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from frame_forms import FORMATS

from gradeval import (
    FilesWarning,
    InputError,
    Qrels,
    clicks,
    evaluate,
    qrels_from_frame,
    read_clicks,
    read_qrels,
    read_run,
    read_runs,
)
from gradeval.cli import main

GRADES = {query: {"x1": 2, "x2": 1, "x3": 0} for query in ("red shoes", "laptop")}
QRELS = Qrels.from_dict(GRADES)


def shown() -> Iterator[tuple[str, str, str, int, int]]:
    """40 sessions with a query each: who, what, which document, at which place from 0, and was it clicked on?"""
    for number in range(40):
        documents = ["x1", "x2", "x3"] if number % 3 else ["x3", "x2", "x1"]
        for place, document in enumerate(documents):
            clicked = int((number * 7 + place * 3) % 5 < (4, 3, 1)[int(document[1]) - 1] - place)
            yield f"s{number}", [*GRADES][number % 2], document, place, clicked


def write(place: Path, head: str, lines: Iterator[str]) -> str:
    place.write_text("\n".join([head, *lines]) + "\n")
    return str(place)


def plain(folder: Path, name: str = "log.csv", first: int = 1) -> str:
    lines = (f"{s},{q},{d},{rank + first},{c}" for s, q, d, rank, c in shown())
    return write(folder / name, "session_id,query,sku,position,click", lines)


def run_pandas(message: str, folder: Path, log: str) -> None:
    """Run what a message says to write in pandas, in a folder."""
    pandas = pytest.importorskip("pandas")
    code = message[message.index("df") :].replace("to_csv('", f"to_csv('{folder}/")
    exec(code, {"df": pandas.read_csv(log)})


def said(log: str, *, of: str = "clicks") -> str:
    with pytest.raises(InputError) as refused:
        {"clicks": read_clicks, "judgments": read_qrels, "run": read_run}[of](log)
    return str(refused.value)


def test_ranks_from_0_are_counted_from_1_with_a_note(tmp_path: Path) -> None:
    from_1, from_0 = read_clicks(plain(tmp_path)), read_clicks(plain(tmp_path, "zero.csv", first=0))
    assert from_0.rank.tolist() == from_1.rank.tolist()
    note = f"{tmp_path / 'zero.csv'} counts ranks from 0; 1 is added to each"
    assert note in map(str, clicks(from_0, QRELS, samples=20, estimator="click-share").notes)
    assert not from_1.from_zero


def test_a_log_of_events_says_how_to_write_a_line_for_each_document(tmp_path: Path) -> None:
    events = (
        f"{s},{q},{d},{rank + 1},{event}"
        for s, q, d, rank, c in shown()
        for event in ["impression", *["click", "click"][: 2 * c]]
    )
    log = write(tmp_path / "events.csv", "session_id,query,sku,position,event", events)
    run_pandas(said(log), tmp_path, log)
    made, right = read_clicks(tmp_path / "clicks.csv"), read_clicks(plain(tmp_path))
    keys = ("session", "topic", "document")
    assert sorted(zip(*(getattr(made, key) for key in keys), made.click, strict=True)) == sorted(
        zip(*(getattr(right, key) for key in keys), right.click, strict=True)
    )


@pytest.mark.parametrize(
    ("head", "line", "missing"),
    [
        ("session_id,query,sku,event", "s,q,d,impression\ns,q,d,click", "no column the ranks: log at which rank"),
        ("session_id,query,sku,position,event", "s,q,d,1,click\ns,q,e,2,click", "passed over"),
    ],
)
def test_a_log_of_events_says_what_is_missing(head: str, line: str, missing: str, tmp_path: Path) -> None:
    assert missing in said(write(tmp_path / "log.csv", head, iter([line])))


def test_numbers_of_clicks_say_how_to_grade_by_rates(tmp_path: Path) -> None:
    """Counts at several ranks are added up."""
    lines = (
        f"{query},{document},{rank},{shown},{clicked}"
        for query in GRADES
        for document, grade in GRADES[query].items()
        for rank, shown, clicked in ((1, 10, 7 * grade), (2, 30, 3 * grade))
    )
    log = write(tmp_path / "counts.csv", "query,sku,position,impressions,clicks", lines)
    for message in (said(log), said(log, of="judgments")):
        run_pandas(message, tmp_path, log)
        rates = read_qrels(tmp_path / "grades.csv")
        assert {query: dict(rates.of(query)) for query in rates.topics} == {
            query: {document: 10 * grade / 40 for document, grade in GRADES[query].items()} for query in GRADES
        }
    assert "numbers of clicks; a run has the scores or the ranks" in said(log, of="run")


def test_a_query_asked_again_is_told_apart_by_a_column_that_is_named(tmp_path: Path) -> None:
    lines = (
        f"9:0{times},{s},{q},{d},{rank + 1},{c},{number}"
        for number, (s, q, d, rank, c) in enumerate(shown())
        for times in (0, 1)
    )
    log = write(tmp_path / "again.csv", "time,session_id,query,sku,position,click,line", lines)
    message = said(log)
    assert "session 's0' has rank '1' of topic 'red shoes' on line 2 already" in message
    assert message.endswith(
        "number its pages, or join a column that tells the pages apart, as in columns:session=SESSION+TIME:FILE"
    )
    place = f"columns:session=session_id+time:{log}"
    read = read_clicks(place)
    assert len(set(read.session)) == 80
    assert read.session[:2] == ["s0+9:00", "s0+9:01"]


def test_a_log_as_judgments_or_as_a_run_says_what_it_is(tmp_path: Path) -> None:
    log = plain(tmp_path)
    run = write(tmp_path / "run.csv", "query,sku,score", (f"{q},{d},0.{d[1]}5" for q in GRADES for d in GRADES[q]))
    typed = ["evaluate", log, run, "-m", "nDCG@10"]
    refused = CliRunner().invoke(main, typed)
    assert "has a column 'click' and no grades: a log of clicks" in refused.output
    assert "swapped" not in refused.output
    assert "--columns grade=click --repeated mean" in refused.output
    assert CliRunner().invoke(main, [*typed, "--columns", "grade=click", "--repeated", "mean"]).exit_code == 0
    assert "rank=position" in said(log, of="run")
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(log)
    with pytest.raises(InputError, match="relevance='click', repeated='mean'"):
        qrels_from_frame(frame)
    rates = qrels_from_frame(frame, relevance="click", repeated="mean")
    assert evaluate(rates, run, "nDCG@10").topics == ["red shoes", "laptop"]


def test_a_log_of_events_as_judgments_or_as_a_run_is_not_called_swapped(tmp_path: Path) -> None:
    lines = (f"{s},{q},{d},{rank + 1},{'click' if c else 'impression'}" for s, q, d, rank, c in shown())
    log = write(tmp_path / "events.csv", "session_id,query,sku,position,event", lines)
    assert "'gradeval clicks LOG QRELS' says how it reads such a log" in said(log, of="judgments")
    assert "if its ranks belong to one run, name their column rank=position" in said(log, of="run")


def log_of_variants(folder: Path, form: str, called: str = "variant") -> Path:
    """A log of clicks in which a variant ranks x1, x2, x3 and the other one x3, x2, x1; each shows its list twice."""
    pandas = pytest.importorskip("pandas")
    lists = {"A": ["x1", "x2", "x3"], "B": ["x3", "x2", "x1"]}
    rows = [
        (
            session if called == "variant" else f"{session}{variant}",
            variant,
            query,
            document,
            rank,
            "DE",
            int(rank == 1),
        )
        for session in range(2)
        for variant, documents in lists.items()
        for query in GRADES
        for rank, document in enumerate(documents, 1)
    ]
    frame = pandas.DataFrame(rows, columns=["session_id", called, "query", "sku", "position", "country", "clicked"])
    path = folder / f"log.{form}"
    FORMATS[form](frame, path)
    return path


@pytest.mark.parametrize("called", ["variant", "arm", "ab", "Test-Group", "bucket"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_option_that_is_proposed_for_a_log_keeps_its_variants_apart(form: str, called: str, tmp_path: Path) -> None:
    log, judged = log_of_variants(tmp_path, form, called), tmp_path / "qrels.json"
    judged.write_text(json.dumps(GRADES))
    told = CliRunner().invoke(main, ["compare", str(judged), str(log)]).output
    assert f"a log of clicks, which 'gradeval clicks LOG QRELS' reads; to compare what A and B of '{called}'" in told
    options = shlex.split(told.split("showed: ")[1])
    read = CliRunner().invoke(main, ["evaluate", str(judged), str(log), *options, "-m", "RR(rel=2)", "--format", "tsv"])
    assert {tuple(line.split("\t")[::3]) for line in read.stdout.splitlines()[1:]} == {("A", "1.0"), ("B", repr(1 / 3))}


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_variants_that_are_read_as_one_run_are_told(form: str, tmp_path: Path) -> None:
    log = log_of_variants(tmp_path, form)
    if form != "parquet":
        with pytest.raises(
            InputError, match=r"if 'variant' names runs, say so: --columns (rank=position,)?run=variant.* --repeated"
        ):
            read_run(log, columns="rank=position")
    with pytest.warns(
        FilesWarning, match="A and B of 'variant' are read as one run; .* --columns rank=position,run=variant"
    ):
        read_run(log, columns="rank=position", repeated="best")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of ranks that come again with their documents, too
        runs = read_runs(log, columns="rank=position,run=variant", repeated="best").runs
    assert [run.name for run in runs] == ["A", "B"]
