"""What cannot be cross-validated is refused in a line; an interruption says how it goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gradeval import InputError, read_letor
from gradeval.ltr import Objective, TreeRanker
from gradeval.ltr.trials import Plan, Trial

from ..conftest import Gradeval, refusal

pytest.importorskip("lightgbm")

AIMS = ["lambdarank:AP", "lambdarank:GAP(g=[0.5,0.5])", "lambdarank:nDCG@3"]
OBJECTIVES = [word for aim in AIMS for word in ("--objective", aim)]
TREES = "--ranker tree --min-rows 3 --epochs 12 --patience 4 --learning-rate 0.2".split()
BASE = [*OBJECTIVES, *TREES, "--jobs", 1, "-m", "AP nDCG@5"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--objective", "lambdarank:AP"], "--baseline lambdarank:GAP: there is nothing to test against it"),
        ([*OBJECTIVES], "--baseline lambdarank:GAP: is none of the objectives"),
        ([*OBJECTIVES, "--objective", "lambdarank:map"], "the objective lambdarank:AP is given twice"),
        ([*OBJECTIVES, "--save-scores", "scores.xls"], "--save-scores scores.xls: does not end in one of .parquet"),
        ([*OBJECTIVES, "--hidden", "3"], "--hidden has no effect on --ranker tree; it belongs to neural"),
        ([*OBJECTIVES, "-m", "APP"], "unknown measure 'APP'"),
        ([*OBJECTIVES, "--validate-by", "APP"], "unknown measure 'APP'"),
        ([*OBJECTIVES, "--estimator", "expected"], "--estimator has no effect without an objective of softrank"),
        (["--objective", "softrank:AP", "--truncation", "5"], "--truncation has no effect without an objective of"),
        ([], "missing option '--objective'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(
    gradeval: Gradeval, parts: list[Path], args: list[str], message: str
) -> None:
    baseline = ["--baseline", "lambdarank:GAP"] if "--baseline" in message else []
    assert message in refusal(gradeval("crossval", *parts, *args, *TREES, "--jobs", 1, *baseline))


def test_parts_that_do_not_fit_are_refused(gradeval: Gradeval, parts: list[Path]) -> None:
    assert "2 parts; cross-validation needs 3 or more" in refusal(gradeval("crossval", *parts[:2], *BASE))
    again = [parts[0], parts[0], parts[1]]
    assert "topic p1-0 is in" in refusal(gradeval("crossval", *again, *BASE))


def test_no_output_takes_the_place_of_a_part(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    copies = []
    for part in parts:
        copies.append(tmp_path / f"{part.stem}.tsv")
        copies[-1].write_bytes(part.read_bytes())
    before = copies[1].read_bytes()
    for option in ("-o", "--save-scores"):
        assert "would replace the input" in refusal(gradeval("crossval", *copies, *BASE, option, copies[1]))
    assert copies[1].read_bytes() == before


def test_weights_that_are_none_are_refused(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    weights = tmp_path / "weights.tsv"
    weights.write_text("1\n" * 30 + "one\n2\n")
    said = refusal(gradeval("crossval", *parts, *BASE, "--weights", weights))
    assert f"{weights}: 'one', the weight 31, is not a number; accepted: a number a line" in said
    weights.write_text("1\n" * 31)
    assert f"--weights {weights}: has 31 weights for " in refusal(
        gradeval("crossval", *parts, *BASE, "--weights", weights)
    )
    said = refusal(gradeval("crossval", *parts, *BASE, "--weights", weights, "-o", weights))
    assert "would replace the input" in said


@pytest.mark.parametrize("option", ["-o", "--save-scores"])
def test_no_output_goes_into_a_model_that_is_kept(
    gradeval: Gradeval, parts: list[Path], tmp_path: Path, option: str
) -> None:
    kept = tmp_path / "work" / "tree-0"
    kept.mkdir(parents=True)
    said = refusal(gradeval("crossval", *parts, *BASE, "--work", tmp_path / "work", option, kept / "trees.tsv"))
    assert said.startswith(f"{option} {kept / 'trees.tsv'}: lies in the folder {kept}, which is read or replaced whole")
    assert list(kept.iterdir()) == []


def test_an_error_in_a_training_says_where(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    flat = []
    for part in parts:
        flat.append(tmp_path / part.name)
        text = part.read_text().splitlines()
        flat[-1].write_text("".join(f"0 {line.partition(' ')[2]}\n" for line in text))
    assert "fold 1, lambdarank:AP, seed 0" in refusal(gradeval("crossval", *flat, *BASE))
    plan = Plan(tuple(read_letor(part) for part in flat), TreeRanker, {}, {}, None, None)
    with pytest.raises(InputError, match=r"^fold 3, lambdarank:AP, seed 0: training part of fold 3: "):
        plan.train(Trial(Objective.parse("lambdarank:AP"), 0, 2))


INTERRUPT = """
import os, signal, sys
from gradeval.ltr.trials import Plan
signal.signal(signal.SIGINT, signal.default_int_handler)
train, count = Plan.train, [0]
def interrupt(self, trial):
    count[0] += 1
    if count[0] == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return train(self, trial)
Plan.train = interrupt
from gradeval.cli import main
main(sys.argv[1:])
"""


def test_who_interrupts_is_told_how_it_goes_on(parts: list[Path], tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPT, "crossval", *map(str, [*parts, *BASE])]
    for words, said in (
        (["--work", str(tmp_path / "work")], f"{tmp_path / 'work'} holds what is trained so far: the same command"),
        ([], "nothing was kept; with --work FOLDER the same command would go on"),
    ):
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 128 + signal.SIGINT
        assert said in done.stderr
    assert len(list((tmp_path / "work").glob("*/card.json"))) == 2


def test_what_the_machine_lacks_is_said_before_anything_is_read(gradeval: Gradeval) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    args = ["--objective", "lambdarank:AP", "--ranker", "linear", "--device", "cuda"]
    assert "--device cuda: PyTorch sees no GPU here" in refusal(gradeval("crossval", "none", "none", "none", *args))
    assert "--device cuda: PyTorch sees no GPU here" in refusal(gradeval("train", "none", *args))


def test_one_file_is_not_written_twice(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "scores.tsv"
    said = refusal(gradeval("crossval", *parts, *BASE, "-o", place, "--save-scores", f"{tmp_path}/./scores.tsv"))
    assert f"--save-scores {tmp_path}/./scores.tsv: is where -o goes; name another file" in said
    assert not place.exists()
