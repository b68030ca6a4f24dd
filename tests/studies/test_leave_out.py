"""Leaving a run out, against judgments from which its documents are taken away by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gradeval
from gradeval import CoverageWarning, InputError
from gradeval.studies.leave_out import LeftOut, leave_out
from gradeval.warning_categories import NoteWeight

Table = dict[str, dict[str, float]]


def collection(seed: int) -> tuple[Table, dict[str, Table]]:
    """Judgments of some topics, and runs that share some of their documents."""
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(40)]
    qrels: Table = {
        f"t{topic}": {name: int(rng.integers(0, 3)) for name in documents if rng.random() < 0.7} for topic in range(4)
    }
    runs: dict[str, Table] = {}
    for run in range(4):
        ranked = {topic: rng.permutation(documents)[:12] for topic in qrels}
        runs[f"r{run}"] = {
            topic: {name: -float(at) for at, name in enumerate(names)} for topic, names in ranked.items()
        }
    return qrels, runs


def literal(qrels: Table, runs: dict[str, Table], left_out: list[str], depth: int | None) -> tuple[Table, int, int]:
    """The judgments without those of documents that only some runs have, their number, and that of relevant ones."""

    def brings(run: str, topic: str, name: str) -> bool:
        ranking = runs[run].get(topic, {})
        return name in ranking and (depth is None or -ranking[name] < depth)

    left: Table = {topic: {} for topic in qrels}
    unique = relevant = 0
    for topic, grades in qrels.items():
        for name, grade in grades.items():
            bringing = [run for run in runs if brings(run, topic, name)]
            if bringing and all(run in left_out for run in bringing):
                unique += 1
                relevant += grade > 0
            else:
                left[topic][name] = grade
    return left, unique, relevant


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("depth", [None, 5])
def test_equal_to_scoring_by_the_smaller_qrels(seed: int, depth: int | None) -> None:
    qrels, runs = collection(seed)
    measures = "AP GAP(g=[0.5,0.5]) nDCG@5 Bpref P@5"
    named = [gradeval.Run.from_dict(run, name) for name, run in runs.items()]
    study = leave_out(gradeval.judge(qrels, named), measures, pool_depth=depth)
    full = gradeval.evaluate(qrels, named, measures).mean()
    np.testing.assert_allclose(study.full, full.T, atol=1e-12)
    assert study.unique.sum() > 0
    for place, name in enumerate(runs):
        left, unique, relevant = literal(qrels, runs, [name], depth)
        means = gradeval.evaluate(left, named, measures).mean()
        np.testing.assert_allclose(study.without[:, place], means[place], atol=1e-12)
        assert (study.rank_without[:, place] == 1 + (means > means[place] + 1e-12).sum(0)).all()
        assert (study.unique[place], study.unique_relevant[place]) == (unique, relevant)


GROUPINGS = [{"r0": "a", "r1": "a"}, {"r0": "a", "r2": "b", "r1": "b", "r3": "a"}, {"r3": "r2", "r1": "r2", "r0": "r2"}]


@pytest.mark.parametrize("groups", GROUPINGS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("depth", [None, 5])
def test_a_group_loses_what_only_its_runs_brought(groups: dict[str, str], seed: int, depth: int | None) -> None:
    """Against scoring by judgments from which the documents of a group alone are taken away by hand."""
    qrels, runs = collection(seed)
    named = [gradeval.Run.from_dict(run, name) for name, run in runs.items()]
    measures = "AP GAP(g=[0.5,0.5]) nDCG@5 Bpref"
    study = leave_out(gradeval.judge(qrels, named), measures, pool_depth=depth, groups=groups)
    assert study.groups == [groups.get(run) for run in runs]
    for place, name in enumerate(runs):
        mates = [run for run in runs if run == name or groups.get(run, run + " alone") == groups.get(name)]
        left, unique, relevant = literal(qrels, runs, mates, depth)
        means = gradeval.evaluate(left, named, measures).mean()
        np.testing.assert_allclose(study.without[:, place], means[place], atol=1e-12)
        assert (study.rank_without[:, place] == 1 + (means > means[place] + 1e-12).sum(0)).all()
        assert (study.unique[place], study.unique_relevant[place]) == (unique, relevant)
        if depth is None:
            for at, shallow in enumerate([10, 10, 5, 10]):
                means = gradeval.evaluate(literal(qrels, runs, mates, shallow)[0], named, measures).mean()[:, at]
                assert study.rank_shallow[at, place] == 1 + (means > means[place] + 1e-12).sum()


def test_groups_of_one_run_each_change_nothing() -> None:
    qrels, runs = collection(1)
    judged = gradeval.judge(qrels, runs)
    alone = leave_out(judged, "AP nDCG@5")
    for groups in ({}, {run: f"team {run}" for run in runs}):
        grouped = leave_out(judged, "AP nDCG@5", groups=groups)
        for name in ("full", "without", "rank", "rank_without", "rank_shallow", "unique", "unique_relevant"):
            np.testing.assert_array_equal(getattr(grouped, name), getattr(alone, name))


def test_absent_runs_are_ignored_only_where_each_run_has_a_group() -> None:
    qrels, runs = collection(1)
    judged = gradeval.judge(qrels, runs)
    teams = {run: f"team {run}" for run in runs}
    study = leave_out(judged, "AP", groups={**teams, "withdrawn": "x"})
    assert [note.text for note in study.notes if "ignored" in note.text] == [
        "groups: 1 name is no run here and is ignored (withdrawn)"
    ]
    np.testing.assert_array_equal(study.without, leave_out(judged, "AP", groups=teams).without)
    first = next(iter(teams))
    del teams[first]
    with pytest.raises(
        gradeval.InputError, match=rf"1 run without a group \({first}\), and 1 name there is no run here"
    ):
        leave_out(judged, "AP", groups={**teams, "withdrawn": "x"})


def test_runs_without_a_group_are_named_and_stand_by_themselves() -> None:
    qrels, runs = collection(1)
    study = leave_out(gradeval.judge(qrels, runs), "AP nDCG@5", groups={"r1": "b", "r2": "b"}, runs=["r2", "r3"])
    assert [str(note) for note in study.notes if "no group" in note.text] == [
        "1 run has no group (r3); each is left out alone"
    ]
    assert "2 runs of 1 group and 1 of none, " in study.description
    assert study.to_dict()["group"] == ["b", None] * 2
    assert study.to_dict()["shallow_depth"] == [10, 10, 5, 5]
    assert study.to_dict()["rank_shallow"] == study.rank_shallow.ravel().tolist()
    heads = [grid.head for grid in study.table().grids]
    assert [head[1] for head in heads] == ["group"] * 2
    assert [head[-1] for head in heads] == ["rank without, depth 10", "rank without, depth 5"]
    assert "would rank lower if their group were not pooled" in study.answer("AP")
    deep = leave_out(gradeval.judge(qrels, runs), "AP", pool_depth=3)
    assert deep.to_dict()["shallow_depth"] == [None] * 4
    assert deep.table().grids[0].head[-2:] == ["rank", "rank without"]


def test_topics_are_chosen_and_bad_values_are_errors() -> None:
    qrels, runs = collection(0)
    judged = gradeval.judge(qrels, [gradeval.Run.from_dict(run, name) for name, run in runs.items()])
    study = leave_out(judged, "AP", topics=["t0", "t1", "t3"])
    assert study.topics == ["t0", "t1", "t3"]
    with pytest.raises(InputError, match="only 2 topics"):
        leave_out(judged, "AP", topics=["t0", "t1"])
    with pytest.raises(InputError, match="t9"):
        leave_out(judged, "AP", topics=["t0", "t1", "t9"])
    with pytest.raises(InputError, match=r"groups: no run 'r11' \(did you mean r1"):
        leave_out(judged, "AP", groups={"r11": "a"})
    with pytest.raises(InputError, match="judged runs"):
        leave_out(gradeval.evaluate(qrels, runs["r0"], "AP"))


def test_of_chosen_topics_all_is_as_if_there_were_no_others() -> None:
    qrels, runs = collection(0)
    some = ["t0", "t1", "t3"]
    fewer = {name: {topic: run[topic] for topic in some} for name, run in runs.items()}
    chosen = leave_out(gradeval.judge(qrels, runs), "AP nDCG@5", topics=some)
    alone = leave_out(gradeval.judge({topic: qrels[topic] for topic in some}, fewer), "AP nDCG@5")
    for name in ("full", "without", "rank", "rank_without", "unique", "unique_relevant", "judged_share"):
        np.testing.assert_allclose(getattr(chosen, name), getattr(alone, name), err_msg=name)
    assert chosen.foreign == pytest.approx(alone.foreign)


@pytest.mark.parametrize("depth", [None, 5])
def test_what_others_brought_and_what_is_judged_is_counted(depth: int | None) -> None:
    qrels, runs = collection(3)
    named = [gradeval.Run.from_dict(run, name) for name, run in runs.items()]
    study = leave_out(gradeval.judge(qrels, named), "AP", pool_depth=depth)
    within = 12 if depth is None else depth
    tops = {name: {topic: list(ranked)[:within] for topic, ranked in run.items()} for name, run in runs.items()}
    pool = [(topic, name) for topic, grades in qrels.items() for name in grades]
    from_none = [one for one in pool if not any(one[1] in top[one[0]] for top in tops.values())]
    assert study.foreign == pytest.approx(len(from_none) / len(pool))
    first = 10 if depth is None else depth
    for place, run in enumerate(runs.values()):
        top = [(topic, name) for topic, ranked in run.items() for name in list(ranked)[:first]]
        judged = sum(name in qrels[topic] for topic, name in top)
        assert study.judged_share[place] == pytest.approx(judged / len(top))


@pytest.mark.parametrize("depth", [None, 1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_notes_say_the_shares_that_their_words_name(seed: int, depth: int | None) -> None:
    """Unjudged documents at the top of each run, and judged ones that none of the runs has, counted by hand."""
    qrels, runs = collection(seed)
    study = leave_out(gradeval.judge(qrels, runs), "AP", pool_depth=depth)
    found = [note.text for note in study.notes if note.category is CoverageWarning]
    unjudged = {}
    for name, run in runs.items():
        top = [(topic, doc) for topic, ranked in run.items() for doc in list(ranked)[: depth or 10]]
        unjudged[name] = sum(doc not in qrels[topic] for topic, doc in top) / len(top)
    named = {run: share for run, share in unjudged.items() if share > 0.05}
    said = [text for text in found if "unjudged documents down to rank" in text]
    assert len(said) == bool(named)
    for text in said:
        assert text.startswith(f"{len(named)} of {len(runs)} runs ha")
        shares = {run: float(share) / 100 for share, run in re.findall(r"(\d+)% of (r\d)", text)}
        assert shares == pytest.approx(named, abs=0.0051)
    judged = [(topic, doc) for topic, grades in qrels.items() for doc in grades]
    brought = {(topic, doc) for run in runs.values() for topic, docs in run.items() for doc in list(docs)[:depth]}
    foreign = sum(one not in brought for one in judged) / len(judged)
    alien = [text for text in found if "in none of these runs" in text]
    assert len(alien) == (foreign > 0.05)
    assert [float(text.partition("% of the judged documents are")[0]) for text in alien] == pytest.approx(
        [100 * foreign] * len(alien), abs=0.51
    )


def test_some_runs_keep_their_ranks_among_all() -> None:
    qrels, runs = collection(1)
    study = leave_out(gradeval.judge(qrels, runs), "AP nDCG@5")
    some = study.sel(["r2", "r0"])
    assert some.rank.tolist() == study.rank[:, [2, 0]].tolist()
    assert some.rank_shallow is not None
    assert study.rank_shallow is not None
    assert some.rank_shallow.tolist() == study.rank_shallow[:, [2, 0]].tolist()
    assert some.unique.tolist() == study.unique[[2, 0]].tolist()
    assert len(some.to_frame()) == 4


def _runs_that_fall(study: LeftOut, place: int) -> int:
    return int((study.rank_without[place] > study.rank[place]).sum())


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_counts_the_runs_that_fall_and_says_where_the_pool_is_not_theirs(seed: int) -> None:
    qrels, runs = collection(seed)
    pooled = {topic: {name for run in runs.values() for name in run[topic]} for topic in qrels}
    whole: Table = {topic: {name: qrels[topic].get(name, 0) for name in sorted(pooled[topic])} for topic in qrels}
    for grades, decided in ((qrels, False), (whole, True)):
        study = leave_out(gradeval.judge(grades, runs), "AP nDCG@5")
        for place, measure in enumerate(study.measures):
            falls = (study.rank_without - study.rank)[place]
            said = study.answer(measure)
            deep, shallow = said.split("; by pools of depth ")
            assert f": by pools of all ranked documents, {(falls > 0).sum() or 'none'} of 4 runs would" in deep
            assert (f"by {falls.max()} rank" in deep) == bool((falls > 0).any())
            cutoff = measure.cutoff or 10
            alone = leave_out(gradeval.judge(grades, runs), "AP nDCG@5", pool_depth=cutoff)
            falling = _runs_that_fall(alone, place) or "none"
            assert shallow.startswith(f"{cutoff}, {falling} would")
            assert f"by pools of depth {cutoff}, {falling} of 4 runs" in alone.answer(measure)
            assert alone.rank_shallow is None
            assert ("uncertain" not in said) == decided
            assert said in map(str, study.notes)
        always = [str(note) for note in study.notes if note.weight >= NoteWeight.OMISSION]
        assert len(always) == 2 + sum(note.category is CoverageWarning for note in study.notes)


def test_rows_are_ordered_by_the_ranks_lost_then_by_the_fall_and_none_is_minus_zero() -> None:
    qrels, runs = collection(2)
    study = leave_out(gradeval.judge(qrels, runs), "AP")
    names = [row[0] for row in study.table(1).grids[0].rows]
    lost, fall = (study.rank - study.rank_without)[0], (study.without - study.full)[0]
    shallow = (study.rank - study.rank_shallow)[0]
    assert names == [run for *_, run in sorted(zip(lost, shallow, fall, study.runs, strict=True))]
    assert "-0.0" not in str(study.table(1)).split()


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ([0, 1, 0, 1], (2, " (each by 1 rank)")),
        ([0, 3, 1, 3], (3, " (2 runs by 3 ranks)")),
        ([0, 2, 1, 0], (2, " (b by 2 ranks)")),
        ([0, 0, -1, 0], ("none", "")),
    ],
)
def test_who_loses_most_ranks_is_named_where_it_is_one(lost: list[int], said: tuple[int | str, str]) -> None:
    runs = {name: {"1": {"x": 1.0}, "2": {"x": 1.0}, "3": {"x": 1.0}} for name in "abcd"}
    study = leave_out({topic: {"x": 1} for topic in "123"}, runs, "AP")
    assert study._losers(np.array(lost)) == said
