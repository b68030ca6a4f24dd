"""Slices in the report, in a real browser: hostile and long labels, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browse, Visit

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS, RUNS = EXAMPLES / "qrels.txt", [EXAMPLES / "runs" / f"{name}.txt" for name in ("cedar", "elm", "beech", "oak")]
LABELS = [
    "</script><img src=x onerror=alert(1)> \x1b[31m \u202eevil",
    "ما هو استرجاع المعلومات",
    "w" * 200,
    "什么是信息检索",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    labels = {str(401 + place): LABELS[place % 5] for place in range(30) if place % 5 < 4}
    report(QRELS, RUNS, "nDCG@10 AP", studies="none", by=labels).save(path)
    return path


@pytest.fixture(scope="module", params=["light", "dark"])
def visit(browse: Browse, place: Path, request: pytest.FixtureRequest) -> Iterator[Visit]:
    with browse(place, awaited=".multiples", color_scheme=request.param) as opened:
        yield opened


@pytest.mark.parametrize(("width", "beside"), [(1440, 3), (400, 1)])
def test_small_pictures_stand_beside_each_other_where_there_is_room(visit: Visit, width: int, beside: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = visit.page.locator(".multiples figure").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().x, one.scrollWidth <= one.clientWidth + 1])"
    )
    assert len(boxes) == 6
    assert len({left for left, _ in boxes}) == beside
    assert all(fits for _, fits in boxes)
    letters = visit.page.locator(".multiples text").first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert letters >= 12  # pixels
    assert visit.violations(within="#slices") == []


def test_no_label_runs_or_hides(visit: Visit, place: Path) -> None:
    assert (visit.dialogs, visit.said, visit.requests) == ([], [], [place.as_uri()])
    assert visit.page.locator("#slices img").count() == 0
    assert not {"\x1b", "\u202e"} & set(visit.text())
    captions = visit.page.locator(".multiples figcaption").all_text_contents()
    assert captions[0].split() == ["all", "topics", "30", "topics"]
    assert any("<img src=x onerror=alert(1)>" in one for one in captions)
