"""Logs of ratings split into two parts: what each user's last lines are, and that no line is lost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusing import said_of

from gradeval import InputError, read_qrels, split_log
from gradeval.files.rating_log import choose_last

LOG = "user,item,rating,timestamp\nu1,a,3,30\nu2,a,1,5\nu1,b,4,10\nu1,c,5,30\nu2,b,2,4\n"


def parts(folder: Path, text: str, **options: Any) -> tuple[str, str]:
    (folder / "log").write_text(text)
    split_log(folder / "log", train=folder / "train", test=folder / "test", **options)
    return (folder / "train").read_text(), (folder / "test").read_text()


def test_the_last_line_of_each_user_is_left_out(tmp_path: Path) -> None:
    head, a, b, c, d, e = LOG.splitlines(keepends=True)
    assert parts(tmp_path, LOG, last=1) == (head + a + c + e, head + b + d)  # of equal times the later line
    assert parts(tmp_path, LOG, last=2) == (head + b + c + e, head + a + d)  # u2 has two lines only
    assert parts(tmp_path, LOG, share=0.67) == (head + c + e, head + a + b + d)
    assert read_qrels(tmp_path / "test").of("u1") == {"a": 3, "c": 5}


@pytest.mark.parametrize(
    "text",
    [
        "u1::a::3::30\nu2::a::1::5\nu1::b::4::10\nu1::c::5::31",
        "u1\ta\t3\t30\nu2\ta\t1\t5\nu1\tb\t4\t10\nu1\tc\t5\t31\n",
        "u1,a,2024-01-02\nu2,a,2024-01-01\nu1,b,2024-01-01T23:59:00\nu1,c,2024-01-02 00:01:00\n",
    ],
)
def test_lines_without_names_have_the_time_last(tmp_path: Path, text: str) -> None:
    first, second, third, fourth = text.rstrip("\n").split("\n")
    assert parts(tmp_path, text, last=1) == (f"{first}\n{second}\n{third}\n", f"{fourth}\n")


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1),
    st.one_of(st.integers(1, 4), st.sampled_from([0.1, 0.25, 0.5, 0.9])),
)
def test_lines_are_chosen_as_one_would_by_hand(lines: list[tuple[int, int]], how: float) -> None:
    names = sorted({user for user, _ in lines})
    of_user = defaultdict(list)
    for place, (user, time) in enumerate(lines):
        of_user[user].append((time, place))
    wanted = set()
    for own in of_user.values():
        count = (how if len(own) > how else 0) if isinstance(how, int) else math.floor(how * len(own))
        wanted |= {place for _, place in sorted(own)[len(own) - int(count) :]}
    chosen = choose_last(
        np.array([names.index(user) for user, _ in lines]),
        np.array([time for _, time in lines], float),
        last=how if isinstance(how, int) else None,
        share=None if isinstance(how, int) else how,
    )
    assert set(np.flatnonzero(chosen).tolist()) == wanted


def test_a_seed_draws_the_same_lines_again(tmp_path: Path) -> None:
    text = "user,item\n" + "".join(f"u{n % 3},i{n}\n" for n in range(60))
    drawn = [parts(tmp_path, text, share=0.5, at_random=True, seed=seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    train, test = (set(part.splitlines()[1:]) for part in drawn[0])
    assert train | test == set(text.splitlines()[1:])
    assert (len(train), len(test)) == (30, 30)
    assert {sum(line.startswith(f"u{user},") for line in test) for user in range(3)} == {10}


def test_mistakes_are_one_line_and_write_nothing(tmp_path: Path) -> None:
    for options, said in (
        ({}, "give one of the two"),
        ({"last": 1, "share": 0.5}, "give one of the two"),
        ({"last": 0}, "last"),
        ({"share": 1.0}, "share"),
        ({"last": 9}, "no user has lines enough"),
        ({"last": 1, "at_random": True}, "give share="),
        ({"last": 1, "time": "when"}, "has no column 'when'"),
        ({"last": 1, "user": "item,x"}, "has no column"),
    ):
        assert said in said_of(lambda options=options: parts(tmp_path, LOG, **options))
    assert "no column is known to hold the times" in said_of(lambda: parts(tmp_path, "user,item\nu,a\nu,b\n", last=1))
    assert "neither a number nor a date" in said_of(
        lambda: parts(tmp_path, "user,item,time\nu,a,noon\nu,b,1\n", last=1)
    )
    assert "found 2 columns" in said_of(lambda: parts(tmp_path, "u,a,3,4\nu,b\n", last=1))
    assert "is empty" in said_of(lambda: parts(tmp_path, "\n", last=1))
    same = tmp_path / "one"
    assert "name two files" in said_of(lambda: split_log(tmp_path / "log", train=same, test=same, last=1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log"]


def test_ratings_are_not_taken_for_times(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("u1,i1,5\nu1,i2,1\nu2,i1,5\nu2,i3,2\n")
    parts = {"train": tmp_path / "a", "test": tmp_path / "b"}
    with pytest.raises(InputError, match="no column is known to hold the times"):
        split_log(log, **parts, last=1)
    assert split_log(log, **parts, last=1, time=3).test == 2  # who says so is believed
    assert split_log(log, **parts, share=0.5, at_random=True).test == 2


@pytest.mark.realdata
def test_a_public_log_loses_no_line(data: Callable[[str], Path], tmp_path: Path) -> None:
    log = data("movietweetings") / "ratings.dat"
    done = split_log(log, train=tmp_path / "train", test=tmp_path / "test", last=1)
    train, test = ((tmp_path / name).read_text().splitlines() for name in ("train", "test"))
    assert sorted(train + test) == sorted(log.read_text().splitlines())
    assert len(test) == done.test == done.tested == len({line.split("::")[0] for line in test})
    latest = {line.split("::")[0]: int(line.split("::")[3]) for line in test}
    assert all(int(time) <= latest.get(user, 2**40) for user, _, _, time in (line.split("::") for line in train))
