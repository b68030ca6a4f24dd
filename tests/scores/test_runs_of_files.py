from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import InputError, Scores, read_scores

HEAD = "run,topic,measure,value\n"


def write(place: Path, *lines: str) -> Path:
    place.parent.mkdir(exist_ok=True)
    place.write_text(HEAD + "\n".join(lines) + "\n")
    return place


def values(scores: Scores) -> dict[str, list[float]]:
    return {run: scores.values[at].ravel().tolist() for at, run in enumerate(scores.runs)}


def test_runs_of_one_name_go_by_their_files(tmp_path: Path) -> None:
    old = write(tmp_path / "old.csv", "tree,1,AP,0.5", "tree,2,AP,0.25")
    new = write(tmp_path / "new.csv", "tree,1,AP,1", "tree,2,AP,0.75")
    scores = read_scores(old, new)
    assert values(scores) == {"old": [0.5, 0.25], "new": [1.0, 0.75]}
    assert "2 runs are called 'tree' and go by their files: old, new" in map(str, scores.notes)


def test_of_files_with_several_runs_the_name_stays_behind_the_file(tmp_path: Path) -> None:
    old = write(tmp_path / "old.csv", "tree,1,AP,0.5", "line,1,AP,0.25")
    new = write(tmp_path / "new.csv", "tree,1,AP,1", "net,1,AP,0.125")
    assert values(read_scores(old, new)) == {"old tree": [0.5], "line": [0.25], "new tree": [1.0], "net": [0.125]}


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    places = [write(tmp_path / folder / "s.csv", f"tree,1,AP,{value}") for folder, value in (("a", 0.5), ("b", 1))]
    expected = {f"{tmp_path}/a/s": [0.5], f"{tmp_path}/b/s": [1.0]}
    assert values(read_scores(*places)) == expected


def test_no_two_runs_get_one_name(tmp_path: Path) -> None:
    old = write(tmp_path / "old.csv", "tree,1,AP,0.5")
    new = write(tmp_path / "new.csv", "tree,1,AP,1")
    other = write(tmp_path / "other.csv", "old,1,AP,0.25", "new.csv,1,AP,0.125")
    names = read_scores(old, new, other).runs
    assert len(set(names)) == len(names) == 4


@pytest.mark.parametrize("second", ["tree,2,AP,1", "tree,1,P@5,1"])
def test_a_run_in_files_of_other_topics_or_measures_is_one(tmp_path: Path, second: str) -> None:
    scores = read_scores(write(tmp_path / "a.csv", "tree,1,AP,0.5"), write(tmp_path / "b.csv", second))
    assert values(scores) == {"tree": [0.5, 1.0]}


def test_a_file_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    place = write(tmp_path / "a.csv", "tree,1,AP,0.5")
    with pytest.raises(InputError, match=r"a\.csv:2: AP of run 'tree' for topic '1' is given twice"):
        read_scores(place, place)
