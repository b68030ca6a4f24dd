"""The page of a measure: formula, parameters, range, a worked example, pictures, and what other tools compute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradeval import JudgedRankings, evaluate
from gradeval.explanation.explain import MORE, RANKING, work_out_example
from gradeval.formula.definition import REQUIRED, Measure
from gradeval.formula.parameters import MEANINGS, write
from making.drawing import CAPTIONS
from making.families import spelling
from making.peers import same_elsewhere
from making.prose import escaped, paragraphs, prose

ROW = re.compile(r"^\| *([^|]*?) *\| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
OVER_TOPICS = {
    "mean": "The value of a run is the mean over topics.",
    "sum": "The value of a run is the sum over topics.",
    "geometric": "The value of a run is the geometric mean over topics, each at least 0.00001.",
}


def measure_page(measure: Measure, family: str, pictures: Sequence[str], agreement: str) -> str:
    """The whole page."""
    parts = [
        f"# {spelling(measure)}",
        f"<!-- Written by docs/generate.py from src/gradeval/measures/{family}.py; change it there. -->\n"
        + escaped(f"{measure.definition.meaning}."),
        *prose(*paragraphs(measure.definition.formula)[1:]),
        f"[Its family](../{family}.md) · [what the letters stand for](../../measures.md#what-the-letters-stand-for)",
        *_section("Parameters", "\n".join(parameters(measure))),
        *_section("Range", " ".join(range_of(measure))),
        *_section("Ties", ties_of(measure)),
        "## Worked example",
        example(measure),
        *(part for name in pictures for part in _picture(measure, name)),
        *_section("Elsewhere", "\n\n".join(elsewhere(measure, agreement))),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, text: str) -> list[str]:
    return [f"## {title}", text] if text else []


def parameters(measure: Measure) -> Iterator[str]:
    """A line for each parameter: what it means, what it accepts, and its default."""
    definition = measure.definition
    for name, default in definition.parameters.items():
        kind, optional = definition.kinds[name]
        shown = "must be given" if default is REQUIRED else f"default `{write(default)}`"
        accepts = kind.accepts + (" or None" if optional else "")
        place = f"@{name}" if name == definition.at else name
        means = f"{escaped(MEANINGS[name])}. " if name in MEANINGS else ""
        yield f"* `{place}`: {means}Accepted: {escaped(accepts)}; {shown}"


def range_of(measure: Measure) -> Iterator[str]:
    """What values are possible, what the best and the empty ranking of the example score, and how topics are joined."""
    reason = measure.definition.exempt.get("bounded")
    yield f"Not bounded by 1: {reason}." if reason else "From 0 to 1."
    levels = (0, 1, 2, 3)
    pool = [RANKING.count(level) + MORE for level in levels]
    ideal = [level for level in reversed(levels) for _ in range(pool[level])]
    best, none = (float(shown(measure)(JudgedRankings.of(one, pool=pool))[0]) for one in (ideal, []))
    yield (
        f"In the example below the ideal ranking (all judged documents, the highest grade first) scores {best:.4f}, "
        f"and one that returns nothing {none:.4f}."
    )
    yield OVER_TOPICS[measure.definition.aggregate]


def ties_of(measure: Measure) -> str:
    """What equal scores do to the value: found by other orders, and by a topic whose scores are all equal."""
    one = measure @ 3 if measure.definition.at == "cutoff" else shown(measure)
    orders = [[[0] * rank + [other] + [0] * (6 - rank) for rank in range(7)] for other in (3, None)]
    values = [[float(one(JudgedRankings.of(order, pool=[9, 0, 0, 1]))[0]) for order in each] for each in orders]
    if all(max(each) - min(each) < 1e-12 for each in values):
        return "The value does not depend on the order of documents, so equal scores do not change it."
    qrels = {"1": {f"d{place}": place % 4 for place in range(12)}}
    flat = {"1": dict.fromkeys([*qrels["1"], "unjudged"], 1.0)}
    errors = evaluate(qrels, flat, [one], ties="expected").errors
    exact = errors is None or not errors.any()
    how = "exactly" if exact else "from 256 drawn orders where there are too many"
    return (
        "Documents with equal scores stand in descending order of their ids. [`--ties "
        f"expected`](../../guide/options.md#ties-averaged) gives the mean over all their orders, {how}."
    )


def shown(measure: Measure) -> Measure:
    """A measure that needs a cutoff gets that of the example."""
    at = measure.definition.at
    if at is None or measure.parameters[at] is not REQUIRED:
        return measure
    return measure @ (0.5 if at == "recall" else 5)


def example(measure: Measure) -> str:
    """What ``gradeval explain`` works out."""
    lines = work_out_example(measure)
    return f"`gradeval explain {measure.name}` shows how the value grows from rank to rank:\n\n" + "\n".join(
        ["```text", *lines, "```"]
    )


def _picture(measure: Measure, name: str) -> list[str]:
    heading, caption = CAPTIONS["settings" if "-" in name else "alone"]
    return [f"## {heading}", caption.format(measure=measure.name), f"![{measure.name}: {heading.lower()}]({name})"]


def elsewhere(measure: Measure, agreement: str) -> Iterator[str]:
    """The tools that compute the same, under which name; and those that do not."""
    rows = [f"| {tool} | `{theirs}` | `{ours}` |" for tool, theirs, ours in same_elsewhere(measure.name)]
    if rows:
        yield "The same number; rules for [ties and topics](../../agreement.md) may differ:"
        yield "\n".join(["| tool | there | here |", "|---|---|---|", *rows])
    differing = list(_differing(measure.name, agreement))
    if differing:
        yield "Where definitions [differ](../../agreement.md#measure-by-measure):"
        yield "\n".join(["| elsewhere | here, and how to get theirs |", "|---|---|", *differing])
    if not rows and not differing:
        yield (
            "trec_eval, ir_measures, ranx and scikit-learn have no name that stands for it; "
            "[Agreement](../../agreement.md) says what else was compared."
        )


def _differing(name: str, agreement: str) -> Iterator[str]:
    """The rows about a measure of the table in docs/agreement.md; an empty first cell is about the measure above."""
    table = agreement.partition("## Measure by measure\n")[2].partition("\n## ")[0]
    names: list[str] = []
    for about, theirs, ours in ROW.findall(table):
        names = re.findall(r"`(\w+)", about) or names
        if name in names:
            yield f"| {theirs} | {ours} |"
