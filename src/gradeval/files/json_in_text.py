"""Objects and lists that a text holds: as JSON, as Python writes them, or as language models answer, in Markdown."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

FENCED = re.compile(r"```[A-Za-z]*\s*\n?(.*?)```", re.DOTALL)
"""What Markdown encloses as code."""
OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def read_json_text(value: Any) -> Any:
    """The object or list that a text holds, whatever a model writes around it; another value as it is."""
    if not isinstance(value, str) or ("{" not in value and "[" not in value):
        return value
    for text in (value, *FENCED.findall(value)):
        found = _evaluate(text.strip())
        if found is not None:
            return found
    between = OBJECT.search(value)
    found = None if between is None else _evaluate(between[0])
    return value if found is None else found


def _evaluate(text: str) -> Any:
    """The object or list that a text is; None: it is none."""
    if text[:1] not in ("{", "["):
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, dict | list):
            return found
    return None
