"""A column that says that humans and models graded: all grades count alike, and who reads the result should know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradeval.files.column_names import RowsOfTable, normal_name
from gradeval.files.plain_text import quote, split_by_raters
from gradeval.files.telling_columns import RATERS
from gradeval.warning_categories import FilesWarning, warn

SOURCES = frozenset("source grader origin provenance model".split())
"""Words in the names of columns that may say who graded, as in label_source, or something else."""
HUMANS = frozenset("human humans person people manual expert experts sme crowd assessor annotator editor nist".split())
"""What such a column says of a human; in a column of raters all names that are no model's do."""
MODEL = re.compile(
    r"(?:.*[/_ :-])?(?:llms?|(?:chat)?gpt|claude|gemini|gemma|(?:code)?llama|mistral|mixtral|qwen|deepseek|grok|"
    r"umbrela|model|machine|ai|auto|automatic|o[134]-(?:mini|preview|pro))(?:[-_ .:/\d].*)?",
    re.IGNORECASE,
)
"""What it says of a model: a kind of program, or a usual name of one, as gpt-4o and meta/llama3."""


def find_raters_columns(names: Sequence[str], chosen: Sequence[int]) -> list[int]:
    """The columns that may say who graded, other than the ``chosen`` ones."""
    words = [frozenset(normal_name(name).split("_")) for name in names]
    return [at for at, said in enumerate(words) if at not in chosen and said & (RATERS | SOURCES)]


def warn_of_mixed_raters(names: Sequence[str], chosen: Sequence[int], rows: RowsOfTable, place: str) -> None:
    """Say that humans and models graded, where a column says so, and how to compare their grades.

    ``chosen``: the columns of topics, documents and grades."""
    for at in find_raters_columns(names, chosen):
        cells = (row[at] for row in rows() if len(row) > at)
        said = dict.fromkeys(cell for cell in cells if isinstance(cell, str))
        raters = [text for text in map(str.strip, said) if text]
        models = [one for one in raters if MODEL.fullmatch(one)]
        any_name = RATERS & frozenset(normal_name(names[at]).split("_"))
        humans = [one for one in raters if one not in models and (any_name or normal_name(one) in HUMANS)]
        if models and humans:
            warn(
                f"{place}: by column {quote(names[at])} a human ({humans[0]}) and a model ({models[0]}) graded, and "
                f"their grades count alike; to compare them write a file for each{split_by_raters(names[at])}",
                FilesWarning,
            )
