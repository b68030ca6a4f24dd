"""Timing for the benchmarks: commands or functions times in turn, compared pair by pair."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Process:
    """The time, peak memory and output of a finished process."""

    seconds: float
    peak_mb: float
    output: str


def run(command: Sequence[str]) -> Process:
    """Run a command to its end: wall time, peak resident memory, standard output."""
    reading, writing = os.pipe()
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=writing, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as stream:
        output = stream.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} ended with {process.returncode}")
    return Process(seconds, usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024), output)


def in_turn(commands: Sequence[Sequence[str]], rounds: int = 5) -> list[list[Process]]:
    """Each command once to warm up, then all in turn: A B C A B C ...; a list of runs for each command."""
    for command in commands:
        run(command)
    times: list[list[Process]] = [[] for _ in commands]
    for _ in range(rounds):
        for mine, command in zip(times, commands, strict=True):
            mine.append(run(command))
    return times


def ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """Median of the ratios of pairs times in turn: it holds where the machine's speed drifts."""
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))


def seconds(runs: Sequence[Process]) -> list[float]:
    """Wall times of some runs."""
    return [one.seconds for one in runs]


def calls(functions: Sequence[Callable[[], object]], rounds: int = 7, repeat: int = 1) -> list[list[float]]:
    """Seconds per call of functions times in turn, ``repeat`` times a round, after a round to warm up."""
    times: list[list[float]] = [[] for _ in functions]
    for number in range(rounds + 1):
        for mine, function in zip(times, functions, strict=True):
            begin = time.perf_counter()
            for _ in range(repeat):
                function()
            if number:
                mine.append((time.perf_counter() - begin) / repeat)
    return times
