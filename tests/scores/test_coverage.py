from __future__ import annotations

from gradeval import AP, evaluate

QRELS = {"301": {"a": 2, "b": 1, "c": 0}, "302": {"a": 1, "d": 0}, "303": {"e": 0}}


def test_coverage_tells_tied_and_unjudged_documents() -> None:
    run = {"301": {"a": 1.0, "x": 1.0, "y": 0.5, "b": 0.25}, "302": {"u": 1.0}}
    coverage = evaluate(QRELS, run, AP).coverage
    assert coverage is not None
    assert coverage.retrieved.tolist() == [[4, 1, 0]]
    assert coverage.tied.tolist() == [[2, 0, 0]]
    assert coverage.judged.tolist() == [[2, 0, 0]]
    assert coverage.tied_share.tolist() == [2 / 5]
    assert coverage.unjudged_share.tolist() == [3 / 5]
