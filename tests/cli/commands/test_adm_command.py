"""``gradeval adm``: values by topic, means, and scores that studies take."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import adm, read_scores

from ..conftest import Gradeval

QRELS = {"1": {"a": 3, "b": 0, "c": 1}, "2": {"a": 3}, "3": {"b": 0, "c": 2}}
RUN = {"1": {"a": 0.9, "b": 0.1, "z": 1.0}, "2": {"a": 0.25}}


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in QRELS.items() for d, g in of.items()))
    for name, factor in (("half", 0.5), ("full", 1.0)):
        lines = [f"{t} Q0 {d} 1 {factor * s} {name}\n" for t, of in RUN.items() for d, s in of.items()]
        (tmp_path / name).write_text("".join(lines))
    return [tmp_path / "q", tmp_path / "half", tmp_path / "full"]


def test_values_are_those_of_the_function(gradeval: Gradeval, places: list[Path]) -> None:
    result = gradeval("adm", *places, "-q", "--format", "tsv")
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    expected = adm(QRELS, RUN)
    # by hand: 1 - (|.9 - 1| + |.1 - 0| + |0 - 1/3|) / 3, 1 - |.25 - 1|, and nothing retrieved
    assert list(expected.values()) == pytest.approx([1 - (0.1 + 0.1 + 1 / 3) / 3, 0.25, 1 - (0 + 2 / 3) / 2])
    found = {(run, topic): float(value) for run, topic, measure, value in rows if measure == "ADM"}
    assert {topic: found["full", topic] for topic in QRELS} == expected
    assert found["full", "all"] == pytest.approx(sum(expected.values()) / 3)
    assert "note: full misses 1 topic: there every score counts as 0\n" in result.stderr


def test_scores_are_those_of_which_studies_are_made(gradeval: Gradeval, places: list[Path], tmp_path: Path) -> None:
    gradeval("adm", *places, "--scaling", "minmax", "-q", "-o", tmp_path / "adm.tsv")
    scores = read_scores(tmp_path / "adm.tsv")
    assert scores.of("ADM").tolist() == [list(adm(QRELS, RUN, scaling="minmax").values())] * 2
    assert gradeval("compare", "--scores", tmp_path / "adm.tsv").exit_code == 0


def test_what_does_not_lie_between_0_and_1_is_refused(gradeval: Gradeval, places: list[Path]) -> None:
    places[1].write_text("1 Q0 a 1 7.5 half\n")
    result = gradeval("adm", *places)
    said = "half: score 7.5 of document a (topic 1) does not lie in [0, 1]; scale the scores, or take --scaling minmax"
    assert (result.exit_code, said in result.stderr) == (2, True)
