"""Scores as trec_eval prints them: the columns measure, topic, value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradeval.formula.definition import Measure
from gradeval.formula.parameters import write
from gradeval.formula.spelling import CUT_ALIASES, parse_measure
from gradeval.scores.score_table import ALL, decimals
from gradeval.scores.scores import Scores

ENDING = ".trec"
WIDTH = 22  # of the first column
NAMES = (
    "map gm_map Rprec bpref recip_rank ndcg infAP 11pt_avg "
    "set_P set_recall set_F set_map num_q num_ret num_rel num_rel_ret"
).split()
"""What trec_eval calls measures without a cutoff; formula.spelling.CUT_ALIASES has the others."""


def trec_eval_lines(scores: Scores, *, by_topic: bool = False, digits: int = 4) -> Iterator[str]:
    """What trec_eval prints, run after run: a line ``runid``, the topics (on request), all topics.

    A measure that trec_eval has goes by its name there, the others by ours. Values are rounded, counts whole.
    """
    names = [f"{trec_eval_name(measure):<{WIDTH}}" for measure in scores.measures]
    places = [decimals(measure, digits) for measure in scores.measures]

    def lines(topic: str, values: list[float], counted: list[bool]) -> str:
        cells = zip(names, places, values, counted, strict=True)
        return "".join(f"{name}\t{topic}\t{value:.{places}f}\n" for name, places, value, counts in cells if counts)

    credited, counted, means = scores.credited, scores.counted, scores.mean()
    for place, run in enumerate(scores.runs):
        yield f"{'runid':<{WIDTH}}\t{ALL}\t{run}\n"
        if by_topic:
            rows = zip(scores.topics, credited[place].tolist(), counted[place].tolist(), strict=True)
            yield "".join(lines(*row) for row in rows)
        yield lines(ALL, means[place].tolist(), [True] * len(names))


def trec_eval_name(measure: Measure) -> str:
    """trec_eval's name of a measure (map, ndcg_cut_10, iprec_at_recall_0.20), else its spelling here."""
    if measure.parameters.get("mode") == "trec10":  # the same names in both versions of trec_eval
        measure = measure(mode="trec9")
    at = measure.parameters.get(measure.definition.at or "")
    cut = f"{at:.2f}" if measure.definition.at == "recall" else write(at)
    stems = [stem for stem, spelling in CUT_ALIASES.items() if re.split(r"\W", spelling)[0] == measure.name]
    known = NAMES if at is None else [f"{stem}_{cut}" for stem in stems]
    return next((name for name in known if parse_measure(name) == measure), str(measure))
