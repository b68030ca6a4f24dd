"""Training as a source of noise: how far means vary beyond what queries explain, and comparisons that count it.

With one seed a training is one draw, and a test over queries asks whether these trained rankers differ. With several
seeds the variance of a mean is multiplied by a ratio that the seeds and the folds show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.scores.scores import Scores
from gradeval.studies.baselines import BEST
from gradeval.studies.best import best_by_t
from gradeval.studies.compare import compare
from gradeval.studies.compared_runs import Comparison
from gradeval.studies.decision import correct_pairs
from gradeval.studies.requirements import RUNS, TOPICS
from gradeval.studies.sign_flips import FLIPS
from gradeval.studies.significance import RunDifferences, all_pairs, pair_values, paired_interval_t, rarest


class Lead(NamedTuple):
    """How far one way of training is ahead of another.

    Attributes
    ----------
    mean : of the differences, over all queries.
    variance : of the mean, as far as queries explain it.
    ratio : how many times as large the variance of the mean is where trainings vary, too.
    freedom : the degrees of freedom of the ratio: the trainings less one.
    """

    mean: float
    variance: float
    ratio: float
    freedom: int

    @classmethod
    def of(cls, groups: Sequence[Array]) -> Lead:
        """Of the differences of each group, float64[seed, query]: the seeds of a group have the same queries.

        A group is a fold, or data drawn anew; with one seed it is float64[query]. What queries explain is the variance
        within groups, of the means over the seeds. The ratio has two sources, which count by their degrees of freedom:
        the means of the groups; and where there are several seeds, the means of the seeds of a group, less the part
        that the noise of single queries explains. A single group has the second source only. Where each query is a
        group, what queries explain holds how trainings vary, too, and the ratio is 1.
        """
        tables = [np.atleast_2d(group) for group in groups]
        queries = [table.mean(0) for table in tables]
        count, total, seeds = len(tables), sum(map(len, queries)), len(tables[0])
        mean = float(np.concatenate(queries).mean())
        between = sum(len(each) * float((each.mean() - mean) ** 2) for each in queries)
        if total == count:
            return cls(mean, between / max(1, count - 1) / total, 1.0, count - 1)
        within = sum(float(((each - each.mean()) ** 2).sum()) for each in queries) / (total - count)
        freedom = count - 1
        ratio = between / freedom / within if freedom and within else 1.0
        if seeds > 1:
            more = count * (seeds - 1)
            shifts, rest = 0.0, 0.0
            for table, each in zip(tables, queries, strict=True):
                by_seed = table.mean(1) - each.mean()
                shifts += len(each) * float((by_seed**2).sum()) / more
                rest += float(((table - each - by_seed[:, None]) ** 2).sum()) / ((total - count) * (seeds - 1))
            of_seeds = 1 + (shifts - rest) / seeds / within if within else 1.0
            ratio, freedom = (freedom * ratio + more * of_seeds) / (freedom + more), freedom + more
        return cls(mean, within / total, ratio, freedom)


def pool_ratios(rows: Sequence[Sequence[Lead]]) -> tuple[Array, int]:
    """float64[set]: by how much variances grow, of leads[rival][set]; and the degrees of freedom.

    Few trainings tell little of how these vary: where they seem to vary little, that is luck as often as not, and to
    count queries alone there would find differences where there are none. So the ratio of a set is the mean over all
    cells, or over its own cells if this is larger, and at least 1. The degrees of freedom add up over the sets, each
    counted once, as the cells of a set share its trainings.
    """
    ratio = np.array([[lead.ratio for lead in row] for row in rows])
    freedom = np.array([lead.freedom for lead in rows[0]])
    of_set = ratio.mean(0)
    pooled = (of_set * freedom).sum() / freedom.sum()
    return np.maximum(np.maximum(of_set, pooled), 1.0), int(freedom.sum())


def compare_trained(
    scores: Scores, by_seed: Sequence[Scores], parts: Sequence[int], baseline: str | None, alpha: float
) -> Comparison | None:
    """Compare objectives with the baseline, or else with the best, whichever that is; None where too little is there.

    Parameters
    ----------
    scores : the means over the seeds: a run is an objective.
    by_seed : the same for each seed. With several seeds the variance counts how trainings vary.
    parts : how many topics each part has, in the order of the topics: a fold each.
    """
    if len(scores.runs) < RUNS or len(scores.topics) < TOPICS:
        return None
    samples = max(FLIPS, math.ceil(1 / alpha))
    comparison = compare.silently(scores, baseline=baseline or BEST, alpha=alpha, samples=None if baseline else samples)
    return comparison if len(by_seed) == 1 else _count_trainings(comparison, scores, by_seed, parts)


def _count_trainings(
    comparison: Comparison, scores: Scores, by_seed: Sequence[Scores], parts: Sequence[int]
) -> Comparison:
    """The comparison whose standard errors count how trainings vary, by Student's t with their degrees of freedom."""
    from scipy.special import stdtr

    alpha, pairs, best = comparison.alpha, comparison.pairs, comparison.correction == "best"
    fold = np.repeat(np.arange(len(parts)), parts)
    by_measure: list[tuple[Array, Array, Array]] = []
    for place, values in enumerate(pair_values(scores)):
        counted = scores.counted[0, :, place]
        seeds = np.stack([one.transformed()[:, counted, place] for one in by_seed], axis=1)  # [run, seed, topic]
        groups = [seeds[..., fold[counted] == one] for one in range(len(parts))]
        groups = [group for group in groups if group.shape[-1]]
        among = all_pairs(len(values.T)) if best else pairs
        leads = [[Lead.of([group[one] - group[two] for group in groups])] for one, two in among.tolist()]
        larger, freedom = pool_ratios(leads)
        freedom = min(freedom, len(values) - 1)
        of_runs = RunDifferences.of(values)
        error = of_runs.error * np.sqrt(larger[0])
        first, second = pairs.T
        if best:
            second = np.full(len(values.T), (of_runs.mean > 0).sum(0).argmin())  # the run with the highest mean
        mean, own = of_runs.mean[first, second], error[first, second]
        p = np.where((own == 0) & (mean != 0), rarest(freedom + 1), 2 * stdtr(freedom, -ratio(np.abs(mean), own)))
        if best:
            corrected, lower, upper = best_by_t(of_runs.mean, error, freedom, alpha)
            interval = np.stack([-upper, -lower], axis=-1) + 0.0
        else:
            corrected = p
            interval = paired_interval_t(mean, own * np.sqrt(freedom + 1), freedom + 1, alpha)
        by_measure.append((interval, p, corrected))
    intervals, ps, corrections = (np.stack(part) for part in zip(*by_measure, strict=True))
    corrected = corrections if best else correct_pairs(ps, scores.measures, "holm")
    return replace(comparison, interval=intervals, p=ps, corrected=corrected)
