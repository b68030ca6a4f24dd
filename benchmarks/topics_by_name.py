"""How does the choice of half of the topics by name grow with their number? In Python, and by ``--topics FILE``.

python benchmarks/topics_by_name.py [OTHER_PYTHON]      # one with another gradeval beside it, for comparison
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import in_turn, seconds

NUMBERS = (25_000, 50_000, 100_000)
IN_PYTHON = """
import sys, time
import gradeval
qrels, run = gradeval.read_qrels(sys.argv[1]), gradeval.read_run(sys.argv[2])
names = open(sys.argv[3]).read().split()
begin = time.perf_counter()
scores = gradeval.evaluate(qrels, [run], "AP", topics=names)
print(time.perf_counter() - begin, len(scores.topics))
"""


def write(folder: Path, topics: int) -> list[str]:
    """Judgments and a run of two documents a topic, and a list of every other topic."""
    names = [f"topic-{number:07d}" for number in range(topics)]
    texts = {
        "qrels": "".join(f"{name} 0 a 1\n{name} 0 b 0\n" for name in names),
        "run": "".join(f"{name} Q0 a 1 2 tag\n{name} Q0 b 2 1 tag\n" for name in names),
        "topics": "".join(f"{name}\n" for name in names[::2]),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in texts]


def in_python(python: str, places: list[str]) -> float:
    """Seconds of ``evaluate`` with topics by name."""
    done = subprocess.run([python, "-c", IN_PYTHON, *places], capture_output=True, text=True, check=True)
    spent, chosen = done.stdout.split()
    assert int(chosen) * 2 == int(Path(places[0]).read_text(encoding="utf-8").count("\n") / 2)
    return float(spent)


def by_command(python: str, places: list[str]) -> float:
    """Seconds that --topics adds to the command."""
    command = [python, "-m", "gradeval", "evaluate", *places[:2], "-m", "AP"]
    plain, chosen = in_turn([command, [*command, "--topics", places[2]]], rounds=3)
    return min(seconds(chosen)) - min(seconds(plain))


def main() -> None:
    """Seconds at each number of topics, and the exponent of growth from the first number to the last."""
    for python in (sys.executable, *sys.argv[1:]):
        for what, measure in (("evaluate(topics=)", in_python), ("--topics FILE", by_command)):
            spent: list[float] = []
            for topics in NUMBERS:
                with tempfile.TemporaryDirectory() as folder:
                    begin = time.perf_counter()
                    spent.append(measure(python, write(Path(folder), topics)))
                    if time.perf_counter() - begin > 120:
                        break
            grown = math.log(max(spent[-1], 1e-9) / max(spent[0], 1e-9)) / math.log(
                NUMBERS[len(spent) - 1] / NUMBERS[0]
            )
            shown = ", ".join(f"{number:,}: {one:.3f} s" for number, one in zip(NUMBERS, spent, strict=False))
            print(f"{what:18} {shown}; exponent {grown:.2f}", flush=True)


if __name__ == "__main__":
    main()
