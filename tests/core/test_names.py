"""Ids are hashed in another way in each process: nobody can make ids that collide, and no result shows it."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from gradeval._core import Lines, Pools, judge

SCORED = """
from gradeval._core import *
import hashlib
pools = Pools.of_mapping({str(t): {f"d{d}": d % 3 for d in range(t, 300, 3)} for t in range(40)}, "qrels")
text = "".join(f"{t} Q0 d{(d * 37 + t) % 500} 1 {d % 50} t\\n" for d in range(400) for t in range(40))
met = judge(pools, [Lines.of_bytes(text.encode(), "run")])
print(hashlib.sha256(met.rank.tobytes() + met.document.tobytes() + met.tied.tobytes()).hexdigest(), met.unjudged_topics)
try: judge(pools, [Lines.of_bytes((text + "7 Q0 d7 1 1 t\\n9 Q0 d9 1 1 t\\n").encode(), "run")])
except InputError as error: print(error)
"""


def test_results_do_not_depend_on_the_seed() -> None:
    outputs = {subprocess.check_output([sys.executable, "-c", SCORED]) for _ in range(3)}
    assert len(outputs) == 1


def unseeded_collisions(wanted: int) -> list[str]:
    """Printable ids of 16 characters that share one hash under multiply-and-fold with a known start and factor."""
    rng = np.random.default_rng(1)
    start, factor = np.uint64(0x243F6A8885A308D3), np.uint64(0x9E3779B97F4A7C15)
    ids: list[str] = []
    while len(ids) < wanted:
        first = rng.integers(0x21, 0x7F, (1_000_000, 8), np.uint8)
        state = (first.view(np.uint64)[:, 0] ^ start) * factor
        state ^= state >> np.uint64(32)
        second = (state ^ np.uint64(0x5555555555555555)).view(np.uint8).reshape(-1, 8)  # then all states are that
        good = np.arange(len(second))
        for place in range(8):  # three in eight bytes are printable
            good = good[(second[good, place] >= 0x21) & (second[good, place] < 0x7F)]
        ids += [row.tobytes().decode() for row in np.hstack([first[good], second[good]])]
    return ids[:wanted]


@pytest.mark.slow
def test_ids_made_to_collide_take_no_longer_than_others() -> None:
    """12,000 of them took thirty times as long as others while all processes hashed alike."""
    count = 12_000
    bad = unseeded_collisions(count)
    seconds = []
    for ids in ([f"document-{number:07}" for number in range(count)], bad):
        text = "".join(f"1 Q0 {document} 1 {count - rank} t\n" for rank, document in enumerate(ids)).encode()
        spent = []
        for _ in range(3):
            began = time.perf_counter()
            pools = Pools.of_mapping({"1": dict.fromkeys(ids, 1.0)}, "qrels")
            met = judge(pools, [Lines.of_bytes(text, "run")], threads=1)
            spent.append(time.perf_counter() - began)
            assert met.rank.tolist() == list(range(1, count + 1))
        seconds.append(min(spent))
    assert seconds[1] < 6 * seconds[0] + 0.05
