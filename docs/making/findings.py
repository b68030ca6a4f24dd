"""The pages of claims, from the register: docs/findings.md names the counts, docs/findings/ holds a page a text."""

from __future__ import annotations

from collections.abc import Iterator

from gradeval.papers import claims
from gradeval.papers.claims_register import VERDICTS, Claim, Measurement, read_expected
from gradeval.papers.item import TEXTS
from gradeval.papers.registry import title_of

SIGNS = {"holds": "✓", "open": "?", "does not hold": "✗"}


def counts_table() -> str:
    """The number of claims of each text by verdict."""
    lines = [f"| text | claims | {' | '.join(VERDICTS)} |", "|---|--:|" + "--:|" * len(VERDICTS)]
    for text in (*TEXTS, None):
        counts = claims(text).counts()
        name = "all" if text is None else f"[{title_of(text)}](findings/{text}.md)"
        lines.append(f"| {name} | {counts.total()} | {' | '.join(str(counts[each]) for each in VERDICTS)} |")
    return "\n" + "\n".join(lines) + "\n\n"


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
                "<!-- written by docs/generate.py from src/gradeval/papers/claims -->",
                "Someone who knew the five texts and no number of ours wrote down what they would measure "
                "([why](../findings.md)). These are the claims for which that is another number than the register's; "
                "where it could change a verdict, the register has it, too.",
                "\n".join(lines),
            ]
        )
        + "\n"
    )


def claims_page(text: str) -> str:
    """The claims of a text: those of one set of collections in a table of its own."""
    tables: dict[tuple[str, ...], list[Claim]] = {}
    for claim in claims(text).claims:
        tables.setdefault(tuple(each.collection for each in claim.measured), []).append(claim)
    parts = [
        f"# Claims: {title_of(text)}",
        "<!-- written by docs/generate.py from src/gradeval/papers/claims -->",
        "What each claim rests on, with its interval of 95%, and whether it holds (✓), is open (?) or does not hold "
        "(✗) there: [how this is decided](../findings.md).",
        *("\n".join(_table(list(places), rows)) for places, rows in tables.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _table(places: list[str], rows: list[Claim]) -> Iterator[str]:
    single = len(places) == 1 and all(each.low == each.high for claim in rows for each in claim.measured)
    heads = ["claim", "contrast", *places, "verdict"]
    yield f"| {' | '.join(heads)} |"
    yield "|---|---|" + "--:|" * len(places) + "---|"
    last = ""
    for claim in rows:
        quotation = f'"{_escape(claim.quotation)}" ({claim.where})'
        shown, last = ("" if quotation == last else quotation), quotation
        cells = [_number(claim, each, exact=single) for each in claim.measured]
        contrast = f"{_escape(claim.contrast)}: {claim.rule}" if claim.rule else claim.untestable
        yield f"| {shown} | {contrast} | {' | '.join([*cells, claim.verdict])} |"


def _number(claim: Claim, each: Measurement, *, exact: bool) -> str:
    sign = SIGNS[claim.verdict_on(each)]
    if exact or each.low == each.high:
        return f"{sign}{each.value:.2g}"
    low, high = (f"{bound + 0.0:+.3f}".replace("-0.000", "+0.000") for bound in (each.low, each.high))
    return f"{sign}{each.value:+.3f} [{low},{high}]"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
