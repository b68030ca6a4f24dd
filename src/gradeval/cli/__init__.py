"""The command line: reads options, calls a function, prints its result; commands of studies are made from them."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gradeval._core import InputError
from gradeval.cli.command_groups import BY_HAND, GUESSES, LISTS, all_commands, listed
from gradeval.cli.interruption import interruptible
from gradeval.cli.streams import STATUS, WAITING, reopen_streams, write_utf8
from gradeval.messages import visible
from gradeval.startup import INTERRUPTED, is_command, keep_imported
from gradeval.studies import list_studies
from gradeval.warning_categories import FilesWarning, GradevalWarning, Note

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PIPE_CLOSED = 128 + 13  # and SIGPIPE
NO_ROOM = ("failed to map segment", "cannot allocate memory", "Cannot allocate memory")
"""What the system's loader says of a library for which there is no memory."""
NO_ARGS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())  # click 8.1 prints the help by itself

OF_OTHERS = {
    "--exclude": "commands in which judgments meet runs have it, as evaluate does",
    "--scores": "evaluate computes scores; compare, ranks and report read ready ones",
    "--missing": "evaluate, compare and report have it; gate counts 0 for topics that a run misses",
    "--ci": "studies have intervals without it; correlate shows them with --reference MEASURE",
}
"""What to do where an option is asked for that other commands or tools have."""
NEXT = {
    "evaluate": ("compare QRELS RUNS", "do these runs differ?"),
    "compare": ("report QRELS RUNS", "all of this on one page"),
    "ranks": ("report QRELS RUNS", "all of this on one page"),
    "check": ("evaluate QRELS RUNS", "score the runs"),
    "measures": ("explain MEASURE", "formula, parameters, a worked example"),
    "explain": ("evaluate QRELS RUNS -m MEASURE", "score runs by it"),
    "train": ("rank MODEL FEATURES -o RUN", "rank documents by it"),
    "rank": ("evaluate QRELS RUN", "score the run"),
    "judges": ("report QRELS RUNS --judge QRELS", "all of this on one page"),
    "describe": ("evaluate QRELS RUNS", "score the runs"),
}
"""The command that is useful next, and what for: said at the end on terminals."""


def _meant(name: str, known: Mapping[str, object]) -> str:
    """What somebody may have meant who typed a name that no command has."""
    guessed = [words for words, names in GUESSES.items() if name.lower() in names.split()]
    if guessed:
        return f"gradeval {guessed[0]} does that"
    import difflib  # both here, as names are seldom wrong

    from gradeval.synonyms import meant_by

    close = meant_by(name, known) or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else "gradeval -h all lists the commands"


def on_terminal() -> bool:
    """Does somebody read standard error as it is written?"""
    return sys.stderr.isatty()


def print_next(command: str | None) -> None:
    """Name the command that is useful next, where somebody reads it: on a terminal."""
    if command in NEXT and on_terminal():
        words, why = NEXT[command]
        click.echo(f"next: gradeval {words}  ({why})", err=True)


def _command_of_study(command: str) -> click.Command | None:
    """The command of a study, whose words are joined by - or by _."""
    studies, name = list_studies(), command.replace("-", "_")
    if name not in studies:
        return None
    from gradeval.cli.derive import command_of

    return command_of(getattr(import_module(studies[name][0]), name))


class Commands(click.Group):
    """A group whose commands are imported when they run, and whose errors are one line on stderr."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The names of the commands, in the order of the help."""
        return list(all_commands())

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Import a command."""
        if name not in BY_HAND:
            return _command_of_study(name)
        module, attribute = BY_HAND[name][0].split(":")
        command: click.Command = getattr(import_module(f"{__name__}.commands.{module}"), attribute)
        if is_command():
            keep_imported()
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and options that begin so, in the order of the groups: before a letter those that the help shows.

        Nothing is imported for it.
        """
        from click.shell_completion import CompletionItem

        first = {name: line for lines in listed(None).values() for name, line in lines.items()}
        lines = (all_commands() if incomplete else first).items()
        named = [CompletionItem(name, help=line) for name, line in lines if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """``-h WORD`` and ``help WORD`` list what the word names, or show the help of that command."""
        words = dict.fromkeys(["help"], "--help") | dict.fromkeys(["version"], "--version")
        args = [words.get(args[0], args[0]), *args[1:]] if args else args
        if len(args) == 2 and args[0] in ctx.help_option_names and not args[1].startswith("-"):
            ctx.meta[__name__] = args[1]
            args = args[:1] if f"-h {args[1]}" in LISTS else args[::-1]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or say which one may have been meant."""
        name, known = args[0], BY_HAND if args[0] in BY_HAND else all_commands()
        if not {name, name.replace("_", "-")} & {*known} and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"no command {name!r}; {_meant(name, known)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the daily commands, or what is asked for, without importing them."""
        word = ctx.meta.get(__name__)
        groups = listed(word) | ({} if word else {"More": LISTS})
        width = max(len(name) for names in groups.values() for name in names)
        for heading, lines in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, line in lines.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the daily commands."""
        if not ctx.meta.get(__name__):
            super().format_epilog(ctx, formatter)

    def main(  # type: ignore[override]  # takes less than click
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
            with interruptible(), _warnings_in_lines():
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
            click.echo("gradeval: interrupted", err=True)
            eval("None")  # else Python ends by the signal if it came within exec() of text, as dataclasses do
            sys.exit(INTERRUPTED)
        except MemoryError as error:
            _fail(_about_memory(error))
        except ImportError as error:
            if not any(words in str(error) for words in NO_ROOM):
                raise
            _fail(_about_memory(MemoryError(str(error))))
        except OSError as error:  # files have been opened by now: what fails is to write
            _drop_output()
            _fail(f"{error.filename or 'standard output'}: cannot be written ({error.strerror or error})")
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; where the reader of its output has gone (``| head``), end as other tools do."""
        try:
            with _notes_printed(ctx):
                result = super().invoke(ctx)
            sys.stdout.flush()
            if not ctx.meta.get(STATUS):
                print_next(ctx.invoked_subcommand)
        except KeyboardInterrupt as error:
            raise click.Abort from error  # click would print an empty line before
        except BrokenPipeError:
            _drop_output()
            ctx.exit(PIPE_CLOSED)
        return ctx.meta.get(STATUS, result)


@contextmanager
def _notes_printed(ctx: click.Context) -> Iterator[None]:
    """Print what notes still wait when a command ends; all of them where it fails."""
    failed = True
    try:
        yield
        failed = False
    finally:
        if ctx.meta.get(WAITING):
            from gradeval.cli.notices import print_notes

            print_notes(everything=failed)


@contextmanager
def _warnings_in_lines() -> Iterator[None]:
    """Each warning of gradeval's own as the commands write theirs: once, a line without places in the code.

    Warnings about files that are being read wait for the notes of the command; others are printed at once.
    """
    show, shown = warnings.showwarning, set()

    def show_in_line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, GradevalWarning):
            show(message, category, *where, **more)
        elif str(message) not in shown:
            shown.add(str(message))
            from gradeval.cli.notices import print_notes, take_notes

            waits = issubclass(category, FilesWarning) and click.get_current_context(silent=True) is not None
            (take_notes if waits else print_notes)([Note(str(message), category)])

    warnings.showwarning = show_in_line
    try:
        yield
    finally:
        warnings.showwarning = show


def _drop_output() -> None:
    """Discard what is still to be written: else Python complains when it flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> NoReturn:
    click.echo(f"gradeval: error: {visible(message)}", err=True)
    sys.exit(2)


def _about_memory(error: MemoryError) -> str:
    """What was asked for, where that is known, and what there is."""
    from gradeval.files.compressed import memory_at_hand

    asked = " ".join(str(error).split())
    asked = f" ({asked[:1].lower()}{asked[1:]})" if asked else ""
    limit = memory_at_hand()
    there = f", {limit / 1e6:,.0f} MB," if math.isfinite(limit) else ""
    return f"out of memory: this takes more than the system gives this command{there} at once{asked}"


KINDS = {"integer range": "a whole number", "integer": "a whole number", "float range": "a number", "float": "a number"}
"""What click calls the kinds of numbers, the longer names first, and what they are."""

FIRST_VALUES = {"--objective": "GAP", "--margin": "0.05"}
"""By the option that a command needs, a value to start with."""


def _sentence(error: click.ClickException) -> str:
    """click's message in the style of the others: one line in lower case, with a pointer to the help."""
    message = " ".join(error.format_message().split()).rstrip(".")
    for kind, plainly in KINDS.items():
        message = message.replace(f"is not a valid {kind}", f"is not {plainly}")
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        taken = {name for one in ctx.command.params for name in one.opts}
        meant = _find_meant(error.option_name, ctx.command)
        lacking = _find_lacking(error.option_name, ctx.command) or OF_OTHERS.get(error.option_name, "")
        near = meant or ([] if lacking else _find_closest(error.option_name, taken))
        lacking = f"did you mean {near[0]}?" if near else lacking
        message = f"no such option: {error.option_name}{f'; {lacking}' if lacking else ''}"
    if isinstance(error, click.MissingParameter) and error.param is not None and error.param.opts[0] in FIRST_VALUES:
        message += f"; to start with, give {error.param.opts[0]} {FIRST_VALUES[error.param.opts[0]]}"
    seek = f" ({ctx.command_path} --help shows how)" if ctx is not None else ""
    return message[:1].lower() + message[1:] + seek


def _find_meant(typed: str, command: click.Command) -> list[str]:
    """The options of a command that other tools call so."""
    from gradeval.synonyms import meant_by  # here, as options are seldom wrong

    known = _options_of(command)
    return [known[name] for name in meant_by(typed.lstrip("-").replace("-", "_"), known)]


def _find_lacking(typed: str, command: click.Command) -> str:
    """What to do instead of an option that other tools have; nothing for other options."""
    from gradeval.synonyms import instead_of  # here, as options are seldom wrong

    known = _options_of(command)
    return instead_of(typed.lstrip("-").replace("-", "_"), known, known.__getitem__)


def _options_of(command: click.Command) -> dict[str, str]:
    """The options of a command by their parameters, and by what they are called."""
    options = [one for one in command.params if isinstance(one, click.Option)]
    by_name = {one.opts[-1].lstrip("-").replace("-", "_"): one.opts[-1] for one in options}
    return by_name | {str(one.name): one.opts[-1] for one in options}


def _find_closest(typed: str, taken: Collection[str]) -> list[str]:
    """The option that is spelled nearly like one that the command lacks, or that one of them begins; else none."""
    import difflib  # here, as options are seldom wrong

    word, known = typed.lstrip("-"), {name.lstrip("-"): name for name in sorted(taken) if name.startswith("--")}
    begun = [name for name in known if len(word) > 2 and (name.startswith(word) or word.startswith(f"{name}-"))]
    return [known[name] for name in begun or difflib.get_close_matches(word, known, n=1, cutoff=0.75)]


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
  gradeval gate qrels.txt runs/oak.txt runs/elm.txt -m "nDCG@10 R@100"
  gradeval train S1.txt S2.txt --valid S3.txt --objective "lambdarank:GAP(g=[0.5,0.5])" -o gap
  gradeval explain "Q(beta=1)@10"

'gradeval COMMAND --help' shows the options of a command and examples.""",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def main() -> None:
    """Evaluate rankings with graded relevance, compare runs and measures, and train rankers for any measure."""
