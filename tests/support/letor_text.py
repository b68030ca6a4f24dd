"""Features from a text, by the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradeval._core import Letor


def read(text: str | bytes, sizes: Sequence[int] | None = None, **options: Any) -> Letor:
    data = text if isinstance(text, bytes) else text.encode()
    counted = None if sizes is None else np.array(sizes, np.int64)
    return Letor.of_bytes(data, "f.txt", counted, **options)
