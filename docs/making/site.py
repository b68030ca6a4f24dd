"""The site: pages are staged in a folder of their own, Sphinx makes HTML of them, and every link is followed."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sphinx.application import Sphinx

from making.accessible import make_accessible
from making.excerpts import add_excerpts
from making.figures import add_figures
from making.links import broken_links
from making.reference import write_reference
from making.report_pictures import write_report
from making.staging import finish, stage

ROOT = Path(__file__).resolve().parents[2]
REPORT = "example-report.html"
"""The report of the example, a page of its own in the site."""


def main(arguments: Sequence[str]) -> None:
    """Make the site in the folder that the arguments name, else in site/."""
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        sys.exit("usage: docs/build [FOLDER]")
    folder = Path(arguments[0]) if arguments else ROOT / "site"
    began = time.monotonic()
    broken = make(folder)
    if broken:
        sys.exit("\n".join([*broken, f"docs/build: {len(broken)} links lead nowhere"]))
    pages = len(list(folder.rglob("*.html")))
    print(f"{folder}: {pages} pages in {time.monotonic() - began:.0f} s, every link and anchor followed")


def make(folder: Path, *, figures: bool = True) -> list[str]:
    """Make the site in a folder, which is replaced; the links in it that lead nowhere."""
    if folder.exists() and any(folder.iterdir()) and not (folder / ".buildinfo").exists():
        sys.exit(f"docs/build: {folder} holds something that is no site: name another folder, or remove it")
    with tempfile.TemporaryDirectory() as scratch:
        sources, made = Path(scratch, "sources"), Path(scratch, "made")
        stage(ROOT, sources)
        write_reference(sources)
        if figures:
            add_figures(sources, ROOT / "examples")
            lead_to_report(sources / "report.md")
        finish(sources)
        _convert(sources, made, Path(scratch, "doctrees"))
        make_accessible(made)
        add_excerpts(made)
        if figures:
            write_report(ROOT / "examples", made / REPORT)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)
    return broken_links(folder)


def lead_to_report(page: Path) -> None:
    """A link from the page about the report to that of the example, which no repository holds; Sphinx knows it not."""
    text = page.read_text(encoding="utf-8")
    before, mark, after = text.partition("\n```\n")
    link = f'\n<p><a href="{REPORT}">The report that this command writes</a></p>\n'
    page.write_text(before + mark + link + after, encoding="utf-8", newline="\n")


def _convert(sources: Path, made: Path, doctrees: Path) -> None:
    """Sphinx on all pages; a warning, such as a page that no other leads to, is an error."""
    application = Sphinx(
        srcdir=sources,
        confdir=Path(__file__).parent,
        outdir=made,
        doctreedir=doctrees,
        buildername="html",
        status=None,
        warning=sys.stderr,
        warningiserror=True,
    )
    application.build()
    if application.statuscode:
        sys.exit("docs/build: Sphinx ended with an error")
