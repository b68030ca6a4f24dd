from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import leave_out, report
from gradeval.collection.qrels import Negative
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def rows(made: Report, title: str) -> list[dict[str, object]]:
    """The records of the table of this title."""
    sections = json.loads(made.to_json())["sections"]
    return next(section["tables"][title] for section in sections if title in section["tables"])


def test_the_collection_says_whose_ranks_contradict_their_scores(tmp_path: Path) -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    lines = [f"{topic} Q0 {name} {rank} {rank} wrong" for topic in range(3) for rank, name in enumerate("abc", 1)]
    (tmp_path / "wrong").write_text("\n".join(lines) + "\n")
    (tmp_path / "fine").write_text("".join(f"{topic} Q0 a 1 3 fine\n{topic} Q0 x 2 2 fine\n" for topic in qrels))
    made = report(qrels, [tmp_path / "wrong", tmp_path / "fine"], "AP", studies="none")
    section = next(section for section in made.sections if section.name == "collection")
    assert "In 1 of 2 runs ranks contradict scores, and the scores decide: wrong (topics: 3)." in section.details
    covered = {row["run"]: row for row in rows(made, "What the judgments cover of each run")}
    assert [covered["fine"][name] for name in ("documents", "judged", "missing", "contradicting")] == [8, 4, 0, 0]
    assert covered["fine"]["share_of_judged"] == 4 / 12
    assert [covered["wrong"][name] for name in ("documents", "judged", "missing", "contradicting")] == [9, 9, 1, 3]


def test_judged_documents_of_the_top_are_counted_over_the_topics_that_a_run_has_everywhere() -> None:
    qrels = {str(topic): {f"d{place}": place % 2 for place in range(6)} for topic in range(4)}
    whole = {topic: {f"d{place}": float(-place) for place in range(12)} for topic in qrels}  # 6 of 10 are judged
    part = {topic: {f"d{place}": float(-place) for place in range(4, 8)} for topic in ("0", "1")}  # 2 of 4 are
    made = report(qrels, {"whole": whole, "part": part}, "AP", studies="leave-out")
    said = {section.name: section for section in made.sections}
    assert dict(said["answer"].tiles)["judged@10"] == "60.0% of whole, 50.0% of part"
    grid = said["leaderboard"].tables[0].table.grids[0]
    column = grid.head.index("judged@10")
    assert {row[0]: row[column] for row in grid.texts()} == {"whole": "60.0%", "part": "50.0%"}
    assert said["collection"].answer == (
        "55.0% of the first 10 documents of a run are judged on average, fewest of part (50.0%)."
    )
    assert any("(50% of part, 40% of whole)" in text for text in said["collection"].details)
    assert any("50.0% (part)" in text and "40.0% (whole)" in text for text in said["answer"].warnings)


def test_one_run_and_one_topic_are_named_as_such() -> None:
    made = report({"1": {"a": 1}}, {"only": {"1": {"a": 1.0, "b": 0.5}}}, "AP", studies="none")
    section = next(section for section in made.sections if section.name == "collection")
    assert section.answer == "50.0% of the first 10 documents of only are judged."
    assert section.details[0] == (
        "1 judgment of 1 topic, grades 0,1. 1.0 relevant documents (grade 1 or more) a topic; no topic without one."
    )
    assert "50.0% of the documents of only are unjudged." in section.details


@pytest.mark.parametrize(
    ("negative", "said"), [("nonrelevant", "count as 0: judged, but not relevant."), ("unjudged", "count as unjudged.")]
)
def test_negative_grades_are_counted(negative: Negative, said: str) -> None:
    qrels = {"1": {"a": 1, "b": -1, "c": -2}, "2": {"a": 2, "b": 0}}
    made = report(qrels, {"r": {"1": {"a": 2.0}, "2": {"a": 1.0}}}, "AP", negative=negative, studies="none")
    section = next(section for section in made.sections if section.name == "collection")
    assert section.details[0].endswith(f"2 negative grades {said}")


def test_leave_out_leaves_a_whole_group_out_where_groups_are_given() -> None:
    groups = {RUNS[0].stem: "one", RUNS[1].stem: "one", RUNS[2].stem: "two"}
    made = report(EXAMPLES / "qrels.txt", RUNS, "AP", studies="leave-out", groups=groups)
    title = "Each run without the judgments that only its group brought"
    study = leave_out(EXAMPLES / "qrels.txt", RUNS, "AP", groups=groups)
    unique = dict(zip(study.runs, study.unique.tolist(), strict=True))
    assert {row["run"]: row["unique"] for row in rows(made, title)} == unique
    assert {row["run"]: row["group"] for row in rows(made, title)} == {run: groups.get(run) for run in unique}
    section = next(section for section in made.sections if section.name == "collection")
    assert any(command.endswith("leave-out QRELS RUNS -m AP --groups GROUPS") for command in section.redo)
    assert any(line.startswith("2 runs have no group") for line in section.details)
