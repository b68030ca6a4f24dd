from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, refusal


def test_the_answer_is_a_sentence(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("ranks", *collection, "-m", "AP", "--samples", 100)
    assert "6 runs" in result.stderr
    assert "best" in result.stderr
    assert "may be" in result.stdout


@pytest.mark.parametrize(("args", "message"), [(["--alpha", "0.001", "--samples", "100"], "give 1000 or more")])
def test_what_cannot_be_ranked_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("ranks", *collection, *args))
