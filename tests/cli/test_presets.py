from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import evaluate, read_qrels, read_run
from gradeval.formula.definition import REGISTRY
from gradeval.scores.presets import PRESETS, configure_measures

from .conftest import Gradeval


@pytest.mark.parametrize("name", PRESETS)
def test_presets_set_parameters_that_measures_have(name: str) -> None:
    for measure, parameters in PRESETS[name].parameters.items():
        REGISTRY[measure].configured(parameters)


@pytest.mark.parametrize(
    ("preset", "spelling", "meant"),
    [
        ("letor", "nDCG@10", "nDCG(dcg='exp-log2',discount='letor')@10"),
        ("letor", "MeannDCG@10", "MeannDCG(dcg='exp-log2',discount='letor')@10"),
        ("letor", "nDCG(discount='ms')@10", "nDCG(dcg='exp-log2')@10"),
        ("letor", "nDCG(dcg='log2')@10", "nDCG(discount='letor')@10"),
        ("letor", "nDCG(gains={1:1,2:5})", "nDCG(gains={1:1,2:5},discount='letor')"),
        ("letor", "AP", "AP"),
        ("ntcir", "Q@10", "Q(norm='min')@10"),
        ("ntcir", "Q(beta=10)@10", "Q(beta=10,norm='min')@10"),
        ("ntcir", "AP@10", "AP(norm='min')@10 AP(rel=2,norm='min')@10"),  # Relaxed and Rigid
        ("ntcir", "AP(rel=2)@10 AP@10", "AP(rel=2,norm='min')@10 AP(norm='min')@10"),
        ("ntcir", "AP(rel=1) Q", "AP(norm='min') Q(norm='min')"),
        ("matters", "nDCG RBP DCG@5", "nDCG(discount='jk',base=10) RBP(rel=1) DCG(discount='jk',base=10)@5"),
        ("matters", "nDCG(base=2) AP", "nDCG(discount='jk') AP"),
        ("ntcir", "nDCG@10", "nDCG(discount='jk')@10"),
        ("ntcir", "RBP", "RBP(p=0.95)"),
        ("ntcir", "RBP(p=0.5)", "RBP(p=0.5)"),
        ("ntcir", "RBP(p=0.8)", "RBP"),  # what is spelled out stands, also where it is the default
        ("trec", "RBP", "RBP(p=0.9)"),
        ("trec", "IPrec@0.2", "IPrec(mode='trec10')@0.2"),
        ("trec", "nDCG@10", "nDCG@10"),
        ("trec9", "IPrec@0.2", "IPrec(mode='trec9')@0.2"),
        ("dl", "IPrec@0.2", "IPrec(rel=2,mode='trec9')@0.2"),
        ("dl", "AP(rel=1) nDCG RBP", "AP nDCG RBP(p=0.9)"),
        ("covid", "RBP IPrec@0.2", "RBP(p=0.5) IPrec(mode='trec9')@0.2"),
    ],
)
def test_a_preset_fills_in_what_is_not_spelled_out(preset: str, spelling: str, meant: str) -> None:
    assert " ".join(map(str, configure_measures(preset, spelling)[0])) == meant


def test_dl_takes_grade_2_for_every_measure_of_relevant_documents() -> None:
    binary = {name for name, measure in REGISTRY.items() if measure.parameters.get("rel") == 1}
    assert {name for name, given in PRESETS["dl"].parameters.items() if given.get("rel") == 2} == binary


def test_a_preset_scores_as_its_options_spelled_out(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "nDCG@2 AP", "--preset", "letor", "-q", "--format", "tsv")
    runs = [read_run(path) for path in files[1:]]
    measures = "nDCG(dcg='exp-log2',discount='letor')@2 AP"
    scores = evaluate(read_qrels(files[0]), runs, measures, ties="order")
    values = [float(line.split("\t")[3]) for line in result.stdout.splitlines()[1:]]
    assert values == [*scores.values.ravel().tolist(), *scores.mean().ravel().tolist()]


def test_a_preset_says_its_options_and_the_measures_in_use(gradeval: Gradeval, files: list[Path]) -> None:
    said = gradeval("evaluate", *files, "-m", "AP nDCG@2 RBP RR", "--sort", "AP", "--preset", "dl").stderr
    assert said.splitlines()[:2] == [
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
    assert "negative" not in result.stderr
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
    assert by_preset.stderr.startswith("note: preset letor: missing zero, empty zero, ties order")


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
    assert "note: --preset says how judgments and runs are read and has no use beside --scores" in result.stderr


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
