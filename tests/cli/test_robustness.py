from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import judge, read_qrels, read_run
from gradeval.meta.robustness import robustness
from gradeval.meta.thinning import Random, Stratified

from .conftest import Gradeval, records, refusal


def test_with_the_full_pool_the_order_is_the_same(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG Bpref", "--rates", "100,50", "--samples", 3, "--format", "tsv"]
    found = records(gradeval("robustness", *collection, *args))
    assert len(found) == 2 * 3 * 3
    assert {line["value"] for line in found if line["step"] == "100.0"} == {"1.0"}


def test_the_seed_is_said_and_decides(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "20", "--samples", 4, "--format", "tsv", "--seed"]
    first, again, other = (gradeval(*args, seed) for seed in (1, 1, 2))
    assert "seed 1" in first.stderr
    assert first.stdout == again.stdout != other.stdout


def test_threads_do_not_change_the_answer(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP nDCG", "--rates", "50,20", "--samples", 4, "--threads"]
    assert gradeval(*args, 1).stdout == gradeval(*args, 3).stdout


def test_without_a_floor_scarce_grades_may_vanish(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "10", "--floor-nonrelevant", 0, "--format", "tsv"]
    floored, bare = (records(gradeval(*args, "--floor", floor))[0] for floor in (1, 0))
    assert float(floored["judged"]) > float(bare["judged"])


@pytest.mark.parametrize("method", ["random", "depth"])
def test_other_ways_of_sampling(gradeval: Gradeval, collection: list[Path], method: str) -> None:
    samples = ["--samples", 2] * (method == "random")
    args = ["-m", "AP", "--method", method, "--rates", "40,10", *samples, "--format", "tsv"]
    found = records(gradeval("robustness", *collection, *args))
    assert len(found) == {"random": 4, "depth": 2}[method]  # nothing is random in a depth
    assert {line["method"] for line in found} == {method}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--rates", "100,101"], "--rates 100,101: rate 101 is not a percentage from 0 to 100"),
        (["--rates", "-5"], "rate -5 is not a percentage from 0 to 100"),
        (["--rates", "many"], "--rates many: 'many' is not a number"),
        (["--method", "depth", "--rates", "0"], "--rates 0: depth 0 is not a number of ranks from 1"),
        (
            ["--method", "depth", "--samples", "5"],
            "--samples belongs to random samples, and nothing is random in --method",
        ),
        (["--method", "depth", "--seed", "5"], "--seed belongs to random samples"),
        (["--method", "random", "--floor", "0"], "--floor belongs to --method stratified"),
        (["--topics", "401"], "only 1 topic is left after selection; at least 3 are needed"),
        (["-m", "NumQ"], "NumQ: all 6 runs have the same mean"),
    ],
)
def test_what_cannot_be_thinned_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("robustness", *collection, *args))


@pytest.mark.parametrize(
    ("option", "how"),
    [
        (["--statistic", "spearman"], {"statistic": "spearman"}),
        (["--missing", "skip"], {"missing": "skip"}),
        (["--missing", "skip", "--empty", "one"], {"missing": "skip", "empty": "one"}),
        (["--seed", 5], {"seed": 5}),
        (["--topics", "401,402,403,404,405"], {"topics": ["401", "402", "403", "404", "405"]}),
        (["--runs", "alder,aspen,beech,birch"], {"runs": ["alder", "aspen", "beech", "birch"]}),
        (["--floor", "3"], {"sampling": Stratified((40, 20), floor=3)}),
        (["--floor", 0, "--floor-nonrelevant", "2"], {"sampling": Stratified((40, 20), floor=0, floor_nonrelevant=2)}),
        (["--method", "random"], {"sampling": Random((40, 20))}),
    ],
)
def test_options_act_as_in_the_function(
    gradeval: Gradeval, untidy: list[Path], option: list[object], how: dict[str, Any]
) -> None:
    usual = {"sampling": Stratified((40, 20), floor=0), "samples": 3}
    judged = judge(read_qrels(untidy[0]), [read_run(path) for path in untidy[1:]])
    expected = robustness(judged, "AP Bpref", **usual | how)
    floor = ["--floor", 0] * ("sampling" not in how)
    args = ["-m", "AP Bpref", "--rates", "40,20", "--samples", 3, "--format", "tsv"]
    lines = records(gradeval("robustness", *untidy, *args, *floor, *option))
    assert [float(line["value"]) for line in lines] == expected.values.ravel().tolist()
    assert [float(line["judged"]) for line in lines] == expected.kept.ravel().repeat(2).tolist()
    assert {line["statistic"] for line in lines} == {expected.statistic}
    assert {(line["runs"], line["topics"]) for line in lines} == {(str(len(expected.runs)), str(len(expected.topics)))}
    for name in how:
        others = {other: value for other, value in how.items() if other != name}
        assert not np.array_equal(expected.values, robustness(judged, "AP Bpref", **usual | others).values), name


def test_one_sample_has_no_spread(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "50,20", "--samples"]
    one, two = (gradeval(*args, samples) for samples in (1, 2))
    assert "±" not in one.stdout
    assert "1 thinned pool at each rate" in one.stderr
    assert two.stdout.count("±") == 2


def test_records_say_how_they_were_drawn(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "40", "--format", "tsv"]
    line, *_ = records(gradeval(*args, "--samples", 2, "--seed", 7, "--floor", 2, "--floor-nonrelevant", 3))
    how = [line[field] for field in ("method", "samples", "seed", "floor", "floor_nonrelevant")]
    assert how == ["stratified", "2", "7", "2", "3"]
    (line,) = records(gradeval(*args, "--method", "depth"))
    how = [line[field] for field in ("method", "samples", "seed", "floor", "floor_nonrelevant")]
    assert how == ["depth", "", "", "", ""]
