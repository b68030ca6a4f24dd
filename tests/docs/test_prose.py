"""Docstrings as Markdown: letters with subscripts, settings and marks."""

from __future__ import annotations

import pytest

from making.prose import escaped


@pytest.mark.parametrize(
    ("plain", "markdown"),
    [
        ("Z = sum_k g_k RB(k)", "Z = Σ<sub>k</sub> g<sub>k</sub> RB(k)"),
        ("A(a) = sum_{k<=a} g_k", "A(a) = Σ<sub>k≤a</sub> g<sub>k</sub>"),
        ("as map_cut and norm='min' of trec_eval", "as map_cut and `norm='min'` of trec_eval"),
        ("n < b, and log_b(n)", "n \\< b, and log<sub>b</sub>(n)"),
    ],
)
def test_prose_is_markdown(plain: str, markdown: str) -> None:
    assert escaped(plain) == markdown
