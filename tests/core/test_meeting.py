"""Runs meet judgments: the literal definition in plain Python, however a run is given and cut into parts."""

from __future__ import annotations

import math
import mmap
import struct
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradeval._core import Lines, Met, Pools, judge

Collection = dict[str, dict[str, float]]
TIES = ["docid", "docid-float32", "order"]


def single(score: float) -> float:
    """The score in single precision; what is too large for it is infinite."""
    with np.errstate(over="ignore"):
        return float(np.float32(score))


@dataclass
class Literal:
    """What judge() returns for one run, by the definition."""

    met: list[list[tuple[int, int]]] = field(default_factory=list)
    retrieved: list[int] = field(default_factory=list)
    tied: list[int] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)


def literal(qrels: Collection, run: Collection, ties: str) -> Literal:
    result = Literal(unjudged=[topic for topic in run if topic not in qrels])
    for topic, pool in qrels.items():
        lines = [
            (single(score) if ties == "docid-float32" else score, document)
            for document, score in run.get(topic, {}).items()
        ]
        if ties != "order":
            lines.sort(key=lambda line: line[1].encode(), reverse=True)
        lines.sort(key=lambda line: -line[0])  # stable
        shared = Counter(score for score, _ in lines)
        index = {document: i for i, document in enumerate(pool)}
        result.met.append([(r, index[d]) for r, (_, d) in enumerate(lines, 1) if d in index])
        result.retrieved.append(len(lines))
        result.tied.append(sum(count for count in shared.values() if count > 1))
    return result


def as_literal(met: Met, run: int) -> Literal:
    topics = met.retrieved.shape[1]
    rows = [slice(*met.offsets[run * topics + t : run * topics + t + 2]) for t in range(topics)]
    pairs = [list(zip(met.rank[row].tolist(), met.document[row].tolist(), strict=True)) for row in rows]
    return Literal(pairs, met.retrieved[run].tolist(), met.tied[run].tolist(), met.unjudged_topics[run])


topics = st.sampled_from(["1", "2", "10", "0001", "täma", "q#1"])
documents = st.one_of(
    st.sampled_from(["a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgh-abcdefgh", "é", "文書", "#", "a#"]),
    st.integers(0, 60).map(lambda i: f"FT{i}-{i * 7919}"),
)
scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1e300, -1e300, 1e-300, 5e-324, 0.1, 1 / 3]),
    st.floats(allow_nan=False, allow_infinity=False),
)
collections = st.dictionaries(topics, st.dictionaries(documents, scores, min_size=1, max_size=40), min_size=1)
LAYOUTS = ["{t} Q0 {d} {r} {s} tag", "{t}\tQ0\t{d}\t{r}\t{s}\ttag", " {t}  Q0 {d}\t\t0 {s} tag "]


@st.composite
def texts(draw: st.DrawFn, run: Collection) -> tuple[bytes, Collection]:
    """A run as text, its lines in some order, and the same run as a mapping in the order of the text."""
    lines = [(topic, document, score) for topic, scored in run.items() for document, score in scored.items()]
    kind = draw(st.sampled_from(["as given", "shuffled", "reversed"]))
    if kind == "shuffled":
        lines = draw(st.permutations(lines))
    elif kind == "reversed":
        lines = lines[::-1]
    layout = draw(st.sampled_from(LAYOUTS))
    ending = draw(st.sampled_from(["\n", "\r\n", "\n\n", "\n# comment\n"]))
    text = ending.join(layout.format(t=t, d=d, r=r, s=repr(s)) for r, (t, d, s) in enumerate(lines))
    ordered: Collection = {}
    for topic, document, score in lines:
        ordered.setdefault(topic, {})[document] = score
    return (text + draw(st.sampled_from(["", ending]))).encode(), ordered


def columns_of(run: Collection) -> Lines:
    def column(strings: list[str]) -> tuple[Any, Any]:
        data = [string.encode() for string in strings]
        return np.cumsum([0, *map(len, data)], dtype=np.int64), np.frombuffer(b"".join(data), dtype=np.uint8)

    rows = [(topic, document, score) for topic, scored in run.items() for document, score in scored.items()]
    return Lines.of_columns(
        column([row[0] for row in rows]), column([row[1] for row in rows]), np.array([row[2] for row in rows]), "run"
    )


@settings(max_examples=150)
@given(
    ties=st.sampled_from(TIES), qrels=collections, runs=st.lists(collections, min_size=1, max_size=3), data=st.data()
)
def test_runs_meet_judgments_as_the_definition_says(
    ties: str, qrels: Collection, runs: list[Collection], data: st.DataObject
) -> None:
    pools = Pools.of_mapping(qrels, "qrels")
    written = [data.draw(texts(run)) for run in runs]
    meant = [literal(qrels, ordered, ties) for _, ordered in written]
    part_bytes = data.draw(st.sampled_from([0, 1, 50, 200, 1000]))
    for lines in (
        [Lines.of_bytes(text, "run") for text, _ in written],
        [Lines.of_mapping(ordered, "run") for _, ordered in written],
        [columns_of(ordered) for _, ordered in written],
    ):
        for threads in (1, 2):
            met = judge(pools, lines, ties, threads, part_bytes)
            assert [as_literal(met, run) for run in range(len(runs))] == meant


@settings(max_examples=100)
@given(run=collections, data=st.data())
def test_a_run_reads_back_in_its_own_order(run: Collection, data: st.DataObject) -> None:
    text, ordered = data.draw(texts(run))
    for lines in (Lines.of_bytes(text, "run"), Lines.of_mapping(ordered, "run"), columns_of(ordered)):
        read = {topic: lines.of(topic) for topic in lines.topics()}
        assert [(t, list(d.items())) for t, d in read.items()] == [(t, list(d.items())) for t, d in ordered.items()]
        assert len(lines) == sum(map(len, ordered.values()))


@settings(max_examples=150)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["{!r}", "{:.3e}", "{:.17g}", "{:.6f}", "{:+.9f}"]),
)
def test_every_spelling_of_a_score_is_read_as_python_reads_it(score: float, form: str) -> None:
    numeral = form.format(score)
    assume(math.isfinite(float(numeral)))  # rounding may lead out of the range
    text = "".join(f"1 Q0 {document} 1 {numeral} t\n" for document in "abc")
    read = Lines.of_bytes(text.encode(), "run").of("1")
    assert [struct.pack("<d", value) for value in read.values()] == [struct.pack("<d", float(numeral))] * 3


def test_ties_fall_to_the_larger_document_id_by_bytes() -> None:
    documents = ["a", "B", "é", "ab", "10", "9", "abcdefgh1", "abcdefgh"]
    pools = Pools.of_mapping({"1": dict.fromkeys(documents, 1)}, "qrels")
    met = judge(pools, [Lines.of_mapping({"1": dict.fromkeys(documents, 0.5)}, "run")])
    assert [documents[i] for i in met.document] == ["é", "abcdefgh1", "abcdefgh", "ab", "a", "B", "9", "10"]
    assert met.tied.tolist() == [[8]]


def test_single_precision_ties_what_double_precision_tells_apart() -> None:
    pools = Pools.of_mapping({"1": {"a": 1, "b": 1}}, "qrels")
    run = Lines.of_mapping({"1": {"a": 1.0 + 1e-9, "b": 1.0}}, "run")
    assert judge(pools, [run], "docid").document.tolist() == [0, 1]
    assert judge(pools, [run], "docid").tied.tolist() == [[0]]
    assert judge(pools, [run], "docid-float32").document.tolist() == [1, 0]
    assert judge(pools, [run], "docid-float32").tied.tolist() == [[2]]


def test_negative_zero_equals_zero() -> None:
    pools = Pools.of_mapping({"1": {"a": 1, "b": 1}}, "qrels")
    met = judge(pools, [Lines.of_mapping({"1": {"a": 0.0, "b": -0.0}}, "run")])
    assert (met.document.tolist(), met.tied.tolist()) == ([1, 0], [[2]])


def test_long_topics_in_any_order_are_ranked_alike() -> None:
    rng = np.random.default_rng(20)
    documents = [f"doc-{i:06}" for i in rng.permutation(20_000)]
    values = rng.normal(size=20_000)
    for scored in (values, -np.sort(-values), np.sort(values), np.round(values, 2), np.zeros(20_000)):
        run = {"1": dict(zip(documents, scored.tolist(), strict=True))}
        qrels = {"1": dict.fromkeys(documents[::3], 1.0)}
        pools = Pools.of_mapping(qrels, "qrels")
        for ties in TIES:
            met = judge(pools, [Lines.of_mapping(run, "run")], ties)
            assert as_literal(met, 0) == literal(qrels, run, ties)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=30))
def test_scores_as_close_as_doubles_can_be_are_told_apart(steps: list[int]) -> None:
    run = {"1": {f"d{place}": step * 5e-324 for place, step in enumerate(steps)}}
    qrels = {"1": dict.fromkeys(run["1"], 1.0)}
    met = judge(Pools.of_mapping(qrels, "qrels"), [Lines.of_mapping(run, "run")])
    assert as_literal(met, 0) == literal(qrels, run, "docid")


RANKS = st.integers(0, 5) | st.sampled_from([9, 10, 99, 100, 999, 1000, 9999, 10000, 10001, 99999, 123456789])


@settings(max_examples=150)
@given(st.lists(st.tuples(RANKS, st.integers(0, 3)), min_size=1, max_size=8), st.booleans())
def test_ranks_contradict_scores_where_these_rise_from_one_rank_to_the_next(
    lines: list[tuple[int, int]], falling: bool
) -> None:
    """Lines of a rank and a score, as they come or with falling scores; lines of one rank go by their scores."""
    lines = sorted(lines, key=lambda line: -line[1]) if falling else lines
    by_rank = [score for _, score in sorted(lines, key=lambda line: (line[0], -line[1]))]
    rises = sum(above < below for above, below in pairwise(by_rank))
    text, decimal, filled = (
        "".join(f"1 Q0 d{place} {form.format(rank)} {score} t\n" for place, (rank, score) in enumerate(lines))
        for form in ("{}", "{}.0", "{:05}")
    )
    pools, ranks = Pools.of_mapping({"1": {"d0": 1}}, "qrels"), np.array([rank for rank, _ in lines], float)
    scores = {f"d{place}": score for place, (_, score) in enumerate(lines)}
    for run in (
        Lines.of_bytes(text.encode(), "run"),
        Lines.of_bytes(decimal.encode(), "run"),
        Lines.of_bytes(filled.encode(), "run"),
        Lines.of_mapping({"1": scores}, "run", ranks),
    ):
        assert judge(pools, [run]).contradicting.tolist() == [[rises]]


def test_no_runs_and_no_topics_make_empty_arrays() -> None:
    met = judge(Pools.of_mapping({"1": {"a": 1}}, "qrels"), [])
    assert (met.retrieved.shape, met.offsets.tolist(), met.tags) == ((0, 1), [0], [])
    met = judge(Pools.of_mapping({}, "qrels"), [Lines.of_mapping({"1": {"a": 1}}, "run")])
    assert (met.retrieved.shape, met.offsets.tolist(), met.unjudged_topics) == ((1, 0), [0], [["1"]])


def test_arrays_are_read_only_views_that_keep_their_owner() -> None:
    pools = Pools.of_mapping({"1": {"a": 1, "b": 2}}, "qrels")
    met = judge(pools, [Lines.of_mapping({"1": {"a": 1}}, "run")])
    rank, grades = met.rank, pools.grades
    del met, pools
    assert (rank.tolist(), grades.tolist()) == ([1], [1.0, 2.0])
    assert rank.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        rank[0] = 5


def test_the_same_run_may_be_judged_twice_at_once() -> None:
    pools = Pools.of_mapping({"1": {"a": 1, "b": 0}}, "qrels")
    run = Lines.of_bytes(b"1 Q0 a 1 2 t\n1 Q0 b 1 3 t\n", "run")
    met = judge(pools, [run, run])
    assert met.rank.tolist() == [1, 2, 1, 2]
    assert met.document.tolist() == [1, 0, 1, 0]
    assert met.tags == ["t", "t"]


def test_a_mapped_file_is_read_as_often_as_needed(tmp_path: Path) -> None:
    lines = [f"{topic} Q0 d{rank} {rank} {9 - rank} t\n" for rank in range(5) for topic in range(5000)]
    path = tmp_path / "run.txt"
    path.write_text("".join(lines))
    pools = Pools.of_mapping({str(topic): {"d1": 1, "d4": 1} for topic in range(5000)}, "qrels")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        run = Lines.of_bytes(mapped, "run.txt")
        for part_bytes in (10_000, 0, 50_000):  # topics are scattered: their lines are looked at again
            met = judge(pools, [run, run], part_bytes=part_bytes)
            assert met.rank.tolist() == [2, 5] * 10_000
        assert run.of("4999") == {f"d{rank}": 9.0 - rank for rank in range(5)}
        del run


@pytest.mark.realdata
def test_real_runs_are_read_as_plain_python_reads_them(data: Any) -> None:
    folder = data("trec-covid-r5")
    qrels: Collection = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = float(grade)
    pools = Pools.of_bytes((folder / "qrels.txt").read_bytes(), "qrels.txt")
    assert pools.topics == list(qrels)
    assert [dict.fromkeys(pools.documents(t)) for t in range(50)] == [dict.fromkeys(pool) for pool in qrels.values()]
    for path in sorted((folder / "runs").iterdir())[::25]:
        run: Collection = {}
        for line in path.read_text().splitlines():
            topic, _, document, _, score, _ = line.split()
            run.setdefault(topic, {})[document] = float(score)
        for ties in TIES:
            met = judge(pools, [Lines.of_bytes(path.read_bytes(), path.name)], ties, 0, 1 << 16)
            assert as_literal(met, 0) == literal(qrels, run, ties)
