"""Leaderboards: models and tasks, either way round, as CSV, tsv or Markdown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import InputError, correlate, ranks, read_scores
from gradeval.cli import main

VALUES = {"elm": {"STS": 0.5, "NFCorpus": 0.25}, "oak": {"STS": 0.75, "NFCorpus": 0.125}}
MARKDOWN = """\
| Rank | Model | Average | STS | NFCorpus | License |
|---|:--|---:|---:|---|---|
| 1 | **[oak](https://example.org/oak)** | 0.4375 | **0.75** | 0.125 | MIT |
| 2 | `elm` | 0.375 | 0.5 | 0.25 | - |
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("board.csv", "model,STS,NFCorpus\nelm,0.5,0.25\noak,0.75,0.125\n"),
        ("board.tsv", "Model Name\tSTS\tNFCorpus\tOrganization\nelm\t0.5\t0.25\tA\noak\t0.75\t0.125\tB\n"),
        ("board.csv", "Task,elm,oak\nSTS,0.5,0.75\nNFCorpus,0.25,0.125\nAverage,0.375,0.4375\n"),
        ("board.csv", ",model,STS,NFCorpus,Mean (Task)\n1,elm,0.5,0.25,0.375\n2,oak,0.75,0.125,0.4375\n"),
        ("board.md", MARKDOWN),
        (
            "board.md",
            "| dataset | elm | oak |\n| --- | --- | --- |\n| STS | 0.5 | 0.75 |\n| NFCorpus | 0.25 | 0.125 |\n",
        ),
    ],
)
def test_models_are_runs_and_tasks_are_topics(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    scores = read_scores(tmp_path / name)
    assert {
        run: dict(zip(scores.topics, scores.values[place, :, 0].tolist(), strict=True))
        for place, run in enumerate(scores.runs)
    } == VALUES
    assert [str(measure) for measure in scores.measures] == ["board"]


def test_percentages_count_as_they_stand_and_blank_cells_are_missing(tmp_path: Path) -> None:
    (tmp_path / "swe.csv").write_text("system,Lite,Verified\na,40.5%,\nb,30%,65.4\nc,N/A,70\n")
    scores = read_scores(f"resolved={tmp_path / 'swe.csv'}")
    assert scores.present.tolist() == [[True, False], [True, True], [False, True]]
    assert scores.values[:, :, 0].tolist() == [[40.5, 0], [30, 65.4], [0, 70]]
    assert str(scores.measures[0]) == "resolved"
    with pytest.raises(InputError, match="no task has a value of every run; choose fewer runs"):
        scores.mean()


BLANKS = "model,A,B,C,D,E\nelm,50,60,70,40,30\noak,55,66,77,41,39\nfir,1,2,3,,4\n"


def test_a_task_counts_where_all_that_are_compared_have_a_value(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text(BLANKS)
    scores = read_scores(tmp_path / "board.csv")
    assert scores.mean().ravel().tolist() == [210 / 4, 237 / 4, 10 / 4]
    assert scores.sel(runs=["elm", "oak"]).mean().ravel().tolist() == [250 / 5, 278 / 5]
    assert read_scores(tmp_path / "board.csv", missing="skip").mean().ravel().tolist() == [250 / 5, 278 / 5, 10 / 4]
    found = ranks(scores)
    assert found.topics == ["A", "B", "C", "E"]
    assert "tasks: 4 of 5; left out, as not all 3 runs have a value: D" in [str(note) for note in found.notes]
    assert any("of 4 tasks" in str(note) for note in found.notes)
    assert not any("topic" in str(note) for note in found.notes)
    assert ranks(scores, runs=["elm", "oak"]).topics == ["A", "B", "C", "D", "E"]


def test_saved_scores_of_a_leaderboard_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text(BLANKS)
    scores = read_scores(tmp_path / "board.csv")
    scores.save(tmp_path / "board.parquet")
    assert read_scores(tmp_path / "board.parquet").mean().tolist() == scores.mean().tolist()
    assert list(scores.to_dict()["fir"]) == ["A", "B", "C", "E"]


def test_where_no_task_is_shared_the_run_that_misses_most_is_named(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("model,A,B,C\nelm,1,2,\noak,,,3\n")
    said = said_of(lambda: ranks(read_scores(tmp_path / "board.csv")))
    assert said == "no task has a value of all 2 runs; leave out oak or others"


MTEB = """\
Rank (Borda),Model,Zero-shot,Memory Usage (MB),Number of Parameters (B),Embedding Dimensions,Max Tokens,Mean (Task),\
Release Date,STS,NQ
1,[oak](https://x),99%,14000,7.6,3584,32768,70.1,2024-05-01,80.1,71.5
2,elm,95%,2100,0.56,1024,514,68.0,2023-02-03,79.0,70.0
3,fir,NA,450,0.118,384,512,60.0,,60.5,65.2
"""
LEFT = set(MTEB.splitlines()[0].split(",")) - {"Model", "STS", "NQ"}


def in_form(text: str, form: str, order: int = 0) -> str:
    """A csv in another form, its columns turned by so many places."""
    rows = [line.split(",") for line in text.splitlines()]
    rows = [[*row[order:], *row[:order]] for row in rows]
    if form == "md":
        return "".join("| " + " | ".join(row) + " |\n" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])
    return "".join(form.join(row) + "\n" for row in rows)


@pytest.mark.parametrize("order", [0, 1, 4, 9])
@pytest.mark.parametrize("form", [",", "\t", ";", "md"])
def test_what_models_are_like_is_no_task_in_whatever_form_and_order(tmp_path: Path, form: str, order: int) -> None:
    (tmp_path / "board").write_text(in_form(MTEB, form, order))
    scores = read_scores(tmp_path / "board")
    assert sorted(scores.topics) == ["NQ", "STS"]
    assert scores.runs == ["oak", "elm", "fir"]
    assert scores.mean().ravel().tolist() == [(80.1 + 71.5) / 2, (79 + 70) / 2, (60.5 + 65.2) / 2]
    (note,) = map(str, scores.notes)
    said, _, left = note.partition("; left out: ")
    listed = ", ".join(scores.topics)
    assert said == f"{tmp_path / 'board'}: read as a leaderboard of 3 models on 2 tasks: {listed}"
    assert set(left.split(", ")) == LEFT


@pytest.mark.parametrize("form", [",", "\t", ";", "md"])
def test_what_tasks_and_models_are_like_is_left_out_where_each_line_is_a_task(tmp_path: Path, form: str) -> None:
    text = (
        "Task,Metric,#Queries,oak,elm,Average\nSTS,spearman,1379,80.1,79.0,79.55\nNQ,ndcg,3452,71.5,70.0,70.75\n"
        "Params (M),,,7600,560,\nLicense,,,MIT,Apache,\nMean,,,75.8,74.5,75.15\n"
    )
    (tmp_path / "board").write_text(in_form(text, form))
    scores = read_scores(tmp_path / "board")
    assert (scores.runs, scores.topics) == (["oak", "elm"], ["STS", "NQ"])
    assert scores.values[..., 0].tolist() == [[80.1, 71.5], [79.0, 70.0]]
    assert str(scores.notes[0]).endswith("left out: Mean, Average, Metric, #Queries, Params (M), License")


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("GPU", ("14000.5", "2100", "450"), "up to 14000.5, others up to 80.1"),
        ("Founded", ("2021", "2019", "2020"), "whole numbers, unlike the others"),
        ("Preference", ("2", "1", "3"), "ranks"),
        ("Coverage", ("99%", "95%", "78%"), "in percent, unlike the others"),
    ],
)
@pytest.mark.parametrize("way", ["models", "tasks"])
def test_what_is_not_clear_is_refused_and_chosen_by_name(
    tmp_path: Path, name: str, values: tuple[str, ...], why: str, way: str
) -> None:
    head = ["Model" if way == "models" else "Task", "STS", "NQ", "QQP", name]
    columns = [
        "oak elm fir".split(),
        "80.1 79.0 60.5".split(),
        "71.5 70.0 65.2".split(),
        "50.2 51.0 40.9".split(),
        values,
    ]
    rows = [[one, *column] for one, column in zip(head, columns, strict=True)]
    rows = [list(row) for row in zip(*rows, strict=True)] if way == "models" else rows
    place = tmp_path / "board.csv"
    place.write_text("".join(",".join(row) + "\n" for row in rows))
    assert said_of(lambda: read_scores(place)) == (
        f"{place}: not clear whether these are tasks: {name} ({why}); name all tasks, as in topics='STS,NQ,...'"
    )
    refused = CliRunner().invoke(main, ["ranks", "--scores", str(place)])
    assert refused.stderr.endswith("name all tasks, as in --topics STS,NQ,...\n")
    assert read_scores(place, topics=["QQP", "STS"]).topics == ["STS", "QQP"]
    assert read_scores(place, topics=f"STS,{name}").topics == ["STS", name]
    done = CliRunner().invoke(main, ["ranks", "--scores", str(place), "--topics", "STS,NQ,QQP", "--format", "csv"])
    assert done.exit_code == 0, done.stderr
    assert f"on 3 tasks: STS, NQ, QQP; left out: {name}\n" in done.stderr
    assert "no topic 'QP'" in said_of(lambda: read_scores(place, topics="STS,QP"))


def test_a_column_of_numbers_far_above_all_models_is_none(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("Task,Lines,oak,elm\nSTS,1379,0.5,0.25\nNQ,3452,0.75,0.5\n")
    assert "column 'Lines' may be no model" in said_of(lambda: read_scores(tmp_path / "board.csv"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model,A,B\nelm,0.5 ± 0.1,0.5\noak,0.6 ± 0.1,0.4\n", "value '0.5 ± 0.1' is not a finite number"),
        ("model,A,B\nelm,0.5\n", "board.csv:2: has 2 cells, not the 3"),
        ("model,A,B\nelm,0.5,0.1\noak,high,0.2\n", "value 'high' is not a finite number"),
        ("model,A\nelm,0.5\nelm,0.6\n", "is given twice"),
        ("model,License\nelm,MIT\n", "has no values of tasks (no task: License)"),
        ("model,WER,Docs/s\nelm,5.1,3\noak,5.2,4\n", "has no values of tasks (no task: WER, Docs/s)"),
        ("model,A\n", "has no values"),
    ],
)
def test_mistakes_are_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "board.csv").write_text(text)
    assert said in said_of(lambda: read_scores(tmp_path / "board.csv"))


def test_studies_take_leaderboards(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = rng.random((5, 12)) + np.linspace(0, 2, 5)[:, None]
    head = "model," + ",".join(f"task{task}" for task in range(12)) + ",Average\n"
    rows = "".join(
        f"m{place}," + ",".join(f"{v:.4f}" for v in [*row, row.mean()]) + "\n" for place, row in enumerate(values)
    )
    (tmp_path / "mteb.csv").write_text(head + rows)
    scores = read_scores(tmp_path / "mteb.csv")
    assert ranks(scores).runs == [f"m{place}" for place in range(5)]
    assert scores.mean()[:, 0] == pytest.approx(values.mean(1), abs=1e-4)
    for command in (["ranks"], ["compare", "--baseline", "m0"], ["correlate", "-m", "mteb other"]):
        given = [str(tmp_path / "mteb.csv")]
        if command[0] == "correlate":
            (tmp_path / "other.csv").write_text(head + rows)
            given.append(str(tmp_path / "other.csv"))
        done = CliRunner().invoke(main, [*command, *(word for file in given for word in ("--scores", file))])
        assert done.exit_code == 0, done.stderr
        listed = ", ".join(f"task{task}" for task in range(6))
        assert f"leaderboard of 5 models on 12 tasks: {listed} and 6 more; left out: Average" in done.stderr
        assert "m4" in done.stdout or command[0] == "correlate"
    assert correlate(read_scores(tmp_path / "mteb.csv", tmp_path / "other.csv")) is not None


@pytest.mark.parametrize("cells", ['"1,200","1,400"', '"50,5","40,5"'])
def test_numbers_with_commas_are_refused_and_no_column_is_left_out_for_them(tmp_path: Path, cells: str) -> None:
    place = tmp_path / "board.csv"
    first, second = cells.split('",')
    place.write_text(f'model,A,B\nm1,{first}",0.5\nm2,{second},0.4\n')
    with pytest.raises(InputError, match="is not a finite number"):
        read_scores(place)


def test_too_few_tasks_are_called_tasks(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("model,A,B\nelm,2,3\noak,3,4\n")
    assert said_of(lambda: ranks(read_scores(tmp_path / "board.csv"))).endswith("only 2 tasks; at least 3 are needed")


@pytest.mark.parametrize("head", ["Modell", "LLM", "Team"])
@pytest.mark.parametrize("before", ["", "#", "Rank"])
@pytest.mark.parametrize("form", [",", "\t", ";", "md"])
def test_a_table_that_does_not_say_whose_the_names_are_says_how_to_write_it(
    tmp_path: Path, form: str, before: str, head: str
) -> None:
    text = f"{head},NQ,FiQA\noak,71.1,50.2\nelm,70.2,51.0\n"
    if before:
        text = "".join(f"{cell},{line}\n" for cell, line in zip([before, "1", "2"], text.splitlines(), strict=True))
    (tmp_path / "board").write_text(in_form(text, form))
    assert said_of(lambda: read_scores(tmp_path / "board")) == (
        f"{tmp_path / 'board'}: is no leaderboard, as the names stand below {head!r}; "
        "write model, task or topic there, by what a line is"
    )
    (tmp_path / "board").write_text(in_form(text.replace(head, "model"), form))
    assert read_scores(tmp_path / "board").topics == ["NQ", "FiQA"]


@pytest.mark.parametrize("form", [",", "\t", ";", "md"])
def test_spreads_of_models_are_no_models_and_levels_of_effort_are(tmp_path: Path, form: str) -> None:
    text = "Task,o3,o3-high,o3 std,o3-high ±\nNQ,71.1,72.2,1.2,1.1\nFiQA,50.2,51.0,1.3,1.2\n"
    (tmp_path / "board").write_text(in_form(text, form))
    scores = read_scores(tmp_path / "board")
    assert (scores.runs, scores.topics) == (["o3", "o3-high"], ["NQ", "FiQA"])
    assert str(scores.notes[0]).endswith("of 2 models on 2 tasks: NQ, FiQA; left out: o3 std, o3-high ±")


@pytest.mark.parametrize("head", ["", "topic", "qid", "query_id", "Topic"])
def test_the_topics_of_a_csv_of_topics_and_systems_go_by_their_usual_names(tmp_path: Path, head: str) -> None:
    (tmp_path / "ap.csv").write_text(f"{head},bm25,elm\n301,0.5,0.6\n302,0.25,0.3\n")
    scores = read_scores(tmp_path / "ap.csv")
    assert (scores.runs, scores.topics) == (["bm25", "elm"], ["301", "302"])


def test_values_of_a_task_stand_with_percent_signs_or_without(tmp_path: Path) -> None:
    place = tmp_path / "board.csv"
    place.write_text("model,NQ,FiQA\nelm,50%,0.7\noak,0.25,0.5\n")
    with pytest.raises(InputError, match=r"board\.csv:3: NQ is 0\.25 here and 50% above"):
        read_scores(place, topics=["NQ", "FiQA"])
