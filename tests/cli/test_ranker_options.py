"""Options of rankers are their declared parameters: what a class refuses, the command refuses in the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import InputError
from gradeval.arguments import Anything, Declared, Flag, read_fields
from gradeval.cli.commands import crossval, train
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.kinds import KINDS, ranker_class

from .conftest import Gradeval, refusal

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

IN_PYTHON = {"objective", "module", "engine_params"}
"""What is no option of its kind: --objective is read in another way, and the others have no word on a command line."""


def parameters() -> list[tuple[str, Declared]]:
    return [(kind, one) for kind in KINDS for one in read_fields(ranker_class(kind)).values()]


def test_every_parameter_that_declares_a_kind_is_an_option_with_its_help() -> None:
    for kind, one in parameters():
        for command in (train.command, crossval.command):
            option: Any = next((each for each in command.params if each.name == one.name), None)
            if type(one.kind) is Anything:
                assert one.name in IN_PYTHON
            elif one.name != "seed":
                assert one.help.removesuffix(".").lower() in option.help.lower(), (kind, one.name)
                assert isinstance(one.kind, Flag) == option.is_flag


@pytest.mark.parametrize(("kind", "one"), [
    pytest.param(kind, one, id=f"{kind}-{one.name}")
    for kind, one in parameters()
    if type(one.kind) is not Anything and not isinstance(one.kind, Flag) and one.name != "seed"
])  # fmt: skip
@pytest.mark.parametrize("word", ["-1", "0.5x"])
def test_a_command_refuses_what_the_class_refuses_in_its_words(
    gradeval: Gradeval, parts: list[Path], kind: str, one: Declared, word: str
) -> None:
    word = "7,7" if one.name == "categorical" else word
    with pytest.raises(InputError) as refused:
        ranker_class(kind)("lambdarank:AP", **{one.name: one.kind.parse(word)})
    option = f"--{one.name.replace('_', '-')}"
    said = refusal(gradeval("train", parts[0], "--objective", "AP", "--ranker", kind, option, word))
    assert said.rstrip() == f"{option} {word}{refused.value.args[-1]}"


@pytest.mark.parametrize("name", ["sigma", "truncation", "estimator", "draws", "noise", "spread", "balance"])
def test_options_of_the_objective_are_its_parameters(gradeval: Gradeval, parts: list[Path], name: str) -> None:
    with pytest.raises(InputError) as refused:
        Objective("lambdarank", "AP", **{name: "0.5x"})
    said = refusal(gradeval("train", parts[0], "--objective", "lambdarank:AP", f"--{name}", "0.5x"))
    assert said.rstrip() == f"--{name} 0.5x{refused.value.args[-1]}"


def write_shop(folder: Path, name: str, *, graded: bool = True) -> Path:
    """A log of a shop's searches: twenty, of six offers each, of which the cheaper ones are clicked."""
    lines = ["srch_id,offer,title,price" + ",clicked" * graded]
    for search in range(20):
        for place in range(6):
            price = (search * 7 + place * 5) % 31
            lines.append(f"{search},{search % 3 + place + 40},inn,{price}.5" + f",{int(price < 12)}" * graded)
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


@pytest.mark.filterwarnings("always::gradeval.FeaturesWarning")
def test_columns_are_named_alike_for_training_testing_and_ranking(gradeval: Gradeval, tmp_path: Path) -> None:
    shop, model = write_shop(tmp_path, "shop.csv"), tmp_path / "model"
    columns = ["--columns", "query=srch_id,doc=offer,grade=clicked", "--leave-out", "title"]
    trained = "--objective lambdarank:AP --ranker linear --epochs 2".split()
    result = gradeval("train", shop, *columns, *trained, "-o", model)
    assert "1 feature (price)" in result.stderr, result.output
    crossed = gradeval("crossval", shop, *columns, *trained, "--folds", 3, "-m", "AP", "--jobs", 1)
    assert crossed.exit_code == 0, crossed.output
    new = write_shop(tmp_path, "new.csv", graded=False)
    ranked = gradeval("rank", model, new, *"--columns query=srch_id,doc=offer".split())
    assert ranked.stdout.splitlines()[0].split()[2] in map(str, range(40, 46))
    assert "title: left out, as the ranker is trained on price" in ranked.stderr
    assert "columns 'title' (line 2: 'inn')" not in ranked.stderr
    refused = refusal(gradeval("train", shop, *columns[:2], *trained))
    assert "column 'title' (line 2: 'inn') holds no numbers; leave it out: add --leave-out title; or write" in refused
    assert "--categorical" not in refused  # which has no effect on linear rankers


@pytest.mark.filterwarnings("always::gradeval.FeaturesWarning")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_advice_on_words_works_as_typed(gradeval: Gradeval, tmp_path: Path, ending: str) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    size, shops = rng.choice(["9", "10", "M", "S", "XL"], 200), [f"shop {row}" for row in range(200)]
    grades = np.isin(size, ["M", "10"]) + rng.integers(0, 2, 200)
    frame = pandas.DataFrame({"qid": np.repeat(range(10), 20), "label": grades, "size": size, "shop": shops})
    codes = frame["size"].map(dict(zip(["10", "9", "M", "S", "XL"], range(5), strict=True)))
    coded = frame.assign(size=codes).drop(columns="shop")

    def write(one: Any, name: str) -> Path:
        path = tmp_path / f"{name}.{ending}"
        if ending == "csv":
            one.to_csv(path, index=False)
        else:
            one.to_parquet(path, index=False)  # as text: what is of type category is read as one
        return path

    def scores_of(*given: Any) -> list[str]:
        done = gradeval("rank", *given)
        assert done.exit_code == 0, done.output
        return [line.split()[4] for line in sorted(done.stdout.splitlines())]

    train, model, by_code = write(frame, "train"), tmp_path / "model", tmp_path / "by_code"
    trained = "--objective GAP --ranker tree --epochs 4 --min-rows 5".split()
    refused = refusal(gradeval("train", train, *trained))
    advice = "if 'size' is a category: --categorical size --leave-out shop; or write numbers"
    assert advice in refused
    options = advice.partition(": ")[2].partition(";")[0].split()
    assert gradeval("train", train, *trained, *options, "-o", model).exit_code == 0
    coded.to_csv(tmp_path / "coded.csv", index=False)
    numbered = gradeval("train", tmp_path / "coded.csv", *trained, "--categorical", "size", "-o", by_code)
    assert numbered.exit_code == 0, numbered.output
    assert scores_of(model, train) == scores_of(by_code, tmp_path / "coded.csv")
    tens = frame["size"] == "10"  # a file in which all words are numbers
    coded[tens].to_csv(tmp_path / "coded_tens.csv", index=False)
    assert scores_of(model, write(frame[tens], "tens")) == scores_of(by_code, tmp_path / "coded_tens.csv")
    new = write(frame.assign(size=frame["size"].replace("XL", "XS")), "new")
    said = gradeval("rank", model, new).stderr
    assert "size has 1 value that training did not have ('XS')" in said
    refused = refusal(gradeval("train", train, *trained, "--categorical", "size,shop"))
    assert "category 'shop' has another value in nearly each row, as ids do: leave it out: --leave-out shop " in refused
    assert refused.rstrip().endswith("--leave-out shop --categorical size")
    crossed = gradeval("crossval", train, *trained, *options, "--folds", 3, "-m", "GAP", "--jobs", 1)
    assert crossed.exit_code == 0, crossed.output


def test_columns_that_are_named_in_several_options_add_up(gradeval: Gradeval, tmp_path: Path) -> None:
    shop = write_shop(tmp_path, "shop.csv")
    trained = "--objective lambdarank:AP --ranker linear --epochs 2".split()
    named = ["--columns", "query=srch_id", "--columns", "grade=clicked"]
    result = gradeval("train", shop, *named, "--leave-out", "title", "--leave-out", "offer,title", *trained)
    assert "1 feature (price)" in result.stderr, result.output
    said = refusal(gradeval("train", shop, *named, "--columns", "query=title", *trained))
    assert "names the column query twice" in said
