from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError, papers


def test_scheel_table_1_and_2_and_zhai_figure_9_6() -> None:
    thresholds = papers.run("scheel11", "table1").to_dict()
    by_threshold = {t: v for t, s, v in zip(*thresholds.values(), strict=True) if s == "AP"}
    assert by_threshold[3] == pytest.approx((1 / 3 + 2 / 4 + 3 / 8) / 3)
    assert by_threshold[0] == 1
    scales = papers.run("scheel11", "table2").to_dict()
    cells = dict(zip(zip(scales["example"], scales["row"], scales["rank"], strict=True), scales["value"], strict=True))
    assert cells["gain", "dcg", "3"] == pytest.approx(1 / np.log10(2) + 7 / np.log10(4))
    assert cells["twice the gain", "ndcg", "1"] == pytest.approx((2**2 - 1) / (2**8 - 1))
    steps = papers.run("zhai16", "figure9.6").to_dict()
    p = {rank: v for rank, s, v in zip(*steps.values(), strict=True) if s in ("p", "average precision")}
    assert p[7] == pytest.approx(3 / 7)
    assert p[None] == pytest.approx((1 / 2 + 2 / 3 + 3 / 7 + 4 / 10) / 10)
    for grades in ([0, 0], [1] * 27):
        with pytest.raises(InputError, match="grades"):
            papers.run("scheel11", "table1", grades=grades)
    with pytest.raises(InputError, match="2 documents of the list are relevant; give one at least, and 1 at most"):
        papers.run("zhai16", "figure9.6", grades=[1, 1], relevant=1)
