"""What every study takes and gives, as checkers of types see it; written by docs/generate.py."""

# ruff: noqa: E501 - a signature a line
# fmt: off
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.runs import Run
from gradeval.collection.user_clicks import Clicks
from gradeval.features.features import Features
from gradeval.files.accepted import By, Frame, Judgments, RankedRuns
from gradeval.formula.definition import Measure
from gradeval.papers.best_users import BestUsers
from gradeval.papers.infer_curves import InferredCurves
from gradeval.papers.swaps import Swaps
from gradeval.papers.virtual_users import User, UserStudy
from gradeval.progress import ShowProgress
from gradeval.scores.scores import Scores
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies.assisted_means import AssistedMeans
from gradeval.studies.clicks import ClickedUsers
from gradeval.studies.compare_assisted import AssistedComparison
from gradeval.studies.compared_runs import Comparison
from gradeval.studies.correlate import Correlations
from gradeval.studies.correlate_collections import CollectionCorrelations
from gradeval.studies.curve import Curves
from gradeval.studies.describe import Description
from gradeval.studies.discriminate import Discrimination
from gradeval.studies.equivalence import Equivalence
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.interval_scale import IntervalScales
from gradeval.studies.judges.alternative_annotator import Substitution
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.leave_out import LeftOut
from gradeval.studies.measure_differences import MeasureDifferences
from gradeval.studies.preferences import Preferences
from gradeval.studies.ranks import RankSets
from gradeval.studies.result import Result
from gradeval.studies.robustness import Robustness, Sampling
from gradeval.studies.run_swaps import RunSwaps
from gradeval.studies.sampled_means import SampledMeans
from gradeval.studies.shares import Shares
from gradeval.studies.study import Measures
from gradeval.studies.topic_set_size import TopicSetSize
from gradeval.studies.unjudged import UnjudgedDocuments

def alternative_annotator(
    assessors: Mapping[str, Judgments],
    /,
    *,
    by: Literal['topic', 'document'] = 'topic',
    alpha: float = 0.05,
    candidate: str,
    epsilon: float = 0.2,
    alignment: Literal['distance', 'agreement'] = 'distance',
) -> Substitution:
    """Test whether a model may stand in for a human annotator, by the alternative-annotator test."""

@overload
def assisted_means(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    model: Judgments | Scores | JudgedRuns,
    topics_are: Literal['sample', 'all'] = 'sample',
) -> AssistedMeans:
    """Estimate means of runs from human grades of few topics and a model's grades of many."""

@overload
def assisted_means(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    model: Judgments | Scores | JudgedRuns,
    topics_are: Literal['sample', 'all'] = 'sample',
) -> AssistedMeans:
    """Estimate means of runs from human grades of few topics and a model's grades of many."""

@overload
def best_users(
    data: JudgedRuns,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    measure: Literal['GAP', 'xGAP', 'eGAP'] = 'GAP',
    step: float | None = None,
    finest: float = 0.025,
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> BestUsers:
    """Search the most informative g on a grid and, ever more finely, around its best point."""

@overload
def best_users(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    measure: Literal['GAP', 'xGAP', 'eGAP'] = 'GAP',
    step: float | None = None,
    finest: float = 0.025,
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> BestUsers:
    """Search the most informative g on a grid and, ever more finely, around its best point."""

def clicks(
    log: Clicks | str | PathLike[str],
    qrels: Judgments,
    /,
    *,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    estimator: Literal['position-model', 'click-share'] = 'position-model',
    topics_are: Literal['sample', 'all'] = 'sample',
) -> ClickedUsers:
    """Learn from clicks how many users settle for a fair document, how many want the best: the g of GAP."""

@overload
def compare(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    baseline: str | Sequence[str] | None = None,
    test: Literal['t', 'permutation', 'bootstrap', 'wilcoxon', 'sign', 'tukey-hsd'] = 't',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] | None = None,
) -> Comparison:
    """Test the differences of runs from a baseline, or of all pairs of runs, by each measure."""

@overload
def compare(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    baseline: str | Sequence[str] | None = None,
    test: Literal['t', 'permutation', 'bootstrap', 'wilcoxon', 'sign', 'tukey-hsd'] = 't',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] | None = None,
) -> Comparison:
    """Test the differences of runs from a baseline, or of all pairs of runs, by each measure."""

@overload
def compare_assisted(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    model: Judgments | Scores | JudgedRuns,
    baseline: str | Sequence[str] | None = None,
    topics_are: Literal['sample', 'all'] = 'sample',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
) -> AssistedComparison:
    """Test the differences of runs from human grades of few topics and a model's grades of many."""

@overload
def compare_assisted(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    model: Judgments | Scores | JudgedRuns,
    baseline: str | Sequence[str] | None = None,
    topics_are: Literal['sample', 'all'] = 'sample',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
) -> AssistedComparison:
    """Test the differences of runs from human grades of few topics and a model's grades of many."""

@overload
def correlate(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
    reference: str | Measure | None = None,
    round_to: int | None = None,
) -> Correlations:
    """Correlate the orders in which measures put the same runs, each by its mean over topics."""

@overload
def correlate(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
    reference: str | Measure | None = None,
    round_to: int | None = None,
) -> Correlations:
    """Correlate the orders in which measures put the same runs, each by its mean over topics."""

@overload
def correlate_collections(
    data: Scores | JudgedRuns | Mapping[str, Scores | JudgedRuns | tuple[Judgments, RankedRuns]],
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
    reference: str | Measure | None = None,
) -> CollectionCorrelations:
    """Correlate the orders in which measures put the runs of each of several collections, and average over these."""

@overload
def correlate_collections(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
    reference: str | Measure | None = None,
) -> CollectionCorrelations:
    """Correlate the orders in which measures put the runs of each of several collections, and average over these."""

@overload
def correlate_gains(
    data: JudgedRuns | Mapping[str, JudgedRuns | tuple[Judgments, RankedRuns]],
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    gains: Sequence[Sequence[float]] | None = None,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
    tables: Literal['both', 'Q', 'RMeasure'] = 'both',
) -> Result:
    """Correlate Q, AWP, RMeasure and RWP with several gains, as in Sakai's tables; with collections also on average."""

@overload
def correlate_gains(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    gains: Sequence[Sequence[float]] | None = None,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
    tables: Literal['both', 'Q', 'RMeasure'] = 'both',
) -> Result:
    """Correlate Q, AWP, RMeasure and RWP with several gains, as in Sakai's tables; with collections also on average."""

@overload
def correlate_users(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    step: float | None = None,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
) -> Correlations:
    """Correlate GAP, xGAP and eGAP for every g on a grid with GAP of this g and with the measures."""

@overload
def correlate_users(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    step: float | None = None,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] | Sequence[Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b']] = 'kendall',
) -> Correlations:
    """Correlate GAP, xGAP and eGAP for every g on a grid with GAP of this g and with the measures."""

@overload
def correlation_differences(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    reference: str | Measure,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] = 'kendall',
    resample_runs: bool = False,
) -> MeasureDifferences:
    """Tell by how much more one measure correlates with a reference than another: tau(A, ref) - tau(B, ref)."""

@overload
def correlation_differences(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    reference: str | Measure,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] = 'kendall',
    resample_runs: bool = False,
) -> MeasureDifferences:
    """Tell by how much more one measure correlates with a reference than another: tau(A, ref) - tau(B, ref)."""

@overload
def curve(
    data: JudgedRuns,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    rel: float | Sequence[float] | None = None,
    g: Any = None,
    interpolated: bool = False,
) -> Curves:
    """Trace precision-recall curves of runs: their points, their means over topics, and the area below them."""

@overload
def curve(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    rel: float | Sequence[float] | None = None,
    g: Any = None,
    interpolated: bool = False,
) -> Curves:
    """Trace precision-recall curves of runs: their points, their means over topics, and the area below them."""

def describe(
    qrels: Judgments,
    ranked: RankedRuns | None = None,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    threads: int = 0,
    measure: str | Measure = 'AP',
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    ties: Literal['docid', 'docid-float32', 'order', 'expected', 'best', 'worst'] = 'docid',
    negative: Literal['nonrelevant', 'unjudged'] = 'nonrelevant',
    exclude: Judgments | Run | Iterable[Any] | None = None,
) -> Description:
    """Describe a collection: topics, judged documents by grade, runs, and how much of the runs is judged."""

@overload
def discriminate(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    method: Literal['bootstrap', 'tukey-hsd'] = 'bootstrap',
) -> Discrimination:
    """Test all pairs of runs by each measure: discriminative power is the share of pairs that are told apart."""

@overload
def discriminate(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    method: Literal['bootstrap', 'tukey-hsd'] = 'bootstrap',
) -> Discrimination:
    """Test all pairs of runs by each measure: discriminative power is the share of pairs that are told apart."""

@overload
def equivalence(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    margin: float,
    baseline: str | Sequence[str] | None = None,
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
) -> Equivalence:
    """Test whether runs differ by less than a margin; a difference without significance does not show this."""

@overload
def equivalence(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    margin: float,
    baseline: str | Sequence[str] | None = None,
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
) -> Equivalence:
    """Test whether runs differ by less than a margin; a difference without significance does not show this."""

@overload
def infer_curves(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> InferredCurves:
    """Infer rankings from the values of measures, and keep the inferred and the actual curves."""

@overload
def infer_curves(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> InferredCurves:
    """Infer rankings from the values of measures, and keep the inferred and the actual curves."""

@overload
def inform(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> Informativeness:
    """Infer every ranking from the value of a measure (maximum entropy) and compare precision-recall curves."""

@overload
def inform(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> Informativeness:
    """Infer every ranking from the value of a measure (maximum entropy) and compare precision-recall curves."""

@overload
def inform_users(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    step: float | None = None,
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> Informativeness:
    """Infer rankings from the values of measures; also of GAP, xGAP and eGAP for every g on a grid."""

@overload
def inform_users(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    step: float | None = None,
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> Informativeness:
    """Infer rankings from the values of measures; also of GAP, xGAP and eGAP for every g on a grid."""

@overload
def interval_scale(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    among: Literal['attainable', 'observed'] = 'attainable',
) -> IntervalScales:
    """Put the values of each measure at equal steps, and see how the order of the runs changes."""

@overload
def interval_scale(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    among: Literal['attainable', 'observed'] = 'attainable',
) -> IntervalScales:
    """Put the values of each measure at equal steps, and see how the order of the runs changes."""

def judges(
    human: Judgments,
    others: Mapping[str, Judgments],
    ranked: RankedRuns | None = None,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    statistic: Literal['kendall', 'tau-ap'] = 'kendall',
    groups: Mapping[str, str] | None = None,
    levels: Sequence[float] | None = None,
    test: Literal['t', 'permutation', 'bootstrap', 'wilcoxon', 'sign', 'tukey-hsd'] = 't',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'none',
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    ties: Literal['docid', 'docid-float32', 'order', 'expected', 'best', 'worst'] = 'docid',
    negative: Literal['nonrelevant', 'unjudged'] = 'nonrelevant',
    exclude: Judgments | Run | Iterable[Any] | None = None,
    depth: int | None = None,
    draws: int = 100,
    top_runs: int = 15,
    second: str | None = None,
) -> JudgeComparison:
    """Compare the grades of judges, such as language models, or of other assessors, with human grades."""

@overload
def leave_out(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    pool_depth: int | None = None,
    groups: Mapping[str, str] | None = None,
) -> LeftOut:
    """Judge each run without the documents that only it brought to the pool, all other runs likewise."""

@overload
def leave_out(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    pool_depth: int | None = None,
    groups: Mapping[str, str] | None = None,
) -> LeftOut:
    """Judge each run without the documents that only it brought to the pool, all other runs likewise."""

@overload
def power_differences(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    method: Literal['bootstrap', 'tukey-hsd'] = 'bootstrap',
    resamples: int = 200,
    resample_runs: bool = False,
) -> MeasureDifferences:
    """Compare measures by discriminative power: power(A) - power(B) of each two, with bootstrap intervals."""

@overload
def power_differences(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    method: Literal['bootstrap', 'tukey-hsd'] = 'bootstrap',
    resamples: int = 200,
    resample_runs: bool = False,
) -> MeasureDifferences:
    """Compare measures by discriminative power: power(A) - power(B) of each two, with bootstrap intervals."""

@overload
def preferences(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    rule: Literal['rpp', 'lexiprecision', 'lexirecall'] = 'rpp',
    rel: float | None = None,
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
) -> Preferences:
    """Compare the places at which two runs have the documents of each user; count the pairs that are told apart."""

@overload
def preferences(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    rule: Literal['rpp', 'lexiprecision', 'lexirecall'] = 'rpp',
    rel: float | None = None,
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
) -> Preferences:
    """Compare the places at which two runs have the documents of each user; count the pairs that are told apart."""

@overload
def ranks(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
) -> RankSets:
    """Give every run the interval of ranks that the topics leave possible, and say which runs may be the best."""

@overload
def ranks(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
) -> RankSets:
    """Give every run the interval of ranks that the topics leave possible, and say which runs may be the best."""

@overload
def rms_differences(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    resample_runs: bool = False,
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> MeasureDifferences:
    """Tell by how much more one measure's value tells of rankings than another's: RMS(A) - RMS(B)."""

@overload
def rms_differences(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    resample_runs: bool = False,
    thresholds: float | Sequence[float] | None = None,
    least: int = 5,
    counts: Literal['retrieved', 'pool'] = 'retrieved',
) -> MeasureDifferences:
    """Tell by how much more one measure's value tells of rankings than another's: RMS(A) - RMS(B)."""

@overload
def robustness(
    data: JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    samples: int = 10,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    method: Literal['stratified', 'random', 'depth'] | Sampling = 'stratified',
    rates: float | Sequence[float] | None = None,
    floor: int | Sequence[int] = 1,
    floor_nonrelevant: int = 10,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] = 'kendall',
) -> Robustness:
    """Thin the judgments and correlate the order of the runs with that under the full pool, measure by measure."""

@overload
def robustness(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    samples: int = 10,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    method: Literal['stratified', 'random', 'depth'] | Sampling = 'stratified',
    rates: float | Sequence[float] | None = None,
    floor: int | Sequence[int] = 1,
    floor_nonrelevant: int = 10,
    statistic: Literal['kendall', 'kendall-a', 'spearman', 'tau-ap', 'tau-ap-b', 'rbo-a', 'rbo-b'] = 'kendall',
) -> Robustness:
    """Thin the judgments and correlate the order of the runs with that under the full pool, measure by measure."""

@overload
def run_swaps(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    reference: str | Measure | None = None,
) -> RunSwaps:
    """Order the runs by a measure, and count the runs that others swap."""

@overload
def run_swaps(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    reference: str | Measure | None = None,
) -> RunSwaps:
    """Order the runs by a measure, and count the runs that others swap."""

def sampled_means(
    human: Judgments,
    model: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    alpha: float = 0.05,
    seed: int = 0,
    drawn: Literal['by-topic', 'overall'] = 'by-topic',
    ties: Literal['docid', 'docid-float32', 'order', 'expected'] = 'docid',
    depth: int | None = None,
) -> SampledMeans:
    """Estimate means of runs from a model's grades of all documents, and human grades of a random sample of these."""

def swaps(
    *,
    measures: Measures | None = None,
    seed: int = 0,
    progress: ShowProgress = False,
    levels: int | Sequence[int] = ...,
    nonuniform: bool = False,
    shares: Shares = ...,
    items: int = 100,
    swaps: int = 99,
    repetitions: int = 100,
) -> Swaps:
    """Exchange random items of a perfect ranking again and again: how do measures fall, and does the scale matter?"""

@overload
def topic_set_size(
    data: Scores | JudgedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    differences: float | Sequence[float] = ...,
    beta: float = 0.2,
) -> TopicSetSize:
    """Count the topics with which a paired t test finds a difference of two means, by each measure."""

@overload
def topic_set_size(
    qrels: Judgments,
    ranked: RankedRuns,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: By = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    preset: Literal['trec', 'trec9', 'dl', 'covid', 'ntcir', 'matters', 'letor'] | None = None,
    alpha: float = 0.05,
    missing: Literal['zero', 'skip', 'common'] = 'zero',
    empty: Literal['zero', 'skip', 'one'] = 'zero',
    differences: float | Sequence[float] = ...,
    beta: float = 0.2,
) -> TopicSetSize:
    """Count the topics with which a paired t test finds a difference of two means, by each measure."""

def unjudged(
    qrels: Judgments,
    ranked_runs: RankedRuns,
    /,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    queries: str | PathLike[str] | Mapping[Any, Any] | Frame | Iterable[Any] | None = None,
    progress: ShowProgress = False,
    depth: int = 10,
    ties: Literal['docid', 'docid-float32', 'order', 'expected', 'best', 'worst'] = 'docid',
    exclude: Judgments | Run | Iterable[Any] | None = None,
) -> UnjudgedDocuments:
    """List the documents at the top of runs that nobody judged: what to judge next."""

def virtual_users(
    features: Features | str | PathLike[str] | Sequence[str | PathLike[str]],
    /,
    *,
    measures: Measures | None = None,
    samples: int = 2000,
    seed: int = 0,
    progress: ShowProgress = False,
    strategies: Sequence[str | int] = ...,
    users: Sequence[User] = ...,
    empty: Literal['zero', 'skip', 'one'] = 'zero',
) -> UserStudy:
    """Rank documents by single features, and measure that against the labels and against virtual users."""
