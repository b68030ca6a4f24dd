"""Judgments of the data sets that ir_datasets knows: ``irds:DATASET``."""

from __future__ import annotations

import os
from typing import Any, Never

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.files.read import Path

PREFIX = "irds:"


def read_irds(path: Path, name: str | None = None) -> Qrels:
    """The judgments of ``irds:DATASET``, as in ``irds:msmarco-passage/trec-dl-2020/judged``.

    ir_datasets fetches what is not on the machine yet. An unknown data set, one without judgments, one that
    cannot be fetched, and a document judged twice for a topic are InputErrors.
    """
    place = os.fspath(path)
    judgments: dict[str, dict[str, float]] = {}
    for judgment in _judgments(place):
        if not hasattr(judgment, "relevance"):
            fields = ", ".join(judgment._fields)
            raise InputError(
                f"{place}: its judgments have no relevance (they have {fields}); name a data set with grades"
            )
        documents = judgments.setdefault(judgment.query_id, {})
        if judgment.doc_id in documents:
            raise InputError(
                f"{place}: document {judgment.doc_id!r} of topic {judgment.query_id!r} is judged twice; "
                "write the judgments to a file that has each document once"
            )
        documents[judgment.doc_id] = judgment.relevance
    return Qrels.from_dict(judgments, name or place)


def refuse_run(path: Path, name: str | None = None) -> Never:  # noqa: ARG001
    """Refuse to read a run: data sets have none."""
    raise InputError(f"{os.fspath(path)}: data sets of ir_datasets give judgments, not runs; name a file of a run")


def _judgments(place: str) -> list[Any]:
    """The judgments that ir_datasets yields, downloaded if they are not on the machine."""
    dataset = _load(place)
    if not dataset.has_qrels():
        raise InputError(f"{place}: this data set has no judgments; see https://ir-datasets.com for one that has")
    try:
        return list(dataset.qrels_iter())
    except Exception as error:  # whatever may go wrong between here and a server
        fault = str(error).split("\n")[0][:120]
        raise InputError(
            f"{place}: ir_datasets cannot provide it ({fault}); fetch it by hand, see https://ir-datasets.com"
        ) from error


def _load(place: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise InputError(f"{place}: reading it needs the package ir_datasets: pip install 'gradeval[ir]'") from None
    try:
        return ir_datasets.load(place.removeprefix(PREFIX))
    except KeyError:
        raise InputError(
            f"{place}: ir_datasets has no such data set; write irds:NAME with one from https://ir-datasets.com"
        ) from None
