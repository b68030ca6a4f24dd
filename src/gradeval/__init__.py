"""Evaluate, compare and learn rankings with graded relevance."""

import typing as _typing

import gradeval.startup as _startup  # noqa: F401 - first, as Ctrl-C may come while the rest is imported

# isort: split
from gradeval import measures as _measures  # registers every measure
from gradeval._core import InputError
from gradeval.arrays import judge_arrays
from gradeval.collection.clicks import Clicks
from gradeval.collection.distance import adm
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.evaluation import evaluate, judge
from gradeval.formats.frames.frame import qrels_from_frame, run_from_frame
from gradeval.formats.places import read_qrels, read_run, read_runs
from gradeval.formats.scores import read_scores, scores_from_frame
from gradeval.formats.text.trec import write_qrels, write_run
from gradeval.formula.definition import Measure, measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.spelling import parse_measure
from gradeval.measures import *  # noqa: F403
from gradeval.scores.scores import Scores
from gradeval.version import __version__ as __version__
from gradeval.warning_categories import (
    CollectionWarning,
    CoverageWarning,
    GradevalWarning,
    IdsWarning,
    RanksWarning,
    SplitQueriesWarning,
    TiesWarning,
)

if _typing.TYPE_CHECKING:
    from gradeval.checking.inspection import check
    from gradeval.display.plotting import plot
    from gradeval.display.report.reporting import report
    from gradeval.explanation.explaining import explain
    from gradeval.features.cache import open_features
    from gradeval.features.features import Features
    from gradeval.features.scaler import Scaler
    from gradeval.formats.feature_cache import cache_features
    from gradeval.formats.frames.feature_frame import features_from_frame, features_to_frame
    from gradeval.formats.text.clicks import read_clicks, write_clicks
    from gradeval.formats.text.letor import read_letor, write_letor
    from gradeval.studies.agreement.collection_correlation import correlate_collections
    from gradeval.studies.agreement.correlation_differences import correlation_differences
    from gradeval.studies.agreement.leave_out import leave_out
    from gradeval.studies.agreement.measure_correlation import correlate
    from gradeval.studies.agreement.robustness import robustness
    from gradeval.studies.agreement.run_swaps import count_run_swaps
    from gradeval.studies.assisted.differences import compare_assisted
    from gradeval.studies.assisted.means import assisted_means
    from gradeval.studies.certainty.equivalent_runs import equivalence
    from gradeval.studies.certainty.ranks import rank_sets
    from gradeval.studies.certainty.topics_needed import topic_set_size
    from gradeval.studies.clicks.estimation import estimate_g
    from gradeval.studies.clicks.sessions import simulate_clicks
    from gradeval.studies.curves.tracing import curve
    from gradeval.studies.description import describe
    from gradeval.studies.information.inference import inform
    from gradeval.studies.information.inferred_curves import infer_curves
    from gradeval.studies.information.rms_differences import rms_differences
    from gradeval.studies.judges.comparing import compare_judges
    from gradeval.studies.significance.discrimination import discriminate
    from gradeval.studies.significance.power_differences import power_differences
    from gradeval.studies.significance.significance import compare


__all__ = [
    "Clicks",
    "CollectionWarning",
    "CoverageWarning",
    "Features",
    "GradevalWarning",
    "IdsWarning",
    "InputError",
    "JudgedRankings",
    "JudgedRuns",
    "Measure",
    "Qrels",
    "RanksWarning",
    "Run",
    "Scaler",
    "Scores",
    "SplitQueriesWarning",
    "TiesWarning",
    "adm",
    "assisted_means",
    "cache_features",
    "check",
    "compare",
    "compare_assisted",
    "compare_judges",
    "correlate",
    "correlate_collections",
    "correlation_differences",
    "count_run_swaps",
    "curve",
    "describe",
    "discriminate",
    "equivalence",
    "estimate_g",
    "evaluate",
    "explain",
    "features_from_frame",
    "features_to_frame",
    "infer_curves",
    "inform",
    "judge",
    "judge_arrays",
    "leave_out",
    "measure",
    "open_features",
    "parse_measure",
    "plot",
    "power_differences",
    "qrels_from_frame",
    "rank_sets",
    "read_clicks",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "report",
    "rms_differences",
    "robustness",
    "run_from_frame",
    "scores_from_frame",
    "simulate_clicks",
    "topic_set_size",
    "write_clicks",
    "write_letor",
    "write_qrels",
    "write_run",
    *_measures.__all__,
]

# Who only evaluates does not wait for what the studies and learning to rank need.
_IMPORTED_ON_USE = {
    "Features": "gradeval.features.features",
    "Scaler": "gradeval.features.scaler",
    "assisted_means": "gradeval.studies.assisted.means",
    "cache_features": "gradeval.formats.feature_cache",
    "check": "gradeval.checking.inspection",
    "compare": "gradeval.studies.significance.significance",
    "compare_assisted": "gradeval.studies.assisted.differences",
    "compare_judges": "gradeval.studies.judges.comparing",
    "correlate_collections": "gradeval.studies.agreement.collection_correlation",
    "count_run_swaps": "gradeval.studies.agreement.run_swaps",
    "correlate": "gradeval.studies.agreement.measure_correlation",
    "curve": "gradeval.studies.curves.tracing",
    "correlation_differences": "gradeval.studies.agreement.correlation_differences",
    "describe": "gradeval.studies.description",
    "discriminate": "gradeval.studies.significance.discrimination",
    "equivalence": "gradeval.studies.certainty.equivalent_runs",
    "estimate_g": "gradeval.studies.clicks.estimation",
    "explain": "gradeval.explanation.explaining",
    "features_from_frame": "gradeval.formats.frames.feature_frame",
    "features_to_frame": "gradeval.formats.frames.feature_frame",
    "infer_curves": "gradeval.studies.information.inferred_curves",
    "inform": "gradeval.studies.information.inference",
    "open_features": "gradeval.features.cache",
    "leave_out": "gradeval.studies.agreement.leave_out",
    "rank_sets": "gradeval.studies.certainty.ranks",
    "read_clicks": "gradeval.formats.text.clicks",
    "plot": "gradeval.display.plotting",
    "power_differences": "gradeval.studies.significance.power_differences",
    "report": "gradeval.display.report.reporting",
    "read_letor": "gradeval.formats.text.letor",
    "rms_differences": "gradeval.studies.information.rms_differences",
    "robustness": "gradeval.studies.agreement.robustness",
    "topic_set_size": "gradeval.studies.certainty.topics_needed",
    "simulate_clicks": "gradeval.studies.clicks.sessions",
    "write_clicks": "gradeval.formats.text.clicks",
    "write_letor": "gradeval.formats.text.letor",
}


def __getattr__(name: str) -> _typing.Any:
    if name not in _IMPORTED_ON_USE:
        raise AttributeError(f"module 'gradeval' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_IMPORTED_ON_USE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
