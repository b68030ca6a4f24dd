from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import Qrels, Run, read_qrels, read_run, simulate_clicks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def judged() -> tuple[Qrels, Run]:
    return read_qrels(EXAMPLES / "qrels.txt"), read_run(EXAMPLES / "runs" / "elm.txt")


def test_clicks_follow_the_model_literally(judged: tuple[Qrels, Run]) -> None:
    qrels, run = judged
    log = simulate_clicks(qrels, run, g={2: 1}, sessions=3000, depth=5, bias=0, slips=0, seed=1)
    assert len(log) == 5 * 3000
    for line in range(0, len(log), 97):
        topic, document = log.topic[line], log.document[line]
        ranked = sorted(run.of(topic).items(), key=lambda item: (-item[1], [-ord(c) for c in item[0]]))
        assert document == ranked[log.rank[line] - 1][0]
        assert log.click[line] == (qrels.of(topic).get(document, 0) >= 2)
