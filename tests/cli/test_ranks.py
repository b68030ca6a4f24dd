from __future__ import annotations

from pathlib import Path

from .conftest import Gradeval


def test_the_answer_is_a_sentence(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("ranks", *collection, "-m", "AP", "--samples", 100)
    assert "6 runs" in result.stderr
    assert "best" in result.stderr
    assert "may be best" in result.stdout
