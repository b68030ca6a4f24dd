"""What is peculiar to the commands of rank correlations; what all commands of studies have in common are laws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

from gradeval import evaluate, read_scores
from gradeval.cli import main
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


def test_a_reference_that_is_no_measure_of_the_list_is_scored_too(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["correlate", *collection, "-m", "AP nDCG", "--reference", "GAP", "--samples", 50, "--seed", 3]
    shown = gradeval(*args)
    assert shown.stdout.splitlines()[0].split() == ["measure", "GAP"]
    assert "seed 3" in shown.stderr
    for line in records(gradeval(*args, "--format", "tsv")):
        assert float(line["lower"]) <= float(line["value"]) <= float(line["upper"])


def test_topics_and_runs_are_selected(gradeval: Gradeval, collection: list[Path]) -> None:
    chosen = ["--topics", "atleast:1:2", "--runs", "top:4:AP", "--samples", "0", "--format", "tsv"]
    result = gradeval("correlate", *collection, "-m", "nDCG GAP", *chosen)
    assert {(line["runs"], line["selection"]) for line in records(result)} == {("4", "atleast:1:2")}
    chosen_runs = result.stderr.split("top:4:AP selects 4 of 6: ")[1].splitlines()[0].split(", ")
    assert len({*chosen_runs} & {Path(path).stem for path in collection[1:]}) == 4
    assert "atleast:1:2 selects" in result.stderr


def test_ready_scores_correlate_like_those_they_were_made_from(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "scores.tsv"
    assert gradeval("evaluate", *collection, "-m", "AP nDCG", "-q", "-o", file).exit_code == 0
    end = ["--samples", 20, "--format", "tsv"]
    computed = gradeval("correlate", *collection, "-m", "AP nDCG", *end)
    assert gradeval("correlate", "--scores", file, *end).stdout == computed.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--topics", "most:2"], "--topics most:2: no topic 'most:2'; a selection is few:GRADE as in few:2, atleast:"),
        (["--topics", "few:x"], "--topics few:x: cannot read 'x' in 'few:x'"),
        (["--runs", "top:0"], "--runs top:0: '0' in 'top:0' is not a number from 1"),
        (["-m", "NumQ AP"], "NumQ: all 6 runs have the same mean 12"),
        (["--topics", "few:3"], "--topics few:3: the collection has the grades 0,1,2; this takes 2"),
        (["--statistic", "kendall,kendall"], "kendall is given twice"),
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


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another collection, of three levels as the first, with runs of its own."""
    folder = tmp_path_factory.mktemp("second") / "sample"
    model = {"levels": 3, "topics": 8, "systems": 5, "depth": 30, "documents": 80, "seed": 4}
    options = [word for name, value in model.items() for word in (f"--{name}", str(value))]
    assert CliRunner().invoke(main, ["simulate", "collection", str(folder), *options]).exit_code == 0
    return folder


def named(collection: list[Path], second: Path) -> list[object]:
    first = ["--collection", "first", collection[0], str(collection[1].parent / "*")]
    return [*first, "--collection", "second", second / "qrels.txt", str(second / "runs" / "*.txt")]


def test_a_collection_called_mean_is_refused_before_its_files_are_read(gradeval: Gradeval) -> None:
    for command in ("correlate-collections", "correlate-gains"):
        said = refusal(gradeval(command, "--collection", "mean", "no", "file"))
        assert said == "--collection mean is the name of the column of means; give it another name"


def test_collections_are_columns_beside_their_mean(gradeval: Gradeval, collection: list[Path], second: Path) -> None:
    asked = ["-m", "AP nDCG P@5", "--samples", 0]
    lines = records(gradeval("correlate_collections", *named(collection, second), *asked, "--format", "tsv"))
    values = {(line["collection"], line["measure"], line["against"]): float(line["value"]) for line in lines}
    files = {"first": collection, "second": [second / "qrels.txt", *sorted((second / "runs").iterdir())]}
    for name, paths in files.items():
        for line in records(gradeval("correlate", *paths, *asked, "--format", "tsv")):
            pair = line["measure"], line["against"]
            if (name, *pair) in values:
                assert values[(name, *pair)] == float(line["value"])
    pairs = [("nDCG", "AP"), ("P@5", "AP"), ("P@5", "nDCG")]  # each once, none with itself
    assert list(values) == [(name, *pair) for pair in pairs for name in ("first", "second", "mean")]
    for pair in pairs:
        assert values[("mean", *pair)] == pytest.approx((values[("first", *pair)] + values[("second", *pair)]) / 2)
    shown = gradeval("correlate_collections", *named(collection, second), *asked)
    assert shown.stdout.split()[:5] == ["measure", "with", "first", "second", "mean"]
    assert "\nKendall's tau-b: first (6 runs, 12 topics), second (5 runs, 8 topics); mean" in shown.stdout
    chosen = ["--topics", "atleast:1:1", "--format", "tsv"]
    some = records(gradeval("correlate_collections", *named(collection, second), *asked, *chosen))
    assert {line["selection"] for line in some} == {"atleast:1:1"}


def test_gains_are_averaged_over_collections(gradeval: Gradeval, collection: list[Path], second: Path) -> None:
    args = ["--gains", "2:1,1:1", "--statistic", "kendall,spearman", "--samples", 0]
    shown = gradeval("correlate_gains", *named(collection, second), *args).stdout
    assert "Q-measure; columns: gains 2:1\n" in shown
    assert shown.count("gains  measure: kendall / spearman") == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--collection", "a", "{0}", "{1}", "--collection", "a", "{0}", "{1}"], "--collection a is given twice"),
        (["--collection", "a", "{0}", "nowhere/*"], "--collection a: no file is called nowhere/*"),
        (["--collection", "a", "{0}", "{1}", "--scores", "x.tsv"], "--collection and --scores: give collections by"),
        (["--collection", "a", "{0}", "{1}", "{0}", "{1}"], "--collection and {0}: give collections by name"),
        (["--collection", "a", "{0}", "{1}", "--topics", "all,few:2"], "takes one selection of topics; name one"),
        (["--collection", "a", "{0}"], "requires 3 arguments"),
        (["--collection", "a", "-", "-"], "standard input can be read once"),
    ],
)
def test_collections_that_cannot_be_read_are_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    places = [str(path) for path in collection]
    written = [arg.format(*places) for arg in args]
    assert message.format(*places) in refusal(gradeval("correlate_collections", *written))


def test_a_collection_of_another_number_of_grades_is_named(
    gradeval: Gradeval, collection: list[Path], second: Path, tmp_path: Path
) -> None:
    """The first collection has two positive levels, the second one three."""
    richer = (second / "qrels.txt").read_text().splitlines()
    topic, zero, document, _ = richer[0].split()
    (tmp_path / "qrels").write_text("\n".join([f"{topic} {zero} {document} 3", *richer[1:]]) + "\n")
    args = named(collection, second)
    args[5:7] = ["richer", tmp_path / "qrels"]
    said = refusal(gradeval("correlate_gains", *args, "--gains", "2:1"))
    assert "richer: --gains 2:1: 2 numbers, and the collection has 3 positive levels (1,2,3)" in said


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        ("few:2", "topics few:2: only 2 topics; at least 3 are needed; it is left out"),
        ("atleast:99:1", "topics atleast:99:1: selects none of the 5 topics; it is left out"),
    ],
)
def test_of_several_selections_those_with_too_few_topics_are_left_out(
    gradeval: Gradeval, tmp_path: Path, selection: str, said: str
) -> None:
    grades = {
        topic: {f"d{n}": 1 for n in range(10)} | {f"e{n}": 2 for n in range(1 if topic < 2 else 5)}
        for topic in range(5)
    }
    lines = [f"{topic} 0 {doc} {grade}" for topic, docs in grades.items() for doc, grade in docs.items()]
    (tmp_path / "qrels.txt").write_text("\n".join([*lines, ""]))
    runs = []
    for number, first in enumerate(("d1", "e0", "x")):
        runs.append(tmp_path / f"run{number}.txt")
        runs[-1].write_text("".join(f"{t} Q0 {first} 1 2 r{number}\n{t} Q0 d{number} 2 1 r{number}\n" for t in grades))
    asked = [tmp_path / "qrels.txt", *runs, "-m", "AP GAP", "--samples", 0]
    result = gradeval("correlate", *asked, "--topics", f"all,{selection}")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == gradeval("correlate", *asked, "--topics", "all").stdout
    assert f"gradeval: warning: {said}\n" in result.stderr
    assert refusal(gradeval("correlate", *asked, "--topics", selection))


def test_means_alone_are_correlated_without_intervals_and_the_note_says_so(gradeval: Gradeval, tmp_path: Path) -> None:
    means = tmp_path / "means.csv"
    means.write_text("system,AP,nDCG@10\na,.31,.42\nb,.29,.44\nc,.2,.3\nd,.35,.41\ne,.1,.2\n")
    result = gradeval("correlate", "--scores", means, "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    values = {(row["measure"], row["against"]): row for row in map(json.loads, result.stdout.splitlines())}
    one = values["AP", "nDCG@10"]
    # Of the ten pairs, a-b, a-d and b-d disagree.
    assert (one["value"], one["lower"], one["samples"]) == (pytest.approx((7 - 3) / 10), None, 0)
    assert "no intervals, as these are means alone" in result.stderr
    assert "holds means alone" in refusal(gradeval("compare", "--scores", means))
    assert refusal(gradeval("correlate", means)) == f"nothing to study: give QRELS and RUNS, or --scores {means}"
