"""What ``compare`` studies beside its tests: how many topics differences need, and which runs are equivalent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gradeval._core import InputError
from gradeval.cli.options.values import name_option_in_errors, parse_numbers
from gradeval.cli.screen.notices import list_some, plural
from gradeval.scores.scores import Scores
from gradeval.studies.certainty.equivalent_runs import Equivalence
from gradeval.studies.certainty.equivalent_runs import equivalence as find_equivalent
from gradeval.studies.certainty.topics_needed import TopicSetSize, topic_set_size
from gradeval.studies.significance.corrections import Correction

ENOUGH = 20  # topics to estimate a variance


@dataclass(frozen=True)
class CertaintyStudies:
    """What is studied beside the differences: topics needed and equivalence.

    Attributes
    ----------
    differences, beta : of --power; no difference: it was not asked for.
    margin : of --equivalence, where it was asked for.
    correction, alpha : of the tests.
    """

    differences: tuple[float, ...]
    beta: float
    margin: float | None
    correction: Correction
    alpha: float

    def __post_init__(self) -> None:
        if self.differences and not 0 < self.beta < 1:
            raise InputError(f"--beta {self.beta:g}: is not between 0 and 1, as in 0.2")
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise InputError(f"--equivalence {self.margin:g}: is no margin above 0, as in 0.02")
        if self.margin is not None and self.alpha >= 0.5:
            raise InputError(f"--alpha {self.alpha:g}: the tests of --equivalence take a level below 0.5, as in 0.05")

    def study(self, scores: Scores, baselines: Sequence[str]) -> list[TopicSetSize | Equivalence]:
        """The studies that were asked for."""
        studies: list[TopicSetSize | Equivalence] = []
        if self.differences:
            with name_option_in_errors("--power", ",".join(f"{one:g}" for one in self.differences)):
                studies.append(topic_set_size(scores, self.differences, alpha=self.alpha, beta=self.beta))
        if self.margin is not None:
            how: dict[str, Any] = {"correction": self.correction, "alpha": self.alpha}
            studies.append(find_equivalent(scores, self.margin, baselines or None, **how))
        return studies


def parse_differences(text: str | None) -> tuple[float, ...]:
    """The differences of --power."""
    accepted = "differences of means above 0, as in 0.02,0.05"
    differences = () if text is None else parse_numbers("--power", text, accepted)
    if (wrong := next((one for one in differences if one <= 0), None)) is not None:
        raise InputError(f"--power {text}: {wrong:g} is not above 0; accepted: {accepted}")
    return tuple(dict.fromkeys(differences))


def describe_limits(study: TopicSetSize | Equivalence) -> Iterator[str]:
    """Where the assumptions of a study fail."""
    aggregates = {measure.definition.aggregate for measure in study.measures}
    option = f"--equivalence {study.margin:g}" if isinstance(study, Equivalence) else "--power"
    if "geometric" in aggregates:
        yield f"{option}: by {list_some(_of(study, 'geometric'))} differences are of mean logarithms"
    if isinstance(study, Equivalence):
        yield from _about_margin(study)
        topics = int(study.topics.min())
        if topics < ENOUGH:
            few = plural(topics, "topic")
            yield f"{option}: t tests over {few} are right where differences are normal, which nobody knows of so few"
    elif len(study.topics) < ENOUGH:
        yield (
            f"--power: {plural(len(study.topics), 'topic')} tell little of the variance, so the topics needed may be "
            f"far off; accepted: {ENOUGH} or more"
        )


def _of(study: TopicSetSize | Equivalence, aggregate: str) -> list[str]:
    return [str(measure) for measure in study.measures if measure.definition.aggregate == aggregate]


def _about_margin(study: Equivalence) -> Iterator[str]:
    """Measures by which the intervals are wider than the margins, so that no pair could be equivalent."""
    halves = (study.interval[..., 1] - study.interval[..., 0]).min(-1) / 2
    narrow = [
        f"{measure} ±{half:.2g}"
        for measure, half in zip(study.measures, halves.tolist(), strict=True)
        if half >= study.margin
    ]
    if narrow:
        yield (
            f"--equivalence {study.margin:g}: no pair can be equivalent by {list_some(narrow)}, as all intervals are "
            "wider than the margin; accepted: a larger margin, more topics"
        )
