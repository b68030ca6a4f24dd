"""The stub of the studies: written from their declarations, and what checkers of types make of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from making.signatures import write_signatures

ROOT = Path(__file__).resolve().parents[2]

CALLS = """
from gradeval import AP, assisted_means, compare, correlate, correlate_collections, describe, evaluate, judge, nDCG
from gradeval import curve, judges, ranks, robustness, swaps, topic_set_size
from gradeval import evaluat  # wrong

qrels = {"1": {"a": 1.0}}
runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"a": 2.0}}}
scores = evaluate("qrels.txt", ["a.txt", "b.txt"], [AP, nDCG @ 10])
compare(scores, baseline="best", correction="holm", alpha=0.01).save("page.html")
compare(scores, baselin="best")  # wrong
compare(scores, correction="holmes")  # wrong
compare(scores, test="tt")  # wrong
compare("qrels.txt", "runs", "AP", test="tukey-hsd")
judges("qrels.txt", {"a": "a.txt"}, "runs", test="sign")
judges("qrels.txt", {"a": "a.txt"}, "runs", test="tt")  # wrong
compare(scores).bset  # wrong
compare(3)  # wrong
compare("qrels.txt", ["a.txt"], "AP nDCG@10", baseline=["x"], topics="few:2", progress=True)
compare(qrels, runs, measures=[AP], missing="skip")
compare(judge(qrels, runs), AP)
compare(qrels)  # wrong
correlate(scores, reference="AP", statistic=["kendall", "tau-ap"])
correlate(scores, reference=AP, samples="many")  # wrong
correlate_collections({"a": scores, "b": (qrels, runs)}, "AP", reference=AP)
robustness(qrels, runs, rates=[50, 20], floor=[1, 0], method="random")
robustness(scores)  # wrong
robustness(qrels, runs, method="randomly")  # wrong
topic_set_size(scores, differences=0.05).table()
assisted_means(scores, model="model.txt")
assisted_means(scores)  # wrong
describe("qrels.txt", "run.txt", measure=AP)
curve(judge(qrels, runs), rel=[1, 2])
ranks(scores, topics=["1"], runs="top:5:AP")
swaps(levels=[2, 5])
swaps("qrels.txt")  # wrong
"""
WRONG = {number for number, line in enumerate(CALLS.splitlines(), 1) if line.endswith("# wrong")}


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    file = tmp_path / "calls.py"
    file.write_text(CALLS, encoding="utf-8")
    return file


def test_the_stub_is_what_the_declarations_say() -> None:
    stub = (ROOT / "src" / "gradeval" / "signatures.pyi").read_text(encoding="utf-8")
    assert stub == write_signatures(), "run python docs/generate.py"


@pytest.mark.slow
def test_mypy_finds_the_wrong_calls_and_no_others(calls: Path) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file=pyproject.toml", str(calls)]  # its cache is that of src
    shown = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    assert {int(line) for line in re.findall(r"calls\.py:(\d+): error", shown)} == WRONG, shown
    assert 'did you mean "baseline"' in shown


@pytest.mark.slow
def test_pyright_finds_the_wrong_calls_and_no_others(calls: Path) -> None:
    if (pyright := shutil.which("pyright")) is None:
        pytest.skip("pyright is not installed")
    settings = {"include": ["calls.py"], "extraPaths": [str(ROOT / "src")], "typeCheckingMode": "standard"}
    calls.with_name("pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [pyright, "--outputjson", "--pythonpath", sys.executable, "-p", str(calls.parent)]
    shown = subprocess.run(command, capture_output=True, text=True).stdout
    found = json.loads(shown)["generalDiagnostics"]
    wrong = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    assert wrong == WRONG, shown
