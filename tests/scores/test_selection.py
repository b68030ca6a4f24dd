"""Selections of topics and runs: what they choose, how they are spelled, what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from score_tables import scores_of

from gradeval import AP, InputError, Qrels, Scores, check, evaluate, nDCG
from gradeval.arguments import find_twice
from gradeval.scores.selection import (
    AboveFirstQuartile,
    All,
    AtLeast,
    Few,
    Named,
    Top,
    choose,
    parse_runs,
    parse_topics,
)


def test_the_file_that_lists_topics_is_refused_with_what_to_give(tmp_path: Path) -> None:
    file = tmp_path / "topics.txt"
    file.write_text("1\n2\n")
    qrels: dict[str, dict[str, int]] = {topic: {"a": 1} for topic in "123"}
    run = {topic: {"a": 1.0} for topic in qrels}
    given: list[Any] = [str(file), file, [str(file)], [file]]
    said = r"is a file; give the names in it, as open\(.*\).read\(\).splitlines"
    for topics in given:
        with pytest.raises(InputError, match=said):
            check(qrels, run, topics=topics)
        with pytest.raises(InputError, match=said):
            evaluate(qrels, run, "AP", topics=topics)
    assert evaluate(qrels, run, "AP", topics=file.read_text().splitlines()).topics == ["1", "2"]


@dataclass
class Judgments:
    topics: list[str]
    pool: Any
    levels: tuple[float, ...]


JUDGED = Judgments(
    topics=["1", "2", "3", "4", "5"],
    #                non  1  2  3
    pool=np.array([[9, 20, 2, 0], [9, 19, 2, 1], [9, 20, 0, 2], [0, 0, 0, 0], [9, 30, 3, 3]]),
    levels=(0.0, 1.0, 2.0, 3.0),
)


def test_few_takes_topics_with_at_least_ten_times_as_many_of_the_lowest_level() -> None:
    assert Few(2).topics(JUDGED) == ["1", "5"]
    assert Few(3).topics(JUDGED) == ["2", "3", "5"]


def test_at_least_counts_documents_of_the_grade_or_better() -> None:
    assert AtLeast(3, 2).topics(JUDGED) == ["2", "5"]
    assert AtLeast(23, 1).topics(JUDGED) == ["5"]
    assert AtLeast(3, 3).topics(JUDGED) == ["5"]


def test_all_and_names_keep_the_order_of_the_collection() -> None:
    assert All().topics(JUDGED) == ["1", "2", "3", "4", "5"]
    assert Named(("5", "2")).topics(JUDGED) == ["2", "5"]


class Counted(str):
    """A name that counts how often any name is compared with it."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons(topics: int, chosen: Callable[[Scores, list[str]], object]) -> int:
    """How often names are compared where every other topic is chosen, the last one first."""
    names = [Counted(f"topic-{number}") for number in range(topics)]
    scores = replace(scores_of(np.full((2, topics), 0.5)), topics=[str(name) for name in names])
    Counted.compared = 0
    chosen(scores, list(reversed(names[::2])))
    return Counted.compared


@pytest.mark.parametrize(
    "chosen",
    [
        lambda scores, names: Named(tuple(names)).topics(scores),
        lambda scores, names: Named(tuple(names)).runs(replace(scores, runs=scores.topics)),
        lambda scores, names: scores.sel(topics=names),
        lambda _, names: find_twice(names),
        lambda scores, names: choose(scores, scores.measures, names, None, None),
        lambda scores, names: Qrels.from_dict({name: {"d": 1} for name in scores.topics}).select(names),
        lambda scores, names: evaluate(
            {topic: {"d": 1} for topic in scores.topics}, {topic: {"d": 1.0} for topic in scores.topics}, topics=names
        ),
    ],
)
def test_names_are_looked_up_and_not_searched_for(chosen: Callable[[Scores, list[str]], object]) -> None:
    few, many = comparisons(100, chosen), comparisons(400, chosen)
    assert many <= 4 * few + 40  # each name a few times, whatever their number


def test_runs_above_the_first_quartile_are_strictly_above() -> None:
    scores = scores_of(np.repeat([[0.1], [0.2], [0.3], [0.4], [0.5]], 3, axis=1))
    assert AboveFirstQuartile(AP).runs(scores) == ["C", "D", "E"]  # the quartile is 0.2


def test_top_takes_the_best_by_a_measure_in_the_order_of_the_scores() -> None:
    values = np.zeros((4, 3, 2))
    values[:, :, 0] = np.array([0.1, 0.4, 0.2, 0.3])[:, None]
    values[:, :, 1] = np.array([0.4, 0.3, 0.1, 0.2])[:, None]
    scores = scores_of(values, "AP nDCG")
    assert Top(2, AP).runs(scores) == ["B", "D"]
    assert Top(2, nDCG).runs(scores) == ["A", "B"]


def test_top_by_all_measures_goes_by_the_worst_rank() -> None:
    values = np.zeros((4, 3, 3))
    values[:, :, 0] = np.array([0.1, 0.4, 0.2, 0.3])[:, None]  # ranks 4 1 3 2
    values[:, :, 1] = np.array([0.3, 0.4, 0.1, 0.2])[:, None]  # ranks 2 1 4 3
    values[:, :, 2] = np.array([0.1, 0.3, 0.4, 0.2])[:, None]  # ranks 4 2 1 3
    scores = scores_of(values, "AP nDCG GAP")
    assert Top(2).runs(scores) == ["B", "D"]  # worst ranks 4 2 4 3
    assert Top(3).runs(scores) == ["B", "C", "D"]  # A and C: the mean rank decides, 10/3 and 8/3


def test_top_takes_equal_runs_in_their_order() -> None:
    assert Top(2).runs(scores_of(np.full((3, 3), 0.5))) == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("all", All()),
        ("few:2", Few(2)),
        ("few:0.5", Few(0.5)),
        ("atleast:5:2", AtLeast(5, 2)),
        ("301,302", Named(("301", "302"))),
    ],
)
def test_topics_are_read_as_they_are_written(text: str, selection: Any) -> None:
    assert parse_topics(text) == selection
    assert str(selection) == text


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("all", All()),
        ("above-q1:AP", AboveFirstQuartile(AP)),
        ("top:15", Top(15)),
        ("top:15:nDCG@10", Top(15, nDCG @ 10)),
        ("top:2:nDCG(gains={1:1,2:3})", Top(2, nDCG(gains={1: 1, 2: 3}))),
        ("bm25,run:2", Named(("bm25", "run:2"))),
    ],
)
def test_runs_are_read_as_they_are_written(text: str, selection: Any) -> None:
    assert parse_runs(text) == selection
    assert str(selection) == text


def test_names_with_commas_in_brackets_stay_whole() -> None:
    names = ("lambdarank:AP", "lambdarank:GAP(g=[0.5,0.5])", "nDCG(dcg='exp-log2',base=2)")
    assert parse_runs(", ".join(names)) == Named(names)
    assert parse_runs("odd(,o'neil,run [2,3]") == Named(("odd(", "o'neil", "run [2", "3]"))  # not closed: all commas


@pytest.mark.parametrize("text", ["few", "few:x", "few:1:2", "atleast:5", "atleast:0:2", "atleast:x:2", "", " , "])
def test_topics_that_cannot_be_read_are_an_error_with_the_spellings(text: str) -> None:
    with pytest.raises(InputError, match="write few:GRADE as in few:2, atleast:NUMBER:GRADE"):
        parse_topics(text)


@pytest.mark.parametrize("text", ["top:", "top:0", "top:x:AP", "top:-1", ""])
def test_runs_that_cannot_be_read_are_an_error(text: str) -> None:
    with pytest.raises(InputError, match="top:NUMBER"):
        parse_runs(text)


def test_a_selection_that_finds_nothing_is_an_error() -> None:
    with pytest.raises(InputError, match="selects none of the 5 topics"):
        AtLeast(99, 1).topics(JUDGED)
    with pytest.raises(InputError, match="selects none of the 3 runs"):
        AboveFirstQuartile(AP).runs(scores_of(np.full((3, 3), 0.5)))
    with pytest.raises(InputError, match="no topic '7'"):
        Named(("1", "7")).topics(JUDGED)
    with_comma = replace(JUDGED, topics=["tent, large", *JUDGED.topics[1:]])
    said = "no topic 'tent'; topic 'tent, large' has a comma: list topics in a file"
    with pytest.raises(InputError, match=said):
        parse_topics("tent, large").topics(with_comma)
    with pytest.raises(InputError, match="no run 'Z'"):
        Named(("Z",)).runs(scores_of(np.ones((3, 3))))
    with pytest.raises(InputError, match="there are only 3 runs"):
        Top(9).runs(scores_of(np.ones((3, 3))))


def test_a_grade_that_is_no_level_is_an_error_with_the_levels() -> None:
    with pytest.raises(InputError, match="the collection has the grades 0,1,2,3; this takes 2,3"):
        Few(4).topics(JUDGED)
    with pytest.raises(InputError, match="the collection has the grades 0,1,2,3; this takes 2,3"):
        Few(1).topics(JUDGED)
    with pytest.raises(InputError, match=r"the grades 0,1; none is above the lowest positive one"):
        Few(2).topics(Judgments(["1"], np.array([[1, 1]]), (0.0, 1.0)))


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("recode", "grade", "topics", "relevant"),
    [("trec10-web2001.qrels.txt", 2, 17, (2, 67.26, 372)), ("trec21-web2012.qrels.txt", 2, 10, (6, 70.46, 253))],
)
def test_ferro_table_1_few_highly_relevant_topics(
    data: Any, recode: str, grade: float, topics: int, relevant: tuple[int, float, int]
) -> None:
    from gradeval import judge
    from gradeval.files.readers import read_qrels

    qrels = read_qrels(data("qrels-only") / recode).recoded({4: 3, -2: 0})
    judged = judge(qrels, {qrels.topics[0]: {"nothing": 1.0}})
    assert len(Few(grade).topics(judged)) == topics
    counts = judged.pool[:, 1:].sum(-1)
    assert (counts.min(), round(counts.mean(), 2), counts.max()) == relevant
    if len(judged.levels) > 3:
        assert len(Few(3).topics(judged)) == 7


@pytest.mark.parametrize("names", [1, [1], ["1"], np.array([1]), (one for one in (1,)), "1"])
def test_whole_numbers_name_topics_and_runs(names: Any) -> None:
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    if isinstance(names, int | str | list):
        scores = evaluate(judged, {"1": judged, "2": judged}, "AP", topics=names, runs=names)
        assert (scores.topics, scores.runs) == (["1"], ["1"])
    else:
        assert evaluate(judged, judged, "AP", topics=names).topics == ["1"]


@pytest.mark.parametrize("names", [1.5, [1.0], True, [None], [["1"]]])
@pytest.mark.parametrize("what", ["topics", "runs"])
def test_nothing_else_names_topics_and_runs(what: str, names: Any) -> None:
    judged = {"1": {"a": 1}}
    with pytest.raises(InputError, match=rf"^{what}=.* is no name; names are text or whole numbers"):
        evaluate(judged, judged, "AP", **{what: names})
