"""Draw the pictures of docs/report.md from the report of the example: ``python docs/making/report_pictures.py``."""

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
        write_report(page_file)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 980})
        page.goto(page_file.as_uri())
        page.wait_for_selector("figure svg:visible")
        page.screenshot(path=ROOT / "docs" / "report.png")
        page.evaluate("window.gradeval.set({measure: 'GAP', g: [0.2, 0.2, 0.6]})")
        for name, selector in PARTS.items():
            page.locator(selector).screenshot(path=ROOT / "docs" / f"report-{name}.png")
        browser.close()


def write_report(place: Path) -> None:
    """The report of the example, as docs/report.md has it."""
    runs = sorted((ROOT / "examples" / "runs").iterdir())
    call = [sys.executable, "-m", "gradeval", "report", ROOT / "examples" / "qrels.txt", *runs, "-o", place]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the report of the example: {done.stderr}")


if __name__ == "__main__":
    main()
