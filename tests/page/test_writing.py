from __future__ import annotations

import json
import re
from base64 import b64decode
from gzip import decompress
from pathlib import Path
from typing import Any

import pytest
from browsing import Browse
from elements import Elements

from gradeval.page import writing
from gradeval.page.section import Picture, Section, Titled
from gradeval.page.shell import as_data
from gradeval.page.writing import as_html, chart_page
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table

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


FOLDER = Path(writing.__file__).parent


def test_hostile_words_are_text_wherever_they_stand() -> None:
    def made(word: str) -> str:
        return as_html(word, [Section("name", word, word, [word], Picture(bars(word), word), redo=[word])])

    hostile, harmless = made(EVIL), made("name")
    assert [tag for tag, _ in Elements(hostile).elements] == [tag for tag, _ in Elements(harmless).elements]


def test_the_same_sections_are_the_same_page() -> None:
    once, again = (as_html("title", [shown("b", "a")]) for _ in range(2))
    assert once == again


def test_a_page_has_a_language_a_title_one_main_and_headings_in_order() -> None:
    elements = Elements(as_html("title", [shown("a", heading="first"), shown("b", "c", heading="second")])).elements
    assert ("html", {"lang": "en"}) in elements
    names = [tag for tag, _ in elements if tag in ("title", "main", "h1", "h2", "figure")]
    assert names == ["title", "h1", "main", "h2", "figure", "h2", "figure"]


def test_a_browser_draws_each_section_and_nothing_else_happens(browse: Browse, tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.write_text(as_html(EVIL, [shown(EVIL, "second", heading=EVIL), shown("third", heading="more")]))
    with browse(place) as visit:
        visit.page.wait_for_function("document.querySelectorAll('svg.marks').length == 2")
        assert [visit.page.title(), visit.page.locator("h1").inner_text()] == [EVIL, EVIL]
        assert all(words in visit.text() for words in (EVIL.upper(), "SECOND", "THIRD"))
        assert visit.violations() == []
        assert (visit.dialogs, visit.requests, visit.said) == ([], [place.as_uri()], [])


def test_a_chart_can_be_saved_from_the_page(browse: Browse, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(chart_page({**bars(EVIL), "title": "bars"}))
    with browse(tmp_path / "page.html") as visit:
        visit.page.click("summary")
        actions = visit.page.locator(".vega-actions a")
        assert actions.all_inner_texts() == ["Save as SVG", "Save as PNG"]
        for place, begin in enumerate((b"<svg", b"\x89PNG")):
            with visit.page.expect_download() as download:
                actions.nth(place).click()
            assert Path(download.value.path()).read_bytes().startswith(begin)
        assert (visit.dialogs, visit.said) == ([], [])


def test_a_chart_that_is_none_says_so(browse: Browse, tmp_path: Path) -> None:
    made = as_html("title", [shown("a", heading="first"), shown("b", "c", heading="second")])
    packed = made.split('id="data">')[1].split("</script>")[0]
    data = json.loads(decompress(b64decode(packed)))
    data["charts"][0]["mark"] = "no such mark"
    (tmp_path / "page.html").write_text(made.replace(packed, as_data(data)))
    with browse(tmp_path / "page.html") as visit:
        visit.page.wait_for_selector("text=This chart cannot be drawn")
        assert visit.dialogs == []


def test_the_scripts_have_at_most_690_lines_and_all_are_in_the_page() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in (FOLDER / "scripts").iterdir()}
    beside_texts = files.pop("texts").count("\n")  # in pages with texts alone
    assert set(files) == {*writing.SCRIPTS, "draw"}
    assert sum(text.count("\n") for text in files.values()) <= 690
    assert beside_texts <= 80


def test_the_scripts_say_the_words_there_are_and_all_of_them() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "scripts").iterdir())
    calls = re.findall(r"\bsay\(((?:[^()\"]|\"[^\"]*\")*?)[,)]", text)
    said = {name for call in calls for name in re.findall(r'"([^"]*)"', call) if name != "g"}
    assert said == set(json.loads((FOLDER / "words.json").read_text(encoding="utf-8")))


def test_a_still_picture_stands_where_and_until_the_chart_is_drawn(browse: Browse, tmp_path: Path) -> None:
    """Where scripts are switched off, and in print before they have drawn."""
    page = tmp_path / "page.html"
    page.write_text(chart_page(bars("a", "b")))
    with browse(page, awaited=".chart img", java_script_enabled=False) as visit:
        assert visit.page.locator(".chart img").bounding_box()["width"] > 100
        assert visit.page.locator(".chart img").evaluate("picture => picture.naturalWidth") > 100
    with browse(page) as visit:
        visit.page.wait_for_selector(".chart img", state="detached")
        assert visit.page.locator(".chart svg.marks").count() == 1


def test_one_column_that_is_folded_is_called_one_and_so_are_two(browse: Browse, tmp_path: Path) -> None:
    for number, words in enumerate(("1 more column", "2 more columns"), 1):
        columns = [Column("run", "name"), *(Column(f"wide{place}", "text") for place in range(1 + number))]
        grid = Grid(columns, [["a", *["x" * 60] * (1 + number)]] * 3)
        section = Section("answer", "?", "!", tables=[Titled("table", Table([grid], Records.of(["run"], [["a"]])))])
        (tmp_path / "page.html").write_text(as_html("t", [section, shown("b")]))
        with browse(
            tmp_path / "page.html", awaited=".tools button:visible", viewport={"width": 500, "height": 800}
        ) as at:
            button = at.page.locator(".tools button", has_text="more column")
            assert button.inner_text() == f"Show {words}"
            button.click()
            assert button.count() == 0
            assert (
                at.page.locator(".tools button", has_text="Fold").inner_text() == f"Fold {words.replace('more ', '')}"
            )


def test_the_line_below_a_table_stands_below_it() -> None:
    grid = Grid([Column("run", "name")], [["a†"]], foot="† above 0.99 <b>")
    section = Section("answer", "?", "!", tables=[Titled("t", Table([grid], Records.of(["run"], [["a"]])))])
    assert '<p class="foot">† above 0.99 &lt;b&gt;</p>' in as_html("t", [section])
