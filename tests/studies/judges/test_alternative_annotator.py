"""The alternative-annotator test: against its definition by loops, SciPy's t test and statsmodels' correction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from gradeval import InputError, alternative_annotator

Grades = dict[str, dict[str, int]]


def annotated(errors: dict[str, float], topics: int = 12, seed: int = 0) -> dict[str, Grades]:
    """Grades of some assessors, each wrong in a share of the documents; a tenth of the grades is missing."""
    rng = np.random.default_rng(seed)
    truth = {(f"t{topic}", f"d{document}"): int(rng.integers(4)) for topic in range(topics) for document in range(8)}
    assessors: dict[str, Grades] = {}
    for name, wrong in errors.items():
        one = assessors.setdefault(name, {})
        for (topic, document), grade in truth.items():
            given = grade if rng.random() >= wrong else int(rng.integers(4))
            if rng.random() < 0.9 or name == "llm":
                one.setdefault(topic, {})[document] = given
    return assessors


def literal(assessors: dict[str, Grades], model: str, left_out: str, alignment: str) -> list[tuple[str, float, float]]:
    """Topic, W_f and W_h of each document, by the definition, document by document."""
    wins = []
    for topic, documents in assessors[left_out].items():
        for document, own in documents.items():
            others = [
                one[topic][document]
                for name, one in assessors.items()
                if name not in (model, left_out) and document in one.get(topic, {})
            ]
            machine = assessors[model].get(topic, {}).get(document)
            if machine is None or not others:
                continue

            def closeness(grade: int, others: list[int] = others) -> float:
                if alignment == "agreement":
                    return sum(grade == other for other in others) / len(others)
                return -math.sqrt(sum((grade - other) ** 2 for other in others) / len(others))

            wins.append(
                (topic, float(closeness(machine) >= closeness(own)), float(closeness(own) >= closeness(machine)))
            )
    return wins


@pytest.mark.parametrize("alignment", ["distance", "agreement"])
def test_shares_and_p_are_those_of_the_definition(alignment: Any) -> None:
    assessors = annotated({"ann": 0.2, "bob": 0.3, "llm": 0.25, "eve": 0.4})
    result = alternative_annotator(assessors, candidate="llm", epsilon=0.1, alignment=alignment, by="document")
    assert result.annotators == ["ann", "bob", "eve"]
    for place, name in enumerate(result.annotators):
        wins = literal(assessors, "llm", name, alignment)
        model, person = (np.array([one[column] for one in wins]) for column in (1, 2))
        assert result.documents[place] == len(wins)
        assert result.advantage[place] == pytest.approx(model.mean(), abs=1e-12)
        assert result.human[place] == pytest.approx(person.mean(), abs=1e-12)
        wanted = ttest_1samp(person - model, 0.1, alternative="less").pvalue
        assert result.p[place] == pytest.approx(wanted, rel=1e-9)


def test_by_topic_the_variance_is_that_of_a_ratio_of_sums_over_topics() -> None:
    assessors = annotated({"ann": 0.2, "bob": 0.3, "llm": 0.25, "eve": 0.4}, seed=3)
    result = alternative_annotator(assessors, candidate="llm", epsilon=0.15)
    rng = np.random.default_rng(0)
    for place, name in enumerate(result.annotators):
        wins = literal(assessors, "llm", name, "distance")
        topics = sorted({one[0] for one in wins})
        gaps = [np.array([one[2] - one[1] for one in wins if one[0] == topic]) for topic in topics]
        drawn = rng.integers(len(topics), size=(20_000, len(topics)))
        sums, sizes = np.array([gap.sum() for gap in gaps]), np.array([len(gap) for gap in gaps])
        spread = (sums[drawn].sum(1) / sizes[drawn].sum(1)).std()  # the bootstrap's, which is sqrt((U - 1) / U) of it
        mean = np.concatenate(gaps).mean()
        t = (mean - 0.15) / (spread * math.sqrt(len(topics) / (len(topics) - 1)))
        assert result.p[place] == pytest.approx(student.cdf(t, len(topics) - 1), abs=0.02)


def test_the_correction_is_that_of_benjamini_and_yekutieli() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    assessors = annotated({name: 0.1 + 0.08 * place for place, name in enumerate("abcdef")} | {"llm": 0.3})
    result = alternative_annotator(assessors, candidate="llm", epsilon=0.05)
    rejected, corrected, *_ = multitest.multipletests(result.p, 0.05, "fdr_by")
    assert result.corrected == pytest.approx(corrected, rel=1e-12)
    assert result.winning_rate == rejected.mean()
    assert result.average_advantage == pytest.approx(result.advantage.mean())


def test_a_good_model_passes_and_one_that_guesses_does_not() -> None:
    humans = {"ann": 0.3, "bob": 0.3, "eve": 0.3}
    good = alternative_annotator(annotated({**humans, "llm": 0.1}, topics=40), candidate="llm")
    bad = alternative_annotator(annotated({**humans, "llm": 1.0}, topics=40), candidate="llm")
    assert good.winning_rate == 1
    assert str(good.notes[0]).startswith(
        "llm may stand in for an annotator; it is shown to be at most 0.2 worse than 3 of 3 annotators"
    )
    assert bad.winning_rate == 0
    assert str(bad.notes[0]).startswith("llm may not stand in")


def test_an_identical_model_wins_always_and_fewer_than_three_annotators_are_refused() -> None:
    assessors = annotated({"ann": 0.0, "bob": 0.0, "eve": 0.0, "llm": 0.0})
    result = alternative_annotator(assessors, candidate="llm")
    assert result.advantage.tolist() == [1, 1, 1]
    assert result.p == pytest.approx(0.8**12)  # 12 topics that all say the same, were the share epsilon
    del assessors["eve"]
    with pytest.raises(InputError, match="needs 3 human annotators or more, and there are 2 beside llm"):
        alternative_annotator(assessors, candidate="llm")
    with pytest.raises(InputError, match=r"candidate: no assessor 'lm' \(did you mean llm\?\)"):
        alternative_annotator(assessors, candidate="lm")


def test_topics_that_all_say_the_same_are_no_proof_whatever_the_rounding() -> None:
    # one of them differs from all others in a third of the documents of each topic
    for odd, gap, p in (("ann", -1 / 3, 0.6**4), ("llm", 1 / 3, (0.6 / (2 / 3)) ** 4)):
        assessors: Any = {
            name: {f"t{topic}": {"x": int(name == odd), "y": 0, "z": 0} for topic in range(4)}
            for name in ("ann", "bob", "eve", "llm")
        }
        result = alternative_annotator(assessors, candidate="llm", epsilon=0.4)
        assert result.human[0] - result.advantage[0] == pytest.approx(gap)
        assert result.p[0] == pytest.approx(p)


def test_equal_distances_count_for_both_whatever_their_rounding() -> None:
    for own, machine in ((0.1, 0.3), (0.3, 0.1)):
        grades = {"ann": own, "bob": 0.2, "eve": 0.2, "llm": machine}
        assessors: Any = {name: {f"t{place}": {"d": grade} for place in range(3)} for name, grade in grades.items()}
        result = alternative_annotator(assessors, candidate="llm")
        assert [result.advantage[0], result.human[0]] == [1, 1]


def test_an_annotator_without_shared_documents_is_named() -> None:
    assessors = annotated({"ann": 0.1, "bob": 0.1, "llm": 0.1})
    with pytest.raises(InputError, match="eve shares documents of 0 topics"):
        alternative_annotator({**assessors, "eve": {"elsewhere": {"d": 1}}}, candidate="llm")
