"""Formulas recorded: what a formula does to a ranking, as a program that the core runs without NumPy.

NumPy takes about a microsecond a call however few documents there are, and a formula makes some twenty calls. So a
formula is run once on a ranking of which nothing is known but the levels of the collection. Every operation on it is
written down instead of done, and the core repeats them for each ranking, in the same order, so that the values equal
the formula's to the last bit. A formula that does anything else, as one whose steps depend on values, is not recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

import gradeval._core as _core
from gradeval.formula.arithmetic import Array, Recorded, running_sums
from gradeval.formula.definition import Measure
from gradeval.formula.judged import Depth, JudgedRankings
from gradeval.formula.levels import Levels

LONGEST = 1023
"""Documents of a ranking up to which programs score it: their tables by rank end there."""

StepKey: TypeAlias = tuple[str, int, int, int]
"""A step: what it does, and to which values."""
PoolNumber: TypeAlias = tuple[Any, Callable[[Array], Array], int | None]
"""A number that depends on the pool only: its key, how it is computed, and the place where there are several."""
ALL = 0
"""Of values that are rows with all documents of the ranking; other numbers belong to a part of the ranking."""


class NotRecorded(Exception):
    """The formula does something that no program does."""


class Tape:
    """The steps so far; a step that was there before is not written again."""

    def __init__(self) -> None:
        self.steps: dict[StepKey, int] = {}
        self.numbers: list[float] = []
        self.tables: list[Array] = []
        self.of_pool: dict[Any, int] = {}
        self.pool_numbers: list[PoolNumber] = []

    def write(self, name: str, *of: int) -> int:
        """The number of this step."""
        first, second, third = (*of, 0, 0, 0)[:3]
        return self.steps.setdefault((name, first, second, third), len(self.steps))

    def number(self, value: float) -> int:
        """The step that gives a number."""
        same = [place for place, known in enumerate(self.numbers) if known == value]
        if not same:
            self.numbers.append(value)
        return self.write("number", same[0] if same else len(self.numbers) - 1)

    def table(self, values: Array) -> int:
        """The place of a table of numbers."""
        for place, known in enumerate(self.tables):
            if np.array_equal(known, values):
                return place
        self.tables.append(values)
        return len(self.tables) - 1

    def of_each_pool(self, key: Any, compute: Callable[[Array], Array], entry: int | None) -> int:
        """The step that gives a number of the pool."""
        if (key, entry) not in self.of_pool:
            self.of_pool[key, entry] = len(self.pool_numbers)
            self.pool_numbers.append((key, compute, entry))
        return self.write("of_pool", self.of_pool[key, entry])

    def program(self, given: Sequence[int]) -> tuple[_core.Program, tuple[PoolNumber, ...]]:
        """The steps that some of them need, as a program that gives these; and the numbers of pools that it needs."""
        steps = list(self.steps)
        needed = set(given)
        for place in reversed(range(len(steps))):
            if place in needed:
                name, of = steps[place][0], steps[place][1:]
                needed.update(of[at] for at in _operands(name))
        place_of = {old: new for new, old in enumerate(sorted(needed))}
        pool_numbers: list[PoolNumber] = []
        written: list[StepKey] = []
        for old in place_of:
            name, operands = steps[old][0], list(steps[old][1:])
            if name == "of_pool":
                pool_numbers.append(self.pool_numbers[operands[0]])
                operands[0] = len(pool_numbers) - 1
            for at in _operands(name):
                operands[at] = place_of[operands[at]]
            written.append((name, operands[0], operands[1], operands[2]))
        tables = [table.tolist() for table in self.tables]
        return _core.Program(written, self.numbers, tables, [place_of[one] for one in given]), tuple(pool_numbers)


def _operands(name: str) -> range:
    """Which of the three entries of a step are steps before it; the others are unused, or places of what is kept."""
    if name in ("grades", "ranks", "judged", "retrieved", "number", "of_pool"):
        return range(0)
    if name in ("searchsorted", "take", "look_up"):
        return range(1, 2)
    return (
        range(3) if name in ("where", "top", "sum_down_to", "precision_down_to") else range(2 if name in _BINARY else 1)
    )


_ARITHMETIC = {"add", "subtract", "multiply", "divide", "minimum", "maximum"}
_FLAGS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "bitwise_and", "bitwise_or"}
_FLAGS |= {"logical_and"}
_BINARY = _ARITHMETIC | _FLAGS | {"keep", "least"}
_UNARY = {"negative", "absolute", "floor", "invert", "logical_not"}


class RecordedValue(NDArrayOperatorsMixin, Recorded):
    """A number, or a row with one for each document, that a step gives.

    Attributes
    ----------
    tape, step : where it was written.
    row : of which documents it is a row; None: it is a number.
    kind : of what NumPy would have here: "b" for flags, "i" for whole numbers, "f" for others.
    """

    def __init__(self, tape: Tape, step: int, row: int | None, kind: str) -> None:
        self.tape, self.step, self.row, self.kind = tape, step, row, kind

    def __getattr__(self, name: str) -> Any:
        raise NotRecorded(name)

    def __array__(self, *_: object, **__: object) -> Array:
        raise NotRecorded("an array of the value")

    def __bool__(self) -> bool:
        raise NotRecorded("a decision that depends on values")

    @property
    def shape(self) -> tuple[int, ...]:
        """A number's shape: rows have as many documents as there will be."""
        if self.row is not None:
            raise NotRecorded("the number of documents")
        return ()

    def made(self, name: str, *of: Any, kind: str = "f", row: bool = True) -> RecordedValue:
        """What a step gives; ``row``: a row where an operand is one."""
        values = [self.of(one) for one in of]
        rows = {one.row for one in values} - {None}
        if len(rows) > 1:
            raise NotRecorded("documents of two lists together")
        return RecordedValue(
            self.tape, self.tape.write(name, *(one.step for one in values)), rows.pop() if rows and row else None, kind
        )

    def of(self, value: Any) -> RecordedValue:
        """A recorded value, or a number as one."""
        if isinstance(value, RecordedValue):
            return value
        number = np.asarray(value)
        if number.size != 1 or number.dtype.kind not in "bif":
            raise NotRecorded("an array that is not part of the ranking")
        return RecordedValue(self.tape, self.tape.number(float(number.item())), None, number.dtype.kind)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **more: Any) -> Any:
        name = ufunc.__name__
        if method != "__call__" or more or name not in _ARITHMETIC | _FLAGS | _UNARY:
            raise NotRecorded(name)
        kinds = [self.of(one).kind for one in inputs]
        if name in ("bitwise_and", "bitwise_or", "invert") and set(kinds) != {"b"}:
            raise NotRecorded("bits of numbers")
        if set(kinds) == {"b"} and name in ("add", "subtract", "negative", "divide", "floor", "absolute"):
            raise NotRecorded("arithmetic of flags")
        kind = "b" if name in _FLAGS or name in ("invert", "logical_not") else max(kinds, key="bif".index)
        result = self.made(name, *inputs, kind="f" if name in ("divide", "floor") else kind)
        if out is None:
            return result
        (into,) = out
        into.step, into.row, into.kind = result.step, result.row, result.kind
        return into

    def __array_function__(self, function: Any, _: object, given: Any, named: Any) -> Any:
        if named or function not in _FUNCTIONS:
            raise NotRecorded(function.__name__)
        return _FUNCTIONS[function](self, *given)

    def __getitem__(self, place: Any) -> RecordedValue:
        if self.row is None and place == (..., None):  # a number stands for all documents anyway
            return self
        raise NotRecorded("some of the documents")

    def astype(self, kind: Any) -> RecordedValue:
        """The same numbers as floating-point numbers."""
        if np.dtype(kind).kind != "f":
            raise NotRecorded("rounding")
        return RecordedValue(self.tape, self.step, self.row, "f")

    def sum(self, axis: int) -> RecordedValue:
        """How many there are; sums of other numbers are ``JudgedRankings.total``, in an order that is fixed."""
        if axis != -1 or self.row is None or self.kind == "f":
            raise NotRecorded("a sum in NumPy's order")
        return self.made("sum", self, kind="i", row=False)

    def min(self, axis: int, initial: float) -> RecordedValue:
        """The least of the row."""
        if axis != -1 or self.row is None:
            raise NotRecorded("the least of several lists")
        return self.made("least", self, initial, kind=self.kind, row=False)

    def running_sums(self) -> Any:
        """See ``arithmetic.running_sums``."""
        return self.made("running_sums", self, kind="i" if self.kind == "b" else "f")

    def products_before(self) -> Any:
        """See ``arithmetic.products_before``."""
        return self.made("products_before", self)

    def look_up(self, table: Array) -> Any:
        """See ``arithmetic.look_up``."""
        return self.from_table("look_up", table)

    def from_table(self, name: str, table: Any, kind: str = "f") -> RecordedValue:
        """What a table says of each of these numbers."""
        values = np.asarray(table, float)
        return RecordedValue(self.tape, self.tape.write(name, self.tape.table(values), self.step), self.row, kind)


def as_array(value: RecordedValue) -> Array:
    """The value as what it stands for."""
    return cast(Array, value)


def _where(of: RecordedValue, condition: Any, there: Any, elsewhere: Any) -> RecordedValue:
    kinds = of.of(there).kind, of.of(elsewhere).kind
    return of.made("where", condition, there, elsewhere, kind=max(kinds, key="bif".index))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.searchsorted: lambda of, table, _: of.from_table("searchsorted", table, "i"),
    np.broadcast_arrays: lambda _, *values: [one for one in values if one.shape == ()],
    # Nobody knows how many are not 0: not none, and not all. Formulas ask in order to save steps.
    np.count_nonzero: lambda _, __: -1,
    np.size: lambda _, __: 1,
}


class _Unknown(RecordedValue):
    """An array of which nothing but the shape is known."""

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self._shape = shape

    @property
    def shape(self) -> tuple[int, ...]:
        """All that is known."""
        return self._shape

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise NotRecorded("an array that is not known")

    def __array_function__(self, *_: Any) -> Any:
        raise NotRecorded("an array that is not known")

    def __getitem__(self, place: Any) -> RecordedValue:
        raise NotRecorded("an array that is not known")


class _PoolEntries(_Unknown):
    """Several numbers of each pool, of which formulas take one after the other."""

    def __init__(self, entry: Callable[[int], RecordedValue]) -> None:
        self._entry = entry

    def __getitem__(self, place: Any) -> RecordedValue:
        match place:
            case (e, int(index), *rest) if e is ... and index >= 0 and rest in ([], [None]):
                return self._entry(index)
        raise NotRecorded("some entries of a pool")


class RecordedRankings(JudgedRankings):
    """A ranking of which only the levels are known, and whose fields are recorded values; none has a leading axis."""

    @classmethod
    def on(cls, tape: Tape, levels: Levels) -> RecordedRankings:
        """A ranking whose steps are written on a tape."""

        def row(name: str, kind: str) -> Any:
            return RecordedValue(tape, tape.write(name), ALL, kind)

        retrieved: Any = RecordedValue(tape, tape.write("retrieved"), None, "i")
        rows = row("grades", "f"), row("ranks", "f"), row("judged", "b")
        unknown: Any = _Unknown((len(levels),))
        return cls(*rows, unknown, unknown, levels, retrieved)

    @property
    def level(self) -> Array:
        """The index of each document's grade."""
        return self.compute_once("level", lambda: np.searchsorted(self.levels, self.grades))

    def by_level(self, table: Array) -> Array:
        """See JudgedRankings."""
        level: Any = self.level
        return as_array(level.from_table("take", table))

    @property
    def longest(self) -> int:  # which is a cached property
        """The longest ranking that a program scores."""
        return LONGEST

    @property
    def common_ranks(self) -> None:
        """Nothing is known of other rankings."""
        return None

    def of_pool(self, key: Any, compute: Callable[[Array], Array]) -> Array:
        """A number of the pool, or several."""
        values: Any = self.grades
        tape: Tape = values.tape
        example = compute(np.ones((1, len(self.levels)), np.int64))
        kind = "f" if example.dtype.kind == "f" else "i"

        def entry(place: int | None) -> RecordedValue:
            return RecordedValue(tape, tape.of_each_pool(key, compute, place), None, kind)

        return as_array(entry(None) if example.ndim == 1 else _PoolEntries(entry))

    def total(self, terms: Array, depth: Depth = None) -> Array:
        """See JudgedRankings."""
        value: Any = terms
        kind = "i" if value.kind == "b" else "f"
        if depth is None:
            return as_array(value.made("sum", value, kind=kind, row=False))
        return as_array(value.made("sum_down_to", value, self.ranks, depth, kind=kind, row=False))

    def summed_precision(self, rel: float, depth: Depth = None) -> Array:
        """See JudgedRankings."""
        hits: Any = self.hits(rel)
        end = np.inf if depth is None else depth
        return as_array(hits.made("precision_down_to", hits, self.ranks, end, row=False))

    def weighted_total(self, values: Array, weights: Array, depth: Depth = None) -> Array:
        """See JudgedRankings."""
        ranks: Any = self.ranks
        return self.total(values * ranks.look_up(weights), depth)

    def top(self, cutoff: int) -> JudgedRankings:
        """See JudgedRankings."""
        if cutoff >= LONGEST:
            return self
        return self.compute_once(
            ("top", cutoff),
            lambda: self._part("top", self.ranks, cutoff, self.ranks, np.minimum(self.retrieved, cutoff)),
        )

    def condensed(self) -> JudgedRankings:
        """See JudgedRankings."""
        return self.compute_once(
            "condensed",
            lambda: self._part("keep", self.judged, 0, running_sums(self.judged).astype(float), self.judged.sum(-1)),
        )

    def _part(self, name: str, of: Array, depth: int, ranks: Array, length: Array) -> RecordedRankings:
        """The ranking of some of its documents, at these ranks."""
        part = next(_PARTS)

        def kept(values: Any) -> Any:
            row = values.made(name, values, of, *[depth] * (name == "top"), kind=values.kind)
            row.row = part
            return row

        return RecordedRankings(
            kept(self.grades), kept(ranks), kept(self.judged), self.document, self.pool, self.levels, length
        )


_PARTS = count(1)
"""Numbers of parts of rankings, which meet only numbers of the same part."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Measures of a collection, those that could be recorded as one program.

    Attributes
    ----------
    program : gives the values of the recorded measures; None where there are none.
    levels : of the collection.
    places : of these among the measures.
    others : the places of all others.
    """

    program: _core.Program | None
    levels: Levels
    places: tuple[int, ...]
    others: tuple[int, ...]
    pool_numbers: tuple[PoolNumber, ...]

    def of_pools(self, pools: JudgedRankings) -> Array:
        """float64[topic, number]: what the program needs to know of each topic."""
        columns = np.empty((len(pools.pool), len(self.pool_numbers)))
        for at, (key, compute, entry) in enumerate(self.pool_numbers):
            values = pools.of_pool(key, compute)
            columns[:, at] = values if entry is None else values[:, entry]
        return columns


class FewRankings(JudgedRankings):
    """Rankings [..., j] of so few documents that the core scores them faster than NumPy: with arrays from a loop."""

    def recorded(self, measure: Measure) -> Array | None:
        """The values of a measure that was recorded; None where it could not be recorded, or the arrays do not fit."""
        leading, documents = self.retrieved.shape, self.ranks.shape
        several = self.grades.shape, self.judged.shape, (*leading, *documents[-1:])
        if not 0 < self.ranks.size <= FEW or any(one != documents for one in several) or self.pool.dtype != np.int64:
            return None
        recording = record((measure,), self.levels)
        if recording.program is None or self.longest > LONGEST:
            return None
        values = np.empty(leading)
        of_pool = np.empty((*leading, len(recording.pool_numbers)))
        if recording.pool_numbers:
            of_pool[...] = _known_of_pools(recording, self.pool.shape, self.pool.tobytes())
        recording.program.score_rectangle(
            np.ascontiguousarray(self.grades, float),
            np.ascontiguousarray(self.ranks, float),
            np.ascontiguousarray(self.judged),
            np.ascontiguousarray(self.retrieved, np.int64),
            of_pool,
            values,
        )
        return values


FEW = 512
"""Documents up to which arrays are few."""


@lru_cache(maxsize=1024)
def _known_of_pools(recording: Recording, shape: tuple[int, ...], pool: bytes) -> Array:
    """float64[..., number]: what a program needs to know of pools int64[..., level], which loops often give again."""
    counts = np.frombuffer(pool, np.int64).reshape(-1, shape[-1])
    return recording.of_pools(JudgedRankings.empty(counts, recording.levels)).reshape(*shape[:-1], -1)


@lru_cache(maxsize=128)
def record(measures: tuple[Measure, ...], levels: Levels) -> Recording:
    """The formulas of gradeval's own measures as one program, for collections with these levels.

    Formulas of users are left as they are: what they read besides the ranking may change from call to call.
    """
    tape = Tape()
    ranking = RecordedRankings.on(tape, levels)
    number = cast(RecordedValue, ranking.retrieved)
    given: dict[int, int] = {}
    for place, measure in enumerate(measures):
        if measure.definition.formula.__module__.startswith("gradeval."):
            try:
                given[place] = number.of(measure(ranking)).step
            except Exception:  # whatever stops it, its formula scores it, and says what is wrong
                continue
    others = tuple(place for place in range(len(measures)) if place not in given)
    if not given:
        return Recording(None, levels, (), others, ())
    program, pool_numbers = tape.program(tuple(given.values()))
    return Recording(program, levels, tuple(given), others, pool_numbers)
