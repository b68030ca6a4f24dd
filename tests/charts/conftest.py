"""What several charts are drawn of: the scores and the judged runs of the examples."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradeval

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def scores() -> gradeval.Scores:
    return gradeval.evaluate(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").glob("*.txt")), "AP nDCG@10 NumRelRet")


@pytest.fixture(scope="session")
def judged() -> gradeval.JudgedRuns:
    runs = sorted((EXAMPLES / "runs").glob("*.txt"))[:3]
    return gradeval.judge(gradeval.read_qrels(EXAMPLES / "qrels.txt"), gradeval.read_runs(runs))
