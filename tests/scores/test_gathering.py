"""Scores from several files and frames: what one measure, one topic and one collection are, and how topics count."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusing import said_of

from gradeval import (
    CollectionWarning,
    InputError,
    Qrels,
    Scores,
    evaluate,
    parse_measure,
    read_scores,
    scores_from_frame,
)
from gradeval.formula.definition import REGISTRY
from gradeval.formula.judged import JudgedRankings
from gradeval.scores.level_dependence import depends_on_levels
from gradeval.scores.scores import Empty, Missing

QRELS = {"t1": {"a": 1, "b": 0}, "t2": {"b": 0}, "t3": {"a": 2, "c": 1}}
RUNS = {
    "x": {"t1": {"a": 2.0, "b": 1.0}, "t2": {"b": 1.0}, "t3": {"c": 2.0, "a": 1.0}},
    "y": {"t1": {"b": 2.0, "a": 1.0}, "t3": {"a": 2.0}},
}
FORMS = ["tsv", "csv", "jsonl", "parquet"]


# How topics count


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("empty", ["zero", "skip", "one"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_saved_scores_have_the_same_means(tmp_path: Path, missing: Missing, empty: Empty, form: str) -> None:
    """P@1 has an empty topic, Judged has none, and y misses t2."""
    scores = evaluate(QRELS, RUNS, "P@1 Judged GAP NumRet", missing=missing, empty=empty)
    place = tmp_path / f"scores.{form}"
    scores.save(place)
    (tmp_path / "as it is").write_bytes(place.read_bytes())
    (tmp_path / "packed").write_bytes(gzip.compress(place.read_bytes()))
    for path in (place, tmp_path / "as it is", tmp_path / "packed"):
        assert read_scores(path).mean() == pytest.approx(scores.mean(), abs=1e-12)


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_where_no_means_tell_the_user_says_that_topics_are_empty(tmp_path: Path, form: str) -> None:
    scores = evaluate(QRELS, RUNS, "P@1 Judged", empty="skip")
    place = tmp_path / f"scores.{form}"
    scores.save(place)
    lines = place.read_text().splitlines(keepends=True)
    place.write_text("".join(line for line in lines if "all" not in line and "t1" not in line))
    said = said_of(read_scores, place)
    assert said.startswith(f"{place}: run 'x' has no P@1 for topic 't2', though it has other measures")
    assert said.endswith("; or say empty='skip', if it is empty for that measure")
    assert read_scores(place, empty="skip").means() == scores.sel(topics=["t2", "t3"]).means()


def test_a_value_that_only_one_run_lacks_is_never_an_empty_topic(tmp_path: Path) -> None:
    place = tmp_path / "scores.tsv"
    rows = [
        "x\tt\tAP\t1",
        "x\tt\tP@1\t1",
        "y\tt\tAP\t1",
        *(f"{run}\tall\t{m}\t1" for run in "xy" for m in ("AP", "P@1")),
    ]
    place.write_text("\n".join(["run\ttopic\tmeasure\tvalue", *rows]))
    for empty in (None, "zero", "skip", "one"):
        said = said_of(read_scores, place, empty=empty)
        assert said.endswith("has other measures; give every measure for the same runs and topics")


def test_parts_that_count_topics_differently_ask_which(tmp_path: Path) -> None:
    for run, empty in (("x", "skip"), ("y", "one")):
        evaluate(QRELS, {run: RUNS[run]}, "P@1", empty=empty).save(tmp_path / f"{run}.parquet")
    places = [tmp_path / "x.parquet", tmp_path / "y.parquet"]
    assert said_of(read_scores, *places) == (
        f"{places[0]} has empty='skip', {places[1]} has empty='one'; say which, as in empty='skip'"
    )
    assert read_scores(*places, empty="zero").mean().tolist() == evaluate(QRELS, RUNS, "P@1").mean().tolist()


# Levels


def drawn(top: int, topics: range) -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(top)
    return {f"t{topic}": {f"d{one}": int(rng.integers(0, top + 1)) for one in range(8)} for topic in topics}


LOW, HIGH = drawn(2, range(4)), drawn(3, range(4, 9))
WHOLE = {**LOW, **HIGH}
RUN = {
    topic: {document: float(crc32(f"{topic} {document}".encode())) for document in grades}
    for topic, grades in WHOLE.items()
}


def score_part(qrels: dict[str, dict[str, int]], measures: str, levels: tuple[float, ...] | None = None) -> Scores:
    judgments = Qrels.from_dict(qrels)
    run = {topic: RUN[topic] for topic in qrels}
    return evaluate(judgments if levels is None else judgments.with_levels(levels), {"x": run}, measures)


def join_pandas(parts: list[Scores], _: Path) -> Scores:
    return scores_from_frame(pd.concat([part.to_pandas() for part in parts]))


def join_polars(parts: list[Scores], _: Path) -> Scores:
    return scores_from_frame(pl.concat([part.to_polars() for part in parts]))


def join_parquet(parts: list[Scores], folder: Path) -> Scores:
    for number, part in enumerate(parts):
        part.save(folder / f"{number}.parquet")
    return read_scores(folder)


def join_csv_of_frames(parts: list[Scores], folder: Path) -> Scores:
    for number, part in enumerate(parts):
        part.to_pandas().to_csv(folder / f"{number}.csv")
    return read_scores(folder)


def join_jsonl_of_frames(parts: list[Scores], folder: Path) -> Scores:
    for number, part in enumerate(parts):
        part.to_pandas().to_json(folder / f"{number}.jsonl", orient="records", lines=True, double_precision=15)
    return read_scores(folder)


def concat(parts: list[Scores], _: Path) -> Scores:
    return Scores.concat(parts, axis="topic")


Join = Callable[[list[Scores], Path], Scores]
JOINS: list[Join] = [join_pandas, join_polars, join_parquet, join_csv_of_frames, join_jsonl_of_frames]


@pytest.mark.parametrize("join", [*JOINS, concat])
def test_parts_with_the_same_levels_are_the_whole(join: Join, tmp_path: Path) -> None:
    measures = "AP nDCG ERR@20 RBP GAP Q eGAP"
    levels = (0.0, 1.0, 2.0, 3.0)
    joined = join([score_part(LOW, measures, levels), score_part(HIGH, measures, levels)], tmp_path)
    assert joined.mean() == pytest.approx(score_part(WHOLE, measures).mean(), abs=1e-14)
    assert joined.levels == levels


@pytest.mark.parametrize("measure", ["ERR@20", "RBP", "eGAP", "Mine:ERR"])
@pytest.mark.parametrize("join", JOINS)
def test_parts_with_other_levels_are_refused_where_a_measure_depends_on_them(
    join: Join, measure: str, tmp_path: Path
) -> None:
    parts = [score_part(part, measure.removeprefix("Mine:")) for part in (LOW, HIGH)]
    said = said_of(join, parts, tmp_path)
    assert "depends on the levels, which are 0,1,2 in some rows and 0,1,2,3 in others" in said
    assert said.endswith("score all parts by the same, as with levels=0,1,2,3")


@pytest.mark.parametrize("join", JOINS)
def test_parts_with_other_levels_are_the_whole_by_other_measures(join: Join, tmp_path: Path) -> None:
    measures = "AP nDCG GAP Q P@5"
    joined = join([score_part(LOW, measures), score_part(HIGH, measures)], tmp_path)
    assert joined.mean() == pytest.approx(score_part(WHOLE, measures).mean(), abs=1e-14)
    assert joined.levels is None


MEASURED = np.random.default_rng(9).random(24).round(3).tolist()
APART: list[tuple[list[float], list[float]]] = [
    ([0, 0.5], [0, 0.7]),
    ([0, 0.5, 1], [0, 0.25, 1]),
    ([0, 20], [0, 15, 30]),
    ([0, *MEASURED[:12]], [0, *MEASURED[12:]]),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_joined_parts_are_the_whole_or_refused_also_where_neither_has_all_levels_of_the_other(
    one: list[float], other: list[float]
) -> None:
    rng = np.random.default_rng(4)
    graded = [
        {f"{part}{topic}": {f"d{place}": float(rng.choice(scale)) for place in range(8)} for topic in range(4)}
        for part, scale in enumerate((one, other))
    ]
    run = {
        topic: {document: float(rng.random()) for document in grades}
        for each in graded
        for topic, grades in each.items()
    }
    levels = [sorted({grade for grades in each.values() for grade in grades.values()} | {0}) for each in graded]
    refused = 0
    for name in sorted(REGISTRY):
        at = REGISTRY[name].definition.at
        measure = f"{name}@{'0.5' if at == 'recall' else 3}" if at else name
        parts = [
            evaluate(Qrels.from_dict(each).with_levels(scale), {"x": {topic: run[topic] for topic in each}}, measure)
            for each, scale in zip(graded, levels, strict=True)
        ]
        whole = evaluate(
            Qrels.from_dict(graded[0] | graded[1]).with_levels(sorted({*levels[0], *levels[1]})), {"x": run}, measure
        )
        try:
            joined = scores_from_frame(pd.concat([part.to_pandas() for part in parts]))
        except InputError:
            refused += 1
        else:
            chosen = joined.sel(topics=list(whole.topics))
            assert chosen.values[0] == pytest.approx(whole.values[0], abs=1e-12), measure
    assert 0 < refused < len(REGISTRY)


def test_text_files_of_parts_say_no_levels_which_is_a_warning(tmp_path: Path) -> None:
    for measures, count in (("AP nDCG", 0), ("AP ERR", 1)):
        for name, part in (("a.tsv", LOW), ("b.tsv", HIGH)):
            score_part(part, measures).save(tmp_path / name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read_scores(tmp_path / "a.tsv", tmp_path / "b.tsv")
        assert [one.category for one in caught] == [CollectionWarning] * count
        assert all(one.filename == __file__ for one in caught)
        assert all("on which ERR depends" in str(one.message) for one in caught)


def literal(measure: Any, levels: tuple[float, ...]) -> list[float]:
    """The values of some rankings, one by one, by hand-made pools."""
    lists: list[list[Any]] = [[2, 0, 1], [1, None, 2, 0], [0, 0, 2, 1, 1], [None, 1], [2, 2, 1, 0]]
    return [
        float(
            measure(JudgedRankings.of(one, pool=[3 if level in (0, 1, 2) else 0 for level in levels], levels=levels))[0]
        )
        for one in lists
    ]


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_measure_depends_on_levels_where_its_values_do(name: str) -> None:
    at = REGISTRY[name].definition.at
    measure = parse_measure(f"{name}@{'0.5' if at == 'recall' else 3}" if at else name)
    three, four = (0.0, 1.0, 2.0), (0.0, 1.0, 2.0, 3.0)
    differs = literal(measure, three) != pytest.approx(literal(measure, four), abs=1e-12)
    assert depends_on_levels(measure, three, four) == differs
    assert not depends_on_levels(measure, four, four)


# Judgments and ties


def test_values_of_a_topic_by_other_judgments_are_refused_unless_a_source_tells_them_apart(tmp_path: Path) -> None:
    for name, shift in (("a", 0), ("b", 1)):
        qrels = Qrels.from_dict(QRELS).shifted(shift)
        evaluate(qrels, {"x": RUNS["x"]}, "AP").save(tmp_path / f"{name}.parquet")
    places = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    said = said_of(read_scores, *places)
    assert said.startswith(f"{places[1]}: was scored by other judgments than {places[0]}, and has topic 't1', too; ")
    assert "for folds, take the mean by topic (docs/ratings.md, Folds); else score all runs by the same" in said
    both = read_scores(*(f"{place.stem}={place}" for place in places))
    assert [str(measure) for measure in both.measures] == ["a:AP", "b:AP"]


def test_why_scores_do_not_mix_is_told_by_what_is_known(tmp_path: Path) -> None:
    evaluate(QRELS, RUNS, "AP").save(tmp_path / "a.parquet")
    evaluate(QRELS, RUNS, "AP", negative="unjudged").save(tmp_path / "b.parquet")
    said = said_of(read_scores, tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert f"by other judgments than {tmp_path / 'a.parquet'}, or with other ties, negative or depth, and has" in said
    assert said.endswith("; to see what the judgments change, give each file a source, as in a=FILE") == (len(RUNS) > 1)


def test_parts_that_are_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "means.tsv").write_text("run\ttopic\tmeasure\tvalue\na\tall\tAP\t0.5\n")
    with pytest.raises(InputError, match="only means or nothing"):
        read_scores(tmp_path / "means.tsv")


OWN = [("bm25", "q1", 0.25), ("bm25", "q2", 0.5), ("e5", "q1", 0.5), ("e5", "q2", 0.75)]


def write_scores(place: Path, rows: list[tuple[str, str, float]]) -> str:
    """A file of values of AP."""
    place.write_text("run\ttopic\tmeasure\tvalue\n" + "".join(f"{run}\t{q}\tAP\t{v}\n" for run, q, v in rows))
    return str(place)


def test_a_file_of_means_beside_another_file_is_refused_and_named(tmp_path: Path) -> None:
    own = write_scores(tmp_path / "own.tsv", OWN)
    published = write_scores(tmp_path / "published.tsv", [("bm25", "all", 0.5), ("t5", "all", 0.75)])
    for one, two in (("", ""), ("own=", "published=")):
        said = said_of(read_scores, f"{one}{own}", f"{two}{published}")
        assert said.startswith(f"{published}: has no values of single topics")


def test_a_run_with_means_alone_is_refused_and_named(tmp_path: Path) -> None:
    mixed = write_scores(tmp_path / "mixed.tsv", [*OWN, ("t5", "all", 0.75), ("bm25", "all", 0.375)])
    assert said_of(read_scores, mixed) == (
        f"{mixed}: has only means of t5, no values of single topics; "
        "add these values, or leave out the lines of that run"
    )


def test_a_file_that_holds_nothing_is_left_out_with_a_note(tmp_path: Path) -> None:
    files = [write_scores(tmp_path / "own.tsv", OWN), write_scores(tmp_path / "nothing.tsv", [])]
    assert f"{files[1]}: holds no values" in [*map(str, read_scores(*files).notes)]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "trec_eval"])
def test_a_topic_called_all_is_not_taken_for_the_means(form: str, tmp_path: Path) -> None:
    """Its rows stand beside those of the means, which have the same name."""
    rows = [("oak", "all", "AP", 0.5), ("oak", "q", "AP", 1.0), ("oak", "all", "AP", 0.75)]
    place = tmp_path / "scores"
    frame = pd.DataFrame(rows, columns=["run", "topic", "measure", "value"])
    if form == "jsonl":
        frame.to_json(place, orient="records", lines=True)
    elif form == "trec_eval":
        place.write_text("map all 0.5\nmap q 1\nrunid all oak\nmap all 0.75\n")
    else:
        frame.to_csv(place, index=False, sep="," if form == "csv" else "\t")
    assert "has two values for 'all', of all topics and of a topic called so" in said_of(lambda: read_scores(place))
    assert read_scores_of_saved(tmp_path) == ["all", "q"]


def read_scores_of_saved(folder: Path) -> list[str]:
    """The topics of scores with a topic called all that were saved, as the refusal advises."""
    judged = {"all": {"a": 1}, "q": {"a": 1}}
    evaluate(judged, judged, "AP").save(folder / "scores.parquet")
    return read_scores(folder / "scores.parquet").topics


@pytest.mark.parametrize("text", ["", "NA", "N/A", "nan", "null", "-"])
def test_what_stands_for_no_value_of_a_topic_is_refused_with_a_remedy(text: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(f"topic,run,measure,value\nq1,a,AP,0.5\nq2,a,AP,{text}\n")
    said = said_of(lambda: read_scores(path))
    assert said.endswith("write 0 where the run failed there, or leave out the lines of that topic for all runs")
    assert f"{path}:3: " in said
