"""What a report costs: the command, the file, and the page in a browser without a window.

    python benchmarks/report.py QRELS RUNS...

Prints a line a number, with its budget. Needs Playwright and Debian's chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SLIDES = """() => {
  const times = [];
  for (let step = 0; step < 300; step++) {
    const share = step / 299, begin = performance.now();
    window.gradeval.set({g: WEIGHTS(share)});
    document.body.offsetHeight;
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return [times[150], times[297]];
}"""
"""Sets 300 settings, and lays the page out after each."""

CONTENT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


def command(places: list[str], studies: str, output: Path, times: int = 1) -> float:
    """Seconds that the command takes, the shortest of several times."""
    call = [sys.executable, "-m", "gradeval", "report", *places, "--studies", studies, "-o", str(output)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(output.parent / "bytecode")}  # as of an installed package
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(call, check=True, stderr=subprocess.DEVNULL, env=environment)
        taken.append(time.perf_counter() - begin)
    return min(taken)


def main(places: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        print(f"--studies none: {command(places, 'none', page_file, 3):.1f} s (3 s)")
        print(f"--studies all: {command(places, 'all', page_file):.1f} s (60 s)")
        print(f"file: {page_file.stat().st_size / 1e6:.2f} MB (1.5 MB)")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.wait_for_selector(".tools button:visible")
        print(f"first content: {page.evaluate(CONTENT) / 1000:.2f} s (1 s)")
        page.evaluate("window.gradeval.set({measure: 'GAP'})")
        page.locator("#users").scroll_into_view_if_needed()
        grades = page.locator('[data-users="sliders"] input').count()
        rest = f"Array({grades - 1}).fill((1 - share) / {grades - 1})"
        median, high = page.evaluate(SLIDES.replace("WEIGHTS(share)", f"[share, ...{rest}]"))
        print(f"a slider step: median {median:.1f} ms (16 ms), 99th percentile {high:.1f} ms (33 ms)")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
