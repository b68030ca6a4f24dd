"""The numbers from which the page computes measures for any weights of the grades."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.studies.grade_weights import GradeWeights
from gradeval.studies.leaders import stretches, triangle


def live_data(forms: Sequence[GradeWeights]) -> dict[str, Any]:
    """What ``readCollection`` in scripts/weights.js reads; the forms have the same runs and topics."""
    first = forms[0]
    return {
        "runs": first.runs,
        "topics": len(first.topics),
        "present": b64encode(first.present.astype(np.uint8).tobytes()).decode(),
        "missing": first.missing,
        "empty": first.empty,
        "forms": [_form(form) for form in forms],
    }


def _form(form: GradeWeights) -> dict[str, Any]:
    cutoff = form.measure.cutoff
    points, runs = triangle(form) if len(form.grades) == 3 else (np.empty((0, 3)), [])
    return {
        "measure": form.measure.name,
        "at": "" if cutoff is None else f"@{cutoff}",
        "parameter": "g" if "g" in form.measure.parameters else "gains",
        "grades": list(form.grades),
        "weights": form.weights.tolist(),
        "over": _bytes(form.over),
        "under": None if form.under is None else _bytes(form.under),
        "base": _bytes(form.base),
        "stretches": [vars(part) for part in stretches(form)] if len(form.grades) == 2 else [],
        "triangle": {"points": points.tolist(), "runs": runs} if runs else None,
    }


def _bytes(values: Array) -> str:
    """Doubles in base64, little-endian."""
    return b64encode(np.ascontiguousarray(values, "<f8").tobytes()).decode()
