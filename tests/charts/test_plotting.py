"""plot(): one function for all results, and a chart that shows and saves itself."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from drawings import data, texts

import gradeval
from gradeval import InputError
from gradeval.charts import list_charts
from gradeval.charts.plotting import Chart, plot
from gradeval.tables.table import Overviewed, Tabular

pytest.importorskip("altair")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def scores() -> gradeval.Scores:
    return gradeval.evaluate(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").glob("*.txt")), "AP nDCG@10 NumRelRet")


def results() -> set[str]:
    """The names of all results of studies, scores and training."""
    modules = ("studies.measure_differences", "papers.virtual_users", "ltr.crossvalidation")
    for name, _ in list_charts().values():
        import_module(name)
    for name in modules:
        import_module(f"gradeval.{name}")

    def below(kind: type) -> set[type]:
        return {kind} | {deeper for child in kind.__subclasses__() for deeper in below(child)}

    tabular = below(Tabular) | below(Overviewed)
    return {kind.__name__ for kind in tabular if kind.__module__.startswith("gradeval.")}


def test_every_type_in_the_registry_is_a_result_with_a_table() -> None:
    assert list_charts().keys() <= results()
    assert all(hasattr(import_module(module), name) for module, name in list_charts().values())


def test_means_are_drawn_with_their_intervals(scores: gradeval.Scores) -> None:
    chart = plot(scores).altair
    first = data(chart)[: len(scores.runs)]
    order = np.argsort(-scores.mean()[:, 0], kind="stable")
    assert [record["run"] for record in first] == [scores.runs[place] for place in order]
    assert [record["mean"] for record in first] == scores.mean()[order, 0].tolist()
    bounds = scores.ci()[order, 0]
    assert [[record["low"], record["high"]] for record in first] == bounds.tolist()
    assert "intervals: 95% confidence over topics" in texts(chart)


def test_one_topic_has_no_interval(scores: gradeval.Scores) -> None:
    records = data(plot(scores.sel(topics=scores.topics[:1])).altair)
    assert len(records) >= len(scores.runs)
    assert all(record["low"] == record["high"] == record["mean"] for record in records)


@pytest.mark.parametrize("study", [gradeval.compare, gradeval.correlate])
def test_studies_are_drawn(scores: gradeval.Scores, study: object) -> None:
    chart = plot(study(scores.sel(measures="AP nDCG@10"), samples=200))  # type: ignore[operator]
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
    with pytest.raises(InputError, match=r"a dict has no chart; those that have: .*Comparison, .*Scores, "):
        plot({})


@pytest.fixture(scope="module")
def judged() -> gradeval.JudgedRuns:
    runs = sorted((EXAMPLES / "runs").glob("*.txt"))[:3]
    return gradeval.judge(gradeval.read_qrels(EXAMPLES / "qrels.txt"), gradeval.read_runs(runs))


def test_curves_are_drawn(judged: gradeval.JudgedRuns) -> None:
    curves = gradeval.curve(judged)
    said = texts(plot(curves).altair)
    areas = curves.areas.mean()[:, 0].tolist()
    assert all(f"{run} {area:.4f}" in said for run, area in zip(curves.runs, areas, strict=True))


def test_inferred_curves_are_drawn_for_few_rankings(judged: gradeval.JudgedRuns) -> None:
    curves = gradeval.infer_curves(judged, "AP GAP", least=1)
    assert len(curves.rankings) > 12
    with pytest.raises(InputError, match=rf"^{len(curves.rankings)} rankings are more than the 12 of a picture"):
        plot(curves)
    few = replace(curves, lists=curves.lists[:4])
    assert f"{few.lists[0].run}, topic {few.lists[0].topic}" in texts(plot(few).altair)


def test_users_read_off_clicks_are_drawn() -> None:
    run = next(iter(sorted((EXAMPLES / "runs").glob("*.txt"))))
    qrels = gradeval.read_qrels(EXAMPLES / "qrels.txt")
    log = gradeval.simulate_clicks(qrels, gradeval.read_run(run), g=[0.2, 0.3, 0.5], sessions=2000, seed=1)
    users = gradeval.clicks(log, qrels, samples=50)
    shares = [record["share"] for record in data(plot(users).altair) if "share" in record]
    assert shares == users.g.tolist()


def test_correlations_on_several_collections_are_drawn_side_by_side(scores: gradeval.Scores) -> None:
    halves = {"odd": scores.sel(topics=scores.topics[::2]), "even": scores.sel(topics=scores.topics[1::2])}
    correlations = gradeval.correlate_collections(halves, statistic=["kendall", "spearman"])
    chart = plot(correlations).altair
    assert "odd: 12 runs, 15 topics" in texts(chart)
    drawn = {record["value"] for record in data(chart) if "value" in record}
    for one in (both for by_collection in correlations.correlations.values() for both in by_collection):
        assert one.of("AP", "nDCG@10") in drawn


def test_a_description_is_drawn_by_topic_and_run(judged: gradeval.JudgedRuns) -> None:
    described = gradeval.describe(gradeval.read_qrels(EXAMPLES / "qrels.txt"), sorted(EXAMPLES.glob("runs/*.txt"))[:3])
    records = data(plot(described).altair)
    drawn = {(one["topic"], one["grade"]): one["documents"] for one in records if "documents" in one}
    expected = described.pool[described.topics.index("402")].tolist()
    assert [drawn["402", f"grade {level:g}"] for level in described.levels] == expected
    assert described.of_runs is not None
    shares = [one["judged"] for one in records if one.get("of") == "judged of all"]
    assert sorted(shares) == sorted(described.of_runs.judged_share["judged of all"].tolist())
    alone = plot(gradeval.describe(gradeval.read_qrels(EXAMPLES / "qrels.txt"))).altair
    assert "how much of the runs" not in texts(alone)
    assert judged.runs == described.of_runs.runs
    assert data(plot(gradeval.read_qrels(EXAMPLES / "qrels.txt")).altair) == data(alone)


def test_a_check_is_drawn_file_by_file(tmp_path: Path) -> None:
    upside, broken = tmp_path / "up", tmp_path / "broken"
    upside.write_text("401 Q0 a 1 1 up\n401 Q0 b 2 2 up\n")
    broken.write_text("401 Q0\n")
    files = [*sorted(EXAMPLES.glob("runs/*.txt"))[:2], upside, broken]
    checked = gradeval.check(EXAMPLES / "qrels.txt", files)
    records = [one for one in data(plot(checked).altair) if one["file"] == str(upside)]
    assert [one["verdict"] for one in records] == ["wrong"] * 5
    assert [one["value"] for one in records][:3] == [29, 1, 0]
    assert str(broken) in texts(plot(checked).altair)
    with pytest.raises(InputError, match="no run can be read, so there is nothing to draw"):
        plot(gradeval.check(None, broken))


def test_how_sure_an_order_is_is_drawn(scores: gradeval.Scores, judged: gradeval.JudgedRuns) -> None:
    chosen = scores.sel(runs=scores.runs[:4], measures="AP nDCG@10")
    equal = gradeval.equivalence(chosen, margin=0.05)
    drawn = [one for one in data(plot(equal).altair) if "equivalent" in one]
    verdicts = {one["low"]: one["equivalent"] for one in drawn}
    assert verdicts == dict(zip(equal.interval[..., 0].ravel(), equal.equivalent.ravel(), strict=True))
    assert {one["at"] for one in data(plot(equal).altair) if "at" in one} == {-0.05, 0.0, 0.05}
    needed = gradeval.topic_set_size(scores.sel(measures="AP NumRelRet"), differences=[0.05, 0.1])
    topics = [
        (one["measure"], one["difference"], one["topics"]) for one in data(plot(needed).altair) if "topics" in one
    ]
    for place, difference in enumerate(needed.differences):
        assert ("AP", difference, needed.needed[0, place]) in topics
    left = gradeval.leave_out(judged, "AP")
    ranks = {one["run"]: (one["rank"], one["without"]) for one in data(plot(left).altair) if "without" in one}
    assert ranks == dict(zip(left.runs, zip(left.rank[0], left.rank_without[0], strict=True), strict=True))
    differences = gradeval.correlation_differences(
        scores.sel(measures="AP nDCG@10 NumRelRet"), reference="AP", samples=50
    )
    one, *_ = [record for record in data(plot(differences).altair) if "sure" in record]
    assert one["difference"] == differences.difference.item()
