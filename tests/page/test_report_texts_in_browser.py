"""Texts in the report, in a real browser: four scripts, hostile ones and long ones, wide and narrow."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from gzip import decompress
from pathlib import Path
from typing import Any

import pytest
from browsing import Browse, Visit

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import evaluate, report
from gradeval.scores.earlier import read_earlier

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS, RUNS = EXAMPLES / "qrels.txt", [EXAMPLES / "runs" / f"{name}.txt" for name in ("cedar", "elm", "oak")]
ASKED = [
    "what is graded relevance",
    "ما هو استرجاع المعلومات",
    "सूचना पुनर्प्राप्ति क्या है",
    "什么是信息检索",
    "</script><img src=x onerror=alert(1)> \x1b[31m \u202eevil",
    "w" * 2000,
]
TOPICS = [str(topic) for topic in range(401, 431)]
QUERIES = {topic: f"{ASKED[place % 6]} {topic}" for place, topic in enumerate(TOPICS[:-1])}
DOCUMENTS = sorted({line.split()[2] for run in RUNS for line in run.read_text().splitlines()})
TOLD = {name: {"title": f"of {name}", "text": ASKED[place % 6]} for place, name in enumerate(DOCUMENTS) if place % 7}


def made(**options: Any) -> Any:
    return report(QRELS, RUNS, "nDCG@10 AP", studies="none", **options)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    made(queries=QUERIES, documents=TOLD).save(path)
    return path


@pytest.fixture(scope="module")
def visit(browse: Browse, place: Path) -> Iterator[Visit]:
    with browse(place, awaited=".told") as opened:
        yield opened


@pytest.mark.parametrize("width", [1440, 400])
def test_no_text_widens_the_page_or_turns_what_stands_beside_it(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    for topic in TOPICS[:6]:
        visit.page.evaluate(
            "place => { const s = document.querySelector('[data-rankings=topic]'); s.selectedIndex = place; "
            "s.dispatchEvent(new Event('change')); }",
            TOPICS.index(topic),
        )
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        directions = visit.page.locator(".told span").evaluate_all(
            "all => all.map(one => [one.textContent[0], getComputedStyle(one).direction])"
        )
        assert directions
        assert all((way == "rtl") == (letter == "م") for letter, way in directions)


def test_nothing_in_a_text_runs_is_fetched_or_hides(visit: Visit, place: Path) -> None:
    assert (visit.dialogs, visit.said, visit.requests) == ([], [], [place.as_uri()])
    written = place.read_text(encoding="utf-8")
    assert "<img src=x" not in written
    assert not {"\x1b", "\u202e"} & set(visit.text())
    assert "\\u202eevil" in visit.text()


def test_each_document_stands_with_its_text_rank_and_grade(visit: Visit) -> None:
    lines = visit.page.locator("[data-rankings=left] > li")
    seen = lines.evaluate_all(
        "all => all.map(one => [one.querySelector('button').textContent, one.querySelector('b')?.textContent ?? null])"
    )
    assert len(seen) > 10
    assert all(title == (TOLD[name]["title"] if name in TOLD else None) for name, title in seen)
    assert all(lines.nth(place).locator(".grade, .there").count() == 2 for place in range(5))


def test_topics_are_found_by_words_of_their_queries(visit: Visit) -> None:
    page = visit.page
    field = page.locator("#rankings input[type=search]")
    field.fill("信息检索 410")
    assert page.locator(".asked").text_content() == QUERIES["410"]
    assert page.locator("#rankings output").text_content() == "1 of 30"
    field.fill("")
    rows = "[data-topics=differences] tbody tr:visible"
    page.locator("[data-part=topics] input[type=search]").fill("المعلومات")
    asked = [topic for topic, query in QUERIES.items() if "المعلومات" in query]
    found = page.locator(rows).evaluate_all("all => all.map(one => one.cells[0].textContent.slice(0, 3))")
    assert sorted(found) == asked
    page.locator("[data-topics=first]").select_option("oak")  # other rows, the same words
    assert page.locator(rows).count() == len(asked)
    page.locator("[data-part=topics] input[type=search]").fill("")


def test_axe_finds_nothing_in_the_sections_with_texts(visit: Visit) -> None:
    for section in ("topics", "rankings", "collection"):
        assert visit.violations(within=f"#{section}") == []


def test_a_page_with_texts_is_an_earlier_evaluation_as_one_without(place: Path) -> None:
    scores = evaluate(QRELS, RUNS, "nDCG@10 AP")
    earlier = read_earlier(place)
    assert earlier.topics == scores.topics
    assert earlier.sel(runs=scores.runs).values == pytest.approx(scores.credited, abs=1e-6)


def test_without_texts_the_page_has_nothing_of_them(tmp_path: Path, place: Path) -> None:
    """The page is that with texts, less their style, their script and what they change in tables and data."""
    for name, options in (("plain", {}), ("none", {"queries": None, "documents": None})):
        made(**options).save(tmp_path / f"{name}.html")
    plain = (tmp_path / "plain.html").read_text(encoding="utf-8")
    assert plain == (tmp_path / "none.html").read_text(encoding="utf-8")
    page = Path("src/gradeval/page")
    root = Path(__file__).resolve().parents[2]
    for part in ("texts.css", "scripts/texts.js"):
        added = (root / page / part).read_text(encoding="utf-8")
        assert added not in plain
        assert added in place.read_text(encoding="utf-8")
    data = json.loads(decompress(b64decode(plain.split('id="data">')[1].split("</script>")[0])))
    known = "runs topics measures values computed tests judgments second drawn present missing empty"
    assert {*data["topics"]} == {*known.split()}
    assert {*data["rankings"]} == {"runs", "names", "topics", "topic", "most", "second"}


def test_the_tables_have_the_queries_in_every_format() -> None:
    whole = made(queries=QUERIES, documents=TOLD)
    records = whole.tables["topics: Topics, the hardest first"].to_pylist()
    assert {one["topic"]: one["query"] for one in records} == {
        topic: None
        if topic not in QUERIES
        else " ".join(QUERIES[topic].split())[:299] + "…"
        if len(QUERIES[topic]) > 300
        else " ".join(QUERIES[topic].split())
        for topic in TOPICS
    }
    markdown = whole.write("report.md").decode()
    assert "| 404   | 什么是信息检索 404" in markdown
    assert not {"\x1b", "\u202e"} & set(markdown)
    said = list(map(str, whole.notes))
    assert "queries: 1 of 30 topics has no text (430); ids stand for it" in said
    assert [note for note in said if note.startswith("documents: ") and "documents have no text (" in note]
