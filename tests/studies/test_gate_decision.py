"""What the decision of a gate writes: a table, Markdown, JSON and JUnit's XML; hostile names stay text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from gradeval import GateDecision, Scores, compare, gate, scores_from_frame

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "cedar", "oak")}
MEASURES = "nDCG@10 R@100 AP"


def test_pytest_is_told_by_an_assertion_with_the_table() -> None:
    gate(QRELS, RUNS["elm"], RUNS["cedar"], "AP").assert_passed()
    with pytest.raises(AssertionError, match=r"worse: significantly lower: AP.*\n(.*\n)+.*AP +-0\.3421"):
        gate(QRELS, RUNS["elm"], RUNS["oak"], "AP").assert_passed()


EVIL = ["a|b`*<img src=x>", "new\nline\x1b[31m", "]]><x>&\ufffe\x00", "‮right", "</testsuite>"]


def hostile() -> GateDecision:
    """A decision whose topics and measures have hostile names."""

    def worse_by(shift: float) -> Scores:
        rows = [(topic, measure) for topic in EVIL for measure in EVIL[:3]]
        columns = {
            "run": ["r"] * len(rows),
            "topic": [topic for topic, _ in rows],
            "measure": [measure for _, measure in rows],
            "value": [place / 20 - shift * (place % 4) for place in range(len(rows))],
        }
        return scores_from_frame(columns)

    return gate(worse_by(0.0), worse_by(0.3))


def test_junit_holds_hostile_names_as_text() -> None:
    pytest.importorskip("pyarrow")
    found = hostile()
    suite = ElementTree.fromstring(found.to_junit())
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["rankings", EVIL[0], "new\\nline\\x1b[31m", "]]><x>&\\ufffe\\x00"]
    failed = [case.find("failure") is not None for case in cases]
    assert failed == [False, *(verdict != "passed" for verdict in found.verdicts.values())]
    assert int(suite.get("failures", "")) == sum(failed)
    assert int(suite.get("tests", "")) == len(cases)


def test_markdown_and_json_hold_hostile_names_as_text() -> None:
    pytest.importorskip("pyarrow")
    found = hostile()
    text = found.to_markdown()
    assert text.startswith(f"### gradeval gate: {found.verdict}\n\n")
    assert not re.search(r"(?<!\\)[<`]|\x1b|‮|\x00", text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    widths = {len(re.split(r"(?<!\\)\|", row)) for row in rows}
    assert len(widths) == 2  # two tables, each with as many cells in each row
    head = next(line for line in rows if line.startswith("| measure")).split("|")
    assert head[2].strip() == "difference"  # deltas first
    read = json.loads(found.to_json())
    assert [one["measure"] for one in read["measures"]] == EVIL[:3]
    assert {one["topic"] for one in read["moved"]} <= set(EVIL)
    assert (read["passed"], read["verdict"], read["reason"]) == (found.passed, found.verdict, found.reason)


def test_records_are_exact_and_files_choose_their_format(tmp_path: Path) -> None:
    found = gate(QRELS, RUNS["elm"], RUNS["cedar"], MEASURES)
    fields = found.to_dict()
    assert (fields["value"], fields["lower"]) == (found.difference.tolist(), found.bound.tolist())
    assert fields["verdict"] == ["passed"] * 3
    for ending in ("json", "xml", "md", "txt", "tsv", "jsonl"):
        found.save(tmp_path / f"gate.{ending}")
    assert json.loads((tmp_path / "gate.json").read_text())["passed"] is True
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "0"
    assert (tmp_path / "gate.md").read_text() == found.to_markdown()
    assert (
        (tmp_path / "gate.txt").read_text().startswith("passed: no measure is significantly lower (one-sided at 0.05")
    )
    found.save(tmp_path / "other", format="junit")
    assert (tmp_path / "other").read_text() == found.to_junit()


def shifted(mean: float, run: str = "new") -> tuple[Scores, Scores]:
    """Scores before and after, whose differences have this mean and a standard deviation of 0.04."""
    noise = np.random.default_rng(1).standard_normal(30)
    noise = (noise - noise.mean()) / noise.std() * 0.04 + mean
    return scored({"old": np.full(30, 0.4)}), scored({run: 0.4 + noise})


def scored(values: dict[str, Any]) -> Scores:
    """AP of runs on 30 topics."""
    rows = [(run, str(topic), float(value)) for run, each in values.items() for topic, value in enumerate(each)]
    runs, topics, numbers = map(list, zip(*rows, strict=True))
    return scores_from_frame({"run": runs, "topic": topics, "measure": ["AP"] * len(rows), "value": numbers})


@pytest.mark.parametrize("fail_if", ["worse", "not-shown"])
@pytest.mark.parametrize(
    ("mean", "beyond"),
    [
        (0.01, "; neither is shown to be better (two-sided)"),
        (0.0, "; neither is shown to be better (two-sided)"),
        (0.05, "; new is significantly better by AP"),
    ],
)
def test_a_pass_says_whether_the_new_run_is_better_as_compare_does(fail_if: Any, mean: float, beyond: str) -> None:
    before, after = shifted(mean)
    found = gate(before, after, fail_if=fail_if, margin=0.5 if fail_if == "not-shown" else None)
    assert found.passed
    assert found.reason.endswith(f"30 topics){beyond}")
    both = scored({"old": before.credited[0, :, 0], "new": after.credited[0, :, 0]})
    decision = compare(both, baseline="old").decision
    assert decision is not None
    assert (decision.choice == "ship") == ("better by" in beyond)


def test_what_passes_is_not_called_too_few_topics() -> None:
    passing, failing = (gate(*shifted(mean), fail_if="not-shown", margin=0.012) for mean in (0.01, -0.002))
    assert (passing.passed, failing.passed) == (True, False)
    assert passing.needed[0] is not None
    assert passing.needed[0] > 30
    said = "too few topics to show a loss below the margin"
    assert [any(said in str(note) for note in found.notes) for found in (passing, failing)] == [False, True]
    assert (said in passing.to_junit(), said in failing.to_junit()) == (False, True)


def test_all_files_name_both_runs() -> None:
    found = gate(*shifted(0.01))
    suite = ElementTree.fromstring(found.to_junit())
    assert {one.get("name"): one.get("value") for one in suite.iter("property")} == {"before": "old", "after": "new"}
    assert (suite.findtext("system-out") or "").startswith("new in place of old\n")
    assert "\n\nnew in place of old: no measure is significantly lower" in found.to_markdown()
    same = gate(*shifted(0.01, run="old"))
    assert (same.question, " in place of " in same.to_markdown()) == ("", False)
