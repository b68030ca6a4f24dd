"""What sets a run apart from the others: of which one a check says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import Qrels, check

TOPICS = [f"u{number}" for number in range(8)]
QRELS = Qrels.from_dict({topic: {"d0": 1, "d7": 0} for topic in TOPICS})


def of(*lengths: int) -> dict[str, dict[str, float]]:
    """A run whose rankings have these lengths, and the last one for all other topics."""
    every = [*lengths, *[lengths[-1]] * (len(TOPICS) - len(lengths))]
    return {
        topic: {f"d{place}": -float(place) for place in range(length)}
        for topic, length in zip(TOPICS, every, strict=True)
    }


KEPT = {f"kept{number}": of(10) for number in range(5)}


@pytest.mark.parametrize(
    ("others", "depth", "said"),
    [
        ({"long": of(15, 10)}, None, ["long: topic u0 has 15 documents, and most runs have at most 10"]),
        ({"long": of(15, 10)}, 10, []),  # a fault instead, and none of the runs that keep the rule
        ({"long": of(15)}, 20, []),
        ({"short": of(5)}, None, ["short: rankings hold at most 5 documents, and most runs have 10"]),
        ({"short": of(5)}, 10, ["short: rankings hold at most 5 documents, and most runs have 10"]),
        ({"short": of(5)}, 5, []),
        ({"long": of(15), "short": of(5)}, 12, ["short: rankings hold at most 5 documents, and most runs have 10"]),
    ],
)
def test_the_odd_run_is_remarked_and_not_the_usual_ones(
    others: dict[str, dict[str, dict[str, float]]], depth: int | None, said: list[str]
) -> None:
    found = check(QRELS, {**KEPT, **others}, depth=depth)
    assert [remark for remark in found.remarks if "documents" in remark] == said
    assert [fault.split(":")[0] for fault in found.faults if "allowed" in fault] == (
        [name for name, run in {**KEPT, **others}.items() if depth and max(map(len, run.values())) > depth]
    )


def test_tags_that_are_shared_and_a_header_are_remarked(tmp_path: Path) -> None:
    lines = "".join(f"{topic} Q0 d0 1 2.5 {{}}\n" for topic in TOPICS)
    runs = [tmp_path / name for name in ("a", "b.txt", "c.run", "d", "e")]
    for run, tag in zip(runs, ["a", "teamB", "test", "a", "E"], strict=True):
        run.write_text(lines.format(*[tag] * len(TOPICS)))
    runs[4].write_text("qid Q0 docid rank score tag\n" + runs[4].read_text())
    found = check(QRELS, [*map(str, runs)])
    assert [(Path(file.place).name, [note.text for note in file.notes]) for file in found.files[1:]] == [
        ("a", ["2 runs have the tag 'a'"]),
        ("b.txt", []),
        ("c.run", []),
        ("d", ["2 runs have the tag 'a'"]),
        ("e", ["read as text with a header (qid, docid, score)"]),
    ]
    few = check(QRELS, [str(runs[2])])
    assert few.remarks == []  # one file may be called anything


def test_weighty_notes_come_before_what_all_runs_have_in_common(tmp_path: Path) -> None:
    found = check(QRELS, {**KEPT, "short": {topic: {"d0": 1.0} for topic in TOPICS[1:]}})
    assert [note.text for note in sorted(found.notes, key=lambda note: -note.weight)] == [
        "returns nothing for u0",
        "rankings hold at most 1 document, and most runs have 10",
    ]


@pytest.mark.parametrize(("judged", "said"), [(5, "50.0%"), (7, "70.0%"), (8, ""), (9, ""), (10, "")])
def test_a_run_of_whose_top_far_less_is_judged_is_remarked(judged: int, said: str) -> None:
    qrels = Qrels.from_dict({topic: {f"d{place}": place % 2 for place in range(10)} for topic in TOPICS})
    half = {
        topic: {f"d{place}" if place < judged else f"d{place}.html": -float(place) for place in range(10)}
        for topic in TOPICS
    }
    found = check(qrels, {**KEPT, "half": half})
    remarks = [remark for remark in found.remarks if "judged@" in remark]
    assert remarks == (
        [
            f"half: judged@10 is {said}, and the median of the runs 100.0%; was it left out of the pool, or are some "
            "ids spelled otherwise?"
        ]
        if said
        else []
    )


def test_the_judged_share_says_where_topics_are_missing_from_it() -> None:
    """Judged@10 of evaluate counts 0 for a missing topic; here the share is over the run's topics alone."""
    qrels = Qrels.from_dict({topic: {f"d{place}": place % 2 for place in range(10)} for topic in TOPICS})
    half = {topic: {f"d{place + 5}": -float(place) for place in range(10)} for topic in TOPICS[1:]}
    (said,) = [one for one in check(qrels, {**KEPT, "half": half}).remarks if "judged@" in one]
    assert said.startswith("half: judged@10 over its topics is 50.0%, ")


def test_two_runs_have_no_usual_share_of_judged_documents() -> None:
    qrels = Qrels.from_dict({topic: {"d0": 1, "d1": 0} for topic in TOPICS})
    found = check(qrels, {"one": of(2), "two": {topic: {"d0": 1.0, "x": 0.5, "y": 0.25} for topic in TOPICS}})
    assert not any("judged@" in remark for remark in found.remarks)


def test_many_tied_lines_are_remarked_in_words(tmp_path: Path) -> None:
    tied = {topic: {"d0": 3.0, "d1": 1.0, "d2": 1.0, "d3": 1.0} for topic in TOPICS}
    plain = {topic: {"d0": 3.0, "d1": 2.0, "d2": 1.0, "d3": 1.0, "d4": 0.0} for topic in TOPICS}
    remarks = check(QRELS, {"tied": tied, "plain": plain}).remarks
    assert [remark for remark in remarks if "share their score" in remark] == [
        "tied: 75.0% of the lines share their score with another; if its ranks are right, name them: --columns "
        "rank=NAME, in TREC text query=1,doc=3,rank=4"
    ]


def test_by_judgments_that_cannot_be_read_no_run_lacks_topics(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d0 1\n2 0 d0 good\n")
    (tmp_path / "run").write_text("1 Q0 d0 1 2.5 run\n")
    found = check(str(tmp_path / "qrels"), str(tmp_path / "run"))
    (row,) = found.table().grids[0].rows
    titles = [column.title for column in found.table().grids[0].columns]
    assert (row[titles.index("missing topics")], row[titles.index("topics")]) == (None, 1)
    assert [record["missing_topics"] for record in found.to_frame().to_pylist()] == [None, None]
    (tmp_path / "qrels").write_text("1 0 d0 1\n2 0 d0 1\n")
    assert check(str(tmp_path / "qrels"), str(tmp_path / "run")).to_frame().to_pylist()[1]["missing_topics"] == 1
