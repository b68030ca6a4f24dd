"""Verdicts on runs that are judged far less than others, against a loop over the documents."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest

from gradeval import compare, evaluate, gate, ranks, report
from gradeval.formula.arithmetic import rounded
from gradeval.studies.unequal_judging import is_mostly_unjudged
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight

Ranked = dict[str, dict[str, float]]
SEEDS = [f"ours-{seed}" for seed in range(5)]
TOPICS = [str(topic) for topic in range(30)]


class Collection(NamedTuple):
    """Judgments of the pool, and runs, of which some are not in the pool."""

    qrels: dict[str, dict[str, int]]
    runs: dict[str, Ranked]


def make(new: Literal["better", "worse", "pooled", "relevant"]) -> Collection:
    """Three old runs make the pool; five new ones find relevant documents that the old ones do not.

    ``worse``: the new runs find nothing instead; ``pooled``: they are in the pool, too; ``relevant``: only relevant
    documents are judged.
    """
    draw = random.Random(1)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, Ranked] = {name: {} for name in ("old", "older", "mono", *SEEDS)}
    for topic in TOPICS:
        good = {f"g{place}": 1 + place % 3 for place in range(16)}
        bad = {f"b{place}": 0 for place in range(40)}
        for run, hits in {"old": 2, "older": 3, "mono": 7}.items():
            found = draw.sample([*good][:8], hits) + draw.sample([*bad][:12], 10 - hits)
            runs[run][topic] = ranking(draw.sample(found, 10))
        for run in SEEDS:
            known, unknown = (4, 5) if new != "worse" else (0, 0)
            found = draw.sample([*good][:8], known) + draw.sample([*good][8:], unknown)
            found += draw.sample([*bad][12:], 9 - known - unknown) + draw.sample([*bad][:12], 1)
            runs[run][topic] = ranking(draw.sample(found, 10))
        pooled = {name for name in runs if new == "pooled" or name not in SEEDS}
        grades = good | bad
        qrels[topic] = {one: grades[one] for name in sorted(pooled) for one in runs[name][topic]}
        if new == "relevant":
            qrels[topic] = {one: grade for one, grade in qrels[topic].items() if grade}
    return Collection(qrels, runs)


def ranking(documents: list[str]) -> dict[str, float]:
    return {document: -float(place) for place, document in enumerate(documents)}


def literal_losses(data: Collection, winner: str) -> dict[str, float]:
    """The runs whose loss to the winner by P@5 is mostly gone if unjudged documents are relevant as often as the ten
    judged ones nearest to them, and what is left."""

    def hits(run: str, topic: str, as_often: bool) -> float:
        grades = data.qrels[topic]
        documents = sorted(data.runs[run][topic], key=lambda one: -data.runs[run][topic][one])
        judged = [grades[one] > 0 for one in documents if one in grades]  # ten at most
        drawn = [judged[int((part + 0.5) / 10 * len(judged))] for part in range(10)] if judged else []
        share = sum(drawn) / 10 if as_often else 0.0
        return sum(float(grades[one] > 0) if one in grades else share for one in documents[:5])

    def unjudged(run: str) -> float:
        return sum(one not in data.qrels[topic] for topic in TOPICS for one in data.runs[run][topic]) / 10 / len(TOPICS)

    found = {}
    for run in data.runs:
        loss, alone = (
            sum(hits(run, topic, only) - hits(winner, topic, only) for topic in TOPICS) / 5 / len(TOPICS)
            for only in (False, True)
        )
        if loss < 0 and alone > loss / 2 and unjudged(run) - unjudged(winner) >= 0.05:
            found[run] = alone
    return found


def doubts(notes: list[Note]) -> list[Note]:
    return [note for note in notes if note.text.startswith("judge before you decide")]


def say(losses: dict[str, float], of: str) -> str:
    """The note on these losses."""
    named = sorted(losses.items(), key=lambda pair: -pair[1])
    return (
        f"judge before you decide: by P@5 unjudged documents may make most of the loss to {of}; "
        "if they are relevant as often as judged ones, which favours runs outside the pool: "
        f"{', '.join(f'{run} {gap:+.4f}' for run, gap in named)}; 'gradeval unjudged' lists what to judge"
    )


@pytest.mark.parametrize("baseline", ["mono", "best"])
def test_runs_marked_worse_for_unjudged_documents_are_to_be_judged_first(baseline: str) -> None:
    data = make("better")
    expected = literal_losses(data, "mono")
    assert [*expected] == SEEDS
    assert all(gap > 0 for gap in expected.values())
    with pytest.warns(CoverageWarning, match="judge before you decide"):
        compared = compare(data.qrels, data.runs, "P@5", baseline=baseline)
    (note,) = doubts(compared.notes)
    assert (str(note), note.weight) == (say(expected, "mono"), NoteWeight.OMISSION)
    lost = {run: verdicts for run, verdicts in compared.verdicts_by_run(baseline).items() if run in SEEDS}
    assert all(verdict == ["worse"] for verdict in lost.values())


def test_a_baseline_that_is_judged_less_than_what_beats_it_is_named() -> None:
    data = make("better")
    losses = literal_losses(data, "mono")
    compared = compare(data.qrels, data.runs, "P@5", baseline=SEEDS[0])
    assert [str(note) for note in doubts(compared.notes)] == [say({SEEDS[0]: losses[SEEDS[0]]}, "mono")]


def test_of_all_pairs_each_names_both_runs() -> None:
    data = make("better")
    compared = compare(data.qrels, data.runs, "P@5", correction="none")
    losses = {(run, other): gap for other in data.runs for run, gap in literal_losses(data, other).items()}
    significant = {
        (compared.runs[one], compared.runs[two]) if gap < 0 else (compared.runs[two], compared.runs[one])
        for (one, two), gap, sure in zip(compared.pairs, compared.difference[0], compared.significant[0], strict=True)
        if sure
    }
    named = sorted((pair for pair in losses if pair in significant), key=lambda pair: -losses[pair])
    assert len({other for _, other in named}) >= 1
    (note,) = doubts(compared.notes)
    for run, other in named[:6]:
        assert f"{run} {losses[run, other]:+.4f}" in note.text


def test_the_best_of_all_runs_is_the_best_if_unjudged_documents_are_not_relevant() -> None:
    data = make("better")
    found = ranks(data.qrels, data.runs, "P@5 P(judged_only=True)@5")
    assert found.answer("P@5") == (
        "P@5: mono is the best of 8 runs at alpha 0.05, if unjudged documents of 5 runs are not relevant"
    )
    assert "unjudged" not in found.answer("P(judged_only=True)@5")
    assert [str(note) for note in doubts(found.notes)] == [say(literal_losses(data, "mono"), "mono")]


def test_few_runs_are_named_in_the_verdict() -> None:
    data = make("better")
    runs = {name: data.runs[name] for name in ("old", "mono", *SEEDS[:2])}
    losses = literal_losses(data, "mono")
    first, second = sorted(SEEDS[:2], key=lambda run: -losses[run])
    said = ranks(data.qrels, runs, "P@5").answer("P@5")
    assert said.endswith(f" at alpha 0.05, if unjudged documents of {first} and {second} are not relevant")


def test_the_page_says_it_in_the_verdict_the_tiles_and_first_among_its_warnings() -> None:
    data = make("better")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        made = report(data.qrels, data.runs, "P@5", studies="none", baseline="mono")
    doubt = "if unjudged documents of 5 runs are not relevant"
    section = made.sections[0]
    tiles = dict(section.tiles)
    assert section.answer.startswith("mono is the best of 8 runs by ")
    assert section.answer.endswith(f", {doubt}.")
    assert tiles["How sure?"] == f"95% sure: the best by P@5, {doubt}"
    shares = {run: evaluate(data.qrels, data.runs, "Judged@10").sel(runs=run).mean()[0, 0] for run in SEEDS}
    least = min(shares, key=lambda run: shares[run])
    assert tiles["judged@10"] == f"100.0% of mono, {shares[least]:.1%} of {least}"
    assert dict(section.facts)["How sure"].endswith(doubt)
    assert section.warnings[0] == f"{say(literal_losses(data, 'mono'), 'mono')}."
    assert doubt in made.write("r.md").decode()
    assert sum("judge before" in str(one.message) for one in warned) == 1


@pytest.mark.parametrize("new", ["worse", "pooled", "relevant"])
@pytest.mark.parametrize("ask", [compare, ranks])
def test_nothing_is_said_where_judging_would_change_nothing_or_cannot_be_told(
    new: Literal["worse", "pooled", "relevant"], ask: Callable[..., Any]
) -> None:
    """New runs that are worse over judged documents, too; that are judged as the old ones; whose judged documents are
    all relevant."""
    data = make(new)
    if new != "relevant":
        assert not any(literal_losses(data, other) for other in data.runs if other not in SEEDS)
    found = ask(data.qrels, data.runs, "P@5")
    assert not doubts(found.notes)
    assert not any("not relevant" in str(note) for note in found.notes if note.weight == NoteWeight.ANSWER)


def test_slices_and_chosen_topics_count_their_own_topics() -> None:
    data = make("better")
    some = Collection({topic: data.qrels[topic] for topic in TOPICS[:20]}, data.runs)
    chosen = ranks(data.qrels, data.runs, "P@5", topics=TOPICS[:20])
    alone = ranks(some.qrels, {name: {t: run[t] for t in TOPICS[:20]} for name, run in data.runs.items()}, "P@5")
    assert [str(note) for note in doubts(chosen.notes)] == [str(note) for note in doubts(alone.notes)] != []


def test_a_run_that_may_be_the_best_and_is_behind_anyway_is_no_doubt() -> None:
    """Without its unjudged documents it is still behind, so that the leader leads either way."""
    topics = [str(topic) for topic in range(12)]
    qrels = {topic: {"a": 1, "b": 0, "c": 0} for topic in topics}
    first = {topic: ranking(["a", "b", "c"]) for topic in topics}
    near = {
        topic: ranking(["u", "a", "b"] if topic < "1" else ["b", "a"] if topic == "11" else ["a", "u", "b"])
        for topic in topics
    }
    far = {topic: ranking(["b", "c", "a"]) for topic in topics}
    found = ranks(qrels, {"first": first, "near": near, "far": far}, "RR")
    assert found.best("RR") == ["first", "near"]
    assert not doubts(found.notes)
    assert found.answer("RR") == "RR: first leads, and 2 of 3 runs may be the best at alpha 0.05"


def test_scores_alone_say_that_judgments_would_tell() -> None:
    data = make("better")
    scores = evaluate(data.qrels, data.runs, "P@5")
    said = [str(note) for note in compare(scores).notes if "give compare judgments and runs" in str(note)]
    assert len(said) == 1
    assert said[0].endswith("; give compare judgments and runs to see which losses they make")
    pooled = make("pooled")
    assert not any("give" in str(note) for note in ranks(evaluate(pooled.qrels, pooled.runs, "P@5")).notes)


@pytest.mark.parametrize("ask", [compare, ranks])
def test_runs_that_are_judged_unequally_may_be_equal(ask: Callable[..., Any]) -> None:
    qrels = {topic: {"a": 1, "b": 0} for topic in TOPICS}
    runs = {
        name: {topic: ranking(["a", *more]) for topic in TOPICS}
        for name, more in {"1": "b", "2": "c", "3": "bc"}.items()
    }
    assert not doubts(ask(qrels, runs, "RR").notes)


def test_half_of_a_loss_is_not_most() -> None:
    loss, alone = np.array([-0.2, -0.2, 0.2]), np.array([-0.1, -0.09, 0.3])
    assert is_mostly_unjudged(loss, alone).tolist() == [False, True, False]


@pytest.mark.parametrize("topics", [3, 7, 49])
def test_rounding_decides_nothing_at_half_of_a_loss(topics: int) -> None:
    """Sums of tenths and thirds, whose halves are exact only as fractions."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        parts = [Fraction(int(one), 30 * topics) for one in rng.integers(1, 30, topics)]
        loss, half = -sum(float(one) for one in parts), -sum(float(one / 2) for one in rng.permutation(parts))
        more = half + float(Fraction(1, 10**6))
        found = [bool(is_mostly_unjudged(rounded(np.array([loss]))[0], alone)) for alone in (half, more)]
        assert found == [False, True]


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("order", [("mono", SEEDS[0]), (SEEDS[0], "mono")])
@pytest.mark.parametrize("baseline", [None, "mono", SEEDS[0]])
def test_two_runs_have_one_verdict_in_compare_and_on_the_page(order: tuple[str, str], baseline: str | None) -> None:
    """The candidate less the baseline, which is the first run where none is named; and the same doubt in both."""
    data = make("better")
    runs = {name: data.runs[name] for name in order}
    left = baseline or order[0]
    compared = compare(data.qrels, runs, "P@5", baseline=baseline)
    made = report(data.qrels, runs, "P@5", studies="none", baseline=baseline)
    decision = compared.decision
    assert decision.baseline == left
    assert f"{decision.sentence}." == made.sections[0].answer
    choice = f"Keep {left}" if left == "mono" else "Ship mono"
    assert decision.sentence.startswith(f"{choice}: P@5 ")
    doubt = f", if unjudged documents of {SEEDS[0]} are not relevant"
    assert decision.sentence.endswith(doubt)
    assert dict(made.sections[0].tiles)["How sure?"].endswith(doubt)

    alone = literal_losses(data, "mono")[SEEDS[0]]
    expected = say({SEEDS[0]: alone}, "mono")
    for notes in (compared.notes, made.notes, ranks(data.qrels, runs, "P@5").notes):
        assert [str(note) for note in doubts(notes)] == [expected]
        assert not any("judge these documents" in note.text for note in notes)
    [[loss]] = decision.unjudged_losses
    assert loss[:2] == (SEEDS[0], "mono")
    assert loss.as_often == pytest.approx(alone)


@pytest.mark.parametrize("new", ["worse", "pooled"])
@pytest.mark.parametrize("ask", [compare, ranks])
def test_two_runs_of_which_one_is_worse_anyway_are_decided(
    new: Literal["worse", "pooled"], ask: Callable[..., Any]
) -> None:
    data = make(new)
    found = ask(data.qrels, {name: data.runs[name] for name in ("mono", SEEDS[0])}, "P@5")
    assert not doubts(found.notes)
    assert not any("judge these documents" in note.text or "not relevant" in note.text for note in found.notes)


def test_a_run_that_wins_though_it_is_judged_less_is_not_to_be_judged_first() -> None:
    topics = [str(topic) for topic in range(12)]
    qrels = {topic: {"a": 1, "b": 0, "c": 0} for topic in topics}
    runs = {
        "old": {topic: ranking(["b", "c", "a"] if topic != "3" else ["b", "a"]) for topic in topics},
        "new": {topic: ranking(["a", "u"]) for topic in topics},
    }
    decision = compare(qrels, runs, "RR").decision
    assert decision.choice == "ship"
    assert decision.doubt == ""
    assert not doubts(compare(qrels, runs, "RR").notes)


WITHOUT_CUTOFF = "AP GAP nDCG Q Bpref infAP gmAP Rprec SetR NumRelRet AP@1000 RBP ERR RR nERR".split()


def half_respelt() -> tuple[Collection, Ranked]:
    """Two pooled runs of 40 documents, and the better one again with every other id spelled otherwise."""
    draw = random.Random(7)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, Ranked] = {"first": {}, "second": {}, "half": {}}
    for topic in TOPICS:
        qrels[topic] = {f"g{place}": 1 + place % 2 for place in range(30)} | {f"b{place}": 0 for place in range(60)}
        for run, hits in {"first": 20, "second": 17}.items():
            found = draw.sample([f"g{place}" for place in range(30)], hits)
            found += draw.sample([f"b{place}" for place in range(60)], 40 - hits)
            runs[run][topic] = ranking(sorted(found, key=lambda one: draw.gauss(one.startswith("b"), 1)))
        ranked = [*runs["second"][topic]]
        runs["half"][topic] = ranking([f"{one}.html" if draw.random() < 0.5 else one for one in ranked])
    whole = runs.pop("second")
    return Collection(qrels, runs), whole


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("measure", WITHOUT_CUTOFF)
def test_a_run_of_which_half_is_unjudged_is_doubted_by_every_measure_without_a_cutoff(measure: str) -> None:
    data, _ = half_respelt()
    assert compare(data.qrels, data.runs, measure).decision.sentence.endswith(
        ", if unjudged documents of half are not relevant"
    )
    assert (
        ranks(data.qrels, data.runs, measure)
        .answer(measure)
        .endswith("first is the best of 2 runs at alpha 0.05, if unjudged documents of half are not relevant")
    )


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_what_a_run_would_have_is_near_what_it_has_with_all_ids_right() -> None:
    """By AP, whose value over judged documents alone lacks every second relevant document, and which counts all."""
    data, whole = half_respelt()

    def average_precision(run: Ranked, topic: str, judged_only: bool) -> float:
        grades, hits, total, rank = data.qrels[topic], 0, 0.0, 0
        for document in sorted(run[topic], key=lambda one: -run[topic][one]):
            if judged_only and document not in grades:
                continue
            rank += 1
            if grades.get(document, 0) > 0:
                hits += 1
                total += hits / rank
        return total / 30

    def mean(run: Ranked, judged_only: bool = False) -> float:
        return sum(average_precision(run, topic, judged_only) for topic in TOPICS) / len(TOPICS)

    decision = compare(data.qrels, data.runs, "AP").decision
    [[loss]] = decision.unjudged_losses
    plain = mean(data.runs["half"], True) - mean(data.runs["first"])
    truth = mean(whole) - mean(data.runs["first"])
    assert abs(loss.as_often - truth) < 0.25 * abs(plain - truth)
    (note,) = doubts(compare(data.qrels, data.runs, "AP").notes)
    assert (
        f"if they are relevant as often as judged ones, which favours runs outside the pool: half {loss.as_often:+.4f}"
        in (str(note))
    )


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("measure", WITHOUT_CUTOFF)
def test_a_run_that_finds_little_among_judged_documents_is_worse_by_every_measure(measure: str) -> None:
    data, _ = half_respelt()
    bad = {
        topic: ranking([one if one in data.qrels[topic] and one[0] == "b" else f"{one}.html" for one in run])
        for topic, run in data.runs["half"].items()
    }
    assert (
        "not relevant" not in compare(data.qrels, {"first": data.runs["first"], "bad": bad}, measure).decision.sentence
    )


SHORT = "P@10 RR R@10 nDCG@10 GAP RBP ERR AP nDCG".split()


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("measure", SHORT)
def test_lists_that_end_where_a_measure_ends_are_doubted_too(measure: str) -> None:
    """Nothing can move up from below the tenth rank of a list of ten; the old run finds less among what is judged."""
    draw = random.Random(3)
    qrels = {topic: {f"d{one}": one % 4 for one in range(20)} for topic in TOPICS}
    lists: dict[str, Ranked] = {"old": {}, "new": {}}
    for topic, grades in qrels.items():
        lists["old"][topic] = ranking(sorted(grades, key=lambda one: -grades[one] + draw.gauss(0, 1.5))[:10])
        best = sorted(grades, key=lambda one: -grades[one] + draw.gauss(0, 1))[:6]
        lists["new"][topic] = ranking(draw.sample([*best, *(f"{topic}u{one}" for one in "abcd")], 10))
    decision = compare(qrels, lists, measure).decision
    assert decision.sentence.startswith("Keep old")
    assert decision.sentence.endswith(", if unjudged documents of new are not relevant")
    gated = gate(qrels, lists["old"], lists["new"], measure)
    assert gated.reason.endswith(", if unjudged documents of AFTER are not relevant")
    [[loss]] = decision.unjudged_losses
    assert gated.as_often[measure] == pytest.approx(loss.as_often)


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_no_number_is_said_of_rankings_too_long_to_draw_grades_for() -> None:
    """Their values are the most that unjudged documents may make; by a cutoff the same runs have a number."""
    data, _ = half_respelt()
    longer = {
        name: {topic: {**run[topic], **{f"z{place}": -50.0 - place for place in range(90)}} for topic in TOPICS}
        for name, run in data.runs.items()
    }
    comparison = compare(data.qrels, longer, "AP RBP@10")
    [[deep], [shallow]] = comparison.unjudged_losses
    [said] = [str(note) for note in comparison.notes if "judge before" in str(note)]
    assert "by AP unjudged documents may make most of the loss of half to first; likewise by RBP@10;" in said
    assert (deep.run, deep.other, deep.as_often) == ("half", "first", None)
    assert shallow.as_often is not None
