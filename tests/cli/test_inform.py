from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from gradeval import JudgedRuns, infer_curves, judge, read_qrels, read_run
from gradeval.measures import AP, P
from gradeval.scores.scoring import score
from gradeval.studies.informativeness.inform import inform

from .conftest import Gradeval, records, refusal


def means_of(result: Result) -> list[dict[str, str]]:
    """The lines that hold means over the rankings, rather than a single ranking."""
    return [line for line in records(result) if line["statistic"] == "rms"]


def test_errors_are_given_for_each_threshold_with_intervals(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG", "--runs", "top:2:AP", "--least", 1, "--samples", 50, "--seed", 2]
    result = gradeval("inform", *collection, *args, "--format", "tsv")
    lines = means_of(result)
    assert [(line["measure"], line["threshold"]) for line in lines] == [
        ("AP", "1.0"),
        ("AP", "2.0"),
        ("nDCG", "1.0"),
        ("nDCG", "2.0"),
    ]
    for line in lines:
        assert 0 < float(line["lower"]) <= float(line["value"]) <= float(line["upper"]) < 1
    assert "bootstrap samples of " in result.stderr
    assert " topics with their rankings, seed 2" in result.stderr
    assert "hold at least 1 document from each threshold (1,2) to the next (least)" in result.stderr


def test_users_on_a_grid_end_in_ap(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP", "--step", "1", "--runs", "top:2:AP", "--least", 1, "--samples", 10, "--format", "tsv"]
    errors = {
        (line["measure"], line["threshold"]): float(line["value"])
        for line in means_of(gradeval("inform_users", *collection, *args))
    }
    for name in ("GAP", "xGAP", "eGAP"):
        assert errors[f"{name}(g=[1,0])", "1.0"] == pytest.approx(errors["AP", "1.0"], abs=1e-6)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--least", "1000"], "--least 1000: no ranking holds 1000 documents"),
        (["--thresholds", "3"], "--thresholds 3 is not a positive level of the collection"),
        (["-m", "ERR@20", "--least", "1"], "ERR@20"),
        (["--samples", "1"], "--samples 1: one resample has no spread"),
    ],
)
def test_what_cannot_be_inferred_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("inform", *collection, *args))


def test_the_best_users_are_a_measure_to_go_on_with(gradeval: Gradeval, collection: list[Path]) -> None:
    asked = [*collection, "--runs", "top:2:AP", "--least", 1, "--samples", 50, "--step", "0.5"]
    result = gradeval("best_users", *asked)
    assert "the g by which GAP tells most" in result.stdout
    measure = result.stderr.splitlines()[0].removeprefix("note: use this measure: ")
    lines = records(gradeval("best_users", *asked, "--format", "tsv"))
    shares = [float(line["value"]) for line in lines if line["statistic"] == "most informative g"]
    assert measure == f"GAP(g=[{','.join(f'{share:g}' for share in shares)}])"
    assert gradeval("evaluate", *collection[:2], "-m", measure).exit_code == 0


def test_the_curves_of_single_rankings_are_written(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG", "--least", 1, "--runs", "top:2:AP", "--format", "tsv"]
    lines = records(gradeval("infer_curves", *collection, *args))
    expected = infer_curves(studied(collection), "AP nDCG", least=1, runs="top:2:AP")
    assert {(line["run"], line["topic"]) for line in lines} == {(one.run, one.topic) for one in expected.lists}
    first = expected.lists[0]
    curve = [
        float(line["value"])
        for line in lines
        if (line["run"], line["topic"], line["measure"], line["threshold"], line["statistic"])
        == (first.run, first.topic, "AP", "1.0", "inferred precision")
    ]
    assert curve == first.precision[0].tolist()


def studied(files: list[Path]) -> JudgedRuns:
    return judge(read_qrels(files[0]), [read_run(path) for path in files[1:]])


@pytest.mark.parametrize("counts", ["retrieved", "pool"])
def test_lists_hold_what_they_are_assumed_to(gradeval: Gradeval, collection: list[Path], counts: Any) -> None:
    expected = inform(studied(collection), "AP nDCG", least=1, counts=counts)
    args = ["-m", "AP nDCG", "--least", 1, "--counts", counts, "--samples", 0, "--format", "tsv"]
    lines = means_of(gradeval("inform", *collection, *args))
    assert [float(line["value"]) for line in lines] == pytest.approx(expected.mean().ravel())
    failed = (~expected.converged).sum(-1).repeat(2).tolist()
    assert [int(line["not_found"]) for line in lines] == failed
    assert {line["counts"] for line in lines} == {counts}


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_every_ranking_has_a_line_for_its_value_and_its_errors(
    gradeval: Gradeval, collection: list[Path], form: str
) -> None:
    judged = studied(collection)
    expected, scores = inform(judged, "AP P@5", least=1, samples=0), score(judged, [AP, P @ 5])
    result = gradeval(
        "inform", *collection, "-m", "AP P@5", "--least", 1, "--counts", "retrieved", "--samples", 0, "--format", form
    )
    lines = records(result) if form == "tsv" else [json.loads(line) for line in result.stdout.splitlines()]
    single = [line for line in lines if line["run"]]
    assert len(single) == 2 * 3 * len(expected.run)  # measures; the value, and the error at either threshold
    for line in single:
        run, topic = judged.runs.index(line["run"]), judged.topics.index(line["topic"])
        measure = ["AP", "P@5"].index(line["measure"])
        (place,) = np.flatnonzero((expected.run == run) & (expected.topic == topic))
        assert str(line["inferred"]) == str(bool(expected.converged[measure, place]))
        if line["statistic"] == "value":
            assert float(line["value"]) == pytest.approx(scores.values[run, topic, measure])
        else:
            threshold = [1.0, 2.0].index(float(line["threshold"]))
            assert line["statistic"] == "rms of ranking"
            assert float(line["value"]) == expected.errors[measure, threshold, place]


def test_rankings_that_are_not_inferred_are_named(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG", "--least", 1, "--counts", "pool", "--samples", 0, "--format", "tsv"]
    result = gradeval("inform", *collection, *args)
    expected = inform(studied(collection), "AP nDCG", least=1, counts="pool", samples=0)
    assert not expected.converged.all()
    for measure, converged in zip(("AP", "nDCG"), expected.converged, strict=True):
        lost = [
            (expected.runs[expected.run[place]], expected.topics[expected.topic[place]])
            for place in np.flatnonzero(~converged)
        ]
        lines = [line for line in records(result) if line["inferred"] == "False" and line["measure"] == measure]
        errors = [line for line in lines if line["statistic"] == "rms of ranking"]
        assert {(line["run"], line["topic"]) for line in errors} == set(lost)
        assert {line["value"] for line in errors} <= {""}
        if lost:
            assert f"note: not inferred by {measure}: topic {lost[0][1]} of {lost[0][0]}" in result.stderr


def test_no_samples_make_no_intervals(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["inform", *collection, "-m", "AP", "--least", 1, "--samples", 0]
    result = gradeval(*args)
    assert "intervals" not in result.stderr
    assert "[" not in result.stdout
    assert {(line["lower"], line["seed"]) for line in means_of(gradeval(*args, "--format", "tsv"))} == {("", "")}


def test_topics_that_hold_no_ranking_do_not_count_0(gradeval: Gradeval, untidy: list[Path]) -> None:
    result = gradeval("inform", *untidy, "-m", "AP", "--least", 1, "--samples", 0)
    assert result.exit_code == 0
    assert "returned nothing for some of the 12 topics" in result.stderr
    assert "hold nothing to be found for AP; nothing is inferred from them" in result.stderr
    assert "count 0" not in result.stderr


def test_missing_topics_count_where_a_measure_chooses_the_runs(gradeval: Gradeval, untidy: list[Path]) -> None:
    args = ["inform", *untidy, "-m", "AP", "--least", 1, "--samples", 0, "--format", "tsv", "--runs", "top:1:nDCG"]
    zero, skip = (gradeval(*args, "--missing", policy).stdout for policy in ("zero", "skip"))
    assert zero != skip


def test_too_few_topics_are_refused_before_the_work(
    gradeval: Gradeval, collection: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work was begun")

    monkeypatch.setattr("gradeval.studies.informativeness.inform.maximum_entropy", work)
    said = refusal(gradeval("inform", *collection, "-m", "AP", "--least", 1, "--topics", "401,402"))
    assert "1 topic with rankings that hold 1 document from each threshold to the next; intervals need 3 topics" in said


def test_thresholds_are_those_asked_for(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP", "--least", 1, "--thresholds", "2", "--samples", 0, "--format", "tsv"]
    (line,) = means_of(gradeval("inform", *collection, *args))
    assert line["threshold"] == "2.0"
    expected = inform(studied(collection), "AP", thresholds=[2], least=1)
    assert float(line["value"]) == pytest.approx(expected.mean()[0, 0])
