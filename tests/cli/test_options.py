"""The options that say what the studies work on, held to evaluate(): each changes the numbers as it does there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradeval import Scores, evaluate
from gradeval.studies.correlate import correlate

from .conftest import Gradeval, records, refusal

MEASURES = "AP nDCG P@5 Bpref"


def scored(files: list[Path], **how: Any) -> Scores:
    return evaluate(files[0], files[1:], MEASURES, **how)


@pytest.mark.parametrize(
    ("option", "how"),
    [
        (["--depth", "5"], {"depth": 5}),
        (["--ties", "order"], {"ties": "order"}),
        (["--negative", "unjudged"], {"negative": "unjudged"}),
        (["--empty", "skip"], {"empty": "skip"}),
    ],
)
def test_differences_are_those_of_the_scores(
    gradeval: Gradeval, untidy: list[Path], option: list[str], how: dict[str, Any]
) -> None:
    lines = records(gradeval("compare", *untidy, "-m", MEASURES, *option, "--format", "tsv"))
    result = [float(line["value"]) for line in lines]
    assert result == pytest.approx(differences(scored(untidy, **how)))
    assert result != pytest.approx(differences(scored(untidy)), abs=1e-6)


def differences(scores: Scores) -> list[float]:
    means = scores.mean()
    runs = range(len(means))
    return [
        means[one, measure] - means[other, measure]
        for measure in range(means.shape[1])
        for one in runs
        for other in runs[one + 1 :]
    ]


def test_empty_topics_count_one_where_asked(gradeval: Gradeval, untidy: list[Path]) -> None:
    one = scored(untidy, empty="one").sel(measures="AP")
    shown = gradeval("compare", *untidy, "-m", "AP", "--baseline", one.runs[0], "--empty", "one", "--digits", 9).stdout
    means, _ = shown.split("\n\n")
    rows = [line.removesuffix(" *").split() for line in means.splitlines()[3:-1]]
    expected = dict(zip(one.runs, one.mean()[:, 0].tolist(), strict=True))
    assert [name for name, _ in rows] == sorted(expected, key=lambda name: -expected[name])
    for name, text in rows:
        assert float(text.rstrip("▲▼*")) == pytest.approx(expected[name], abs=1e-8)
    assert one.mean().min() > scored(untidy).sel(measures="AP").mean().min() + 1 / 13


def test_missing_topics_are_left_out_where_asked(gradeval: Gradeval, untidy: list[Path]) -> None:
    args = ["-m", MEASURES, "--samples", 0, "--missing", "skip", "--format", "tsv"]
    result = [float(line["value"]) for line in records(gradeval("correlate", *untidy, *args))]
    skipped, zero = (correlate(scored(untidy, missing=policy), samples=0) for policy in ("skip", "zero"))
    assert result == pytest.approx(skipped.values.T.ravel())
    assert result != pytest.approx(zero.values.T.ravel(), abs=1e-6)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--topics", "few:3"], "--topics few:3: the collection has the grades 0,1,2; this takes 2"),
        (["--topics", "atleast:1:7"], "--topics atleast:1:7: the collection has the grades 0,1,2; this takes 1,2"),
        (
            ["--topics", "few:9", "--levels", "0,1,2,9"],
            "selects none of the 12 topics, as none has a document of grade 9",
        ),
        (["--topics", "99"], "--topics 99: no such file, and no such topic among"),
        (["--runs", "top:7"], "--runs top:7: there are only 6 runs"),
        (["--runs", "nobody"], "--runs nobody: no run 'nobody'; the runs are "),
    ],
)
def test_a_selection_that_fails_names_its_option(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("compare", *collection, *args))


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_a_file_of_means_is_no_ready_scores(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, form: str
) -> None:
    file = tmp_path / f"means.{form}"
    assert gradeval("evaluate", *collection, "-m", "AP", "-o", file).exit_code == 0
    assert "has no values of single topics, only means" in refusal(gradeval("compare", "--scores", file))


def test_one_run_without_scores_is_counted_in_the_singular(gradeval: Gradeval, tmp_path: Path) -> None:
    lines = [f"{run}\t{topic}\tAP\t0.{topic}{len(run)}" for run in ("a", "bb") for topic in range(1, 6)]
    (tmp_path / "scores.tsv").write_text("\n".join(["run\ttopic\tmeasure\tvalue", *lines[:-1]]) + "\n")
    result = gradeval("compare", "--scores", tmp_path / "scores.tsv")
    assert "1 run has no scores for some topics (bb); they count 0" in result.stderr
    assert "Holm's correction over 1 measure" in result.stderr


GRADED = "1 0 a 0\n1 0 b 1\n1 0 c 2\n2 0 a 2\n2 0 b 0\n2 0 c 1\n"
RATINGS = "1 0 a 1\n1 0 b 2\n1 0 c 3\n2 0 a 3\n2 0 b 1\n2 0 c 2\n"  # each one more


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the judgments of a human and of two judges, one of whom rates from 1."""
    (tmp_path / "grades").mkdir()
    for name, text in {"human.txt": GRADED, "grades/llm.txt": RATINGS, "same.txt": GRADED}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("judge", "name"),
    [*(("grades/llm.txt", name) for name in ("llm", "llm.txt", "grades/llm.txt")), ("gpt=grades/llm.txt", "gpt")],
)
def test_one_judge_alone_is_recoded_by_its_name_or_its_path(gradeval: Gradeval, judge: str, name: str) -> None:
    args = ["judges", "human.txt", "--judge", judge, "--judge", "same.txt", "--format", "tsv"]
    result = records(gradeval(*args, "--recode", f"{name}:1=0,2=1,3=2"))
    kappas = [float(line["value"]) for line in result if line["statistic"] == "kappa"]
    assert kappas == [1, 1]


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("name", ["human", "human.txt"])
def test_the_humans_alone_are_recoded_and_what_is_said_of_one_goes_before_what_is_said_of_all(
    gradeval: Gradeval, name: str
) -> None:
    args = ["judges", "human.txt", "--judge", "same.txt", "--format", "tsv"]
    result = records(gradeval(*args, "--recode", "2=1", "--recode", f"{name}:1=0,2=0", "--levels", "0,1"))
    counts = {line["of"]: float(line["value"]) for line in result if line["statistic"] == "count"}
    assert counts == {"0>0": 2, "0>1": 4, "1>0": 0, "1>1": 0}


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--recode", "lmm:1=0"],
            "--recode lmm: no judgments are called so (did you mean llm?); they are human, human",
        ),
        (["--recode", "llm:1"], "--recode llm:1: '1' is no grade and what it becomes; accepted: as in 4=3"),
        (["--recode", "llm:1=0,1=2"], "--recode turns grade 1 into 0 and into 2; give one of the two"),
        (
            ["--judge", "human=same.txt", "--recode", "human:1=0"],
            "human: 2 judgments are called so; name one: human.txt or same.txt",
        ),
    ],
)
def test_a_name_that_says_too_little_is_refused(gradeval: Gradeval, args: list[str], message: str) -> None:
    assert message in refusal(
        gradeval("judges", "human.txt", "--judge", "grades/llm.txt", "--levels", "0,1,2,3", *args)
    )


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("command", ["evaluate", "gate", "describe", "compare"])
def test_every_command_that_reads_judgments_refuses_a_name_of_none(
    gradeval: Gradeval, graded: Path, command: str
) -> None:
    for run in "ab":
        (graded / run).write_text(f"1 Q0 a 1 1 {run}\n2 Q0 b 1 1 {run}\n")
    runs = [] if command == "describe" else ["a", "b"]
    assert "--recode x: no judgments are called so; they are" in refusal(
        gradeval(command, "human.txt", *runs, "--recode", "x:1=0")
    )
