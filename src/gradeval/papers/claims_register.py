"""The claims of the five texts: what would have to be true, what public collections say, and the verdict that follows.

``claims/TEXT.toml`` holds a claim a row, ``claims/measured.tsv`` what ``benchmarks/findings`` measured. A verdict is
never written down: it follows from the rule of the claim and the interval of what was measured.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from gradeval.papers.item import TEXTS, require_text
from gradeval.scores.notes import Note
from gradeval.studies.study import Result
from gradeval.tables.grid import Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

FOLDER = Path(__file__).parent / "claims"
ClaimVerdict: TypeAlias = Literal["holds", "holds in part", "open", "does not hold", "cannot be tested here"]
VERDICTS: tuple[ClaimVerdict, ...] = ("holds", "holds in part", "open", "does not hold", "cannot be tested here")
FIELDS = tuple("text claim quotation where contrast rule command expected collection value low high verdict".split())
ROUNDED = 9
"""Decimals to which bounds are compared with the rule: beyond them are rounding errors."""


@dataclass(frozen=True)
class Measurement:
    """What a collection says of a claim.

    Attributes
    ----------
    collection : and the topics or rankers, if it has several.
    value, low, high : the contrast and its interval of 95%.
    """

    collection: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Expectation:
    """What someone who read a text, and no number of ours, would measure.

    Attributes
    ----------
    text, quotation, where : of the claim, as that reader found it.
    expected : the contrast in that reader's words.
    claims : those of the register that it is of; none: it is not in the register.
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
    measured: tuple[Measurement, ...] = ()
    expected: tuple[Expectation, ...] = ()

    @property
    def range(self) -> tuple[float, float]:
        """Where the contrast lies if the claim is true."""
        side, _, number = self.rule.partition(" ")
        bound = float(number)
        return {"above": (bound, float("inf")), "below": (float("-inf"), bound), "within": (-bound, bound)}[side]

    def verdict_on(self, measurement: Measurement) -> ClaimVerdict:
        """Of one collection: "holds" where the whole interval lies in the range, "does not hold" where it lies beyond a
        bound; else, and where it ends at the bound of a range that is open on one side, these data cannot tell."""
        least, most = self.range
        low, high = round(measurement.low, ROUNDED), round(measurement.high, ROUNDED)
        closed = self.rule.startswith("within")
        if (low > least or (closed and low == least)) and (high < most or (closed and high == most)):
            return "holds"
        return "does not hold" if high < least or low > most else "open"

    @cached_property
    def verdict(self) -> ClaimVerdict:
        """Of all collections: "holds" if it does on each, "holds in part" if on some; if on none, "does not hold" where
        it does not on any; else "open"."""
        if self.untestable:
            return "cannot be tested here"
        verdicts = {self.verdict_on(each) for each in self.measured}
        if "holds" in verdicts:
            return "holds" if verdicts == {"holds"} else "holds in part"
        return "does not hold" if "does not hold" in verdicts else "open"


@dataclass(frozen=True, eq=False, repr=False)
class Register(Result):
    """Claims of texts, with what public collections say.

    Attributes
    ----------
    claims : in the order of the texts.
    """

    claims: tuple[Claim, ...]

    def counts(self) -> Counter[ClaimVerdict]:
        """The number of claims of each verdict."""
        return Counter(claim.verdict for claim in self.claims)

    def table(self, digits: int = 3) -> Table:
        """A row for each claim and collection, then one for each claim with its contrast and rule. tsv, csv and jsonl
        hold quotation and command, too."""
        spec = f"+.{digits}f"
        columns = [Column("text", "name"), Column("claim", "name"), Column("verdict", "name")]
        columns += [Column("collection", "name"), Column("contrast", "number", spec), Column("says", "name")]
        rows: list[list[str | Estimate | None]] = []
        for claim in self.claims:
            named: list[str | Estimate | None] = [claim.text, claim.name, claim.verdict]
            for each in claim.measured:
                cell = Estimate(each.value, bounds=(each.low, each.high))
                rows.append([*named, each.collection, cell, claim.verdict_on(each)])
                named = ["", "", ""]
            if not claim.measured:
                rows.append([*named, "", None, ""])
        heads = [Column(title, "name") for title in ("claim", "where", "contrast", "rule")]
        contrasts = [[one.name, one.where, one.contrast or one.untestable, one.rule] for one in self.claims]
        grids = [Grid(columns, rows, title="claims"), Grid(heads, contrasts, title="what each rests on")]
        return Table(grids, Records.of(FIELDS, list(self._records())))

    def _records(self) -> Iterator[list[Value]]:
        for claim in self.claims:
            said = [claim.text, claim.name, claim.quotation, claim.where, claim.contrast or claim.untestable]
            said += [claim.rule, claim.command, "; ".join(each.expected for each in claim.expected)]
            for each in claim.measured:
                yield [*said, each.collection, each.value, each.low, each.high, claim.verdict_on(each)]
            if not claim.measured:
                yield [*said, "", None, None, None, claim.verdict]


def claims(text: str | None = None) -> Register:
    """The claims of a text, as "ferro14", or of all five; an InputError where there is no such text."""
    if text is not None:
        require_text(text)
    chosen = tuple(claim for name in ([text] if text else TEXTS) for claim in _claims_of(name))
    register = Register(chosen)
    counts = register.counts()
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return Register(
        chosen,
        notes=[
            Note(f"{len(chosen)} claims: {told}"),
            Note(
                "a claim holds on a collection where the whole interval (95%) keeps its rule, is open where a part does"
            ),
        ],
    )


@cache
def _claims_of(text: str) -> tuple[Claim, ...]:
    rows = tomllib.loads((FOLDER / f"{text}.toml").read_text(encoding="utf-8"))
    measured, expected = read_measured(), read_expected()
    return tuple(
        Claim(
            text,
            name,
            measured=measured.get(name, ()),
            expected=tuple(each for each in expected if each.text == text and name in each.claims),
            **row,
        )
        for name, row in rows.items()
    )


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
