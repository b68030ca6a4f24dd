"""The section on topics, against the values topic by topic."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from gradeval import Qrels, evaluate, parse_measure, report
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_hardest_and_the_easiest_topic_are_those_of_the_means_over_runs(made: Report) -> None:
    values = evaluate(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").iterdir())[:5], "nDCG@10")
    means = dict(zip(values.topics, values.values[:, :, 0].mean(0).tolist(), strict=True))
    hard, easy = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    section = next(section for section in made.sections if section.name == "topics")
    assert section.answer.startswith(
        f"The hardest topic is {hard} (mean nDCG@10 of the runs {means[hard]:.4f}), the easiest {easy} "
        f"({means[easy]:.4f})."
    )
    frame = made.tables["topics: Topics, the hardest first"]
    assert frame["topic"].to_pylist() == sorted(means, key=means.__getitem__)


@pytest.mark.parametrize("shift", [0, -1])
@pytest.mark.parametrize("measure", ["AP", "AP(rel=3)", "P(rel=2)@5", "RBP(rel=4)", "nDCG@10", "GAP"])
def test_relevant_documents_are_counted_as_the_first_measure_counts_them(measure: str, shift: int) -> None:
    """Literally, in the table of topics, in the mean over topics, and in the first documents of two runs."""
    rng = np.random.default_rng(3)
    stars = {f"t{topic}": {f"d{place}": int(rng.integers(1, 6)) for place in range(14)} for topic in range(6)}
    found = [f"d{place}" for place in range(14)]
    runs = {name: {topic: {d: float(rng.random()) for d in (*found, "x", "y")} for topic in stars} for name in "ab"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = report(Qrels.from_dict(stars).shifted(shift), runs, f"{measure} AP", studies="none")
    least = parse_measure(measure).parameters.get("rel") or 1
    counted = {t: sum(star + shift >= least for star in found.values()) for t, found in stars.items()}
    frame = made.tables["topics: Topics, the hardest first"]
    assert dict(zip(frame["topic"].to_pylist(), frame["relevant"].to_pylist(), strict=True)) == counted
    by_name = {section.name: section for section in made.sections}
    after = " after shift=-1" if shift else ""
    others = "; by AP grade 1 or more" if least != 1 else ""
    assert f"Relevant documents have grade {least} or more{after}{others}." in by_name["topics"].details
    mean = sum(counted.values()) / len(counted)
    assert f"{after}. {mean:.1f} relevant documents (grade {least} or more) a topic" in by_name["collection"].details[0]
    said = by_name["rankings"].answer
    topic = said.partition(" on topic ")[2].partition(":")[0]
    names = said.partition(", the first two")[0].split(" and ")
    tops = [sorted(runs[name][topic], key=lambda d, name=name: -runs[name][topic][d])[:10] for name in names]
    first, second = (sum(stars[topic].get(d, -1) + shift >= least for d in top) for top in tops)
    assert said.endswith(f"10 documents {first} and {second} are relevant (grade {least} or more{after}).")


@pytest.mark.parametrize("number", [1, 2])
def test_a_topic_that_does_not_count_is_neither_hard_nor_easy(number: int) -> None:
    judged = {"t1": {"d1": 1}, "t2": {"d1": 1, "d2": 0}, "t3": {"d1": 0}, "t4": {"d2": 1}}
    runs = {f"r{at}": {topic: {"d1": 2.0 + at, "d2": 1.0} for topic in judged} for at in range(number)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = report(judged, runs, "AP", studies="none", empty="skip")
    section = next(section for section in made.sections if section.name == "topics")
    assert section.answer.startswith("The hardest topic is t4 ")
    assert "t3" not in made.tables["topics: Topics, the hardest first"]["topic"].to_pylist()
