"""The results of studies show, convert and save themselves; judged runs and scores give the same results."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradeval
from gradeval import InputError, JudgedRuns, Scores, judge, parse_measure
from gradeval.scores.scoring import score
from gradeval.studies.robustness import Random
from gradeval.studies.simulate import simulate_collection
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Table, Tabular

from ..support.score_tables import scores_of

MEASURES = "AP nDCG"


@pytest.fixture(scope="module")
def judged() -> JudgedRuns:
    drawn = simulate_collection(topics=8, systems=4, depth=20, documents=60, seed=2)
    runs = [gradeval.Run.from_dict(run, name) for name, run in drawn.runs.items()]
    return judge(gradeval.Qrels.from_dict(drawn.qrels), runs)


@pytest.fixture(scope="module")
def scores(judged: JudgedRuns) -> Scores:
    return score(judged, [parse_measure(name) for name in MEASURES.split()])


@pytest.fixture(scope="module")
def results(judged: JudgedRuns, scores: Scores) -> dict[str, Tabular]:
    return {
        "compare": gradeval.compare(scores, baseline=scores.runs[1]),
        "correlate": gradeval.correlate(scores, samples=20),
        "discriminate": gradeval.discriminate(scores, samples=50),
        "robustness": gradeval.robustness(judged, MEASURES, method=Random((100, 50)), samples=2),
    }


STUDIES = ["compare", "correlate", "discriminate", "robustness"]


@pytest.mark.parametrize("study", STUDIES)
def test_a_result_shows_its_table_everywhere(results: dict[str, Tabular], study: str) -> None:
    result = results[study]
    (grid, *_) = result.table().grids
    first = [text for text in grid.texts()[0] if text.strip()]
    for shown in (str(result), result._repr_html_(), result.to_markdown(), result.to_latex()):
        assert all(text.strip("▲▼† ±").split(" ")[0] in shown for text in first if "%" not in text)
    assert repr(result).startswith(type(result).__name__ + "(4 runs, 2 measures")
    assert all(said in str(result) for said in [*result.table().notes[:1], grid.foot])


@pytest.mark.parametrize("study", STUDIES)
def test_digits_are_those_asked_for(results: dict[str, Tabular], study: str) -> None:
    assert results[study].to_markdown(digits=2) != results[study].to_markdown(digits=6)


@pytest.mark.parametrize("study", STUDIES)
def test_a_result_is_saved_with_exact_values(results: dict[str, Tabular], study: str, tmp_path: Path) -> None:
    result = results[study]
    result.save(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert result.to_frame().column_names == list(rows[0])
    assert [float(row["value"]) for row in rows] == result.to_frame().column("value").to_pylist()
    result.save(tmp_path / "out.parquet")
    assert result.to_pandas()["measure"].tolist() == [row["measure"] for row in rows]
    with pytest.raises(InputError, match=r"no format has the ending .xls; accepted: .txt, .tsv, .csv"):
        result.save(tmp_path / "out.xls")


@pytest.mark.parametrize("study", ["compare", "correlate", "discriminate"])
def test_judged_runs_are_scored_by_the_measures_asked_for(
    judged: JudgedRuns, scores: Scores, results: dict[str, Tabular], study: str
) -> None:
    options: dict[str, dict[str, Any]] = {
        "compare": {"baseline": scores.runs[1]},
        "correlate": {"samples": 20},
        "discriminate": {"samples": 50},
    }
    study_of = getattr(gradeval, study)
    assert study_of(judged, measures=MEASURES, **options[study]).to_dict() == results[study].to_dict()
    default = study_of(judged, **options[study])
    assert len(default.measures) == {"compare": 2}.get(study, 7)


def test_what_is_neither_scores_nor_judged_runs_is_refused(scores: Scores) -> None:
    with pytest.raises(InputError, match=r"compare takes scores, judged runs, or judgments and runs, as in compare"):
        gradeval.compare({"a": 1})
    with pytest.raises(
        InputError, match=r"robustness looks at judgments; give judged runs, as judge\(qrels, runs\) gives"
    ):
        gradeval.robustness(scores)


def test_a_comparison_with_a_baseline_begins_with_the_means_of_all_runs() -> None:
    values = np.array([[0.1, 0.2, 0.3, 0.4], [0.6, 0.7, 0.8, 0.95], [0.1, 0.2, 0.3, 0.5]])
    comparison = gradeval.compare(scores_of(values), baseline="A", correction="none")
    means, differences = comparison.table(digits=2).grids
    assert means.texts() == [["B", "0.76▲"], ["C", "0.28 "], ["A", "0.25 "]]
    assert means.best == {(0, 1)}
    assert gradeval.compare(scores_of(values), baseline="best").baselines == ["best"]
    assert differences.texts()[0][:2] == ["B", "+0.51▲"]
    assert differences.texts()[1][0] == "C"
    assert differences.texts()[1][-1] == "1/3/0"


def test_correlations_with_one_measure_show_their_intervals(scores: Scores, results: dict[str, Tabular]) -> None:
    (grid,) = gradeval.correlate(scores, samples=20, reference="AP").table(digits=2).grids
    low, high = results["correlate"].interval[1, 0]
    value = results["correlate"].of("AP", "nDCG")
    assert grid.texts() == [["nDCG", f"{value:.2f}{'†' * (value > 0.99)} [{low:.2f}, {high:.2f}]"]]


def table(names: list[str]) -> Table:
    """Names and a number each: 0, 1/7, 2/7 ..."""
    values = [place / 7 for place in range(len(names))]
    grid = Grid([Column("run", "name"), Column("AP", spec=".4f")], list(zip(names, values, strict=True)))
    return Table([grid], Records({"run": Coded(names, np.arange(len(names))), "value": np.array(values)}))


def test_labels_of_two_files_differ_unless_one_says_them(results: dict[str, Tabular], tmp_path: Path) -> None:
    def labels(name: str, **options: str) -> list[str]:
        results["correlate"].save(tmp_path / name, **options)
        return re.findall(r"\\label\{(.*?)\}", (tmp_path / name).read_text())

    (first,), (second,) = labels("trec7.tex"), labels("trec8.tex")
    assert (first.endswith("-trec7"), second) == (True, first.removesuffix("trec7") + "trec8")
    assert labels("trec9.tex", label="tab:ours") == ["tab:ours"]


def test_notes_are_printed_below() -> None:
    noted = Table([Grid.of_texts(["a"], [["1"]])], Records({}), ["t <test>"])
    assert str(noted) == "a\n-\n1\nt <test>"
    assert "<p>t &lt;test&gt;</p>" in noted._repr_html_()
    assert "test" not in noted.to_markdown()


def test_a_notebook_shows_both_ends_of_a_long_table_and_how_much_is_between() -> None:
    shown = table([f"run{number}" for number in range(5000)])
    text = shown._repr_html_()
    assert text.count("<tr>") == 1 + 100 + 1 + 100
    assert "... 4,800 more" in text
    assert re.findall(r">(run\d+)<", text) == [f"run{number}" for number in [*range(100), *range(4900, 5000)]]


def test_a_table_as_a_dictionary_and_as_frames_holds_the_exact_values() -> None:
    shown = table(["elm", "oak"])
    assert shown.to_dict() == {"run": ["elm", "oak"], "value": [0.0, 1 / 7]}
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = shown.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame["run"].to_list() == ["elm", "oak"]
    assert frame["value"].to_list() == [0.0, 1 / 7]


@pytest.mark.parametrize(
    ("title", "about", "caption", "label"),
    [
        ("", "ranks of 3 runs", "Ranks of 3 runs.", "tab:study-AP-P-5"),
        ("P@5", "ranks of 3 runs", "P@5: ranks of 3 runs.", "tab:study-P-5"),
        ("few:2", "ranks", "few:2: ranks.", "tab:study-few-2-AP-P-5"),
    ],
)
def test_a_caption_says_what_is_shown_and_a_label_by_which_measures(
    title: str, about: str, caption: str, label: str
) -> None:
    made = table(["elm", "oak"]).titled(title).captioned(about, "study", ["AP", "P@5"])
    assert [(grid.caption, grid.label) for grid in made.grids] == [(caption, label)]
    best = Table([Grid([Column("x")], [[1.0]], title, best=frozenset({(0, 0)}))], Records({}))
    assert best.captioned(about, "study").grids[0].caption == caption[:-1] + "; bold: best of its column."
    assert made.captioned("other", "other").grids[0].caption == caption


@pytest.mark.parametrize(
    ("titles", "named", "expected"),
    [
        (["AP"], ("Ours", "tab:ours"), [("Ours", "tab:ours")]),
        (["AP", "P"], ("Ours", "tab:ours"), [("AP: Ours", "tab:ours-AP"), ("P: Ours", "tab:ours-P")]),
        (["AP", "P"], ("", ""), [("", ""), ("", "")]),
        (["AP"], (None, "tab:ours"), [("first", "tab:ours")]),
        (["AP"], (None, None), [("first", "tab:first")]),
    ],
)
def test_a_table_takes_another_caption_and_label(
    titles: list[str], named: tuple[str | None, str | None], expected: list[tuple[str, str]]
) -> None:
    made = table(["elm"]).titled("")
    [grid] = made.grids
    grids = [replace(grid, title=title, caption="first", label="tab:first") for title in titles]
    both = replace(made, grids=grids).renamed(*named)
    assert [(one.caption, one.label) for one in both.grids] == expected
    if named[0]:
        assert f"caption{{{expected[0][0]}}}" in replace(made, grids=grids).to_latex(caption=named[0], label=named[1])
