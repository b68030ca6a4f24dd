"""Where do runs win and lose? Topics, and the differences of two runs on them; of a run alone, its hard topics."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, tiny
from gradeval.messages import join_names
from gradeval.page.live import choose_runs
from gradeval.page.page_texts import PageTexts
from gradeval.page.section import Material, Section, Still, Titled
from gradeval.page.shell import as_base64
from gradeval.page.topics_picture import topics_map
from gradeval.scores.scores import Scores
from gradeval.studies.report_results import PAIRED, Overview
from gradeval.studies.significance import name_correction
from gradeval.tables.grid import Column
from gradeval.tables.records import Value
from gradeval.tables.table import Table

HEADING = "On which topics do runs win and lose?"
HEADING_OF_ONE = "Which topics are hard?"
NAMED = 3
"""Runs that a sentence names."""
DRAWN = 30
"""The best runs, which the map shows until one asks for all."""
MOST_BYTES = 800_000
"""Bytes that the values by run, topic and measure may take; with more of them only the best runs are shown."""


def topics(material: Material) -> Section | str:
    """A map of runs and topics, hard topics, and two runs topic by topic; or why they are missing."""
    overview = material.overview
    scores = overview.scores
    if len(scores.topics) < 2:
        return f"{HEADING} That needs two topics."
    values = scores.credited[:, :, 0]
    by_topic = np.where(scores.counted[:, :, 0].any(0), values.mean(0), np.nan)
    if np.isfinite(by_topic).sum() < 2:
        return f"{HEADING} That needs two topics that count."
    hard, easy = (scores.topics[place] for place in (int(np.nanargmin(by_topic)), int(np.nanargmax(by_topic))))
    if len(scores.runs) < 2:
        return _of_one_run(material, by_topic, _hard_and_easy(overview, by_topic))
    said = f"{_hard_and_easy(overview, by_topic)} {_furthest_behind(overview)}"
    of_a_run = 4 * len(scores.topics) * len(scores.measures)
    shown = overview.order[: max(2, min(PAIRED, MOST_BYTES // of_a_run))]
    details = [
        f"Topics explain {_share(values):.0%} of the variance of the values, runs {_share(values.T):.0%}.",
        "Dark cells are high values. Sort the map by runs or topics; choose two runs to see where one beats the other.",
        *material.texts.tell(hard, easy, scores.topics[_most_behind(overview)]),
    ]
    if overview.judged is not None:
        grades = f"grade {overview.relevant_from:g} or more{material.after_regrading}{overview.other_thresholds}"
        details.append(f"Relevant documents have {grades}.")
    if len(shown) < len(scores.runs):
        details.append(f"Shown here are the best {len(shown)} of {len(scores.runs)} runs by {overview.measure}.")
    return Section(
        "topics",
        HEADING,
        said,
        details,
        tables=[Titled("Topics, the hardest first", _table_of_topics(overview, by_topic, material.texts), folded=True)],
        redo=[material.redo("evaluate", "-q", "-m", " ".join(map(str, scores.measures)))]
        if overview.judged is not None
        else [],
        part="topics",
        data=_data(overview, shown, material.texts),
        stills=[_still(overview, shown[:DRAWN], material.texts)],
        shows_texts=bool(material.texts.queries),
    )


def _hard_and_easy(overview: Overview, by_topic: Array) -> str:
    """The hardest topic and the easiest, and which runs returned nothing for the hardest."""
    scores = overview.scores
    hard, easy = int(np.nanargmin(by_topic)), int(np.nanargmax(by_topic))
    of_runs = " of the runs" if len(scores.runs) > 1 else ""
    lacking = [run for run, there in zip(scores.runs, scores.present[:, hard].tolist(), strict=True) if not there]
    because = f" {join_names(lacking, NAMED)} returned nothing for {scores.topics[hard]}." if lacking else ""
    return (
        f"The hardest topic is {scores.topics[hard]} (mean {overview.measure}{of_runs} {by_topic[hard]:.4f}), "
        f"the easiest {scores.topics[easy]} ({by_topic[easy]:.4f}).{because}"
    )


def _of_one_run(material: Material, by_topic: Array, said: str) -> Section:
    """The topics of a run that stands alone; its values stand in the page, for a later comparison."""
    overview = material.overview
    return Section(
        "topics",
        HEADING_OF_ONE,
        said.replace("(mean ", "("),
        tables=[Titled("Topics, the hardest first", _table_of_topics(overview, by_topic, material.texts), folded=True)],
        redo=[material.redo("evaluate", "-q", "-m", " ".join(map(str, overview.scores.measures)))]
        if overview.judged is not None
        else [],
        data=_values(overview.scores, [None] * len(overview.scores.measures), material.texts),
        shows_texts=bool(material.texts.queries),
    )


def _most_behind(overview: Overview) -> int:
    """The place of the topic on which the leader is furthest behind."""
    values = overview.scores.credited[:, :, 0]
    return int((values.max(0) - values[overview.order[0]]).argmax())


def _furthest_behind(overview: Overview) -> str:
    """Where the leader is furthest behind the best run, in a sentence."""
    scores = overview.scores
    values = scores.credited[:, :, 0]
    leader = overview.order[0]
    topic = _most_behind(overview)
    if overview.identical[:1] == [overview.order]:
        return "All runs have the same value on each topic."
    if tiny(values[:, topic].max() - values[leader, topic], np.abs(values).max()):
        return f"On no topic is another run better than {scores.runs[leader]}, the leader."
    best = int(values[:, topic].argmax())
    own = f"{values[leader, topic]:.4f}" if scores.present[leader, topic] else "it has nothing"
    return (
        f"{scores.runs[leader]}, the leader, is furthest behind on topic {scores.topics[topic]}: "
        f"{own}, where {scores.runs[best]} has {values[best, topic]:.4f}."
    )


def _share(values: Array) -> float:
    """The share of the variance of values[i, j] that the means over i explain."""
    whole = float(np.var(values))
    return float(np.var(values.mean(0))) / whole if whole else 0.0


def _table_of_topics(overview: Overview, by_topic: Array, texts: PageTexts) -> Table:
    scores = overview.scores
    values = scores.credited[:, :, 0]
    relevant = overview.relevant
    several = len(scores.runs) > 1
    columns = [Column("topic", "name"), *([Column("query", "name")] if texts.queries else [])]
    columns += [Column(f"mean {overview.measure}" if several else str(overview.measure), spec=".4f")]
    if several:
        columns += [Column("deviation", spec=".4f"), Column("best run", "text"), Column("best value", spec=".4f")]
    columns += [Column("relevant documents", spec="d")] if relevant is not None else []
    rows: list[list[Value]] = []
    for topic in np.argsort(by_topic, kind="stable")[: int(np.isfinite(by_topic).sum())].tolist():
        best = int(values[:, topic].argmax())
        name = scores.topics[topic]
        row: list[Value] = [name, *texts.cells(name)]
        row += [float(by_topic[topic])]
        leads = values[:, topic].min() < values[best, topic]  # where all are equal, none is best
        led = [scores.runs[best] if leads else None, float(values[best, topic])]
        row += [float(values[:, topic].std()), *led] if several else []
        rows.append([*row, *([int(relevant[topic])] if relevant is not None else [])])
    fields = ["topic", *["query"] * bool(texts.queries), "mean"]
    fields += "deviation best_run best_value".split() if several else []
    fields += ["relevant"] * (relevant is not None)
    return Table.of(columns, rows, fields)


def _still(overview: Overview, shown: list[int], texts: PageTexts) -> Still:
    scores = overview.scores
    values = scores.credited[shown, :, 0]
    caption = f"{overview.measure} of each run (lines) on each topic (columns), the highest means first; dark is high."
    queries = [texts.query(topic) for topic in scores.topics]
    return Still(topics_map(values, [scores.runs[run] for run in shown], scores.topics, queries), caption)


def _data(overview: Overview, shown: list[int], texts: PageTexts) -> dict[str, object]:
    """The values by run, topic and measure that the sliders do not have, and the tests of all pairs by the first one.

    Topics with texts go by their labels; ``ids`` are then their names.
    """
    scores = overview.scores.sel(runs=[overview.scores.runs[run] for run in shown])
    return {
        **_values(scores, _computed(overview, shown), texts),
        "second": shown.index(overview.rival) if overview.rival in shown else 1,
        "drawn": DRAWN,
        "tests": _tests(overview, scores),
    }


def _values(scores: Scores, computed: list[dict[str, object] | None], texts: PageTexts) -> dict[str, object]:
    """What ``read_earlier`` reads; ``computed``: see ``_computed``."""
    stored = [place for place, by in enumerate(computed) if by is None]
    return {
        "runs": scores.runs,
        "topics": [texts.label(topic) for topic in scores.topics],
        **({"ids": scores.topics} if texts.queries else {}),
        "measures": list(map(str, scores.measures)),
        "computed": computed,
        "values": as_base64(np.moveaxis(scores.credited[:, :, stored], 2, 0), "<f4"),
        "present": as_base64(scores.present, "<u1"),
        "missing": scores.missing,
        "empty": scores.empty,
        "judgments": None if scores.collection is None else scores.collection.digest,
    }


def _computed(overview: Overview, shown: list[int]) -> list[dict[str, object] | None]:
    """From which form of the sliders, with which weights, the page has the values of each measure; None: from none.

    Besides the weights by default each grade is tried alone, as AP is GAP for users whom every relevant document suits.
    """
    forms, values = overview.forms, overview.scores.credited[shown]
    origins: list[dict[str, object] | None] = [None] * values.shape[-1]
    if not forms or len(choose_runs(forms, overview.order)) < len(shown):
        return origins
    for number, form in enumerate(forms):
        for weights in (form.weights, *np.eye(len(form.grades))):
            made = form.values(weights)[shown]
            for place in [place for place, by in enumerate(origins) if by is None]:
                if tiny(made - values[:, :, place], max(1.0, np.abs(made).max(initial=0.0))).all():
                    origins[place] = {"form": number, "weights": weights.tolist()}
    return origins


def _tests(overview: Overview, scores: Scores) -> dict[str, object] | None:
    """p and corrected p of each pair of these runs, in the order of ``all_pairs``; the answer has one pair's."""
    pairs = overview.pairs
    if pairs is None or len(pairs.pairs) == 1 or pairs.runs[: len(scores.runs)] != scores.runs:
        return None
    among = (pairs.pairs < len(scores.runs)).all(-1)
    p, corrected = pairs.p[0, among], pairs.corrected[0, among]
    kind = "<f4" if p[p > 0].min(initial=1.0) > np.finfo(np.float32).tiny else "<f8"
    return {
        "p": as_base64(p, kind),
        "corrected": as_base64(corrected, kind),
        "bytes": np.dtype(kind).itemsize,
        "words": f"{pairs.test} test, {name_correction(pairs.correction)} for {len(pairs.pairs):,} pairs",
    }
