"""How a call is refused: in one line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gradeval import InputError


def said_of(call: Callable[[], object]) -> str:
    """The one line by which a call is refused."""
    with pytest.raises(InputError) as refused:
        call()
    assert "\n" not in str(refused.value)
    return str(refused.value)
