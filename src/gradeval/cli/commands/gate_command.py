"""``gradeval gate``: may a run take the place of another? The status says it: 0 passes, 1 fails."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from glob import glob
from shlex import quote
from typing import IO, Any

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD
from gradeval.cli.declared_options import declared_by, declared_options
from gradeval.cli.given_options import spell_option
from gradeval.cli.help_sections import SectionedCommand
from gradeval.cli.notices import notes_instead_of_warnings, print_notes, take_notes
from gradeval.cli.options import (
    FILE,
    STANDARD_INPUT,
    digits_option,
    is_set,
    measures_option,
    note_unused,
    notes_option,
    require_inputs,
)
from gradeval.cli.output import ENDINGS, Output, format_option, open_result, output_option, plot_option, write_page
from gradeval.cli.reading import (
    READ,
    Reading,
    choice_of_topics,
    open_collection_runs,
    read_judgments,
    reading_options,
    require_topics,
)
from gradeval.cli.streams import ALL_NOTES, end_with
from gradeval.files.accepted import refuse_swapped
from gradeval.files.input_formats import has_prefix
from gradeval.files.shapes import JUDGMENTS, shape_of
from gradeval.files.source import unreadable
from gradeval.messages import list_some
from gradeval.scores.presets import PresetName, configure_measures
from gradeval.studies.gate import gate
from gradeval.studies.gate_decision import FailIf, GateDecision
from gradeval.studies.gated_scores import is_scored, refuse_verdict
from gradeval.studies.significance import MEASURES
from gradeval.warning_categories import Note, NoteWeight

WRITTEN = ENDINGS | {"json": ".json", "junit": ".xml"}
"""The formats, with the endings that choose them."""
UNREAD = ("missing", "skip_bad")
"""Options of reading that a gate has not: topics that are missing count 0, and a run that cannot be read fails."""
FAILED, BROKEN = 1, 3
"""The status where it does not pass, and where gradeval itself is at fault."""
SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file of a job's summary."""


class Gate(SectionedCommand):
    """A command whose status tells a run that does not pass from a fault of gradeval; both sides may be scores."""

    scored = 2

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (InputError, click.ClickException, click.exceptions.Exit, click.Abort, OSError, MemoryError):
            raise
        except Exception:  # a fault of gradeval, whatever it is: the status says so
            traceback.print_exc()
            ctx.exit(BROKEN)


@click.command(
    "gate",
    cls=Gate,
    daily="measures fail_if margin allow_equal by queries documents per_topic output".split(),
    epilog="""\b
Examples:
  gradeval gate qrels.txt main.run branch.run -m "nDCG@10 R@100"
  gradeval gate qrels.txt main.run branch.run -m nDCG@10 --fail-if not-shown --margin 0.02
  gradeval gate qrels.txt last-week.html branch.run -m "nDCG@10 AP" --format markdown
  gradeval gate qrels.txt main.run branch.run -m nDCG@10 --by segments.csv
  gradeval gate qrels.txt main.run branch.run -q -o topics.csv
  gradeval gate main.tsv branch.tsv --fail-if not-shown --margin "nDCG@10=.02 AP=.03"
  gradeval gate qrels.txt main.run branch.run -o gate.xml -o gate.json --step-summary""",
)
@click.argument("places", metavar="[QRELS] BEFORE AFTER", type=FILE, nargs=-1, required=True)
@measures_option(f"{MEASURES}, or all that both scores have")
@declared_options(declared_by(gate), *"fail_if margin alpha allow_equal run by queries documents".split())
@click.option(
    "-q",
    "--per-topic",
    is_flag=True,
    help="Show all topics that lost or won. csv, tsv and jsonl hold these in place of the measures, and which "
    "documents moved.",
)
@click.option("--step-summary", is_flag=True, help=f"Add the Markdown to the summary of a job of GitHub (${SUMMARY}).")
@format_option(
    "markdown: for a pull request; json: all, with every topic; junit.  [default: as FILE ends, or table]", WRITTEN
)
@output_option
@notes_option
@plot_option()
@digits_option(4, "table and markdown")
@reading_options("topics", *(name for name in READ if name not in UNREAD), "preset")
def command(
    places: tuple[str, ...],
    measures: tuple[str, ...],
    fail_if: FailIf,
    margin: Any,
    alpha: float,
    allow_equal: bool,
    run: str | None,
    by: str | None,
    queries: str | None,
    documents: str | None,
    per_topic: bool,
    step_summary: bool,
    topics: str | None,
    preset: PresetName | None,
    **options: Any,
) -> None:
    """Decide whether AFTER may replace BEFORE: is a measure worse, or is every one shown to be no worse?

    BEFORE and AFTER are runs, scores that were saved, or pages of gradeval report; two scores need no QRELS. Topics
    for which a run returns nothing count 0; scores must be of all topics. --fail-if worse fails where a measure is
    significantly lower: one-sided, corrected for the number of measures by Holm. --fail-if not-shown passes only where
    the one-sided bound of each difference lies above minus --margin. Rankings that are identical on all topics fail:
    did the new one run?

    Tried on real runs at level .05, worse failed what did not change in .039 to .054 of the draws, and a pair with
    skewed differences in up to .21. not-shown passed a loss of the margin by one measure in .043 to .080, of a pair in
    up to .30; by all of three measures in .024 at most.

    The status is 0 where it passes, 1 where it does not, 2 where the input is wrong, 3 after a fault of gradeval.
    """
    _require_places(places)
    if len(places) == 3 and measures:
        configure_measures(preset, list(measures))  # refused before any file is read
    reading = Reading(**{name: options.pop(name) for name in READ if name in options})
    inputs = [*places, *reading.excluding(), *filter(None, [by, queries, documents])]
    output = Output.of(options, [*inputs, *filter(None, [topics])], WRITTEN)
    require_inputs(inputs, measures)
    places_written = output.output if STANDARD in output.output else {**output.output, STANDARD: "table"}
    with open_result(places_written, output.plot) as finish:
        judged = len(places) == 3
        if not judged:
            unused = [name for name in (*READ, "preset") if name not in ("empty", "threads")]
            note_unused(unused, "says how judgments and runs are read and does nothing with scores")
        data, notes = _open_places(places, reading, topics)
        take_notes(notes)
        known = "empty ties negative depth threads" if judged else "empty threads"
        asked = {name: getattr(reading, name) for name in known.split() if is_set(name)}
        with notes_instead_of_warnings():
            decision = gate(
                *data,
                measures=list(measures) or None,
                fail_if=fail_if,
                margin=margin,
                alpha=alpha,
                allow_equal=allow_equal,
                run=run,
                by=by,
                queries=queries,
                documents=documents,
                topics=choice_of_topics(topics),
                preset=preset if judged else None,
                **asked,
            )
        decision = replace(decision, spell=partial(spell_option, ctx=click.get_current_context()))
        if decision.slices is not None and click.get_current_context().meta.get(ALL_NOTES, False):
            decision = replace(decision, slices=replace(decision.slices, every=True))
        print_notes([*decision.notes, *_about_texts(decision, per_topic, output.output)])

        def write(file: IO[bytes], format: str) -> Any:
            if format == "html":
                table = decision.table(output.digits, per_topic=per_topic)
                about = (decision.description, decision.question, decision.tables_to_fold(output.digits, per_topic))
                return write_page(file, table, lambda: decision.plot().altair, *about)
            shown: dict[str, Any] = {"digits": output.digits, "per_topic": per_topic}
            decision.write(file, format, **({} if format in ("json", "junit") else shown))
            return None

        if step_summary:  # first, as who reads the table may stop before its end
            _add_summary(decision.to_markdown(digits=output.digits))
        finish(write, lambda: decision.plot().altair)
    if not decision.passed:
        end_with(FAILED)


def _require_places(places: Sequence[str]) -> None:
    """Refuse too few files and too many, verdicts, and runs without judgments."""
    if len(places) not in (2, 3):
        raise InputError(f"{len(places)} files: gate takes QRELS BEFORE AFTER, or BEFORE AFTER where both are scores")
    for place in places:
        refuse_verdict(place)
    if len(places) == 2 and (run_file := next((place for place in places if not is_scored(place)), None)):
        if not (run_file in STANDARD_INPUT or has_prefix(run_file) or os.path.exists(run_file) or glob(run_file)):
            raise unreadable(run_file, FileNotFoundError())
        judged = shape_of(places[0]) == JUDGMENTS
        raise InputError(
            f"{run_file}: has no scores, as both of two files must: name "
            f"{'two runs behind' if judged else 'the judgments first'}: "
            f"gradeval gate {quote(places[0]) if judged else 'QRELS'} BEFORE AFTER"
        )


def _open_places(places: Sequence[str], reading: Reading, topics: str | None) -> tuple[list[Any], list[Note]]:
    """The judgments, if there are any, and the two runs or places of scores; notes on what was read."""
    *judged, before, after = places
    data: list[Any] = []
    notes: list[Note] = []
    if judged:
        refuse_swapped(judged[0], [before, after], reading.columns, "gradeval gate")
        [judgments], notes = read_judgments(judged, reading)
        reading.recode.require_met()
        require_topics(topics, judgments.topics, judgments.name)
        data.append(judgments)
    for place in (before, after):
        if is_scored(place):
            data.append(place)
            continue
        opened, more = open_collection_runs([place], reading, are_all=False)
        notes += more
        data.append(opened)
    if not all(map(is_scored, (before, after))):
        reading.columns.require_met("--columns")
    return data, notes


def _about_texts(decision: GateDecision, per_topic: bool, output: Mapping[str, str]) -> Iterator[Note]:
    """Which files name the documents that moved without their texts, as a row there is a topic."""
    rows = [place for place, format in output.items() if format not in ("table", "json", "junit", "markdown", "html")]
    if per_topic and decision.moved_documents and rows:
        yield Note(
            f"{list_some(rows)}: documents are listed there without texts; write .json, .md or .html for texts",
            own_weight=NoteWeight.OMISSION,
        )


def _add_summary(text: str) -> None:
    """Add a text to the summary of the job that GitHub runs."""
    place = os.environ.get(SUMMARY)
    if not place:
        print_notes([f"--step-summary: ${SUMMARY} names no file, as this is no job of GitHub; nothing is added"])
        return
    with open(place, "a", encoding="utf-8") as file:
        file.write(f"{text}\n")
