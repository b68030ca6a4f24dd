"""The smallest p value that a test can give: where it is not below alpha, no difference can be significant."""

from __future__ import annotations

import math

from gradeval.studies.significance.corrections import Correction
from gradeval.studies.significance.paired_tests import TESTS


def least_p(test: str, topics: int, samples: int) -> float:
    """The smallest p value that a test of so many topics and resamples can give; 0 where there is no bound."""
    if test == "tukey-hsd":  # the order that was observed counts with those drawn
        return 1 / (samples + 1)
    return TESTS[test].least(topics, samples)


def out_of_reach(test: str, correction: Correction, alpha: float, topics: int, samples: int, pairs: int) -> bool:
    """Is every corrected p value at least alpha, however large the differences are?

    Holm and Bonferroni multiply the smallest p by the number of pairs; Benjamini and Hochberg need not, if all pairs
    have it.
    """
    return least_p(test, topics, samples) * _factor(correction, pairs) >= alpha


def samples_to_reach(test: str, correction: Correction, alpha: float, topics: int, pairs: int) -> int | None:
    """The number of resamples with which the smallest corrected p value is below alpha; None: no number suffices.

    pairs/(samples + 1) < alpha; but a permutation test of few topics goes through all assignments with fewer samples.
    """
    needed = math.floor(_factor(correction, pairs) / alpha * (1 + 1e-12))
    return None if out_of_reach(test, correction, alpha, topics, needed, pairs) else needed


def _factor(correction: Correction, pairs: int) -> int:
    return pairs if correction in ("holm", "bonferroni") else 1
