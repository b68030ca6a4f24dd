"""Options of rankers are their declared parameters: what a class refuses, the command refuses in the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
