"""Which columns of a leaderboard are tasks, by names and by values."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval.scores.task_columns import find_tasks, is_average, is_property

PROPERTIES = """\
Memory Usage (MB)|memory_usage_gb|Peak Memory|VRAM|Number of Parameters (B)
#Params (B)|Params (M)|Params|n_params|Model Size|Active Parameters
Total Parameters (B)|Embedding Dimensions|Embedding Dim|dims|Max Tokens|MaxTokens
Max Sequence Length|Context Window|Release Date|release_date|Year|Submission Date
Upload To Hub Date|Rank|Rank (Borda)|Mean Rank|Borda|Rank* (UB)|License|Hub Licence
Zero-shot|Cost ($)|Total Cost ($)|Price ($/1M tokens)|Latency (ms)|latency_ms
Throughput (tok/s)|Time (s)|Training Time|FLOPs|GPU Hours|URL|Model Link|GitHub Repo
Votes|Hub ❤️|Downloads|Layers|Vocab Size|CO₂ cost (kg)|Checkpoint (GB)
Number of Languages|Knowledge Cutoff|Train loss|WER|Perplexity|Validation Loss|RMSE|$ per query|Docs/s|docs_per_s
Queries per second|QPS|Index time|Query time (s)|ms/query|Version|Temperature|Learning Rate|Epochs|Batch Size
p-value|p_value|std|stderr|±|95% CI|CI low|CI high|Emissions|Heads|num_heads|Latency p95|GB|Seconds""".replace(
    "\n", "|"
).split("|")
BESIDE = (
    "A std|A_stderr|A (std)|std A|A ±|± A|A p-value|A SE|A CI low|A 95% CI|A standard error|A conf. interval".split("|")
)
DOUBTED = """\
Total Power|Time Output|Position|Memory|Speed|Context|Length|Score|Final score|Result|Sum
Weighted Score|AMI WER|Hair loss|Contamination rate|Error|Hallucination Rate|Toxicity|Delta vs BM25
Images per prompt|Encoder latency|# Shots|Questions|n|SE|2.5%|Δ BM25""".replace("\n", "|").split("|")
AVERAGES = (
    "Average|Average ⬆️|AVG.|Mean|Mean (Task)|Mean (TaskType)|Overall|Overall Score|Total|Macro Avg|Global Average|"
    "Mean win rate|**Average**"
).split("|")
TASKS = """\
STS|STS12|Bitext Mining|Classification|MMLU|MMLU-PRO|MATH Lvl 5|GSM8K - EM
NaturalQuestions (open) - F1|HumanEval (pass@1)|GPQA|Date Understanding|Time Series
Memory Networks|Knowledge|Position Bias|Language Average|Reasoning Average
Mean Reciprocal Rank|Average Precision|nDCG@10|R@100|Arena Elo rating|Long Context
Cost Estimation|Rank Fusion|Coding|0-shot|5-shot|TREC-COVID|Quora|CQADupStack (avg)
Macro F1|Accuracy (%)|Size Comparison|C#|Error Correction|Passage Ranking|Number Theory|Energy Plants|RACE-high|8k
Pass/fail|Performance|A hard|4-bit|Loss Aversion|Version Control|Test|Dev""".replace("\n", "|").split("|")


@pytest.mark.parametrize("name", PROPERTIES)
def test_what_models_are_like_is_known_by_its_name_without_the_unit(name: str) -> None:
    assert is_property(name)
    assert is_property(name.replace(" ", "_"))
    assert is_property(f"**{name}**")
    assert find_tasks([name, "A"], [["0.5", "0.25"], ["0.5", "0.75"]]).left == [0]


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("turned", [False, True])
def test_how_exact_another_column_is_is_no_task(name: str, turned: bool) -> None:
    names, columns = [name, "A", "NQ"], [["1.5", "1.25"], ["60.5", "70.75"], ["50.5", "50.25"]]
    if turned:
        names, columns = names[::-1], columns[::-1]
    assert names.index(name) not in find_tasks(names, columns).kept


@pytest.mark.parametrize("name", DOUBTED)
def test_names_of_what_may_be_a_task_are_left_out_or_doubted_unless_tasks_are_chosen(name: str) -> None:
    names, columns = [name, "FiQA", "NQ"], [["1.5", "1.25"], ["60.5", "70.75"], ["50.5", "50.25"]]
    assert find_tasks(names, columns).kept == [1, 2]
    assert find_tasks(names, columns, [name]).kept == [0]


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_are_known_by_their_names(name: str) -> None:
    assert is_average(name)
    assert not is_property(name)


@pytest.mark.parametrize("name", TASKS)
def test_names_of_tasks_are_no_properties(name: str) -> None:
    assert not is_property(name)
    assert not is_average(name)
    assert find_tasks([name, "A"], [["0.5", "0.25"], ["0.5", "0.75"]]).kept == [0, 1]


def test_what_tasks_are_like_is_known_by_its_name() -> None:
    assert all(map(is_property, ["#Queries", "Corpus Size", "Number of documents", "samples"]))
    assert not any(map(is_property, ["BM25", "Query2Doc", "docTTTTTquery"]))


A, B, C = ["80.1", "79.0", "60.5"], ["71.5", "70.0", "65.2"], ["50.2", "51.0", "40.9"]


@pytest.mark.parametrize(
    ("cells", "left", "unclear"),
    [
        (["55.5", "58.1", "30.2"], False, ""),
        (["0.0", "100.0", "50.0"], False, ""),
        (["", "-", "n/a"], True, ""),
        (["MIT", "Apache", "-"], True, ""),
        (["2024-05-01", "2023-01-01", "2022-02-02"], True, ""),
        (["+4/-4", "+5/-5", "+3/-3"], True, ""),
        (["67.27", "66.67", "55.53"], False, "as a mean of the others"),  # (80.1 + 71.5 + 50.2) / 3 ...
        (["14000.5", "2100", "450"], False, "up to 14000.5, others up to 80.1"),
        (["2024", "2023", "2021"], False, "whole numbers, unlike the others"),
        (["24", "12", "36"], False, "whole numbers, unlike the others"),
        (["1", "2", "3"], False, "ranks"),
        (["0.75", "0.5", "0.25"], False, "up to 0.75, others up to 80.1"),
        (["99.5%", "95.1%", "78.0%"], False, "in percent, unlike the others"),
        (["8", "96", ""], False, "whole numbers, unlike the others"),
        (["8.0", "96.0", ""], False, "whole numbers, unlike the others"),
        (["3", "", "1"], False, "ranks"),
        (["1.0", "", "2.0"], False, "ranks"),
        (["67.27", "", "55.53"], False, "as a mean of the others"),
        (["1,400", "2,100", "4,500"], False, ""),  # and refused when it is read
    ],
)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_column_is_a_task_by_what_it_holds(cells: list[str], left: bool, unclear: str, at: int) -> None:
    columns = [A, B, C]
    columns.insert(at, cells)
    tasks = find_tasks(list("STUV"), columns)
    assert tasks.left == ([at] if left else [])
    assert tasks.unclear == ({at: unclear} if unclear else {})
    assert tasks.kept == [place for place in range(4) if place != at or not (left or unclear)]


@pytest.mark.parametrize(
    "columns",
    [
        [["0.5", "1"], ["-0.25", "0.1"]],
        [["50", "60"], ["70", "80"]],
        [["50.5%", "60%"], ["70%", "0.5%"]],
        [["1250.5", "1150"], ["1300.5", "1100.5"]],
        [["120.5", "90.1"], ["70.2", "80.3"]],
        [["0", "1"], ["0.5", "0.7"]],
        [["1", "0"], ["50.5", "70.7"]],
    ],
)
def test_columns_of_one_scale_are_tasks(columns: list[list[str]]) -> None:
    assert find_tasks(["S", "T"], columns).kept == [0, 1]


def test_chosen_columns_are_the_tasks_whatever_they_hold() -> None:
    tasks = find_tasks(["Params", "Elo", "T"], [["7.5", "0.5"], ["1250", "1100"], ["0.5", "0.6"]], ["Elo", "Params"])
    assert (tasks.kept, tasks.left, tasks.unclear) == ([0, 1], [2], {})


def test_ranks_are_doubted_where_all_are_whole_numbers() -> None:
    two = [["71", "70"], ["50", "51"], ["2", "1"]]
    assert find_tasks(["S", "T", "U"], two).unclear == {2: "ranks"}


@pytest.mark.parametrize("models", [2, 3, 8])
@pytest.mark.parametrize("tasks", [2, 3, 12])
@pytest.mark.parametrize("digits", [1, 2])
def test_drawn_scores_are_tasks(models: int, tasks: int, digits: int) -> None:
    rng = np.random.default_rng(models)
    for _ in range(20):
        drawn = rng.normal(rng.uniform(40, 80, tasks), 4, (models, tasks)).T
        columns = [[f"{value:.{digits}f}" for value in column] for column in drawn]
        assert find_tasks([f"T{place}" for place in range(tasks)], columns).kept == list(range(tasks))


def test_outcomes_of_0_and_1_are_tasks_whatever_they_share() -> None:
    rng = np.random.default_rng(0)
    columns = [[str(value) for value in column] for column in rng.integers(0, 2, (40, 12)).tolist()]
    assert find_tasks([f"T{place}" for place in range(40)], columns).kept == list(range(40))
