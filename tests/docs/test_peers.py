"""What the pages of the measures say of other tools: under these names they compute the same on the examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradeval import Qrels, Run, judge, parse_measure, read_qrels, read_run
from making.peers import IR_MEASURES, SCIKIT_LEARN, TREC_EVAL, table

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GEOMETRIC = {"gm_map", "gm_bpref"}  # trec_eval gives logarithms; tests/test_peers.py compares them


@pytest.fixture(scope="module")
def collection() -> tuple[Qrels, Run]:
    """The examples without ties and without missing topics, on which tools have habits of their own."""
    qrels, run = read_qrels(EXAMPLES / "qrels.txt"), read_run(EXAMPLES / "runs" / "elm.txt")
    ranked = {topic: sorted(run.of(topic).items(), key=lambda pair: (-pair[1], pair[0])) for topic in run.topics}
    scored = {topic: {pair[0]: float(-rank) for rank, pair in enumerate(pairs)} for topic, pairs in ranked.items()}
    return qrels.select([topic for topic in qrels.topics if topic in scored]), Run.from_dict(scored)


def ours(collection: tuple[Qrels, Run], spelling: str) -> list[float]:
    values: list[float] = parse_measure(spelling)(judge(*collection, negative="unjudged"))[0].tolist()
    return values


def test_every_name_reads_as_the_measure_beside_it() -> None:
    assert [(tool, theirs) for tool, theirs, here in table() if str(parse_measure(here)) != here] == []


def test_trec_eval(collection: tuple[Qrels, Run]) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    qrels, run = collection
    grades = {topic: {doc: int(grade) for doc, grade in qrels.of(topic).items()} for topic in qrels.topics}
    dotted = {name: name.rpartition("_")[0] + "." + name.rpartition("_")[2] for name in TREC_EVAL if name[-1].isdigit()}
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {dotted.get(name, name) for name in TREC_EVAL})
    theirs = evaluator.evaluate({topic: run.of(topic) for topic in qrels.topics})
    for name in sorted(set(TREC_EVAL) - GEOMETRIC):
        expected = [theirs[topic][name] for topic in qrels.topics]
        assert ours(collection, name) == pytest.approx(expected, abs=1e-9), name


def test_ir_measures(collection: tuple[Qrels, Run]) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    qrels, run = collection
    judgments = [
        ir_measures.Qrel(topic, doc, int(grade)) for topic in qrels.topics for doc, grade in qrels.of(topic).items()
    ]
    documents = [
        ir_measures.ScoredDoc(topic, doc, score) for topic in qrels.topics for doc, score in run.of(topic).items()
    ]
    measures = {name: ir_measures.parse_measure(name) for name in IR_MEASURES}
    results = ir_measures.iter_calc(measures.values(), judgments, documents)
    theirs = {(result.measure, result.query_id): result.value for result in results}
    for name, measure in measures.items():
        expected = [theirs[measure, topic] for topic in qrels.topics]
        assert ours(collection, name) == pytest.approx(expected, abs=1e-9), name


def test_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(3)
    grades, scores = rng.integers(0, 4, (20, 30)), rng.permuted(np.tile(np.arange(30.0), (20, 1)), axis=1)
    qrels = {
        str(row): {str(column): int(grade) for column, grade in enumerate(all_)} for row, all_ in enumerate(grades)
    }
    run = {str(row): {str(column): score for column, score in enumerate(all_)} for row, all_ in enumerate(scores)}
    for theirs, here in SCIKIT_LEARN.items():
        function = getattr(metrics, theirs.partition("(")[0])
        if "k=10" in theirs:
            expected = function(grades, scores, k=10)
        else:  # of one query, binary
            expected = np.mean([function(row > 0, scored) for row, scored in zip(grades, scores, strict=True)])
        assert parse_measure(here)(judge(qrels, run)).mean() == pytest.approx(expected), theirs
