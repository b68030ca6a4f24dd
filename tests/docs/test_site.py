"""The site as a reader has it: opened from a disk without a network, searched, by keyboard, in light and in dark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from browsing import Browse

from making.links import Page, broken_links
from making.reference import MODULES, load, public_names
from making.staging import contents

BUILD = Path(__file__).resolve().parents[2] / "docs" / "build"
PAGES = "index measures/err/ERR reference/scores coming-from/lightgbm gallery search".split()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, made once."""
    for package in ("sphinx", "furo", "myst_parser", "latex2mathml", "altair", "torch"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    folder = tmp_path_factory.mktemp("made") / "site"
    done = subprocess.run([sys.executable, BUILD, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.long
def test_the_reference_has_every_public_name_and_no_other(site: Path) -> None:
    pages = [Page(path.read_text(encoding="utf-8")) for path in (site / "reference").glob("*.html")]
    anchors = {anchor for page in pages for anchor in page.anchors if anchor.startswith("gradeval.")}
    public = {f"{module}.{name}" for module in MODULES for name in load(module).__all__}
    members = {anchor for anchor in anchors if anchor.rpartition(".")[0] in public}
    assert anchors - members == public
    assert [member for member in members if member.rpartition(".")[2].startswith("_")] == []


@pytest.mark.long
def test_every_picture_of_the_gallery_is_drawn(site: Path) -> None:
    text = (site / "gallery.html").read_text(encoding="utf-8")
    commands = (BUILD.parent / "gallery.md").read_text(encoding="utf-8").count("\n```sh\n")
    small = text.count('alt=""')
    logo = text.count('class="sidebar-logo"')
    assert commands == text.count("<img ") - small - logo > 0
    assert small == text.count("<h2>")  # each section has its own, and leads to it
    assert all((site / loaded).is_file() for loaded in Page(text).loads if loaded.endswith(".svg"))


@pytest.mark.long
def test_the_report_of_the_example_is_in_the_site(site: Path) -> None:
    assert "example-report.html" in Page((site / "report.html").read_text(encoding="utf-8")).links
    assert "12 runs, 30 topics" in (site / "example-report.html").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_a_page_needs_no_network_and_breaks_no_rule_of_accessibility(site: Path, browse: Browse, page: str) -> None:
    for scheme, width in (("light", 1400), ("dark", 400)):
        window = {"width": width, "height": 900}
        with browse(f"{site.as_uri()}/{page}.html", "h1", color_scheme=scheme, viewport=window) as visit:
            outside = [url for url in visit.requests if not url.startswith(("file:", "data:"))]
            said = list(visit.said)
            assert (outside, said) == ([], [])
            assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert visit.violations() == []


@pytest.mark.long
def test_search_finds_a_measure_without_a_server(site: Path, browse: Browse) -> None:
    with browse(f"{site.as_uri()}/search.html?q=graded+average+precision", "#search-results li a") as visit:
        visit.page.wait_for_selector("text=search finished")
        found = visit.page.locator("#search-results li a").evaluate_all("links => links.map(link => link.href)")
    assert f"{site.as_uri()}/measures/gap/GAP.html" in [link.partition("?")[0].partition("#")[0] for link in found]


@pytest.mark.long
@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("significance", "studies"),
        ("confidence interval", "inference"),
        ("a/b test", "getting-started/compare-two-variants"),
        ("Excel", "files"),
        ("leaderboard", "report"),
        ("LLM judge", "judges"),
        ("pandas", "getting-started/evaluate-frames"),
        ("latex", "guide"),
        ("mrr", "measures/precision/RR"),
        ("alpha_nDCG", "coming-from/not-here"),
    ],
)
def test_search_leads_first_to_the_page_that_one_wants(site: Path, browse: Browse, asked: str, page: str) -> None:
    query = asked.replace(" ", "+")
    with browse(f"{site.as_uri()}/search.html?q={query}", "#search-results li a") as visit:
        visit.page.wait_for_selector("text=search finished")
        first = visit.page.locator("#search-results li a").first.evaluate("link => link.href")
        words = asked.lower().split()
        visit.page.wait_for_selector("#search-results li p.context")
        excerpts = visit.page.locator("#search-results li p.context").all_inner_texts()
    assert first.partition("?")[0].partition("#")[0] == f"{site.as_uri()}/{page}.html"
    assert any(word in excerpt.lower() for excerpt in excerpts for word in words)


@pytest.mark.long
def test_code_can_be_copied_and_the_first_commands_are_whole(site: Path, browse: Browse) -> None:
    with browse(f"{site.as_uri()}/index.html", "h1") as visit:
        assert visit.page.locator("pre .copybtn, .highlight .copybtn").count() >= 2
        assert visit.page.evaluate(
            "[...document.querySelectorAll('pre')].every(one => one.scrollWidth <= one.clientWidth)"
        )


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">1</a> <a href="b.html#gone">2</a> <a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="there"><a href="https://a.org">4</a><script src="//a.org/x.js">')
    assert broken_links(tmp_path) == [
        "a.html: b.html#gone: no such place on that page",
        "a.html: c.html is not there",
        "b.html: loads //a.org/x.js from elsewhere",
    ]


def test_a_page_that_nobody_placed_stands_at_the_end_of_the_contents() -> None:
    groups = dict(contents(["guide", "measures", "novelty"]))
    assert groups["Start"] == ["guide"]
    assert groups["Understand"] == ["measures"]
    assert groups["More"] == ["novelty"]


def test_public_names_are_grouped_once_each() -> None:
    names = [name for group in public_names().values() for name in group]
    assert sorted(names) == sorted(f"{module}.{name}" for module in MODULES for name in load(module).__all__)
