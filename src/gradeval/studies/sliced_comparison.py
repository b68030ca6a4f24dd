"""Differences between runs by slices: each slice compared by itself, and whether differences depend on the slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.messages import capitalised, list_some, plural
from gradeval.scores.notes import join_places
from gradeval.scores.scores import Scores
from gradeval.scores.slice_table import labels_in
from gradeval.scores.slices import FEWEST
from gradeval.studies.decision import PairDecision
from gradeval.studies.interaction import Interaction, find_interactions
from gradeval.studies.result import SlicedResult, StudiedSlice, gather_notes
from gradeval.studies.significance import differences_of
from gradeval.studies.sliced_pair import say_where_it_loses
from gradeval.tables.grid import Cell, Column, Grid, as_label, write_p
from gradeval.tables.joined_slices import join_tables, label_records
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight


@dataclass(frozen=True, eq=False, repr=False)
class SlicedComparison(SlicedResult):
    """Differences between runs over all topics and over each slice, and whether they depend on the slice.

    Attributes
    ----------
    interactions : the tests of equal mean differences over slices, by column and measure.
    """

    interactions: Sequence[Interaction] = ()

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names of the runs of each pair."""
        return [(self.whole.names[first], self.whole.names[second]) for first, second in self.whole.pairs.tolist()]

    @property
    def decision(self) -> PairDecision | None:
        """Of two runs, what all topics together decide; None of more."""
        decided: PairDecision | None = self.whole.decision
        return decided

    def table(self, digits: int = 4, **options: Any) -> Table:
        """The table of the comparison, with rows of all topics, then of each slice; below it the tests of interaction.

        It takes the parameters of the comparison's table.
        """
        joined = join_tables(self._tables((digits,), options), self.unit)
        if not self.interactions:
            return joined
        records = reduce(Records.then, [joined.records, *map(self._records, self.interactions)])
        grids = (
            [*joined.grids, self._grid(digits)]
            if len(joined.grids) > len(self.whole.baselines or " ")
            else joined.grids
        )
        return replace(joined, grids=grids, records=records)

    def _grid(self, digits: int) -> Grid:
        """The tests, the smallest p value first."""
        rows: list[list[Cell]] = []
        for one in self.interactions:
            for pair, runs in enumerate(self.pairs):
                texts = [write_p(float(value[pair]), digits) for value in (one.p, one.corrected)]
                measure = str(self.whole.measures[one.measure])
                rows.append([one.column, measure, *runs, len(one.labels), float(one.statistic[pair]), *texts])
        order = np.argsort(np.concatenate([one.p for one in self.interactions]), kind="stable")
        names = [Column(title, "name") for title in ("by", "measure", "run", "other")]
        columns = [Column("slices", spec="d"), Column("F", spec=".2f"), Column("p", "text"), Column("p (holm)", "text")]
        title = "does the difference depend on the slice?"
        return Grid([*names, *columns], [rows[place] for place in order.tolist()], title).described(
            f"{capitalised(title)} Welch's tests of equal mean differences over the slices, corrected by Holm over all "
            "rows",
            label=as_label("slices", " ".join(map(str, self.whole.measures))),
        )

    def _records(self, one: Interaction) -> Records:
        records = Records.over(
            {"measure": [self.whole.measures[one.measure]], "run other": self.pairs},
            statistic="interaction",
            value=one.statistic,
            p=one.p,
            corrected=one.corrected,
            significant=one.corrected < self.whole.alpha,
            topics=one.topics,
            test="welch",
            correction="holm",
            alpha=self.whole.alpha,
        )
        labels = labels_in(one.column, ", ".join(one.labels), self.columns)
        return label_records(records, labels, one.topics, self.unit)


def compare_slices(result: SlicedResult) -> SlicedComparison:
    """The comparisons of slices, over few topics without a test, and the tests of interaction.

    A slice decides nothing: of two runs only all topics together say which one to take.
    """
    whole, studied = (
        result.whole,
        [_undecided(_show_untested(result.whole, one), result.whole) for one in result.slices],
    )
    parts = [(one.slice, one.data) for one in result.slices]
    interactions = [] if whole.correction == "best" else find_interactions(parts, whole.pairs)
    known = {one.name: getattr(result, one.name) for one in fields(SlicedResult)}
    compared = SlicedComparison(**{**known, "slices": studied}, interactions=interactions)
    return replace(
        compared,
        notes=[*gather_notes(compared), *join_places(_about_slices(result, compared)), *_about_tests(compared)],
    )


def _undecided(one: StudiedSlice, whole: Any) -> StudiedSlice:
    """A slice without the notes that decide between two runs; a run that is judged in others is so here."""
    if one.result is None:
        return one
    notes = [note for note in one.result.notes if note.weight is not NoteWeight.ANSWER]
    return replace(one, result=replace(one.result, notes=notes, unjudged=whole.unjudged))


def _show_untested(whole: Any, one: StudiedSlice) -> StudiedSlice:
    """A slice that could not be compared, with its means and mean differences alone."""
    if one.result is not None:
        return one
    scores: Scores = one.data
    try:
        means = scores.mean()
    except InputError as error:
        return replace(one, why=f"{one.why}; {error}")
    counted, values = scores.counted, scores.transformed()
    differences = []
    for measure in range(len(scores.measures)):
        own = values[:, counted[0, :, measure], measure].T
        best = own[:, [int(np.argmax(own.mean(0)))]]  # stands behind the last run, where pairs are with the best
        differences.append(differences_of(np.concatenate([own, best], axis=1), whole.pairs))
    nothing = np.zeros((len(differences), len(whole.pairs)))
    untested = replace(
        whole,
        difference=np.stack([each.mean(-1) for each in differences]),
        interval=np.zeros((*nothing.shape, 2)),
        p=nothing,
        corrected=nothing,
        effect=nothing,
        wins=np.stack([(each > 0).sum(-1) for each in differences]),
        ties=np.stack([(each == 0).sum(-1) for each in differences]),
        losses=np.stack([(each < 0).sum(-1) for each in differences]),
        topics=np.array([each.shape[-1] for each in differences]),
        means=means,
        tested=False,
        notes=[],
    )
    return replace(one, result=untested)


def _about_slices(result: SlicedResult, compared: SlicedComparison) -> Iterator[Note]:
    """Which slices are shown without a test, or left out."""
    for before, one in zip(result.slices, compared.slices, strict=True):
        if before.result is None:
            shown = "it is left out" if one.result is None else "it is shown without a test"
            yield Note(f"{one.why}; {shown}", place=str(one.slice), own_weight=NoteWeight.MEANING)


def _about_tests(compared: SlicedComparison) -> Iterator[Note]:
    """Of what differences were tested over slices, what was found, and that each slice is tested by itself."""
    whole, tested = compared.whole, compared.interactions
    alone = sum(one.result is not None and one.result.tested for one in compared.slices)
    if alone > 1:
        yield Note(
            f"p values of {alone} slices are not corrected for their number: each slice is tested by itself",
            own_weight=NoteWeight.MEANING,
        )
    if whole.correction == "best":
        yield Note(
            "name a baseline to test whether differences depend on the slice; the best run can differ from slice to "
            "slice"
        )
        return
    untested = [column for column in compared.columns if column not in {one.column for one in tested}]
    if untested:
        yield Note(
            f"{list_some(untested)}: not tested whether differences depend on the slice, as fewer than 2 slices have "
            f"{FEWEST} {compared.unit}"
        )
    if not tested:
        return
    pairs = compared.pairs
    significant = [
        f"{one.column}: {whole.measures[one.measure]}, {pairs[pair][0]} and {pairs[pair][1]}"
        for one in tested
        for pair in np.flatnonzero(one.corrected < whole.alpha).tolist()
    ]
    number = sum(len(one.p) for one in tested)
    how_often = f"in {len(significant)} of {plural(number, 'test')}"
    named = f" ({list_some(significant)})" if significant else ""
    yield Note.answer(
        f"differences depend on the slice {how_often} at {whole.alpha:g}{named}; Welch's test: are mean differences "
        f"equal in all slices of {FEWEST} {compared.unit} or more?; Holm's correction over all tests"
    )
    if len(pairs) == 1:
        marked = {
            (one.slice.column, one.slice.label, measure)
            for one in compared.slices
            if one.result is not None
            for measure in np.flatnonzero(one.result.significant[:, 0]).tolist()
        }
        yield from say_where_it_loses(
            tested,
            pairs[0][0],
            whole.measures,
            whole.alpha,
            lambda one, label: (one.column, label, one.measure) in marked,
        )
