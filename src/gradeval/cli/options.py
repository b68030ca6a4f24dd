"""Options that several commands have, what their texts mean, and checks of a command's inputs."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD
from gradeval.cli.notices import take_notes
from gradeval.cli.streams import ALL_NOTES
from gradeval.collection.qrels import Qrels, grades_of_ranges
from gradeval.files.input_formats import file_of, has_prefix
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import decode, read_decimal, split_columns
from gradeval.files.source import read_bytes
from gradeval.formula.definition import REGISTRY
from gradeval.formula.spelling import parse_measure
from gradeval.messages import LISTED, join_names, list_some, nearest
from gradeval.warning_categories import Note, NoteWeight

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

# Checks nothing, as the readers do; the type completes file names in a shell.
FILE = click.Path(allow_dash=True, readable=False)


def measures_option(default: str) -> Callable[[F], F]:
    """The option -m; ``default``: the default measures, for the help."""
    text, names = f"Measures, separated by blanks; may be repeated.  [default: {default}]", ("-m", "--measures")
    return click.option(*names, multiple=True, metavar="MEASURES", shell_complete=complete_measures, help=text)


notes_option = click.option(
    *("-v", "--verbose"),
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: ctx.meta.update({ALL_NOTES: wanted}),
    help="Print all notes and warnings, not just the three that matter most.",
)
per_topic_option = click.option("-q", "--per-topic", is_flag=True, help="Show the values of every topic, too.")
ci_option = click.option("--ci", is_flag=True, help="Add 95% confidence intervals of the means over topics.")


def number_option(name: str, least: int, default: int | None, what: str, most: int | None = None) -> Callable[[F], F]:
    """An option that takes a whole number from ``least``, up to ``most``; ``name``: one or several, with blanks."""
    shown, kind = default is not None, click.IntRange(least, most)
    return click.option(*name.split(), type=kind, default=default, show_default=shown, metavar="N", help=what)


def digits_option(default: int, formats: str) -> Callable[[F], F]:
    """The option --digits: decimals in the formats for people."""
    return number_option("--digits", 0, default, f"Decimals in {formats}.", 17)


def is_set(name: str) -> bool:
    """Was the option given by the user, rather than taken by default?"""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def refuse_unused(names: Sequence[str], why: str) -> None:
    """Refuse options that the user gave and that would do nothing."""
    for option in _spell_given(names):
        raise InputError(f"{option} {why}; leave it out")


def note_unused(names: Sequence[str], why: str) -> None:
    """Tell of options that the user gave and that do nothing here."""
    take_notes(Note(f"{option} {why}; it is ignored", own_weight=NoteWeight.MEANING) for option in _spell_given(names))


def _spell_given(names: Sequence[str]) -> list[str]:
    """The options of these names that the user gave, as a command line spells them."""
    options = click.get_current_context().command.params
    return [one.opts[-1] for one in options if one.name in names and is_set(str(one.name))]


GRADES = "accepted: as in 4=3 or 4=3,-2=0, of words click=1,buy=2, for one file alone NAME:4=3"


@dataclass(frozen=True, eq=False)
class Recoding:
    """What --recode says.

    Attributes
    ----------
    by_name : grades and what each becomes, by the name of the judgments; under "" in all of them.
    words : the same of words.
    known : the names of the judgments that were read: of a judge, and of a file with and without its folder and ending.
    """

    by_name: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    known: dict[str, None] = field(default_factory=dict, init=False)

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Self:
        """The values of the option: 4=3, or 4=3,-2=0, or NAME:4=3; a grade has one replacement."""
        tables: dict[str, dict[float, float]] = {}
        words: dict[str, dict[str, float]] = {}
        for text in texts:
            name, _, pairs = text.rpartition(":")
            table = tables.setdefault(name, {})
            for part in pairs.split(","):
                word, sign, grade = (one.strip() for one in part.partition("="))
                if word and sign and math.isnan(read_decimal(word)) and not math.isnan(read_decimal(grade)):
                    words.setdefault(name, {})[word] = read_decimal(grade)
                    continue
                grades = [read_decimal(grade) for grade in part.split("=")]
                if len(grades) != 2 or any(map(math.isnan, grades)):
                    raise InputError(f"--recode {text}: {part!r} is no grade and what it becomes; {GRADES}")
                old, new = grades
                if table.setdefault(old, new) != new:
                    raise InputError(
                        f"--recode turns grade {old:g} into {table[old]:g} and into {new:g}; give one of the two"
                    )
        return cls(tables, words)

    def words_of(self, names: Sequence[str]) -> dict[str, float]:
        """The grades of words in judgments that are called so."""
        return {word: grade for name in ("", *names) for word, grade in self.words.get(name, {}).items()}

    def numbers_of(self, names: Sequence[str]) -> dict[float, float]:
        """What the grades become in the only judgments, which are called so."""
        self.known.update(dict.fromkeys(names))
        return {old: new for name in ("", *names) for old, new in self.by_name.get(name, {}).items()}

    def words_in_vain(self, met: Collection[str]) -> Iterator[Note]:
        """Notes on words that no judgments have as grades."""
        for name, words in self.words.items():
            for word, grade in words.items():
                if word not in met:
                    said = f"--recode {f'{name}:' if name else ''}{word}={grade:g}: no judgments have the grade {word}"
                    yield Note(said)

    def apply(self, read: Sequence[Qrels], names: Sequence[Sequence[str]]) -> tuple[list[Qrels], list[Note]]:
        """The judgments with other grades, and notes on grades that none of them has; ``names``: what each is called.

        What is said of one name goes before what is said of all.
        """
        for called in names:
            self.known.update(dict.fromkeys(called))
        of_all, recoded = self.by_name.get("", {}), list(read)
        notes = [Note(text) for text in _recoded_in_vain(read, of_all)]
        own: list[dict[float, float]] = [{} for _ in read]
        for name, table in self.by_name.items():
            places = [place for place, called in enumerate(names) if name and name in called]
            if len(places) > 1:
                ones = " or ".join(_find_own_name(names, place) for place in places)
                raise InputError(f"--recode {name}: {len(places)} judgments are called so; name one: {ones}")
            for place in places:
                own[place] |= table
                notes += [Note(text) for text in _recoded_in_vain([read[place]], table, name)]
        tables = [{**of_all, **one} for one in own]
        recoded = [one.recoded(table) if table else one for one, table in zip(read, tables, strict=True)]
        return recoded, notes

    def require_met(self) -> None:
        """Refuse a name that no judgments have; to be called once all are read."""
        for name in self.by_name:
            if name and name not in self.known:
                known = [*self.known]
                raise InputError(
                    f"--recode {name}: no judgments are called so{nearest(name, known)}; they are {list_some(known)}"
                )


def read_recoding(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> Recoding:
    """What the values of --recode say."""
    return Recoding.parse(texts)


def read_columns(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> Columns:
    """The columns that the values of --columns name together."""
    text = ",".join(dict.fromkeys(texts))
    try:
        return Columns.parse(text) if texts else Columns()
    except InputError as error:
        raise error.within(f"--columns {text}") from None


def join_lists(_: click.Context, __: click.Parameter, lists: Sequence[Sequence[str]]) -> list[str]:
    """What the values of an option list together."""
    return list(dict.fromkeys(chain.from_iterable(lists)))


def _recoded_in_vain(read: Sequence[Qrels], recode: Mapping[float, float], name: str = "") -> Iterator[str]:
    """Which grades no judgments have, although they are to be recoded."""
    present = {grade for judgments in read for grade in judgments.grades.tolist()}
    ranges = grades_of_ranges(recode, present)
    absent: dict[str, str] = {}
    for old, new in recode.items():
        if old in present:
            present = {new if grade == old else grade for grade in present}
        elif old not in ranges:
            absent[f"{old:g}"] = f"{old:g}={new:g}"
    if absent:
        names = list_some([judgments.name for judgments in read])
        have = f"{names} has no" if len(read) == 1 else f"none of {names} has the"
        what = f"{'grades' if len(absent) > 1 else 'grade'} {join_names([*absent], LISTED)}"
        yield f"--recode {f'{name}:' if name else ''}{list_some([*absent.values()])}: {have} {what}"


def _find_own_name(names: Sequence[Sequence[str]], place: int) -> str:
    """What some judgments alone are called."""
    others = {name for at, called in enumerate(names) if at != place for name in called}
    return next((name for name in names[place] if name not in others), names[place][0])


MARKUP = re.compile(r"\s*<(top|topics|\?xml|!--)\b", re.IGNORECASE)
"""How a file of topics between tags begins, as TREC writes them."""
NUMBERS = re.compile(
    r"""<num>\s*(?:Number\s*:)?\s*([^\s<]+)|<topic\s[^>]*?\bnumber\s*=\s*["']\s*([^"'\s]+)""", re.IGNORECASE
)
"""The numbers in it: ``<num> Number: 301``, ``<num>301</num>``, ``<topic number="1">``."""
TOPICS = "accepted: a file with a topic a line, or a list as in 301,302"


def read_topics(text: str) -> list[str]:
    """Topics from a file (a line each, up to a tab; nothing is a comment; or TREC's topics with their numbers), else
    from a list with commas."""
    if os.path.exists(text):
        whole = decode(read_bytes(text), text)
        if MARKUP.match(whole):
            return _read_numbers(whole, text)
        lines = whole.split("\n")
        topics = [line.partition("\t")[0].strip(" \r") for line in lines if line.strip()]
    else:
        topics = [topic.strip() for topic in text.split(",") if topic.strip()]
    if not topics:
        raise InputError(f"--topics {text!r}: names no topic; {TOPICS}")
    return topics


def _read_numbers(text: str, place: str) -> list[str]:
    """The numbers of topics between tags."""
    topics = [one or other for one, other in NUMBERS.findall(text)]
    if not topics:
        raise InputError(f'--topics {place}: has tags, but no <num> or <topic number="...">; {TOPICS}')
    return list(dict.fromkeys(topics))


def read_first_words(place: str) -> list[str]:
    """The first word of each line of a file that is not blank."""
    return [words[0] for _, words in split_columns(decode(read_bytes(place), place))]


def format_by_ending(output: str, endings: Mapping[str, str]) -> str:
    """The format of a file by its ending, out of ``{format: ending}``; "table" where the name has no ending."""
    ending = os.path.splitext(output)[1].lower()
    if ending and ending not in endings.values():
        accepted = f"{', '.join(endings.values())}, or --format NAME with any"
        raise InputError(f"-o {output}: no format has the ending {ending}; accepted: {accepted}")
    return next((format for format, written in endings.items() if written == ending), "table")


def complete_measures(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Measures whose names begin as typed, for completion in a shell."""
    from click.shell_completion import CompletionItem

    last = incomplete.rpartition(" ")[2]
    before = incomplete[: len(incomplete) - len(last)]
    return [CompletionItem(before + name) for name in REGISTRY if name.startswith(last)]


STANDARD_INPUT = (STANDARD, "/dev/stdin", "/dev/fd/0")


def require_inputs(inputs: Sequence[str], measures: Sequence[str] = ()) -> None:
    """Refuse to read standard input twice, and a measure among the files."""
    streams = [place for place in inputs if file_of(place) in STANDARD_INPUT]
    if len(streams) > 1:
        raise InputError(f"{' '.join(streams)}: standard input can be read once; name a file for the others")
    misplaced = [place for place in inputs if _reads_as_measure(place)] if measures else []
    if misplaced:
        written = " ".join([*measures, *misplaced])
        raise InputError(f'{misplaced[0]}: no such file (measures go in one quoted argument: -m "{written}")')


def refuse_overwriting(output: str, inputs: Iterable[str], option: str = "-o") -> None:
    """Refuse an output that would replace one of the inputs, under whatever path, or lie in a folder that is one.

    A folder that the command replaces as a whole may stand among the inputs, too.
    """
    if output == STANDARD:
        return
    folders = list(_folders_of(output))
    for place in inputs:
        path = file_of(place)
        if os.path.isfile(path) and os.path.isfile(output) and os.path.samefile(output, path):
            raise InputError(f"{option} {output}: would replace the input {place}; choose another place")
        if os.path.isdir(path) and any(os.path.samefile(folder, path) for folder in folders):
            raise InputError(
                f"{option} {output}: lies in the folder {place}, which is read or replaced whole; choose another place"
            )


def _folders_of(place: str) -> Iterator[str]:
    """The existing folders that a place lies in, the nearest first, with links followed."""
    folder = os.path.realpath(place)
    while folder != (folder := os.path.dirname(folder)):
        if os.path.isdir(folder):
            yield folder


def _reads_as_measure(place: str) -> bool:
    if place in STANDARD_INPUT or has_prefix(place) or os.path.exists(place):
        return False
    with suppress(InputError):
        parse_measure(place)
        return True
    return False
