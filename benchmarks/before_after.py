"""Is gradeval as fast as before? Two versions in turn, processor time (user and system), answers compared.

python benchmarks/before_after.py OLD NEW [DATA]     # Pythons of two environments; DATA holds trec-covid-r5, unpacked

A ratio is the median over pairs that ran one after the other, of which either comes first half of the time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from one_run import LARGE, MEASURES, make
from submissions import FOUR

TINY = """
import sys, time, gradeval
qrels, run = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"a": 1.0, "b": 2.0, "c": 0.5}}
call = lambda: gradeval.evaluate(qrels, run, "AP nDCG@10").values.tolist()
print([call() for _ in range(300)][-1], flush=True)
for line in sys.stdin:
    begin = time.process_time()
    for _ in range(100):
        call()
    print((time.process_time() - begin) / 100, flush=True)
"""
"""evaluate() of one topic of three documents: prints its answer, then a time for each line that it reads."""


def in_pairs(times: Sequence[Callable[[], float]], pairs: int) -> str:
    """The medians of both, and of their ratios."""
    taken: list[list[float]] = [[], []]
    for number in range(pairs):
        for which in (0, 1) if number % 2 else (1, 0):
            taken[which].append(times[which]())
    old, new = map(statistics.median, taken)
    ratio = statistics.median(b / a for a, b in zip(*taken, strict=True))
    return f"{old * 1e3:8.2f} ms before, {new * 1e3:8.2f} ms now, ratio {ratio:.3f} ({pairs} pairs)"


def of_command(python: str, arguments: Sequence[str], answers: set[str]) -> float:
    """Processor seconds of a command; its output joins the answers."""
    reading, writing = os.pipe()
    process = subprocess.Popen([python, "-m", "gradeval", *arguments], stdout=writing, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as stream:
        answers.add(stream.read())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{python}: {' '.join(arguments)[:200]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def tiny(pythons: Sequence[str], pairs: int) -> str:
    """Seconds of a call, of two processes that stay."""
    processes = [
        subprocess.Popen([python, "-c", TINY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for python in pythons
    ]

    def answer(process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        return process.stdout.readline()

    def time(process: subprocess.Popen[str]) -> float:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        return float(answer(process))

    require_equal({answer(process) for process in processes})
    said = in_pairs([partial(time, process) for process in processes], pairs)
    for process in processes:
        process.communicate()
    return said


def command(pythons: Sequence[str], arguments: Sequence[str], pairs: int) -> str:
    """Seconds of a whole process."""
    answers: set[str] = set()
    for python in pythons:  # to warm up
        of_command(python, arguments, answers)
    said = in_pairs([partial(of_command, python, arguments, answers) for python in pythons], pairs)
    require_equal(answers)
    return said


def require_equal(answers: set[str]) -> None:
    """Refuse answers that differ."""
    if len(answers) != 1:
        raise SystemExit("the answers differ: compare them first")


if __name__ == "__main__":
    pythons, data = sys.argv[1:3], sys.argv[3:]
    shown = ["--names", "file", "--format", "tsv", "-m"]
    print("one topic of three documents, a call:", tiny(pythons, 80), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for topics, pairs in ((250, 25), (LARGE // 1000, 9)):
            run, qrels = make(Path(folder), topics, 1000, 20)
            said = command(pythons, ["evaluate", str(qrels), str(run), *shown, MEASURES], pairs)
            print(f"one run of {topics * 1000:,} lines:", said, flush=True)
    for collection in (Path(place) / "trec-covid-r5" for place in data):
        files = [str(collection / "qrels.txt"), str(collection / "runs")]
        print("126 runs of TREC-COVID:", command(pythons, ["evaluate", *files, *shown, FOUR], 9), flush=True)
