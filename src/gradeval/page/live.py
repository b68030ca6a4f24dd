"""The numbers from which the page computes measures for any weights of the grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.page.shell import as_base64
from gradeval.studies.grade_weights import GradeWeights
from gradeval.studies.leading_runs import stretches, triangle

MOST_BYTES = 1_200_000
"""Bytes that the numbers of all forms may take; with more of them only the best runs are shown."""


def choose_runs(forms: Sequence[GradeWeights], order: Sequence[int]) -> list[int]:
    """The places of the runs that fit, the best first; ``order``: all of them, the best first."""
    of_a_run = sum(form.over[0].nbytes for form in forms) * 3 // 4  # DCG and nDCG share theirs
    return list(order)[: max(2, MOST_BYTES // max(1, of_a_run))]


def live_data(forms: Sequence[GradeWeights]) -> dict[str, Any]:
    """What ``readCollection`` in scripts/weights.js reads; the forms have the same runs and topics."""
    first = forms[0]
    arrays: dict[str, int] = {}
    plain = [form.over for form in forms if form.under is None]
    return {
        "runs": first.runs,
        "topics": len(first.topics),
        "present": as_base64(first.present, "<u1"),
        "missing": first.missing,
        "empty": first.empty,
        "forms": [_form(form, arrays, plain) for form in forms],
        "arrays": list(arrays),
    }


def _form(form: GradeWeights, arrays: dict[str, int], plain: Sequence[Array]) -> dict[str, Any]:
    """A form whose arrays are places in ``arrays``: equal ones are stored once.

    ``plain``: of the forms that are no quotients. A product of one of them and ``under``, to the last bit, is not
    stored: ``times`` is then the place of ``under``.
    """

    def store(values: Array) -> int:
        return arrays.setdefault(as_base64(values, "<f8"), len(arrays))

    under = None if form.under is None else store(form.under)
    shares_of = [each for each in plain if form.under is not None and np.array_equal(each * form.under, form.over)]
    cutoff = form.measure.cutoff
    shares = "g" in form.measure.parameters  # a map has room for weights that sum to 1
    mapped = len(form.grades) if shares and not (form.over == form.over[0]).all() else 0  # equal runs have no map
    points, runs = triangle(form) if mapped == 3 else (np.empty((0, 3)), [])
    always = runs[0] if len(set(runs)) == 1 else None
    if always is not None:  # a picture of one colour says nothing, the runner-up's does
        points, runs = triangle(form, place=2)
    return {
        "measure": form.measure.name,
        "at": "" if cutoff is None else f"@{cutoff}",
        "parameter": "g" if shares else "gains",
        "grades": list(form.grades),
        "weights": form.weights.tolist(),
        "over": store(shares_of[0] if shares_of else form.over),
        "times": under if shares_of else None,
        "under": under,
        "base": store(form.base),
        "stretches": [vars(part) for part in stretches(form)] if mapped == 2 else [],
        "triangle": {"points": points.tolist(), "runs": runs, "always": always} if runs else None,
    }
