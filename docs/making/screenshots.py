"""Screenshots of what a newcomer sees first, to be looked at: the site's home, a measure, the gallery, and a report.

    python docs/making/screenshots.py FOLDER QRELS RUN...

FOLDER gets PAGE-WIDTH-light.png and PAGE-WIDTH-dark.png at 1,400, 1,280 and 400 pixels; the report is that of QRELS and
RUNs. Needs a browser, and the extra ``dev``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parents[1]
WIDTHS = (1400, 1280, 400)
PAGES = ("index", "measures/gap/GAP", "gallery")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(folder: str, qrels: str, *runs: str) -> None:
    """Make the pages and their pictures."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([sys.executable, DOCS / "build", made], check=True, stdout=subprocess.DEVNULL)
        report = Path(made) / "report.html"
        subprocess.run([sys.executable, "-m", "gradeval", "report", qrels, *runs, "-o", report], check=True)
        pages = {name.replace("/", "-"): Path(made) / f"{name}.html" for name in PAGES} | {"report": report}
        pages["readme"] = DOCS / "report-dl21.png"
        take(pages, place)


def take(pages: dict[str, Path], folder: Path) -> None:
    """A picture of what fills a window, or twice as much, of each page in each width and scheme."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("screenshots: no browser is installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"] * (os.geteuid() == 0))
        for name, page in pages.items():
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    tab = opened.new_page(viewport={"width": width, "height": 1800}, color_scheme=scheme)
                    tab.goto(page.as_uri())
                    tab.wait_for_timeout(1500)
                    tab.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                    tab.close()
        opened.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
