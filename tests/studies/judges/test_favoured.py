"""The sentence on whom a judge favours, against the table of favoured runs, which other tests compare with loops."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from two_assessors import Judgments, two_assessors

from gradeval import AP, judges
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.favoured import find_favoured, tell_of_favours, tell_of_others
from gradeval.studies.judges.favours import Favours, Shift
from gradeval.studies.judges.verdicts import judge_scores

DRAWN = two_assessors(5, topics=20)
FIGURE = r"[+-]\.\d{2,3} \[[+-]\.\d{2,3}, [+-]\.\d{2,3}\] beyond its random errors, p \.0\d+"


def favouring(run: str, by: float, seed: int = 1) -> Judgments:
    """A judge who errs at random, and gives the first documents of one run so much more."""
    rng = np.random.default_rng(seed)
    grades = {
        topic: {name: float(np.clip(grade + rng.integers(0, 2), 0, 3)) for name, grade in sorted(known.items())}
        for topic, known in DRAWN.human.items()
    }
    for topic, scores in DRAWN.runs[run].items():
        for name in sorted(scores, key=lambda name: -scores[name])[:8]:
            if name in grades[topic]:
                grades[topic][name] = float(np.clip(grades[topic][name] + by, 0, 3))
    return grades


def compare(judge: Judgments, runs: str, measures: str = "GAP", **options: object) -> JudgeComparison:
    chosen = {name: DRAWN.runs[name] for name in runs.split()}
    return judges(DRAWN.human, {"llm": judge}, chosen, measures, samples=10, **options)


def favours(found: JudgeComparison) -> list[str]:
    return [str(note) for note in found.notes if str(note).startswith("Favours")]


@pytest.mark.filterwarnings("ignore:2 runs")
@pytest.mark.parametrize("runs", ["run3 run1", "run1 run3", "run0 run1 run3", " ".join(DRAWN.runs)])
@pytest.mark.parametrize("measures", ["GAP", "P@5 GAP", "GAP P@5"])
def test_a_favoured_run_is_named_in_a_note_that_is_always_printed(runs: str, measures: str) -> None:
    found = compare(favouring("run3", 3), runs, measures)
    assert found.verdicts_of("llm")[-1:] == favours(found)
    said = re.fullmatch(rf"Favours: llm favours run3 \((GAP|P@5) {FIGURE}( over .*)?\)", favours(found)[0])
    assert said is not None
    number = len(runs.split())
    over = [f"{number} runs"] * (number > 2) + ["2 measures"] * (" " in measures)
    assert said[2] == (" over " + " and ".join(over) if over else None)
    assert favours(found)[0] in found.verdicts
    shown = found.of("llm", said[1]).runs
    assert shown is not None
    place = shown.names.index("run3")
    assert shown.p[place] < 0.05
    number = re.search(r"[+]([.]\d+)", said[0])
    assert number is not None
    assert float(number[1]) == pytest.approx(shown.value[place], abs=0.005)  # as in the table of --all


@pytest.mark.filterwarnings("ignore:2 runs")
@pytest.mark.parametrize(
    ("judge", "options"),
    [
        (favouring("run3", 0), {}),  # errs at random
        (DRAWN.human, {}),
        (favouring("run3", 3), {"draws": 0}),  # not asked for
        (favouring("run3", 3), {"draws": 10}),  # p cannot be below .05
    ],
)
@pytest.mark.parametrize("runs", ["run1 run3", "run0 run1 run2 run3"])
def test_nobody_is_named_without_evidence(judge: Judgments, options: dict[str, object], runs: str) -> None:
    assert favours(compare(judge, runs, **options)) == []


def test_means_are_not_as_good_where_a_run_is_favoured() -> None:
    """Its mean is wrong, however well the others' errors make up for it."""
    found = compare(favouring("run3", 3), " ".join(DRAWN.runs))
    verdict = found.of("llm", "GAP").absolute_scores
    assert verdict.answer != "as good"
    assert verdict.lacking.startswith("the judge favours or disadvantages run3")
    level = Shift(0.0, (-0.001, 0.001), 1.0, (0.99, 1.01), human=0.4, topics=50)
    assert judge_scores(level, 0.05, 20).answer == "as good"
    favoured = judge_scores(level, 0.05, 20, ["run3", "run4"])
    assert favoured.answer == "not decided"
    said = "not decided, as the judge favours or disadvantages run3 and 1 more"
    assert favoured.words == f"{said}; over all the means agree within 5% on average"


def test_a_run_at_a_disadvantage_is_named_where_none_is_favoured() -> None:
    found = compare(favouring("run0", -3), " ".join(DRAWN.runs))
    runs = found.of("llm", "GAP").runs
    favoured, against = find_favoured(runs)
    verb, names = ("favours", favoured) if favoured else ("disadvantages", against)
    assert against[0] == "run0"
    assert f"llm {verb} {', '.join(names[:3])}" in favours(found)[0]


def test_a_favoured_group_is_named_too() -> None:
    found = compare(
        favouring("run3", 3), " ".join(DRAWN.runs), groups={"run3": "ours", "run0": "theirs", "run1": "theirs"}
    )
    assert re.fullmatch(rf"Favours: llm favours the group ours \(GAP {FIGURE}\)", favours(found)[1])


def test_several_favoured_groups_are_called_groups() -> None:
    interval = np.array([[0.1, 0.3], [0.1, 0.2]])
    found = Favours(["a", "b"], np.array([0.2, 0.15]), interval, np.array([0.01] * 2), np.array([0.01] * 2), 0.05, 100)
    opposed = replace(found, humans=replace(found, value=-found.value))
    assert "favours the groups a, b (a: AP" in tell_of_favours("llm", [AP], [opposed], "group")


def test_a_gain_that_the_humans_share_or_do_not_show_is_not_decided() -> None:
    ones = np.array([0.01])
    found = Favours(["a"], np.array([0.2]), np.array([[0.1, 0.3]]), ones, ones, 0.05, 100)
    for humans in (None, found, replace(found, value=-found.value, p_over_measures=np.array([0.06]))):
        said = tell_of_favours("llm", [AP], [replace(found, humans=humans)], "")
        assert said.startswith("Favours: not decided; llm raises a (AP +.20 [+.10, +.30] beyond")
        assert said.endswith("but human errors do so, too")
        assert tell_of_others({"llm": [replace(found, humans=humans)]}) == ""


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_humans_who_gave_one_grade_accuse_nobody() -> None:
    """Grades of 1 alone tell no document from another: a good judge raises the better runs."""
    gold = {topic: dict.fromkeys(grades, 1.0) for topic, grades in DRAWN.human.items()}
    rng = np.random.default_rng(0)
    judge = {topic: {name: float(rng.integers(0, 2)) for name in sorted(grades)} for topic, grades in gold.items()}
    found = judges(gold, {"llm": judge}, DRAWN.runs, "P@5", samples=10, levels=(0, 1))
    assert favours(found) == ["Favours: not decided for llm, as the humans gave all common pairs one grade"]
    assert found.of("llm", "P@5").runs is None


def test_of_many_judges_all_that_favour_a_run_are_named() -> None:
    others = {f"plain{seed}": favouring("run3", 0, seed) for seed in range(4)}
    others |= {"one": favouring("run3", 3), "two": favouring("run1", 3)}
    found = judges(DRAWN.human, others, DRAWN.runs, "GAP", samples=10)
    named = " ".join(favours(found))
    assert "one run3" in named
    assert "two run1" in named


@pytest.mark.parametrize(
    ("value", "low", "p", "expected"),
    [
        (0.1, 0.05, 0.01, (["a"], [])),
        (-0.1, -0.15, 0.01, ([], ["a"])),
        (0.1, 0.05, 0.06, ([], [])),  # by chance, over all runs
        (0.1, -0.01, 0.01, ([], [])),  # the interval holds 0
    ],
)
def test_both_the_corrected_p_and_the_interval_decide(
    value: float, low: float, p: float, expected: tuple[list[str], list[str]]
) -> None:
    interval = np.array([[low, 2 * value - low]])
    of_one = np.array([0.001])  # without the correction over measures
    gain = Favours(["a"], np.array([value]), interval, of_one, np.array([p]), 0.05, 100)
    humans = replace(gain, value=-gain.value, p_over_measures=of_one)
    assert find_favoured(replace(gain, humans=humans)) == expected
    assert find_favoured(gain, sure=False) == expected
