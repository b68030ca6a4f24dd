"""Training on the command line: every option has its effect, and a kill loses nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click import Command
from click.testing import CliRunner
from graded_features import graded_features

from gradeval import Features, evaluate, read_letor, write_letor
from gradeval.cli import main
from gradeval.cli.commands import crossval, train
from gradeval.extras import install_hint
from gradeval.ltr import AutoRanker, LinearRanker, NeuralRanker, TreeRanker, load_ranker

from ..conftest import Gradeval, instead, records, refusal

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

GROWN = "--ranker tree --min-rows 3 --epochs 15 --learning-rate 0.2".split()
TREES = [*GROWN, "--patience", "5"]
GAP = ["--objective", "lambdarank:GAP(g=[0.5,0.5])"]


@pytest.mark.parametrize("kind", ["linear", "neural", "tree"])
def test_a_ranker_is_trained_and_kept(gradeval: Gradeval, parts: list[Path], kind: str, tmp_path: Path) -> None:
    few = ["--ranker", kind, "--epochs", 12, "--patience", 5, *(["--min-rows", 3] if kind == "tree" else [])]
    done = gradeval("train", *parts[:2], "--valid", parts[2], *GAP, *few, "-o", tmp_path / "model")
    assert done.exit_code == 0, done.stderr
    assert "seed 0" in done.stderr
    head, _, row = done.stdout.splitlines()
    assert head.split() == ["objective", "ranker", "epochs", "kept", "GAP(g=[0.5,0.5])"]
    ranker = load_ranker(tmp_path / "model")
    last, kept = len(ranker.curve), ranker.best
    assert row.split() == [GAP[1], kind, str(last), str(kept), f"{ranker.curve[kept - 1].valid:.4f}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]


@pytest.mark.parametrize(
    ("objective", "installed", "kind", "reason"),
    [
        ("GAP", True, "tree", "LightGBM is installed"),
        ("listnet", True, "tree", "LightGBM is installed"),
        ("softrank:AP", True, "linear", "trees do not learn by softrank"),
        ("approxndcg", False, "linear", "trees do not learn by approxndcg"),
        ("GAP", False, "linear", f"LightGBM is not installed; {install_hint('ltr', ['lightgbm'])} brings trees"),
    ],
)
def test_without_a_ranker_trees_are_taken_where_they_can_be_and_the_model_says_what_it_is(
    gradeval: Gradeval,
    parts: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    objective: str,
    installed: bool,
    kind: str,
    reason: str,
) -> None:
    if not installed:
        monkeypatch.setitem(sys.modules, "lightgbm", None)
    args = ["--objective", objective, "--epochs", 2, *(["--min-rows", 3] if kind == "tree" else [])]
    done = gradeval("train", parts[0], *args, "--format", "jsonl", "-o", tmp_path / "model")
    assert done.stderr.startswith(f"note: no --ranker is named, and the default is {kind}, as {reason}\n")
    assert {line["ranker"] for line in map(json.loads, done.stdout.splitlines())} == {kind}
    assert json.loads((tmp_path / "model/card.json").read_text())["ranker"] == kind
    named = gradeval("train", parts[0], *args, "--ranker", kind, "--format", "jsonl", "-o", tmp_path / "named")
    assert (named.stdout, "the default is" in named.stderr) == (done.stdout, False)
    crossed = gradeval("crossval", *parts, *args, "--jobs", 1, "-m", "AP")
    assert f"the default is {kind}, as {reason}\n" in crossed.stderr
    assert f"trainings of {kind} rankers" in crossed.stderr


def test_the_curve_is_told_exactly(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    args = [parts[0], "--valid", parts[2], *GAP, *TREES, "-o", tmp_path / "model"]
    lines = records(gradeval("train", *args, "--format", "tsv"))
    ranker = load_ranker(tmp_path / "model")
    assert [float(line["trained"]) for line in lines] == [epoch.objective for epoch in ranker.curve]
    assert [float(line["valid"]) for line in lines] == [epoch.valid for epoch in ranker.curve]
    assert [line["epoch"] for line in lines if line["kept"] == "True"] == [str(ranker.best)]
    assert lines[0]["train"] == str(parts[0])
    assert lines[0]["valid_data"] == str(parts[2])


def test_several_files_are_one_collection(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    args = ["--valid", parts[2], "--valid", parts[3], *GAP, *TREES, "-o", tmp_path / "model"]
    assert gradeval("train", *parts[:2], *args).exit_code == 0
    card = json.loads((tmp_path / "model/card.json").read_text())
    assert (card["train"]["topics"], card["valid"]["topics"]) == (16, 16)


def test_files_that_lack_the_last_features_have_zeros_there(
    gradeval: Gradeval, parts: list[Path], tmp_path: Path
) -> None:
    narrow = tmp_path / "narrow.txt"
    narrow.write_text("1 qid:n 1:3 2:1\n0 qid:n 1:1\n")
    done = gradeval("train", parts[0], "--valid", narrow, *GAP, *TREES, "-o", tmp_path / "model")
    assert f"note: {narrow} has 2 of the 4 features; those that it lacks are 0" in done.stderr
    assert len(load_ranker(tmp_path / "model").card.columns) == 4


def test_files_may_be_called_letor(gradeval: Gradeval, parts: list[Path]) -> None:
    plain = gradeval("train", parts[0], "--valid", parts[2], *GAP, *TREES)
    assert gradeval("train", f"letor:{parts[0]}", "--valid", f"letor:{parts[2]}", *GAP, *TREES).stdout == plain.stdout
    said = refusal(gradeval("train", "-", "--valid", "letor:-", *GAP, *TREES))
    assert "standard input can be read once" in said


def test_topics_that_train_and_validate_are_said(gradeval: Gradeval, parts: list[Path]) -> None:
    said = gradeval("train", *parts[:2], "--valid", parts[1], *GAP, *TREES).stderr
    named = ", ".join(f"p2-{number}" for number in range(6))
    assert f"note: 8 topics ({named} and 2 more) are in both the training and the validation data" in said
    assert "in both the training" not in gradeval("train", *parts[:2], "--valid", parts[2], *GAP, *TREES).stderr


def test_resuming_what_is_done_or_never_began_is_said(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    args = ["train", parts[0], *GAP, *GROWN, "-o", tmp_path / "model"]
    assert "model.checkpoint" not in gradeval(*args).stderr
    beginning = f"there is no {tmp_path / 'model'}.checkpoint to go on from: the training begins at the beginning"
    said = gradeval(*args, "--resume").stderr
    assert f"{beginning}; it replaces {tmp_path / 'model'}, which is trained to its end" in said
    args[-1] = tmp_path / "other"
    assert f"{beginning}\n".replace("model", "other") in gradeval(*args, "--resume").stderr


OPTIONS = {
    "--seed": ("tree", "--seed 1", "seed", 1),
    "--epochs": ("tree", "--epochs 3", "epochs", 3),
    "--patience": ("tree", "--patience 2", "patience", 2),
    "--learning-rate": ("linear", "--learning-rate 0.5", "learning_rate", 0.5),
    "--scaling": ("linear", "--scaling min-max", "scaling", "min-max"),
    "--scaling none": ("linear", "--scaling none", "scaling", None),
    "--queries": ("linear", "--queries 2", "queries", 2),
    "--documents": ("linear", "--documents 30", "documents", 30),
    "--hidden": ("neural", "--hidden 3", "hidden", 3),
    "--hidden layers": ("neural", "--hidden 3,2", "hidden", [3, 2]),
    "--activation": ("neural", "--activation relu", "activation", "relu"),
    "--device": ("neural", "--device cpu", "device", "cpu"),
    "--leaves": ("tree", "--leaves 3", "leaves", 3),
    "--min-rows": ("tree", "--min-rows 9", "min_rows", 9),
    "--l2": ("tree", "--l2 0.5", "l2", 0.5),
    "--subsample": ("tree", "--subsample 0.25", "subsample", 0.25),
    "--norm": ("tree", "--no-norm", "norm", False),
    "--threads": ("tree", "--threads 2", "threads", 2),
    "--threads linear": ("linear", "--threads 2", "threads", 2),
    "--threads neural": ("neural", "--threads 0", "threads", 0),
    "--sigma": ("linear", "--sigma 3", "objective sigma", 3.0),
    "--truncation": ("tree", "--truncation 2", "objective truncation", 2),
    "--estimator": ("linear", "--objective softrank:AP --estimator expected", "objective estimator", "expected"),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_acts(gradeval: Gradeval, parts: list[Path], option: str, tmp_path: Path) -> None:
    kind, text, name, value = OPTIONS[option]
    base = ["train", parts[0], "--valid", parts[2], *GAP, "--ranker", kind, "--epochs", 8]
    base += ["--min-rows", 3] if kind == "tree" else []
    for words, model in (([], "before"), (text.split(), "after")):
        done = gradeval(*instead(base, *words), "-o", tmp_path / model)
        assert done.exit_code == 0, done.stderr
    card = json.loads((tmp_path / "after/card.json").read_text())
    held = card["objective"][name.split()[1]] if " " in name else card["parameters"][name]
    assert held == value
    weights = [next(path for path in (tmp_path / model).iterdir() if path.name != "card.json") for model in
               ("before", "after")]  # fmt: skip
    if option == "--patience":  # the same trees, or fewer
        before, after = (load_ranker(tmp_path / model) for model in ("before", "after"))
        assert after.curve == before.curve[: after.best + value]
        assert len(after.curve) < len(before.curve)
    else:
        assert (weights[0].read_bytes() == weights[1].read_bytes()) == option.startswith(("--device", "--threads"))


@pytest.mark.parametrize("valid", [True, False])
def test_validation_chooses_the_trees(gradeval: Gradeval, parts: list[Path], tmp_path: Path, valid: bool) -> None:
    options = ["--objective", "GAP", "--ranker", "auto", "--budget", 64, "--patience", 4, "--validate-by", "nDCG@3"]
    options += ["--valid", parts[2]] if valid else []
    done = gradeval("train", parts[0], parts[1], *options, "-o", tmp_path / "model", "--format", "jsonl")
    assert done.exit_code == 0, done.stderr
    train = Features.concat([read_letor(part) for part in parts[:2]])
    expected = AutoRanker("GAP", budget=64, patience=4).fit(train, read_letor(parts[2]) if valid else None, "nDCG@3")
    loaded = load_ranker(tmp_path / "model")
    assert type(loaded) is TreeRanker
    np.testing.assert_array_equal(loaded.score(train), expected.score(train))
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records == json.loads((tmp_path / "model/card.json").read_text())["tried"]
    assert records == expected.trials.described()
    assert ("held out" in done.stderr) == (not valid)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--ranker auto --draws 5", "an AutoRanker chooses the loss, its draws and its sigma: give the measure alone"),
        ("--ranker auto --leaves 5", "--leaves has no effect on --ranker auto; it belongs to tree"),
        (
            "--ranker tree --budget 100",
            "--budget has no effect on --ranker tree, which takes --epochs; it belongs to auto",
        ),
        ("--ranker auto --budget 10", "--budget 10"),
        ("--ranker auto --position 1", "--position has no effect on --ranker auto"),
        ("--ranker auto --init-model m", "--init-model has no effect on --ranker auto"),
    ],
)
def test_what_is_chosen_is_not_to_be_given(gradeval: Gradeval, parts: list[Path], options: str, said: str) -> None:
    done = gradeval("train", parts[0], *GAP, *options.split())
    assert done.exit_code != 0
    assert said in done.stderr


def test_trees_are_of_the_shape_that_is_named(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("catboost")
    options = ["--ranker", "tree", "--shape", "symmetric", "--leaves", 4, "--epochs", 5]
    done = gradeval("train", parts[0], "--valid", parts[2], *GAP, *options, "-o", tmp_path / "model")
    assert done.exit_code == 0, done.stderr
    loaded, train = load_ranker(tmp_path / "model"), read_letor(parts[0])
    expected = TreeRanker(loaded.objective, shape="symmetric", leaves=4, epochs=5).fit(train, read_letor(parts[2]))
    np.testing.assert_array_equal(loaded.score(train), expected.score(train))
    refused = gradeval("train", parts[0], *GAP, *options, "--min-rows", 3)
    assert "--min-rows 3 is for leaf-wise trees: leave it out" in refused.stderr


def test_training_goes_on_from_a_model(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    base = ["train", parts[0], *GAP, "--ranker", "tree", "--epochs", 3, "--min-rows", 3]
    assert gradeval(*base, "-o", tmp_path / "first").exit_code == 0
    assert gradeval(*base, "--init-model", tmp_path / "first", "-o", tmp_path / "second").exit_code == 0
    second = load_ranker(tmp_path / "second")
    assert second.text.count("Tree=") == 6
    refused = gradeval("train", parts[0], *GAP, "--ranker", "linear", "--init-model", tmp_path / "first")
    assert refused.exit_code == 2
    assert "--init-model has no effect on --ranker linear; take --ranker tree" in refused.stderr


@pytest.mark.parametrize("command", [train.command, crossval.command], ids=["train", "crossval"])
def test_the_help_states_the_defaults_that_the_rankers_have(command: Command) -> None:
    makers = {"linear": LinearRanker, "neural": NeuralRanker, "tree": TreeRanker, "auto": AutoRanker}
    stated = 0
    for option in command.params:
        result = re.search(r"\[default: (.*)\]$", getattr(option, "help", None) or "")
        for kind, maker in makers.items():
            ranker = maker("lambdarank:AP")
            held = {**ranker.objective.parameters, **ranker.parameters}
            if result is None or option.name not in held or option.name in ("seed", "measure"):
                continue
            defaults = [part.rpartition(": ") for part in result[1].split("; ")]
            said = next(default for kinds, _, default in defaults if kind in kinds or not kinds)
            value = held[option.name]
            assert said == "none" if value is None else type(value)(said) == value, (kind, option.name)
            stated += 1
    assert stated == 4 * 8 + 3 * 2 + 2 * 3 + 2 + 2 + 1  # of all; of all but auto; of two kinds; of one each


def test_validation_watches_what_is_asked(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    args = [parts[0], "--valid", parts[2], *GAP, *TREES, "-o", tmp_path / "model"]
    done = gradeval("train", *args, "--validate-by", "nDCG@3")
    assert done.stdout.splitlines()[0].split()[-1] == "nDCG@3"
    ranker, valid = load_ranker(tmp_path / "model"), graded_features(8, seed=3, prefix="p3-")
    mean = evaluate(valid.qrels, valid.run(ranker.score(valid)), "nDCG@3", ties="expected").mean()[0, 0]
    assert ranker.curve[ranker.best - 1].valid == pytest.approx(mean, rel=1e-14)


def test_without_a_place_nothing_is_kept_and_that_is_said(gradeval: Gradeval, parts: list[Path]) -> None:
    before = sorted(os.listdir())
    done = gradeval("train", parts[0], "--valid", parts[2], *GAP, *TREES)
    assert "the model was not kept; -o MODEL keeps it" in done.stderr
    assert sorted(os.listdir()) == before


def test_too_few_epochs_are_said(gradeval: Gradeval, parts: list[Path]) -> None:
    done = gradeval("train", parts[0], "--valid", parts[2], *GAP, *instead(TREES, "--epochs", 1))
    assert "the last of 1 epoch is the best: more --epochs may be better" in done.stderr


def test_the_curve_is_drawn(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    args = ["train", parts[0], *GAP, *GROWN, "--plot", tmp_path / "curve.svg"]
    assert gradeval(*args).exit_code == 0
    assert "mean GAP(g=[0.5,0.5])" in (tmp_path / "curve.svg").read_text()
    assert gradeval(*args, "--valid", parts[2]).exit_code == 0
    drawn = (tmp_path / "curve.svg").read_text()
    assert all(words in drawn for words in ("training queries", "validation queries", "trees"))


KILL = """
import os, signal, sys
from gradeval.ltr.rankers.tree_training import TreeTraining
signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts the tests in the background ignores it
write, count = TreeTraining._write_checkpoint, [0]
def kill(self):
    write(self)
    count[0] += 1
    if count[0] == 4:
        os.kill(os.getpid(), signal.SIGKILL)
TreeTraining._write_checkpoint = kill
from gradeval.cli import main
main(sys.argv[1:])
"""


def test_a_killed_training_goes_on_to_the_same_model(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    args = ["train", parts[0], "--valid", parts[2], *GAP, *TREES]
    assert gradeval(*args, "-o", tmp_path / "whole").exit_code == 0
    command = [sys.executable, "-c", KILL, *map(str, args), "-o", str(tmp_path / "model")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.checkpoint", "whole"]
    assert gradeval(*args, "-o", tmp_path / "model", "--resume").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "whole"]
    for name in ("trees.txt", "card.json"):
        assert (tmp_path / "model" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_who_interrupts_is_told_how_it_goes_on(parts: list[Path], tmp_path: Path) -> None:
    args = ["train", parts[0], "--valid", parts[2], *GAP, *TREES, "-o", tmp_path / "model"]
    command = [sys.executable, "-c", KILL.replace("SIGKILL", "SIGINT"), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGINT
    assert "model.checkpoint holds what is trained so far: the same command with --resume goes on" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_checkpoint_that_is_not_gone_on_from_is_said(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "model.checkpoint").write_text("left")
    args = ["train", parts[0], *GAP, *GROWN, "-o", tmp_path / "model"]
    assert "model.checkpoint: not a checkpoint of this gradeval" in refusal(gradeval(*args, "--resume"))
    assert "model.checkpoint: a file of something else, no checkpoint" in gradeval(*args).stderr
    assert (tmp_path / "model.checkpoint").read_text() == "left"
    (tmp_path / "model.checkpoint").write_text("gradeval checkpoint 1\n")
    assert "model.checkpoint is of a training that was interrupted; this one begins anew" in gradeval(*args).stderr


def test_what_is_learnt_is_worth_something(gradeval: Gradeval, parts: list[Path], tmp_path: Path) -> None:
    args = [*parts[:2], "--valid", parts[2], *GAP, *instead(TREES, "--epochs", 60), "-o", tmp_path / "model"]
    assert gradeval("train", *args).exit_code == 0
    test = graded_features(8, seed=4, prefix="p4-")
    runs = [test.run(load_ranker(tmp_path / "model").score(test), name="trained"), test.run(np.zeros(len(test)))]
    trained, idle = evaluate(test.qrels, runs, "GAP(g=[0.5,0.5])", ties="expected").mean()[:, 0]
    assert trained > idle + 0.1


@pytest.mark.parametrize("sizes", [[20] * 10, [1] * 200], ids=["by query", "by row"])
def test_weights_that_lie_beside_the_file_are_used(gradeval: Gradeval, sizes: list[int], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    features = Features.from_arrays(rng.normal(size=(200, 2)), rng.integers(0, 3, 200), sizes=[20] * 10)
    write_letor(features, tmp_path / "rank.train", query=tmp_path / "rank.train.query")
    weights = rng.uniform(0.1, 3, len(sizes)).round(3).tolist()
    (tmp_path / "rank.train.weight").write_text("".join(f"{weight}\n" for weight in weights))
    (tmp_path / "rank.train.position").write_text("1\n" * 200)
    options = ["--ranker", "tree", "--min-rows", "2", "--epochs", "3", "--objective", "GAP", "-o", tmp_path / "model"]
    said = gradeval("train", tmp_path / "rank.train", *options)
    assert f"rank.train.weight: its {len(sizes)} weights are used, one for each " in said.stderr
    assert "rank.train.position lies next to rank.train and is not used: pass its numbers as position=" in said.stderr
    ranker = TreeRanker("GAP", min_rows=2, epochs=3).fit(features, sample_weight=weights)
    np.testing.assert_array_equal(load_ranker(tmp_path / "model").score(features), ranker.score(features))
    named = gradeval("train", tmp_path / "rank.train", *options, "--weights", tmp_path / "rank.train.weight")
    assert "rank.train.weight" not in named.stderr
    (tmp_path / "rank.train.weight").write_text("1\n" * 11)
    said = gradeval("train", tmp_path / "rank.train", *options)
    assert (said.exit_code, "rank.train.weight:11: ends after 11 weights; " in said.stderr) == (2, True)


def test_weights_and_categories_reach_the_training(gradeval: Gradeval, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    code = rng.integers(0, 6, 200)
    features = Features.from_arrays(
        np.column_stack([rng.normal(size=200), code]), 1 + (code % 2), topics=np.repeat(np.arange(10), 20)
    )
    write_letor(features, tmp_path / "train.txt")
    (tmp_path / "weights").write_text("2\n" * 5 + "1\n" * 5)
    options = ["--ranker", "tree", "--min-rows", "2", "--epochs", "3", "--objective", "lambdarank:AP(rel=2)"]
    more = ["--categorical", "2", "--weights", tmp_path / "weights"]
    gradeval("train", tmp_path / "train.txt", *options, *more, "-o", tmp_path / "model")
    ranker = TreeRanker("lambdarank:AP(rel=2)", min_rows=2, epochs=3, categorical=["2"])
    ranker.fit(read_letor(tmp_path / "train.txt"), sample_weight=[2] * 5 + [1] * 5)
    np.testing.assert_array_equal(load_ranker(tmp_path / "model").score(features), ranker.score(features))
    (tmp_path / "weights").write_text("1\nx\n")
    said = gradeval("train", tmp_path / "train.txt", *options, *more)
    assert (said.exit_code, "'x', the weight 2, is not a number" in said.stderr) == (2, True)
    said = gradeval("train", tmp_path / "train.txt", *options, "--categorical", "hue")
    assert (said.exit_code, "no feature 'hue' to be a category" in said.stderr) == (2, True)


def test_a_parquet_column_of_type_category_trains_and_ranks_as_words_that_are_named(
    gradeval: Gradeval, tmp_path: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    code = rng.integers(0, 4, 200)
    words, price = np.array(["red", "blue", "teal", "grey"])[code], rng.normal(size=200)
    queries = np.repeat(np.arange(10), 20)
    frame = pandas.DataFrame({"qid": queries, "label": code % 2, "price": price, "hue": words})
    frame.to_csv(tmp_path / "f.csv", index=False)
    frame.astype({"hue": "category"}).to_parquet(tmp_path / "f.parquet", index=False)
    how = ["--objective", "GAP", "--ranker", "tree", "--min-rows", 2, "--epochs", 3]
    ranks = []
    for name, more in (("f.parquet", []), ("f.csv", ["--categorical", "hue"])):
        done = gradeval("train", tmp_path / name, *how, *more, "-o", tmp_path / f"m-{name}", "-v")
        assert "note: 2 features (price, hue); hue is a category of words" in done.stderr
        (tmp_path / f"m-{name}").rename(tmp_path / "model")
        ranks += [gradeval("rank", tmp_path / "model", tmp_path / other).stdout for other in ("f.csv", "f.parquet")]
        (tmp_path / "model").rename(tmp_path / f"m-{name}")
    assert len(ranks[0].splitlines()) == 200
    assert len({*ranks}) == 1
    folds = [
        gradeval("crossval", tmp_path / name, *how, *more, "-m", "GAP", "--folds", 3, "--jobs", 1).stdout
        for name, more in (("f.parquet", []), ("f.csv", ["--categorical", "hue"]))
    ]
    assert folds[0] == folds[1] != ""
    linear = gradeval("train", tmp_path / "f.parquet", "--ranker", "linear", "--objective", "GAP")
    assert "column 'hue' (row 0: " in refusal(linear)


@pytest.mark.filterwarnings("always::gradeval.SplitQueriesWarning")
def test_shuffled_rows_of_a_table_train_the_model_of_sorted_ones_and_weights_are_refused(
    gradeval: Gradeval, tmp_path: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    features = graded_features(12, seed=4)
    topics = np.repeat(features.topics, np.diff(features.offsets))
    frame = pandas.DataFrame(features.X).add_prefix("f").assign(query_id=topics, relevance=features.grades)
    shuffled = frame.sample(frac=1, random_state=1)
    shuffled.to_parquet(tmp_path / "shuffled.parquet", index=False)
    shuffled.sort_values("query_id", kind="stable").to_parquet(tmp_path / "sorted.parquet", index=False)
    options = ["--objective", "GAP", "--ranker", "tree", "--min-rows", 2, "--epochs", 3, "--format", "tsv"]
    done = [gradeval("train", tmp_path / f"{name}.parquet", *options) for name in ("shuffled", "sorted")]
    curves = [[line.split("\t")[:2] for line in one.stdout.splitlines()] for one in done]
    assert curves[0] == curves[1]
    assert ["all rows were sorted by query" in one.stderr for one in done] == [True, False]
    (tmp_path / "shuffled.parquet.weight").write_text("1\n" * len(frame))
    for weights in ([], ["--weights", tmp_path / "shuffled.parquet.weight"]):
        assert "these were sorted by query; sort the rows by query first" in refusal(
            gradeval("train", tmp_path / "shuffled.parquet", *options, *weights)
        )


def test_queries_that_teach_nothing_and_a_training_without_validation_are_noted(tmp_path: Path) -> None:
    rows = [
        (query, grade) for query in range(12) for grade in ((0, 0) if query < 3 else (2, 2) if query < 5 else (0, 1))
    ]
    lines = [f"{grade} qid:{query} 1:{at % 7} 2:{at % 5}\n" for at, (query, grade) in enumerate(rows)]
    (tmp_path / "t.txt").write_text("".join(lines))
    words = ["train", str(tmp_path / "t.txt"), "--objective", "nDCG", "--ranker", "linear", "--epochs", "2"]
    alone = CliRunner().invoke(main, words).stderr
    assert "note: 5 of 12 queries of" in alone
    assert "t.txt teach nothing, as their documents have one grade\n" in alone
    assert "note: without --valid nothing stops early: all 2 epochs are kept\n" in alone
    assert "in the validation" not in alone
    (tmp_path / "v.txt").write_text("".join(line.replace("qid:", "qid:v") for line in lines))
    validated = CliRunner().invoke(main, [*words, "--valid", str(tmp_path / "v.txt")]).stderr
    assert "note: 3 of 12 queries of" in validated
    assert "v.txt have no grade above 0 and count 0 in the validation\n" in validated
    assert "without --valid" not in validated
    (tmp_path / "u.txt").write_text("".join(lines[10:]))
    whole = CliRunner().invoke(main, ["train", str(tmp_path / "u.txt"), *words[2:]]).stderr
    assert "teach" not in whole
