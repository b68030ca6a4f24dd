"""Evaluate, compare and learn rankings with graded relevance."""

from gradeval import measures as _measures  # registers every measure
from gradeval._core import InputError
from gradeval.judged import JudgedRankings
from gradeval.measure import Measure, measure
from gradeval.measures import *  # noqa: F403
from gradeval.meeting import JudgedRuns, judge
from gradeval.notation import parse_measure
from gradeval.qrels import Qrels
from gradeval.runs import Run

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "JudgedRankings",
    "JudgedRuns",
    "Measure",
    "Qrels",
    "Run",
    "judge",
    "measure",
    "parse_measure",
    *_measures.__all__,
]
