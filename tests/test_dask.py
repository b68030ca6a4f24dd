"""Evaluation on a Dask cluster: the numbers of one machine to the last bit, whatever workers and partitions do."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dask_workers import worker_cluster, worker_processes

from gradeval import CoverageWarning, GradesWarning, InputError, Scores
from gradeval import evaluate as on_one_machine

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")

from gradeval.dask import evaluate

pytestmark = pytest.mark.filterwarnings("ignore:.*The inplace keyword in DataFrame:Warning")  # of Dask

MEASURES = "AP GAP nDCG@10 ERR@20 RBP Bpref gmAP NumRet muAP(levels='query') P(judged_only=True)@5 Judged@10"
RNG = np.random.default_rng(7)


def judgments(topics: int = 30) -> pd.DataFrame:
    """Topics in no order, some of which have nothing relevant."""
    rows = [
        (f"t{topic}", f"d{document}", int(RNG.integers(-1, 4)) if topic % 7 else 0)
        for topic in RNG.permutation(topics)
        for document in RNG.choice(60, 20, replace=False)
    ]
    return pd.DataFrame(rows, columns=["topic", "docno", "grade"])


def ranking(name: str, topics: list[int]) -> pd.DataFrame:
    """Half of the scores are tied."""
    rows = [
        (name, f"t{topic}", f"d{document}", float(RNG.integers(0, 25)))
        for topic in topics
        for document in RNG.choice(80, 30, replace=False)
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])


QRELS = judgments()
RUNS = {
    "zeta": ranking("zeta", RNG.permutation(34).tolist()),  # four topics without judgments
    "alpha": ranking("alpha", RNG.permutation(25).tolist()),  # five that it misses
    "few": ranking("few", [3, 29]),
}
TOGETHER = pd.concat(RUNS.values(), ignore_index=True)
ALONE = {name: run.drop(columns="run") for name, run in RUNS.items()}


def cut(frame: pd.DataFrame, parts: int) -> Any:
    """A Dask DataFrame cut anywhere, with an empty partition in the middle and one at the end."""
    ends = np.sort(RNG.integers(0, len(frame) + 1, parts - 1)).tolist()
    ends = [0, *ends, *ends[:1], len(frame), len(frame)]
    pieces = [frame[begin:end] for begin, end in pairwise(sorted(ends))]
    return dd.from_map(lambda piece: piece, pieces, meta=frame[:0])


def assert_same(found: Scores, expected: Scores) -> None:
    assert (found.runs, found.topics, found.measures) == (expected.runs, expected.topics, expected.measures)
    for name in ("values", "present", "vacant", "errors", "residuals"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None)
        assert one is None or one.tobytes() == other.tobytes()
    assert found.mean().tobytes() == expected.mean().tobytes()
    assert found.levels == expected.levels
    assert found.coverage is not None
    assert expected.coverage is not None
    assert found.coverage.unjudged_topics == expected.coverage.unjudged_topics
    assert [*map(without_ranks, found.notes)] == [*map(without_ranks, expected.notes)]


def without_ranks(note: object) -> str:
    """A note without what it says of ranks that settle ties, which is known of a run on one machine alone."""
    return re.sub(r"(?<=averages over all orders); .*", "", str(note))


@pytest.fixture(autouse=True)
def quick_shuffles(request: pytest.FixtureRequest) -> Iterator[None]:
    """Shuffles by Dask's tasks, the quickest where there are no processes."""
    with dask.config.set({"dataframe.shuffle.method": None if "slow" in request.keywords else "tasks"}):
        yield


@pytest.fixture(scope="module")
def processes() -> Iterator[Callable[[int], Any]]:
    with worker_processes() as scaled:
        yield scaled


@pytest.mark.slow
@pytest.mark.parametrize("workers", [4, 2, 1])
def test_worker_processes_give_the_numbers_of_one_machine(
    processes: Callable[[int], Any], workers: int, tmp_path: Path
) -> None:
    expected = on_one_machine(QRELS, ALONE, MEASURES)
    for place, parts in (("qrels", cut(QRELS, 3)), ("runs", cut(TOGETHER, 8))):
        parts.to_parquet(tmp_path / place)
    with processes(workers).as_current():
        assert_same(evaluate(cut(QRELS, 4), cut(TOGETHER, 9), MEASURES), expected)
        assert_same(evaluate(tmp_path / "qrels", tmp_path / "runs", MEASURES), expected)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["shuffle-transfer", "_score"])
def test_others_do_the_work_of_a_lost_worker(moment: str) -> None:
    with worker_cluster(2) as client, client.as_current():
        doomed = next(iter(client.run(os.getpid).values()))
        killed = threading.Event()

        def kill() -> None:
            while not any(moment in str(key) for keys in client.has_what().values() for key in keys):
                time.sleep(0.005)
            os.kill(doomed, signal.SIGKILL)
            killed.set()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        scores = evaluate(cut(QRELS, 5), cut(TOGETHER, 20), MEASURES)
        killer.join(30)
        assert killed.is_set()
    assert_same(scores, on_one_machine(QRELS, ALONE, MEASURES))


@pytest.mark.parametrize("levels", [None, (0, 1, 2, 3)])
def test_grades_without_a_zero_are_noted_as_on_one_machine(levels: tuple[float, ...] | None) -> None:
    graded = QRELS[QRELS.grade > 0]
    for known in (graded, QRELS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both = [
                evaluate(cut(known, 3), cut(TOGETHER, 2), "AP RR GAP", levels=levels),
                on_one_machine(known, ALONE, "AP RR GAP", levels=levels),
            ]
        here, there = ([str(note) for note in one.notes if note.category is GradesWarning] for one in both)
        assert [text.partition("; write")[0] for text in here] == [text.partition("; write")[0] for text in there]
        assert len(here) == (known is graded)


@pytest.mark.parametrize("method", ["disk", "tasks"])
def test_without_a_cluster_threads_give_the_numbers_of_one_machine(method: str) -> None:
    with dask.config.set({"dataframe.shuffle.method": method}):
        scores = evaluate(cut(QRELS, 3), cut(TOGETHER, 5), MEASURES)
    assert_same(scores, on_one_machine(QRELS, ALONE, MEASURES))


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "skip", "empty": "skip"},
        {"missing": "common"},
        {"empty": "one", "negative": "unjudged"},
        {"levels": (0, 1, 2, 3, 4)},
        {"ties": "order", "depth": 12},
        {"ties": "expected", "seed": 5},
        {"ties": "best"},
        {"ties": "docid-float32"},
        {"residuals": True, "depth": 20},
        {"preset": "dl"},
        {"repeated": "first"},
        {"repeated": "best", "ties": "order"},
    ],
    ids=str,
)
def test_each_option_means_what_it_means_on_one_machine(options: dict[str, Any]) -> None:
    runs = ALONE
    if "repeated" in options:
        again = {name: run.sample(frac=1.4, replace=True, random_state=3) for name, run in ALONE.items()}
        runs = {name: run.assign(score=RNG.integers(0, 9, len(run))) for name, run in again.items()}
    together = pd.concat([run.assign(run=name) for name, run in runs.items()])
    measures = "AP GAP nDCG@10 Q@5" if "residuals" not in options else "AP nDCG@10 RBP"
    expected = on_one_machine(QRELS, runs, measures, **options)
    assert_same(evaluate(cut(QRELS, 3), cut(together, 5), measures, **options), expected)
    assert_same(evaluate(cut(QRELS, 1), {n: cut(run, 2) for n, run in runs.items()}, measures, **options), expected)


SPELLED = {
    "other names": (
        QRELS.rename(columns={"topic": "qid", "docno": "corpus-id", "grade": "label"}),
        TOGETHER.rename(columns={"run": "system", "query_id": "topic_no", "doc_id": "pid"}),
    ),
    "numbers as ids": (
        QRELS.assign(topic=QRELS["topic"].str[1:].astype(int), docno=QRELS["docno"].str[1:].astype(int)),
        TOGETHER.assign(query_id=TOGETHER["query_id"].str[1:], doc_id=TOGETHER["doc_id"].str[1:].astype("int32")),
    ),
    "categories": (QRELS.astype({"topic": "category"}), TOGETHER.astype({"run": "category", "query_id": "category"})),
    "ids in the index": (QRELS.set_index("topic"), TOGETHER.set_index("query_id")),
    "other columns": (QRELS.assign(subtopic=0), TOGETHER.assign(text="a b", model=1.5, tag="lab", time=3)),
    "real grades": (QRELS.assign(grade=QRELS["grade"] / 2), TOGETHER),
    "ranks beside scores": (QRELS, TOGETHER.assign(rank=TOGETHER.groupby(["run", "query_id"]).cumcount() + 1)),
}


@pytest.mark.parametrize("spelling", SPELLED)
def test_columns_are_read_as_those_of_frames_are(spelling: str) -> None:
    qrels, together = SPELLED[spelling]
    names = next(column for column in ("run", "system") if column in together)
    drop = [names, "tag", "model"]
    parts = together.groupby(names, sort=False, observed=True)
    runs = {name: run.drop(columns=drop, errors="ignore") for name, run in parts}
    assert_same(evaluate(cut(qrels, 3), cut(together, 4), MEASURES), on_one_machine(qrels, runs, MEASURES))


def test_ranks_alone_order_a_run() -> None:
    ranks = TOGETHER.assign(rank=TOGETHER.groupby(["run", "query_id"]).cumcount() + 1).drop(columns="score")
    runs = {name: run.drop(columns="run") for name, run in ranks.groupby("run", sort=False)}
    assert_same(evaluate(cut(QRELS, 2), cut(ranks, 3)), on_one_machine(QRELS, runs))


def test_one_run_goes_by_its_column_or_by_the_name_that_it_was_given(tmp_path: Path) -> None:
    run = ALONE["zeta"]
    cut(run, 3).to_parquet(tmp_path / "bm25")
    qrels = cut(QRELS, 2)
    assert evaluate(qrels, cut(run, 3)).runs == ["run"]
    assert evaluate(qrels, cut(RUNS["zeta"], 3)).runs == ["zeta"]
    assert evaluate(qrels, {"mine": cut(RUNS["zeta"], 3)}).runs == ["mine"]
    assert evaluate(qrels, str(tmp_path / "bm25")).runs == ["bm25"]
    assert evaluate(qrels, [cut(run, 3), tmp_path / "bm25", cut(run, 1)]).runs == ["run", "bm25", "run 3"]


def test_all_topics_may_lie_in_one_partition_and_none_in_others() -> None:
    one = QRELS[QRELS["topic"] == "t5"]
    runs = {name: ALONE[name] for name in ("zeta", "alpha")}
    expected = on_one_machine(one, runs, MEASURES)
    assert_same(evaluate(cut(one, 3), {name: cut(run, 6) for name, run in runs.items()}, MEASURES), expected)


def test_scores_join_those_of_one_machine() -> None:
    """They are known to be by the same judgments, though these lay in parts."""
    far = evaluate(cut(QRELS, 5), {"zeta": cut(ALONE["zeta"], 3)}, MEASURES)
    near = on_one_machine(QRELS, {"alpha": ALONE["alpha"]}, MEASURES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = Scores.concat([far, near])
    assert both.values.tobytes() == on_one_machine(QRELS, {n: ALONE[n] for n in both.runs}, MEASURES).values.tobytes()
    with pytest.raises(InputError, match="part 2 was scored by other judgments than part 1"):
        Scores.concat([far, on_one_machine(QRELS[1:], {"alpha": ALONE["alpha"]}, MEASURES)])


def test_what_is_probably_a_mistake_is_warned_of_at_the_line_of_the_caller() -> None:
    with pytest.warns(CoverageWarning, match=r"4 topics without judgments .* ignored in the run") as caught:
        evaluate(cut(QRELS, 2), cut(ALONE["zeta"], 2))
    assert {warning.filename for warning in caught} == {__file__}


def at(frame: pd.DataFrame, row: int, **values: Any) -> Any:
    """Partitions of 100 rows, one value of which is another."""
    changed = frame.reset_index(drop=True).astype(dict.fromkeys(values, object))
    for name, value in values.items():
        changed.loc[row, name] = value
    if all(isinstance(value, float) for value in values.values()):
        changed = changed.astype(dict.fromkeys(values, float))
    pieces = [changed[begin : begin + 100] for begin in range(0, len(changed), 100)]
    return dd.from_map(lambda piece: piece, pieces, meta=changed[:0])


RUN = ALONE["zeta"]
TWICE = RUN.iloc[7][["query_id", "doc_id"]].to_dict()


@pytest.mark.parametrize(
    ("qrels", "ranked", "options", "message"),
    [
        (None, at(RUN, 250, score=np.inf), {}, "run: partition 2: row 50: score is infinite"),
        (None, at(RUN, 250, score=np.nan), {}, "run: partition 2: row 50: score is missing (null or NaN; query_id 't"),
        (
            None,
            {"bm25": at(RUN[:100].astype({"score": str}), 99, score="x")},
            {},
            "bm25: partition 0: row 99: score 'x' is not a finite number",
        ),
        (None, at(RUN, 301, **TWICE), {}, f"run: partition 3, row 1: document {TWICE['doc_id']!r} of topic "),
        (at(QRELS, 120, grade=np.inf), RUN, {}, "qrels: partition 1: row 20: grade is infinite"),
        (
            at(QRELS, 120, **QRELS.iloc[3][["topic", "docno"]].to_dict()),
            RUN,
            {},
            "qrels: partition 1, row 20: document ",
        ),
        (None, RUN, {"levels": (0, 1, 2)}, "qrels: grade 3 is not one of the levels 0,1,2"),
        (None, RUN.rename(columns={"score": "s"}), {}, "run: no column is known to hold the scores (it has query_id, "),
        (QRELS.assign(topic=1.5), RUN, {}, "qrels: partition"),
        (None, {"a": TOGETHER}, {}, "a: column run has 3 values (zeta, alpha, few); a file or frame holds one run"),
        (None, TOGETHER.assign(model=TOGETHER["doc_id"]), {}, "run: columns run and model both hold several names"),
        (None, [RUNS["few"], RUNS["few"]], {}, "two runs are called 'few'; give each a name of its own"),
        (None, at(TOGETHER, 5, run=None), {}, "run: partition 0: row 5: run is missing"),
        (QRELS[:0], RUN, {}, "qrels: the table has no rows"),
        (None, {"a": RUN, "b": RUN[:0]}, {}, "b: the table has no rows"),
        (QRELS.assign(topic="x" + QRELS["topic"]), RUN, {}, "no run has a topic of qrels: 'x"),
        (None, "nowhere.parquet", {}, "nowhere.parquet: cannot be read as Parquet ("),
        (None, 5, {}, "run: an int is no Dask DataFrame; dask.dataframe has from_pandas and read_parquet"),
        (None, [], {}, "no run given"),
        (None, RUN, {"ties": "any"}, "ties='any' is not"),
        (None, RUN, {"missing": "no"}, "missing='no' is not"),
        (None, RUN, {"negative": "no"}, "negative='no' is not"),
        (None, RUN, {"repeated": "last"}, "repeated='last' is not"),
        (None, RUN, {"depth": 0}, "depth=0"),
        (None, RUN, {"levels": 3}, "levels=3 is no list of levels"),
        (None, RUN, {"topics": "few:2"}, "evaluate: there is no 'topics': choose rows of the frames before"),
        (None, RUN, {"by": "relevant"}, "evaluate: there is no 'by': give it to a study of these scores, as in "),
        (None, RUN, {"exclude": "self"}, "evaluate: there is no 'exclude': choose rows of the frames before"),
        (None, RUN, {"threads": 2}, "evaluate: there is no 'threads': a task has one thread"),
        (None, RUN, {"progress": True}, "evaluate: there is no 'progress': distributed.progress"),
        (None, RUN, {"measures": "nDGC"}, "unknown measure 'nDGC'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(qrels: Any, ranked: Any, options: Any, message: str) -> None:
    def far(table: Any) -> Any:
        return cut(table, 2) if isinstance(table, pd.DataFrame) else table

    if isinstance(ranked, dict):
        ranked = {name: far(run) for name, run in ranked.items()}
    elif isinstance(ranked, list):
        ranked = [far(run) for run in ranked]
    with pytest.raises(InputError) as refused:
        evaluate(far(QRELS if qrels is None else qrels), far(ranked), **options)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
