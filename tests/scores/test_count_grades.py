"""Counts as grades, as of plays: short notes, classes by their digits, and gains that double."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradeval import GradesWarning, Qrels, evaluate, read_qrels

COUNTS = [1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 17, 33, 40, 99, 100, 250, 500]
WITHOUT_TWO_DIGITS = [*range(3, 10), *range(3, 10), *range(100, 700, 100)]
RUN = {"u": {f"d{place}": -float(place) for place in range(len(COUNTS))}}


def of_counts(counts: list[int]) -> Qrels:
    return Qrels.from_dict({"u": {f"d{place}": count for place, count in enumerate(counts)}})


def said_of_counts(qrels: Qrels, measures: str) -> list[str]:
    said = map(str, evaluate(qrels, RUN, measures).notes)
    return [one for one in said if "classes by number of digits" in one or "only the highest grades count" in one]


@pytest.mark.filterwarnings("ignore::gradeval.GradesWarning")
def test_a_note_on_counts_is_short_and_its_line_makes_classes_by_digits() -> None:
    qrels = of_counts(COUNTS)
    [said] = said_of_counts(qrels, "nDCG@10 RBP AP")
    assert said.startswith("the judgments hold grades 1, 2, 3 and 15 more, up to 500, which look like counts; ")
    assert len(said) < 400
    [line] = re.findall(r"Qrels\.from_dict\(QRELS\)(\.recoded\(.*\))$", said)
    classes = eval(f"qrels{line}", {"qrels": qrels})
    assert classes.of("u") == {f"d{place}": len(str(count)) for place, count in enumerate(COUNTS)}
    assert said_of_counts(classes, "nDCG@10 RBP AP") == []


@pytest.mark.filterwarnings("ignore::gradeval.GradesWarning")
@pytest.mark.parametrize("counts", [COUNTS, WITHOUT_TWO_DIGITS], ids=["all classes", "none of two digits"])
def test_what_is_typed_in_a_shell_makes_the_same_classes(counts: list[int], tmp_path: Path) -> None:
    """Nor do notes or a check ask about the counts of a class that the judgments lack."""
    place, run = tmp_path / "plays.csv", tmp_path / "run.csv"
    place.write_text("user,item,rating\n" + "".join(f"u,d{at},{count}\n" for at, count in enumerate(counts)))
    run.write_text("user,item,score\n" + "".join(f"u,d{at},{-at}\n" for at in range(len(counts))))
    [said] = said_of_counts(read_qrels(place), "nDCG@10")
    typed, python = re.findall(r"digits: (--recode=.*) \(read_qrels\(FILE, (recode=.*)\)\)$", said)[0]
    wanted = evaluate(eval(f"read(place, {python})", {"read": read_qrels, "place": place}), RUN, "nDCG@10")
    command = f"{sys.executable} -m gradeval evaluate {place} {run} -m nDCG@10 --format csv --digits 12 {typed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert float(done.stdout.split(",")[-1]) == pytest.approx(wanted.mean().item(), abs=1e-11)
    assert len(done.stderr) < 1000
    assert "has no grade" not in done.stderr
    command = f"{sys.executable} -m gradeval check {place} {run} {typed}"
    checked = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "no judgment has the grade" not in f"{checked.stdout}{checked.stderr}"


@pytest.mark.parametrize(
    ("counts", "measures", "doubled"),
    [
        (COUNTS, "nDCG(dcg='exp-log2')@10 nDCG@10", "nDCG(dcg='exp-log2')@10"),
        (COUNTS, "ERR nDCG@10", "ERR"),
        ([*range(11)], "nDCG(dcg='exp-log2')@10 ERR", None),
        ([*range(101)], "nDCG@10 RBP", None),
        ([*range(101)], "nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
    ],
)
@pytest.mark.filterwarnings("ignore::gradeval.GradesWarning")
def test_gains_that_double_are_warned_of_where_the_highest_grades_alone_count(
    counts: list[int], measures: str, doubled: str | None
) -> None:
    notes = evaluate(of_counts(counts), RUN, measures).notes
    said = [str(note) for note in notes if note.category is GradesWarning and "so only" in str(note)]
    half = max(count for count in counts if count <= max(counts) / 2)
    found = f"{doubled} gives grade {half} less than 1% of what grade {max(counts)} gains"
    assert [one.partition(", so only")[0] for one in said] == ([found] if doubled else [])
    assert (2.0**half - 1) / (2.0 ** max(counts) - 1) < 0.01 or max(counts) < 30
