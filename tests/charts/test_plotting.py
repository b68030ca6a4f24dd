"""plot(): one function for all results, and a chart that shows and saves itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import gradeval
import gradeval.ltr
from gradeval import InputError
from gradeval.charts import list_charts
from gradeval.charts.plotting import Chart, plot
from gradeval.tables.table import Overviewed, Tabular

pytest.importorskip("altair")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def results() -> set[str]:
    """The names of all results of studies, scores and training."""
    for package in (gradeval, gradeval.ltr):
        for name in package.__all__:
            getattr(package, name)

    def below(kind: type) -> set[type]:
        return {kind} | {deeper for child in kind.__subclasses__() for deeper in below(child)}

    tabular = below(Tabular) | below(Overviewed)
    return {kind.__name__ for kind in tabular if kind.__module__.startswith("gradeval.")}


def test_every_type_in_the_registry_is_a_result_with_a_table() -> None:
    assert list_charts().keys() <= results()


@pytest.mark.parametrize("study", [gradeval.compare, gradeval.correlate])
def test_studies_are_drawn(scores: gradeval.Scores, study: object) -> None:
    chart = plot(study(scores.sel(measures="AP nDCG@10"), samples=200))
    assert isinstance(chart, Chart)
    assert chart._repr_svg_().startswith("<svg")


def test_a_chart_saves_itself(scores: gradeval.Scores, tmp_path: Path) -> None:
    chart = plot(scores.sel(measures="AP"))
    chart.save(tmp_path / "means.svg")
    assert (tmp_path / "means.svg").read_text() == chart._repr_svg_()
    chart.save(tmp_path / "means.png")
    assert (tmp_path / "means.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"means\.doc: does not end in one of \.png"):
        chart.save(tmp_path / "means.doc")


def test_what_has_no_chart_says_what_has() -> None:
    with pytest.raises(InputError, match=r"a dict has no chart; those that have: (?=.*Comparison, ).*Scores, "):
        plot({})


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("kind", "there is no 'kind': each result has one chart; it takes alpha"),
        ("measure", "select first, as in scores.sel"),
        ("title", "properties"),
        ("alhpa", "did you mean alpha"),
    ],
)
def test_an_unknown_option_says_what_to_do(scores: gradeval.Scores, option: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        scores.plot(**{option: "AP"})


def test_a_file_leads_to_save(scores: gradeval.Scores, tmp_path: Path) -> None:
    for draw in (scores.plot, partial(plot, scores), gradeval.compare(scores.sel(measures="AP")).plot):
        with pytest.raises(InputError) as caught:
            draw(tmp_path / "a.png")
        assert f"save the chart: .plot().save('{tmp_path / 'a.png'}')" in str(caught.value)
    scores.plot().save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").exists()
