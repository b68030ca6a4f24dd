"""Topics that join a user and a fold are not independent: a note says so, and the documented average is by user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel
from table_forms import FILES, write_table

from gradeval import Qrels, compare, evaluate, gate, qrels_from_frame, read_qrels, read_run, scores_from_frame

Rows = Sequence[tuple[str, str, str, float]]
USERS, FOLDS = 6, 3
RUNS = {"one": 1, "two": 2}


def table(rows: Rows, second: str = "fold", value: str = "grade", first: str = "user") -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate((first, second, "item", value))}


def made(seed: int) -> Rows:
    """A grade, or a score, of two items of each user in each fold."""
    random = np.random.default_rng(seed)
    pairs = [(f"u{user}", f"f{fold}") for user in range(USERS) for fold in range(FOLDS)]
    return [(user, fold, f"{fold}{item}", float(random.random())) for user, fold in pairs for item in "ab"]


TRUTH: Rows = [(user, fold, item, float(item.endswith("a"))) for user, fold, item, _ in made(0)]


def notes(result: Any) -> list[str]:
    return [str(note) for note in result.notes if "independent" in str(note)]


@pytest.mark.parametrize("form", FILES)
def test_users_in_several_folds_are_counted(form: str, tmp_path: Path) -> None:
    columns = {"query": "user+fold"}
    judged = write_table(form, table(TRUTH), tmp_path / f"truth.{form}")
    ranked = write_table(form, table(made(1), value="score"), tmp_path / f"run.{form}")
    qrels, run = read_qrels(judged, columns=columns), read_run(ranked, columns=columns)
    (said,) = notes(evaluate(qrels, run, "RR"))
    assert said == (
        f"{USERS * FOLDS} topics (user+fold) come from {USERS} values of user, and tests and intervals take them for "
        "independent; average the topics of each user first: docs/ratings.md, Folds"
    )
    assert notes(gate(qrels, run, run, "RR")) == [said]


def test_a_frame_tells_it_and_topics_that_are_chosen_are_counted() -> None:
    qrels = qrels_from_frame(table(TRUTH), query_id="user+fold")
    run = qrels.to_dict()
    assert notes(evaluate(qrels, run, "RR", topics=["u0+f0", "u0+f1", "u1+f0"]))[0].startswith(
        "3 topics (user+fold) come from 2 values of user, "
    )
    assert notes(evaluate(qrels, run, "RR", topics=["u0+f0", "u1+f0"])) == []


@pytest.mark.parametrize(
    "columns", [("user", "locale"), ("store_id", "fold"), ("user", "session")], ids=lambda names: "+".join(names)
)
def test_segments_and_sessions_of_one_user_each_are_topics_of_their_own(columns: tuple[str, str]) -> None:
    first, second = columns
    rows = [(f"u{at}" if second == "session" else user, *rest) for at, (user, *rest) in enumerate(TRUTH)]
    qrels = qrels_from_frame(table(rows, second, first=first), query_id="+".join(columns))  # type: ignore[arg-type]
    assert notes(evaluate(qrels, qrels.to_dict(), "RR")) == []


def test_a_plus_in_the_topics_of_one_column_joins_nothing() -> None:
    judgments = {f"u{user}+f{fold}": {"a": 1} for user in range(2) for fold in range(2)}
    assert notes(evaluate(Qrels.from_dict(judgments), judgments, "RR")) == []


def test_the_average_over_folds_is_tested_by_user() -> None:
    """As docs/ratings.md shows it, against SciPy's test of the means of users."""
    qrels = qrels_from_frame(table(TRUTH), query_id="user+fold")
    runs = {name: qrels_from_frame(table(made(seed)), query_id="user+fold").to_dict() for name, seed in RUNS.items()}
    rows = evaluate(qrels, runs, "RR").to_pandas()
    rows["topic"] = rows["topic"].str.rpartition("+")[0]
    means = rows.groupby(["run", "topic", "measure"], as_index=False)["value"].mean()
    compared = compare(scores_from_frame(means), test="t")
    by_user = {name: [*means[means.run == name].sort_values("topic").value] for name in RUNS}
    assert len(by_user["one"]) == USERS
    assert compared.to_pandas().p.tolist() == pytest.approx([ttest_rel(by_user["one"], by_user["two"]).pvalue])
    assert notes(compared) == []


def test_the_note_stands_in_a_comparison() -> None:
    qrels = qrels_from_frame(table(TRUTH), query_id="user+fold")
    runs = {name: qrels_from_frame(table(made(seed)), query_id="user+fold").to_dict() for name, seed in RUNS.items()}
    assert len(notes(compare(qrels, runs, "RR"))) == 1
