"""A ranker that chooses its trees: settings from a fixed list, tried in rounds by the measure that is asked.

A round lets each of its settings grow so many trees, weighed by their learning rate, as one of half the rate takes
twice as many to come as far. Of ``UNITS`` units of trees in the budget,

1. each loss on each shape of trees gets one unit (twelve);
2. the best four get a second one (four);
3. what differs from the best in its rate or its leaves gets as much (at most nine);
4. the best two of all share what is left, until validation no longer improves.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, ClassVar

from gradeval._core import InputError
from gradeval.arguments import Whole, known_arguments
from gradeval.features.features import Features
from gradeval.features.folds import split_at_random
from gradeval.features.scaler import Scaler
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.data.task import Task, TrainingData
from gradeval.ltr.data.trainable import select_rows
from gradeval.ltr.objectives.objective import EXPONENTIAL_GAINS, Objective
from gradeval.ltr.rankers.learning_curve import Epoch, best_of
from gradeval.ltr.rankers.ranker import FeatureScaling, Ranker
from gradeval.ltr.rankers.tree_training import TreeTraining
from gradeval.ltr.rankers.trees import Shape, TreeRanker
from gradeval.ltr.saving import Card, read_checkpoint, versions_of
from gradeval.messages import plural
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular
from gradeval.warning_categories import Note

UNITS, LEAST_BUDGET = 32, 64
RATE = 0.1
DRAWS = 5
HELD_OUT = 0.2  # of the queries, where no validation data are given
KEPT, FINALISTS = 4, 2  # settings that go on to the second round, and to the last
LEAVES: dict[Shape, tuple[int, ...]] = {"leaf-wise": (7, 15, 31), "symmetric": (16, 8, 64)}
"""The leaves of the first round, and further leaves that the third round tries."""
RATES = (0.05, 0.2)
"""The learning rates that the third round tries besides the first round's."""
FIELDS = "trial loss draws norm shape leaves learning_rate trees best measure valid kept reason".split()


@dataclass(frozen=True)
class TreeSetting:
    """What a TreeRanker is trained with: its loss, with or without norm, and its trees."""

    objective: Objective
    norm: bool
    shape: Shape
    leaves: int
    learning_rate: float = RATE

    def trees_for(self, units: float) -> int:
        """How many trees come as far as so many of learning rate RATE."""
        return max(1, round(units * RATE / self.learning_rate))

    @property
    def values(self) -> dict[str, Any]:
        """The setting as JSON values."""
        return {
            "loss": str(self.objective),
            "draws": self.objective.draws,
            "norm": self.norm,
            "shape": self.shape,
            "leaves": self.leaves,
            "learning_rate": self.learning_rate,
        }


def first_settings(measure: Measure) -> list[TreeSetting]:
    """What the first round tries, for both shapes of trees: the measure and the squared error of grades together, by
    drawn rankings, with and without norm; the measure alone, by drawn rankings and without (not for ERR, see
    ``warn_of_cascade``); the measure, nDCG, ERR and the squared error together; and the squared error alone."""
    own, both, names = f"lambdarank:{measure}", f"{measure} + queryrmse", [EXPONENTIAL_GAINS, "ERR"]
    every_measure = " + ".join([str(measure), *(name for name in names if name != str(measure)), "queryrmse"])
    losses = [
        (Objective.parse(both, draws=DRAWS), True),
        (Objective.parse(both, draws=DRAWS), False),
        (Objective.parse(own, draws=DRAWS), True),
        *([] if measure.name == "ERR" else [(Objective.parse(own), True)]),
        (Objective.parse(every_measure, draws=DRAWS), True),
        (Objective.parse("queryrmse"), False),
    ]
    every = [TreeSetting(loss, norm, shape, leaves[0]) for shape, leaves in LEAVES.items() for loss, norm in losses]
    return list(dict.fromkeys(every))


def neighbours(setting: TreeSetting) -> list[TreeSetting]:
    """What the third round tries besides the best setting: other rates, and other numbers of leaves."""
    return [
        *(replace(setting, learning_rate=rate) for rate in RATES),
        *(replace(setting, leaves=leaves) for leaves in LEAVES[setting.shape] if leaves != setting.leaves),
    ]


@dataclass(frozen=True)
class Attempt:
    """A setting that was tried.

    Attributes
    ----------
    setting : what was tried.
    curve : the epochs of its training, by tree.
    reason : why it was left out; empty where it was not.
    """

    setting: TreeSetting
    curve: tuple[Epoch, ...] = ()
    reason: str = ""

    @property
    def best(self) -> int:
        """The number of trees of the best validation; 0 where it was left out."""
        return best_of(self.curve) if self.curve else 0

    @property
    def valid(self) -> float | None:
        """The validation measure of the best trees; None where it was left out."""
        return self.curve[self.best - 1].valid if self.curve else None


@dataclass(frozen=True, eq=False, repr=False)
class Trials(Tabular):
    """What an AutoRanker tried, in the order in which it began.

    Attributes
    ----------
    attempts : the settings and how far they came.
    chosen : the place of the one that was kept.
    measure : the validation measure.
    budget : how many trees there were to grow.
    held_out : the number of queries that were held out to choose by; 0 where validation data were given.
    """

    attempts: tuple[Attempt, ...]
    chosen: int
    measure: str
    budget: int
    held_out: int

    def __len__(self) -> int:
        return len(self.attempts)

    def table(self, digits: int = 4) -> Table:
        """A row for each setting, the best first: its trees, and its best validation; * is the one that was kept."""
        columns = [
            Column("loss", "name"),
            *(Column(name, "text") for name in ("draws", "norm", "shape")),
            Column("leaves", spec="d"),
            Column("rate", spec="g"),
            Column("trees", spec="d"),
            Column("kept", spec="d"),
            Column(self.measure, spec=f".{digits}f"),
        ]
        tried = [place for place, one in enumerate(self.attempts) if one.curve]
        tried.sort(key=lambda place: (place != self.chosen, -(self.attempts[place].valid or 0.0), place))
        rows = [[*self._cells(self.attempts[place])] for place in tried]
        grid = Grid(columns, rows, best=frozenset([(0, len(columns) - 1)]))
        return Table([grid], Records.of(FIELDS, self._records()), [*map(str, self.notes)])

    @property
    def notes(self) -> list[Note]:
        """How many trees were grown, what validation data there were, and what was left out."""
        tried = [one for one in self.attempts if one.curve]
        grown = sum(len(one.curve) for one in tried)
        said = [Note(f"{plural(len(tried), 'setting')} tried with {grown:,} trees of {self.budget:,}; * is kept")]
        if self.held_out:
            said.append(Note(f"{self.held_out:,} of the queries were held out to choose by, and not learnt from"))
        reasons = [one.reason for one in self.attempts if one.reason]
        said += [
            Note(f"{plural(reasons.count(reason), 'setting')} left out: {reason}") for reason in dict.fromkeys(reasons)
        ]
        return said

    def _cells(self, attempt: Attempt) -> Iterator[Cell]:
        setting = attempt.setting
        yield from (str(setting.objective), str(setting.objective.draws), "yes" if setting.norm else "no")
        yield from (setting.shape, setting.leaves, setting.learning_rate)
        yield from (len(attempt.curve), attempt.best, attempt.valid)

    def _records(self) -> Iterator[list[Value]]:
        for place, one in enumerate(self.attempts):
            result: list[Value] = [len(one.curve), one.best, self.measure, one.valid]
            yield [place + 1, *one.setting.values.values(), *result, place == self.chosen, one.reason]

    def described(self) -> list[dict[str, Any]]:
        """The records as JSON values, for the card of a model."""
        return [dict(zip(FIELDS, record, strict=True)) for record in self._records()]


@known_arguments()
@dataclass(eq=False)
class AutoRanker(Ranker):
    """Trees whose shape, loss and learning rate are chosen for a measure: ``AutoRanker("GAP").fit(train, valid)``.

    It tries about 16 settings of TreeRanker in rounds: all of them with few trees, then the best with more. They differ
    in their trees, leaf-wise or symmetric, of some leaves and rates; and in the loss: LambdaRank for the measure, with
    or without drawn rankings; the same and the squared error of grades (``queryrmse``) in equal parts; both with nDCG
    and ERR; or squared error alone. The validation measure chooses among them and the number of trees.

    ``save`` writes the chosen trees, which ``load_ranker`` reads as a TreeRanker; ``tried`` of its card lists the
    trials. Without validation data, a fifth of the queries is held out to choose by, and the model does not learn from
    them. Where CatBoost is not installed, symmetric trees are left out, and a note says so.

    Attributes
    ----------
    objective : the measure to choose by and to train for, as GAP or nDCG@10.
    budget : the largest number of trees in all trials together, 64 or more. 10,000 rows of 12 features took less than
        40 seconds.
    patience : stop a training after so many trees without a better validation.
    threads : processor cores for each training; 0 takes all.
    trials : what was tried, as a table that can be shown and saved.
    chosen : the TreeRanker that was kept.
    """

    _: KW_ONLY
    scaling: FeatureScaling = None  # trees only compare values
    budget: Annotated[int, Whole(LEAST_BUDGET)] = 2400
    patience: Annotated[int, Whole(1)] = 50
    threads: Annotated[int, Whole(0)] = 1
    _trials: Trials | None = field(default=None, init=False, repr=False)
    _chosen: TreeRanker | None = field(default=None, init=False, repr=False)
    _held_out: int = field(default=0, init=False, repr=False)

    kind: ClassVar[str] = "auto"
    engine: ClassVar[str] = "lightgbm"
    takes_missing: ClassVar[bool] = True
    holds_out: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        objective = self.objective
        if objective != Objective(objective.method, objective.measure) or objective.method != "lambdarank":
            raise InputError(
                f"{objective}: an AutoRanker chooses the loss, its draws and its sigma: give the measure alone, as in "
                f"'{objective.measure}'"
            )

    def warn_of_objective(self) -> None:
        """Nothing is to be warned of: the losses that are tried have draws, or other measures, for ERR."""

    @property
    def most_epochs(self) -> int:
        return self.budget

    @property
    def report(self) -> Tabular:
        return self.trials

    @property
    def trials(self) -> Trials:
        """What was tried; an InputError before training."""
        self.require_trained()
        assert self._trials is not None
        return self._trials

    @property
    def chosen(self) -> TreeRanker:
        """The TreeRanker that was kept; an InputError before training."""
        self.require_trained()
        assert self._chosen is not None
        return self._chosen

    def importances(self) -> dict[str, Array]:
        """See ``TreeRanker.importances``."""
        return self.chosen.importances()

    def contributions(self, features: Any) -> Array:
        """See ``TreeRanker.contributions``."""
        return self.chosen.contributions(features)

    def _with_validation(self, data: TrainingData) -> TrainingData:
        """The data as they are, or with a fifth of the queries held out."""
        self._held_out = 0
        if data.valid is not None:
            return data
        train = data.train
        if len(train.topics) < 3:
            raise InputError(
                f"{train.name}: too few queries ({len(train.topics)}) to hold some out to choose by: "
                "give validation data"
            )
        places = split_at_random(len(train.topics), (1 - HELD_OUT, HELD_OUT), self.seed, train.name)
        learnt, valid = _select(train, places[0], "training"), _select(train, places[1], "held-out")
        self._held_out = len(valid.topics)
        return replace(
            data,
            train=learnt,
            valid=valid,
            weights=None if data.weights is None else select_rows(data.weights, train, places[0]),
            scaler=None if self.scaling is None else Scaler.fit(learnt, self.scaling),
        )

    def _train_best(self, task: Task) -> Objective:
        assert task.validation is not None
        search = _Search(self, task)
        search.run()
        runs, best = search.runs, search.best
        self._trials = Trials(
            tuple(run.attempt for run in runs),
            runs.index(best),
            str(task.validation.measure),
            self.budget,
            self._held_out,
        )
        self._chosen = best.keep()
        self.curve, self.best, self.watched = self._chosen.curve, self._chosen.best, self._chosen.watched
        search.remove_checkpoints()
        return self._chosen.objective

    def _complete_card(self, card: Card) -> Card:
        assert self._chosen is not None
        assert self._trials is not None
        chosen = self._chosen
        tried, engine = self._trials.described(), chosen.engine_for(chosen.parameters)
        card = replace(
            card, ranker=chosen.kind, parameters=chosen.parameters, tried=tried, versions=versions_of(engine)
        )
        chosen.card, chosen.scaler = card, self.scaler
        return card

    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        raise NotImplementedError  # _train_best does it

    def _score(self, X: Array) -> Array:
        return self.chosen._score(X)

    def _weights_file(self) -> str:
        return self.chosen._weights_file()

    def _serialize_weights(self) -> bytes:
        return self.chosen._serialize_weights()

    def _load_weights(self, weights: bytes, place: str) -> None:
        raise NotImplementedError  # what is saved is a TreeRanker


def _select(features: Features, places: Array, part: str) -> Features:
    chosen = features.select([features.topics[place] for place in places.tolist()])
    return replace(chosen, name=f"{features.name} ({part} part)")


class _Run:
    """The training of one setting, which goes on from round to round."""

    def __init__(self, setting: TreeSetting, ranker: TreeRanker, task: Task) -> None:
        self.setting, self.ranker, self.task = setting, ranker, task
        self.training: TreeTraining | None = None
        self.trees = 0  # as many as it may have grown by now
        self.reason = ""

    @property
    def attempt(self) -> Attempt:
        """How far it came. A checkpoint may already hold trees of later rounds: these do not count."""
        curve = () if self.training is None or self.reason else tuple(self.training.curve[: self.trees])
        return Attempt(self.setting, curve, self.reason)

    def grow(self, trees: int) -> None:
        """Grow trees until there are so many, or validation stops the training."""
        self.trees = max(self.trees, trees)
        if self.training is None and self.task.resume:
            assert self.task.checkpoint is not None
            read_checkpoint(self.task.checkpoint, self.task.identity)  # refuses another training's file
        try:
            if self.training is None:
                self.training = self.ranker.prepare(self.task)
            self.training.train_trees(self.trees)
            self.training.rest()
        except InputError as error:
            if self.attempt.curve:
                raise
            self.reason, self.error = str(error), error

    def keep(self) -> TreeRanker:
        """The ranker with the best trees."""
        assert self.training is not None
        self.ranker.keep_best(self.training, self.attempt.curve)
        return self.ranker


class _Search:
    """The rounds; all that is random in them is the seed of the trainings."""

    def __init__(self, ranker: AutoRanker, task: Task) -> None:
        self.ranker, self.task = ranker, task
        self.runs: list[_Run] = []
        self.told = 0  # trees that progress was told of

    @property
    def grown(self) -> int:
        """How many trees all trainings have."""
        return sum(len(run.attempt.curve) for run in self.runs)

    @property
    def best(self) -> _Run:
        """The run of the best validation, the first of equal ones."""
        return self._rank(self.runs)[0]

    def run(self) -> None:
        """Try everything; an InputError where nothing can be trained."""
        unit = self.ranker.budget // UNITS
        first = self._try(first_settings(self.ranker.objective.measure), unit)
        if not any(run.attempt.curve for run in first):
            raise self.runs[0].error
        good = self._rank(first)[:KEPT]
        for run in good:
            run.grow(run.setting.trees_for(2 * unit))
        good += self._try(neighbours(self._rank(good)[0].setting), 2 * unit)
        finalists = self._rank(good)[:FINALISTS]
        for place, run in enumerate(finalists):
            left = (self.ranker.budget - self.grown) // (len(finalists) - place)
            run.grow(len(run.attempt.curve) + left)

    def _rank(self, runs: Iterable[_Run]) -> list[_Run]:
        """Runs that have trees, the best validation first."""
        trained = [run for run in runs if run.attempt.curve]
        return sorted(trained, key=lambda run: -(run.attempt.valid or 0.0))

    def _try(self, settings: Sequence[TreeSetting], units: int) -> list[_Run]:
        """Begin to train with some settings."""
        begun = []
        for setting in settings:
            run = _Run(setting, self._ranker_of(setting), self._task_of(setting))
            self.runs.append(run)
            begun.append(run)
            run.grow(setting.trees_for(units))
        return begun

    def _ranker_of(self, setting: TreeSetting) -> TreeRanker:
        auto = self.ranker
        return TreeRanker(
            setting.objective,
            seed=auto.seed,
            scaling=auto.scaling,
            epochs=auto.budget,
            patience=auto.patience,
            learning_rate=setting.learning_rate,
            shape=setting.shape,
            leaves=setting.leaves,
            norm=setting.norm,
            threads=auto.threads,
        )

    def _task_of(self, setting: TreeSetting) -> Task:
        return replace(
            self.task,
            progress=None if self.task.progress is None else self._tell,
            checkpoint=self._checkpoint(len(self.runs)),
            identity={**self.task.identity, "setting": setting.values},
        )

    def _tell(self, epoch: Epoch) -> None:
        """Tell progress of a tree, by its number among the trees of all trainings."""
        assert self.task.progress is not None
        self.told += 1
        self.task.progress(epoch._replace(number=self.told))

    def _checkpoint(self, number: int) -> str | None:
        """The file of a training's checkpoint, the first of them where the user wants it."""
        if self.task.checkpoint is None:
            return None
        return os.fspath(self.task.checkpoint) + (f".{number}" if number else "")

    def remove_checkpoints(self) -> None:
        """Remove the files of all trainings except the first, as the user knows only the first."""
        for number in range(1, len(self.runs) if self.task.checkpoint is not None else 0):
            with suppress(FileNotFoundError):
                os.unlink(str(self._checkpoint(number)))
