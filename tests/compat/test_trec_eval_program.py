"""The bytes of the program trec_eval 9 itself, where it is installed: on the PATH, or where TREC_EVAL says.

A program for Linux lies in the jar of Anserini (trec_eval/trec_eval-linux-amd64), which the package pyserini carries.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import InputError, read_qrels, read_run
from gradeval.compat.trec_eval import Options, print_trec_eval

pytestmark = pytest.mark.peers

WORDS = {"by_topic": "-q", "complete": "-c", "judged_only": "-J", "level": "-l", "depth": "-M", "documents": "-N"}
MEASURES = (
    "official all_trec set map gm_map gm_bpref num_q num_rel num_rel_ret P.3,1 recall.2 ndcg ndcg_cut.2,4 ndcg.1=3,2=9 "
    "Rndcg ndcg_rel G G.1=2,2=5 binG set_F.2 set_F.0.5 utility.1,-1,0.5,0 Rprec_mult.0.5,1.5 iprec_at_recall.0.3,.75 "
    "11pt_avg infAP relative_P.2 success.1,2 map_cut.3 relstring.3 num_nonrel_judged_ret runid set_relative_P set_map"
).split()
SCORES = [1, 2, 2.5, 0.1, 16_777_216, 16_777_217, -3.25, 1e-20]


@pytest.fixture(scope="session")
def program() -> str:
    """The program, of version 9: on other processors than x86 and in other versions other digits come out."""
    found = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    if not found:
        pytest.skip("trec_eval is not installed (TREC_EVAL names the program)")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    if "version 9" not in said.stdout + said.stderr or os.uname().machine != "x86_64":
        pytest.skip("trec_eval is not version 9 on x86")
    return found


def draw(rng: np.random.Generator, qrels: Path, run: Path) -> None:
    """Files with ties, negative grades, topics that one of both lacks, in any order."""
    topics = [f"{rng.choice(['q', '', 'x-'])}{number}" for number in range(int(rng.integers(1, 6)))]
    names = [f"{kind}{number}" for kind in ("d", "FT", "b") for number in range(6)]
    judged, retrieved = [], []
    for topic in topics:
        pool = rng.choice(names, int(rng.integers(1, 12)), replace=False)
        judged += [f"{topic} 0 {name} {rng.choice([-1, 0, 0, 1, 1, 2, 3])}\n" for name in pool]
        judged.append(f"{topic} 0 least {rng.integers(0, 4)}\n")
    for topic in [*topics[int(rng.integers(0, 2)) :], topics[-1] + "0"]:
        found = rng.choice([*names, "least", "u1", "u2"], int(rng.integers(1, 16)), replace=False)
        scores = rng.choice(SCORES, len(found)) if rng.random() < 0.5 else rng.normal(size=len(found)).round(4)
        retrieved += [f"{topic} Q0 {name} 1 {score} tag\n" for name, score in zip(found, scores, strict=True)]
    qrels.write_text("".join(judged))
    run.write_text("".join(retrieved[place] for place in rng.permutation(len(retrieved))))


def draw_options(rng: np.random.Generator) -> dict[str, Any]:
    chosen: dict[str, Any] = {name: True for name in ("by_topic", "complete", "judged_only") if rng.random() < 0.4}
    numbers = {"level": rng.integers(1, 4), "depth": rng.integers(1, 9), "documents": rng.integers(10, 1000)}
    return chosen | {name: int(number) for name, number in numbers.items() if rng.random() < 0.3}


def require_same_bytes(program: str, qrels: Path, run: Path, names: list[str], options: dict[str, Any]) -> None:
    words = [WORDS[name] + ("" if value is True else str(value)) for name, value in options.items()]
    words += [word for name in names for word in ("-m", name)]
    done = subprocess.run([program, *words, str(qrels), str(run)], capture_output=True, text=True, check=False)
    printed = print_trec_eval(read_qrels(qrels), read_run(run), names, Options(**options, version="trec9"))
    if done.returncode:  # no topic in common
        with pytest.raises(InputError, match="no topic in common"):
            list(printed)
        return
    ours, theirs = "".join(printed).splitlines(), done.stdout.splitlines()
    assert len(ours) == len(theirs), words
    # where -J leaves nothing of a topic, precision at a recall level is 0/0 there
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1] and "nan" not in pair[1]] == [], words


def test_random_files_and_options(program: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    for _ in range(300):
        draw(rng, tmp_path / "qrels", tmp_path / "run")
        names = [str(name) for name in rng.choice(MEASURES, int(rng.integers(0, 5)), replace=False)]
        require_same_bytes(program, tmp_path / "qrels", tmp_path / "run", names, draw_options(rng))


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("name", ["trec-dl21-passage", "trec14-robust2005", "trec-covid-r5"])
@pytest.mark.parametrize(
    "options",
    [{"by_topic": True}, {"by_topic": True, "complete": True, "level": 2}, {"judged_only": True, "depth": 100}],
)
def test_submitted_runs(program: str, data: Callable[[str], Path], name: str, options: dict[str, Any]) -> None:
    folder = data(name)
    for run in sorted((folder / "runs").iterdir())[:: 1 if os.environ.get("GRADEVAL_LONG") == "1" else 10]:
        require_same_bytes(program, folder / "qrels.txt", run, ["all_trec"], options)
