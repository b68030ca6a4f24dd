"""The command line: one thin module a command, imported when the command runs."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from gradeval._core import InputError
from gradeval.checks import visible
from gradeval.cli.screen.interruption import end_interrupted, interruptible
from gradeval.cli.screen.status import STATUS
from gradeval.cli.screen.streams import reopen_streams, write_utf8

PIPE_CLOSED = 128 + 13  # and SIGPIPE
NO_ARGS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())  # click 8.1 prints the help by itself

COMMANDS = {
    "evaluate": ("gradeval.cli.score.evaluate:evaluate", "Score runs against judgments."),
    "trec_eval": ("gradeval.cli.score.trec_eval:trec_eval", "Print what trec_eval prints, byte for byte."),
    "curve": ("gradeval.cli.score.curve:command", "Trace precision-recall curves, binary and graded."),
    "check": (
        "gradeval.cli.score.check:check",
        "Validate runs and report what the judgments cover, without scoring.",
    ),
    "describe": ("gradeval.cli.score.describe:command", "Describe a collection: topics, grades, coverage of runs."),
    "report": ("gradeval.cli.score.report:command", "Write one page: which run, by which measure, how sure."),
    "compare": ("gradeval.cli.study.compare:command", "Test whether runs differ, pair by pair."),
    "ranks": ("gradeval.cli.certainty.ranks:command", "Say between which ranks each run lies, and which may be best."),
    "judges": ("gradeval.cli.judges.judges:command", "Compare grades of language models with those of humans."),
    "correlate": ("gradeval.cli.study.correlate:command", "Correlate the orders in which measures put runs."),
    "robustness": ("gradeval.cli.study.robustness:command", "Thin the judgments: do runs keep their order?"),
    "discriminate": (
        "gradeval.cli.study.discriminate:command",
        "Count the pairs of runs that measures tell apart.",
    ),
    "inform": ("gradeval.cli.study.inform:command", "Tell how much of a ranking the value of a measure reveals."),
    "explain": ("gradeval.cli.score.explain:explain", "Explain a measure: formula, parameters, a worked example."),
    "measures": ("gradeval.cli.score.measures:measures", "List the measures."),
    "train": ("gradeval.cli.learn.train:command", "Train a ranker for any measure."),
    "rank": ("gradeval.cli.learn.rank:rank", "Rank documents by a trained ranker."),
    "crossval": (
        "gradeval.cli.learn.crossval:command",
        "Cross-validate: does it matter what rankers are trained for?",
    ),
    "export": ("gradeval.cli.learn.export:command", "Write a ranker for other tools: ONNX, or LightGBM's text."),
    "clicks": ("gradeval.cli.clicks.estimate:command", "Estimate from clicks the share of users by their threshold."),
    "simulate": (
        "gradeval.cli.study.simulate:simulate",
        "Draw test collections or clicks, or redo experiments, seeded.",
    ),
    "completion": (
        "gradeval.cli.score.completion:completion",
        "Print a script that completes commands in a shell.",
    ),
}
"""Every command: where it is, and what it does in a line."""

HEADINGS = {
    "evaluate": "Runs",
    "correlate": "Measures",
    "train": "Learning to rank",
    "clicks": "Users and simulation",
    "completion": "Shell",
}
"""The first command below each heading of the help."""


class Commands(click.Group):
    """A group whose commands are imported when they run, and whose errors are one line on stderr."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or say which one may have been meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            close = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.6)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(COMMANDS)}"
            ctx.fail(f"no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        names = list(COMMANDS)
        width = max(map(len, names))
        firsts = [names.index(name) for name in HEADINGS]
        for heading, first, end in zip(HEADINGS.values(), firsts, [*firsts[1:], None], strict=True):
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in names[first:end]])

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run a command. What is wrong with its input is one line on stderr and status 2, no traceback."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        reopen_streams()
        if os.name == "nt":
            write_utf8(sys.stdout)
            write_utf8(sys.stderr)
        try:
            with interruptible():
                status = super().main(args, standalone_mode=False, **extra)
                sys.stdout.flush()
        except InputError as error:
            _fail(str(error))
        except NO_ARGS as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            _fail(_sentence(error))
        except (KeyboardInterrupt, click.Abort):
            end_interrupted()
        except MemoryError:
            _fail(f"out of memory: take fewer {_countable(self, sys.argv[1:] if args is None else args)} at once")
        except OSError as error:  # files have been opened by now: what fails is to write
            _drop_output()
            _fail(f"{error.filename or 'standard output'}: cannot be written ({error.strerror or error})")
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; where the reader of its output has gone (``| head``), end as other tools do."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt as error:
            raise click.Abort from error  # click would print an empty line before
        except BrokenPipeError:
            _drop_output()
            ctx.exit(PIPE_CLOSED)
        return ctx.meta.get(STATUS, result)


def _drop_output() -> None:
    """Discard what is still to be written: else Python complains when it flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> NoReturn:
    click.echo(f"gradeval: error: {visible(message)}", err=True)
    sys.exit(2)


LARGE = {
    "samples": "--samples",
    "repetitions": "--repetitions",
    "sessions": "--sessions",
    "jobs": "--jobs",
    "topics": "topics",
    **dict.fromkeys(["runs", "run_files", "places"], "runs"),
    "systems": "systems",
    "judges": "judges",
    **dict.fromkeys(["documents", "train_files", "parts", "features", "files"], "documents"),
    "items": "items",
    "measures": "measures",
}
"""Parameters that memory grows with, and what the message "take fewer ..." calls them."""


def _countable(command: click.Command, words: Sequence[str]) -> str:
    """What the user can take fewer of, by the parameters of the command that ``words`` name."""
    ctx = click.Context(command)
    for word in words:
        if isinstance(command, click.Group):
            command = command.get_command(ctx, word) or command
    names = {parameter.name for parameter in command.params}
    *others, last = dict.fromkeys(word for name, word in LARGE.items() if name in names) or ["data"]
    return f"{', '.join(others)} or {last}" if others else last


KINDS = {"integer range": "a whole number", "integer": "a whole number", "float range": "a number", "float": "a number"}
"""What click calls the kinds of numbers, the longer names first, and what they are."""


def _sentence(error: click.ClickException) -> str:
    """click's message in the style of the others: one line in lower case, with a pointer to the help."""
    message = " ".join(error.format_message().split()).rstrip(".")
    for kind, plainly in KINDS.items():
        message = message.replace(f"is not a valid {kind}", f"is not {plainly}")
    ctx = getattr(error, "ctx", None)
    seek = f" ({ctx.command_path} --help shows how)" if ctx is not None else ""
    return message[:1].lower() + message[1:] + seek


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from gradeval.version import __version__

        click.echo(f"gradeval {__version__}")
        ctx.exit()


@click.group(
    name="gradeval",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  gradeval evaluate qrels.txt runs/*
  gradeval evaluate qrels.txt runs/elm.txt -m "AP nDCG@20 GAP(g=[0.2,0.3,0.5])" --ci
  gradeval report qrels.txt runs/* -o report.html
  gradeval check qrels.txt submissions/*.gz
  gradeval compare qrels.txt runs/* --baseline elm
  gradeval correlate qrels.txt runs/* -m "AP nDCG GAP"
  gradeval train S1.txt S2.txt --valid S3.txt --objective "lambdarank:GAP(g=[0.5,0.5])" -o gap
  gradeval crossval S?.txt --objective lambdarank:GAP --objective lambdarank:AP
  gradeval explain "Q(beta=1)@10"

'gradeval COMMAND --help' shows the options of a command and examples.""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def main() -> None:
    """Evaluate rankings with graded relevance, compare runs and measures, and train rankers for any measure."""
