"""A drop-in for the evaluation of ranx: ``from gradeval.compat.ranx import evaluate``, and nothing else changes.

Names, arguments, results and what is kept in a run of ranx are the same, without its compiler (Numba), of which the
first call waits. It takes more: measures of gradeval by their names, files, frames and lists. Documents with equal
scores stand in the order of their ids, descending, where the original leaves it open; ``threads`` changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.accepted import Listed, as_qrels, as_run
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.scores.scoring import measure_each

__all__ = ["evaluate"]

WHOLE = {"precision": "SetP", "recall": "SetR", "hit_rate": "Success@1000000"}
"""Names that without a cutoff are of the whole ranking, as f1 is."""


class OtherQueries(InputError, AssertionError):
    """Judgments and run have different queries: the original raises an AssertionError."""


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Measure | Sequence[str | Measure],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """The means of one metric or of several over the queries: a number, or ``{metric: number}``.

    Parameters
    ----------
    qrels, run : Qrels and Run of ranx, ``{query: {document: number}}``, arrays as ranx takes them (query x document x
        (id, number), in rank order), or whatever ``gradeval.evaluate`` takes.
    metrics : names of ranx (``ndcg@10``, ``map-l2``, ``rbp.95``), or measures of gradeval.
    return_mean : give the mean; else float64[query], in the order of the run.
    return_std : give ``{"mean": ..., "std": ...}``, with the deviation of the queries at hand (ddof = 0).
    save_results_in_run : keep them in the ``mean_scores``, ``std_scores`` and ``scores`` of a Run of ranx.
    make_comparable : queries that the run misses count 0, and those without judgments are left out. Else both are
        refused.
    """
    arguments.flag("evaluate: return_mean", return_mean)
    arguments.flag("evaluate: return_std", return_std)
    arguments.threads(threads)
    names = [metrics] if isinstance(metrics, str | Measure) else list(metrics)
    if not names:
        raise InputError("evaluate: no metric given; name one, as in 'ndcg@10'")
    judgments, ranking = as_qrels(_as_mapping(qrels, "qrels")), as_run(Listed(_as_mapping(run, "run")))
    present, asked = ranking.topics, judgments.topics
    if not make_comparable and set(present) != set(asked):
        lacking, beyond = sorted(set(asked) - set(present)), sorted(set(present) - set(asked))
        which = f"the run lacks {lacking[0]!r}" if lacking else f"the judgments lack {beyond[0]!r}"
        raise OtherQueries(f"evaluate: {which}; make_comparable=True takes the queries of the judgments")
    order = sorted(asked) if make_comparable else present
    values = _score(judgments, ranking, [_ranx_measure(name) for name in names], order)
    by_name = {str(name): values[number] for number, name in enumerate(names)}
    if save_results_in_run and hasattr(run, "mean_scores"):
        _save(run, by_name, order, return_mean and return_std)
    results = {name: _result(of_queries, return_mean, return_std) for name, of_queries in by_name.items()}
    return results[str(names[0])] if len(names) == 1 else results


def _result(values: Array, mean: bool, std: bool) -> Any:
    if not mean:
        return values
    return {"mean": values.mean(), "std": values.std()} if std else values.mean()


def _save(run: Any, by_name: Mapping[str, Array], order: Sequence[str], std: bool) -> None:
    for name, values in by_name.items():
        run.mean_scores[name] = values.mean()
        if std:
            run.std_scores[name] = values.std()
        run.scores[name].update(zip(order, values, strict=True))


def _score(qrels: Qrels, run: Run, measures: Sequence[Measure], order: Sequence[str]) -> Array:
    """float64[measure, query], in this order of the queries."""
    judged = meet(qrels, [run])
    values = np.zeros((len(measures), len(judged)))
    for rows, block in judged.blocks():
        for number, measure in enumerate(measures):
            values[number, rows] = measure_each(measure, block)
    place = {topic: number for number, topic in enumerate(judged.topics)}
    return values[:, [place[topic] for topic in order]]


def _ranx_measure(name: str | Measure) -> Measure:
    """The measure of a name; measures of ``WHOLE`` without a cutoff see the whole ranking."""
    measure = _parse(name)
    if measure.definition.aggregate != "mean":
        raise InputError(f"evaluate: {measure} is no mean over queries; take gradeval.evaluate, which knows what it is")
    return measure


def _parse(name: str | Measure) -> Measure:
    if isinstance(name, str) and (found := re.fullmatch(r"(precision|recall|hit_rate)(-l(\d+))?", name)):
        whole = parse_measure(WHOLE[found[1]])
        return whole(rel=int(found[3])) if found[3] else whole
    return parse_measure(name)


def _as_mapping(given: Any, kind: str) -> Any:
    """Arrays as ``{query: {document: number}}``; anything else as it is."""
    several = isinstance(given, np.ndarray | Sequence) and not isinstance(given, str) and len(given) > 0
    return _of_arrays(given, kind) if several and isinstance(given[0], np.ndarray) else given


def _of_arrays(rows: Iterable[Array], kind: str) -> dict[str, dict[str, float]]:
    """``{query: {document: number}}`` of ids and numbers, a query by its place; ids of a run stand in rank order."""
    table: dict[str, dict[str, float]] = {}
    for number, of_query in enumerate(rows):
        documents: dict[str, float] = {}
        for rank, (document, value) in enumerate(np.asarray(of_query).tolist(), 1):
            if (name := f"{document:g}") in documents:
                raise InputError(f"evaluate: {kind}: document {name} of query {number} occurs twice; give each once")
            documents[name] = value if kind == "qrels" else -rank
        table[f"{number:09}"] = documents
    return table
