"""Columns in another order: ranks and scores, topics and documents that were swapped, and ranks that are no numbers.

What the order of judgments seems to be is tested by ``check`` in tests/checking/test_input_check.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import CoverageWarning, InputError, Qrels, RanksWarning, check, evaluate, read_run
from gradeval.files.column_order import ask_about_ranks, ask_about_topics
from gradeval.files.source import BEGINNING

QRELS = {"301": {"FT1": 1, "FT2": 0}, "302": {"FT1": 0, "FT3": 1}}


def write(folder: Path, name: str, lines: list[str]) -> Path:
    (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder / name


def submitted(
    *, topics: int = 3, documents: int = 4, first: int = 1, rank: str = "{score}", score: str = "{rank}"
) -> list[str]:
    """Lines of a run that was written with rank and score in each other's place, or as else said."""
    return [
        f"{topic} Q0 FT{place} {rank.format(rank=place, score=9.5 - place / 4)} "
        f"{score.format(rank=place, score=9.5 - place / 4)} team"
        for topic in range(301, 301 + topics)
        for place in range(first, first + documents)
    ]


def asks(lines: list[str]) -> bool:
    return "are rank and score swapped?" in ask_about_ranks("".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize(
    ("lines", "swapped"),
    [
        (submitted(), True),
        (submitted(first=0), True),
        (submitted()[::-1], True),
        (["# a comment", "", *submitted()], True),
        (submitted(rank="{rank}", score="{score}"), False),
        (submitted(rank="{rank}.0", score="{rank}"), False),  # ranks they are
        (submitted(first=2), False),
        (submitted(score="{score}"), False),
        (submitted(rank="n/a"), False),
        (submitted(rank="rank{rank}"), False),
        (submitted(rank="inf"), False),
        (submitted(topics=1, documents=2), False),  # too few to tell
        ([*submitted(), "301 Q0 FT9 0.5 team"], False),
        ([], False),
    ],
)
def test_rank_and_score_are_swapped_where_ranks_are_decimals_and_scores_count(lines: list[str], swapped: bool) -> None:
    assert asks(lines) is swapped


def test_the_last_topic_of_a_long_beginning_may_go_on() -> None:
    text = "".join(f"{line}\n" for line in submitted(topics=200, documents=50)[::-1]).encode()
    assert len(text) > 2 * BEGINNING
    assert "are rank and score swapped?" in ask_about_ranks(text[:BEGINNING])


def test_swapped_ranks_are_a_fault_of_the_file_and_a_warning_of_its_scores(tmp_path: Path) -> None:
    run = write(tmp_path, "run", submitted(topics=2))
    question = (
        "ranks are no whole numbers, as 9.25, and scores count from 1: are rank and score swapped? Then name columns "
        "query=1,doc=3,score=4"
    )
    assert check(None, run).faults == [f"{run}: {question}"]
    for given in (run, read_run(run)):
        with pytest.warns(RanksWarning, match="are rank and score swapped") as warned:
            evaluate(QRELS, given, "AP")
        assert [str(one.message) for one in warned] == [f"team: {question}"]
    best_first = evaluate(QRELS, read_run(run, columns={"query": 1, "doc": 3, "score": 4}), "AP")
    assert best_first.values.tolist() == [[[1 / 1], [1 / 3]]]


def test_topics_that_are_documents_of_the_judgments_are_swapped(tmp_path: Path) -> None:
    swapped = write(tmp_path, "run", ["FT1 Q0 301 1 2 t", "FT2 Q0 301 2 1 t"])
    question = "'FT1' is a document of the judgments: are topic and document swapped in the run?"
    with pytest.raises(InputError, match="no run has a topic of qrels: '301' there, 'FT1' here") as refused:
        evaluate(QRELS, swapped, "AP")
    assert str(refused.value).endswith(f"; {question}")
    assert check(QRELS, swapped).faults == [
        f"{swapped}: no topic in common with the judgments: 301 there, FT1 here; {question}"
    ]
    with pytest.warns(CoverageWarning) as warned:
        evaluate(QRELS, [swapped, {"301": {"FT1": 1.0}, "302": {"FT1": 1.0}}], "AP")
    (said,) = [str(one.message) for one in warned if "in common" in str(one.message)]
    assert said == (
        f"t: no topic in common with the judgments: 301 there, FT1 here; {question} All topics are missing; "
        "they count 0"
    )
    turned = Qrels.from_dict({document: {"301": 1} for document in ("FT1", "FT2", "FT3")})
    assert ask_about_topics(["301"], turned) == (
        "'301' is a document of the judgments: are topic and document swapped in the judgments?"
    )
    assert ask_about_topics(["401"], turned) == ""
