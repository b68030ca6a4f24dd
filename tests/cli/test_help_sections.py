"""Examples of help texts run as they stand in the folder of examples."""

from __future__ import annotations

import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gradeval.cli import main
from gradeval.cli.help_sections import shorten

from .conftest import Gradeval

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("command", ["evaluate", "curve", "trec_eval", "describe", "compare", "judges"])
def test_examples_run_on_the_example_collection(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    topics = {line.split()[0] for line in Path("qrels.txt").read_text().splitlines()}
    Path("segments.csv").write_text("topic,length\n" + "".join(f"{one},{one[-1:]}\n" for one in sorted(topics)))
    lines = [line.strip() for line in CliRunner().invoke(main, [command, "--help"]).output.splitlines()]
    shown = [line for line in lines if line.startswith(f"gradeval {command}") and "qrels.txt" in line]
    assert shown
    for line in shown:
        if "--plot" in line:
            pytest.importorskip("altair")
        words = [name for word in shlex.split(line)[1:] for name in ([word] if "*" not in word else expand(word))]
        result = gradeval(*words)
        assert result.exit_code == 0, (line, result.stderr)


LONGEST = 14
"""Words of the short help of an option."""
RIDDLES = re.compile(r"(As (of|for)|For the|Of|Those|That of|The same|Only these|Which has|How,)\\b")
"""Beginnings that only who knows what stands before understands."""


def all_commands() -> Iterator[click.Context]:
    """All commands of gradeval, those of groups too."""
    waiting = [click.Context(main, info_name="gradeval")]
    while waiting:
        context = waiting.pop()
        if not isinstance(context.command, click.Group):
            yield context
            continue
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            assert command is not None
            waiting.append(click.Context(command, parent=context, info_name=name))


def test_the_short_help_of_an_option_is_a_whole_sentence_of_few_words_that_says_which() -> None:
    wrong, commands = [], 0
    for context in all_commands():
        commands += 1
        options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
        records = [one.get_help_record(context) for one in options]
        short = [shorten(*record)[1].partition("  [")[0] for record in records if record is not None]
        times = Counter(short)
        for text in short:
            faults = {
                "long": len(text.split()) > LONGEST,
                "empty": not text or text.startswith("["),
                "a bracket or quote is open": text.count("(") != text.count(")") or text.count('"') % 2 > 0,
                "begins as a riddle": RIDDLES.match(text),
                "ends open": text.endswith((":", ";", ",")),
                "as another option": times[text] > 1,
            }
            wrong += [(context.command_path, text, fault) for fault, found in faults.items() if found]
    assert commands > 60
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One"),
        ("Seeds (0, 1, 2 ...), or a list. Two", "Seeds (0, 1, 2 ...), or a list"),
        ("0; or 0.5: as in a.b; all. Two", "0; or 0.5: as in a.b; all"),
        ("All.  [default: 1. 2]", "All  [default: 1. 2]"),
    ],
)
def test_the_short_help_is_the_first_sentence(text: str, first: str) -> None:
    assert shorten("--x", text) == ("--x", first)


def expand(pattern: str) -> list[str]:
    return sorted(map(str, Path().glob(pattern))) if pattern.startswith("runs") else [pattern]


@pytest.mark.parametrize("command", ["train", "crossval"])
def test_the_short_help_of_training_shows_what_most_set_first(gradeval: Gradeval, command: str) -> None:
    shown = gradeval(command, "-h").stdout
    for option in ("--objective", "--ranker", "--epochs", "--output"):
        assert option in shown
    assert "The largest number of epochs" in " ".join(shown.split())


@pytest.mark.parametrize("command", ["compare", "ranks", "correlate"])
def test_the_short_help_shows_that_ready_scores_are_read(gradeval: Gradeval, command: str) -> None:
    said = gradeval(command, "-h").stdout
    assert "--scores [NAME=]FILE" in said
    assert "--output FILE" in said
