from __future__ import annotations

import re

from gradeval.formula.definition import REGISTRY

from ..conftest import Gradeval


def test_measures_lists_every_measure_once(gradeval: Gradeval) -> None:
    result = gradeval("measures")
    assert result.exit_code == 0
    for name in REGISTRY:
        assert len(re.findall(rf"^  {name}(?:\[?@[a-z]+\]?)? ", result.stdout, re.MULTILINE)) == 1
