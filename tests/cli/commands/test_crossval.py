"""Cross-validation on the command line: the table, what is tested, what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from gradeval import read_letor, read_scores
from gradeval.ltr import CrossValidation, TreeRanker, crossval
from gradeval.ltr.trials import Plan, Result, Trial, run_trials

from ..conftest import Gradeval, instead, records, refusal

pytest.importorskip("lightgbm")

AIMS = ["lambdarank:AP", "lambdarank:GAP(g=[0.5,0.5])", "lambdarank:nDCG@3"]
OBJECTIVES = [word for aim in AIMS for word in ("--objective", aim)]
TREES = "--ranker tree --min-rows 3 --epochs 12 --patience 4 --learning-rate 0.2".split()
SETTINGS = {"min_rows": 3, "epochs": 12, "patience": 4, "learning_rate": 0.2}
BASE = [*OBJECTIVES, *TREES, "--jobs", 1, "-m", "AP nDCG@5"]


@pytest.fixture(scope="module")
def validation(parts: list[Path]) -> CrossValidation:
    return crossval([read_letor(part) for part in parts], AIMS, "AP nDCG@5", TreeRanker, **SETTINGS)


def test_the_table_has_what_was_trained_for_by_what_was_tested(
    gradeval: Gradeval, parts: list[Path], validation: CrossValidation
) -> None:
    done = gradeval("crossval", *parts, *BASE)
    assert done.exit_code == 0, done.stderr
    head, _, *rows, legend = done.stdout.splitlines()
    assert head.split() == ["trained", "for", "AP", "nDCG@5"]
    assert legend == "* best of its column; ▼ not the best, as another objective is as good or better, level 0.05"
    assert [row.split()[0] for row in rows] == AIMS
    bounds = validation.scores.ci()
    for row, means, between in zip(rows, validation.scores.mean(), bounds, strict=True):
        for mean, (low, high) in zip(means, between, strict=True):
            assert f"{mean:.4f}" in row
            assert f"[{low:.4f}, {high:.4f}]" in row
    for column in (0, 1):  # the best of each column has a star
        best = validation.scores.mean()[:, column].argmax()
        assert rows[best].count("*") >= 1
    assert "12 trainings of tree rankers: 3 objectives, 4 folds, seed 0; 32 topics" in done.stderr
    assert (
        "*: the highest mean, picked after looking; ▼: not the best, as another objective is as good or better"
        in done.stderr
    )
    assert "one seed: marks hold for these trained rankers only" in done.stderr
    assert [line.removeprefix("note: ") for line in done.stderr.splitlines()[1:]] == list(map(str, validation.notes))


def test_a_baseline_may_be_chosen(
    gradeval: Gradeval, parts: list[Path], validation: CrossValidation, tmp_path: Path
) -> None:
    done = gradeval("crossval", *parts, *BASE, "--baseline", "lambdarank:map", "--format", "tsv", "--alpha", 0.5)
    assert "against lambdarank:AP" in done.stderr
    validation.table(baseline="lambdarank:AP", alpha=0.5).save(tmp_path / "expected.tsv")
    assert done.stdout == (tmp_path / "expected.tsv").read_text()


def test_weights_of_a_file_reach_the_trainings(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("3\n1\n" * 16)
    args = ["--objective", AIMS[1], *TREES, "--jobs", 1, "-m", "AP", "--format", "tsv"]
    weighted = records(gradeval("crossval", *parts, *args, "--weights", tmp_path / "weights"))
    features = [read_letor(part) for part in parts]
    expected = crossval(features, AIMS[1], "AP", TreeRanker, sample_weight=[3, 1] * 16, **SETTINGS)
    assert float(weighted[0]["value"]) == expected.scores.mean()[0, 0]
    assert weighted[0]["value"] != records(gradeval("crossval", *parts, *args))[0]["value"]


def test_seeds_measures_and_settings_act(gradeval: Gradeval, parts: list[Path]) -> None:
    given = [read_letor(part) for part in parts]
    options = {
        "--seeds 2": {"seeds": 2},
        "--leaves 3": {"leaves": 3},
        "--validate-by nDCG@2": {"validate_by": "nDCG@2"},
    }
    for words, changes in options.items():
        lines = records(gradeval("crossval", *parts, *BASE, *words.split(), "--format", "tsv"))
        expected = crossval(given, AIMS, "AP nDCG@5", TreeRanker, **{**SETTINGS, **changes})
        values = [float(line["value"]) for line in lines]
        assert values == expected.scores.mean().T.ravel().tolist(), words


def test_a_preset_defines_the_measures(gradeval: Gradeval, parts: list[Path]) -> None:
    args = [*parts, "--objective", "lambdarank:AP", *TREES, "--jobs", 1, "-m", "nDCG@5"]
    head = gradeval("crossval", *args, "--preset", "letor").stdout.splitlines()[0]
    assert head.split()[-1] == "nDCG(dcg='exp-log2',discount='letor')@5"


def test_options_of_one_method_leave_the_other_alone(gradeval: Gradeval, parts: list[Path]) -> None:
    pytest.importorskip("torch")
    both = ["--objective", "lambdarank:AP", "--objective", "softrank:AP", "--epochs", 3, "--truncation", 5]
    done = gradeval("crossval", *parts, *both, "--jobs", 1, "-m", "AP")
    assert done.exit_code == 0, done.stderr
    assert [row.split()[0] for row in done.stdout.splitlines()[2:-1]] == ["lambdarank:AP", "softrank:AP"]


@pytest.mark.parametrize("ending", ["parquet", "tsv", "csv", "jsonl"])
def test_scores_of_topics_are_written_for_compare(
    gradeval: Gradeval, parts: list[Path], validation: CrossValidation, ending: str, tmp_path: Path
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    place = tmp_path / f"scores.{ending}"
    assert gradeval("crossval", *parts, *BASE, "--save-scores", place).exit_code == 0
    held = read_scores(str(place)).sel(runs=validation.scores.runs, topics=validation.scores.topics)
    np.testing.assert_array_equal(held.sel(measures="AP nDCG@5").values, validation.scores.values)
    compared = gradeval("compare", "--scores", place, "-m", "AP", "--baseline", AIMS[0])
    assert compared.exit_code == 0, compared.stderr
    assert AIMS[1] in compared.stdout
    chosen = gradeval("compare", "--scores", place, "-m", "AP", "--runs", ",".join(AIMS[:2]), "--baseline", AIMS[1])
    assert chosen.exit_code == 0, chosen.stderr
    assert [name in chosen.stdout for name in (AIMS[0], AIMS[2])] == [True, False]


def test_as_many_processes_train_as_are_asked_for(
    gradeval: Gradeval, parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[int] = []

    def note(plan: Plan, trials: Sequence[Trial], count: int) -> Iterator[tuple[Trial, Result]]:
        jobs.append(count)
        return run_trials(plan, trials, 1)

    monkeypatch.setattr("gradeval.ltr.crossvalidation.run_trials", note)
    one, two = (gradeval("crossval", *parts, *instead(BASE, "--jobs", number)) for number in (1, 2))
    assert jobs == [1, 2]
    assert one.stdout == two.stdout != ""


def test_work_is_kept(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    first = gradeval("crossval", *parts, *BASE, "--work", tmp_path / "work")
    cards = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").glob("*/card.json")}
    assert len(cards) == 12
    assert json.loads(next(iter(cards)).read_text())["ranker"] == "tree"
    assert gradeval("crossval", *parts, *BASE, "--work", tmp_path / "work").stdout == first.stdout
    assert all(path.stat().st_mtime_ns == time for path, time in cards.items())


def test_curves_are_drawn(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    done = gradeval("crossval", *parts, *BASE, "--plot", tmp_path / "curves.svg")
    assert done.exit_code == 0, done.stderr
    drawn = (tmp_path / "curves.svg").read_text()
    assert all(drawn.count(f">{words}<") >= 1 for words in (*AIMS, "mean AP", "mean nDCG@3", "fold 1", "fold 4"))


def test_one_objective_is_just_scored(gradeval: Gradeval, parts: list[Path]) -> None:
    done = gradeval("crossval", *parts, *BASE[-2:], "--objective", "lambdarank:AP", *TREES, "--jobs", 1)
    assert done.exit_code == 0, done.stderr
    assert "test:" not in done.stderr
    assert "*" not in done.stdout


def test_too_few_epochs_are_said(gradeval: Gradeval, parts: list[Path]) -> None:
    done = gradeval("crossval", *parts, *instead(BASE, "--epochs", 1))
    assert "12 trainings kept the last of 1 epoch: more epochs may be better" in done.stderr


def test_parts_may_be_called_letor(gradeval: Gradeval, parts: list[Path]) -> None:
    plain = gradeval("crossval", *parts, *BASE)
    assert gradeval("crossval", *[f"letor:{part}" for part in parts], *BASE).stdout == plain.stdout


def test_the_preset_defines_what_validation_watches_and_the_notes_say_it(gradeval: Gradeval, parts: list[Path]) -> None:
    args = [*parts, "--objective", "lambdarank:AP", *TREES, "--jobs", 1, "-m", "nDCG@5 AP", "--validate-by", "nDCG@3"]
    letor = "nDCG(dcg='exp-log2',discount='letor')"
    assert (
        f"note: tested by {letor}@5, AP; validated by {letor}@3"
        in gradeval("crossval", *args, "--preset", "letor").stderr
    )
    assert "note: tested by nDCG@5, AP; validated by nDCG@3" in gradeval("crossval", *args).stderr
    said = refusal(gradeval("crossval", *args[:-1], "nDCG@3 AP"))
    assert "--validate-by 'nDCG@3 AP': validation watches one measure" in said


def test_shares_of_tied_test_documents_are_said(
    gradeval: Gradeval, parts: list[Path], validation: CrossValidation
) -> None:
    shares = [f"{name} {share:.1%}" for name, share in zip(AIMS, validation.tied_share().tolist(), strict=True)]
    assert (
        f"test documents with a tied score: {', '.join(shares)}; values are means over their orders"
        in gradeval("crossval", *parts, *BASE).stderr
    )


def test_an_engine_s_own_objective_is_a_control_on_a_single_file(gradeval: Gradeval, parts: list[Path]) -> None:
    few = "--ranker tree --min-rows 3 --epochs 5 --folds 4 --jobs 1 -m nDCG@10".split()
    args = ["--objective", "GAP", "--objective", "lightgbm:lambdarank", "--baseline", "lightgbm:lambdarank"]
    done = gradeval("crossval", parts[0], *args, *few)
    assert done.exit_code == 0, done.stderr
    means = done.stdout.partition("* best")[0].splitlines()
    assert [line.split()[0] for line in means if ":" in line] == ["lambdarank:GAP", "lightgbm:lambdarank"]
    assert "8 trainings of tree rankers: 2 objectives, 4 folds" in done.stderr
    assert "against lightgbm:lambdarank" in done.stderr
    assert "lightgbm:lambdarank grows trees: take --ranker tree or auto" in refusal(
        gradeval("crossval", parts[0], *args, "--ranker", "linear")
    )
    assert "--folds is for a single file" in refusal(gradeval("crossval", *parts, *args, *few))
