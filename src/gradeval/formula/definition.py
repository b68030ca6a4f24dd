"""Measures as values: how one is defined, configured, named and applied."""

from __future__ import annotations

import math
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, Never, Self, TypeAlias, get_type_hints, overload

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings, ManyRankings
from gradeval.formula.parameters import AcceptedValues, kind_of, kind_of_default, meant_value, write
from gradeval.messages import nearest
from gradeval.upward import import_measures

Aggregate: TypeAlias = Literal["mean", "sum", "geometric"]
Formula: TypeAlias = Callable[..., Array]


class Registry(UserDict[str, "Measure"]):
    """Every measure by its name, in its default configuration.

    A name may be defined again, as when a cell of a notebook runs twice. ``version`` then changes, so that caches of
    parsed names are no longer used. The measures of gradeval are imported when the first one is asked for.
    """

    version = 0

    def __init__(self) -> None:
        self._measures: dict[str, Measure] = {}
        self._is_filled = False

    @property
    def data(self) -> dict[str, Measure]:  # type: ignore[override]  # filled when asked
        """The measures, of which ``UserDict`` makes a mapping."""
        if not self._is_filled:
            self._is_filled = True
            import_measures()
        return self._measures

    def __setitem__(self, name: str, measure: Measure) -> None:
        super().__setitem__(name, measure)
        self.version += 1

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self.version += 1


REGISTRY = Registry()


def _recall_base(judged: JudgedRankings, *, rel: float | None = None) -> Array:
    return judged.recall_base(judged.levels[1] if rel is None else rel)


OF_THE_COLLECTION = dict.fromkeys(
    ("max_rel", "min_rel"), ": leave it out, as the collection has one scale: --levels 0,1,2,3 (levels=[0, 1, 2, 3])"
)
"""What ir_measures has as parameters of measures, and gradeval once for all of them."""


LARGEST_EXAMPLE = 20
"""The threshold up to which an error writes out all grades."""


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """The fixed part of a measure: its formula, its parameters and how values of topics are aggregated.

    Attributes
    ----------
    name, formula, parameters
        Taken from the decorated function; ``parameters`` maps each name to its default.
    at : name of the parameter that @ binds, or None.
    aggregate : how the values of topics become one: by the mean, the sum, or the geometric mean.
    base : how much a topic holds of what the measure looks for, as the relevant documents of AP, from rankings; where
        it is 0 the topic is empty, and ``empty=`` says what it counts. None: no topic is ever empty for the measure.
    exempt : laws of tests/measures/test_laws.py that do not hold, each with its reason: bounded (values are in [0, 1]),
        ideal (no ranking beats the ideal one), appended (documents of grade 0 at the end change nothing), cutoff (one
        beyond the list changes nothing), swap (a better document in the place of a worse one never lowers the value).
    many : a parameter, mostly cutoff, of which the formula also takes several values at once, an array [value, 1 ...],
        for which it returns [value, ...]: nDCG@5 and nDCG@10 in one pass. The rankings are then whole, and the formula
        cuts them (``JudgedRankings.total``). None: there is no such parameter.
    """

    name: str
    formula: Formula
    parameters: Mapping[str, Any]
    at: str | None
    aggregate: Aggregate
    base: Formula | None
    exempt: Mapping[str, str]
    many: str | None = None

    @cached_property
    def kinds(self) -> Mapping[str, tuple[AcceptedValues, bool]]:
        """The kind of each parameter and whether it may be None, from the annotations; judged_only is always one."""
        hints = get_type_hints(self.formula, include_extras=True)
        kinds = {
            name: kind_of(hints[name]) if name in hints else kind_of_default(default)
            for name, default in self.parameters.items()
        }
        return {**kinds, "judged_only": kind_of(bool)}

    @property
    def meaning(self) -> str:
        """What the measure is, in a line: the first sentence of its documentation, without the full stop, or empty."""
        return " ".join((self.formula.__doc__ or "").partition("\n\n")[0].split()).rstrip(".")

    def read(self, name: str, value: Any, instead: str = "") -> Any:
        """A parameter's value in canonical form, or an error that says what is accepted; ``instead``: what says the
        same where there is no such parameter."""
        if (fault := self.fault(name, value)) is None:
            return None if value is None else self.kinds[name][0].read(value)
        if (meant := self.meant(name, value)) is not None:
            raise InputError(f"{fault}: write {meant[0]}={write(meant[1])}")
        if name in self.kinds:
            raise InputError(fault)
        hint = OF_THE_COLLECTION.get(name) or instead or f"{nearest(name, self.kinds)}; it takes {self._takes()}"
        raise InputError(f"{fault}{hint}")

    def fault(self, name: str, value: Any) -> str | None:
        """What is wrong with a parameter or its value, without a remedy; None: it is accepted."""
        if name not in self.kinds:
            return f"{self.name} has no parameter {name!r}"
        kind, optional = self.kinds[name]
        if value is None and optional:
            return None
        try:
            kind.read(value)
        except InputError as error:
            return f"{self.name}: {name}={write(value)} is not {kind.accepts}: {error}"
        except (ValueError, TypeError, OverflowError):
            return f"{self.name}: {name}={write(value)} is not {kind.accepts}"
        return None

    def meant(self, name: str, value: Any) -> tuple[str, Any] | None:
        """The parameter and the accepted value that were meant; None where neither is known."""
        from gradeval.synonyms import meant_by  # here, as only errors need it

        alike = [known for known in self.kinds if known.casefold() == name.casefold()]
        for known in [*alike, *meant_by(name, self.kinds)]:
            meant = meant_value(self.kinds[known][0], value)
            if self.fault(known, meant) is None:
                return known, self.read(known, meant)
        return None

    def _takes(self) -> str:
        names = [name for name in self.parameters if name != self.at]
        return ", ".join([*names, "judged_only"]) + (f" and @{self.at}" if self.at else "")


@dataclass(frozen=True, repr=False)
class Measure:
    """A measure with its parameters: a value that is compared, hashed, written, read back and applied.

    A keyword call configures (``AP(rel=2)``), ``@`` sets the cutoff (``nDCG @ 10``), a positional call scores:
    ``AP(judged)`` gives one value per leading index of the rankings.
    """

    definition: Definition
    changed: tuple[tuple[str, Any], ...] = ()
    judged_only: bool = False

    def __post_init__(self) -> None:
        # help(GAP) and GAP? in a notebook then show the formula, not this class
        object.__setattr__(self, "__doc__", self.definition.formula.__doc__)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.definition, self.changed, self.judged_only))

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[object, ...]]:
        return restore, (self.name, self.changed, self.judged_only, str(self))  # formulas of users cannot be pickled

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @property
    def name(self) -> str:
        """The bare name, without parameters."""
        return self.definition.name

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, in the order of the signature."""
        return {**self.definition.parameters, **dict(self.changed)}

    @cached_property
    def cutoff(self) -> int | None:
        """Ranks that count; None: all."""
        return self.parameters.get("cutoff")

    @property
    def threshold(self) -> float | None:
        """The grade from which a document is relevant, ``rel``; None: the measure tells all grades apart."""
        rel = self.parameters.get("rel")
        return rel if isinstance(rel, int | float) else None

    @property
    def meaning(self) -> str:
        """What it is, and from which grade documents are relevant by it, where it says so; empty: not known."""
        meaning, threshold = self.definition.meaning, self.threshold
        return f"{meaning} (grade {threshold:g} or more is relevant)" if meaning and threshold is not None else meaning

    @overload
    def __call__(self, judged: JudgedRankings | ManyRankings, /) -> Array: ...
    @overload
    def __call__(self, /, **parameters: Any) -> Measure: ...
    def __call__(self, judged: Any = None, /, *others: Any, **parameters: Any) -> Any:
        """Score rankings, or (with keywords) return the measure configured."""
        if others:
            raise InputError(
                f"{self} takes rankings, no second argument; arrays become rankings by judge_arrays(grades, scores); "
                "training in LightGBM and XGBoost takes gradeval.ltr.feval"
            )
        if judged is None:
            return self.configured(parameters)
        if parameters:
            raise InputError(f"{self} configures or scores, not both at once: write {self.name}(...)(judged)")
        if not isinstance(judged, JudgedRankings):
            if hasattr(judged, "map") and hasattr(type(judged), "rectangle"):  # which is long to compute, so not asked
                return judged.map(self)
            raise InputError(
                f"{self} scores JudgedRankings or JudgedRuns, not {type(judged).__name__}; a parameter is named, as in "
                f"AP(rel=2), a list becomes JudgedRankings.of([2, 0, 1])"
            )
        known = judged.recorded(self)
        return self._apply(self.definition.formula, judged) if known is None else known

    def base(self, judged: JudgedRankings) -> Array | None:
        """How much each topic holds that can be retrieved; 0: it is empty for this measure. None: never empty."""
        return None if self.definition.base is None else self._apply(self.definition.base, judged)

    def _apply(self, formula: Formula, judged: JudgedRankings) -> Array:
        arguments = self.arguments[formula]
        if self.judged_only:
            judged = judged.condensed()
        if self.cutoff is not None:
            judged = judged.top(self.cutoff)
        try:
            return formula(judged, **arguments)
        except InputError as error:
            raise error.within(str(self)) from None

    @cached_property
    def arguments(self) -> dict[Formula, dict[str, Any]]:
        """The parameters that the formula and the base take; an error where a required one has no value."""
        parameters = self.parameters
        for name, value in parameters.items():
            if value is REQUIRED:
                if name != self.definition.at:
                    raise InputError(f"{self.name} needs a {name}: write {self.name}({name}=...)")
                raise InputError(f"{self} needs a {name}: write {self @ (0.5 if name == 'recall' else 10)}")
        return {
            formula: {name: parameters[name] for name in keyword_names(formula) if name in parameters}
            for formula in (self.definition.formula, self.definition.base)
            if formula is not None
        }

    def __matmul__(self, at: float) -> Measure:
        if self.definition.at is None:
            raise InputError(f"{self.name} takes no @")
        if any(name == self.definition.at for name, _ in self.changed):
            other = self.configured({self.definition.at: at})
            raise InputError(f"{self} has a {self.definition.at} already; for another one write {other}")
        return self.configured({self.definition.at: at})

    def __getitem__(self, at: object) -> Never:
        raise InputError(
            f"{self} has no parts: write {self.name}@10 for a cutoff, {self.name}(name=...) for parameters"
        )

    def configured(self, parameters: Mapping[str, Any]) -> Measure:
        """The measure with some parameters changed; unknown names and values are errors."""
        values = {
            name: self.definition.read(name, value, self._as_threshold(name, parameters))
            for name, value in parameters.items()
        }
        judged_only = values.pop("judged_only", self.judged_only)
        values = {**self.parameters, **values}
        defaults = self.definition.parameters
        changed = tuple((name, value) for name, value in values.items() if value != defaults[name])
        return replace(self, changed=changed, judged_only=judged_only)

    def _as_threshold(self, name: str, parameters: Mapping[str, Any]) -> str:
        """What says the same as a threshold of a measure that tells all grades apart, where one is given."""
        definition, value = self.definition, parameters[name]
        if name != "rel" or name in definition.kinds or {"gains", "g"}.isdisjoint(definition.parameters):
            return ""
        if not isinstance(value, int | float) or not 0 < value <= LARGEST_EXAMPLE:
            return ""
        grades = {grade: int(grade >= value) for grade in range(1, math.ceil(value) + 2)}
        said = f": it tells all grades apart; to count grades from {value:g} alike, name all of them, as in --recode "
        said += ",".join(f"{grade}={new}" for grade, new in grades.items())
        if "gains" in definition.parameters:
            others = {key: one for key, one in parameters.items() if key != name and definition.fault(key, one) is None}
            said += f" or {self.configured({**others, 'gains': grades})}"
        return said

    def __str__(self) -> str:
        return self._spelling

    @cached_property
    def _spelling(self) -> str:
        at = self.definition.at
        inside = [f"{name}={write(value)}" for name, value in self.changed if name != at]
        inside += ["judged_only=True"] if self.judged_only else []
        place = dict(self.changed).get(at or "")
        return (
            self.name + (f"({','.join(inside)})" if inside else "") + (f"@{write(place)}" if place is not None else "")
        )

    __repr__ = __str__


class _Required:
    """Stands for the default of a parameter that has none."""

    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()


def restore(name: str, changed: tuple[tuple[str, Any], ...], judged_only: bool, spelling: str) -> Measure:
    """The measure that was pickled; where this process does not know it, one with values only.

    A process does not know the measures that a user defined in another one.
    """
    if name in REGISTRY:
        try:
            return REGISTRY[name].configured({**dict(changed), "judged_only": judged_only})
        except InputError:  # another measure of that name, with other parameters
            pass
    return values_only(spelling)


@cache  # one object for one name, so that measures of the same name are equal
def values_only(name: str, aggregate: Aggregate = "mean") -> Measure:
    """A measure whose values were computed elsewhere, so that there is no formula: it is spelled by its name.

    Its values are averaged, selected, compared and saved like any other's; to score with it is an error.
    """
    return Measure(Definition(name, _no_formula, {}, None, aggregate, None, {}))


def _no_formula(_: JudgedRankings) -> Array:
    raise InputError("is known by its values only; define it with @measure to score with it")


def keyword_names(formula: Formula) -> tuple[str, ...]:
    """The keyword-only parameters of a formula."""
    code = formula.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


@overload
def measure(formula: Formula, /) -> Measure: ...
@overload
def measure(
    *,
    at: str = ...,
    aggregate: Aggregate = ...,
    base: Formula | None = ...,
    exempt: Mapping[str, str] | None = ...,
    many: str | None = ...,
) -> Callable[[Formula], Measure]: ...
def measure(
    formula: Formula | None = None,
    /,
    *,
    at: str = "cutoff",
    aggregate: Aggregate = "mean",
    base: Formula | None = _recall_base,
    exempt: Mapping[str, str] | None = None,
    many: str | None = None,
) -> Measure | Callable[[Formula], Measure]:
    """Register a formula as a measure: ``@measure`` above a function of JudgedRankings.

    Name, parameters and defaults are read off the keyword-only parameters, their accepted values off the
    annotations (see ``gradeval.formula.parameters``), the help off the docstring. ``cutoff`` and ``judged_only`` are
    applied to the rankings before the formula is called; a formula uses ``cutoff`` only where its normaliser
    depends on it.
    ``at`` names the parameter that @ binds, if the formula has it; without a default it is required.
    ``many`` names a parameter of which the formula takes an array, too, so that all values are scored in one pass.
    """

    def register(formula: Formula) -> Measure:
        known = REGISTRY.get(formula.__name__)
        if known is not None and known.definition.formula.__module__ != formula.__module__:
            raise InputError(f"there is a measure {formula.__name__} already; give yours another name")
        defaults = formula.__kwdefaults__ or {}
        parameters = {name: defaults.get(name, REQUIRED) for name in keyword_names(formula)}
        place = at if at in parameters else None
        definition = Definition(formula.__name__, formula, parameters, place, aggregate, base, exempt or {}, many)
        made = Measure(definition)
        REGISTRY[made.name] = made
        return made

    return register if formula is None else register(formula)
