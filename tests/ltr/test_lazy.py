"""What importing costs: nothing that only learning needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gradeval.ltr
from gradeval.extras import install_hint


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_learning_to_rank_imports_no_engine() -> None:
    loaded = run("import sys, gradeval.ltr; gradeval.ltr.kernel_of; print(*sys.modules)").split()
    assert {"torch", "lightgbm", "xgboost", "catboost"}.isdisjoint(loaded)


WITHOUT = """
import sys
from gradeval import Features, InputError
from gradeval.ltr import LinearRanker
features = Features.from_arrays([[1.0], [2.0]], [0, 1], sizes=[2])
trained = LinearRanker("lambdarank:AP", epochs=1).fit(features)
trained.save(sys.argv[1])
for name in [name for name in sys.modules if name.startswith(("gradeval.ltr", "gradeval.kernels"))]:
    del sys.modules[name]
for name in ("torch", "lightgbm", "safetensors", "catboost"):
    sys.modules[name] = None  # as if they were not installed
import gradeval.ltr as ltr
for do in (
    lambda: ltr.lambda_loss,
    lambda: ltr.LinearRanker("lambdarank:AP").fit(features),
    lambda: ltr.load_ranker(sys.argv[1]),
    lambda: ltr.TreeRanker("lambdarank:AP").fit(features),
    lambda: ltr.TreeRanker("lambdarank:AP", shape="symmetric").fit(features),
):
    try:
        do()
    except InputError as error:
        print(error)
"""


def test_without_an_engine_the_error_says_what_to_install(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, tmp_path / "model"], check=True, capture_output=True, text=True
    )
    hint = install_hint("ltr", ("torch", "safetensors"))
    assert done.stdout.splitlines() == [
        f"gradeval.ltr.lambda_loss needs torch: {hint}",
        f"training a LinearRanker needs torch: {hint}",
        f"loading a LinearRanker needs safetensors: {install_hint('ltr', ['safetensors'])}",
        f"TreeRanker needs lightgbm: {install_hint('ltr', ['lightgbm'])}",
        f"TreeRanker(shape='symmetric') needs catboost: {install_hint('catboost', ['catboost'])}",
    ]


def test_every_public_name_is_there() -> None:
    pytest.importorskip("torch")
    for name in gradeval.ltr.__all__:
        assert getattr(gradeval.ltr, name).__module__.startswith(("gradeval.ltr.", "gradeval.kernels."))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gradeval.ltr.nothing  # noqa: B018 - the access raises
