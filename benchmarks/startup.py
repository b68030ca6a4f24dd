"""What does it take to start, in instructions, which do not depend on what else the machine does? Needs valgrind.

python benchmarks/startup.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from results import Row

MAIN = "import sys; sys.argv[0] = 'gradeval'; from gradeval.cli import main; main()"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n"
RUN = "1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n2 Q0 a 1 1.0 x\n"


def instructions(code: str, *arguments: str) -> int:
    """Instructions of Python for some code, in millions; compiled files are made by a first call."""
    command = [sys.executable, "-c", code, *arguments]
    spared = {"PYTHONDONTWRITEBYTECODE"}
    environment = {name: value for name, value in os.environ.items() if name not in spared}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # idle threads of a library spin, for as long as they like
    subprocess.run(command, check=True, capture_output=True, env=environment)
    counted = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return int(re.findall(r"refs: +([0-9,]+)", counted.stderr)[-1].replace(",", "")) // 10**6


def measure() -> list[Row]:
    """What takes the imports, beside those of libraries that cannot be done without; no rows without valgrind."""
    if shutil.which("valgrind") is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels.txt"), Path(folder, "run.txt")
        qrels.write_text(QRELS)
        run.write_text(RUN)
        click, numpy, both = (instructions(f"import {names}") for names in ("click", "numpy", "numpy, click"))
        return [
            Row(f"{work}, in instructions", [spent], [least], of, unit="M", as_long=True)
            for work, spent, least, of in (
                ("import gradeval", instructions("import gradeval"), numpy, "import numpy"),
                ("gradeval --version", instructions(MAIN, "--version"), click, "import click"),
                ("gradeval --help", instructions(MAIN, "--help"), click, "import click"),
                (
                    "a small gradeval evaluate",
                    instructions(MAIN, "evaluate", str(qrels), str(run)),
                    both,
                    "import numpy, click",
                ),
            )
        ]


if __name__ == "__main__":
    for row in measure():
        print(row)
