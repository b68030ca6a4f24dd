"""Names of any length and direction, and warnings, on the page in a browser and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browse, Visit

pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import report

TURNING = "\u202eturned"
LONG = "a-long-name" * 25
TOPICS = ("one", f"{TURNING} topic", "T" * 200)


@pytest.fixture(scope="module")
def visit(browse: Browse, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    path = tmp_path_factory.mktemp("report") / "names.html"
    qrels = {topic: {"a": 1, "b": 0, "c": 2} for topic in TOPICS}
    good = {topic: {"c": 3.0, "a": 2.0, "x": 1.0} for topic in TOPICS}
    bad = {topic: {"x": 3.0, "a": 2.0, "c": 1.0} for topic in TOPICS}
    report(
        qrels,
        {"good": good, LONG: {topic: bad[topic] for topic in TOPICS[1:]}, TURNING: bad},
        "nDCG@10 GAP",
        studies="none",
    ).save(path)
    with browse(path, viewport={"width": 400, "height": 800}) as opened:
        yield opened


def test_signs_of_direction_are_written_out(visit: Visit) -> None:
    assert TURNING[0] not in visit.page.locator("body").inner_text()
    assert "\\u202eturned topic" in visit.page.locator('[data-topics="differences"]').inner_text()
    assert "\\u202eturned" in visit.page.locator('[data-rankings="first"]').inner_text()


def test_long_names_leave_room_for_words_and_values(visit: Visit) -> None:
    for width in (400, 1280):
        visit.page.set_viewport_size({"width": width, "height": 800})
        labels = visit.page.evaluate(
            "[...document.querySelectorAll('.buttons label')].map(each => each.getBoundingClientRect().height)"
        )
        assert max(labels) < 60  # its words stand in a line
        names = visit.page.evaluate(
            "[...document.querySelectorAll('tbody th.name')].filter(each => each.scrollWidth > each.clientWidth + 1)"
            ".map(each => each.textContent)"
        )
        assert names == []
    at = '[data-topics="differences"] thead th:nth-child(2)'
    assert visit.page.locator(at).evaluate("each => each.getBoundingClientRect().right") < 1280


def test_folded_warnings_are_shown_on_paper(visit: Visit) -> None:
    folded = visit.page.locator("#answer .warnings details p").first
    assert not folded.is_visible()
    visit.page.emulate_media(media="print")
    assert folded.bounding_box()["height"] > 10
    visit.page.emulate_media(media="screen")


def test_runs_of_equal_means_lead_together(browse: Browse, tmp_path: Path) -> None:
    qrels = {topic: {"a": 1, "b": 0, "c": 2} for topic in "xyz"}
    run = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in qrels}
    report(qrels, {"first": run, "second": run, "third": run}, "GAP nDCG", studies="none").save(tmp_path / "x.html")
    with browse(tmp_path / "x.html") as visit:
        assert visit.page.locator('[data-users="leader"]').inner_text().startswith("first, second, third lead with ")
        assert visit.page.locator('[data-users="map"] svg').count() == 0


def test_such_a_page_breaks_no_rule_of_accessibility(visit: Visit) -> None:
    assert visit.violations() == []
