from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import evaluate, read_qrels, read_run

from ..conftest import Gradeval


def test_a_preset_scores_as_its_options_spelled_out(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "nDCG@2 AP", "--preset", "letor", "-q", "--format", "tsv")
    runs = [read_run(path) for path in files[1:]]
    measures = "nDCG(dcg='exp-log2',discount='letor')@2 AP"
    scores = evaluate(read_qrels(files[0]), runs, measures, ties="order")
    values = [float(line.split("\t")[3]) for line in result.stdout.splitlines()[1:]]
    assert values == [*scores.values.ravel().tolist(), *scores.mean().ravel().tolist()]


def test_a_preset_says_its_options_and_the_measures_in_use(gradeval: Gradeval, files: list[Path]) -> None:
    said = gradeval("evaluate", *files, "-m", "AP nDCG@2 RBP RR", "--sort", "AP", "--preset", "dl").stderr
    assert [line for line in said.splitlines() if "preset" in line] == [
        "note: preset dl: missing zero, empty zero, ties docid-float32, negative unjudged",
        "note: preset dl: AP(rel=2) RBP(p=0.9) RR(rel=2)",
    ]
    assert said.count("preset dl") == 2
    assert gradeval("evaluate", *files, "-m", "nDCG@2", "--preset", "dl").stderr.count("preset dl") == 1


def test_an_option_goes_before_the_preset(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("t 0 d1 1\nt 0 d2 -1\n")
    (tmp_path / "r").write_text("t Q0 d2 1 2 r\nt Q0 d1 2 1 r\n")
    arguments = ["evaluate", tmp_path / "q", tmp_path / "r", "-m", "Bpref", "--format", "tsv", "--preset", "trec"]
    result = gradeval(*arguments)
    assert "negative unjudged" in result.stderr
    assert result.stdout.endswith("\t1.0\n")
    result = gradeval(*arguments, "--negative", "nonrelevant")
    assert "preset trec: missing zero, empty zero, ties docid\n" in result.stderr
    assert result.stdout.endswith("\t0.0\n")


def test_sort_names_a_measure_as_it_was_given(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "nDCG@2", "--preset", "letor", "--sort", "nDCG@2", "--format", "tsv")
    assert result.exit_code == 0, result.stderr
    assert "nDCG(dcg='exp-log2',discount='letor')@2" in result.stdout


@pytest.mark.parametrize(
    "command",
    [
        ["compare"],
        ["correlate", "--samples", "0"],
        ["discriminate", "--samples", "100"],
        ["ranks", "--samples", "100"],
        ["robustness", "--rates", "50", "--samples", "2"],
        ["inform", "--least", "1", "--samples", "0"],
    ],
    ids=lambda words: words[0],
)
def test_studies_take_presets_as_evaluate_does(gradeval: Gradeval, collection: list[Path], command: list[str]) -> None:
    args = [*command, *collection, "--format", "jsonl"]
    by_preset = gradeval(*args, "-m", "AP nDCG@3", "--preset", "letor")
    spelled = gradeval(*args, "-m", "AP nDCG(dcg='exp-log2',discount='letor')@3", "--ties", "order")
    assert by_preset.stdout == spelled.stdout
    assert by_preset.stdout != gradeval(*args, "-m", "AP nDCG@3").stdout
    assert "note: preset letor: missing zero, empty zero, ties order\n" in by_preset.stderr


def test_a_preset_also_defines_the_measures_that_choose_and_describe_runs(
    gradeval: Gradeval, collection: list[Path]
) -> None:
    said = gradeval("compare", *collection, "-m", "AP", "--runs", "top:2:RBP", "--preset", "trec").stderr
    assert "runs: top:2:RBP(p=0.9) selects 2" in said
    described = gradeval("describe", *collection, "-m", "RBP", "--preset", "trec")
    assert "above-q1:RBP(p=0.9)" in described.stdout
    assert "negative unjudged" in described.stderr


def test_ready_scores_have_no_use_for_a_preset(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    gradeval("evaluate", *collection, "-m", "AP", "-q", "-o", scores)
    result = gradeval("compare", "--scores", scores, "--preset", "dl")
    assert result.stdout == gradeval("compare", "--scores", scores).stdout
    assert "note: --preset says how judgments and runs are read and does nothing with --scores" in result.stderr


def test_the_relaxed_and_rigid_pair_of_ntcir_by_hand(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 3\nq 0 b 0\nq 0 c 2\nq 0 d 1\nq 0 e 0\nq 0 f 1\n")
    (tmp_path / "run.txt").write_text("".join(f"q Q0 {d} {r} {9 - r} r\n" for r, d in enumerate("abczd", 1)))
    asked = ["--preset", "ntcir", "-m", "AP Q RMeasure AWP", "--format", "tsv"]
    lines = gradeval("evaluate", tmp_path / "qrels.txt", tmp_path / "run.txt", *asked).stdout.splitlines()[1:]
    values = [float(line.split("\t")[3]) for line in lines]
    relaxed, rigid = (1 / 1 + 2 / 3 + 3 / 5) / 4, (1 / 1 + 2 / 3) / 2  # grades 1 to 3, and from 2 on
    q = ((1 + 3) / (1 + 3) + (2 + 5) / (3 + 6) + (3 + 6) / (5 + 7)) / 4  # gains 3 3 5 5 6, ideal 3 5 6 7 7
    r_measure, awp = (2 + 5) / (4 + 7), (3 / 3 + 5 / 6 + 6 / 7) / 4
    assert values == pytest.approx([relaxed, rigid, q, r_measure, awp])
