from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

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


def test_queries_that_are_torn_are_said_to_be_split_whole_for_rankers(tmp_path: Path) -> None:
    log, train, test = (str(tmp_path / name) for name in ("log", "train", "test"))
    words = ["split", log, "--train", train, "--test", test, "--share", "0.5", "--random", "--user"]
    for user, torn in (("user", False), ("query_id", True)):
        (tmp_path / "log").write_text(LOG.replace("user", user))
        said = CliRunner().invoke(main, [*words, user]).stderr
        assert ("queries are in both parts" in said) == torn
        assert ("'gradeval crossval' trains on folds of one file" in said) == torn
