"""Draw docs/report.png, the first section of the report of the example: ``python docs/making/report_picture.py``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Write the report, open it in a browser without a window, and save what one sees first."""
    from playwright.sync_api import sync_playwright

    runs = sorted((ROOT / "examples" / "runs").iterdir())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        call = [sys.executable, "-m", "gradeval", "report", ROOT / "examples" / "qrels.txt", *runs, "-o", page_file]
        subprocess.run(call, check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 980})
        page.goto(page_file.as_uri())
        page.wait_for_selector("figure svg.marks")
        page.screenshot(path=ROOT / "docs" / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
