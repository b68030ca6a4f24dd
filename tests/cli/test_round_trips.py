"""Whatever gradeval writes, gradeval reads; or it is said here why nothing of it takes the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from click import Context

from gradeval import evaluate, read_clicks, read_qrels, read_run, read_scores, write_clicks, write_qrels
from gradeval.cli import main
from gradeval.formula.spelling import choose_measures
from gradeval.studies import list_studies

from .conftest import Gradeval

MEASURES = "AP nDCG@10 Rprec GAP(g=[0.5,0.5]) NumRet"
READ_BACK = "evaluate trec_eval simulate".split()
"""Commands whose files other commands take; each has a test below."""
NOT_READ = {
    "adm": "scores, which studies take: tests/cli/commands/test_adm_command.py",
    "check": "records for people and scripts",
    "gate": "records for people and continuous integration: tests/cli/commands/test_gate_command.py",
    "report": "a page for people, and the same as Markdown and JSON",
    "explain": "text for people",
    "measures": "text for people; the names are what -m takes",
    "completion": "a script for a shell",
    "train": "models, which rank and report take: tests/cli/commands/test_rank.py",
    "rank": "runs, which evaluate takes: tests/cli/commands/test_rank.py",
    "crossval": "records; --save-scores writes scores: tests/cli/commands/test_crossval.py",
    "split": "lines of the log, as they were: tests/files/test_rating_log.py",
    "papers": "records of studies; the list is text for people",
}


def test_every_command_is_read_back_or_has_a_reason() -> None:
    """No command goes on from the records of a study; any reader of tsv, csv or JSON does."""
    studies = {name.replace("_", "-") for name in list_studies()}
    assert {*READ_BACK, *NOT_READ} == set(main.list_commands(Context(main))) - studies


@pytest.mark.parametrize(
    ("form", "options"),
    [
        *((form, []) for form in ("tsv", "csv", "jsonl", "trec", "parquet")),
        *((f, ["--ci"]) for f in ("tsv", "csv", "jsonl")),
    ],
)
def test_scores_are_read_back(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, form: str, options: list[str]
) -> None:
    place = tmp_path / f"scores.{form}"
    by_topic = [] if form == "parquet" else ["-q"]
    kind = ["--format", "trec_eval"] if form == "trec" else []
    assert gradeval("evaluate", *collection, "-m", MEASURES, *by_topic, *kind, *options, "-o", place).exit_code == 0
    again = read_scores(place)
    scores = evaluate(read_qrels(collection[0]), [read_run(path) for path in collection[1:]], MEASURES)
    assert (again.runs, again.topics) == (scores.runs, scores.topics)
    assert list(map(str, again.measures)) == list(map(str, scores.measures))
    assert again.values == pytest.approx(scores.values, abs=5e-5 if form == "trec" else 0, rel=0)
    assert gradeval("compare", "--scores", place, "-m", "AP").exit_code == 0


def test_means_alone_are_no_scores_of_topics_and_the_error_says_so(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    place = tmp_path / "means.tsv"
    assert gradeval("evaluate", *collection, "-m", "AP", "-o", place).exit_code == 0
    result = gradeval("compare", "--scores", place)
    assert result.exit_code == 2
    assert "gradeval evaluate -q" in result.stderr


def test_all_that_trec_eval_prints_is_read_back(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    printed = {}
    for path in collection[1:3]:
        printed[path.stem] = gradeval("trec_eval", "-q", "-m", "all_trec", collection[0], path).stdout
        (tmp_path / path.name).write_text(printed[path.stem])
    again = read_scores(*(tmp_path / path.name for path in collection[1:3]))
    assert again.runs == list(printed)
    names = {}
    for run, text in printed.items():
        for line in text.splitlines():
            name, topic, value = line.split(None, 2)
            if topic != "all" and name != "relstring":
                if name not in names:
                    (names[name],) = choose_measures(name, again.measures)
                at = again.runs.index(run), again.topics.index(topic), again.measures.index(names[name])
                assert again.values[at] == float(value), (run, name, topic)
    assert len(names) > 80
    result = gradeval(
        *"compare -m map --scores".split(), tmp_path / collection[1].name, "--scores", tmp_path / collection[2].name
    )
    assert result.exit_code == 0, result.stderr


def test_judgments_runs_and_clicks_are_read_back(gradeval: Gradeval, tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    model = ["--topics", 4, "--systems", 2, "--levels", 3, "--depth", 10, "--documents", 30]
    assert gradeval("simulate", "collection", folder, *model).exit_code == 0
    files = [folder / "qrels.txt", *sorted((folder / "runs").iterdir())]
    assert gradeval("evaluate", *files).exit_code == 0
    qrels = read_qrels(files[0])
    write_qrels(qrels, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == files[0].read_bytes()
    log = tmp_path / "clicks.tsv"
    assert gradeval("simulate", "clicks", *files[:2], "--sessions", 300, "-o", log).exit_code == 0
    write_clicks(read_clicks(log), tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == log.read_bytes()
