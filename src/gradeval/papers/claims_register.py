"""The claims of the five texts: what would have to be true, what public collections say, and the verdict that follows.

``claims/TEXT.toml`` holds a claim a row, ``claims/measured.tsv`` what ``benchmarks/findings`` measured, and
``claims/few_topics.tsv`` how often such intervals hold with few topics. A verdict is never written down: it follows
from the rule of the claim and the interval of what was measured. As many are decided, Benjamini & Hochberg's (1995)
procedure corrects them over the whole register; the verdict without it stands next to it.
"""

from __future__ import annotations

import csv
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from gradeval.messages import plural
from gradeval.papers.item import TEXTS, require_text
from gradeval.studies.significance import benjamini_hochberg
from gradeval.studies.study import Result
from gradeval.tables.grid import Cell, Column, Estimate, Grid, write_p
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

FOLDER = Path(__file__).parent / "claims"
ClaimVerdict: TypeAlias = Literal[
    "holds", "holds in part", "contradictory", "open", "fails in part", "does not hold", "cannot be tested here"
]
TESTED: tuple[ClaimVerdict, ...] = ("holds", "holds in part", "contradictory", "open", "fails in part", "does not hold")
VERDICTS: tuple[ClaimVerdict, ...] = (*TESTED, "cannot be tested here")
FIELDS = tuple(
    "text claim identity quotation where contrast rule command expected collection value low high p corrected "
    "uncorrected verdict".split()
)
ALPHA = 0.05
"""Intervals are of 1 - ALPHA; a decision stands where its corrected p value is at most ALPHA."""
ROUNDED = 9
"""Decimals to which bounds are compared with the rule: beyond them are rounding errors."""


@dataclass(frozen=True)
class Measurement:
    """What a collection says of a claim.

    Attributes
    ----------
    collection : and the topics or rankers, if it has several.
    value, low, high : the contrast and its interval of 95%.
    p, corrected : of the decision, and by Benjamini & Hochberg over the register; None where the interval has no width.
    """

    collection: str
    value: float
    low: float
    high: float
    p: float | None = None
    corrected: float | None = None

    @property
    def counted(self) -> bool:
        """Was it counted, without an interval?"""
        return self.low == self.high


@dataclass(frozen=True)
class Expectation:
    """What someone who read a text, and no number of ours, would measure.

    Attributes
    ----------
    text, quotation, where : of the claim, as that reader found it.
    expected : the contrast in that reader's words.
    claims : of the register, on the same contrast; none: it is not in the register.
    differs : how theirs is another number than the register's, or why it has none; nothing where they agree.
    """

    text: str
    quotation: str
    where: str
    expected: str
    claims: tuple[str, ...]
    differs: str


@dataclass(frozen=True)
class Claim:
    """A claim of a text.

    Attributes
    ----------
    text, name : ``ferro14`` and its name here.
    quotation, where : a few words of the text, "..." for what is left out, and where they stand.
    contrast : the number that decides.
    rule : what it has to be: "above X", "below X", or "within X" of 0.
    command : what computes it from one's own files.
    untestable : why there is no number; else nothing.
    identity : does it follow from definitions, so that no data could refuse it?
    instead_of : the claim that has the same contrast by another choice of ours; else nothing.
    measured : what collections say.
    expected : what a reader of the text alone would measure.
    """

    text: str
    name: str
    quotation: str
    where: str
    contrast: str = ""
    rule: str = ""
    command: str = ""
    untestable: str = ""
    identity: bool = False
    instead_of: str = ""
    measured: tuple[Measurement, ...] = ()
    expected: tuple[Expectation, ...] = ()

    @property
    def range(self) -> tuple[float, float]:
        """Where the contrast lies if the claim is true."""
        side, _, number = self.rule.partition(" ")
        bound = float(number)
        return {"above": (bound, float("inf")), "below": (float("-inf"), bound), "within": (-bound, bound)}[side]

    def uncorrected_on(self, measurement: Measurement) -> ClaimVerdict:
        """Of one collection: "holds" where the whole interval lies in the range, "does not hold" where it lies beyond a
        bound; else, and where it ends at the bound of a range that is open on one side, these data cannot tell."""
        least, most = self.range
        low, high = round(measurement.low, ROUNDED), round(measurement.high, ROUNDED)
        closed = self.rule.startswith("within")
        if (low > least or (closed and low == least)) and (high < most or (closed and high == most)):
            return "holds"
        return "does not hold" if high < least or low > most else "open"

    def verdict_on(self, measurement: Measurement) -> ClaimVerdict:
        """Of one collection, after the correction: open where the corrected p value is above ``ALPHA``."""
        kept = measurement.corrected is None or measurement.corrected <= ALPHA
        return self.uncorrected_on(measurement) if kept else "open"

    def p_value(self, measurement: Measurement) -> float | None:
        """The p value of the decision, read off the interval; None where the interval has no width.

        z is 1.96 times the distance of the value from the bound, over its distance from the end of the interval on that
        side; p is two-sided, of a normal distribution. It is below .05 where the interval does not reach the bound. Of
        two bounds a value between them has to keep off both, so that the larger p decides; one beyond them, off the
        nearer, which again has the larger p.
        """
        from scipy.special import ndtr, ndtri

        if measurement.counted:
            return None
        p_values = []
        for bound in filter(math.isfinite, self.range):
            distance = round(measurement.value - bound, ROUNDED)
            side = measurement.value - measurement.low if distance > 0 else measurement.high - measurement.value
            z = float(ndtri(1 - ALPHA / 2)) * abs(distance) / side if side > 0 else math.inf
            p_values.append(1.0 if distance == 0 else 2 * float(ndtr(-z)))
        return max(p_values)

    @cached_property
    def uncorrected(self) -> ClaimVerdict:
        """Of all collections, by the intervals alone."""
        return self._together(map(self.uncorrected_on, self.measured))

    @cached_property
    def verdict(self) -> ClaimVerdict:
        """Of all collections, by what stands after the correction: "holds" if it does on each; "holds in part" if on
        some, and is open on the others; "contradictory" if it holds on some and does not on others; "does not hold" if
        it does not on each; "fails in part" if it does not on some, and is open on the others; else "open"."""
        return self._together(map(self.verdict_on, self.measured))

    def _together(self, verdicts: Iterable[ClaimVerdict]) -> ClaimVerdict:
        given = set(verdicts)
        if self.untestable:
            return "cannot be tested here"
        if {"holds", "does not hold"} <= given:
            return "contradictory"
        if "holds" in given:
            return "holds in part" if "open" in given else "holds"
        if "does not hold" in given:
            return "fails in part" if "open" in given else "does not hold"
        return "open"

    @property
    def counted(self) -> bool:
        """Does a verdict that data could refuse rest on numbers without an interval?"""
        return not self.identity and any(each.counted for each in self.measured)


@dataclass(frozen=True)
class FewTopics:
    """How often the interval of a contrast held the truth, over samples of few topics.

    Attributes
    ----------
    claim : whose contrast it is.
    topics, draws : how many topics a draw has, and how many draws there were.
    held : share of the draws.
    """

    claim: str
    topics: int
    draws: int
    held: float


@dataclass(frozen=True, eq=False, repr=False)
class Register(Result):
    """Claims of texts, with what public collections say.

    Attributes
    ----------
    claims : in the order of the texts.
    """

    claims: tuple[Claim, ...]

    @property
    def identities(self) -> tuple[Claim, ...]:
        """The claims that follow from definitions."""
        return tuple(claim for claim in self.claims if claim.identity)

    @property
    def refusable(self) -> tuple[Claim, ...]:
        """The claims that data could refuse."""
        return tuple(claim for claim in self.claims if not claim.identity)

    def of_few_topics(self) -> dict[str, dict[int, float]]:
        """By claim and number of topics: how often intervals held the truth, for the claims of which it was counted."""
        names = {claim.name for claim in self.claims}
        by_claim: dict[str, dict[int, float]] = {}
        for each in read_few_topics():
            if each.claim in names:
                by_claim.setdefault(each.claim, {})[each.topics] = each.held
        return by_claim

    def counts(self, *, corrected: bool = True) -> Counter[ClaimVerdict]:
        """The number of claims of each verdict, among those that data could refuse; the same contrast by another choice
        is no claim of its own."""
        counted = (claim for claim in self.refusable if not claim.instead_of)
        return Counter(claim.verdict if corrected else claim.uncorrected for claim in counted)

    def holding(self) -> list[Claim]:
        """The claims that data could refuse and that hold, each once."""
        return [claim for claim in self.refusable if claim.verdict == "holds" and not claim.instead_of]

    def table(self, digits: int = 3) -> Table:
        """A row for each claim and collection: the claims that data could refuse, then identities.

        Below: how often intervals of few topics held, where there are such; and a row for each claim with its contrast
        and rule. tsv, csv and jsonl hold quotation and command, too.
        """
        heads = [Column(title, "name") for title in ("claim", "where", "contrast", "rule")]
        contrasts = [[one.name, one.where, one.contrast or one.untestable, one.rule] for one in self.claims]
        grids = [
            *([self._decisions(digits)] if self.refusable else []),
            *([self._deviations()] if self.identities else []),
            *self._with_few_topics(),
            Grid(heads, contrasts, title="what each rests on"),
        ]
        return Table(grids, Records.of(FIELDS, list(self._records())))

    def _decisions(self, digits: int) -> Grid:
        names = [Column(title, "name") for title in ("text", "claim", "verdict", "uncorrected", "collection")]
        columns = [*names, Column("contrast", "number", f"+.{digits}f"), Column("says", "name")]
        columns += [Column("p", "text"), Column("p (bh)", "text")]
        rows: list[Sequence[Cell]] = []
        for claim in self.refusable:
            named: list[Cell] = [claim.text, claim.name, claim.verdict, claim.uncorrected]
            for each in claim.measured:
                contrast = Estimate(each.value, bounds=(each.low, each.high))
                p = ["no interval" if one is None else write_p(one, digits) for one in (each.p, each.corrected)]
                rows.append([*named, each.collection, contrast, claim.verdict_on(each), *p])
                named = ["", "", "", ""]
            if not claim.measured:
                rows.append([*named, "", None, "", "", ""])
        return Grid(columns, rows, title="claims that data could refuse")

    def _deviations(self) -> Grid:
        columns = [Column(title, "name") for title in ("text", "claim", "verdict", "collection")]
        rows: list[Sequence[Cell]] = []
        for claim in self.identities:
            named: list[Cell] = [claim.text, claim.name, claim.verdict]
            for each in claim.measured:
                rows.append([*named, each.collection, each.value])
                named = ["", "", ""]
        columns.append(Column("contrast", "number", ".2g"))
        return Grid(columns, rows, title="identities: they follow from definitions")

    def _with_few_topics(self) -> Iterator[Grid]:
        """A row for each claim of which it was counted, a column for each number of topics."""
        by_claim = self.of_few_topics()
        if by_claim:
            topics = list(next(iter(by_claim.values())))
            columns = [Column("claim", "name"), *(Column(f"{number} topics", "number", ".2f") for number in topics)]
            rows = [[claim, *map(held.get, topics)] for claim, held in by_claim.items()]
            yield Grid(columns, rows, title="how often intervals (95%) hold the truth with few topics")

    def _records(self) -> Iterator[list[Value]]:
        for claim in self.claims:
            said: list[Value] = [claim.text, claim.name, claim.identity, claim.quotation, claim.where]
            said += [claim.contrast or claim.untestable, claim.rule, claim.command]
            said.append("; ".join(each.expected for each in claim.expected))
            for each in claim.measured:
                numbers = [each.value, each.low, each.high, each.p, each.corrected]
                yield [*said, each.collection, *numbers, claim.uncorrected_on(each), claim.verdict_on(each)]
            if not claim.measured:
                yield [*said, "", None, None, None, None, None, claim.uncorrected, claim.verdict]


def claims(text: str | None = None) -> Register:
    """The claims of a text, as "ferro14", or of all five; an InputError where there is no such text."""
    if text is not None:
        require_text(text)
    chosen = tuple(claim for claim in _all_claims() if text in (None, claim.text))
    return Register(chosen, notes=[*map(Note, _about(Register(chosen)))])


def _about(register: Register) -> Iterator[str]:
    """The headline, and how it came about."""
    counts, before = register.counts(), register.counts(corrected=False)
    tested = [verdict for verdict in TESTED if counts[verdict] or before[verdict]]
    if tested:
        number = sum(counts[each] for each in tested)
        counted = sum(claim.counted for claim in register.holding())
        without = f", {counted} of these claims as plain counts without an interval" if counted else ""
        yield (
            f"of the claims that data could refuse and that can be tested here, {counts['holds']} of {number} hold"
            f"{without}"
        )
        yield f"their verdicts: {', '.join(f'{counts[verdict]} {verdict}' for verdict in tested)}"
        yield f"without the correction: {', '.join(f'{before[verdict]} {verdict}' for verdict in tested)}"
    if untestable := counts["cannot be tested here"]:
        yield f"{untestable} more cannot be tested here"
    if others := sum(bool(claim.instead_of) for claim in register.claims):
        yield f"{plural(others, 'row')} more: other contrasts that we chose; they are not counted"
    if register.identities:
        kept = sum(claim.verdict == "holds" for claim in register.identities)
        yield f"of the identities, which follow from definitions, {kept} of {len(register.identities)} hold"
    yield "a claim holds on a collection if its whole 95% interval keeps the claim's rule and corrected p <= 0.05"
    yield "a claim is open there if only a part of the interval keeps this rule, or if p is larger"
    yield "p is read off the interval, and corrected by Benjamini-Hochberg over the claims of all five texts"


@cache
def _all_claims() -> tuple[Claim, ...]:
    """The claims of all texts, with p values of what was measured, corrected over all."""
    every = [_with_p(claim) for text in TEXTS for claim in _claims_of(text)]
    p = [each.p for claim in every for each in claim.measured if each.p is not None]
    corrected = iter(benjamini_hochberg(np.array(p)).tolist())  # in the same order
    return tuple(
        replace(
            claim,
            measured=tuple(
                each if each.p is None else replace(each, corrected=next(corrected)) for each in claim.measured
            ),
        )
        for claim in every
    )


def _with_p(claim: Claim) -> Claim:
    return replace(claim, measured=tuple(replace(each, p=claim.p_value(each)) for each in claim.measured))


def _claims_of(text: str) -> Iterator[Claim]:
    rows = tomllib.loads((FOLDER / f"{text}.toml").read_text(encoding="utf-8"))
    measured, expected = read_measured(), read_expected()
    for name, row in rows.items():
        theirs = tuple(each for each in expected if each.text == text and name in each.claims)
        yield Claim(text, name, measured=measured.get(name, ()), expected=theirs, **row)


@cache
def read_expected() -> tuple[Expectation, ...]:
    """What a reader of the texts alone would measure, in the order of the texts."""
    with open(FOLDER / "expected.tsv", encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(
        Expectation(text, quotation, where, expected, tuple(claims.split()), differs)
        for text, quotation, where, expected, claims, differs in rows
    )


@cache
def read_measured() -> dict[str, tuple[Measurement, ...]]:
    """What was measured, by the name of the claim."""
    by_claim: dict[str, tuple[Measurement, ...]] = {}
    with open(FOLDER / "measured.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            numbers = (float(row[name]) for name in ("value", "low", "high"))
            by_claim[row["claim"]] = (*by_claim.get(row["claim"], ()), Measurement(row["collection"], *numbers))
    return by_claim


@cache
def read_few_topics() -> tuple[FewTopics, ...]:
    """How often intervals hold with few topics, in the order of the contrasts."""
    with open(FOLDER / "few_topics.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return tuple(FewTopics(row["claim"], int(row["topics"]), int(row["draws"]), float(row["held"])) for row in rows)
