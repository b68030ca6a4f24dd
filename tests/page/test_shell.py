"""The shell of all pages: what it escapes, and its scripts, whose words are those of words.json."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from gzip import decompress
from hashlib import sha256
from typing import Any

import pytest
from elements import Elements

from gradeval.page.section import Picture, Section
from gradeval.page.shell import as_data
from gradeval.page.writing import as_html

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")


EVIL = "</script><script>alert(1)</script>"


def bars(*names: str) -> dict[str, Any]:
    """A chart of one bar a name."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": [{"name": name, "value": place} for place, name in enumerate(names, 1)]},
        "mark": "bar",
        "encoding": {
            "x": {"field": "value", "type": "quantitative"},
            "y": {"field": "name", "type": "nominal", "axis": {"labelExpr": "upper(datum.label)", "labelLimit": 900}},
        },
    }


def shown(*names: str, heading: str = "") -> Section:
    """A section with this chart."""
    return Section(f"part{heading.isalpha()}{len(names)}", heading, "", [], Picture(bars(*names), heading))


@pytest.mark.parametrize("name", [EVIL, "<!--<script>", "\u2028\u2029", "a&lt;b", 'quote " and \\ back', "\ud800"])
def test_data_read_back_and_hold_nothing_that_html_or_javascript_know(name: str) -> None:
    text = as_data({"name": name, name: [1.5, None, True]})
    assert json.loads(decompress(b64decode(text, validate=True))) == {"name": name, name: [1.5, None, True]}
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_the_policy_names_the_scripts_of_the_page_and_no_other() -> None:
    read = Elements(as_html("title", [shown("a")]))
    types = [attributes.get("type") for tag, attributes in read.elements if tag == "script"]
    assert types == ["text/plain", "text/plain", None]
    charts = decompress(b64decode(read.scripts[1]))
    policy = next(attributes["content"] for _, attributes in read.elements if "http-equiv" in attributes) or ""
    named = re.findall(r"'sha256-([^']+)'", policy)
    assert named == [b64encode(sha256(script).digest()).decode() for script in (charts, read.scripts[2].encode())]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]
