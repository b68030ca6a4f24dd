"""Objects and lists in a text: as JSON, as Python writes them, in Markdown, and between sentences."""

from __future__ import annotations

from typing import Any

import pytest

from gradeval.files.json_in_text import read_json_text

FOUND = {
    '{"grade": 2}': {"grade": 2},
    ' [1, "a"]\n': [1, "a"],
    "{'grade': 2, 'reason': \"it's\"}": {"grade": 2, "reason": "it's"},
    "[{'id': None, 'ok': True}]": [{"id": None, "ok": True}],
    '```json\n{"grade": 2}\n```': {"grade": 2},
    '```\n[{"grade": 2}]\n```': [{"grade": 2}],
    'Here it is: ```json {"grade": 2} ``` Well?': {"grade": 2},
    'I say {"grade": 2}. More?': {"grade": 2},
    '```json\n{"grade": 2}\n```\nAgain: {"grade": 2}': {"grade": 2},
    '<think>{"grade": 0}?</think>\n{"grade": 2}': {"grade": 2},
    '<think>{"grade": 0}?</think>\n```json\n{"grade": 2}\n```': {"grade": 2},
    '```python\nprint({"grade": 2})\n```': {"grade": 2},
}
KEPT: list[Any] = [
    "",
    "a grade of {2}",
    "[[2]] is the grade",
    '```json\n{"grade": 1}\n```\nor\n```json\n{"grade": 2}\n```',
    '```json\n{"grade": 1}\n```\nNo, better {"grade": 2}',
    "{1, 2}",
    '{"grade": 2',
    "{" * 100_000,
    "[" * 100_000 + "]" * 100_000,
    2,
    None,
    {"grade": 2},
    "{__import__('os').getcwd()}",
]


@pytest.mark.parametrize("text", FOUND)
def test_an_object_or_a_list_is_found_in_a_text(text: str) -> None:
    assert read_json_text(text) == FOUND[text]


@pytest.mark.parametrize("value", KEPT, ids=range(len(KEPT)))
def test_other_values_stay_as_they_are(value: Any) -> None:
    assert read_json_text(value) is value
