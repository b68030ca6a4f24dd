"""Objects and lists that a text holds: as JSON, as Python writes them, or as language models answer, in Markdown."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

FENCED = re.compile(r"```[A-Za-z]*\s*\n?(.*?)```", re.DOTALL)
"""What Markdown encloses as code."""
THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
"""What a model thinks before it answers."""
OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def read_json_text(value: Any) -> Any:
    """The object or list that a text holds, whatever a model writes around it; another value as it is.

    A text with two that differ stays as it is: nobody can tell which of them is meant. What a model thinks before it
    answers is left out.
    """
    if not isinstance(value, str) or ("{" not in value and "[" not in value):
        return value
    whole = _evaluate(value.strip())
    if whole is not None:
        return whole
    values = []
    rest = THOUGHT.sub("", value)
    for block in FENCED.finditer(rest):
        inner = _evaluate(block[1].strip())
        if inner is not None:
            values.append(inner)
            rest = rest.replace(block[0], "")
    between = OBJECT.search(rest)
    inner = None if between is None else _evaluate(between[0])
    values += [] if inner is None else [inner]
    return values[0] if values and all(one == values[0] for one in values) else value


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
