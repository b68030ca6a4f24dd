"""Tables of means alone are read where they are asked for, and refused elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from gradeval import FilesWarning, InputError, Scores, compare, correlate, read_scores, scores_from_frame

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
    with pytest.warns(
        FilesWarning, match=r"leaderboard of tasks \(NQ, FiQA\).* write lines of run,measure,value"
    ) as seen:
        assert read_scores(tmp_path / "board.csv", means=True).unit == "tasks"
    assert seen[0].filename == __file__


def test_percent_signs_and_a_caption_change_no_mean_and_shares_that_are_no_measures_are_left_out(
    tmp_path: Path,
) -> None:
    rows = [f"| {run} | {100 * a:g}% | {100 * b:g} % | 20.6% |" for run, (a, b) in MEANS.items()]
    head = ["| run | AP | P@5 | tied lines |", "|---|---|---|---|"]
    place = tmp_path / "means.md"
    place.write_text("\n".join([*head, *rows, "", "Means over 30 topics; bold: best of its column."]) + "\n")
    scores = read_scores(place, means=True)
    assert any("hold no measures: tied lines" in str(note) for note in scores.notes)
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


PRINTED = "system,MRR@10 (dev),R@1k (dev),nDCG@10 (DL19),nDCG@10 (DL20)\nelm,0.2,0.8,0.5,0.4\noak,0.3,0.9,0.7,--\n"
"""As papers print it: a measure by its own name in each column, and the collection behind it."""


def forms_of(folder: Path, text: str) -> list[Callable[..., Scores]]:
    """Readers of a table: of its csv and Markdown, of a frame, and of a frame with the runs as index."""
    pandas = pytest.importorskip("pandas")
    (folder / "means.csv").write_text(text)
    head, *lines = (line.split(",") for line in text.splitlines())
    rows = [head, ["---"] * len(head), *lines]
    (folder / "means.md").write_text("".join(f"| {' | '.join(row)} |\n" for row in rows))
    frame = pandas.read_csv(folder / "means.csv")
    indexed = frame.set_index(head[0])
    sources = (folder / "means.csv", folder / "means.md", frame, indexed, indexed.rename_axis(index=None))
    return [partial(read_scores if isinstance(one, Path) else scores_from_frame, one) for one in sources]


def test_columns_as_papers_print_them_are_means_of_measures(tmp_path: Path) -> None:
    for read in forms_of(tmp_path, PRINTED):
        with pytest.raises(InputError, match=r"means alone, as MRR@10 \(dev\), R@1k \(dev\), .* are measures"):
            read()
        scores = read(means=True)
        assert (scores.unit, scores.runs) == ("means", ["elm", "oak"])
        assert [str(one) for one in scores.measures] == PRINTED.split("\n")[0].split(",")[1:]
        assert scores.values[0, 0].tolist() == [0.2, 0.8, 0.5, 0.4]
        assert np.isnan(scores.values[1, 0]).tolist() == [False, False, False, True]
        with pytest.warns(match="2 runs"):
            found = correlate(scores, measures="MRR@10 (dev), nDCG@10 (DL19)")
        assert found.of("MRR@10 (dev)", "nDCG@10 (DL19)") == 1


@pytest.mark.parametrize(
    "heads",
    [
        ["nDCG@10", "Recall@1k"],
        ["nDCG@10", "Hits@10"],
        ["nDCG@10", "ours"],
        ["MAP (Robust04)", "P@10 (Robust04)"],
        ["DL19 nDCG@10", "DL20 nDCG@10", "dev MRR@10"],
        ["DL19_ndcg@10", "DL19_map@10"],
        ["AP(rel=2) DL19", "AP(rel=1) DL19"],
        ["MRR@10 \u2191", "nDCG@10 \u2191"],
    ],
)
def test_headings_of_different_measures_are_never_averaged(heads: list[str], tmp_path: Path) -> None:
    cells = [f"0.{at}" for at in range(1, len(heads) + 1)]
    for read in forms_of(tmp_path, f"system,{','.join(heads)}\nelm,{','.join(cells)}\noak,{','.join(cells[::-1])}\n"):
        with pytest.raises(InputError, match="holds means alone"):
            read()
        assert read(means=True).values[0, 0].tolist() == list(map(float, cells))


@pytest.mark.parametrize(
    "heads",
    [
        ["nDCG@10 DL19", "nDCG@10 (DL20)"],
        ["NFCorpus_ndcg@10", "FiQA_ndcg@10", "Avg."],
        ["MAP (Robust04)", "MAP (GOV2)"],
        ["NQ", "ERR"],
        ["Precision Medicine", "NQ", "FiQA"],
    ],
)
def test_headings_of_one_measure_are_its_tasks(heads: list[str], tmp_path: Path) -> None:
    rows = {"elm": [0.7, 0.2, 0.9][: len(heads)], "oak": [0.25, 0.55, 0.8][: len(heads)]}
    text = "".join(
        f"{','.join(map(str, row))}\n" for row in [["model", *heads], *([run, *own] for run, own in rows.items())]
    )
    for read in forms_of(tmp_path, text)[:4]:
        for means in (False, True):
            with pytest.warns(FilesWarning, match="leaderboard of tasks") if means else nullcontext():
                scores = read(means=means)
            tasks = [head for head in heads if head != "Avg."]
            assert (scores.unit, scores.runs, scores.topics) == ("tasks", ["elm", "oak"], tasks)
        assert read(topics=tasks[0]).topics == tasks[:1]


def test_what_a_leaderboard_beside_means_is_told_to_write_is_read(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("run,AP\nelm,0.5\noak,0.4\n")
    board, lines = tmp_path / "board.csv", tmp_path / "lines.csv"
    board.write_text("model,NQ,FiQA\nelm,0.5,0.7\noak,0.25,0.5\n")
    with pytest.raises(InputError, match="write lines of run,measure,value"):
        read_scores(tmp_path / "own.csv", board, means=True)
    lines.write_text("run,measure,value\nelm,NQ,0.5\noak,NQ,0.25\nelm,FiQA,0.7\noak,FiQA,0.5\n")
    scores = read_scores(tmp_path / "own.csv", lines, means=True)
    assert scores.means() == {"elm": {"AP": 0.5, "NQ": 0.5, "FiQA": 0.7}, "oak": {"AP": 0.4, "NQ": 0.25, "FiQA": 0.5}}


def test_a_parquet_of_means_is_read_as_the_csv(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    (tmp_path / "means.csv").write_text(PRINTED)
    pandas.read_csv(tmp_path / "means.csv").to_parquet(tmp_path / "means.parquet")
    read = read_scores(tmp_path / "means.parquet", means=True)
    assert read.to_markdown() == read_scores(tmp_path / "means.csv", means=True).to_markdown()


@pytest.mark.parametrize("head", ["metric", "measure", ""])
def test_a_line_a_measure_is_read_whatever_its_title(head: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    place = tmp_path / "means.csv"
    place.write_text(f"{head},elm,oak\nMRR@10 (dev),0.2,0.3\nR@1k (dev),0.8,n/a\n")
    frame = pandas.read_csv(place)
    frames = (frame, frame.set_index(frame.columns[0]))
    for read in (partial(read_scores, place), *(partial(scores_from_frame, one) for one in frames)):
        with pytest.raises(InputError, match="holds means alone"):
            read()
        assert read(means=True).sel(runs="elm").means() == {"elm": {"MRR@10 (dev)": 0.2, "R@1k (dev)": 0.8}}


def test_what_is_no_measure_is_left_out_with_a_note(tmp_path: Path) -> None:
    head = "rank,system,nDCG@10,Params (M),latency,AP,Avg.,Date"
    text = f"{head}\n1,elm,0.5,110,20.5,0.3,0.4,May\n2,oak,0.4,0,1.5,0.2,0.3,June\n"
    for read in forms_of(tmp_path, text)[:3]:
        scores = read(means=True)
        assert [str(one) for one in scores.measures] == ["nDCG@10", "AP"]
        assert any("hold no measures: rank, Params (M), latency, Avg., Date" in str(note) for note in scores.notes)


def test_a_measure_in_percent_is_no_share_of_lines(tmp_path: Path) -> None:
    for read in forms_of(tmp_path, "system,nDCG@10 (DL19),MRR@10 (dev)\nelm,50%,30%\noak,40%,20%\n")[:3]:
        assert read(means=True).values[:, 0].tolist() == [[50, 30], [40, 20]]


@pytest.mark.parametrize("gap", ["--", "-", "", "n/a"])
def test_a_gap_of_a_line_a_value_is_a_mean_that_is_lacking(gap: str, tmp_path: Path) -> None:
    (tmp_path / "means.csv").write_text(f"run,measure,value\nelm,AP,0.5\nelm,P@5,{gap}\noak,AP,0.4\noak,P@5,0.2\n")
    scores = read_scores(tmp_path / "means.csv", means=True)
    assert np.isnan(scores.values[:, 0]).tolist() == [[False, True], [False, False]]


def test_a_frame_without_names_of_runs_is_told_what_to_write() -> None:
    frame = {"ours": ["elm", "oak"], "AP": [0.5, 0.4], "P@5": [0.25, 0.75]}
    with pytest.raises(InputError, match=r"frame: .*names stand below 'ours'; write model"):
        scores_from_frame(frame, means=True)
    frame["model"] = frame.pop("ours")
    assert scores_from_frame(frame, means=True).runs == ["elm", "oak"]
