from __future__ import annotations

from pathlib import Path

from gradeval import evaluate, judge, read_qrels, read_run
from gradeval.studies.informativeness.rms_differences import rms_differences
from gradeval.studies.power_differences import power_differences

from .conftest import Gradeval, records


def test_differences_of_power_are_those_of_python(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP P@5", "--samples", 40, "--seed", 3, "--resamples", 8, "--format", "tsv"]
    result = gradeval("power_differences", *collection, *args)
    (line,) = records(result)
    scores = evaluate(collection[0], collection[1:], "AP P@5")
    expected = power_differences(scores, samples=40, seed=3, resamples=8)
    assert [float(line[field]) for field in ("value", "lower", "upper")] == [
        expected.difference[0, 0],
        *expected.interval[0, 0],
    ]
    assert (line["statistic"], line["samples"]) == ("power difference", "8")


def test_differences_of_errors_are_those_of_python(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP P@5", "--least", 1, "--samples", 40, "--seed", 3, "--format", "tsv"]
    lines = records(gradeval("rms_differences", *collection, *args))
    judged = judge(read_qrels(collection[0]), [read_run(path) for path in collection[1:]])
    expected = rms_differences(judged, "AP P@5", least=1, samples=40, seed=3)
    assert [line["threshold"] for line in lines] == ["1.0", "2.0"]
    for line, value, bounds in zip(lines, expected.difference[0], expected.interval[0], strict=True):
        assert [float(line[field]) for field in ("value", "lower", "upper")] == [value, *bounds]
