"""What a report costs: the command, the file, and the page in a browser without a window.

    python benchmarks/report.py QRELS RUNS...
    python benchmarks/report.py --before PYTHON QRELS RUNS...   # of the environment of an earlier version

Prints a line a number, with its budget. Needs Playwright and Debian's chromium. With --before it compares the processor
time of both versions, in turn, and writes it into docs/speed.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from before_after import of_command

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"

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


def compare_versions(before: str, places: list[str]) -> None:
    """Measure a report by an earlier version and by this one, and write both into docs/speed.md."""
    with tempfile.TemporaryDirectory() as folder:
        call = ["report", *places, "-o", str(Path(folder) / "report.html")]
        earlier, now = (of_command(python, call, set()) for python in (before, sys.executable))
    of = [before, "-c", "import gradeval, pathlib; print(pathlib.Path(gradeval.__file__).parent)"]
    tree = subprocess.run(of, check=True, capture_output=True, text=True).stdout.strip()
    commit = ["git", "-C", tree, "rev-parse", "--short=8", "HEAD"]
    version = subprocess.run(commit, check=True, capture_output=True, text=True).stdout.strip()
    row = f"| {version} | {earlier:.1f} s | {now:.1f} s | {now / earlier:.2f} |"
    table = f"| before | processor time before | now | ratio |\n|---|--:|--:|--:|\n{row}"
    begin, end = "<!-- report:begin -->\n", "<!-- report:end -->"
    parts = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    PAGE.write_text(parts.sub(f"{begin}{table}\n{end}", PAGE.read_text()))
    print(table)


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
    if sys.argv[1:2] == ["--before"]:
        compare_versions(sys.argv[2], sys.argv[3:])
    else:
        main(sys.argv[1:])
