"""Runs in files: what was read stays what it was, and what is scored at once is never in memory as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradeval import AP, InputError, evaluate, nDCG, read_letor, read_run, read_runs
from gradeval.files.readers import open_run

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
FIRST = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n"
SECOND = "1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n2 Q0 z 1 1 t\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the one that relative paths start from."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_that_was_read_does_not_change_with_its_file() -> None:
    runs = []
    for epoch, text in enumerate([FIRST, SECOND, FIRST + "1 Q0 z 3 1 t\n"]):
        Path("dev.run").write_text(text)  # as a training does, over and over
        runs.append(read_run("dev.run", name=f"epoch {epoch}"))
    Path("dev.run").unlink()
    expected = [evaluate(QRELS, {"1": scores, "2": other}, [AP, nDCG]).values[0] for scores, other in (
        ({"a": 3, "b": 2}, {"a": 1}),
        ({"b": 3, "a": 2}, {"z": 1}),
        ({"a": 3, "b": 2, "z": 1}, {"a": 1}),
    )]  # fmt: skip
    assert evaluate(QRELS, runs, [AP, nDCG]).values.tolist() == [values.tolist() for values in expected]


def test_a_run_that_was_read_survives_that_its_file_is_cut() -> None:
    """A mapped file kills its process there."""
    Path("dev.run").write_text("".join(f"{t} Q0 d{d} 1 {d} t\n" for t in range(100) for d in range(100)))
    code = (
        "import os, gradeval\n"
        "run = gradeval.read_run('dev.run')\n"
        "os.truncate('dev.run', 10)\n"
        "print(gradeval.evaluate({'99': {'d99': 1}}, run, 'RR').values)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[[[1.]]]\n")


def test_a_file_is_scored_as_the_run_read_from_it() -> None:
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        rows = [f"{t} Q0 d{d} 1 {s} {name}\n" for t in range(20) for d, s in enumerate(rng.integers(0, 9, 50))]
        Path(f"{name}.run").write_text("".join(rows))
        Path(f"{name}.scattered").write_text("".join(rng.permutation(rows)))
    qrels = {str(t): {f"d{d}": int(rng.integers(0, 3)) for d in range(0, 60, 7)} for t in range(20)}
    for ending in ("run", "scattered"):
        files = [f"one.{ending}", f"two.{ending}"]
        read, scored = evaluate(qrels, read_runs(files)), evaluate(qrels, files)
        assert scored.runs == read.runs == ["one", "two"]
        assert scored.values.tobytes() == read.values.tobytes()
        assert [run.topics for run in map(open_run, files)] == [run.topics for run in read_runs(files).runs]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_plain_file_is_read_at_once() -> None:
    os.mkfifo("pipe")
    writer = subprocess.Popen([sys.executable, "-c", f"open('pipe', 'w').write({FIRST!r})"])
    assert evaluate(QRELS, "pipe", "AP").runs == ["t"]
    writer.wait()
    Path("empty.run").touch()
    with pytest.raises(InputError, match=r"^empty\.run:1: the file is empty"):
        evaluate(QRELS, "empty.run")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_a_large_file_is_scored_in_little_memory() -> None:
    topic = "".join(f"@ Q0 document-{d:08} {d} {1000 - d}.25 tag\n" for d in range(1000))
    with Path("large.run").open("w") as file:
        for number in range(3000):  # 120 MB
            file.write(topic.replace("@", str(number)))
    code = (
        "import sys, gradeval\n"
        "from gradeval import evaluate\n"
        "def peak(): return [int(l.split()[1]) for l in open('/proc/self/status') if l.startswith('VmHWM')][0] / 1000\n"
        "evaluate({'7': {'document-00000003': 1}}, {'7': {'a': 1}}, 'RR')\n"
        "before = peak()\n"
        "assert evaluate({'7': {'document-00000003': 1}}, 'large.run', 'RR').values == 1 / 4\n"
        "print(peak() - before)"
    )
    grown = float(subprocess.check_output([sys.executable, "-c", code]))
    assert grown < 40


def test_features_that_were_read_do_not_change_with_their_file() -> None:
    Path("f.txt").write_text("1 qid:1 1:0.5 #docid = a\n0 qid:1 1:2 #docid = b\n")
    features = read_letor("f.txt")
    Path("f.txt").write_text("2 qid:9 1:7\n")
    assert (features.X.tolist(), features.docs) == ([[0.5], [2.0]], ["a", "b"])
