"""The section on topics, against the values topic by topic."""

from __future__ import annotations

from pathlib import Path

from gradeval import evaluate
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
