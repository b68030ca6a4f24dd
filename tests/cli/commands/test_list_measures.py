from __future__ import annotations

import re

from gradeval.formula.definition import REGISTRY

from ..conftest import Gradeval


def test_measures_lists_every_measure_once(gradeval: Gradeval) -> None:
    result = gradeval("measures")
    assert result.exit_code == 0
    for name in REGISTRY:
        assert len(re.findall(rf"^  {name}(?:\[?@[a-z]+\]?)? ", result.stdout, re.MULTILINE)) == 1


def test_a_line_says_from_which_grade_documents_are_relevant(gradeval: Gradeval) -> None:
    lines = gradeval("measures").stdout.splitlines()
    for measure in REGISTRY.values():
        (line,) = (one for one in lines if re.match(rf"  {measure.name}(?:\[?@[a-z]+\]?)? ", one))
        rel = measure.definition.parameters.get("rel")
        assert line.endswith(f"(grade {rel} or more is relevant)") == isinstance(rel, int)
