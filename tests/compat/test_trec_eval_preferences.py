"""Preferences and groups of judges: counts by hand and by the definition, pair by pair."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from refusing import said_of

from gradeval import Run
from gradeval.cli import main
from gradeval.compat.trec_eval_preferences import Judgment, read_judgments, values_of_groups

RUN = Run.from_dict({"q": {"a": 3.0, "x": 2.5, "b": 2.0, "c": 1.0}}, "tag")


def values(judgments: list[Judgment], *names: str, run: Run = RUN) -> list[float]:
    found = values_of_groups({"q": judgments}, run, "prefs", names, level=1, depth=None)
    by_name = dict(zip(found.names, found.by_topic["q"].tolist(), strict=True))
    return [by_name[name] for name in names]


@given(st.dictionaries(st.tuples(st.sampled_from("12"), st.sampled_from("abcdef")), st.integers(0, 3), min_size=1))
def test_preferences_are_counted_pair_by_pair(levels: dict[tuple[str, str], int]) -> None:
    ranks = {"a": 1, "b": 3, "c": 4}
    counts = {scope: [0, 0] for scope in ("all", "retrieved", "implied")}
    shares = []
    groups = sorted({group for group, _ in levels})
    for group in groups:
        own = {document: level for (name, document), level in levels.items() if name == group}
        pairs = [(i, j) for i, j in permutations(own, 2) if own[i] > own[j]]
        for i, j in pairs:
            fulfilled = i in ranks and (j not in ranks or ranks[i] < ranks[j])
            for scope, found in (
                ("all", True),
                ("retrieved", i in ranks and j in ranks),
                ("implied", i in ranks or j in ranks),
            ):
                counts[scope][0] += fulfilled and found
                counts[scope][1] += found
        kept = [i in ranks and (j not in ranks or ranks[i] < ranks[j]) for i, j in pairs]
        shares.append(sum(kept) / len(kept) if kept else 0)
    found = values(
        [Judgment(group, "0", document, level) for (group, document), level in levels.items()],
        "prefs_num_prefs_poss",
        "prefs_num_prefs_ful",
        "prefs_num_prefs_ful_ret",
        "prefs_simp",
        "prefs_simp_ret",
        "prefs_simp_imp",
        "prefs_avgjg",
    )
    ratios = [fulfilled / possible if possible else 0 for fulfilled, possible in counts.values()]
    assert found[:3] == [counts["all"][1], counts["all"][0], counts["retrieved"][0]]
    assert found[3:] == pytest.approx([*ratios, sum(shares) / len(groups)])


def test_what_subgroups_say_is_put_together() -> None:
    chain = [
        Judgment("1", "0", "c", 2),
        Judgment("1", "0", "b", 1),
        Judgment("1", "1", "b", 2),
        Judgment("1", "1", "a", 1),
    ]
    assert values(chain, "prefs_num_prefs_poss", "prefs_num_prefs_ful") == [3, 0]  # c > b > a, so c > a
    circle = [*chain, Judgment("1", "2", "a", 2), Judgment("1", "2", "c", 1)]
    assert "in a circle" in said_of(lambda: values(circle, "prefs_simp"))


def test_a_pair_about_which_judges_differ_counts_by_the_share_that_is_fulfilled() -> None:
    judges = [
        Judgment(judge, "0", document, level)
        for judge, a, b in (("1", 2, 1), ("2", 2, 1), ("3", 1, 2))
        for document, level in (("a", a), ("b", b))
    ]
    assert values(judges, "prefs_pair", "prefs_simp") == pytest.approx([2 / 3, 2 / 3])


def test_values_are_averaged_over_judges(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 1 a 1\nq 1 b 0\nq 2 b 1\nq 2 c 1\n")
    judged = read_judgments(tmp_path / "qrels", "qrels_jg")
    found = values_of_groups(judged, RUN, "qrels_jg", ["map_avgjg"], level=1, depth=None)
    assert found.by_topic["q"] == pytest.approx([(1 + (1 / 3 + 2 / 4) / 2) / 2])


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text("# lines\nq 1 0 a 2\nq 1 0 b x\n")
    (tmp_path / "good").write_text("q 1 0 a 2\nq 1 0 b 1\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "run").write_text("q Q0 a 1 3 tag\n")
    (tmp_path / "z").write_text("q map 0.5\n")
    assert "prefs:3: 'q 1 0 b x' is not read" in said_of(lambda: read_judgments(tmp_path / "prefs", "prefs"))
    files = str(tmp_path / "good"), str(tmp_path / "run")
    empty = str(tmp_path / "empty"), str(tmp_path / "run")
    for wrong in (
        ["-R", "prefs", "-m", "map", *files],
        ["-R", "prefs", "-J", *files],
        ["-R", "prefs", *empty],
        ["-R", "other", *files],
        ["-Z", str(tmp_path / "z"), *files],
    ):
        refused = CliRunner().invoke(main, ["trec_eval", *wrong])
        assert (refused.exit_code, refused.stdout) == (2, ""), wrong
        assert refused.stderr.count("\n") == 1
    read = CliRunner().invoke(main, ["trec_eval", "-R", "prefs", "-m", "prefs_simp", "-q", *files])
    assert read.stdout.splitlines() == ["prefs_simp            \tq\t1.0000", "prefs_simp            \tall\t1.0000"]
