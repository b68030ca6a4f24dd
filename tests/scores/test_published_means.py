"""Tables of means alone are read where they are asked for, and refused elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import kendalltau

from gradeval import InputError, compare, correlate, read_scores, scores_from_frame

MEANS = {"elm": (0.5, 0.25), "oak": (0.4, 0.75), "ash": (0.1, 0.5)}
"""AP and P@5 of three systems."""
NAMES = ("map", "P_5")
LONG = "".join(
    f"{run},{name},{value}\n" for run, values in MEANS.items() for name, value in zip(NAMES, values, strict=True)
)
WIDE = "".join(f"{run},ours,{one},{other}\n" for run, (one, other) in MEANS.items())
ACROSS = "".join(
    f"{name},{','.join(str(values[at]) for values in MEANS.values())}\n" for at, name in enumerate(("AP", "P@5"))
)


@pytest.mark.parametrize(
    "text",
    [
        f"system,metric,score\n{LONG}",
        f"system,team,AP,P@5\n{WIDE}",
        f"metric,{','.join(MEANS)}\n{ACROSS}",
        "| model | AP | P@5 |\n|---|---|---|\n"
        + "".join(f"| {run} | **{a}** | {b} |\n" for run, (a, b) in MEANS.items()),
    ],
    ids=["a line a value", "a line a run", "a line a measure", "Markdown"],
)
def test_means_are_read_where_they_are_asked_for(text: str, tmp_path: Path) -> None:
    place = tmp_path / "means.csv"
    place.write_text(text)
    with pytest.raises(InputError, match="holds means alone"):
        read_scores(place)
    scores = read_scores(place, means=True)
    assert (scores.unit, len(scores.topics), list(map(str, scores.measures))) == ("means", 1, ["AP", "P@5"])
    assert dict(zip(scores.runs, map(tuple, scores.mean().tolist()), strict=True)) == MEANS
    found = correlate(scores)
    assert found.of("AP", "P@5") == pytest.approx(kendalltau(*zip(*MEANS.values(), strict=True)).statistic)
    assert (found.interval, found.topics) == (None, [])
    with pytest.raises(InputError, match="means alone; give values of single topics"):
        compare(scores)


def test_means_stand_with_percent_signs_or_without(tmp_path: Path) -> None:
    place, text = tmp_path / "a.csv", "model,AP,P@5\nelm,{},0.5\noak,{},0.7\n"
    place.write_text(text.format("0.5", "2%"))
    with pytest.raises(InputError, match=r"a\.csv:3: AP is 2% here and 0\.5 above; write both with % or without$"):
        read_scores(place, means=True)
    place.write_text(text.format("50%", "2.5 %"))
    assert read_scores(place, means=True).values[:, 0, 0].tolist() == [50, 2.5]


def test_other_tables_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("model,NQ,FiQA\nelm,0.5,0.7\noak,0.25,0.5\n")
    assert read_scores(tmp_path / "board.csv", means=True).unit == "tasks"


def test_percent_signs_and_a_caption_change_no_mean_and_shares_that_are_no_measures_are_left_out(
    tmp_path: Path,
) -> None:
    rows = [f"| {run} | {100 * a:g}% | {100 * b:g} % | 20.6% |" for run, (a, b) in MEANS.items()]
    head = ["| run | AP | P@5 | tied lines |", "|---|---|---|---|"]
    place = tmp_path / "means.md"
    place.write_text("\n".join([*head, *rows, "", "Means over 30 topics; bold: best of its column."]) + "\n")
    scores = read_scores(place, means=True)
    assert any("shares of lines: tied lines" in str(note) for note in scores.notes)
    assert [str(one) for one in scores.measures] == ["AP", "P@5"]
    assert scores.values[:, 0].tolist() == [[100 * a, 100 * b] for a, b in MEANS.values()]


@pytest.mark.parametrize("kind", ["wide", "long", "all"])
def test_a_frame_of_means_alone_is_read_as_its_file(kind: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame([(run, *values) for run, values in MEANS.items()], columns=["run", "AP", "P@5"])
    frame = wide if kind == "wide" else wide.melt("run", var_name="measure", value_name="value")
    frame = frame.assign(topic="all") if kind == "all" else frame
    read = scores_from_frame(frame, means=True)
    assert read.means() == {run: {"AP": one, "P@5": other} for run, (one, other) in MEANS.items()}
    frame.to_csv(tmp_path / "means.csv", index=False)
    assert read.means() == read_scores(tmp_path / "means.csv", means=True).means()
    for given in (frame, frame.to_dict("list")):
        for call in (lambda: scores_from_frame(frame), lambda given=given: read_scores(given, means=True)):
            with pytest.raises(InputError, match=r"scores_from_frame\(.* ?means=True"):
                call()
