"""plot(): one function for all results, and a chart that shows and saves itself."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import gradeval
from drawings import data, texts
from gradeval import InputError
from gradeval.display.plotting import REGISTRY, Chart, plot
from gradeval.studies.information.inferred_curves import infer_curves
from gradeval.tables.table import Tabular

pytest.importorskip("altair")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def scores() -> gradeval.Scores:
    return gradeval.evaluate(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").glob("*.txt")), "AP nDCG@10 NumRelRet")


def results() -> set[str]:
    """The names of all results of studies, scores and training."""
    modules = ("studies.differences", "studies.simulation.user_study", "ltr.crossvalidation.crossvalidation")
    for name, _ in REGISTRY.values():
        import_module(name)
    for name in modules:
        import_module(f"gradeval.{name}")

    def below(kind: type) -> set[type]:
        return {kind} | {deeper for child in kind.__subclasses__() for deeper in below(child)}

    return {kind.__name__ for kind in below(Tabular) if kind.__module__.startswith("gradeval.")}


def test_every_type_in_the_registry_is_a_result_with_a_table() -> None:
    assert REGISTRY.keys() <= results()
    assert all(hasattr(import_module(module), name) for module, name in REGISTRY.values())


def test_means_are_drawn_with_their_intervals(scores: gradeval.Scores) -> None:
    chart = plot(scores, seed=3).altair
    first = data(chart)[: len(scores.runs)]
    order = np.argsort(-scores.mean()[:, 0], kind="stable")
    assert [record["run"] for record in first] == [scores.runs[place] for place in order]
    assert [record["mean"] for record in first] == scores.mean()[order, 0].tolist()
    bounds = scores.ci(seed=3)[order, 0]
    assert [[record["low"], record["high"]] for record in first] == bounds.tolist()
    assert "95% confidence intervals" in texts(chart)


def test_one_topic_has_no_interval(scores: gradeval.Scores) -> None:
    records = data(plot(scores.sel(topics=scores.topics[:1])).altair)
    assert len(records) >= len(scores.runs)
    assert all(record["low"] == record["high"] == record["mean"] for record in records)


@pytest.mark.parametrize("study", [gradeval.compare, gradeval.correlate])
def test_studies_are_drawn(scores: gradeval.Scores, study: object) -> None:
    chart = plot(study(scores.sel(measures="AP nDCG@10"), samples=200))  # type: ignore[operator]
    assert isinstance(chart, Chart)
    assert chart._repr_svg_().startswith("<svg")


def test_curves_and_users_are_drawn() -> None:
    qrels = gradeval.read_qrels(EXAMPLES / "qrels.txt")
    runs = gradeval.read_runs([EXAMPLES / "runs" / "elm.txt", EXAMPLES / "runs" / "oak.txt"]).runs
    judged = gradeval.judge(qrels, runs)
    alone = gradeval.judge(qrels.select(["405"]), runs[0])
    clicks = gradeval.simulate_clicks(qrels, runs[0], sessions=500)
    for result, word in [
        (gradeval.curve(judged, rel=[1, 3]), "AP(rel=3)"),
        (gradeval.estimate_g(clicks, qrels, samples=20), "users"),
        (infer_curves(alone, "AP", least=1), "relevant from grade 2"),
    ]:
        assert word in plot(result)._repr_svg_()
    with pytest.raises(InputError, match="rankings are more than the 12 of a picture"):
        plot(infer_curves(judged, "AP", least=1))


def test_a_chart_saves_itself(scores: gradeval.Scores, tmp_path: Path) -> None:
    chart = plot(scores.sel(measures="AP"))
    chart.save(tmp_path / "means.svg")
    assert (tmp_path / "means.svg").read_text() == chart._repr_svg_()
    chart.save(tmp_path / "means.png")
    assert (tmp_path / "means.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"means\.doc: does not end in one of \.png"):
        chart.save(tmp_path / "means.doc")


def test_what_has_no_chart_says_what_has() -> None:
    with pytest.raises(InputError, match="a dict has no chart; those that have: Scores, Comparison"):
        plot({})
