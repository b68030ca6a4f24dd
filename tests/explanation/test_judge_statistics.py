from __future__ import annotations

import pytest

from gradeval import InputError, explain
from gradeval.explanation.explain import Explanation


def test_statistics_of_judges_are_explained_as_by_the_command() -> None:
    assert str(explain("kappa")).startswith("kappa\n\nCohen's kappa")
    assert "\nSource: Cohen (1968)" in explain("kappa")._repr_html_()
    with pytest.raises(InputError, match=r"no measure and no statistic of judges is called 'kapa' \(did you mean"):
        explain("kapa")
    with pytest.raises(InputError, match=r"unknown measure 'gapp' \(did you mean GAP"):
        explain("gapp")
    with pytest.raises(InputError, match="kappa is a statistic of judges, and no experiment defines it"):
        explain("kappa", experiment=10)


def test_a_measure_is_found_before_a_statistic_of_a_like_name() -> None:
    assert isinstance(explain("g"), Explanation)
    with pytest.raises(InputError, match="unknown measure 'nDGC'"):
        explain("nDGC")
