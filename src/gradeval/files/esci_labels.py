"""The labels of Amazon's Shopping Queries as grades: exact 3, substitute 2, complement 1, irrelevant 0.

Reddy et al. (2022), "Shopping Queries Dataset: a large-scale ESCI benchmark for improving product search",
arXiv:2206.06588; its own gains are 1, 0.1, 0.01 and 0: ``nDCG(gains={3:1,2:0.1,1:0.01})``.
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


def grade_of_label(column: str, label: str) -> float | None:
    """The grade of a label in a column; None where it is another column, or another label."""
    if normal_name(column) != ESCI_COLUMN:
        return None
    letter = label[:1].upper() if label.lower() in ESCI_WORDS else label
    return ESCI_GRADES.get(letter)


def grades_of_labels(column: str, labels: Sequence[str], place: str) -> Array:
    """float64[row]: the grades of a column of labels."""
    grades = [grade_of_label(column, label) for label in labels]
    for row, (label, grade) in enumerate(zip(labels, grades, strict=True)):
        if grade is None:
            raise InputError(f"{place}: row {row}: {column} {label!r} is none of {', '.join(ESCI_GRADES)}")
    return np.array(grades, float)
