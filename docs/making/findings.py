"""The pages of claims, from the register: docs/findings.md names the counts, docs/findings/ holds a page a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from gradeval.papers import claims
from gradeval.papers.claims_register import (
    ALPHA,
    VERDICTS,
    Claim,
    ClaimVerdict,
    Measurement,
    Register,
    read_expected,
    read_few_topics,
)
from gradeval.papers.item import TEXTS
from gradeval.papers.registry import title_of

WRITTEN = "<!-- written by docs/generate.py from src/gradeval/papers/claims -->"
WIDEST = 8
"""Collections that stand next to each other; where there are more, each has a row."""
SIGNS: dict[ClaimVerdict, str] = {"holds": "✓", "open": "?", "does not hold": "✗"}


def counts_table() -> str:
    """The headline, and the number of claims of each text by verdict, of the claims that data could refuse."""
    register = claims()
    counts, before = register.counts(), register.counts(corrected=False)
    tested = counts.total() - counts["cannot be tested here"]
    lines = [f"| text | claims | {' | '.join(VERDICTS)} |", "|---|--:|" + "--:|" * len(VERDICTS)]
    for text in (*TEXTS, None):
        one = claims(text)
        verdicts, without = one.counts(), one.counts(corrected=False)
        name = "all" if text is None else f"[{title_of(text)}](findings/{text}.md)"
        cells = [str(verdicts.total()), *(_beside(verdicts[each], without[each]) for each in VERDICTS)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    counted = [f"`{claim.name}`" for claim in register.holding() if claim.counted]
    by_place = Counter(_alone(claim) for claim in register.holding())
    place, most = max(((name, number) for name, number in by_place.items() if name), key=lambda each: each[1])
    parts = [
        f"Of {tested} claims that data could refuse and that can be tested here, **{counts['holds']} hold** "
        f"({before['holds']} without the correction below), {len(counted)} of them counted, without an interval "
        f"({', '.join(counted)}); {most} of them rest on {place} alone. In brackets: without the correction, where "
        "that differs. The same contrast by another choice of ours is no claim of its own.",
        "\n".join(lines),
    ]
    return "\n" + "\n\n".join(parts) + "\n\n"


def _alone(claim: Claim) -> str:
    """The collection that a claim rests on, if it is a single one."""
    places = {each.collection.partition(",")[0] for each in claim.measured}
    return places.pop() if len(places) == 1 else ""


def _beside(corrected: int, before: int) -> str:
    return str(corrected) if corrected == before else f"{corrected} ({before})"


def decisions_page() -> str:
    """What the correction and other choices change, and how often intervals of few topics hold."""
    parts = [
        "# Decisions that could be others",
        WRITTEN,
        "What the correction for many decisions changes, what other choices of ours would, and how often intervals of "
        "few topics hold. [How claims are decided](../findings.md).",
        "## What the correction changes",
        _changed(),
        "## What other choices turn",
        "Where a choice of ours turns the sign of a contrast, the register has both figures:",
        _choices(),
        *_few_topics(claims()),
    ]
    return "\n\n".join(parts) + "\n"


def identities_page() -> str:
    """The claims of all texts that follow from definitions."""
    parts = [
        "# Identities",
        WRITTEN,
        "Claims of the five texts that follow from definitions: no data could refuse them, so that they stand apart "
        "from [the others](../findings.md). Most are counted on 300 random rankings: the largest deviation.",
    ]
    for text in TEXTS:
        if identities := claims(text).identities:
            parts += [f"## {title_of(text)}", *_tables(identities)]
    return "\n\n".join(parts) + "\n"


def _changed() -> str:
    """The decisions that the correction changes."""
    from scipy.stats import false_discovery_control

    lines = ["| text | claim | on | p | p (bh) | says | verdict of the claim |", "|---|---|---|--:|--:|---|---|"]
    every = [each for claim in claims().claims for each in claim.measured if each.p is not None]
    stand = sum(each.corrected is not None and each.corrected <= ALPHA for each in every)
    of_any = int((false_discovery_control([each.p for each in every], method="by") <= ALPHA).sum())
    for claim in claims().claims:
        for each in claim.measured:
            before, after = claim.uncorrected_on(each), claim.verdict_on(each)
            if before != after:
                cells = [claim.text, f"`{claim.name}`", each.collection, f"{each.p:.3f}", f"{each.corrected:.3f}"]
                cells += [_from(before, after), _from(claim.uncorrected, claim.verdict)]
                lines.append(f"| {' | '.join(cells)} |")
    said = (
        f"{stand} of {len(every)} decisions stand. Many rest on the same topics and runs, so that they depend on one "
        "another; by the procedure of Benjamini & Yekutieli (2001), which holds for any dependence, "
        f"{of_any} would. Compared with the intervals alone the correction changes {len(lines) - 2}:"
    )
    return f"{said}\n\n" + "\n".join(lines)


def _from(before: ClaimVerdict, after: ClaimVerdict) -> str:
    return after if before == after else f"{before} → {after}"


def _choices() -> str:
    """The contrasts that the register has by two choices, where the sign turns."""
    by_name = {claim.name: claim for claim in claims().claims}
    lines = ["| claim | on | as the register has it | by the other choice | of |", "|---|---|--:|--:|---|"]
    for other in by_name.values():
        if other.instead_of:
            first = by_name[other.instead_of]
            measured = {each.collection: each for each in first.measured}
            for each in other.measured:
                ours = measured[each.collection]
                if ours.value * each.value < 0:
                    cells = [_number(first, ours, exact=False), _number(other, each, exact=False)]
                    lines.append(f"| `{first.name}` | {each.collection} | {' | '.join(cells)} | `{other.name}` |")
    return "\n".join(lines)


def expected_table() -> str:
    """How many contrasts a reader of the texts alone would have taken, too."""
    lines = ["| text | claims that the reader found | the same contrast | another one | not in the register |"]
    lines.append("|---|--:|--:|--:|--:|")
    for text in (*TEXTS, None):
        theirs = [each for each in read_expected() if text in (each.text, None)]
        alike = sum(not each.differs for each in theirs)
        left_out = sum(not each.claims for each in theirs)
        cells = [len(theirs), alike, len(theirs) - alike - left_out, left_out]
        lines.append(f"| {'all' if text is None else title_of(text)} | {' | '.join(map(str, cells))} |")
    return "\n" + "\n".join(lines) + "\n\n"


def differences_page() -> str:
    """Where a reader of the texts alone would have measured another number."""
    lines = ["| text | claim | the reader's contrast | how it differs |", "|---|---|---|---|"]
    for each in read_expected():
        if each.differs and each.claims:
            cells = (f"{each.text}, {each.where}", f'"{each.quotation}"', each.expected, each.differs)
            lines.append(f"| {' | '.join(map(_escape, cells))} |")
    return (
        "\n\n".join(
            [
                "# Claims that a reader of the texts alone would have measured otherwise",
                WRITTEN,
                "Someone who knew the five texts and no number of ours wrote down what they would measure "
                "([why](../findings.md)). These are the claims for which that is another number than the register's; "
                "where it could change a verdict, the register has it, too.",
                "\n".join(lines),
            ]
        )
        + "\n"
    )


def claims_page(text: str) -> str:
    """The claims of a text that data could refuse: each set of collections has its own table."""
    parts = [
        f"# Claims: {title_of(text)}",
        WRITTEN,
        "Figures with intervals of 95%; ✓ holds, ? is open, ✗ does not hold ([the rule](../findings.md)); in brackets: "
        "by the interval alone. [Identities](identities.md) stand apart.",
        *_tables(claims(text).refusable),
    ]
    return "\n\n".join(parts) + "\n"


def _tables(chosen: Iterable[Claim]) -> Iterator[str]:
    """Tables of claims; a claim that was measured on some of the collections of an earlier table stands there."""
    tables: dict[tuple[str, ...], list[Claim]] = {}
    for claim in chosen:
        places = tuple(each.collection for each in claim.measured)
        wider = (known for known in tables if places and set(places) <= set(known))
        tables.setdefault(next(wider, places), []).append(claim)
    for places, rows in tables.items():
        if len(places) <= WIDEST:
            yield "\n".join(_table(list(places), rows))
        else:
            yield "\n".join(_table([], rows))
            yield "\n".join(_table_by_place(places, rows))


def _few_topics(register: Register) -> Iterator[str]:
    """How often intervals of as few topics as ``few:2`` and ``few:3`` have hold the truth."""
    counted = register.of_few_topics()
    if counted:
        topics = list(next(iter(counted.values())))
        contrasts = {claim.name: _escape(claim.contrast) for claim in register.claims}
        lines = [
            f"| contrast | {' | '.join(f'{number} topics' for number in topics)} |",
            "|---|" + "--:|" * len(topics),
        ]
        for name, held in counted.items():
            lines.append(f"| {contrasts[name]} | {' | '.join(f'{held[each]:.2f}' for each in topics)} |")
        yield "## How often intervals of few topics hold"
        yield (
            "Claims of Ferrante et al. rest on few topics, too. "
            f"`few:2` has 6 topics, `few:3` 16. Over {read_few_topics()[0].draws} draws from all topics of TREC 2021 "
            "Deep Learning, intervals of 95% held the truth in this share of them. Do not lean on a verdict of few "
            "topics whose interval ends near the rule."
        )
        yield "\n".join(lines)


def _table(places: list[str], rows: list[Claim]) -> Iterator[str]:
    exact = all(each.counted for claim in rows for each in claim.measured)
    yield f"| {' | '.join(['claim', 'contrast', *places, 'verdict'])} |"
    yield "|---|---|" + "--:|" * len(places) + "---|"
    last = ""
    for claim in rows:
        quotation = f'"{_escape(claim.quotation)}" ({claim.where})'
        shown, last = ("" if quotation == last else quotation), quotation
        measured = {each.collection: _number(claim, each, exact=exact) for each in claim.measured}
        contrast = _ruled(claim) if claim.rule else claim.untestable
        verdict = claim.verdict + (f" ({claim.uncorrected})" if claim.uncorrected != claim.verdict else "")
        yield f"| {' | '.join([shown, contrast, *(measured.get(place, '') for place in places), verdict])} |"


def _table_by_place(places: Iterable[str], rows: list[Claim]) -> Iterator[str]:
    """A row for each collection, a column for each claim, which its contrast names."""
    yield f"| on | {' | '.join(_ruled(claim) for claim in rows)} |"
    yield "|---|" + "--:|" * len(rows)
    measured = [{each.collection: _number(claim, each, exact=False) for each in claim.measured} for claim in rows]
    for place in places:
        yield f"| {' | '.join([place, *(numbers.get(place, '') for numbers in measured)])} |"


def _ruled(claim: Claim) -> str:
    """The contrast of a claim with its rule."""
    return f"{_escape(claim.contrast)}: {claim.rule}"


def _number(claim: Claim, each: Measurement, *, exact: bool) -> str:
    sign, before = SIGNS[claim.verdict_on(each)], SIGNS[claim.uncorrected_on(each)]
    sign += "" if sign == before else f"({before})"
    if exact or each.counted:
        return f"{sign}{each.value:.2g}" + (", without an interval" if claim.counted else "")
    low, high = (f"{bound + 0.0:+.3f}".replace("-0.000", "+0.000") for bound in (each.low, each.high))
    return f"{sign}{each.value:+.3f} [{low},{high}]"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
