"""What notes of a comparison say of tests that find too much, against what was counted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from score_tables import drawn_scores, scores_of

from gradeval.scores.scores import Scores
from gradeval.studies.compare import compare
from gradeval.studies.compare_cautions import FOUND, FOUND_ALIKE, MARKED, MARKED_ALIKE
from gradeval.studies.significance import TUKEY
from gradeval.studies.skewed_differences import SKEWED, skewness


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "tukey-hsd"])
def test_a_note_says_that_skewed_differences_defeat_tests_of_means(test: Any) -> None:
    rng = np.random.default_rng(0)
    spread = np.linspace(0.2, 2, 20)
    skewed, symmetric = rng.exponential(size=(30, 20)) * spread, rng.normal(size=(30, 20)) * spread
    both = scores_of(np.stack([skewed.T, symmetric.T], axis=-1), "DCG CG")

    def said(scores: Scores, **options: Any) -> list[str]:
        return [
            str(note) for note in compare(scores, test=test, samples=1000, **options).notes if "skewed" in str(note)
        ]

    (note,) = said(both)
    assert note.startswith("DCG: ")
    assert FOUND[test] in note
    for others in ({"baseline": "A"}, {"alpha": 0.01}, {} if test == TUKEY else {"correction": "none"}):
        (other,) = said(both, **others)
        assert ("%" in other) == (not others)  # figures are of all pairs, of one level, of one correction
        assert bool(others) == ("more often than its level says" in other)
    assert not said(both, baseline="best")  # of which the set of the best runs held
    (few_topics,) = said(scores_of(skewed[:10].T, "DCG"), baseline="best")
    assert MARKED in few_topics
    assert not said(scores_of(skewed[:, [0, 19]].T, "DCG"))  # of one pair chance says as much as the errors
    (few,) = said(scores_of(symmetric[:19].T, "CG"))
    assert few.startswith("CG: differences may be skewed, which fewer than 20 topics cannot show")
    assert FOUND[test] in few


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "tukey-hsd"])
def test_measures_of_mostly_one_value_have_figures_of_their_own(test: Any) -> None:
    """As RR is 1 on most topics; a run that fails more often varies more."""
    rng = np.random.default_rng(1)
    failed = rng.random((40, 12)) < np.linspace(0.01, 0.2, 12)
    ranks = np.where(failed, rng.integers(2, 9, failed.shape), 1)
    scores = scores_of((1 / ranks).T, "RR")

    def said(**options: Any) -> list[str]:
        return [
            str(note)
            for note in compare(scores, samples=1000, **options).notes
            if "values of a run are equal" in str(note)
        ]

    (note,) = said(test=test)
    assert not any(share in note for share in FOUND.values())
    assert FOUND_ALIKE.get(test, "more often than its level says") in note
    (best,) = said(baseline="best")
    assert MARKED_ALIKE in best
    many = scores_of(np.tile(1 / ranks.T, 3), "RR")
    assert skewness(many.values[:, :, 0].T) > SKEWED  # else so many topics show that nothing is wrong
    assert any("as by RR" in str(each) for each in compare(many).notes)
    (of_other_level,) = said(baseline="best", alpha=0.01)
    assert "%" not in of_other_level


def test_few_topics_of_mostly_one_value_are_noted_without_skewness_many_are_not() -> None:
    rng = np.random.default_rng(3)
    values = (rng.random((500, 8)) < 0.3).astype(float)
    assert skewness(values[:80]) < SKEWED
    for topics, noted in ((80, True), (500, False)):
        notes = compare(scores_of(values[:topics].T, "RR")).notes
        assert any("most values of a run are equal" in str(note) for note in notes) == noted


@pytest.mark.parametrize(("test", "asks"), [("wilcoxon", "symmetric"), ("sign", "wins")])
@pytest.mark.parametrize("baseline", [None, "A", "best"])
def test_a_note_says_what_tests_of_ranks_and_signs_ask(test: Any, asks: str, baseline: str | None) -> None:
    notes = [str(note) for note in compare(drawn_scores(runs=4), test=test, baseline=baseline).notes]
    assert [asks in note for note in notes if "not whether means are equal" in note] == [True]
    assert not any("means are equal" in str(note) for note in compare(drawn_scores(runs=4), baseline=baseline).notes)


INFERENCE = Path(__file__).resolve().parents[2] / "docs" / "inference"


def test_what_notes_say_of_skewed_differences_is_what_was_counted() -> None:
    def rows(page: str) -> list[list[str]]:
        return [line.strip("| ").split(" | ") for line in (INFERENCE / page).read_text(encoding="utf-8").splitlines()]

    worst: dict[str, list[str]] = {"t": [row[3] for row in rows("skewed-pairs.md") if row[0] == "t, holm"]}
    worst |= {
        row[0].removesuffix(", holm"): [row[2], row[6]]
        for row in rows("pairs.md")
        if row[0] in ("permutation, holm", "bootstrap, holm", "tukey-hsd")
    }
    for test, said in FOUND.items():
        counted = [round(100 * float(cell.split()[0])) for cell in worst[test]]
        shown = [int(share) for share in re.findall(r"(\d+)%", said)]
        assert shown == [share for share in counted if share]  # a test that cannot find anything finds nothing false
    by_source = [row for row in rows("skewed-pairs.md") if len(row) in (5, 7) and row[0].count(", ")]
    of_t = [[float(cell) for cell in row[1::2]] for row in by_source if len(row) == 7 and row[0].endswith(", RR")]
    assert re.findall(r"\d+%", FOUND_ALIKE["t"]) == [f"{max(each):.0%}" for each in zip(*of_t, strict=True)]
    of_best = {row[0]: [float(cell) for cell in row[2:]] for row in by_source if len(row) == 5 and row[1] != "2 runs"}
    of_best = {name: marked for name, marked in of_best.items() if len(marked) == 3}
    alike = [marked for name, marked in of_best.items() if name.endswith(", RR")]
    others = [marked[0] for name, marked in of_best.items() if not name.endswith(", RR")]
    assert re.findall(r"\d+%", MARKED_ALIKE) == [f"{max(each):.0%}" for each in zip(*alike, strict=True)]
    assert re.findall(r"\d+%", MARKED) == [f"{max(others):.0%}"]
