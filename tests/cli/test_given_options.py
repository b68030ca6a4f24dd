"""Options as typed: two values of one are refused by every command, and errors say what was typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import Result

from gradeval import InputError, ranks, read_scores
from gradeval.cli import main

from .conftest import Gradeval, refusal


def commands_of(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below a group, groups with options among them, by the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from commands_of(command, (*words, name))


COMMANDS = dict(commands_of(main))


TEXTS = ("1", "2", "20", "30", "0.25", "0.125", "a", "b", "query=1", "query=2", "1,2", "2,1")
"""Values, of which each option takes two at least that are not among a few words."""


def two_values(option: click.Option) -> tuple[list[str], list[str]]:
    """The words that give an option one value, and another."""
    name = option.opts[-1]
    if option.secondary_opts:
        return [name], [option.secondary_opts[-1]]
    kind = getattr(option.type, "kind", option.type)
    words = [*getattr(kind, "choices", ()), *getattr(getattr(kind, "one", kind), "words", ())]
    one, other, *_ = words or [text for text in TEXTS if converts(option, text)]
    return [name, one], [name, other]


def converts(option: click.Option, text: str) -> bool:
    try:
        option.type_cast_value(
            click.Context(click.Command("any")), (text,) * option.nargs if option.nargs > 1 else text
        )
    except (click.BadParameter, InputError):
        return False
    return True


def complaint(command: click.Command, args: list[str]) -> str:
    """What is wrong with the arguments, as far as they are read."""
    try:
        command.make_context("it", list(args))
    except (InputError, click.UsageError) as error:
        return str(error)
    except click.exceptions.Exit:
        pass
    return ""


def test_every_option_that_takes_one_value_refuses_a_second() -> None:
    tried = 0
    for words, command in COMMANDS.items():
        for option in command.params:
            if not isinstance(option, click.Option) or option.multiple or option.is_eager:
                continue
            if (option.is_flag and not option.secondary_opts) or len(getattr(option.type, "choices", "any")) == 1:
                continue  # there is but one value
            once, again = two_values(option)
            said = complaint(command, [*once, *again])
            assert option.opts[-1] in said, (words, once, again)
            assert "given twice" in said or "both given" in said, (words, once, again)
            assert "\n" not in said
            assert "given" not in complaint(command, [*once, *once]), (words, once)
            tried += 1
    assert tried > 300


def test_options_that_add_up_take_several_values() -> None:
    several = {
        option.opts[-1] if option.opts[-1].startswith("--") else option.opts[0]
        for command in COMMANDS.values()
        for option in command.params
        if isinstance(option, click.Option) and option.multiple
    }
    assert {"--measures", "--scores", "--judge", "--baseline", "--collection", "--recode"} <= several
    for words, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option) and option.multiple:
                texts = ("4=3", "2=1") if option.name == "recode" else ("a", "b")
                name = option.opts[-1]
                said = complaint(command, [name, *[texts[0]] * option.nargs, name, *[texts[1]] * option.nargs])
                assert "given twice, as" not in said, (words, name, said)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--topics", "t1", "--topics", "t2"], "--topics is given twice, as t1 and as t2; give one value"),
        (["--alpha", "0.05", "--alpha", ".05", "--alpha", ".1"], "--alpha is given twice, as 0.05 and as .1; give one"),
        (["--alpha=.1", "--samples", "20", "--alpha", ".2"], "--alpha is given twice, as .1 and as .2; give one value"),
        (["--plot", "x.svg", "--plot=y.svg"], "--plot is given twice, as x.svg and as y.svg; give one value"),
        (["--digits", "3", "--digits", "4"], "--digits is given twice, as 3 and as 4; give one value"),
        (["--ties", "docid", "--ties", "order"], "--ties is given twice, as docid and as order; give one value"),
        (["--alpha", "0.05", "--alpha", "x"], "--alpha x is not between 0 and 1, as in 0.05"),
    ],
)
def test_which_value_counts_is_not_left_open(gradeval: Gradeval, files: list[Path], args: list[str], said: str) -> None:
    assert refusal(gradeval("ranks", *files, *args)).startswith(said)


def test_commands_that_write_one_file_refuse_a_second(gradeval: Gradeval, files: list[Path]) -> None:
    for args in (["-o", "x", "--output=y"], ["-ox", "-oy"]):
        said = refusal(gradeval("trec_eval", *files[:2], *args))
        assert said.startswith("--output is given twice, as x and as y; give one value")


def test_a_shell_completes_a_line_with_two_values() -> None:
    completed = ShellComplete(main, {}, "gradeval", "_GRADEVAL_COMPLETE").get_completions(
        ["ranks", "--alpha", ".1", "--alpha", ".2"], "--see"
    )
    assert [one.value for one in completed] == ["--seed"]


def test_the_same_value_twice_is_one_value(gradeval: Gradeval, board: Path) -> None:
    once = gradeval("ranks", "--scores", board, "--alpha", "0.10", "--topics", "a,b,c")
    twice = gradeval("ranks", "--scores", board, "--alpha", "0.1", "--alpha", ".1", *["--topics", "a,b,c"] * 2)
    assert (once.exit_code, once.output) == (0, twice.output)


NAMES = [
    "samples=5",
    "topics=few:2",
    "--alpha",
    "alpha=3",
    "it's",
    '"quoted"',
    "a[0]",
    "{x}",
    "b; c: d",
    "topic",
    "task",
    "baseline=baseline=x",
]


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A leaderboard."""
    path = tmp_path / "board.csv"
    path.write_text("model,a,b,c,d\noak,.5,.6,.7,.3\nelm,.4,.5,.6,.2\nash,.3,.2,.2,.1\n")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_errors_repeat_what_was_typed(gradeval: Gradeval, board: Path, name: str) -> None:
    def said(*args: object) -> str:
        result: Result = gradeval(*args)
        return refusal(result)

    absent = said("compare", "--scores", board, f"--baseline={name}")
    assert absent.startswith(f"--baseline {name}: no run {name!r} to compare with")
    first = name.split(",")[0]
    assert said("ranks", "--scores", board, f"--runs={name},oak").startswith(f"--runs {name},oak: no run {first!r}")
    assert said("ranks", "--scores", board, f"--seed={name}") == f"--seed {name} is not a whole number from 0"


def test_a_parameter_that_was_not_typed_is_spelled_as_an_option(gradeval: Gradeval, board: Path) -> None:
    said = refusal(gradeval("ranks", "--scores", board, "--alpha", "0.001", "--samples", "20"))
    assert said == "--samples 20 cannot resolve --alpha 0.001; give 1000 or more"
    with pytest.raises(InputError, match=r"^samples=20 cannot resolve alpha=0\.001; give 1000 or more$"):
        ranks(read_scores(board), alpha=0.001, samples=20)


def test_topics_of_a_file_are_called_by_its_name(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "chosen.txt").write_text("t1\nt77\n")
    said = refusal(gradeval("evaluate", *files, "--topics", tmp_path / "chosen.txt"))
    assert said.startswith(f"--topics {tmp_path / 'chosen.txt'}: no topic 't77'")
