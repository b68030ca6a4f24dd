"""A run and its judgments that are right, and what evaluate() warns of others."""

from __future__ import annotations

import warnings

from gradeval import evaluate

QRELS = {"401": {"doc-1": 1, "doc-2": 0}, "402": {"doc-1": 1}}
RUN = {"401": {"doc-1": 2.0, "doc-2": 1.0}, "402": {"doc-1": 1.0}}


def warned(qrels: object, run: object, **options: object) -> list[tuple[type[Warning], str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(qrels, run, "AP", **options)
    assert all(one.filename == __file__ for one in caught), "a warning names the line of the caller"
    return [(one.category, str(one.message)) for one in caught]
