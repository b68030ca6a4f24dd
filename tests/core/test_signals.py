"""A long loop of the core answers signals, also in a program that uses the library."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

WORK = """
import os, signal, threading
import numpy as np
from gradeval import _core
from gradeval.ltr import LambdaObjective

begin = _core.lambda_gradients

def begin_and_press(*data, **options):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    return begin(*data, **options)

signal.signal(signal.SIGINT, signal.default_int_handler)
_core.lambda_gradients = begin_and_press
rows = 2_000_000
objective = LambdaObjective("GAP", levels=range(3), threads=2)  # takes many seconds with lists so long
try:
    objective.gradients(np.zeros(rows), np.arange(rows) % 3.0, np.arange(0, rows + 1, 4000))
except KeyboardInterrupt:
    print("interrupted")
_core.lambda_gradients = begin
gradient, _ = LambdaObjective("GAP", levels=range(3)).gradients(np.zeros(3), np.arange(3.0), np.array([0, 3]))
print(np.isfinite(gradient).all())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_a_long_loop_and_the_program_goes_on() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "interrupted\nTrue\n"
