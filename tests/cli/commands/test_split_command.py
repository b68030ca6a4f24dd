from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gradeval import Features, features_from_frame, read_letor, write_letor
from gradeval.cli import main

LOG = "user,item,rating,timestamp\nu1,a,3,30\nu2,a,1,5\nu1,b,4,10\nu1,c,5,30\nu2,b,2,4\n"


def test_the_program_says_what_it_split(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOG)
    log, train, test = (str(tmp_path / name) for name in ("log", "train", "test"))
    done = CliRunner().invoke(main, ["split", log, "--train", train, "--test", test, "--last", "2"])
    assert done.exit_code == 0, done.stderr
    assert done.stderr == (
        "note: 3 lines to train, 2 to test, of 1 of 2 users; 1 with too few lines are in the training part only\n"
    )
    piped = CliRunner().invoke(main, ["split", log, "--train", train, "--test", "-", "--last", "2"])
    assert piped.stdout == (tmp_path / "test").read_text()
    assert CliRunner().invoke(main, ["split", log, "--train", log, "--test", test, "--last", "1"]).exit_code == 2
    assert (tmp_path / "log").read_text() == LOG


@pytest.mark.parametrize("kind", ["csv", "tsv", "txt"])
def test_queries_are_not_torn_and_the_advice_works(tmp_path: Path, kind: str) -> None:
    X = np.random.default_rng(3).normal(size=(400, 2)).round(3)
    table = pd.DataFrame({"qid": np.arange(400) % 10, "label": np.arange(400) % 4, "f1": X[:, 0], "f2": X[:, 1]})
    log = tmp_path / f"rows of.{kind}"
    if kind == "txt":
        topics = np.repeat(np.arange(10), 40)
        write_letor(Features.from_arrays(X, np.arange(400) % 4, topics=topics), log)
    else:
        table.to_csv(log, index=False, sep="," if kind == "csv" else "\t")
    train, test = (str(tmp_path / name) for name in ("train", "test"))
    for words in ([], ["--share", "0.2", "--random"], ["--last", "1"]):
        done = CliRunner().invoke(main, ["split", str(log), "--train", train, "--test", test, *words])
        assert done.exit_code == 2
        assert "has queries, not users, and rankers need each query whole" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == [log.name]
    command, code = re.findall(r"'gradeval (crossval .*?)' trains .* in Python (.*) makes parts", done.stderr)[0]
    parts = eval(code, {"pandas": pd, "read_letor": read_letor, "features_from_frame": features_from_frame})
    assert [len(part.topics) for part in parts] == [6, 2, 2]
    assert len({topic for part in parts for topic in part.topics}) == 10
    folds = CliRunner().invoke(main, shlex.split(command))
    assert folds.exit_code == 0, folds.stderr


def test_a_third_part_is_made_by_a_second_split(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOG)
    log, train, test, rest, valid = (str(tmp_path / name) for name in ("log", "train", "test", "rest", "valid"))
    asked = CliRunner().invoke(main, ["split", log, "--train", train, "--valid", valid, "--test", test, "--last", "1"])
    assert "no such option: --valid; two parts are made: split the file of --train once more" in asked.stderr
    assert CliRunner().invoke(main, ["split", log, "--train", train, "--test", test, "--last", "1"]).exit_code == 0
    assert CliRunner().invoke(main, ["split", train, "--train", rest, "--test", valid, "--last", "1"]).exit_code == 0


def test_what_says_how_much_is_split_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("user,item\nu,a\nu,b\nu,c\nu,d\nu,e\n")
    words = ["split", *(str(tmp_path / "log"), "--train", str(tmp_path / "train"), "--test", str(tmp_path / "test"))]
    assert "give one of the two: --last 1 or --share 0.2" in CliRunner().invoke(main, words).stderr
    said = CliRunner().invoke(main, [*words, "--last", "1"]).stderr
    assert "or draw a share at random: --share 0.2 --random" in said
    assert CliRunner().invoke(main, [*words, "--share", "0.2", "--random"]).exit_code == 0
