"""Slices in a gate: SciPy's tests of each slice, Holm by hand, and a decision that they never change."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest
from click.testing import CliRunner
from scipy.stats import ttest_1samp
from score_tables import scores_of

from gradeval import GateDecision, InputError, Scores, evaluate, gate, read_qrels
from gradeval.cli import main
from gradeval.warning_categories import Note

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
ELM, CEDAR, OAK = (EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "cedar", "oak"))
HOSTILE = "a|b <img src=x> *q* \x1b[31m\u202eيمين"


def drawn(seed: int) -> tuple[Scores, Scores]:
    """40 topics by two measures; the first 12 lose much by the first measure, the others win a little."""
    rng = np.random.default_rng(seed)
    before = rng.random((1, 40, 2))
    moved = 0.1 * rng.normal(size=before.shape) + 0.04
    moved[:, :12, 0] -= 0.16
    return scores_of(before, "AP nDCG"), scores_of(before + moved, "AP nDCG")


def test_bounds_below_0_without_a_shown_loss_are_explained() -> None:
    rng = np.random.default_rng(0)
    labels = {str(topic): f"s{topic % 8}" for topic in range(1, 81)}
    before, moved = rng.random((1, 80, 1)), 0.1 * rng.normal(size=80)
    for one in range(8):  # each slice is centred; one of them loses with p .02, which Holm's correction makes .16
        moved[one::8] -= moved[one::8].mean()
    spread = moved[0::8].std(ddof=1)
    moved[0::8] -= 2.4 * spread / np.sqrt(10)
    found = gate(scores_of(before), scores_of(before + moved[None, :, None]), by=labels)
    assert found.slices is not None
    assert [(one.label, one.worse) for one in found.slices.changes if one.upper is not None and one.upper < 0] == [
        ("s1", False)
    ]
    said = "slices: p (holm) and verdicts are corrected for 8 tests, bounds are not"
    assert any(note.text.startswith(said) for note in found.notes)
    before, after = (one.values for one in drawn(0))
    whole = gate(scores_of(before, "AP nDCG"), scores_of(after, "AP nDCG"), by=LABELS)
    assert not any("each slice's alone" in note.text for note in whole.notes)


LABELS = {str(topic): "head" if topic <= 12 else "torso" if topic <= 30 else "few" for topic in range(1, 35)}
SIZES = {"head": 12, "torso": 18, "few": 4, "(none)": 6}


def holm_by_hand(p: list[float]) -> list[float]:
    """Each p value times the number of those that are no smaller, never below one before."""
    return [min(1.0, max(np.sum(np.array(p) >= q) * q for q in p if q <= one)) for one in p]


@pytest.mark.parametrize("seed", range(5))
def test_each_slice_has_scipys_test_and_all_are_corrected_together(seed: int) -> None:
    before, after = drawn(seed)
    slices = gate(before, after, by=LABELS).slices
    assert slices is not None
    moved = (after.values - before.values)[0]
    tests: dict[tuple[str, str], Any] = {}
    for one in slices.changes:
        chosen = [place for place in range(40) if LABELS.get(str(place + 1), "(none)") == one.label]
        own = moved[chosen, ["AP", "nDCG"].index(one.measure)]
        assert one.topics == SIZES[one.label] == len(own)
        assert one.difference == pytest.approx(own.mean())
        if one.topics < 5:
            assert {one.lower, one.upper, one.p, one.corrected, one.worse} == {None}
            continue
        tests[one.measure, one.label] = less = ttest_1samp(own, 0, alternative="less")
        lower = ttest_1samp(own, 0, alternative="greater").confidence_interval(0.95).low
        assert (one.lower, one.upper) == pytest.approx((lower, less.confidence_interval(0.95).high), rel=1e-9)
        assert one.p == pytest.approx(less.pvalue, rel=1e-9)
    assert len(tests) == 6
    corrected = dict(zip(tests, holm_by_hand([test.pvalue for test in tests.values()]), strict=True))
    found = {(one.measure, one.label): one for one in slices.changes if one.p is not None}
    assert {key: one.corrected for key, one in found.items()} == pytest.approx(corrected, rel=1e-9)
    assert {key: one.worse for key, one in found.items()} == {key: p < 0.05 for key, p in corrected.items()}
    assert slices.description == (
        "slices that got worse: slice head by AP (one-sided at 0.05, Holm over 6 tests)"
        if found["AP", "head"].worse
        else "slices: none is significantly lower (one-sided at 0.05, Holm over 6 tests)"
    )
    for measure in ("AP", "nDCG"):
        own = [one.difference for one in slices.changes if one.measure == measure]
        assert own == sorted(own)


@pytest.mark.parametrize("rule", [{}, {"fail_if": "not-shown"}, {"alpha": 0.2}])
def test_slices_never_change_the_decision(rule: dict[str, Any]) -> None:
    for seed in range(5):
        before, after = drawn(seed)
        plain, sliced = gate(before, after, **rule), gate(before, after, by=LABELS, **rule)
        assert plain.slices is None
        assert (sliced.description, sliced.verdicts) == (plain.description, plain.verdicts)
        assert sliced.notes == [*plain.notes, Note("fewer than 5 topics count in 1 slice (slice few); it has no test")]
    worse = [one for one in gate(*drawn(0), by=LABELS).slices.changes if one.worse]
    assert worse
    assert gate(*drawn(0), by=LABELS).passed


def test_without_slices_everything_is_written_as_before() -> None:
    plain, sliced = gate(*drawn(0)), gate(*drawn(0), by=LABELS)
    told, more = json.loads(plain.to_json()), json.loads(sliced.to_json())
    assert more.pop("slices") == [one._asdict() for one in sliced.slices.changes]
    assert more | {"notes": told["notes"]} == told
    assert "slice" not in str(plain) + plain.to_markdown() + plain.to_junit()
    assert sliced.to_junit().count("<testcase") == plain.to_junit().count("<testcase")
    for grid in plain.table().grids:
        assert grid.texts() in [one.texts() for one in sliced.table().grids]


@pytest.mark.parametrize("format", ["table", "markdown", "json", "junit", "html", "csv", "tsv", "jsonl"])
def test_every_format_names_the_slice_that_got_worse_and_escapes_its_label(format: str, tmp_path: Path) -> None:
    labels = {topic: HOSTILE if label == "head" else label for topic, label in LABELS.items()}
    path = tmp_path / "written"
    with path.open("wb") as file:
        gate(*drawn(0), by=labels).write(file, format)
    written = path.read_text(encoding="utf-8")
    assert {"csv": "True", "tsv": "True", "jsonl": "true", "json": '"worse": true'}.get(format, "worse") in written
    if format not in ("csv", "tsv", "jsonl", "json"):  # which give labels back as they are
        assert not {"\x1b", "\u202e"} & set(written)
    assert format not in ("markdown", "html") or "<img src=x" not in written.replace("\\<img", "")
    if format == "junit":
        said = ElementTree.fromstring(written).findtext("system-out") or ""
        assert "AP -0.1" in next(line for line in said.splitlines() if line.endswith(": worse"))
    if format == "markdown":
        assert written.index("| AP ") < written.index("slices that got worse") < written.index("lost and won most")


def test_slices_of_runs_are_those_of_evaluate() -> None:
    def check(found: GateDecision, scores: Scores) -> None:
        assert found.slices is not None
        parts = {one.label: part for one, part in scores.by_slice()}
        assert [one.label for one in found.slices.changes if one.measure == "AP"]
        for one in found.slices.changes:
            part = parts[one.label]
            means = part.mean()[:, part.measures.index(next(m for m in part.measures if str(m) == one.measure))]
            assert one.difference == pytest.approx(means[1] - means[0])
            assert one.topics == len(part.topics)

    texts = {str(topic): "word " * (topic % 7) + "word" for topic in range(401, 431)}
    for by, queries in (("relevant", None), ("length", texts), (lambda topic: topic[-1] < "4", None)):
        how: dict[str, Any] = {"by": by, "queries": queries}
        check(gate(QRELS, ELM, OAK, "AP nDCG@10", **how), evaluate(QRELS, [ELM, OAK], "AP nDCG@10", **how))
    records = ({"query_id": topic, "text": text} for topic, text in texts.items())  # can be read once
    once = gate(QRELS, ELM, OAK, "AP", by="length", queries=records)
    assert once.slices is not None
    assert once.slices.changes == gate(QRELS, ELM, OAK, "AP", by="length", queries=texts).slices.changes
    assert set(once.queries) == {one.topic for one in once.moved} | set(once.queries)
    assert next(iter(once.queries.values())).text.startswith("word")


@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_topics_of_a_slice_that_do_not_count_are_left_out_of_it(empty: Any) -> None:
    qrels = {str(topic): {"a": int(topic > 3), "b": 0} for topic in range(12)}
    first, second = ({topic: {"a": 1.0, "b": score} for topic in qrels} for score in (0.5, 2.0))
    labels = {topic: "early" if int(topic) < 4 else "mid" if int(topic) < 8 else "late" for topic in qrels}
    slices = gate(qrels, first, second, "AP", by=labels, empty=empty).slices
    assert slices is not None
    counted = {one.label: (one.topics, one.difference) for one in slices.changes}
    assert counted == {"mid": (4, -0.5), "late": (4, -0.5), "early": (4, 0.0) if empty == "zero" else (0, None)}
    assert slices.description == "slices: none is tested, as none has 5 topics"


def test_scores_have_no_relevant_documents_to_be_sliced_by_and_strangers_are_noted() -> None:
    with pytest.raises(InputError, match="by=relevant: looks at judgments, and scores have none"):
        gate(*drawn(0), by="relevant")
    with pytest.raises(InputError, match="by=length: counts the words of queries"):
        gate(*drawn(0), by="length")
    noted = gate(*drawn(0), by={**LABELS, "x": "head"}).notes
    assert "by: 1 topic with a label is not in the collection (x)" in map(str, noted)
    chosen = gate(QRELS, ELM, CEDAR, "AP", topics=["401", "402", "403"], by={"401": "a", "430": "b"})
    assert not any("not in the collection" in str(note) for note in chosen.notes)


@pytest.mark.parametrize("name", ["kind", "topic"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_table_of_all_topics_has_the_labels_of_each(tmp_path: Path, ending: str, name: str) -> None:
    """Also where a column of labels is called as a field is."""
    before, after = drawn(0)
    place = tmp_path / f"labels.{ending}"
    labels = [{"qid": topic, name: label} for topic, label in LABELS.items()]
    pandas.DataFrame(labels).to_csv(tmp_path / "labels.csv", index=False)
    decision = gate(before, after, by=tmp_path / "labels.csv")
    decision.save(place, per_topic=True)
    read = pandas.read_csv(place, dtype=str) if ending == "csv" else pandas.read_json(place, lines=True, dtype=str)
    field = name if name == "kind" else f"slice {name}"
    assert read.columns[0] == field
    assert len(read) == len(decision.moved)
    assert [*zip(read["topic"], read[field], strict=True)] == [
        (one.topic, LABELS.get(one.topic, "(none)")) for one in decision.moved
    ]


def test_every_slice_has_a_verdict_in_the_table() -> None:
    slices = gate(*drawn(0), by=LABELS).slices
    assert slices is not None
    grid = slices.grid(4)
    titles = [column.title for column in grid.columns]
    assert "uncorrected one-sided bounds of 0.95" in titles
    said = {True: "worse", False: "not shown worse", None: "no test"}
    assert [row[-1] for row in grid.rows] == [said[one.worse] for one in slices.changes]
    assert {row[-1] for row in grid.rows} == {*said.values()}


def test_many_slices_without_a_test_are_counted_and_shown_on_demand() -> None:
    ages = {str(topic): "old" if topic > 20 else f"age {topic}" for topic in range(1, 41)}
    slices = gate(*drawn(0), by=ages).slices
    assert slices is not None
    grid = slices.grid(4)
    assert [row[2] for row in grid.rows] == ["old", "old"]  # by each of two measures
    assert grid.title == f"{slices.description}; 40 rows without a test: -v shows them, JSON has them"
    whole = replace(slices, every=True).grid(4)
    assert whole.title == slices.description
    assert [row[2] for row in whole.rows] == [one.label for one in slices.changes]
    assert len(json.loads(gate(*drawn(0), by=ages).to_json())["slices"]) == 42


def test_some_slices_without_a_test_are_shown() -> None:
    ages = {str(topic): "old" if topic > 5 else f"age {topic}" for topic in range(1, 41)}
    slices = gate(*drawn(0), by=ages).slices
    assert slices is not None
    assert len(slices.grid(4).rows) == len(slices.changes) == 12


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_the_command_shows_them_with_v(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    topics = read_qrels(QRELS).topics
    labels.write_text("topic,age\n" + "".join(f"{topic},{at}\n" for at, topic in enumerate(topics)))
    for more, rows in (([], 0), (["-v"], len(topics))):
        words = ["gate", QRELS, ELM, CEDAR, "-m", "AP", "--by", labels, *more]
        shown = CliRunner().invoke(main, [*map(str, words)]).stdout
        assert shown.count("no test") == rows
        assert ("rows without a test: -v" in shown) == (not more)
