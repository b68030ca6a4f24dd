"""Words as grades: true, yes, false and no; and the labels of Amazon's Shopping Queries.

Exact is 3, substitute 2, complement 1, irrelevant 0: Reddy et al. (2022), "Shopping Queries Dataset: a large-scale ESCI
benchmark for improving product search", arXiv:2206.06588; its own gains are 1, 0.1, 0.01 and 0:
``nDCG(gains={3:1,2:0.1,1:0.01})``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval._core import InputError
from gradeval.files.column_names import normal_name
from gradeval.formula.arithmetic import Array

ESCI_COLUMN = "esci_label"
ESCI_GRADES = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}
"""By letter, which is also the first one of the word: Exact, Substitute, Complement, Irrelevant."""
ESCI_WORDS = ("exact", "substitute", "complement", "irrelevant")
TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
"""By the word in lower case."""


def grade_of_label(column: str, label: str) -> float | None:
    """The grade of a word in a column of grades; None where it is none. ``column``: its name, empty for no grades."""
    if normal_name(column) == ESCI_COLUMN:
        letter = label[:1].upper() if label.lower() in ESCI_WORDS else label
        return ESCI_GRADES.get(letter)
    return TRUTH.get(label.strip().lower()) if column else None


def grades_of_labels(column: str, labels: Sequence[str], place: str) -> Array | None:
    """float64[row]: the grades of a column of words, with 0 and 1 among true, yes, false and no; None where it is one
    of other text, as of numbers."""
    known = {label: grade_of_label(column, label) for label in dict.fromkeys(labels)}
    accepted = [*ESCI_GRADES]
    if normal_name(column) != ESCI_COLUMN:
        known |= {label: float(label) for label in ("0", "1") if label in known}
        accepted = [*TRUTH, "1", "0"]
        if None in known.values() and TRUTH.keys().isdisjoint(label.strip().lower() for label in known):
            return None
    for row, label in enumerate(labels):
        if known[label] is None:
            raise InputError(f"{place}: row {row}: {column} {label!r} is none of {', '.join(accepted)}")
    return np.array([known[label] for label in labels], float)
