from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

from gradeval import evaluate
from gradeval.cli import main
from gradeval.progress import Progress

from .conftest import Gradeval, records, refusal


def test_the_grid_has_all_users_by_three_measures(gradeval: Gradeval, collection: list[Path]) -> None:
    result = records(gradeval("correlate", *collection, "--grid", "0.5", "--samples", 0, "--format", "tsv"))
    everything = [line for line in result if line["selection"] == "all"]
    assert len(everything) == 3 * 3 * 5  # g: 0, 0.5, 1; GAP, xGAP, eGAP; against GAP and four others
    others = {line["against"] for line in everything if not line["against"].startswith("GAP")}
    assert others == {"AP", "nDCG", "RBP(rel=1)", "Bpref"}  # of the paper: nDCG is "the only other graded measure"
    same = {line["measure"]: float(line["value"]) for line in everything if line["against"] == "AP"}
    for name in ("GAP", "xGAP", "eGAP"):  # nobody but users whom grade 1 satisfies: AP itself
        assert same[f"{name}(g=[1,0])"] == 1


def test_a_grid_without_a_step_takes_the_one_of_the_paper(gradeval: Gradeval, collection: list[Path]) -> None:
    args = [*collection, "-m", "AP", "--topics", "all", "--samples", 0, "--format", "tsv", "--grid"]
    result = records(gradeval("correlate", *args))
    assert len(result) == 11 * 3 * 2


def test_gains_are_given_highest_grade_first(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["--gains", "2:1,1:1", "--samples", 0, "--format", "tsv"]
    result = records(gradeval("correlate", *collection, *args))
    assert len(result) == (2 + 2 * 2) * 4 + (1 + 2 * 2) * 4
    (flat,) = [line for line in result if line["column"] == "Rprec" and line["measure"] == "RWP(gains={1:1,2:1})"]
    assert float(flat["value"]) == 1  # with equal gains R-WP is R-precision


def test_gains_are_correlated_with_those_of_the_first_setting(gradeval: Gradeval, collection: list[Path]) -> None:
    """Part (b) of Sakai's tables: Q with other gains against Q and AWP with the default ones."""
    lines = records(gradeval("correlate", *collection, "--gains", "2:1,20:10", "--samples", 0, "--format", "tsv"))
    values = {(line["measure"], line["column"]): (line["against"], float(line["value"])) for line in lines}
    tenfold, q, awp = "Q(gains={1:10,2:20})", "Q(gains={1:1,2:2})", "AWP(gains={1:1,2:2})"
    means = dict(
        zip((tenfold, q, awp), evaluate(collection[0], collection[1:], [tenfold, q, awp]).mean().T, strict=True)
    )
    for column, against in (("Q", q), ("AWP", awp)):
        expected = kendalltau(means[tenfold], means[against]).statistic
        assert values[tenfold, column] == (against, pytest.approx(expected, abs=1e-12))


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


def test_collections_are_columns_beside_their_mean(gradeval: Gradeval, collection: list[Path], second: Path) -> None:
    asked = ["-m", "AP nDCG P@5", "--samples", 0]
    lines = records(gradeval("correlate", *named(collection, second), *asked, "--format", "tsv"))
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
    shown = gradeval("correlate", *named(collection, second), *asked)
    assert shown.stdout.split()[:5] == ["measure", "with", "first", "second", "mean"]
    assert "note: kendall: first (6 runs, 12 topics), second (5 runs, 8 topics)" in shown.stderr
    chosen = records(
        gradeval("correlate", *named(collection, second), *asked, "--topics", "atleast:1:1", "--format", "tsv")
    )
    assert {line["selection"] for line in chosen} == {"atleast:1:1"}


def test_gains_are_averaged_over_collections(gradeval: Gradeval, collection: list[Path], second: Path) -> None:
    args = ["--gains", "2:1,1:1", "--statistic", "kendall,spearman"]
    shown = gradeval("correlate", *named(collection, second), *args).stdout
    assert "Q-measure; columns: gains 2:1\n" in shown
    assert shown.count("gains  measure: kendall / spearman") == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--collection", "a", "{0}", "{1}", "--collection", "a", "{0}", "{1}"], "--collection a is given twice"),
        (["--collection", "mean", "{0}", "{1}"], "--collection mean: is the name of the column of means"),
        (["--collection", "a", "{0}", "nowhere/*"], "--collection a: no file is called nowhere/*"),
        (["--collection", "a", "{0}", "{1}", "--scores", "x.tsv"], "--collection and --scores: give collections by"),
        (["--collection", "a", "{0}", "{1}", "{0}", "{1}"], "--collection and {0}: give collections by name"),
        (["--collection", "a", "{0}", "{1}", "--grid"], "--grid is a table of one collection"),
        (["--collection", "a", "{0}"], "requires 3 arguments"),
        (["--collection", "a", "-", "-"], "standard input can be read once"),
    ],
)
def test_collections_that_cannot_be_read_are_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    places = [str(path) for path in collection]
    written = [arg.format(*places) for arg in args]
    assert message.format(*places) in refusal(gradeval("correlate", *written))


def test_collections_of_other_levels_have_other_tables(
    gradeval: Gradeval, collection: list[Path], second: Path
) -> None:
    args = [*named(collection, second), "--gains", "2:1", "--recode", "2=1"]
    said = refusal(gradeval("correlate", *args))
    assert "first: gains: the collection has one positive level (1), gains need two" in said


def test_a_collection_of_another_number_of_grades_is_named(
    gradeval: Gradeval, collection: list[Path], second: Path, tmp_path: Path
) -> None:
    """The first collection has two positive levels, the second one three."""
    richer = (second / "qrels.txt").read_text().splitlines()
    topic, zero, document, _ = richer[0].split()
    (tmp_path / "qrels").write_text("\n".join([f"{topic} {zero} {document} 3", *richer[1:]]) + "\n")
    args = named(collection, second)
    args[5:7] = ["richer", tmp_path / "qrels"]
    said = refusal(gradeval("correlate", *args, "--gains", "2:1"))
    assert "richer: gains 2:1: 2 numbers, and the collection has 3 positive levels (1,2,3)" in said


def test_measures_beside_gains_are_noted(gradeval: Gradeval, collection: list[Path]) -> None:
    plain, named = (gradeval("correlate", *collection, "--gains", "2:1", *more) for more in ([], ["-m", "AP"]))
    assert "note: -m does not apply to --gains, which has measures of its own; it is ignored" in named.stderr
    assert named.stdout == plain.stdout


def test_ready_scores_have_no_grid(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "P@1.csv").write_text("A,B\n1,0\n0,1\n1,1\n")
    ready = ["correlate", "--scores", tmp_path / "P@1.csv"]
    assert "--grid and --gains compute measures" in refusal(gradeval(*ready, "--gains", "2:1"))
    assert "few:2 looks at judgments" in refusal(gradeval(*ready, "--topics", "few:2"))


def test_a_grid_has_one_progress_bar(
    gradeval: Gradeval, collection: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []

    @contextmanager
    def noted(*_: str) -> Iterator[Progress]:
        yield lambda done, total: told.append((done, total))

    monkeypatch.setattr("gradeval.cli.commands.correlate_command.show_progress", noted)
    monkeypatch.setattr("gradeval.scores.selection.Few.TIMES", 0)
    assert gradeval("correlate", *collection, "--grid", "0.5", "--samples", 10, "--format", "tsv").exit_code == 0
    assert told == [(10, 20), (20, 20)]  # all topics, then few:2
