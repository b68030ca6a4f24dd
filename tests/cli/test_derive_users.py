from __future__ import annotations

import math
from pathlib import Path

import pytest

from gradeval import read_letor
from gradeval.papers.virtual_users import User, virtual_users

from .conftest import Gradeval, records, refusal

TEXT = """\
2 qid:1 1:3 2:0.5 3:7 4:1 #docid = a
0 qid:1 1:1 2:2.5 3:7 4:5 #docid = b
1 qid:1 1:9 2:1.5 3:7 4:3 #docid = c
0 qid:2 1:1 2:-0.5 3:4 4:0
1 qid:2 1:3 2:4.5 3:4 4:9
"""
MORE = """\
0 qid:3 1:1 2:0.5 3:6 4:1
2 qid:3 1:4 2:2.5 3:6 4:1
"""
ASKED = ["--strategies", "1,2,3,4", "--users", "2"]


@pytest.fixture
def features(tmp_path: Path) -> Path:
    """Feature 3 is constant in each topic, feature 4 orders as feature 2 does."""
    path = tmp_path / "S1.txt"
    path.write_text(TEXT)
    return path


def means(lines: list[dict[str, str]], measure: str, user: str) -> dict[str, float]:
    """The means of strategies."""
    chosen = [line for line in lines if (line["measure"], line["user"]) == (measure, user) and line["strategy"]]
    return {line["strategy"]: float(line["value"]) for line in chosen}


def test_every_value_is_given(gradeval: Gradeval, features: Path) -> None:
    lines = records(gradeval("virtual-users", features, *ASKED, "--format", "tsv"))
    expected = virtual_users(read_letor(features), users=[User("2")], strategies=["1", "2", "3", "4"])
    for user, one in enumerate(expected.judgments):
        mine = [line for line in lines if line["user"] == one.user]
        plain = [line for line in mine if line["measure"] != "AP" and line["strategy"]]
        assert [line["measure"] for line in plain] == one.measures * 4
        assert [float(line["value"]) for line in plain] == one.mean().ravel().tolist()
        bounds = [[float(line["lower"]), float(line["upper"])] for line in plain]
        assert bounds == expected.interval(user).reshape(-1, 2).tolist()
        by_threshold = [(float(line["threshold"]), float(line["value"])) for line in mine if line["measure"] == "AP"]
        assert by_threshold == [
            (t, ap) for row in one.by_threshold.tolist() for t, ap in zip(one.thresholds, row, strict=True)
        ]
        assert {line["grades"] for line in mine} == {str(one.grades)}
        others = [line for line in mine if not line["strategy"] and not line["other"]]
        alike = [float(line["value"]) for line in mine if line["statistic"] == "pearson"]
        assert alike == expected.pearson[user].tolist()
        assert [line["statistic"] for line in others] == ["mean of the others"] * 5
        assert [float(line["value"]) for line in others] == expected.mean_of_others(user)[0].tolist()
    drawn = [line for line in lines if line["statistic"] != "pearson"]
    assert {(line["samples"], line["seed"], line["topics"]) for line in drawn} == {("2000", "0", "2")}


def test_what_changes_from_a_user_to_the_next_is_given_with_its_interval(gradeval: Gradeval, features: Path) -> None:
    args = ["--strategies", "1,2,3,4", "--users", "2,2:ranks,1", "--samples", 50, "--seed", 3, "--format", "tsv"]
    lines = records(gradeval("virtual-users", features, *args))
    users = [User("2"), User("2", "ranks"), User("1")]
    expected = virtual_users(read_letor(features), users=users, strategies=["1", "2", "3", "4"], samples=50, seed=3)
    changes = [line for line in lines if line["statistic"] == "change of the others"]
    assert [line["user"] for line in changes] == ["feature 2, ranks"] * 5 + ["feature 1, values"] * 5
    for line, (change, bounds) in zip(changes[::5], [expected.change(1, 2), expected.change(2, 3)], strict=True):
        assert line["measure"] == "muAP"
        assert [float(line[field]) for field in ("value", "lower", "upper")] == [change[0], *bounds[0]]


def test_a_mean_worked_by_hand(gradeval: Gradeval, features: Path) -> None:
    lines = records(gradeval("virtual-users", features, *ASKED, "--format", "tsv"))
    # Feature 1 ranks the labels 1, 2, 0 and 1, 0.
    muap = ((1 + (1 / 2)) / 2 + 1) / 2
    assert means(lines, "muAP", "labels")["1"] == pytest.approx(muap)
    normalised = (2**0.5 - 1 + 1 / math.log2(3)) / (1 + (2**0.5 - 1) / math.log2(3))
    assert means(lines, "NDCNG", "labels")["1"] == pytest.approx((normalised + 1) / 2)


def test_the_tables_say_who_is_the_user_and_what_changes(gradeval: Gradeval, features: Path) -> None:
    args = ["--strategies", "1,2,3,4", "--users", "2,2:ranks", "--digits", 2]
    shown = gradeval("virtual-users", features, *args)
    lines = shown.stdout.splitlines()
    assert [line for line in lines if line.startswith(("labels (", "feature 2, "))][:3] == [
        "labels (3 grades)",
        "feature 2, values (5 grades)",
        "feature 2, ranks (5 grades)",
    ]
    assert lines[1].split()[:4] == ["strategy", "AP(rel=1)", "AP(rel=2)", "muAP"]
    assert lines[3].split()[:5] == ["1", "1.00", "0.25", "0.88", "[0.75,"]
    # In the table of each user, and in that of AP by threshold.
    assert sum("2 (the user)" in line for line in lines) == 2 * 2
    assert sum("3 (file order)" in line for line in lines) == 3 + 2
    assert "Pearson's correlation of the grades" in lines
    assert lines[lines.index("feature 2, ranks (5 grades), AP by threshold") + 1].split()[-1] == "AP(rel=4)"
    assert "mean over the strategies that are no user: 1, 3, 4" in lines
    assert lines[-1].split()[0] == "change"
    assert lines[-1].count("[") == 3


def test_where_all_strategies_are_users_there_is_nothing_to_compare(gradeval: Gradeval, features: Path) -> None:
    shown = gradeval("virtual-users", features, "--strategies", "1", "--users", "1")
    assert shown.exit_code == 0
    assert "no user" not in shown.stdout


def test_users_are_features_by_value_by_rank_or_on_a_scale(gradeval: Gradeval, features: Path) -> None:
    args = ["--strategies", "1,4", "--users", "2,1:values,2:ranks,2:3", "--format", "tsv"]
    lines = records(gradeval("virtual-users", features, *args))
    grades = {line["user"]: line["grades"] for line in lines}
    assert grades == {
        "labels": "3",
        "feature 2, values": "5",
        "feature 1, values": "3",
        "feature 2, ranks": "5",
        "feature 2, 3 grades": "3",
    }
    at = {user: {float(line["threshold"] or 0) for line in lines if line["user"] == user} - {0} for user in grades}
    assert at["feature 1, values"] == {3 - 1, 9 - 1}
    assert at["feature 2, values"] == {1, 2, 3, 5}  # 0.5, 1.5, 2.5 and 4.5 are so far above -0.5
    assert at["feature 2, ranks"] == {1, 2, 3, 4}
    assert at["feature 2, 3 grades"] == {1, 2}


def test_files_are_parts_of_one_collection(gradeval: Gradeval, features: Path) -> None:
    (features.parent / "S2.txt").write_text(MORE)
    (features.parent / "all.txt").write_text(TEXT + MORE)
    parts = gradeval("virtual-users", features, f"letor:{features.parent / 'S2.txt'}", *ASKED, "--format", "csv")
    whole = gradeval("virtual-users", features.parent / "all.txt", *ASKED, "--format", "csv")
    assert parts.stdout == whole.stdout != ""
    assert f"note: {features} and 1 more: 3 topics, 7 documents; intervals: 2000 samples, seed 0\n" in parts.stderr


def test_what_the_numbers_hide_is_said(gradeval: Gradeval, features: Path) -> None:
    features.write_text(TEXT.replace("\n1 qid:2", "\n0 qid:2"))
    said = gradeval("virtual-users", features, "--strategies", "1,3", "--users", "3").stderr
    assert "note: feature 3 has one value throughout every topic: documents stay in the order of the file\n" in said
    assert "note: labels: nothing is relevant in 1 of 2 topics; they count 0\n" in said
    assert "note: feature 3, values: nothing is relevant in 1 of 2 topics; they count 0\n" in said
    assert "note: feature 3, values: all documents have one positive grade in 1 of 2 topics; they count 1\n" in said


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "strategies: {} has no feature '5' among its 4 (1 to 4); name others, as in 1,2,3"),
        (["--strategies", "1,,2"], "strategies: {} has no feature ''"),
        (["--strategies", "1,1", "--users", "2"], "{}: strategy 1 is there twice; name each once"),
        (["--strategies", "1", "--users", "9:ranks"], "users: {} has no feature '9' among its 4 (1 to 4)"),
        (["--strategies", "1", "--users", "2,2:values"], "{}: user feature 2, values is there twice"),
        (
            ["--strategies", "1", "--users", "2:1"],
            "--users 2:1: '2:1' ends in '1'; accepted: FEATURE or FEATURE:values",
        ),
        (["--strategies", "1", "--users", "2:rank"], "'2:rank' ends in 'rank'; accepted: FEATURE or FEATURE:values"),
    ],
)
def test_what_cannot_be_asked_is_said(gradeval: Gradeval, features: Path, args: list[str], message: str) -> None:
    assert message.format(features) in refusal(gradeval("virtual-users", features, *args))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT[: TEXT.index("0 qid:2")], "{}: 1 topics; give two or more, to tell chance from merit"),
        ("0 qid:1 1:1 2:5\n0 qid:1 1:2 2:1\n0 qid:2 1:2 2:1\n", "{}: labels: no document has a positive grade"),
        ("0 qid:1 1:1 2:5\n1 qid:1 1:2 2:5\n0 qid:2 1:2 2:5\n", "{}: feature 2 has one value throughout"),
        ("1 qid:1 1:nan 2:5\n0 qid:2 1:1 2:4\n", "{}: feature 1 is NaN (missing) in 1 rows"),
        ("", "{}:1: the file is empty"),
    ],
)
def test_what_cannot_be_judged_is_said(gradeval: Gradeval, features: Path, text: str, message: str) -> None:
    features.write_text(text)
    args = ["--strategies", "1", "--users", "2"]
    assert refusal(gradeval("virtual-users", features, *args)).startswith(message.format(features))


def test_a_file_given_twice_and_one_that_is_not_there_are_errors(gradeval: Gradeval, features: Path) -> None:
    assert "topic 1 is in" in refusal(gradeval("virtual-users", features, features, *ASKED))
    assert "nowhere.txt" in refusal(gradeval("virtual-users", features.parent / "nowhere.txt", *ASKED))
    assert "missing argument" in refusal(gradeval("virtual-users"))


def test_what_topics_without_a_grade_count_is_chosen_and_said(gradeval: Gradeval, features: Path) -> None:
    ap = {}
    for empty, count in (("zero", "count 0"), ("skip", "are left out"), ("one", "count 1")):
        asked = ["virtual-users", features, *ASKED, "--empty", empty]
        shown = gradeval(*asked)
        lacking = (
            f"labels, AP by threshold: 1 of 2 topics have nothing of grade 2; topics without a grade {count} there"
        )
        assert f"note: {lacking} (empty)" in shown.stderr
        lines = records(gradeval(*asked, "--format", "tsv"))
        assert {line["empty"] for line in lines if line["statistic"] == "mean"} == {empty}
        at_two = [line for line in lines if (line["user"], line["threshold"]) == ("labels", "2.0")]
        ap[empty] = float(at_two[0]["value"])
    # Feature 1 ranks the labels of topic 1 as 1, 2, 0; topic 2 has no grade 2.
    assert ap == pytest.approx({"zero": 0.25, "skip": 0.5, "one": 0.75})
    assert records(gradeval("virtual-users", features, *ASKED, "--format", "tsv"))[-1]["empty"] == "zero"


def test_users_who_share_no_topic_are_not_compared(gradeval: Gradeval, features: Path) -> None:
    features.write_text(
        "1 qid:1 1:1 2:0\n0 qid:1 1:0 2:0\n1 qid:2 1:1 2:0\n0 qid:2 1:0 2:0\n"
        "1 qid:3 1:0 2:1\n0 qid:3 1:0 2:0\n1 qid:4 1:0 2:1\n0 qid:4 1:0 2:0\n"
    )
    args = ["virtual-users", features, "--strategies", "1", "--users", "1,2"]
    assert gradeval(*args).exit_code == 0
    assert "find something relevant in fewer than two topics in common" in refusal(gradeval(*args, "--empty", "skip"))


def test_measures_see_the_levels_of_the_collection(gradeval: Gradeval, features: Path) -> None:
    """GAP's g is uniform over the grades of the user, not over those of the topic at hand."""
    from gradeval import evaluate

    rated = read_letor(features)
    judging = rated.with_grades(User("2", "ranks").grades(rated))
    expected = evaluate(judging.qrels, [judging.run(s, name=s) for s in "1234"], "GAP Q ERR", ties="order").mean()
    args = ["--strategies", "1,2,3,4", "--users", "2:ranks", "-m", "GAP Q ERR", "--format", "tsv"]
    lines = records(gradeval("virtual-users", features, *args))
    for place, measure in enumerate(("GAP", "Q", "ERR")):
        mine = means(lines, measure, "feature 2, ranks")
        assert [mine[s] for s in "1234"] == pytest.approx(expected[:, place].tolist())


def test_gains_that_are_too_large_are_said(gradeval: Gradeval, features: Path) -> None:
    args = ["--strategies", "1", "--users", "2:5000", "-m", "nDCG(dcg='exp-log2')@1"]
    message = refusal(gradeval("virtual-users", features, *args))
    assert message.startswith("nDCG(dcg='exp-log2')@1: the gain of grade 2000 is beyond 2^1000")
