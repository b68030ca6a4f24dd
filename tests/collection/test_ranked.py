from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradeval import Run, judge
from gradeval.collection.meeting import Ties, ranked


@pytest.mark.parametrize("ties", ["docid", "docid-float32", "order"])
@pytest.mark.parametrize("depth", [None, 1, 7, 100])
def test_documents_stand_where_the_judging_core_sees_them(ties: Ties, depth: int | None, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    names = [f"d{number}é" if number % 3 else f"D{number}" for number in range(60)]
    scores = {
        name: float(value) / 4 + 1e-9 * place
        for place, (name, value) in enumerate(zip(names, rng.integers(0, 9, 60), strict=True))
    }
    run = Run.from_dict({"t": scores})
    grades = dict.fromkeys(names, 0)
    shown = ranked(run, "t", ties, depth)
    for rank, document in enumerate(shown, 1):
        judged = judge({"t": {**grades, document: 1}}, run, ties=ties)
        place = judged.grades[0, 0].argmax()
        assert judged.ranks[0, 0, place] == rank
    assert len(shown) == min(depth or 60, 60)
