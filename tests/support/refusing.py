"""How a call is refused: in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradeval import InputError


def said_of(call: Callable[..., object], *given: Any, **named: Any) -> str:
    """The one line by which a call is refused."""
    with pytest.raises(InputError) as refused:
        call(*given, **named)
    assert "\n" not in str(refused.value)
    return str(refused.value)
