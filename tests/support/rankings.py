"""What tests of measures share: rankings drawn by hypothesis, batches of them, and the golden cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradeval import JudgedRankings

Item = int | str | None


@dataclass(frozen=True)
class Topic:
    """Grades by rank (None: not pooled, "U": pooled but unjudged), and the pool: documents by grade."""

    ranking: tuple[Item, ...]
    pool: tuple[int, ...]

    @property
    def judged(self) -> JudgedRankings:
        return JudgedRankings.of(list(self.ranking), pool=self.pool)

    @property
    def grades(self) -> list[int]:
        """Grade by rank, unjudged documents being non-relevant."""
        return [item if isinstance(item, int) else 0 for item in self.ranking]

    def base(self, rel: int) -> int:
        """RB(rel)."""
        return sum(self.pool[rel:])

    def count(self, n: int, rel: int) -> int:
        """C_n(rel)."""
        return sum(grade >= rel for grade in self.grades[:n])

    def precision(self, n: int, rel: int) -> Fraction:
        """Prec_n(rel)."""
        return Fraction(self.count(n, rel), n)

    def relevant_ranks(self, rel: int) -> list[int]:
        return [n for n, grade in enumerate(self.grades, 1) if grade >= rel]

    def ideal(self) -> Topic:
        """All relevant documents of the pool, best first."""
        best = [grade for grade in range(len(self.pool) - 1, 0, -1) for _ in range(self.pool[grade])]
        return Topic(tuple(best), self.pool)


def share(part: Fraction | int, whole: Fraction | int) -> Fraction:
    """part / whole, and 0 where there is nothing to share."""
    return Fraction(part) / whole if whole else Fraction(0)


@st.composite
def topics(draw: st.DrawFn, *, levels: Sequence[int] = (2, 3, 4), most: int = 4, unjudged: int = 2) -> Topic:
    """Rankings of some documents of a pool, with documents outside it and unjudged ones in between."""
    width = draw(st.sampled_from(levels))
    pool = tuple(draw(st.lists(st.integers(0, most), min_size=width, max_size=width)))
    documents: list[Item] = [grade for grade in range(width) for _ in range(pool[grade])]
    documents += [None] * draw(st.integers(0, unjudged)) + ["U"] * draw(st.integers(0, unjudged))
    shuffled = draw(st.permutations(documents))
    return Topic(tuple(shuffled[: draw(st.integers(0, len(shuffled)))]), pool)


@st.composite
def gained_topics(draw: st.DrawFn, *, more: Sequence[float] = ()) -> tuple[Topic, list[Any]]:
    """A ranking, and a gain for each of its levels: equal ones too, descending ones, some for grade 0."""
    topic = draw(topics())
    width = len(topic.pool)
    return topic, draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 10, *more]), min_size=width, max_size=width))


def by_grade(gains: Sequence[float]) -> dict[float, float]:
    """Gains by level as measures take them."""
    return {float(grade): float(gain) for grade, gain in enumerate(gains)}


@st.composite
def users(draw: st.DrawFn, levels: int) -> list[Fraction]:
    """g as fractions: one probability per positive level, some of them 0."""
    weights = draw(st.lists(st.integers(0, 5), min_size=levels, max_size=levels).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


def together(rankings: Sequence[JudgedRankings]) -> JudgedRankings:
    """One rectangle of single rankings on the same levels, padded as in a block of rows."""
    width = max(1, *(one.ranks.shape[-1] for one in rankings))

    def padded(name: str, padding: float) -> Any:
        rows = [np.pad(getattr(one, name)[0], (0, width), constant_values=padding)[:width] for one in rankings]
        return np.stack(rows)

    return JudgedRankings(
        grades=padded("grades", 0),
        ranks=padded("ranks", np.inf),
        judged=padded("judged", False),
        document=padded("document", -1),
        pool=np.concatenate([one.pool for one in rankings]),
        levels=rankings[0].levels,
        retrieved=np.concatenate([one.retrieved for one in rankings]),
    )


def golden_cases(
    golden: dict[str, Any], measure: str
) -> Iterator[tuple[str, JudgedRankings, dict[str, Any], dict[str, Any], float]]:
    """(what it is, rankings, case, parameters, value) for every golden value of a measure."""
    found = False
    for case in golden["cases"]:
        judged = JudgedRankings.of(case["ranking"], pool=case["R"])
        for expected in case["expected"]:
            if expected["measure"] == measure and expected["value"] is not None:
                found = True
                yield (
                    f"{case['id']} {measure} {expected['params']}",
                    judged,
                    case,
                    expected["params"],
                    expected["value"],
                )
    assert found, f"no golden values of {measure}"
