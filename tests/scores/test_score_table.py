"""What scores show: means, topics, intervals, the best values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from gradeval import AP, Scores, evaluate, read_scores
from gradeval.compat.trec_eval import trec_eval_name
from gradeval.formula.spelling import parse_measures
from gradeval.tables.grid import Grid


def random_scores(runs: Sequence[str], measures: str = "AP P@5 NumRet", topics: int = 2) -> Scores:
    parsed = parse_measures(measures)
    values = np.random.default_rng(3).random((len(runs), topics, len(parsed)))
    return scores_with(values, runs, measures)


def scores_with(values: np.ndarray, runs: Sequence[str], measures: str) -> Scores:
    """Scores of values[run, topic, measure] on topics t0, t1, ..."""
    present, vacant = np.ones(values.shape[:2], bool), np.zeros(values.shape[1:], bool)
    topics = [f"t{n}" for n in range(values.shape[1])]
    return Scores(values, present, vacant, list(runs), topics, parse_measures(measures))


def grid_of(scores: Scores) -> Grid:
    (grid,) = scores.table().grids
    return grid


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl"])
def test_many_runs_topics_and_measures_stay_in_order(name: str, tmp_path: Path) -> None:
    scores = random_scores([f"r{n}" for n in range(30)], "AP P@5 RR nDCG", topics=20)
    scores.save(tmp_path / "scores", format=name)
    lines = (tmp_path / "scores").read_text().splitlines()[name != "jsonl" :]
    cells = [re.findall(r"\b(r\d+|t\d+|all|AP|P@5|RR|nDCG)\b", line) for line in lines]
    names = list(map(str, scores.measures))
    expected = [*itertools.product(scores.runs, scores.topics, names), *itertools.product(scores.runs, ["all"], names)]
    assert list(map(tuple, cells)) == expected


def test_the_best_value_is_marked_by_what_can_be_read() -> None:
    means = np.array([[0.50001, 0.1, 9, 0.1], [0.50004, 0.1, 8, 0.2], [0.4, 0.1, 7, 0.3]])
    best = grid_of(scores_with(means[:, None], "abc", "AP P@5 NumRet RBPresidual")).best
    assert best == {(0, 1), (1, 1)}  # 0.5000 twice; all alike: none; counts and residuals are not better for being more


def test_a_single_run_has_no_best_values() -> None:
    assert not grid_of(random_scores(["only"])).best


def test_scores_print_as_the_table_of_their_means() -> None:
    scores = scores_with(np.array([[[0.25, 3.0]], [[0.5, 4.0]]]), ["a", "long name"], "AP NumRet")
    assert str(scores) == (
        "run            AP   NumRet\n--------------------------\na          0.2500        3\nlong name  0.5000*       4"
        "\n* best of its column"
    )
    assert "best of" not in str(scores.sel(runs=["a"]))  # one run, no star
    assert repr(scores).splitlines()[0] == "Scores(2 runs, 1 topic, 2 measures)"
    assert "<strong>0.5000</strong>" in scores._repr_html_()
    assert scores.to_markdown(digits=1).splitlines()[3] == "| long name | **0.5** |      4 |"
    assert r"long name & \textbf{0.50} & 4 \\" in scores.to_latex(digits=2)


def test_the_table_has_topics_intervals_and_coverage_on_request() -> None:
    qrels = {"1": {"x": 1}, "2": {"x": 1}}
    scores = evaluate(qrels, {"1": {"x": 2.0, "y": 2.0}, "2": {"y": 1.0}}, [AP])
    (grid,) = scores.table(by_topic=True, ci=True, coverage=True, digits=2).grids
    assert grid.head == ["run", "topic", "AP", "tied lines", "missing topics"]
    low, high = scores.ci()[0, 0]
    value = scores.mean()[0, 0]
    assert grid.texts() == [
        ["run", "1", f"{scores.values[0, 0, 0]:.2f}", "", ""],
        ["run", "2", "0.00", "", ""],
        ["run", "all", f"{value:.2f} [{low:.2f}, {high:.2f}]", "66.7%", "0.0%"],
    ]
    assert grid.ruled == 2


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl"])
def test_text_of_every_topic_reads_back_as_the_same_scores(name: str, tmp_path: Path) -> None:
    scores = random_scores(["a", "b,c", 'say "d"'], "AP NumRet nDCG@10", topics=4)
    scores.save(tmp_path / f"scores.{name}")
    back = read_scores(tmp_path / f"scores.{name}")
    assert back.values.tolist() == scores.values.tolist()
    assert (back.runs, back.topics, back.measures) == (scores.runs, scores.topics, scores.measures)


def test_frames_of_pandas_hold_every_value() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    scores = random_scores(["a", "b"])
    assert scores.to_pandas()["value"].tolist() == scores.values.ravel().tolist()


TREC_EVAL = """
AP map   AP@100 map_cut_100   AP(rel=2) AP(rel=2)   AP(norm='min')@5 AP(norm='min')@5
gmAP gm_map   nDCG ndcg   nDCG@20 ndcg_cut_20   nDCG(discount='jk') nDCG(discount='jk')
P@10 P_10                     R@1000 recall_1000        RR recip_rank          RR@10 RR@10
Success@5 success_5           Rprec Rprec               Bpref bpref            infAP infAP
IPrec@0.1 IPrec@0.1           IPrec(mode='trec9')@0.1 iprec_at_recall_0.10     IPrec11(mode='trec10') 11pt_avg
SetP set_P                    SetF set_F                NumQ num_q             NumRelRet num_rel_ret
GAP GAP                       Q@10 Q@10                 IPrec(mode='trec10')@1 iprec_at_recall_1.00
""".split()


@pytest.mark.parametrize(("spelling", "name"), list(zip(TREC_EVAL[::2], TREC_EVAL[1::2], strict=True)))
def test_measures_go_by_trec_evals_names_where_it_has_them(spelling: str, name: str) -> None:
    assert trec_eval_name(parse_measures(spelling)[0]) == name
