"""Topics that join a user and a fold are not independent: a note says so, and the documented average is by user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel
from table_forms import FILES, give_table, write_table

from gradeval import (
    InputError,
    Qrels,
    compare,
    evaluate,
    gate,
    qrels_from_frame,
    read_qrels,
    read_run,
    run_from_frame,
    scores_from_frame,
)
from gradeval.warning_categories import FilesWarning

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


def told(result: Any) -> list[str]:
    return [str(note) for note in result.notes if "several folds" in str(note)]


def mean_by_fold(qrels: Rows, run: Rows) -> float:
    """The mean of RR over users in folds, by a loop."""
    grades = {(user, fold, item): grade for user, fold, item, grade in qrels}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for user, fold, item, score in run:
        found.setdefault((user, fold), []).append((-score, grades[user, fold, item]))
    ranked = [[grade for _, grade in sorted(items)] for items in found.values()]
    return float(np.mean([next(1 / rank for rank, grade in enumerate(one, 1) if grade) for one in ranked]))


@pytest.mark.parametrize("form", FILES)
def test_a_column_of_folds_in_judgments_and_runs_that_is_not_used_is_told(form: str, tmp_path: Path) -> None:
    judged = write_table(form, table(TRUTH, "Fold"), tmp_path / f"truth.{form}")
    ranked = write_table(form, table(made(1), "fold", value="score"), tmp_path / f"run.{form}")
    with pytest.warns(FilesWarning, match="several folds"):
        merged = evaluate(judged, ranked, "RR")
    (said,) = told(merged)
    assert said.startswith(f"{judged} and {ranked}: a topic has rows of several folds in column 'Fold', which is not ")
    assert "; if 'Fold' tells queries apart, join both columns: --columns query=user+Fold, for one file" in said
    assert said.endswith("; if not, --columns query=user says so")
    columns = {"query": "user+Fold"}
    by_fold = evaluate(read_qrels(judged, columns=columns), read_run(ranked, columns=columns), "RR")
    assert by_fold.mean().item() == pytest.approx(mean_by_fold(TRUTH, made(1)))
    assert told(by_fold) == told(evaluate(read_qrels(judged, columns={"query": "user"}), ranked, "RR")) == []


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "records"])
def test_frames_are_told_calls_that_join_folds(form: str) -> None:
    of_truth, of_run = table(TRUTH), table(made(1), value="score")
    (said,) = told(evaluate(give_table(form, of_truth), give_table(form, of_run), "RR"))
    calls = re.findall(r"(?:qrels|run)_from_frame\(\S+ query_id='user\+fold'\)", said)
    frame = "pandas.DataFrame(RECORDS)" if form == "records" else "FRAME"
    assert calls == [f"qrels_from_frame({frame}, query_id='user+fold')", "run_from_frame(FRAME, query_id='user+fold')"]
    qrels, run = qrels_from_frame(of_truth, query_id="user+fold"), run_from_frame(of_run, query_id="user+fold")
    assert evaluate(qrels, run, "RR").mean().item() == pytest.approx(mean_by_fold(TRUTH, made(1)))


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_files_that_call_users_otherwise_are_named_one_by_one(tmp_path: Path) -> None:
    judged = write_table("csv", table(TRUTH), tmp_path / "truth.csv")
    ranked = write_table("csv", table(made(1), first="user_id", value="score"), tmp_path / "run.csv")
    (said,) = told(evaluate(judged, ranked, "RR"))
    typed = re.findall(r"columns:query=\S+\+\S+?\.csv", said)
    of_truth, of_run = typed
    assert evaluate(of_truth, of_run, "RR").mean().item() == pytest.approx(mean_by_fold(TRUTH, made(1)))


def of_fold(rows: Rows, fold: str) -> Rows:
    return [row for row in rows if row[1] == fold]


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("column", ["fold", "day"])
def test_a_run_of_one_fold_is_led_to_the_judgments_of_this_fold(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table("csv", table(TRUTH), Path("truth.csv"))
    ranked = write_table("csv", table(of_fold(made(1), "f1"), column, value="score"), Path("run.csv"))
    (said,) = told(evaluate("truth.csv", ranked, "RR"))
    assert said.startswith("truth.csv: a topic has rows of several folds in column 'fold', which is not used; rows of ")
    typed, alone = re.findall(r"in pandas: (.+csv'.*\)); if runs hold all folds, (\S+) says so", said)[0]
    exec(typed, {"df": pd.read_csv("truth.csv")})
    kept = evaluate("judged_f1.csv", ranked, "RR")
    assert kept.mean().item() == pytest.approx(mean_by_fold(TRUTH, of_fold(made(1), "f1")))
    assert told(kept) == told(evaluate(alone, ranked, "RR")) == []


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_a_frame_of_several_folds_and_a_run_of_one_are_told_which_rows_to_keep() -> None:
    truth, run = pd.DataFrame(table(TRUTH)), pd.DataFrame(table(of_fold(made(1), "f1"), value="score"))
    (said,) = told(evaluate(truth, run, "RR"))
    (typed,) = re.findall(r"in pandas: (.+) has the rows of each; ", said)
    kept = evaluate(eval(typed, {"df": truth})["f1"], run, "RR")
    assert kept.mean().item() == pytest.approx(mean_by_fold(TRUTH, of_fold(made(1), "f1")))
    assert told(kept) == told(evaluate(qrels_from_frame(truth, query_id="user"), run, "RR")) == []


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_each_run_is_told_what_its_own_rows_need() -> None:
    truth, runs = pd.DataFrame(table(TRUTH)), {"all": made(1), "one": of_fold(made(2), "f1")}
    frames = {name: pd.DataFrame(table(rows, value="score")) for name, rows in runs.items()}
    keep, join = told(evaluate(truth, frames, "RR"))
    assert "keep the rows of its fold" in keep
    assert "join both columns" in join


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_folds_of_a_run_alone_are_not_told() -> None:
    truth, run = pd.DataFrame(table(TRUTH)), pd.DataFrame(table(made(1), value="score"))
    assert len(told(evaluate(truth, run, "RR"))) == 1
    assert told(evaluate(truth.rename(columns={"fold": "day"}), run, "RR")) == []


@pytest.mark.parametrize("name", ["fold", "cv_fold", "Split"])
def test_a_column_of_folds_is_not_taken_for_one_of_runs(name: str, tmp_path: Path) -> None:
    """Where a run has a document in several folds; the other advice, to join both columns, works as typed."""
    rows = [(user, fold, "same", score) for user, fold, _, score in made(1)[::2]]
    truth = [(user, fold, "same", 1.0) for user, fold, *_ in rows]
    ranked = write_table("csv", table(rows, name, value="score"), tmp_path / "run.csv")
    judged = write_table("csv", table(truth, name), tmp_path / "truth.csv")
    with pytest.raises(InputError) as error:
        read_run(ranked)
    said = str(error.value)
    assert f"; if {name!r} names folds, score each with its judgments: docs/ratings.md, Folds; " in said
    assert "run=" not in said
    (joined,) = re.findall(r"--columns query=(\S+),", said)
    columns = {"query": joined}
    assert evaluate(read_qrels(judged, columns=columns), read_run(ranked, columns=columns), "RR").mean().item() == 1
