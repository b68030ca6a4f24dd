"""What studies return: tables with their notes, and results of slices beside the one of all topics."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gradeval import InputError, evaluate, leave_out, ranks
from gradeval.studies.result import Result, SlicedResult
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = [EXAMPLES / "runs" / f"{name}.txt" for name in ("beech", "elm", "oak")]
pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def test_the_table_of_a_result_has_its_notes_unless_it_says_something_itself() -> None:
    @dataclass(frozen=True, eq=False, repr=False)
    class Counted(Result):
        own: tuple[str, ...] = ()

        def table(self, digits: int = 4) -> Table:
            """One number."""
            return Table([Grid([Column("n", spec=f".{digits}f")], [[1]])], Records.of(["n"], [[1]]), self.own)

    noted = Counted(notes=[Note("seed 0")])
    assert noted.table().notes == ["seed 0"]
    assert str(noted) == "     n\n------\n1.0000\n\nseed 0".replace("\n\n", "\n")
    assert replace(noted, own=("its own",)).table(1).notes == ("its own",)
    assert inspect.signature(Counted.table).parameters["digits"].default == 4


def sliced(**options: object) -> SlicedResult:
    labels = {"401": "few", "402": "few", "403": "other"}
    result = ranks(QRELS, RUNS, "AP", samples=40, by=lambda topic: labels.get(topic, "most"), **options)
    assert isinstance(result, SlicedResult)
    return result


def test_a_slice_that_is_too_small_is_left_out_and_named() -> None:
    result = sliced()
    left = [str(note) for note in result.notes if note.place.startswith("slice ") and note.category]
    assert left == [
        f"slice {label}: {result.slices[place].why}; it is left out" for place, label in ((0, "few"), (1, "other"))
    ]
    assert result.to_dict()["slice"] == ["all"] * 3 + ["most"] * 3
    with pytest.raises(InputError, match="slice few: "):
        result.of("few")
    with pytest.raises(InputError, match=r"no slice 'mast' \(did you mean most\?\)"):
        result.of("mast")


def test_notes_that_all_topics_have_are_said_once() -> None:
    result = sliced()
    texts = [note.text for note in result.notes if note.category is None]
    assert len(texts) == len(set(texts))
    assert "slice most" in {note.place for note in result.notes}
    assert result.table().notes == [*map(str, result.notes)]


def test_notes_of_more_than_three_slices_are_no_answers_and_name_all_slices_that_say_the_same() -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak")], "AP")
    for parts, always in ((3, True), (4, False)):
        result = ranks(scores, by=lambda topic, parts=parts: str(int(topic) % parts), samples=50)
        own = [note for note in result.notes if note.place.startswith("slice ")]
        assert any(note.weight is NoteWeight.ANSWER for note in own) is always
        assert len({note.text for note in own}) == len(own)
        assert {name for note in own for name in note.place.split(", ")} == {f"slice {n}" for n in range(parts)}
        assert any(note.weight is NoteWeight.ANSWER for note in result.notes if not note.place)


def test_options_of_the_table_and_of_the_chart_reach_the_parts() -> None:
    result = sliced()
    assert {len(cell.partition(".")[2]) for cell in result.table(2).grids[0].texts()[0] if "." in cell} == {2}
    panels = result.plot().altair.to_dict()["vconcat"]
    assert panels[1]["title"]["text"] == "slice most (27 topics)"


def test_tasks_are_called_by_their_name(tmp_path: Path) -> None:
    scores = replace(evaluate(QRELS, RUNS, "AP"), unit="tasks")
    result = ranks(scores, samples=40, by=lambda topic: "ab"[int(topic) % 2])
    assert "tasks" in result.table().grids[0].head


def test_slices_of_several_selections_are_refused() -> None:
    with pytest.raises(InputError, match="topics=all,few:2: "):
        leave_out(QRELS, RUNS, "AP", topics="all,few:2", by="relevant")
