"""Documents that must not count: as if judgments and runs had been filtered by hand, with the levels declared."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from drawn_measures import configured

from gradeval import InputError, Qrels, Run, evaluate, judge, run_from_frame, write_qrels, write_run
from gradeval.collection.exclusion import Excluded, Exclusion
from gradeval.collection.meeting import Ties, ranked
from gradeval.formula.definition import REGISTRY
from gradeval.scores.notes import about_excluded
from gradeval.warning_categories import IdsWarning

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")

LEVELS = [0, 1, 2, 3, 4]
DOCUMENTS = [f"d{number}" for number in range(9)] + ["t0", "t1", "t2", "t3"]  # topics are documents, too
OF_EACH_KIND = ("AP", "GAP", "nDCG", "ERR", "RBP", "Bpref", "P", "Judged", "NumRet", "gmAP")
Table = dict[str, dict[str, float]]


def drawn(seed: int) -> tuple[Table, Table, Table]:
    """Judgments, a run with ties, and pairs that must not count; one topic loses its judgments, one its documents."""
    rng = np.random.default_rng(seed)

    def some(values: list[float], topics: int) -> Table:
        return {
            f"t{topic}": {
                str(document): float(rng.choice(values))
                for document in rng.permutation(DOCUMENTS)[: rng.integers(3, len(DOCUMENTS))]
            }
            for topic in range(topics)
        }

    qrels, run = some([-1, 0, 1, 2, 3], 6), some([0.5, 1.0, 2.0, 3.0], 7)
    pairs = {topic: {str(rng.choice(DOCUMENTS)): 0.0} for topic in ("t0", "t1", "t5", "t6")}
    pairs["t2"] = dict.fromkeys(qrels["t2"], 0.0)
    pairs["t3"] = dict.fromkeys(run["t3"], 0.0)
    return qrels, run, pairs


def left_by_hand(table: Table, pairs: Table, *, itself: bool) -> Table:
    """The lines that count; topics without any are gone."""
    kept = {
        topic: {
            document: value
            for document, value in documents.items()
            if document not in pairs.get(topic, {}) and not (itself and document == topic)
        }
        for topic, documents in table.items()
    }
    return {topic: documents for topic, documents in kept.items() if documents}


def in_form(run: Table, form: str, folder: Path) -> Any:
    if form == "mapping":
        return run
    if form == "columns":
        rows = [(topic, document, score) for topic, one in run.items() for document, score in one.items()]
        return run_from_frame(
            dict(zip(("query_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
        )
    if form == "copied":
        return Run.from_dict(run)
    path = folder / "run.txt"
    if form == "text":
        write_run(Run.from_dict(run), path)
        return path
    turns = [[*zip([topic] * len(one), one.items(), strict=True)] for topic, one in run.items()]
    rows = [row for turn in zip_longest(*turns) for row in turn if row is not None]  # the lines of topics are scattered
    path.write_text("".join(f"{topic} Q0 {document} 0 {score} x\n" for topic, (document, score) in rows))
    return path


@pytest.mark.parametrize("form", ["mapping", "copied", "columns", "text", "scattered"])
@pytest.mark.parametrize("ties", get_args(Ties))
def test_every_measure_is_that_of_files_filtered_by_hand(ties: Any, form: str, tmp_path: Path) -> None:
    """Every registered one from mappings, and one of each kind however runs are given."""
    if ties == "order" and form == "text":
        form = "scattered"  # write_run orders ties, which no longer stand as they did
    rng = np.random.default_rng(0)
    chosen = [*REGISTRY.values()] if form == "mapping" else [REGISTRY[name] for name in OF_EACH_KIND]
    measures = [configured(measure, tuple(map(float, LEVELS)), rng) for measure in chosen]
    qrels, run, pairs = drawn(sum(map(ord, ties + form)))
    for number, given in enumerate(("self", pairs, [pairs, "self"])):
        itself, listed = given is not pairs, {} if given == "self" else pairs
        how: dict[str, Any] = {"ties": ties, "negative": "unjudged" if number == 2 else "nonrelevant"}
        scores = evaluate(
            Qrels.from_dict(qrels).with_levels(LEVELS), in_form(run, form, tmp_path), measures, exclude=given, **how
        )
        by_hand = evaluate(
            Qrels.from_dict(left_by_hand(qrels, listed, itself=itself)).with_levels(LEVELS),
            in_form(left_by_hand(run, listed, itself=itself), form, tmp_path),
            measures,
            **how,
        )
        assert scores.topics == by_hand.topics
        assert ("t2" in scores.topics) == (not listed)
        np.testing.assert_array_equal(scores.values, by_hand.values)
        np.testing.assert_array_equal(scores.present, by_hand.present)
        assert scores.coverage is not None
        assert by_hand.coverage is not None
        for name in ("retrieved", "tied", "judged", "itself"):
            np.testing.assert_array_equal(getattr(scores.coverage, name), getattr(by_hand.coverage, name))


def test_what_has_left_is_counted_and_topics_without_judgments_are_named() -> None:
    qrels = {"a": {"x": 1, "a": 3}, "b": {"y": 1}, "c": {"z": 2}}
    run = {"a": {"a": 3.0, "x": 2.0}, "b": {"y": 1.0, "q": 0.5}, "c": {"q": 1.0}}
    scores = evaluate(qrels, run, "P@1 GAP", exclude=["self", [("b", "y"), ("c", "q"), ("c", "nowhere")]])
    assert scores.topics == ["a", "c"]
    assert scores.levels == (0, 1, 2, 3)  # though the one of grade 3 has left
    assert scores.values[0, :, 0].tolist() == [1, 0]
    assert scores.present.tolist() == [[True, False]]
    left = next(note for note in scores.notes if str(note).startswith("excluded"))
    assert str(left) == (
        "excluded: 2 documents of the run, 1 judgment; 1 topic is left without judgments and ignored (b)"
    )
    assert left.category is None
    chosen = evaluate(qrels, run, "P@1", exclude="self", topics=["a"])
    assert "excluded: 1 document of the run, 1 judgment" in [*map(str, chosen.notes)]


def test_several_runs_and_parts_are_counted_together() -> None:
    one, other = ({"a": {"a": 2.0, "x": 1.0}, "b": {"x": 1.0}} for _ in range(2))
    judged = judge({"a": {"x": 1, "a": 1}, "b": {"x": 1, "b": 0}}, {"1": one, "2": other}, exclude="self")
    assert judged.excluded is not None
    assert judged.excluded.documents.tolist() == [[1, 0], [1, 0]]
    assert judged.excluded.judgments.tolist() == [1, 1]
    parts = [judged.excluded.select([run], [0, 1]) for run in (0, 1)]
    assert Excluded.concat(parts, 0).documents.tolist() == [[1, 0], [1, 0]]
    assert Excluded.concat(parts, 0).judgments.tolist() == [1, 1]
    sides = [judged.excluded.select([0, 1], [topic]) for topic in (0, 1)]
    assert Excluded.concat(sides, 1).judgments.tolist() == [1, 1]


@pytest.mark.parametrize("exclude", ["self", {"a": ["nowhere"]}, {}])
def test_nothing_excluded_is_a_warning(exclude: Any) -> None:
    with pytest.warns(IdsWarning, match="leaves out nothing: do the runs lack these pairs already"):
        evaluate({"a": {"x": 1}}, {"a": {"x": 1.0}}, "P@1", exclude=exclude)


def test_ranks_are_compared_with_scores_before(tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text("a Q0 a 1 1.0 x\na Q0 x 2 2.0 x\na Q0 y 3 0.5 x\n")  # the query comes first, by its rank alone
    judged = judge({"a": {"x": 1, "y": 0}}, run, exclude="self")
    assert judged.contradicting.tolist() == [[1]]
    assert judged.retrieved.tolist() == [[2]]


def test_all_judgments_excluded_is_an_error() -> None:
    with pytest.raises(InputError, match="exclude leaves out all of 1 judgments"):
        judge({"a": {"a": 1}}, {"a": {"a": 1.0}}, exclude="self")


def test_scores_with_and_without_are_of_other_judgments(tmp_path: Path) -> None:
    qrels, run = {"a": {"x": 1}, "b": {"x": 1}}, {"a": {"a": 2.0, "x": 1.0}, "b": {"x": 1.0}}
    all_of_them = [evaluate(qrels, run, "RR", exclude=one) for one in (None, "self", {"a": ["a"]}, {"a": ["q"]})]
    digests = [scores.collection.digest for scores in all_of_them if scores.collection is not None]
    assert len(set(digests)) == 4
    write_qrels(Qrels.from_dict({"a": {"a": 9}}), tmp_path / "seen.txt")
    same = evaluate(qrels, run, "RR", exclude=tmp_path / "seen.txt").collection
    assert same is not None
    assert same.digest == digests[2]


def test_exclusions_are_documents_of_topics() -> None:
    pools = Qrels.from_dict({"a": {"x": 0, "y": -1}}).pools
    both = Exclusion.of_all([Exclusion(itself=True), Exclusion(pairs=(pools,))])
    assert both.of("a") == {"a", "x", "y"}
    assert both.of("b") == {"b"}
    assert Exclusion().is_empty
    assert about_excluded(Excluded(np.zeros((1, 1)), np.zeros(1))).category is IdsWarning
    assert ranked(Run.from_dict({"a": {"a": 3.0, "q": 2.0, "x": 1.0}}), "a", excluded=both.of("a")) == ["q"]


def test_runs_that_lose_documents_are_named_where_others_lose_none() -> None:
    runs = {"als": {"a": {"x": 2.0}}, "bpr": {"a": {"x": 2.0, "y": 1.0}}}
    scores = evaluate({"a": {"x": 1}}, runs, "AP", exclude=[("a", "y")])
    assert "excluded: 1 document of bpr, 0 judgments" in [*map(str, scores.notes)]
