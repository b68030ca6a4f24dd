from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau
from two_assessors import TwoAssessors, two_assessors

from gradeval import CoverageWarning, InputError, evaluate, judges
from gradeval.explanation.judge_statistics import explain_statistic
from gradeval.studies.judges.comparison import JudgeComparison

MEASURES = "GAP AP nDCG@10"


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4)


@pytest.fixture(scope="module")
def comparison(drawn: TwoAssessors) -> JudgeComparison:
    groups = {"run0": "good", "run1": "good", "run4": "bad"}
    others = {"model": drawn.judge, "human": drawn.human}
    return judges(drawn.human, others, drawn.runs, MEASURES, groups=groups, samples=100)


def test_tau_is_that_of_the_means_by_both(comparison: JudgeComparison, drawn: TwoAssessors) -> None:
    means = [evaluate(one, drawn.runs, MEASURES).mean() for one in (drawn.human, drawn.judge)]
    for place, measure in enumerate(MEASURES.split()):
        tau = comparison.of("model", measure).orders.tau
        assert tau is not None
        assert tau.value == pytest.approx(kendalltau(means[0][:, place], means[1][:, place]).statistic)
        assert tau.bounds is not None
        assert tau.bounds[0] <= tau.value <= tau.bounds[1]


def test_the_humans_as_a_judge_have_full_skill_and_keep_everything(comparison: JudgeComparison) -> None:
    labels = comparison.labels["human"]
    assert labels.kappa is not None
    assert labels.alpha is not None
    assert (labels.kappa.value, labels.alpha.value, labels.bias.value) == (1, 1, 0)
    for measure in MEASURES.split():
        found = comparison.of("human", measure)
        assert found.orders.skill == 1
        assert found.shift is not None
        assert found.shift.level == 0
        counts = found.conclusions
        assert (counts.kept, counts.reversed, counts.missed, counts.not_confirmed) == (counts.human, 0, 0, 0)
        assert found.ceiling.above == []  # no run is better than the ideal one
    ideal = comparison.of("human", "nDCG@10").ceiling
    assert ideal.mean.value == pytest.approx(1)


def test_runs_above_the_ceiling_are_those_with_a_higher_mean(drawn: TwoAssessors) -> None:
    backwards = {topic: {one: 3 - grade for one, grade in grades.items()} for topic, grades in drawn.human.items()}
    found = judges(drawn.human, {"backwards": backwards}, drawn.runs, "nDCG@10", samples=20)
    ceiling = found.of("backwards", "nDCG@10").ceiling
    scores = evaluate(drawn.human, drawn.runs, "nDCG@10")
    means = dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True))
    expected = sorted((run for run in means if means[run] > ceiling.mean.value), key=lambda run: -means[run])
    assert ceiling.above == expected
    assert expected


def test_the_answer_names_the_share_that_is_kept_beside_its_floor(comparison: JudgeComparison) -> None:
    found = comparison.of("model", "GAP")
    kept = found.shares.kept
    assert kept.value is not None
    assert kept.value.bounds is not None
    assert kept.floor is not None
    assert kept.skill is not None
    assert kept.value.value == pytest.approx(found.conclusions.kept / found.conclusions.human)
    assert kept.skill.value == pytest.approx((kept.value.value - kept.floor.value) / (1 - kept.floor.value))
    low, high = kept.value.bounds
    assert comparison.answers[0] == (
        f"GAP, model: {kept.value.value:.1%} [{low:.1%}, {high:.1%}] of {found.conclusions.human} significant "
        f"differences kept (shuffled grades keep {kept.floor.value:.1%}, skill {kept.skill.value:.2f}), "
        f"{found.conclusions.reversed} reversed, {found.conclusions.not_confirmed} not confirmed by humans."
    )


def test_records_hold_figure_floor_and_skill_with_intervals(comparison: JudgeComparison) -> None:
    records = comparison.to_dict()
    rows = zip(*(records[name] for name in ("judge", "measure", "statistic", "value", "lower", "upper")), strict=True)
    found = {row[:3]: row[3:] for row in rows}
    for measure in MEASURES.split():
        for figure, best in (("kept", 1), ("not-confirmed", 0)):
            value, floor, skill = (
                found["model", measure, name] for name in (figure, f"{figure}-floor", f"{figure}-skill")
            )
            assert skill[0] == pytest.approx((value[0] - floor[0]) / (best - floor[0]))
            assert all(low <= estimate <= high for estimate, low, high in (value, floor, skill))
        tau, floor, skill = (found["model", measure, name] for name in ("kendall", "floor", "skill"))
        assert skill[0] == pytest.approx((tau[0] - floor[0]) / (1 - floor[0]))
        assert all(low <= estimate <= high for estimate, low, high in (tau, floor, skill))


def test_documents_and_topics_on_one_side_are_counted_and_named_and_never_filled(drawn: TwoAssessors) -> None:
    judge = {topic: dict(grades) for topic, grades in drawn.judge.items()}
    del judge["t03"]
    judge["t04"] = {"d0": 1, "other": 2}
    judge["t99"] = {"d0": 1}
    said = (
        r"model: judged 181 of 210 documents that humans judged in 7 common topics \(86.2%\); all figures compare both"
    )
    with pytest.warns(CoverageWarning, match=said):
        found = judges(drawn.human, {"model": judge}, drawn.runs, "AP", samples=20)
    labels = found.labels["model"]
    assert (labels.pairs, labels.human_only, labels.judge_only, labels.topics) == (6 * 30 + 1, 59, 1, 7)
    notes = list(map(str, found.notes))
    assert notes[0].startswith("Order: ")
    assert notes[5].startswith("unjudged documents in the top 10: ")
    assert notes[6:9] == [
        "model: 1 topic without human judgments (t99) left out",
        "model: 1 topic that only humans judged (t03) left out",
        "model: 1 document that no human judged left out",
    ]
    tau = found.of("model", "AP").orders.tau
    assert tau is not None
    assert tau.value == pytest.approx(kendalltau(*means_on_common_pairs(drawn.human, judge, drawn.runs)).statistic)


def means_on_common_pairs(human: Any, judge: Any, runs: Any) -> list[Any]:
    """The means by AP of both sides, whose judgments are cut here to the topics and documents that both judged."""
    sides = [
        {
            topic: {one: grade for one, grade in grades.items() if one in other[topic]}
            for topic, grades in this.items()
            if topic in other
        }
        for this, other in ((human, judge), (judge, human))
    ]
    return [evaluate(side, runs, "AP").mean()[:, 0] for side in sides]


def test_an_assessor_of_a_part_of_the_pool_is_compared_on_it(drawn: TwoAssessors) -> None:
    """She judges as the humans do, but 6 of 8 topics and every second document: nothing speaks against her."""
    part = {
        topic: {one: grade for place, (one, grade) in enumerate(grades.items()) if place % 2}
        for topic, grades in [*drawn.human.items()][:6]
    }
    with pytest.warns(CoverageWarning, match=r"she: judged 90 of 180 documents that humans judged in 6 common topics"):
        found = judges(drawn.human, {"she": part, "model": drawn.judge}, drawn.runs, "AP", samples=20)
    of_her = found.of("she", "AP")
    assert of_her.shift is not None
    assert (of_her.orders.skill, of_her.shift.level, of_her.conclusions.missed) == (1, 0, 0)
    with suppress(CoverageWarning):
        alone = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP", samples=20)
    assert found.of("model", "AP").orders == alone.of("model", "AP").orders  # whole judges are compared on all pairs


def test_beside_a_second_assessor_of_a_part_all_sides_are_cut_to_it() -> None:
    drawn = two_assessors(4, topics=12)
    part = {topic: dict([*grades.items()][::2]) for topic, grades in [*drawn.human.items()][:10]}
    others = {"model": drawn.judge, "she": part}
    with pytest.warns(CoverageWarning):
        beside = judges(drawn.human, others, drawn.runs, "AP", second="she", samples=20)
    own = {topic: {one: drawn.judge[topic][one] for one in grades} for topic, grades in part.items()}
    tau = kendalltau(*means_on_common_pairs(part, own, drawn.runs)).statistic
    assert beside.of("model", "AP").order.overall[0].value == pytest.approx(tau - 1)


def test_topics_without_a_pair_of_all_three_do_not_count_beside_a_second_assessor() -> None:
    """Model and second assessor judged other documents of 6 topics: the others alone say how they compare."""
    drawn = two_assessors(4, topics=16)
    topics = [*drawn.human]
    hers = {topic: dict([*drawn.human[topic].items()][::2]) for topic in topics}
    model = dict(drawn.judge)
    for topic in topics[:6]:
        model[topic] = {one: grade for one, grade in model[topic].items() if one not in hers[topic]}
    with pytest.warns(CoverageWarning):
        beside = judges(drawn.human, {"model": model, "she": hers}, drawn.runs, "AP", second="she", samples=20)
    others = {"model": {one: model[one] for one in topics[6:]}, "she": {one: hers[one] for one in topics[6:]}}
    with pytest.warns(CoverageWarning):
        alone = judges(drawn.human, others, drawn.runs, "AP", second="she", samples=20)
    (own,), (of_rest,) = (found.of("model", "AP").order.overall for found in (beside, alone))
    assert (own.topics, own.value, own.low, own.high) == (10, of_rest.value, of_rest.low, of_rest.high)
    labels, of_rest_labels = (found.label_verdicts["model"].overall[0] for found in (beside, alone))
    assert (labels.topics, labels.value) == (10, of_rest_labels.value)
    every, both = (sum(len(grades[topic]) for topic in model) for grades in (model, hers))
    shared = sum(len(hers[topic]) for topic in topics[6:])
    assert (every, both, shared) == (390, 240, 150)
    said = beside.verdicts_of("model")
    uses = [one for one in said if one.startswith(("Order", "Labels"))]
    assert [" on the 150 of 390 pairs that she judged, too: " in one for one in uses] == [True] * 2
    assert not any("judged, too" in one for one in alone.verdicts_of("she"))


def test_the_table_of_labels_has_the_bounds_that_decide() -> None:
    drawn = two_assessors(4, topics=16)
    found = judges(drawn.human, {"model": drawn.judge}, samples=50)
    (decision,), alpha = found.label_verdicts["model"].overall, found.labels["model"].alpha
    assert alpha is not None
    assert alpha.bounds == (decision.low, decision.high)


def test_a_verdict_on_fewer_topics_says_on_how_many_pairs_it_rests() -> None:
    drawn = two_assessors(4, topics=16)
    hers = {topic: drawn.human[topic] for topic in [*drawn.human][:12]}
    found = judges(drawn.human, {"model": drawn.judge, "she": hers}, second="she", samples=20)
    assert "(model on the 360 of 480 pairs in topics that she judged, too: alpha" in found.verdict("model")


def test_few_missing_judgments_are_the_judges_own(drawn: TwoAssessors) -> None:
    judge = {topic: dict(grades) for topic, grades in drawn.judge.items()}
    for topic in ("t00", "t01"):
        judge[topic].pop("d0")
    found = judges(drawn.human, {"model": judge}, drawn.runs, "AP", samples=20)
    said = "model: lacks 2 of 240 documents that humans judged in 8 common topics (0.8%)"
    assert any(str(note).startswith(said) for note in found.notes)
    tau = found.of("model", "AP").orders.tau
    means = [evaluate(one, drawn.runs, "AP").mean()[:, 0] for one in (drawn.human, judge)]
    assert tau is not None
    assert tau.value == pytest.approx(kendalltau(*means).statistic)


def test_a_judge_that_never_gives_a_grade_has_no_tau_where_it_decides_all(drawn: TwoAssessors) -> None:
    meek = {topic: {one: min(2, grade) for one, grade in grades.items()} for topic, grades in drawn.judge.items()}
    found = judges(drawn.human, {"meek": meek}, drawn.runs, "AP(rel=3) AP", samples=20)
    assert found.of("meek", "AP(rel=3)").orders.tau is None
    assert found.of("meek", "AP(rel=3)").orders.skill is None
    assert found.of("meek", "AP").orders.tau is not None
    assert {
        "meek: never gives the grade 3",
        "meek: all runs have the same mean by AP(rel=3): there is no tau and no skill (-)",
    } < set(map(str, found.notes))
    shown = found.table(all=True).to_markdown().splitlines()
    row = next(line for line in shown if "meek" in line and "AP(rel=3)" in line)
    assert " - |" in row
    records = found.to_dict()
    at = list(zip(records["measure"], records["statistic"], strict=True)).index(("AP(rel=3)", "kendall"))
    assert records["value"][at] is None


def test_without_runs_the_labels_are_compared(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"model": drawn.judge}, samples=50)
    assert (found.runs, found.measures, found.consequences) == ([], [], {})
    assert set(found.to_dict()["statistic"]) == {
        "pairs", "pairs-human-only", "pairs-model-only", "kappa", "alpha", "bias", "bias-grade", "count",
        "verdict", "topics-needed"
    }  # fmt: skip
    assert found.answers[0].startswith("model: kappa 0.")
    assert " (quadratic weights) with " in found.answers[0]
    with pytest.raises(InputError, match="no judge 'model' was compared on runs; those that were: none, as fewer than"):
        found.of("model", "AP")


@pytest.mark.parametrize(("topics", "second"), [(12, None), (12, "other"), (3, None)])
def test_where_the_humans_gave_one_grade_alone_labels_are_not_decided(topics: int, second: str | None) -> None:
    gold = {f"t{topic}": {f"d{place}": 1 for place in range(4)} for topic in range(topics)}
    model = {topic: {**documents, "more": 0} for topic, documents in gold.items()}
    model["t0"]["d0"] = 0
    others = {"model": model, "other": gold} if second else {"model": model}
    found = judges(gold, others, second=second, samples=50)
    labels = found.labels["model"]
    assert labels.kappa is None
    assert labels.alpha is not None
    assert labels.alpha.value == 0.0
    same = f"{4 * topics - 1} of {4 * topics}"
    assert found.label_verdicts["model"].answer == "not decided"
    assert found.verdicts_of("model") == [
        f"Labels: not decided, as the humans gave all common pairs one grade; the judge gave it to {same}; "
        "grades by both of documents that are not relevant would decide (model)"
    ]
    gold["t0"]["more"] = 0  # a second grade alone makes alpha an answer, if only of enough topics
    found = judges(gold, others, second=second, samples=50)
    assert found.labels["model"].alpha is not None
    assert "one grade" not in found.verdict("model")


@pytest.mark.parametrize("runs", [1, 2, 12])
def test_where_the_humans_gave_one_grade_alone_no_use_of_the_grades_is_decided(runs: int) -> None:
    gold = {f"t{topic}": {f"d{place}": 1 for place in range(3)} for topic in range(12)}
    ranked = {
        f"run{run}": {
            topic: {f"d{(place + run * number) % 9}": 9.0 - place for place in range(9)}
            for number, topic in enumerate(gold)
        }
        for run in range(runs)
    }
    found = judges(gold, {"yes": {**gold}}, ranked, measures="AP", samples=50)
    uses = ("Order", "Differences", "Absolute scores", "Labels")
    lines = [line for line in found.verdicts_of("yes") if line.startswith(uses)]
    assert len(lines) == (2 if runs < 3 else 4)
    assert all("not decided, as the humans gave all common pairs one grade" in line for line in lines)
    assert "as good" not in str(found)
    gold["t0"]["d8"] = 0
    found = judges(gold, {"yes": {**gold}}, ranked, measures="AP", samples=50)
    assert any("the means agree" in line for line in found.verdicts_of("yes")), "documents of two grades decide"


@pytest.mark.parametrize("negative", ["nonrelevant", "unjudged"])
def test_documents_that_the_judge_alone_graded_move_no_mean_and_no_order_of_runs(negative: Any) -> None:
    rng = np.random.default_rng(3)
    gold = {f"t{topic}": {f"d{place}": int(rng.integers(3)) for place in range(6)} for topic in range(12)}
    shared = {topic: {name: int(rng.integers(3)) for name in documents} for topic, documents in gold.items()}
    model = {topic: {**documents, **{f"x{place}": 2 for place in range(8)}} for topic, documents in shared.items()}
    ids = [*(f"d{place}" for place in range(6)), *(f"x{place}" for place in range(8))]
    ranked = {f"r{run}": {t: {name: float(rng.random()) for name in ids} for t in gold} for run in range(6)}
    own = judges(gold, {"model": model}, ranked, "P@5", samples=50, draws=3, negative=negative)
    means = {}
    for run, topics in ranked.items():
        differences = []
        for topic, documents in topics.items():
            first = sorted(documents, key=lambda name: (-documents[name], name))[:5]
            hits = [sum(side[topic].get(name, 0) >= 1 for name in first) for side in (shared, gold)]
            differences.append((hits[0] - hits[1]) / 5)
        means[run] = sum(differences) / len(differences)
    shift = own.consequences["model"][0].shift
    assert shift is not None
    assert shift.level == pytest.approx(sum(means.values()) / len(means))
    alone = judges(gold, {"model": shared}, ranked, "P@5", samples=50, draws=3, negative=negative)
    tables = [one.to_dict() for one in (own, alone)]
    kept = [place for place, name in enumerate(tables[0]["statistic"]) if name != "pairs-model-only"]
    rows = [[str([column[place] for column in one.values()]) for place in kept] for one in tables]
    assert rows[0] == rows[1]
    assert "model: 96 documents that no human judged left out" in list(map(str, own.notes))


def test_documents_that_humans_left_unjudged_by_negative_grades_are_as_if_never_given() -> None:
    rng = np.random.default_rng(5)
    known = {f"t{topic}": {f"d{place}": int(rng.integers(3)) for place in range(30)} for topic in range(8)}
    negatives = {topic: {**documents, "n": -1} for topic, documents in known.items()}  # 1 of 31: nearly all are judged
    model = {topic: {name: int(rng.integers(3)) for name in documents} for topic, documents in negatives.items()}
    ranked = {f"r{run}": {t: {name: float(rng.random()) for name in model[t]} for t in known} for run in range(5)}
    given, never = (
        judges(human, {"model": model}, ranked, "AP", samples=50, draws=0, negative="unjudged").to_dict()
        for human in (negatives, known)
    )
    assert str(given) == str(never)
    assert given["value"][list(given["statistic"]).index("pairs-model-only")] == 8
    counted = judges(negatives, {"model": model}, ranked, "AP", samples=50, draws=0).to_dict()
    assert counted["value"][list(counted["statistic"]).index("pairs-model-only")] == 0


def test_every_statistic_in_the_records_is_explained_with_its_source(comparison: JudgeComparison) -> None:
    statistics = set(comparison.to_dict()["statistic"])
    assert {
        "kendall",
        "floor",
        "floor-constant",
        "skill",
        "shift",
        "kept",
        "reversed",
        "missed",
        "not-confirmed",
        "ceiling",
    } <= (statistics)
    for name in statistics:
        statistic = explain_statistic(name)
        assert statistic is not None, name
        assert statistic.source


@pytest.mark.parametrize(
    ("others", "groups", "message"),
    [
        ("judge.txt", None, "judges are {name: judgments}, not a str"),
        ({}, None, "no judge to compare: give {name: judgments}"),
        ({"model": {}}, None, "model: the judge judged no document"),
        (None, ["bm25"], "groups are {run: group}, as in {'bm25': 'lexical'}, not a list"),
    ],
)
def test_judges_and_groups_have_names(drawn: TwoAssessors, others: Any, groups: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        judges(drawn.human, {"model": drawn.judge} if others is None else others, drawn.runs, "AP", groups=groups)


def test_humans_without_judgments_are_refused(drawn: TwoAssessors) -> None:
    with pytest.raises(InputError, match="the humans judged no document"):
        judges({}, {"model": drawn.judge})


def test_many_judges_are_answered_by_the_one_with_most_skill(drawn: TwoAssessors) -> None:
    others = {f"judge{number}": two_assessors(4 + number).judge for number in range(5)}
    found = judges(drawn.human, others, drawn.runs, "AP", samples=20)
    skills = {judge: found.of(judge, "AP").orders.skill or 0 for judge in others}
    assert max(skills, key=skills.__getitem__) in found.answers[0]
    assert re.search(
        r"\(of 5 judges the one with the highest skill(, not told apart from \d of the others)?\)\.$", found.answers[0]
    )
    assert len(found.answers) == 1


def test_the_highest_of_many_kappas_is_said_to_be_apart_only_beyond_the_intervals() -> None:
    rng = np.random.default_rng(2)
    human = {f"t{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(30)} for t in range(25)}

    def noisy(share: float) -> dict[str, dict[str, int]]:
        return {
            topic: {name: int(rng.integers(0, 3)) if rng.random() < share else grade for name, grade in grades.items()}
            for topic, grades in human.items()
        }

    alike = judges(human, {f"judge{n}": noisy(0.3) for n in range(5)}, samples=100).answers[0]
    assert re.search(
        r"\(of 5 judges the one with the highest kappa, not told apart from [1-4] of the others\)\.$", alike
    )
    clear = {"sharp": noisy(0.02), **{f"dull{n}": noisy(0.6) for n in range(4)}}
    answer = judges(human, clear, samples=100).answers[0]
    assert answer.startswith("sharp: ")
    assert answer.endswith("(of 5 judges the one with the highest kappa).")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"others": {}}, "no judge to compare"),
        ({"statistic": "spearman"}, "statistic='spearman' is not 'kendall' or 'tau-ap'"),
        ({"groups": {"run7": "x"}}, r"groups: no run 'run7' \(did you mean run"),
        ({"groups": dict.fromkeys([f"run{number}" for number in range(6)], "all")}, "'all' holds all 6 runs"),
        ({"alpha": 2}, "alpha=2 is not between 0 and 1"),
        ({"samples": 1}, "samples=1 is not a whole number from 2"),
        ({"levels": (0, 1, 2)}, "grade 3 is not one of the levels 0,1,2"),
        ({"measures": "nGCD"}, "nGCD"),
        ({"test": "z"}, "test='z' is not"),
        ({"missing": "no"}, "missing='no'"),
        ({"seed": -1}, "seed=-1"),
        ({"depth": 0}, "depth=0"),
    ],
)
def test_what_cannot_be_compared_is_said(drawn: TwoAssessors, change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"measures": "AP"} | change
    others = arguments.pop("others", {"model": drawn.judge})
    with pytest.raises(InputError, match=message):
        judges(drawn.human, others, drawn.runs, **arguments)


def test_runs_of_other_topics_are_refused(drawn: TwoAssessors) -> None:
    elsewhere = {name: {f"x{topic}": scores for topic, scores in run.items()} for name, run in drawn.runs.items()}
    with pytest.raises(InputError, match="no run has a topic of qrels: 't00' there, 'xt00' here"):
        judges(drawn.human, {"model": drawn.judge}, elsewhere)


def test_of_one_topic_labels_have_no_interval(drawn: TwoAssessors) -> None:
    found = judges({"t00": drawn.human["t00"]}, {"model": drawn.judge}, samples=20)
    kappa = found.labels["model"].kappa
    assert kappa is not None
    assert kappa.bounds is None


def test_two_topics_are_too_few(drawn: TwoAssessors) -> None:
    few = {topic: drawn.judge[topic] for topic in ("t00", "t01")}
    with pytest.raises(InputError, match="model: only 2 topics judged by humans and judge"):
        judges(drawn.human, {"model": few}, drawn.runs, samples=10)


def test_of_two_runs_tables_show_no_figures_of_orders_and_differences_and_say_what_they_need() -> None:
    drawn = two_assessors(3, topics=10, runs=2)
    found = judges.silently(drawn.human, {"model": drawn.judge}, drawn.runs, "AP nDCG", draws=0, samples=20)
    grids = found.table(all=True).grids
    assert not {"skill", "slope", "unconfirmed", "tau with humans"} & {title for grid in grids for title in grid.head}
    [grid] = [grid for grid in grids if "give 3 runs or more for order, differences and skill" in grid.title]
    assert [row[0] for row in grid.texts()] == ["model", "model"]
    winner, uses = found.in_short
    assert winner == next(found.two_runs["model"].sentences(found.human, "model"))
    assert uses.startswith("model: ")
    assert "order" not in uses
    three = two_assessors(3, topics=10, runs=3)
    more = judges.silently(three.human, {"model": three.judge}, three.runs, "AP nDCG", draws=0, samples=20)
    assert {"skill", "slope"} <= {title for grid in more.table(all=True).grids for title in grid.head}
