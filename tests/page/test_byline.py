"""Title, author and date of a report: in each format where given, and never a date that nobody asked for."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from elements import Elements

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import InputError, report
from gradeval.page.byline import make_byline
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = sorted((EXAMPLES / "runs").iterdir())[:2]
SIZE = "qrels.txt: 2 runs, 30 topics, 1 measure"
EVIL = "a/b </title></p><img src=x onerror=alert(1)> \u202e\n\"'"


def made(**given: Any) -> Report:
    return report(EXAMPLES / "qrels.txt", RUNS, "AP", studies="none", **given)


@pytest.mark.parametrize(
    ("given", "title", "byline"),
    [
        ({}, SIZE, {}),
        ({"title": "Autumn"}, "Autumn", {"evaluated": SIZE}),
        ({"author": "Ada"}, SIZE, {"author": "Ada"}),
        ({"date": "in May"}, SIZE, {"date": "in May"}),
        (
            {"title": " Autumn ", "author": "Ada", "date": datetime.date(2026, 5, 1)},
            "Autumn",
            {"evaluated": SIZE, "author": "Ada", "date": "2026-05-01"},
        ),
        ({"date": datetime.datetime(2026, 5, 1, 9, 30)}, SIZE, {"date": "2026-05-01"}),
    ],
)
def test_what_is_given_stands_in_each_format(given: dict[str, Any], title: str, byline: dict[str, str]) -> None:
    page = made(**given)
    read = json.loads(page.to_json())
    assert {name: text for name, text in read.items() if name not in ("gradeval", "sections")} == {
        "title": title,
        **byline,
    }
    said = [f"# {title}", *(["; ".join(byline.values())] if byline else []), "## Which run is best"]
    lines = [line for line in page.write("a.md").decode().splitlines() if line][: len(said)]
    assert [line[: len(one)] for line, one in zip(lines, said, strict=True)] == said
    text = page.write("a.html").decode()
    assert f"<title>{title}</title>" in text
    assert f"<h1>{title}</h1>" in text
    under = "".join(f"<span>{one}</span>" for one in byline.values())
    assert (f'<p class="byline">{under}</p>' in text) == bool(byline)
    assert ("meta", {"name": "author", "content": "Ada"}) in Elements(text).elements or "author" not in byline


def test_today_is_the_present_date_only_where_one_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(datetime.date):
        @classmethod
        def today(cls) -> Later:
            return cls(2031, 2, 3)

    plain = made().write("a.html")
    monkeypatch.setattr("gradeval.page.byline.datetime.date", Later)
    assert make_byline("size", None, None, "today") == ("size", {"date": "2031-02-03"})
    assert made().write("a.html") == plain


def test_what_is_given_is_text_on_the_page() -> None:
    hostile, harmless = (
        made(title=word, author=word, date=word, documents=None).write("a.html").decode() for word in (EVIL, "harmless")
    )
    assert Elements(hostile).names == Elements(harmless).names


@pytest.mark.parametrize("name", ["title", "author", "date"])
@pytest.mark.parametrize("value", ["", " \n", 3])
def test_what_says_nothing_is_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match=f"{name}=.* says nothing; give words"):
        made(**{name: value})
