"""``gradeval export``: other tools score with the file as ``gradeval rank`` does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, read_run, write_letor
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LinearRanker, NeuralRanker, TreeRanker

from .conftest import Gradeval, refusal

lightgbm = pytest.importorskip("lightgbm")
pytest.importorskip("torch")

TEST = graded_features(12, seed=1, prefix="t")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models of features of very different sizes, and a file to rank."""
    folder = tmp_path_factory.mktemp("models")
    train = graded_features(20)
    train.X[:] *= np.array([1, 1e3, 1e-3, 5], np.float32)
    LinearRanker("lambdarank:GAP", epochs=4).fit(train).save(folder / "linear")
    NeuralRanker("softrank:GAP", epochs=4, hidden=5).fit(train).save(folder / "neural")
    TreeRanker("lambdarank:GAP", epochs=6, min_rows=5).fit(train).save(folder / "tree")
    TreeRanker("lambdarank:GAP", epochs=2, min_rows=5, scaling="min-max").fit(train).save(folder / "scaled")
    write_letor(TEST, folder / "test.txt")
    return folder


def scores_of(gradeval: Gradeval, model: Path, features: Features, test: Path) -> Array:
    """The scores by the run that ``gradeval rank`` writes, in the order of the rows."""
    place = model.parent / f"{model.name}.run"
    assert gradeval("rank", model, test, "-o", place).exit_code == 0
    run = read_run(place)
    by_key = {(topic, doc): score for topic in run.topics for doc, score in run.of(topic).items()}
    topics = np.repeat(features.topics, np.diff(features.offsets)).tolist()
    return np.array([by_key[key] for key in zip(topics, features.docs, strict=True)])


@pytest.mark.parametrize("kind", ["linear", "neural", "tree", "scaled"])
def test_onnxruntime_scores_as_rank_does(gradeval: Gradeval, models: Path, kind: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    said = gradeval("export", models / kind, "-o", tmp_path / "model.ONNX")
    assert (said.exit_code, said.stdout) == (0, "")
    assert " ranker of 4 features in this order: 1 to 4" in said.stderr
    session = onnxruntime.InferenceSession(tmp_path / "model.ONNX", providers=["CPUExecutionProvider"])
    (scores,) = session.run(["score"], {"features": TEST.X})
    expected = scores_of(gradeval, models / kind, TEST, models / "test.txt")
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)
    assert np.ptp(expected) > 0.1


def test_lightgbm_scores_as_rank_does(gradeval: Gradeval, models: Path, tmp_path: Path) -> None:
    assert gradeval("export", models / "tree", "-o", tmp_path / "forest.txt").exit_code == 0
    scores = lightgbm.Booster(model_file=tmp_path / "forest.txt").predict(TEST.X)
    np.testing.assert_allclose(scores, scores_of(gradeval, models / "tree", TEST, models / "test.txt"), rtol=1e-12)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ["linear", "-o", "linear.txt"],
            "a linear ranker has no trees to write as LightGBM's text; name a file FILE.onnx",
        ),
        (["scaled", "-o", "scaled.txt"], "these trees compare features on a scale (min-max)"),
        (["linear", "-o", "linear.pb"], "linear.pb: a ranker is written to .onnx or .txt; name the file so"),
        (["linear", "-o", "-"], "-: a ranker is written to .onnx or .txt"),
        (["none", "-o", "none.onnx"], "none: no such folder; name the folder of a model"),
        (["test.txt", "-o", "none.onnx"], "test.txt: a file; name the folder of a model"),
        (
            ["tree", "-o", "tree/trees.txt"],
            "-o tree/trees.txt: lies in the folder tree, which is read or replaced whole",
        ),
        (["tree", "-o", "no/forest.txt"], "no/forest.txt"),
        (["tree"], "missing option '-o' / '--output'"),
    ],
)
def test_what_cannot_be_exported_is_said_and_nothing_is_written(
    gradeval: Gradeval, models: Path, args: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(models)
    before = sorted(path.name for path in models.rglob("*"))
    assert said in refusal(gradeval("export", *args))
    assert sorted(path.name for path in models.rglob("*")) == before


def test_without_the_extra_the_error_says_what_to_install(models: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules['onnx'] = None; from gradeval.cli import main; main(sys.argv[1:])"
    words = ["export", str(models / "linear"), "-o", str(tmp_path / "model.onnx")]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        'gradeval: error: writing ONNX needs onnx: pip install "onnx>=1.16" "onnxruntime>=1.18"\n',
    )
    assert list(tmp_path.iterdir()) == []
