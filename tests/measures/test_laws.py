"""The laws that every registered measure obeys, or is exempt from with a reason: a new measure is covered by
being registered. All laws run over the same few hundred rankings, as one batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from rankings import Item, Topic, together

from gradeval import (
    AP,
    AWP,
    GAP,
    NDCNG,
    RWP,
    G,
    InputError,
    JudgedRankings,
    MeannDCG,
    Measure,
    Q,
    RMeasure,
    binG,
    nDCG,
    nERR,
    parse_measure,
    xGAP,
)
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, REQUIRED

LEVELS = 4
TOLERANCE = 1e-9


def configured(measure: Measure) -> Measure:
    """The measure as it is, with a place behind @ where it needs one."""
    places = {"recall": 0.5}
    needed = {name: places.get(name, 4) for name, value in measure.parameters.items() if value is REQUIRED}
    return measure(**needed) if needed else measure


MEASURES = [configured(measure) for _, measure in sorted(REGISTRY.items())]
CUT = [measure @ 3 for measure in MEASURES if measure.parameters.get("cutoff", REQUIRED) is None]
GAINED = [measure(gains={0: 1, 2: 0.5}) for measure in [*MEASURES, *CUT] if "gains" in measure.parameters]

every_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)
every_configuration = pytest.mark.parametrize("measure", [*MEASURES, *CUT, *GAINED], ids=str)


def drawn(rng: np.random.Generator) -> Topic:
    """A pool and a ranking of some of its documents, others in between; some pools hold nothing relevant."""
    pool = rng.integers(0, 5, LEVELS) * (rng.random(LEVELS) < 0.8)
    documents: list[Item] = [grade for grade in range(LEVELS) for _ in range(pool[grade])]
    documents += [None] * int(rng.integers(0, 3)) + ["U"] * int(rng.integers(0, 3))
    order = rng.permutation(len(documents))[: rng.integers(0, len(documents) + 1)]
    return Topic(tuple(documents[place] for place in order), tuple(int(count) for count in pool))


def special() -> list[Topic]:
    """Cases at the edges: nothing retrieved, nothing relevant, nothing judged, everything ideal."""
    return [
        Topic((), (2, 1, 1, 0)),
        Topic((0, 0), (3, 0, 0, 0)),
        Topic((None, None), (1, 1, 0, 0)),
        Topic(("U", "U", 1), (0, 1, 0, 0)),
        Topic((3, 3, 2, 1), (0, 1, 1, 2)),
        Topic((3,), (0, 0, 0, 1)),
        Topic((1, 3, 2), (0, 1, 1, 1)),  # G gains by exchanging the last two
    ]


def exchanged(topic: Topic, rng: np.random.Generator) -> Topic:
    """The ranking with a document exchanged for a lower-graded one further down, if there is one."""
    grades = topic.grades
    pairs = [(i, j) for j in range(len(grades)) for i in range(j) if grades[i] > grades[j]]
    if not pairs:
        return topic
    i, j = pairs[rng.integers(len(pairs))]
    ranking = list(topic.ranking)
    ranking[i], ranking[j] = ranking[j], ranking[i]
    return Topic(tuple(ranking), topic.pool)


def batch(topics: Iterable[Topic]) -> JudgedRankings:
    return together([topic.judged for topic in topics])


def larger(topic: Topic) -> Topic:
    """The same ranking, two more documents judged non-relevant in the pool."""
    return Topic(topic.ranking, (topic.pool[0] + 2, *topic.pool[1:]))


def longer(topic: Topic) -> Topic:
    """Non-relevant documents behind the list: two judged ones, and between them one outside the pool."""
    return Topic((*topic.ranking, 0, None, 0), topic.pool)


def known(topic: Topic) -> Topic:
    """The ranking of the judged documents alone."""
    return Topic(tuple(item for item in topic.ranking if isinstance(item, int)), topic.pool)


TOPICS = special() + [drawn(np.random.default_rng(seed)) for seed in range(400)]
SWAPPED = [exchanged(topic, np.random.default_rng(i)) for i, topic in enumerate(3 * TOPICS)]
BATCH = batch(TOPICS)
SWAPPED_BATCH = batch(SWAPPED)
IDEAL = batch(topic.ideal() for topic in TOPICS)
LARGER = batch(larger(topic) for topic in TOPICS)
LONGER = batch(longer(larger(topic)) for topic in TOPICS)
KNOWN = batch(known(topic) for topic in TOPICS)


def scored(measure: Measure, judged: JudgedRankings) -> Array:
    """Values, computed as strictly as NumPy can: no infinity over infinity, nothing overflows."""
    with np.errstate(invalid="raise", over="raise", divide="raise"):
        values = measure(judged)
    assert np.isfinite(values).all()
    return values


# Each law tells, for every ranking of the batch, whether the measure breaks it.


def outside_0_and_1(measure: Measure) -> Array:
    values = scored(measure, BATCH)
    return (values < -TOLERANCE) | (values > 1 + TOLERANCE)


def better_than_the_ideal(measure: Measure) -> Array:
    return scored(measure, BATCH) > scored(measure, IDEAL) + TOLERANCE


def changed_by_non_relevant_documents_behind_the_list(measure: Measure) -> Array:
    return np.abs(scored(measure, LONGER) - scored(measure, LARGER)) > TOLERANCE


def changed_by_a_cutoff_beyond_the_list_and_the_recall_base(measure: Measure) -> Array:
    if measure.parameters.get("cutoff", REQUIRED) is not None:
        return np.zeros(len(TOPICS), bool)  # takes no cutoff, or never goes without
    beyond = max(max(len(topic.ranking), sum(topic.pool[1:])) for topic in TOPICS)
    return np.abs(scored(measure @ beyond, BATCH) - scored(measure, BATCH)) > TOLERANCE


def raised_by_moving_the_better_of_two_documents_down(measure: Measure) -> Array:
    before, after = np.tile(scored(measure, BATCH), 3), scored(measure, SWAPPED_BATCH)
    return (after > before + TOLERANCE).reshape(3, -1).any(0)


LAWS = {
    "bounded": outside_0_and_1,
    "ideal": better_than_the_ideal,
    "appended": changed_by_non_relevant_documents_behind_the_list,
    "cutoff": changed_by_a_cutoff_beyond_the_list_and_the_recall_base,
    "swap": raised_by_moving_the_better_of_two_documents_down,
}


@every_measure
@pytest.mark.parametrize("law", LAWS)
def test_a_measure_obeys_the_laws_or_is_exempt_for_a_reason(law: str, measure: Measure) -> None:
    broken = LAWS[law](measure)
    if law in measure.definition.exempt:
        assert broken.any(), "it obeys the law: let it"
        assert len(measure.definition.exempt[law]) > 10
    else:
        culprits = "; ".join(str(TOPICS[i]) for i in np.flatnonzero(broken)[:3])
        assert not broken.any(), f"{LAWS[law].__name__}: {culprits}"


@every_measure
def test_exemptions_name_laws(measure: Measure) -> None:
    assert measure.definition.exempt.keys() <= LAWS.keys()


@every_measure
def test_a_value_is_a_number_for_every_ranking(measure: Measure) -> None:
    values = scored(measure, BATCH)
    assert values.shape == (len(TOPICS),)
    assert values.dtype == np.float64


@every_configuration
def test_a_batch_scores_like_its_rows(measure: Measure) -> None:
    alone = [scored(measure, topic.judged)[0] for topic in TOPICS[:50]]
    assert scored(measure, BATCH)[:50].tolist() == pytest.approx(alone, rel=1e-12, abs=1e-12)


@every_measure
def test_a_ranking_without_leading_axes_has_one_value(measure: Measure) -> None:
    names = ("grades", "ranks", "judged", "document", "pool", "retrieved")
    bare = JudgedRankings(**{name: getattr(BATCH, name)[-1] for name in names}, levels=BATCH.levels)
    assert np.shape(measure(bare)) == ()
    assert measure(bare) == pytest.approx(measure(BATCH)[-1])


@every_measure
def test_leading_axes_are_free(measure: Measure) -> None:
    rows = 4 * (len(TOPICS) // 4)
    shaped = JudgedRankings(
        **{
            name: getattr(BATCH, name)[:rows].reshape(2, rows // 4, 2, *getattr(BATCH, name).shape[1:])
            for name in ("grades", "ranks", "judged", "document", "pool", "retrieved")
        },
        levels=BATCH.levels,
    )
    values = scored(measure, shaped)
    assert values.shape == (2, rows // 4, 2)
    assert values.ravel().tolist() == scored(measure, BATCH)[:rows].tolist()


@every_configuration
def test_pools_broadcast_against_rankings(measure: Measure) -> None:
    # Several pools for the same runs: values[sample, run, topic].
    topic = TOPICS[-1]
    runs = together([topic.judged, topic.ideal().judged])
    larger = topic.judged.pool + np.array([[[3, 1, 0, 1]], [[0, 0, 0, 0]]])
    per_sample = replace(
        runs,
        pool=larger[:, :, None],
        **{name: getattr(runs, name)[:, None] for name in ("grades", "ranks", "judged", "document", "retrieved")},
    )
    values = np.broadcast_to(scored(measure, per_sample), (2, 2, 1))
    for sample in range(2):
        single = replace(runs, pool=np.repeat(larger[sample], 2, axis=0))
        assert values[sample, :, 0].tolist() == pytest.approx(scored(measure, single).tolist())


@every_measure
def test_rankings_of_one_pool_need_no_axis_in_it(measure: Measure) -> None:
    rankings = JudgedRankings.full(np.array([[1.0, 0.0, 3.0], [3.0, 1.0, 0.0]]), np.array([[2, 1, 1, 1]]), (0, 1, 2, 3))
    assert measure(replace(rankings, pool=rankings.pool[0])).tolist() == measure(rankings).tolist()


@every_measure
def test_padding_adds_nothing(measure: Measure) -> None:
    wider = replace(
        BATCH,
        grades=np.pad(BATCH.grades, ((0, 0), (0, 7))),
        ranks=np.pad(BATCH.ranks, ((0, 0), (0, 7)), constant_values=np.inf),
        judged=np.pad(BATCH.judged, ((0, 0), (0, 7))),
        document=np.pad(BATCH.document, ((0, 0), (0, 7)), constant_values=-1),
    )
    assert scored(measure, wider).tolist() == pytest.approx(scored(measure, BATCH).tolist(), rel=1e-12, abs=1e-12)


@every_measure
def test_the_name_reads_back(measure: Measure) -> None:
    assert parse_measure(str(measure)) == measure


@every_measure
def test_judged_only_scores_the_ranking_of_the_judged_documents(measure: Measure) -> None:
    values = scored(measure(judged_only=True), BATCH)
    assert values.tolist() == pytest.approx(scored(measure, KNOWN).tolist(), rel=1e-12, abs=1e-12)


@every_measure
def test_a_topic_that_holds_nothing_scores_0(measure: Measure) -> None:
    base = measure.base(BATCH)
    if base is None:
        return  # no topic is ever empty for it
    assert np.broadcast_shapes(base.shape, BATCH.retrieved.shape) == BATCH.retrieved.shape
    empty = base == 0
    assert empty.any()
    assert not empty.all()
    assert not scored(measure, BATCH)[empty].any()


@every_measure
def test_unpooled_documents_are_but_gaps(measure: Measure) -> None:
    # The index of a document in its pool matters to nobody.
    shuffled = replace(BATCH, document=np.where(BATCH.pooled, 7 * BATCH.document + 3, -1))
    assert scored(measure, shuffled).tolist() == scored(measure, BATCH).tolist()


@every_measure
def test_what_is_said_of_a_measure_is_what_newcomers_need(measure: Measure) -> None:
    text = measure.definition.formula.__doc__ or ""
    assert text.splitlines()[0].endswith("."), "one line says what it means"
    for part in ("Conventions:", "Source:"):
        assert part in text, f"no line {part}"


IDEAL_1 = [GAP, Q, AP, nDCG, xGAP, AWP, RWP, RMeasure, NDCNG, G, nERR, GAP(norm="min") @ 2, nDCG @ 10, nERR @ 10]


@pytest.mark.parametrize("measure", [*IDEAL_1, nDCG(dcg="exp-log2"), nDCG(base=10), MeannDCG @ 20])
def test_an_ideal_list_scores_exactly_one(measure: Measure) -> None:
    for counts in [*product(range(5), repeat=3), (250, 250, 250), (1000, 1000, 1000)]:
        if counts[2]:  # so that every user finds something
            ideal = [3] * counts[2] + [2] * counts[1] + [1] * counts[0]
            assert float(measure(JudgedRankings.of(ideal, pool=[0, *counts]))[0]) == 1.0
    assert binG(JudgedRankings.of([1] * 50)) == 1.0


@every_measure
def test_a_run_that_finds_nothing_of_what_there_is_scores_0(measure: Measure) -> None:
    assert TOPICS[0] == Topic((), (2, 1, 1, 0))
    if measure.base(BATCH) is not None and measure.name != "AUC":  # of which a random order has 1/2
        assert scored(measure, BATCH)[0] == 0


@pytest.mark.parametrize("measure", [one for one in [*MEASURES, *CUT] if "gains" in one.parameters], ids=str)
def test_gains_for_unknown_grades_are_an_error_that_names_the_levels(measure: Measure) -> None:
    with pytest.raises(InputError, match=r"gains=\{1:1,9:10\} names grade 9.* levels 0,1,2,3:"):
        measure(gains={1: 1, 9: 10})(BATCH)


@pytest.mark.parametrize("measure", [one for one in REGISTRY.values() if REQUIRED in one.parameters.values()], ids=str)
def test_a_measure_that_needs_a_place_says_how_it_is_written(measure: Measure) -> None:
    with pytest.raises(InputError, match=rf"{measure.name} needs a (cutoff|recall): write {measure.name}@"):
        measure(BATCH)
