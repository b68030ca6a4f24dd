"""Learning curves: the training objective and the validation measure by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = "epoch trained measure valid kept objective ranker seed train valid_data".split()


class Epoch(NamedTuple):
    """One point of a learning curve.

    Attributes
    ----------
    number : from 1; for trees, the number of trees.
    objective : the mean of the trained measure (for softrank, of its soft form) over the training queries that can be
        learnt from, each scored before the step that used it. Higher is better, also for ``valid``.
    valid : the validation measure after the epoch; None without validation.
    """

    number: int
    objective: float
    valid: float | None


class Watched(NamedTuple):
    """What a training was measured by besides its validation: the data ("valid_0", "valid_1" ...), their name, the
    measure, and its mean after each epoch."""

    data: str
    name: str
    measure: str
    values: Sequence[float]


def watched_of(task: Any, values: Sequence[Sequence[float]]) -> tuple[Watched, ...]:
    """The validations of a Task after the first, whose values are those by epoch and validation."""
    return tuple(
        Watched(f"valid_{place}", each.features.name, str(each.measure), [float(row[number]) for row in values])
        for number, (place, each) in enumerate(zip(task.valid_places[1:], task.validations[1:], strict=True))
    )


def best_of(curve: Sequence[Epoch]) -> int:
    """The number of the first of the best epochs on validation; without validation of the last epoch."""
    values = [epoch.valid for epoch in curve if epoch.valid is not None]
    return curve[values.index(max(values)) if values else -1].number


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Tabular):
    """The epochs of a training.

    Attributes
    ----------
    objective, ranker, seed : the objective, the kind of ranker, and the random seed.
    measure : the validation measure; None without validation.
    curve, best : the epochs, and the number of the epoch whose ranker was kept.
    train, valid : the names of the training and the validation data.
    watched : what further validation data and measures came to.
    """

    objective: str
    ranker: str
    seed: int
    measure: str | None
    curve: tuple[Epoch, ...]
    best: int
    train: str
    valid: str | None
    watched: tuple[Watched, ...] = field(default=(), kw_only=True)

    def table(self, digits: int = 4) -> Table:
        """One row: the number of epochs, the epoch that was kept, and its value on the validation data.

        The records are the learning curve.
        """
        columns = [
            Column("objective", "name"),
            Column("ranker", "name"),
            Column("epochs", spec="d"),
            Column("kept", spec="d"),
        ]
        row: list[Cell] = [self.objective, self.ranker, len(self.curve), self.best]
        value = self.curve[self.best - 1].valid
        if self.measure is not None and value is not None:
            columns.append(Column(self.measure, spec=f".{digits}f"))
            row.append(value)
        return Table([Grid(columns, [row])], Records.of(FIELDS, self._records()))

    def _records(self) -> Iterator[list[Value]]:
        settings: list[Value] = [self.objective, self.ranker, self.seed, self.train, self.valid]
        for number, trained, valid in self.curve:
            yield [number, trained, self.measure, valid, number == self.best, *settings]
            for one in self.watched:
                yield [number, None, one.measure, one.values[number - 1], number == self.best, *settings[:-1], one.name]
