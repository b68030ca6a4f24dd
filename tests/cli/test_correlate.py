from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import kendalltau, spearmanr

from gradeval import evaluate, read_scores
from gradeval.studies.correlate import correlate
from gradeval.studies.correlation import tau_ap

from .conftest import Gradeval, records, refusal


def test_every_measure_is_correlated_with_every_other(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("correlate", *collection, "-m", "AP nDCG P@5", "--samples", 0, "--format", "tsv")
    means = evaluate(collection[0], collection[1:], "AP nDCG P@5").mean().T
    names = ["AP", "nDCG", "P@5"]
    for line in records(result):
        expected = kendalltau(means[names.index(line["measure"])], means[names.index(line["against"])]).statistic
        assert float(line["value"]) == pytest.approx(expected, abs=1e-12)
        assert line["lower"] == ""
        assert (line["runs"], line["topics"]) == ("6", "12")


def test_a_reference_is_one_column_with_intervals(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["correlate", *collection, "-m", "AP nDCG", "--reference", "GAP", "--samples", 50, "--seed", 3]
    shown = gradeval(*args)
    assert shown.stdout.splitlines()[0].split() == ["measure", "GAP"]
    assert "seed 3" in shown.stderr
    for line in records(gradeval(*args, "--format", "tsv")):
        assert float(line["lower"]) <= float(line["value"]) <= float(line["upper"])


def test_the_statistic_is_the_one_asked_for(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "P@5", "--reference", "AP", "--samples", 0, "--format", "tsv", "--statistic", "spearman"]
    (line,) = records(gradeval("correlate", *collection, *args))
    p5, ap = evaluate(collection[0], collection[1:], "P@5 AP").mean().T
    assert float(line["value"]) == pytest.approx(spearmanr(p5, ap).statistic, abs=1e-12)


def test_what_stands_above_a_column_is_the_truth(gradeval: Gradeval, tmp_path: Path) -> None:
    orders = {"X": [4, 3, 2, 1], "Y": [1, 4, 3, 2]}
    for name, values in orders.items():
        rows = ["A,B,C,D", *[",".join(map(str, values))] * 3]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    files = ["--scores", tmp_path / "X.csv", "--scores", tmp_path / "Y.csv"]
    lines = records(gradeval("correlate", *files, "--statistic", "tau-ap", "--samples", 0, "--format", "tsv"))
    result = {(line["measure"], line["against"]): float(line["value"]) for line in lines}
    assert result["Y", "X"] == pytest.approx(tau_ap(orders["X"], orders["Y"]))
    assert result["X", "Y"] == pytest.approx(tau_ap(orders["Y"], orders["X"]))
    assert result["Y", "X"] != result["X", "Y"]


def test_statistics_stand_side_by_side(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["correlate", *collection, "-m", "AP nDCG", "--samples", 0]
    both = gradeval(*args, "--statistic", "spearman,kendall")
    apart = [gradeval(*args, "--statistic", name).stdout.split()[-4:] for name in ("spearman", "kendall")]
    assert both.stdout.split()[:5] == ["measure:", "spearman", "/", "kendall", "AP"]
    values = [f"{rho} / {tau}" for rho, tau in zip(*apart, strict=True) if rho != "nDCG"]
    assert all(value in both.stdout for value in values)
    lines = records(gradeval(*args, "--statistic", "spearman,kendall", "--format", "tsv"))
    assert [line["statistic"] for line in lines] == ["spearman", "kendall"] * 4


def test_extremely_high_correlations_are_marked(gradeval: Gradeval, tmp_path: Path) -> None:
    for name, values in {"X": "4,3,2,1", "Y": "9,8,7,6", "Z": "3,4,2,1"}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["A,B,C,D", *[values] * 3]))
    files = [word for name in "XYZ" for word in ("--scores", tmp_path / f"{name}.csv")]
    args = ["correlate", *files, "--samples", 0]
    shown = gradeval(*args)
    same, other, swapped = (line.split()[1:] for line in shown.stdout.splitlines()[2:])
    assert (same[:2], other[:2]) == (["1.000", "1.000†"], ["1.000†", "1.000"])
    assert "†" not in "".join([same[2], other[2], *swapped])
    assert "note: †: above 0.99\n" in shown.stderr
    assert "1.000\\textdagger{}" in gradeval(*args, "--format", "latex").stdout
    assert "1.000†" in gradeval(*args, "--format", "markdown").stdout
    exact = gradeval(*args, "--format", "tsv")
    assert "†" not in exact.stdout + exact.stderr


def test_curves_come_with_the_number_of_swaps(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["correlate", *collection, "-m", "AP nDCG P@5", "--picture", "curves", "--samples", 0]
    shown = gradeval(*args)
    assert "pairs of runs swapped\nmeasure  rises  AP  nDCG  P@5\n" in shown.stdout
    means = evaluate(collection[0], collection[1:], "AP nDCG P@5").mean().T
    apart = sum((means[0, i] - means[0, j]) * (means[2, i] - means[2, j]) < 0 for i in range(6) for j in range(i))
    found = [
        line
        for line in records(gradeval(*args, "--format", "tsv"))
        if (line["measure"], line["against"], line["statistic"]) == ("P@5", "AP", "swaps")
    ]
    assert [float(line["value"]) for line in found] == [apart]


def test_curves_are_drawn(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    plot = tmp_path / "curves.svg"
    args = ["--gains", "2:1,1:1", "--picture", "curves", "--samples", 0, "--plot", plot]
    assert gradeval("correlate", *collection, *args).exit_code == 0
    drawn = plot.read_text().replace("\xa0", " ")
    assert "Q-measure; columns: gains 2:1: runs by AP" in drawn
    assert "a rise is a swap of neighbours" in drawn


def test_topics_and_runs_are_selected(gradeval: Gradeval, collection: list[Path]) -> None:
    chosen = ["--topics", "atleast:1:2", "--runs", "top:4:AP", "--samples", 0, "--format", "tsv"]
    result = gradeval("correlate", *collection, "-m", "nDCG GAP", *chosen)
    assert {line["runs"] for line in records(result)} == {"4"}
    assert "top:4:AP selects 4 of 6" in result.stderr
    assert "atleast:1:2 selects" in result.stderr


def test_ready_scores_correlate_like_those_they_were_made_from(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "scores.tsv"
    assert gradeval("evaluate", *collection, "-m", "AP nDCG", "-q", "-o", file).exit_code == 0
    end = ["--samples", 20, "--format", "tsv"]
    computed = gradeval("correlate", *collection, "-m", "AP nDCG", *end)
    assert gradeval("correlate", "--scores", file, *end).stdout == computed.stdout


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "markdown", "latex"])
def test_every_format_is_written(gradeval: Gradeval, collection: list[Path], form: str) -> None:
    result = gradeval("correlate", *collection, "-m", "AP nDCG", "--samples", 0, "--format", form)
    assert result.exit_code == 0
    assert "nDCG" in result.stdout
    if form == "jsonl":
        assert [json.loads(line)["measure"] for line in result.stdout.splitlines()] == ["AP", "AP", "nDCG", "nDCG"]


def test_a_file_takes_the_format_of_its_name(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    result = gradeval("correlate", *collection, "-m", "AP nDCG", "--samples", 0, "-o", tmp_path / "tau.md")
    assert result.stdout == ""
    assert (tmp_path / "tau.md").read_text().startswith("| measure |")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--topics", "401,402"], "--topics 401,402: only 2 topics are left after selection; at least 3 are needed"),
        (["--topics", "most:2"], "--topics most:2: no topic 'most:2'; a selection is few:GRADE as in few:2, atleast:"),
        (["--topics", "few:x"], "--topics few:x: cannot read 'x' in 'few:x'"),
        (["--runs", "top:0"], "--runs top:0: '0' in 'top:0' is not a number from 1"),
        (["--runs", "above-q2:AP"], "--runs above-q2:AP: no run 'above-q2:AP'; a selection is above-q1:MEASURE as"),
        (["--runs", "top:1:AP"], "1 run cannot be compared; give at least 2 runs"),
        (["-m", "NumQ AP"], "NumQ: all 6 runs have the same mean 12"),
        (["--topics", "few:3"], "--topics few:3: the collection has the grades 0,1,2; this takes 2"),
        (["--grid", "0.3"], "--grid 0.3: grid step 0.3 is not a number that divides 1"),
        (["--gains", "3:2:1"], "gains 3:2:1: 3 numbers, and the collection has 2 positive levels (1,2)"),
        (["--gains", "1:2"], "gains 1:2: a lower grade gains more than a higher one; the gain of the highest grade"),
        (["--gains", "a:1"], "is not gains as in 2:1"),
        (["--gains", "2:1", "--grid"], "each is a table of its own"),
        (["-m", "AP"], "AP: one measure has nothing to be correlated with; name others in -m, or a --reference"),
        (["--gains", "2:1,1:1,2:1"], "--gains 2:1,1:1,2:1: 2:1 is given twice"),
        (["--samples", "1000000000"], "1000000000 is not in the range 0<=x<=10000000"),
        (["--samples", "1"], "--samples 1: one resample has no spread; accepted: 0 (no intervals), or 2 and more"),
        (["-m", "AP", "--reference", "AP"], "AP: there is no other measure to correlate it with"),
        (["--statistic", "kendal"], "--statistic kendal: 'kendal' is none; accepted: kendall, kendall-a, spearman"),
        (["--statistic", "kendall,kendall"], "--statistic kendall,kendall: kendall is given twice"),
        (["--grid", "--picture", "curves"], "--picture curves: --grid has too many measures for curves"),
        (["--plot", "tau.gif"], "--plot tau.gif: does not end in one of .png, .svg, .pdf, .html"),
    ],
)
def test_what_cannot_be_correlated_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("correlate", *collection, *args))


def test_there_must_be_something_to_study(gradeval: Gradeval, collection: list[Path]) -> None:
    assert refusal(gradeval("correlate")) == "nothing to study: give QRELS and RUNS, or --scores FILE"
    assert "not both" in refusal(gradeval("correlate", *collection, "--scores", collection[0]))


def test_one_measure_of_two_sources_is_correlated(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    human, model = tmp_path / "human.tsv", tmp_path / "model.tsv"
    assert gradeval("evaluate", *collection, "-m", "AP nDCG", "-q", "-o", human).exit_code == 0
    assert gradeval("evaluate", *collection, "-m", "AP", "--recode", "1=0", "-q", "-o", model).exit_code == 0
    args = ["--scores", f"human={human}", "--scores", f"model={model}", "-m", "human:AP", "--reference", "model:map"]
    (line,) = records(gradeval("correlate", *args, "--format", "tsv"))
    assert (line["measure"], line["against"]) == ("human:AP", "model:AP")
    rigid = read_scores(model)
    assert float(line["value"]) == pytest.approx(
        kendalltau(read_scores(human).mean()[:, 0], rigid.mean()[:, 0], variant="b").statistic
    )


def test_text_measures_of_ready_scores_are_noted(gradeval: Gradeval, tmp_path: Path) -> None:
    for run, values in {"a": (0.5, 0.25, 0.1), "b": (0.25, 0.5, 0.7)}.items():
        lines = [
            f"relstring t{topic} '10'\nmap t{topic} {value}\nP_5 t{topic} {value}" for topic, value in enumerate(values)
        ]
        (tmp_path / run).write_text("\n".join([*lines, f"runid all {run}", ""]))
    result = gradeval("correlate", "--scores", tmp_path / "a", "--scores", tmp_path / "b", "--samples", 0)
    assert "note: left out, as the values are text: relstring" in result.stderr
    assert result.exit_code == 0


@pytest.mark.realdata
def test_the_documented_correlations_are_found_again(gradeval: Gradeval, data) -> None:  # type: ignore[no-untyped-def]
    folder = data("trec14-robust2005")
    files = [folder / "qrels.txt", *sorted((folder / "runs").iterdir())]
    result = records(gradeval("correlate", *files, "--grid", "--samples", 0, "--format", "tsv"))
    shown = {
        (line["selection"], line["measure"]): f"{float(line['value']):.3f}"
        for line in result
        if line["against"] == "AP"
    }
    users = "(g=[0.1,0.9])"
    assert [shown["all", name + users] for name in ("GAP", "xGAP", "eGAP")] == ["0.942", "0.883", "0.871"]
    assert [shown["few:2", name + users] for name in ("GAP", "xGAP", "eGAP")] == ["0.871", "0.579", "0.532"]


def test_intervals_come_from_the_seed_and_the_samples(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG P@5", "--reference", "GAP", "--format", "tsv"]
    scores = evaluate(collection[0], collection[1:], "GAP AP nDCG P@5")
    for samples, seed in ((40, 3), (40, 4), (50, 3)):
        interval = correlate(scores, samples=samples, seed=seed).interval
        assert interval is not None
        lines = records(gradeval("correlate", *collection, *args, "--samples", samples, "--seed", seed))
        result = [[float(line["lower"]), float(line["upper"])] for line in lines]
        assert result == pytest.approx(interval[0, 1:])
        assert {(line["samples"], line["seed"]) for line in lines} == {(str(samples), str(seed))}


@pytest.mark.parametrize(
    ("args", "drawn"),
    [
        ([], False),
        (["--reference", "GAP"], True),
        (["--format", "tsv"], True),
        (["--format", "csv"], True),
        (["--format", "jsonl"], True),
        (["--format", "latex"], False),
        (["--format", "tsv", "--samples", "0"], False),
    ],
)
def test_topics_are_drawn_only_where_intervals_are_shown(
    gradeval: Gradeval, collection: list[Path], monkeypatch: pytest.MonkeyPatch, args: list[str], drawn: bool
) -> None:
    asked: list[int] = []

    def noted(*given: Any, samples: int, **how: Any) -> Any:
        asked.append(samples)
        return correlate(*given, samples=samples, **how)

    monkeypatch.setattr("gradeval.cli.commands.correlate_command.correlate", noted)
    result = gradeval("correlate", *collection, "-m", "AP nDCG", *args)
    assert result.exit_code == 0
    assert asked == [1000 if drawn else 0]
    assert ("note: intervals: 95% confidence, 1000 bootstrap samples" in result.stderr) == drawn
    assert "no intervals" not in result.stderr


@pytest.mark.parametrize("asked", ["--samples", "--seed"])
def test_who_asks_for_intervals_that_are_not_shown_is_told_where_they_are(
    gradeval: Gradeval, collection: list[Path], asked: str
) -> None:
    result = gradeval("correlate", *collection, "-m", "AP nDCG", asked, 20)
    assert "note: no intervals: they stand in a table of one column (--reference)" in result.stderr


def test_two_runs_say_little(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG", "--samples", 0]
    assert "note: two runs: every correlation is 1 or -1" in gradeval("correlate", *collection[:3], *args).stderr
    assert "two runs" not in gradeval("correlate", *collection[:4], *args).stderr
