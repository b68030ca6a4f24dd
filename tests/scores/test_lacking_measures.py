from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradeval import InputError, Qrels, evaluate, parse_measure, read_scores
from gradeval.scores.lacking_measures import find_left_out
from gradeval.scores.score_files import open_scores

AP, P5 = parse_measure("AP"), parse_measure("P@5")
HEAD = "run,topic,measure,value\n"


def write(place: Path, *lines: str) -> Path:
    place.write_text(HEAD + "\n".join(lines) + "\n")
    return place


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs with AP, of which one has P@5, too."""
    first = write(tmp_path / "a.csv", "elm,1,AP,0.5", "elm,2,AP,0.25", "elm,1,P@5,0.2", "elm,2,P@5,0.4")
    return first, write(tmp_path / "b.csv", "oak,1,AP,1", "oak,2,AP,0.75")


def test_measures_that_all_runs_have_are_read_and_the_others_named(files: tuple[Path, Path]) -> None:
    scores = read_scores(*files)
    assert scores.measures == [AP]
    assert scores.values[:, :, 0].tolist() == [[0.5, 0.25], [1.0, 0.75]]
    assert "measures: P@5 left out, as some runs have no values of it (oak)" in map(str, scores.notes)


def test_measures_that_are_not_asked_for_may_lack(files: tuple[Path, Path]) -> None:
    scores = open_scores(*files, needed=["AP"])
    assert (scores.measures, scores.notes) == ([AP], [])
    with pytest.raises(InputError, match="run 'oak' has no P@5 for topic '1'"):
        open_scores(*files, needed=["AP P@5"])


def test_runs_that_are_not_asked_for_may_lack_what_is_asked_for(files: tuple[Path, Path], tmp_path: Path) -> None:
    third = write(tmp_path / "c.csv", "ash,1,P@5,0.6", "ash,2,P@5,0.8")
    scores = open_scores(*files, third, needed=["P@5"], runs=["ash", "elm"]).sel(runs=["ash", "elm"], measures="P@5")
    assert {run: values.tolist() for run, values in zip(scores.runs, scores.values[..., 0], strict=True)} == {
        "elm": [0.2, 0.4],
        "ash": [0.6, 0.8],
    }
    with pytest.raises(InputError, match="run 'oak' has no P@5 for topic '1'"):
        open_scores(*files, third, needed=["P@5"], runs=["oak", "elm"])


def test_levels_of_a_measure_that_is_not_asked_for_may_differ(tmp_path: Path) -> None:
    graded = [{"1": {"a": 1, "b": 2}}, {"2": {"a": 3, "b": 0}}]
    places = []
    for number, grades in enumerate(graded):
        run = {topic: {"a": 2.0, "b": 1.0} for topic in grades}
        places.append(tmp_path / f"{number}.parquet")
        evaluate(Qrels.from_dict(grades), {"x": run}, "AP ERR@20").save(places[-1])
    assert open_scores(*places, needed=["AP"]).sel(measures="AP").values.ravel().tolist() == [1.0, 1.0]
    with pytest.raises(InputError, match="ERR@20 depends on the levels"):
        open_scores(*places, needed=["AP", "ERR@20"])


def test_a_single_topic_without_a_value_is_still_refused_unless_the_measure_is_not_asked_for(tmp_path: Path) -> None:
    place = write(tmp_path / "a.csv", "elm,1,AP,0.5", "elm,2,AP,0.25", "elm,1,P@5,0.2")
    with pytest.raises(InputError, match="run 'elm' has no P@5 for topic '2'"):
        read_scores(place)
    assert open_scores(place, needed=["AP"]).measures == [AP]


def test_runs_without_a_common_measure_are_refused(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.csv", "elm,1,AP,0.5"), write(tmp_path / "b.csv", "oak,1,P@5,1")
    with pytest.raises(InputError, match="run 'elm' has no P@5 for topic '1'"):
        read_scores(first, second)


@pytest.mark.parametrize("seed", range(20))
def test_a_measure_is_left_out_where_all_that_a_file_has_lacks_it(seed: int) -> None:
    draws = np.random.default_rng(seed)
    lacking = draws.random((3, 2, 2)) < 0.6
    files = [draws.integers([[3], [2]], size=(2, draws.integers(4))) for _ in range(3)]
    expected = []
    for measure in range(2):
        values = [[lacking[run, topic, measure] for run, topic in own.T] for own in files]
        expected.append(any(own and all(own) for own in values))
    left = find_left_out([AP, P5], lacking, [(own[0], own[1]) for own in files]).tolist()
    assert left == ([False, False] if all(expected) else expected)


def test_a_value_that_one_run_of_a_file_lacks_is_refused(tmp_path: Path) -> None:
    place = write(tmp_path / "a.csv", "elm,1,AP,0.5", "elm,1,P@5,0.2", "oak,1,AP,1")
    with pytest.raises(InputError, match="run 'oak' has no P@5 for topic '1'"):
        read_scores(place)


def test_files_of_other_topics_share_their_measures(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", "elm,1,AP,0.5", "elm,1,P@5,0.2")
    scores = read_scores(first, write(tmp_path / "b.csv", "elm,2,AP,1"))
    assert (scores.measures, scores.values.ravel().tolist()) == ([AP], [0.5, 1.0])
