"""What cannot be trained is refused in a line, before the training; help needs no engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradeval.ltr import load_ranker

from ..conftest import Gradeval, refusal

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

GROWN = "--ranker tree --min-rows 3 --epochs 15 --learning-rate 0.2".split()
TREES = [*GROWN, "--patience", "5"]
GAP = ["--objective", "lambdarank:GAP(g=[0.5,0.5])"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("--objective lambdarank:APP", "unknown measure 'APP'"),
        ("--objective lambdrank:AP", "unknown method 'lambdrank' (did you mean lambdarank or lambdaloss?)"),
        ("--objective listnt", "as an objective, write METHOD:MEASURE"),
        ("--objective softrank:AP --ranker tree", "trees do not learn by softrank, as its second derivatives"),
        ("--objective softrank:Bpref", "softrank: Bpref has no soft form; train for it with 'lambdarank:Bpref'"),
        ("--objective lambdarank:AP --hidden 4", "--hidden has no effect on --ranker tree; it belongs to neural"),
        ("--objective softrank:AP --leaves 4", "--leaves has no effect on --ranker linear; it belongs to tree"),
        (
            "--objective lambdarank:AP --ranker tree --queries 4",
            "--queries has no effect on --ranker tree; it belongs to linear and neural",
        ),
        ("--objective lambdarank:AP --estimator expected", "estimator is a choice of softrank; lambdarank has none"),
        ("--objective lambdarank:AP --resume", "--resume goes on from MODEL.checkpoint; name the model: -o MODEL"),
        (
            "--objective lambdarank:AP --validate-by AP",
            "--validate-by AP is what validation watches; give --valid FILE, too",
        ),
        (
            "--objective lambdarank:AP --patience 2",
            "--patience waits for a better validation, and there is none without --valid FILE; leave it out",
        ),
        ("--objective lambdarank:AP -o -", "-o -: a model is a folder; name one, as in -o model"),
        ("--objective lambdarank:AP -o nowhere/model", "-o nowhere/model: there is no folder nowhere to make it in"),
        ("--objective lambdarank:AP --valid nofile", "nofile: no such file"),
        ("--objective lambdarank:AP --plot curve.gif", "--plot curve.gif: does not end in one of"),
        ("--objective catboost:YetiRank", "catboost:YetiRank: engines' own objectives are for crossval"),
        ("--ranker tree", "missing option '--objective'; to start with, give --objective GAP (gradeval train --help"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_a_line(
    gradeval: Gradeval, parts: list[Path], args: str, message: str
) -> None:
    assert message in refusal(gradeval("train", parts[0], *args.split()))


@pytest.mark.parametrize("objective", ["softrank:GAP@10", "softrank:Bpref", "nothing", "lightgbm:lambdarank"])
def test_no_default_is_named_for_an_objective_that_is_refused(
    gradeval: Gradeval, parts: list[Path], objective: str
) -> None:
    said = gradeval("train", parts[0], "--objective", objective)
    assert "the default is" not in said.stderr
    refusal(said)


def test_a_checkpoint_never_takes_the_place_of_an_input(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    given = tmp_path / "model.checkpoint"
    given.write_bytes(parts[0].read_bytes())
    for args in ([given], [parts[1], "--valid", given]):
        said = refusal(gradeval("train", *args, *GAP, *GROWN, "-o", tmp_path / "model"))
        assert said.startswith(f"-o {tmp_path / 'model'}: {given}: would replace the input {given}")
    assert given.read_bytes() == parts[0].read_bytes()


def test_a_curve_is_not_drawn_into_the_model(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    (tmp_path / "model").mkdir()
    where = ["-o", tmp_path / "model", "--plot", tmp_path / "model" / "curve.svg"]
    assert "lies in the folder" in refusal(gradeval("train", parts[0], *GAP, *GROWN, *where))


def test_a_model_never_takes_the_place_of_something_else(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/thesis.txt").write_text("years")
    for place, wrong in ((tmp_path / "folder", "a folder of something else"), (parts[0], "not a folder")):
        said = refusal(gradeval("train", parts[0], *GAP, *GROWN, "-o", place))
        assert f"-o {place}: {wrong}" in said
    assert (tmp_path / "folder/thesis.txt").read_text() == "years"
    for seed in (0, 1):  # another model it replaces
        assert gradeval("train", parts[0], *GAP, *GROWN, "--seed", seed, "-o", tmp_path / "model").exit_code == 0
    assert load_ranker(tmp_path / "model").seed == 1


def test_a_link_to_a_model_is_followed(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "latest").symlink_to("models/first")  # which is not there yet
    for seed in (0, 1):
        assert gradeval("train", parts[0], *GAP, *GROWN, "--seed", seed, "-o", tmp_path / "latest").exit_code == 0
        assert (tmp_path / "latest").is_symlink()
        assert load_ranker(tmp_path / "models/first").seed == seed
    (tmp_path / "astray").symlink_to("nowhere/model")
    said = refusal(gradeval("train", parts[0], *GAP, *GROWN, "-o", tmp_path / "astray"))
    assert f"there is no folder {tmp_path}/nowhere to make it in" in said


def test_bad_features_are_errors_of_one_line(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    for text, message in (
        ("0 qid:1 1:1\n0 qid:1 1:2\n", "nothing to learn"),
        ("2 qid:1 1:1\n", "nothing to learn"),
        ("-1 qid:1 1:1\n0 qid:1 1:2\n", "bad.txt:1:"),
        ("nan qid:1 1:1\n0 qid:1 1:2\n", "bad.txt:1:"),
        ("1 qid:1 1:inf\n0 qid:1 1:2\n", "bad.txt:1:"),
        ("1 qid:1 1:5\n0 qid:1 1:5\n", "every feature has one value"),
    ):
        bad.write_text(text)
        assert message in refusal(gradeval("train", bad, "--objective", "lambdarank:AP", *GROWN)), text
    bad.write_text("1 qid:1 7:1\n0 qid:1 1:5\n")
    said = refusal(gradeval("train", parts[0], "--valid", bad, *GAP, *TREES))
    assert "4 features" in said
    assert "7" in said


@pytest.mark.parametrize(("kind", "engine"), [("linear", "torch"), ("tree", "lightgbm")])
def test_without_the_engine_the_error_says_what_to_install(parts: list[Path], kind: str, engine: str) -> None:
    hide = f"import sys; sys.modules[{engine!r}] = None; from gradeval.cli import main; main(sys.argv[1:])"
    args = ["train", str(parts[0]), *GAP, "--ranker", kind]
    done = subprocess.run([sys.executable, "-c", hide, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f'needs {engine}: pip install "{engine}>=' in done.stderr
    assert "Traceback" not in done.stderr


def test_help_needs_no_engine() -> None:
    hide = "import sys; sys.modules.update(torch=None, lightgbm=None); from gradeval.cli import main\n"
    ask = "for command in sys.argv[1:]: main([command, '--help'], standalone_mode=False)"
    commands = ("train", "rank", "crossval")
    done = subprocess.run([sys.executable, "-c", hide + ask, *commands], capture_output=True, text=True, check=True)
    for command in commands:
        assert f" {command} " in done.stdout


def test_a_leaf_that_is_too_large_is_named_as_the_option(gradeval: Gradeval, parts: list[Path]) -> None:
    said = refusal(gradeval("train", parts[0], *GAP, "--ranker", "tree", "--min-rows", "5000"))
    assert "lower --min-rows 5000, or give more rows" in said
