"""A process that ends with judgments and a measure of its own in hand says nothing about it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gradeval

@gradeval.measure
def Constant(judged, *, cutoff: int | None = None):
    return judged.retrieved * 0.5

qrels = gradeval.Qrels.from_dict({"1": {"d": 1}})
judged = gradeval.judge(qrels, gradeval.Run.from_dict({"1": {"d": 1.0}}))
"""


def test_a_script_with_a_measure_of_its_own_ends_in_silence() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""
