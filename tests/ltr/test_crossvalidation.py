"""Cross-validation tests every topic once, by a ranker that has not seen it, with any number of processes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas
import pytest
from small_crossvalidation import MEASURES, OBJECTIVES, PARTS, SETTINGS, run

import gradeval
from gradeval import Features, InputError, evaluate, parse_measure, read_scores
from gradeval.features.folds import rotate
from gradeval.ltr import CrossValidation, Objective, Training, TreeRanker, crossval

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def result() -> CrossValidation:
    return run(seeds=2)


def test_every_topic_is_scored_by_the_ranker_that_has_not_seen_it(result: CrossValidation) -> None:
    topics = [topic for part in PARTS for topic in part.topics]
    assert result.scores.topics == topics
    for place, text in enumerate(OBJECTIVES):
        for seed in range(2):
            begin = 0
            by_part = {}
            for fold in rotate(PARTS):
                trained = TreeRanker(text, seed=seed, **SETTINGS).fit(fold.train, fold.valid)
                by_part[fold.test.name] = trained.score(fold.test)
            for part in PARTS:
                rows = result.predictions[place, seed, begin : begin + len(part)]
                np.testing.assert_array_equal(rows, by_part[part.name])
                begin += len(part)


def test_the_scores_are_the_means_over_the_seeds(result: CrossValidation) -> None:
    assert result.scores.runs == OBJECTIVES
    assert result.seeds == (0, 1)
    whole = Features.concat(PARTS)
    for seed, scores in enumerate(result.by_seed):
        runs = [whole.run(result.predictions[place, seed], name=name) for place, name in enumerate(OBJECTIVES)]
        np.testing.assert_array_equal(scores.values, evaluate(whole.qrels, runs, MEASURES, ties="expected").values)
    mean = (result.by_seed[0].values + result.by_seed[1].values) / 2
    np.testing.assert_array_equal(result.scores.values, mean)


def test_true_shows_a_bar_over_trainings_and_epochs(capfd: pytest.CaptureFixture[str]) -> None:
    run(objectives=OBJECTIVES[:1], progress=True)
    assert "crossval" in capfd.readouterr().err
    TreeRanker(OBJECTIVES[0], **SETTINGS).fit(PARTS[0], PARTS[1], progress=True)
    assert "training" in capfd.readouterr().err


def test_progress_is_called_for_every_training(result: CrossValidation) -> None:
    calls: list[tuple[Training, int, int]] = []
    again = run(progress=lambda *arguments: calls.append(arguments))
    assert [(done, total) for _, done, total in calls] == [(number, 8) for number in range(1, 9)]
    keys = [(each.objective, each.seed, each.fold) for each in again.trainings]
    assert keys == [(objective, 0, fold) for objective in OBJECTIVES for fold in (1, 2, 3, 4)]
    assert [each.test for each in again.trainings[:4]] == [PARTS[place].name for place in (3, 0, 1, 2)]
    for each in again.trainings:
        assert each.curve[each.best - 1].valid == max(epoch.valid or 0 for epoch in each.curve)
    assert again.folds == 4


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_of_progress_ends_it_and_reaches_the_caller(jobs: int) -> None:
    told: list[int] = []

    def prune(_: Training, done: int, __: int) -> None:
        told.append(done)
        raise LookupError("pruned")

    with pytest.raises(LookupError, match="pruned"):
        run(progress=prune, jobs=jobs)
    assert told == [1]


def test_the_numbers_do_not_depend_on_the_processes(result: CrossValidation) -> None:
    spread = run(seeds=2, jobs=2)
    np.testing.assert_array_equal(spread.predictions, result.predictions)
    assert [each.curve for each in spread.trainings] == [each.curve for each in result.trainings]


def test_a_ranker_may_be_named(result: CrossValidation) -> None:
    np.testing.assert_array_equal(run(ranker="tree", seeds=np.int64(2)).predictions, result.predictions)


def test_a_document_twice_in_a_topic_is_an_error_before_the_first_training() -> None:
    part = PARTS[0]
    topics, docs = np.repeat(part.topics, np.diff(part.offsets)), ["d"] * len(part)
    twice = Features.from_arrays(part.X, part.grades, topics=topics, docs=docs)
    calls: list[object] = []
    with pytest.raises(InputError, match="a topic judges a document once"):
        run([twice, *PARTS[1:]], progress=lambda *arguments: calls.append(arguments))
    assert calls == []


def test_seeds_may_be_named(result: CrossValidation) -> None:
    one = run(seeds=[1])
    np.testing.assert_array_equal(one.predictions[:, 0], result.predictions[:, 1])


def test_validation_may_watch_one_measure_for_all_objectives() -> None:
    watched = run(validate_by="nDCG@3")
    assert {str(each.measure) for each in watched.trainings} == {"nDCG@3"}
    assert {str(each.measure) for each in run().trainings} == {"AP", "GAP(g=[0.5,0.5])"}


def test_a_part_that_lacks_a_level_or_the_last_feature_is_of_the_collection() -> None:
    flat = PARTS[0].with_grades(np.minimum(PARTS[0].grades, 1))
    narrow = dataclasses.replace(PARTS[1], X=PARTS[1].X[:, :3], columns=PARTS[1].columns[:3])
    result = run([flat, narrow, *PARTS[2:]], "lambdarank:GAP(g=[0.5,0.5])", measures="GAP(g=[0.5,0.5])")
    assert result.features.levels == (0, 1, 2)
    assert len(result.features.columns) == 4
    assert (result.scores.mean() > 0).all()


def test_topics_without_relevant_documents_count_as_asked() -> None:
    none = PARTS[0].with_grades(np.where(np.arange(len(PARTS[0])) < PARTS[0].offsets[1], 0, PARTS[0].grades))
    zero, skip, one = (run([none, *PARTS[1:]], OBJECTIVES[0], empty=empty).scores for empty in ("zero", "skip", "one"))
    vacant = int(zero.vacant[:, 1].sum())
    assert vacant >= 1
    total = zero.mean()[0, 1] * 32
    assert skip.mean()[0, 1] == pytest.approx(total / (32 - vacant))
    assert one.mean()[0, 1] == pytest.approx((total + vacant) / 32)


# Kept work


def test_other_levels_and_columns_are_other_trainings(tmp_path: Path) -> None:
    objective = "lambdarank:GAP"  # its users depend on the levels
    run(objectives=objective, work=tmp_path)
    grades = PARTS[0].grades.copy()
    grades[0] = 5
    higher = [PARTS[0].with_grades(grades), *PARTS[1:]]  # one fold neither trains on that nor validates by it
    kept, fresh = (run(higher, objective, work=work) for work in (tmp_path, None))
    np.testing.assert_array_equal(kept.predictions, fresh.predictions)
    renamed = [dataclasses.replace(part, columns=("a", "b", "c", "d")) for part in PARTS]
    np.testing.assert_array_equal(
        run(renamed, objective, work=tmp_path).predictions, run(objectives=objective).predictions
    )


def test_another_version_trains_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(objectives=OBJECTIVES[0], work=tmp_path)
    monkeypatch.setattr("gradeval.ltr.trials.__version__", "999")
    run(objectives=OBJECTIVES[0], work=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2 * len(PARTS)


def test_kept_trainings_are_not_repeated(result: CrossValidation, tmp_path: Path) -> None:
    kept = run(seeds=2, work=tmp_path / "work")
    np.testing.assert_array_equal(kept.predictions, result.predictions)
    times = {path: (path / "card.json").stat().st_mtime_ns for path in (tmp_path / "work").iterdir()}
    assert len(times) == len(OBJECTIVES) * 2 * 4
    again = run(seeds=3, work=tmp_path / "work")
    np.testing.assert_array_equal(again.predictions[:, :2], result.predictions)
    assert [each.curve for each in again.trainings if each.seed < 2] == [each.curve for each in result.trainings]
    assert all((path / "card.json").stat().st_mtime_ns == time for path, time in times.items())
    assert len(list((tmp_path / "work").iterdir())) == len(OBJECTIVES) * 3 * 4


def test_a_kept_training_that_is_damaged_is_told_with_its_folder(tmp_path: Path) -> None:
    run(objectives=OBJECTIVES[0], work=tmp_path)
    (sorted(tmp_path.iterdir())[0] / "card.json").write_text("{")
    with pytest.raises(InputError, match=r"or remove .*: it is then trained anew"):
        run(objectives=OBJECTIVES[0], work=tmp_path)


STEEP = Objective("lambdarank", parse_measure("AP"), sigma=2.0)


@pytest.mark.parametrize("changes", [{"leaves": 4}, {"validate_by": "nDCG"}, {"objectives": STEEP}], ids=str)
def test_other_trainings_are_not_taken_for_kept_ones(changes: dict[str, object], tmp_path: Path) -> None:
    before = run(work=tmp_path)
    after = run(work=tmp_path, **changes)
    np.testing.assert_array_equal(after.predictions, run(**changes).predictions)
    assert len(list(tmp_path.iterdir())) == len(before.trainings) + len(after.trainings)


class Killed(Exception):
    pass


def test_an_interrupted_cross_validation_goes_on(result: CrossValidation, tmp_path: Path) -> None:
    def kill(_: Training, done: int, __: int) -> None:
        if done == 3:
            raise Killed

    with pytest.raises(Killed):
        run(seeds=2, work=tmp_path, progress=kill)
    assert len(list(tmp_path.iterdir())) == 3
    np.testing.assert_array_equal(run(seeds=2, work=tmp_path).predictions, result.predictions)


# What does not fit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": PARTS[:2]}, "2 parts; cross-validation needs 3 or more"),
        ({"parts": [PARTS[0], PARTS[0], PARTS[1]]}, "topic p0-0 is in .* already"),
        ({"objectives": []}, "no objective; give one or more"),
        ({"objectives": ["lambdarank:AP", "lambdarank:map"]}, "the objective lambdarank:AP is given twice"),
        ({"objectives": "lambdarank:APP"}, "unknown measure 'APP'"),
        ({"objectives": "softrank:AP"}, "trees do not learn by softrank"),
        (
            {"objectives": [OBJECTIVES[0], Objective.parse(OBJECTIVES[0], sigma=2)]},
            "given twice, or with another sigma, truncation",
        ),
        ({"seeds": 0}, "seeds=0 is not a whole number from 1"),
        ({"seeds": []}, "seeds: give one or more"),
        ({"ranker": "forest"}, "a ranker of kind 'forest'; this gradeval knows linear, neural, tree"),
        ({"ranker": Features}, "ranker=<class .* is neither a class of rankers nor one of linear, neural, tree"),
        ({"seeds": [1, 1]}, "no two alike"),
        ({"work": __file__}, "no folder can be made there"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(**changes)


def test_the_scores_are_scores_like_any_other(result: CrossValidation, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    result.scores.save(tmp_path / "scores.parquet")
    np.testing.assert_array_equal(read_scores(tmp_path / "scores.parquet").values, result.scores.values)


def test_frames_and_files_in_a_list_are_refused_with_what_makes_parts_of_them(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"qid": [1, 1, 2, 2], "grade": [1, 0, 1, 0], "bm25": [0.1, 0.2, 0.3, 0.4]})
    with pytest.raises(InputError, match="crossval splits one frame by its queries") as error:
        crossval([frame] * 3, "lambdarank:AP")
    whole, parts = (text.split("give ")[1].split(";")[0] for text in str(error.value).split("; for"))
    assert len(eval(whole, {"pandas": pandas, "FRAMES": [frame] * 3})) == 12
    parts = parts.replace("query_id=...", "query_id='qid'").replace("relevance=...", "relevance='grade'")
    made = eval(parts, {"gradeval": gradeval, "FRAMES": [frame]})
    assert [len(part) for part in made] == [4]
    file = tmp_path / "S1.txt"
    file.write_text("1 qid:1 1:0.5\n0 qid:1 1:0.2\n")
    for given in (str(file), [file] * 3):
        with pytest.raises(InputError, match="crossval reads no files") as error:
            crossval(given, "lambdarank:AP")
        line = str(error.value).split("give ")[1].split(", or")[0]
        assert len(eval(line, {"gradeval": gradeval, "FILES": [file]})[0]) == 2
