"""docs/papers.md counts what the pages of the papers say."""

from __future__ import annotations

import re

import pytest

from making.verdicts import KINDS, PAPERS, count_verdicts, counted

TITLES = {"sakai05": "Sakai05", "robertson10": "Robertson10", "scheel11": "Scheel11", "ferro14": "Ferro14"} | {
    "zhai16": "Zhai16"
}


def test_the_page_counts_the_verdicts_of_all_papers() -> None:
    text = (PAPERS.parent / "papers.md").read_text(encoding="utf-8")
    shown = {
        name: list(map(int, re.findall(r"\d+", cells)))
        for name, cells in re.findall(r"^\| \[\[(\w+)\]\][^|]*\|([ \d|]+)\|", text, re.MULTILINE)
    }
    counts = counted()
    assert shown == {TITLES[name]: [counts[name][kind] for kind in KINDS] for name in TITLES}
    assert counts.keys() == TITLES.keys()
    total = re.search(r"^\| all +\|([ \d|]+)\|", text, re.MULTILINE)
    assert total is not None
    assert list(map(int, re.findall(r"\d+", total[1]))) == [sum(one[kind] for one in counts.values()) for kind in KINDS]


def test_verdicts_are_bold_words_outside_blocks() -> None:
    page = "**Works.** **Holds on two**\n```python\n2 **cannot be had** 3\n```\n**Does not hold**: **cannot be had.**"
    assert dict(count_verdicts(page)) == {"works": 1, "in part": 1, "no, or open": 1, "cannot be had": 1}


def test_where_a_table_has_the_verdicts_they_are_not_counted_twice() -> None:
    page = "| of the page | here | verdict |\n|---|---|---|\n| a | `A` | **works** |\n\n## a\n\n**Works.**\n"
    assert count_verdicts(page)["works"] == 1


def test_bold_words_that_are_no_verdict_are_refused() -> None:
    with pytest.raises(ValueError, match="Perhaps"):
        count_verdicts("**Perhaps.**")
