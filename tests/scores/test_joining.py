"""Scores of parts, computed apart, as one table."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval import CollectionWarning, InputError, Qrels, Scores, evaluate, judge, read_qrels, read_scores, robustness

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = sorted((EXAMPLES / "runs").glob("*.txt"))
MEASURES = "AP GAP nDCG@5 gmAP NumRelRet"


@pytest.fixture
def qrels() -> Qrels:
    return read_qrels(EXAMPLES / "qrels.txt")


def same(one: Scores, other: Scores) -> bool:
    """Whether two scores are the same to the last bit, coverage included."""
    assert one.coverage is not None
    assert other.coverage is not None
    names = [each.name for each in fields(one.coverage)]
    arrays = ((getattr(one.coverage, name), getattr(other.coverage, name)) for name in names)
    return (
        one.values.tobytes() == other.values.tobytes()
        and one.present.tolist() == other.present.tolist()
        and one.vacant.tolist() == other.vacant.tolist()
        and (one.runs, one.topics, one.measures) == (other.runs, other.topics, other.measures)
        and one.mean().tobytes() == other.mean().tobytes()
        and all(np.array_equal(np.asarray(a, object), np.asarray(b, object)) for a, b in arrays)
    )


def test_groups_of_runs_make_the_scores_of_all_runs(qrels: Qrels) -> None:
    parts = [evaluate(qrels, RUNS[:1], MEASURES), evaluate(qrels, RUNS[1:], MEASURES)]
    assert same(Scores.concat(parts), evaluate(qrels, RUNS, MEASURES))


def test_groups_of_topics_make_the_scores_of_all_topics(qrels: Qrels) -> None:
    few, rest = qrels.topics[:2], qrels.topics[2:]
    parts = [evaluate(qrels, RUNS, MEASURES, topics=few), evaluate(qrels, RUNS, MEASURES, topics=rest)]
    assert same(Scores.concat(parts, axis="topic"), evaluate(qrels, RUNS, MEASURES))


@pytest.mark.parametrize("through", ["as they are", "pickled", "saved"])
def test_topics_with_judgments_of_their_own_make_the_scores_of_all(qrels: Qrels, through: str, tmp_path: Path) -> None:
    measures = "AP GAP nDCG@5 ERR RBP eGAP"
    few = qrels.topics[:2]
    own = [qrels.select(few), qrels.select([topic for topic in qrels.topics if topic not in few])]
    parts = [evaluate(Qrels.from_dict(one.to_dict()).with_levels(qrels.levels), RUNS, measures) for one in own]
    if through == "pickled":
        parts = pickle.loads(pickle.dumps(parts))
    if through == "saved":
        for number, part in enumerate(parts):
            part.save(tmp_path / f"{number}.parquet")
        parts = [read_scores(tmp_path / f"{number}.parquet") for number in range(2)]
    merged, whole = Scores.concat(parts, axis="topic"), evaluate(qrels, RUNS, measures)
    assert merged.mean().tobytes() == whole.mean().tobytes()
    assert merged.levels == qrels.levels
    again = Scores.concat(parts[::-1], axis="topic")
    assert merged.collection is not None
    assert again.collection is not None
    assert merged.collection.digest == again.collection.digest
    halves = [merged.sel(runs=merged.runs[:1]), again.sel(runs=merged.runs[1:])]
    assert Scores.concat(halves).mean().tobytes() == whole.mean().tobytes()


def test_topics_by_other_levels_or_read_otherwise_are_refused(qrels: Qrels) -> None:
    few, rest = qrels.topics[:2], qrels.topics[2:]
    part = evaluate(Qrels.from_dict(qrels.select(few).to_dict()).with_levels(qrels.levels), RUNS, "AP")
    other = Qrels.from_dict(qrels.select(rest).to_dict())
    assert refusal([part, evaluate(other.with_levels((*qrels.levels, 7)), RUNS, "AP")], "topic") == (
        "part 2 was scored by the levels 0,1,2,3,7, part 1 by 0,1,2,3; score all parts by the same, as with "
        "qrels.with_levels((0, 1, 2, 3, 7))"
    )
    for how in ({"ties": "order"}, {"depth": 3}, {"negative": "unjudged"}):
        options: dict[str, Any] = how
        scored = evaluate(other.with_levels(qrels.levels), RUNS, "AP", **options)
        assert "or with other ties, negative or depth" in refusal([part, scored], "topic")


def test_groups_of_topics_without_their_axis_are_told_of_it(qrels: Qrels) -> None:
    parts = [evaluate(qrels, RUNS, "AP", topics=some) for some in (qrels.topics[:2], qrels.topics[2:])]
    assert refusal(parts).endswith("; groups of topics take axis='topic'")


def test_a_part_may_have_its_topics_and_measures_in_another_order(qrels: Qrels) -> None:
    second = evaluate(qrels, RUNS[1:], "GAP AP").sel(topics=qrels.topics[::-1])
    assert same(Scores.concat([evaluate(qrels, RUNS[:1], "AP GAP"), second]), evaluate(qrels, RUNS, "AP GAP"))


def test_judgments_in_another_order_are_the_same_judgments(qrels: Qrels) -> None:
    shuffled = Qrels.from_dict({topic: dict(reversed(qrels.of(topic).items())) for topic in qrels.topics})
    assert len(Scores.concat([evaluate(qrels, RUNS[:1]), evaluate(shuffled, RUNS[1:])]).runs) == len(RUNS)


@pytest.mark.parametrize(
    "change",
    [
        lambda qrels: qrels.with_levels((0, 1, 2, 3, 7)),
        lambda qrels: qrels.shifted(1),
        lambda qrels: Qrels.from_dict({topic: {**qrels.of(topic), "another": 0} for topic in qrels.topics}),
    ],
    ids=["levels", "grades", "a document"],
)
def test_other_judgments_are_refused(qrels: Qrels, change: Callable[[Qrels], Qrels]) -> None:
    parts = [evaluate(qrels, RUNS[:1], "AP"), evaluate(change(qrels), RUNS[1:], "AP")]
    with pytest.raises(InputError, match=r"^part 2 was scored by other judgments than part 1"):
        Scores.concat([pickle.loads(pickle.dumps(part)) for part in parts])


@pytest.mark.parametrize("other", [{"ties": "order"}, {"depth": 3}, {"negative": "unjudged"}])
def test_runs_that_were_read_otherwise_are_refused(qrels: Qrels, other: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^part 2 was scored by other judgments than part 1, or with other ties"):
        Scores.concat([evaluate(qrels, RUNS[:1], "AP"), evaluate(qrels, RUNS[1:], "AP", **other)])


refusal = partial(said_of, Scores.concat)


def test_what_does_not_fit_is_refused_by_name(qrels: Qrels) -> None:
    scores = evaluate(qrels, RUNS, "AP GAP")
    topic, name = scores.topics[0], scores.runs[0]
    first, rest = scores.sel(runs=scores.runs[:1]), scores.sel(runs=scores.runs[1:])
    assert refusal([]).startswith("no scores to concatenate")
    for nothing in (first, [first, 3]):
        assert refusal(nothing) == "Scores.concat takes a list of Scores; futures of Dask are gathered first"
    assert refusal([first, rest], "measure").startswith("axis='measure' is not")
    assert refusal([scores, first]) == f"run {name!r} is in part 1 and in part 2; give it once"
    assert refusal([first, rest.sel(topics=scores.topics[1:])]).startswith(f"part 2 has no topic {topic!r}, part 1 has")
    assert refusal([first, rest.sel(measures="AP")]).startswith("part 2 has no measure 'GAP', part 1 has")
    assert refusal([first.sel(measures="AP"), rest]).startswith("part 1 has no measure 'GAP', part 2 has")
    assert refusal([scores, scores], "topic") == f"topic {topic!r} is in part 1 and in part 2; give it once"
    assert refusal([first, rest], "topic").startswith("part 2 has no run")
    assert refusal([first, replace(rest, empty="one")]).startswith("part 2 counts topics with missing='zero', empty=")
    vacant = replace(rest, vacant=~rest.vacant, collection=None)
    with pytest.warns(CollectionWarning):
        assert refusal([first, vacant]).startswith(
            f"topic {topic!r}: only one of part 1 and part 2 has relevant documents for AP"
        )


def test_scores_without_a_collection_are_merged_with_a_warning(qrels: Qrels, tmp_path: Path) -> None:
    whole = evaluate(qrels, RUNS, "AP")
    whole.sel(runs=whole.runs[1:]).save(tmp_path / "rest.tsv")
    rest = read_scores(tmp_path / "rest.tsv")
    first = whole.sel(runs=whole.runs[0])
    with pytest.warns(CollectionWarning, match="^part 2 does not say by which judgments"):
        merged = Scores.concat([first, rest])
    assert merged.mean() == pytest.approx(whole.mean(), abs=1e-12)


def test_parquet_keeps_the_collection(qrels: Qrels, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    whole = evaluate(qrels, RUNS, "AP")
    whole.sel(runs=whole.runs[1:]).save(tmp_path / "rest.parquet")
    saved = read_scores(tmp_path / "rest.parquet")
    merged = Scores.concat([whole.sel(runs=whole.runs[0]), saved])
    assert merged.values.tobytes() == whole.values.tobytes()
    assert refusal([evaluate(qrels.shifted(1), RUNS[:1], "AP"), saved]).startswith("part 2 was scored by other")
    assert not [warning for warning in recwarn if warning.category is CollectionWarning]


# On a cluster


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers of Dask, in this process."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, processes=False, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.ncores()) == 2
        yield client


def test_two_workers_of_dask_evaluate_as_one_call_does(qrels: Qrels, client: Any) -> None:
    parts = client.map(evaluate, [qrels] * 2, [RUNS[:1], RUNS[1:]], [MEASURES] * 2)
    whole = evaluate(qrels, RUNS, MEASURES)
    assert same(Scores.concat(client.gather(parts)), whole)


def test_two_workers_of_dask_study_as_one_call_does(qrels: Qrels, client: Any) -> None:
    judged = judge(qrels, RUNS)
    assert pickle.loads(pickle.dumps(judged)).document.tobytes() == judged.document.tobytes()
    both = robustness(judged, ["AP", "GAP"], samples=2, seed=3)
    apart = client.gather(client.map(partial(robustness, judged, samples=2, seed=3), ["AP", "GAP"]))
    assert np.concatenate([one.values for one in apart], axis=-1).tobytes() == both.values.tobytes()


@pytest.mark.slow
@pytest.mark.realdata
def test_126_runs_on_two_processes_are_the_same_to_the_last_bit(data: Callable[[str], Path]) -> None:
    distributed = pytest.importorskip("distributed")
    folder = data("trec-covid-r5")
    runs = sorted(os.fspath(path) for path in folder.rglob("*") if path.is_file() and "run" in path.parent.name)
    assert len(runs) == 126
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        qrels = read_qrels(next(folder.rglob("*qrels*")))
        halves = client.map(evaluate, [qrels] * 2, [runs[:63], runs[63:]], [MEASURES] * 2)
        assert same(Scores.concat(client.gather(halves)), evaluate(qrels, runs, MEASURES))
