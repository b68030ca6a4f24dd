"""Evaluate, compare and learn rankings with graded relevance."""

from gradeval import measures as _measures  # registers every measure
from gradeval._core import InputError
from gradeval.evaluate import evaluate
from gradeval.formats import from_frame, read_qrels, read_run, read_runs, write_qrels, write_run
from gradeval.judged import JudgedRankings
from gradeval.measure import Measure, measure
from gradeval.measures import *  # noqa: F403
from gradeval.meeting import JudgedRuns, judge
from gradeval.notation import parse_measure
from gradeval.qrels import Qrels
from gradeval.runs import Run
from gradeval.scores import Scores

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "JudgedRankings",
    "JudgedRuns",
    "Measure",
    "Qrels",
    "Run",
    "Scores",
    "evaluate",
    "from_frame",
    "judge",
    "measure",
    "parse_measure",
    "read_qrels",
    "read_run",
    "read_runs",
    "write_qrels",
    "write_run",
    *_measures.__all__,
]
