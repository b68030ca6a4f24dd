"""One topic, two rankings side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradeval.collection.meeting import ranked
from gradeval.formula.arithmetic import tiny
from gradeval.measures.precision import P
from gradeval.messages import visible
from gradeval.page.page_texts import PageTexts, fit_texts
from gradeval.page.section import Material, Section

HEADING = "What does one run show that another does not?"
FIRST = 10
MOST_BYTES = 1_200_000
"""Bytes that the documents may take, nearly; with more of them only some topics are shown."""


def rankings(material: Material) -> Section | str:
    """The first documents of the best runs on each topic; or why they are not there."""
    overview = material.overview
    judged, qrels = overview.judged, material.qrels
    if judged is None or qrels is None or len(overview.scores.runs) < 2 or not material.show_runs:
        return f"{HEADING} That needs judgments and two runs, and room for them (--show-runs)."
    scores = overview.scores
    shown = overview.order[: material.show_runs]
    first, second = overview.order[0], overview.rival
    if len(shown) > 1 and second not in shown:
        shown = [*shown[:-1], second]
    gap = scores.credited[first, :, 0] - scores.credited[second, :, 0]
    topic = int(np.abs(gap).argmax())
    relevant = judged.map(P(rel=overview.relevant_from) @ FIRST)[:, topic] * FIRST
    different = "" if second == overview.order[1] else "different "
    names = f"{scores.runs[first]} and {scores.runs[second]}"
    values = scores.credited[:, topic, 0]
    said = (
        f"{names}, the first two {different}runs by {overview.measure}, differ most on topic {scores.topics[topic]}: "
        f"{values[first]:.4f} and {values[second]:.4f}; of their first {FIRST} documents {relevant[first]:.0f} and "
        f"{relevant[second]:.0f} are relevant (grade {overview.relevant_from:g} or more{material.after_regrading})."
    )
    lacking = [scores.runs[run] for run in (first, second) if not scores.present[run, topic]]
    said += "".join(f" {run} has nothing for this topic." for run in lacking)
    if tiny(gap, np.abs(values).max()).all():
        said = f"{names}, the first two runs by {overview.measure}, have the same value on each topic."
    depth = min(material.show_depth, material.depth or material.show_depth)
    which = "each run" if len(shown) == len(scores.runs) else f"the best {len(shown)} runs"
    details = [f"The first {depth} documents of {which}. Click one to find it in the other list."]
    details += [f"Grades are shown{after}."] if (after := material.after_regrading) else []
    details += material.texts.tell(scores.topics[topic])
    data = _data(material, shown, depth, [topic, *(each for each in range(len(scores.topics)) if each != topic)])
    details += _add_texts(data, material.texts)
    if len(data["names"]) < len(scores.topics):
        details.append(
            f"Shown here are {len(data['names'])} of {len(scores.topics)} topics; --show-runs and --show-depth with "
            "smaller numbers leave room for more."
        )
    return Section(
        "rankings",
        HEADING,
        said,
        details,
        part="rankings",
        data=data,
        redo=[material.redo("evaluate", "-q", "-m", str(overview.measure))],
        shows_texts="queries" in data or any("texts" in each for each in data["topics"]),
    )


def _add_texts(data: dict[str, Any], texts: PageTexts) -> Iterator[str]:
    """Put queries and documents' texts into the data of the page, and say how much of them is shown."""
    names = data["names"]
    if texts.queries:
        data["queries"] = [visible(texts.query(topic)) for topic in names]
        data["names"] = [texts.label(topic) for topic in names]
    if texts.read_documents is None:
        return
    ranks = [
        {topic["documents"][place]: rank for rank, place in _best_ranks(topic["lists"])} for topic in data["topics"]
    ]
    read = texts.read_documents(list(dict.fromkeys(document for topic in ranks for document in topic)))
    shown, letters, depth = fit_texts(read, ranks)
    for topic, known in zip(data["topics"], shown, strict=True):
        topic["texts"] = [known.get(document) for document in topic["documents"]]
    where = "" if depth is None else f", for documents that a run ranks among its first {depth}"
    yield f"Titles and texts of documents: the first {letters} letters of each{where}."


def _best_ranks(rankings: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """The places of documents in several rankings, the worst rank of each first."""
    for rank in range(max(map(len, rankings), default=0) - 1, -1, -1):
        yield from ((rank, ranking[rank]) for ranking in rankings if rank < len(ranking))


def _data(material: Material, shown: list[int], depth: int, order: list[int]) -> dict[str, Any]:
    """For each topic its documents with grades, and the rankings as places among them.

    Topics are taken in ``order`` while they fit, and stand in the collection's; ``topic``: the place of the first.
    """
    scores = material.overview.scores
    by_name = {run.name: run for run in material.runs}
    runs = [by_name[scores.runs[run]] for run in shown]
    has = [set(run.topics) for run in runs]
    chosen: dict[int, dict[str, Any]] = {}
    taken = 0
    assert material.qrels is not None
    for place in order:
        topic = scores.topics[place]
        grades, gone = material.qrels.of(topic), material.qrels.exclusion.of(topic)
        places: dict[str, int] = {}
        lists = [
            [places.setdefault(document, len(places)) for document in ranked(run, topic, material.ties, depth, gone)]
            if topic in known
            else []
            for run, known in zip(runs, has, strict=True)
        ]
        taken += sum(map(len, places)) + 10 * len(places) + 3 * sum(map(len, lists))
        if chosen and taken > MOST_BYTES:
            break
        chosen[place] = {
            "documents": list(places),
            "grades": [grades.get(document) for document in places],
            "lists": lists,
        }
    kept = sorted(chosen)
    return {
        "runs": [run.name for run in runs],
        "names": [scores.topics[place] for place in kept],
        "topics": [chosen[place] for place in kept],
        "topic": kept.index(order[0]),
        "second": shown.index(material.overview.rival) if material.overview.rival in shown else 0,
        "most": material.qrels.levels[-1],
    }
