"""Average distance: how near a system's scores come to the grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.messages import Given

ScoreScaling: TypeAlias = Literal["none", "minmax"]


@known_arguments()
def adm(
    qrels: Qrels | Mapping[str, Mapping[str, float]],
    run: Run | Mapping[str, Mapping[str, float]],
    *,
    scaling: ScoreScaling = "none",
) -> dict[str, float]:
    """Average distance measure: how near a system's relevance scores come to the user's, by topic.

    ADM = 1 - mean_{d in D} |SRE(d) - URE(d)| over the judged documents D of the topic, with SRE the system's
    and URE the user's estimate of the relevance of d, both from 0 to 1. It needs the scores, not only the
    ranking, and changes with any rescaling of them; hence a function of qrels and run, not a measure of
    judged rankings. The command ``gradeval adm`` scores several runs.

    URE is the grade where all levels of the collection lie in [0, 1], else grade / top level (negative grades: 0);
    the levels are those declared (``Qrels.with_levels``), or else those seen. SRE is the score; 0 where d is not
    retrieved, so that a topic which the run misses is scored as if every estimate were 0.

    Parameters
    ----------
    scaling : how scores are brought to [0, 1]: none, or minmax. none: they are used as given and must lie in [0, 1];
        minmax: they are shifted and stretched; the lowest retrieved score of a topic becomes 0, the
        highest 1 (all 1 where all are equal).

    Returns
    -------
    {topic: value} in the order of the qrels.

    Source: Della Mea & Mizzaro (2004), "Measuring retrieval effectiveness", JASIST 55(6). Departures: grades
    stand for continuous relevance, and D is the pool: of other documents nobody knows what the user would
    say.
    """
    arguments.one_of("adm: scaling", scaling, ("none", "minmax"))
    qrels = qrels if isinstance(qrels, Qrels) else Qrels.from_dict(qrels)
    run = run if isinstance(run, Run) else Run.from_dict(run)
    top, answered = max(qrels.levels[-1], 1.0), set(run.topics)
    values = {}
    for topic in qrels.topics:
        excluded = qrels.exclusion.of(topic)
        retrieved = run.of(topic) if topic in answered else {}
        scores = {document: score for document, score in retrieved.items() if document not in excluded}
        estimates = _stretch(scores) if scaling == "minmax" else _require_shares(scores, run.name, topic)
        distances = [
            abs(estimates.get(document, 0.0) - max(grade, 0.0) / top) for document, grade in qrels.of(topic).items()
        ]
        values[topic] = 1 - sum(distances) / len(distances)
    return values


def _require_shares(scores: Mapping[str, float], run: str, topic: str) -> Mapping[str, float]:
    for document, score in scores.items():
        if not 0 <= score <= 1:
            raise InputError(
                f"adm: {run}: score {score:g} of document {document} (topic {topic}) does not lie in [0, 1]; "
                "scale the scores, or take ",
                Given("scaling", "minmax"),
            )
    return scores


def _stretch(scores: Mapping[str, float]) -> Mapping[str, float]:
    if not scores:
        return scores
    low, high = min(scores.values()), max(scores.values())
    return {document: (score - low) / (high - low) if low < high else 1.0 for document, score in scores.items()}
