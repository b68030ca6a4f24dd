"""What importing costs: nothing that only learning needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gradeval.ltr
from gradeval.arguments import install_hint


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_learning_to_rank_imports_no_engine() -> None:
    loaded = run("import sys, gradeval.ltr; gradeval.ltr.kernel_of; print(*sys.modules)").split()
    assert {"torch", "lightgbm", "xgboost"}.isdisjoint(loaded)


def test_without_the_engine_the_error_says_what_to_install() -> None:
    code = """
import sys
sys.modules["torch"] = None  # as if it were not installed
import gradeval.ltr
try:
    gradeval.ltr.lambda_loss
except gradeval.InputError as error:
    print(error)
"""
    assert run(code) == f"gradeval.ltr.lambda_loss needs torch: {install_hint('ltr')}\n"


def test_every_public_name_is_there() -> None:
    pytest.importorskip("torch")
    for name in gradeval.ltr.__all__:
        assert getattr(gradeval.ltr, name).__module__.startswith(("gradeval.ltr.", "gradeval.kernels."))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gradeval.ltr.nothing  # noqa: B018
