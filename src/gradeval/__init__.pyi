"""The public names, written once: ``__init__.py`` reads them here, and imports each when it is used."""

from typing import Any

from gradeval._core import InputError as InputError
from gradeval.charts.plotting import plot as plot
from gradeval.checking import check as check
from gradeval.collection.distance import adm as adm
from gradeval.collection.meeting import JudgedRuns as JudgedRuns
from gradeval.collection.qrels import Qrels as Qrels
from gradeval.collection.runs import Run as Run
from gradeval.collection.user_clicks import Clicks as Clicks
from gradeval.explanation.explain import explain as explain
from gradeval.features.features import Features as Features
from gradeval.features.scaler import Scaler as Scaler
from gradeval.files.click_log import read_clicks as read_clicks
from gradeval.files.click_log import write_clicks as write_clicks
from gradeval.files.feature_cache import cache_features as cache_features
from gradeval.files.feature_cache import open_features as open_features
from gradeval.files.feature_frames import features_from_frame as features_from_frame
from gradeval.files.feature_frames import features_to_frame as features_to_frame
from gradeval.files.frames import qrels_from_frame as qrels_from_frame
from gradeval.files.frames import run_from_frame as run_from_frame
from gradeval.files.letor import read_letor as read_letor
from gradeval.files.letor import write_letor as write_letor
from gradeval.files.places import read_qrels as read_qrels
from gradeval.files.places import read_run as read_run
from gradeval.files.places import read_runs as read_runs
from gradeval.files.trec import write_qrels as write_qrels
from gradeval.files.trec import write_run as write_run
from gradeval.formula.definition import Measure as Measure
from gradeval.formula.definition import measure as measure
from gradeval.formula.judged import JudgedRankings as JudgedRankings
from gradeval.formula.spelling import parse_measure as parse_measure
from gradeval.measures import *  # noqa: F403 - every measure
from gradeval.page.report import report as report
from gradeval.papers.best_users import best_users as best_users
from gradeval.papers.correlate_gains import correlate_gains as correlate_gains
from gradeval.papers.correlate_users import correlate_users as correlate_users
from gradeval.papers.infer_curves import infer_curves as infer_curves
from gradeval.papers.inform_users import inform_users as inform_users
from gradeval.papers.swaps import swaps as swaps
from gradeval.papers.virtual_users import virtual_users as virtual_users
from gradeval.scores.arrays import judge_arrays as judge_arrays
from gradeval.scores.evaluation import evaluate as evaluate
from gradeval.scores.evaluation import judge as judge
from gradeval.scores.score_files import read_scores as read_scores
from gradeval.scores.score_files import scores_from_frame as scores_from_frame
from gradeval.scores.scores import Scores as Scores
from gradeval.studies.assisted_means import assisted_means as assisted_means
from gradeval.studies.clicks import clicks as clicks
from gradeval.studies.compare import compare as compare
from gradeval.studies.compare_assisted import compare_assisted as compare_assisted
from gradeval.studies.correlate import correlate as correlate
from gradeval.studies.correlate_collections import correlate_collections as correlate_collections
from gradeval.studies.correlation_differences import correlation_differences as correlation_differences
from gradeval.studies.curve import curve as curve
from gradeval.studies.describe import describe as describe
from gradeval.studies.discriminate import discriminate as discriminate
from gradeval.studies.equivalence import equivalence as equivalence
from gradeval.studies.informativeness.inform import inform as inform
from gradeval.studies.informativeness.rms_differences import rms_differences as rms_differences
from gradeval.studies.judges.judges import judges as judges
from gradeval.studies.leave_out import leave_out as leave_out
from gradeval.studies.power_differences import power_differences as power_differences
from gradeval.studies.ranks import ranks as ranks
from gradeval.studies.robustness import robustness as robustness
from gradeval.studies.run_swaps import run_swaps as run_swaps
from gradeval.studies.simulate import simulate_clicks as simulate_clicks
from gradeval.studies.topic_set_size import topic_set_size as topic_set_size
from gradeval.version import __version__ as __version__
from gradeval.warning_categories import CollectionWarning as CollectionWarning
from gradeval.warning_categories import CoverageWarning as CoverageWarning
from gradeval.warning_categories import GradevalWarning as GradevalWarning
from gradeval.warning_categories import IdsWarning as IdsWarning
from gradeval.warning_categories import ObjectiveWarning as ObjectiveWarning
from gradeval.warning_categories import RanksWarning as RanksWarning
from gradeval.warning_categories import SignificanceWarning as SignificanceWarning
from gradeval.warning_categories import SplitQueriesWarning as SplitQueriesWarning
from gradeval.warning_categories import TiesWarning as TiesWarning

def _read_names(source: str) -> dict[str, str]: ...
def __getattr__(name: str) -> Any: ...  # a study is public by its file in studies/
