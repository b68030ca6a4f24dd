"""Means of runs beside values of topics, beside other means, and with gaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from gradeval import FilesWarning, InputError, correlate, read_scores, scores_from_frame

PUBLISHED = {"elm": 0.5, "oak": 0.4, "ash": 0.1, "fir": 0.3}
VALUES = {"elm": (0.5, 0.25), "oak": (0.4, 0.75), "ash": (0.1, 0.5), "fir": (0.2, 0.1)}
"""Of two topics."""
MEANS = {run: sum(values) / 2 for run, values in VALUES.items()}
BY_TOPIC = "".join(f"{run},{topic},GAP,{value}\n" for run, own in VALUES.items() for topic, value in enumerate(own, 1))


@pytest.fixture
def published(tmp_path: Path) -> Path:
    place = tmp_path / "pub.csv"
    place.write_text("System,MAP\n" + "".join(f"{run},{value}\n" for run, value in PUBLISHED.items()))
    return place


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"run,topic,measure,value\n{BY_TOPIC}", "mine: means over 2 topics are taken, as pub holds means alone"),
        ("run,topic,measure,value\n" + "".join(f"{run},all,GAP,{mean}\n" for run, mean in MEANS.items()), ""),
        ("run,GAP\n" + "".join(f"{run},{mean}\n" for run, mean in MEANS.items()), ""),
        ("".join(f"runid all {run}\nGAP all {mean}\n" for run, mean in MEANS.items()), ""),
    ],
    ids=["values of topics", "means of evaluate", "one column", "trec_eval"],
)
def test_own_scores_of_every_kind_stand_beside_published_means(
    text: str, said: str, published: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.csv").write_text(text)
    scores = read_scores(f"pub={published}", f"mine={tmp_path / 'mine.csv'}", means=True)
    assert [str(note) for note in scores.notes if "taken" in str(note)] == [said] * bool(said)
    assert scores.unit == "means"
    own = scores.sel(measures="mine:GAP").mean()[:, 0].tolist()
    assert dict(zip(scores.runs, own, strict=True)) == pytest.approx(MEANS)
    with pytest.warns(match="4 runs"):
        found = correlate(scores)
    wanted = kendalltau([*PUBLISHED.values()], [MEANS[run] for run in PUBLISHED]).statistic
    assert found.of("pub:AP", "mine:GAP") == pytest.approx(wanted)


def test_files_of_one_source_are_averaged_together(published: Path, tmp_path: Path) -> None:
    lines = BY_TOPIC.splitlines(keepends=True)
    (tmp_path / "a.csv").write_text("run,topic,measure,value\n" + "".join(lines[:-1]))
    (tmp_path / "b.csv").write_text("run,topic,measure,value\nyew,1,GAP,.5\n")
    scores = read_scores(published, tmp_path / "a.csv", tmp_path / "b.csv", means=True)
    at = scores.runs.index("yew")
    assert scores.values[at, 0, 1] == 0.25  # the topic that it misses counts 0, as it does without the published means
    assert any("no scores for some topics (fir, yew)" in str(note) for note in scores.notes)


def test_a_leaderboard_beside_means_is_refused_with_what_to_write(published: Path, tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("model,NQ,FiQA\nelm,0.5,0.7\noak,0.25,0.5\n")
    with pytest.raises(InputError, match=r"leaderboard of tasks \(NQ, FiQA\).* write lines of run,measure,value"):
        read_scores(published, tmp_path / "board.csv", means=True)


def test_only_chosen_measures_and_runs_must_be_there(tmp_path: Path) -> None:
    rows = ["System,AP,GAP,NDCG", "elm,.5,.4,", "oak,.4,.5,.2", "ash,.1,.2,.3", "fir,,.1,.1"]
    (tmp_path / "gaps.csv").write_text("\n".join([*rows, ""]))
    scores = read_scores(tmp_path / "gaps.csv", means=True)
    with pytest.warns(match="3 runs"):
        found = correlate(scores, measures="AP GAP")
    assert found.runs == ["elm", "oak", "ash"]
    assert "runs: 3 of 4 count; left out, as a mean is lacking: fir (AP)" in map(str, found.notes)
    with pytest.warns(match="2 runs"):
        assert correlate(scores, runs="oak,ash").of("AP", "nDCG") == -1
    with pytest.raises(InputError, match="run 'elm' has no mean of nDCG; add it, or leave out that run"):
        correlate(scores, runs="oak,elm")
    for show in (scores.mean, scores.to_frame):
        with pytest.raises(InputError, match="'elm' has no mean of nDCG"):
            show()
    assert "4 runs" in repr(scores)
    with pytest.warns(match="2 runs"):
        assert np.isfinite(correlate(scores, runs="top:2:GAP", measures="AP GAP").values).all()


def test_a_table_shows_means_that_are_lacking_as_gaps(tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text("System,AP,GAP,NDCG\nelm,.5,.4,\noak,,.5,\nash,.1,.2,.3\n")
    scores = read_scores(tmp_path / "gaps.csv", means=True)
    rows = [[cell.strip(" *") for cell in line.strip("| ").split("|")] for line in scores.to_markdown().splitlines()]
    assert rows[2:5] == [
        ["elm", "0.5000", "0.4000", "-"],
        ["oak", "-", "0.5000", "-"],
        ["ash", "0.1000", "0.2000", "0.3000"],
    ]
    assert rows[6] == ["Means as given; bold: best of its column."]
    scores.save(tmp_path / "known.csv")
    written = [line.split(",") for line in (tmp_path / "known.csv").read_text().splitlines()]
    assert [[run, measure] for run, topic, measure, _ in written if topic == "all"] == [
        *(["elm", "AP"], ["elm", "GAP"], ["oak", "GAP"]),
        *(["ash", "AP"], ["ash", "GAP"], ["ash", "nDCG"]),
    ]


def test_percents_beside_shares_are_refused_of_two_files_and_doubted_in_one(published: Path, tmp_path: Path) -> None:
    percents, by_topic, mixed = (tmp_path / name for name in ("percents.csv", "topics.csv", "mixed.csv"))
    percents.write_text("run,AP,NumRet\nyew,45.5,900\nbay,40,800\n")
    by_topic.write_text(f"run,topic,measure,value\n{BY_TOPIC.replace('GAP', 'AP')}")
    mixed.write_text("run,AP\nyew,45.5\nbay,.4\n")
    for other in (published, by_topic):
        for files in ([percents, other], [other, percents]):
            with pytest.raises(InputError, match=r"AP is .*, but .*; it is at most 1: divide percents by 100"):
                read_scores(*files, means=True)
    with pytest.warns(FilesWarning, match=r"mixed.csv:2: AP is 45.5, but 0.4 in .*mixed.csv:3; it is at most 1"):
        read_scores(mixed, means=True)
    assert read_scores(percents, means=True).mean()[0, 0] == 45.5
    assert read_scores(f"a={percents}", f"b={published}", means=True).unit == "means"  # their measures stay apart


def test_files_whose_runs_have_other_names_are_refused(published: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("run,GAP\nelm,.5\nOAK,.4\nASH,.1\n")
    scores = read_scores(published, tmp_path / "mine.csv", means=True)
    with pytest.raises(InputError, match=r"of 6 runs, 1 have means of all measures .*same names of runs in all files"):
        correlate(scores)


def test_a_frame_of_means_is_refused_with_what_to_call() -> None:
    frame = {"run": ["elm"], "measure": ["AP"], "value": [0.5]}
    with pytest.raises(
        InputError, match=r"no column names the topics.*s = read_scores\(FILE, means=True\).* correlate\(s\)"
    ):
        scores_from_frame(frame)
    with pytest.raises(InputError, match=r"not a dict; .*correlate\(read_scores\(FILE, means=True\)\)"):
        correlate(frame)


def test_the_chart_of_means_says_so(published: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("run,GAP\n" + "".join(f"{run},{mean}\n" for run, mean in MEANS.items()))
    with pytest.warns(match="4 runs"):
        found = correlate(read_scores(published, tmp_path / "mine.csv", means=True))
    subtitle = str(found.plot().altair.to_dict())
    assert "4 runs by their means as given" in subtitle
    assert "0 topics" not in subtitle
