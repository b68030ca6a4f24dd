"""Files of topics: a topic a line, with # and blanks in it, or with more text behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval

TOPICS = ["#10 envelopes", "#vaccine", "red dress", "red shoes", "301", "302"]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Judgments and a run with these topics."""
    for name, value in (("qrels.csv", "rating"), ("run.csv", "score")):
        (tmp_path / name).write_text(f"query,docid,{value}\n" + "".join(f"{topic},#d1,1\n" for topic in TOPICS))
    return [tmp_path / "qrels.csv", tmp_path / "run.csv"]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["#vaccine"], ["#vaccine"]),
        (["# 10", "#10 envelopes"], None),
        (["red shoes", "", "#10 envelopes\r"], ["#10 envelopes", "red shoes"]),
        (["301 travel", "302\tred shoes", "#vaccine is it safe"], ["301", "302", "#vaccine"]),
        (["301 travel", "red hat"], None),
    ],
)
def test_a_line_names_a_topic(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, lines: list[str], wanted: list[str] | None
) -> None:
    (tmp_path / "topics").write_text("\n".join(lines) + "\n")
    done = gradeval("evaluate", *files, "-m", "AP", "--topics", tmp_path / "topics", "-q", "--format", "csv")
    if wanted is None:
        assert done.exit_code == 2
        return
    assert done.exit_code == 0, done.stderr
    assert all(f",{topic},AP" in done.stdout for topic in wanted)
    assert sum(",AP," in line for line in done.stdout.splitlines()) == len(wanted) + 1  # and the mean
    for judged in (files[:1], ["--runs-only"]):
        checked = gradeval("check", *judged, files[1], "--topics", tmp_path / "topics")
        others = [topic for topic in TOPICS if topic not in wanted]
        assert checked.stderr.splitlines()[0].endswith(f"run.csv: unknown topics {', '.join(others)}")
        assert "returns nothing" not in checked.stdout


@pytest.mark.parametrize(
    "text",
    [
        "<top>\n<num> Number: 301 \n<title> travel\n</top>\n\n<top>\n<num> Number: 302\n<title> hats\n</top>\n",
        "<top>\n<num>301</num><title>travel</title></top><top><num>302</num></top>\n",
        '<?xml version="1.0"?>\n<topics>\n<topic number="301" type="x"><query>travel</query></topic>\n'
        "<topic type='y' number='302'></topic></topics>\n",
    ],
)
def test_topics_between_tags_go_by_their_numbers(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, text: str
) -> None:
    (tmp_path / "topics").write_text(text)
    done = gradeval("evaluate", *files, "-m", "AP", "--topics", tmp_path / "topics", "-q", "--format", "csv")
    assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == ["301", "302", "all"], done.stderr


def test_tags_without_numbers_are_refused(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("<top>\n<title> travel\n</top>\n")
    done = gradeval("check", *files, "--topics", tmp_path / "topics")
    assert done.exit_code == 2
    assert 'has tags, but no <num> or <topic number="...">; accepted: a file with a topic a line' in done.stderr
