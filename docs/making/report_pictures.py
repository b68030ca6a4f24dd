"""Draw the pictures of docs/report.md from the report of the example: ``python docs/making/report_pictures.py``.

``python docs/making/report_pictures.py FOLDER`` also draws docs/report-dl21.png, the picture of README.md, and
docs/report-dl21-dark.png, from the judgments (qrels.txt) and the runs (runs/) of the passage task of TREC 2021 Deep
Learning in that folder.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"users": '[data-part="users"]', "topics": '[data-part="topics"]', "rankings": '[data-part="rankings"]'}
"""The parts of the page that have a picture, beside what one sees first."""


def main() -> None:
    """Write the report, open it in a browser without a window, and save what one sees first and the live parts."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 780})
        for real in sys.argv[1:2]:
            write_report(Path(real), page_file)
            page.goto(page_file.as_uri())
            page.screenshot(path=ROOT / "docs" / "report-dl21.png")
            page.emulate_media(color_scheme="dark")
            page.screenshot(path=ROOT / "docs" / "report-dl21-dark.png")
            page.emulate_media(color_scheme="light")
        write_report(ROOT / "examples", page_file)
        page.goto(page_file.as_uri())
        page.wait_for_selector(".tools button:visible")
        page.screenshot(path=ROOT / "docs" / "report.png")
        page.evaluate("window.gradeval.set({measure: 'GAP', g: [0.2, 0.2, 0.6]})")
        for name, selector in PARTS.items():
            page.locator(selector).screenshot(path=ROOT / "docs" / f"report-{name}.png")
        browser.close()


def write_report(collection: Path, place: Path) -> None:
    """The report of a collection, as docs/report.md has it."""
    runs = sorted((collection / "runs").iterdir())
    call = [sys.executable, "-m", "gradeval", "report", collection / "qrels.txt", *runs, "-o", place]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the report of {collection.name}: {done.stderr}")


if __name__ == "__main__":
    main()
