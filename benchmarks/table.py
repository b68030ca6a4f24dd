"""Measure everything that docs/speed.md states and write its table.

    python benchmarks/table.py DATA [FOLDER]     # DATA holds trec-covid-r5, unpacked; FOLDER has room for 300 MB

Run it on a quiet machine: nothing else may take its cores.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import discrimination
import in_memory
import one_run
import robustness
import small_calls
import startup
import submissions
import ties

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
HEAD = """| work | gradeval | other | ratio | other is |
|---|---:|---:|---:|---|"""


def main(data: str, folder: str | None = None) -> None:
    """Run the benchmarks, print their rows and put them into docs/speed.md."""
    rows = submissions.measure(Path(data)) + in_memory.measure() + small_calls.measure()
    rows += ties.measure() + startup.measure()
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        run_rows, peak = one_run.measure(Path(temporary))
    studies = [*robustness.measure(Path(data)), *discrimination.measure(), *one_core_rows()]
    rows = [*rows, *run_rows, *studies]
    note = (
        f"Measured in one go on {os.cpu_count()} cores by `benchmarks/table.py`, both sides in turn, after their\n"
        "answers agreed (means of runs within 2e-3, the peer compares scores in single precision; correlations and\n"
        "significance levels to 1e-9, entropies to 1e-4); medians.\n"
        "A ratio of pairs taken in turn, so it need not be the quotient of the medians.\n"
        f"Peak memory of the {one_run.LARGE:,}-line run: {peak:.0f} MB. Processes that wanted a core\n"
        f"at the end, these among them: {os.getloadavg()[0]:.1f}; with more than there are cores, what takes several\n"
        "cores looks slower than it is."
    )
    table = "\n".join([HEAD, *map(str, rows)])
    text = PAGE.read_text()
    begin, end = "<!-- benchmarks:begin -->\n", "<!-- benchmarks:end -->"
    block = f"{begin}{table}\n\n{note}\n{end}"
    PAGE.write_text(re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: block, text, flags=re.DOTALL))
    print(block)


def one_core_rows() -> list[str]:
    """The row of informativeness, from a process of its own: NumPy's threads are limited before it is loaded."""
    script = Path(__file__).with_name("informativeness.py")
    process = subprocess.run([sys.executable, script, "--row"], capture_output=True, text=True)
    if process.returncode:
        raise SystemExit(process.stderr or process.stdout)
    return process.stdout.splitlines()


if __name__ == "__main__":
    main(*sys.argv[1:])
