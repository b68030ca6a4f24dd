"""``evaluate --ci`` and ``compare`` with human grades of some topics and a model's of all; ``--ties expected``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradeval import assisted_means, compare_assisted, evaluate

from ..conftest import Gradeval, records, refusal


@pytest.fixture
def grades(collection: list[Path], tmp_path: Path) -> tuple[Path, Path]:
    """Human grades of nine topics, and a lenient model's of all twelve."""
    lines = [line.split() for line in collection[0].read_text().splitlines()]
    topics = list(dict.fromkeys(line[0] for line in lines))
    rng = np.random.default_rng(0)
    human = [line for line in lines if line[0] in topics[::4] + topics[1::4] + topics[2::4]]
    model = [[*line[:3], str(min(2, int(line[3]) + int(rng.random() < 0.2)))] for line in lines]
    for name, some in (("human.txt", human), ("model.txt", model)):
        (tmp_path / name).write_text("".join(" ".join(line) + "\n" for line in some))
    return tmp_path / "human.txt", tmp_path / "model.txt"


@pytest.mark.parametrize("topics_are", ["sample", "all"])
def test_means_with_intervals(
    gradeval: Gradeval, collection: list[Path], grades: tuple[Path, Path], topics_are: str
) -> None:
    human, model = grades
    options = ["-m", "AP GAP", "--ci", "--assisted-by", model, "--topics-are", topics_are]
    lines = records(gradeval("evaluate", human, *collection[1:], *options, "--format", "tsv"))
    scores = [evaluate(qrels, collection[1:], "AP GAP") for qrels in grades]
    means = assisted_means(*scores, topics_are=topics_are)  # type: ignore[arg-type]
    assert [float(line["value"]) for line in lines if line["statistic"] == "assisted"] == means.value.ravel().tolist()
    assert [float(line["lower"]) for line in lines if line["statistic"] == "human alone"] == (
        means.human_interval[..., 0].ravel().tolist()
    )
    shown = gradeval("evaluate", human, *collection[1:], *options, "--sort", "GAP")
    assert shown.exit_code == 0
    assert "note: 9 topics with human grades, taken to be a random sample of the 12" in shown.stderr
    first = shown.stdout.split("GAP\n")[1].splitlines()[2].split()[0]
    assert "GAP, assisted" in shown.stdout
    assert first == scores[0].runs[int(means.value[:, 1].argmax())]


def test_differences(gradeval: Gradeval, collection: list[Path], grades: tuple[Path, Path]) -> None:
    human, model = grades
    options = ["-m", "AP GAP", "--baseline", "best", "--assisted-by", model]
    lines = records(gradeval("compare", human, *collection[1:], *options, "--format", "tsv"))
    comparison = compare_assisted(*(evaluate(qrels, collection[1:], "AP GAP") for qrels in grades), "best")
    assert [float(line["p"]) for line in lines if line["statistic"] == "assisted"] == comparison.p.ravel().tolist()
    shown = gradeval("compare", human, *collection[1:], *options)
    assert "told apart" in shown.stdout
    assert "human alone" in shown.stdout


def test_topics_choose_among_the_human_ones(
    gradeval: Gradeval, collection: list[Path], grades: tuple[Path, Path]
) -> None:
    human, model = grades
    topics = ",".join(evaluate(human, collection[1], "AP").topics[:8])
    options = ["--ci", "--assisted-by", model, "--topics", topics, "--format", "tsv"]
    lines = records(gradeval("evaluate", human, collection[1], *options))
    assert {(line["human_topics"], line["model_topics"]) for line in lines} == {("8", "12")}


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("evaluate", [], "gives means with their intervals; add --ci"),
        ("evaluate", ["--ci", "-q"], "--per-topic does nothing beside --assisted-by; leave it out"),
        ("evaluate", ["--ci", "--missing", "skip"], "missing='skip' may leave out different topics"),
        ("evaluate", ["--ci", "--format", "trec_eval"], "has no place for the intervals"),
        ("compare", ["--test", "sign"], "--test does nothing beside --assisted-by; leave it out"),
        ("compare", ["-m", "NumRel"], "NumRel adds up over topics"),
        ("compare", ["--baseline", "nobody"], "no run 'nobody'"),
    ],
)
def test_what_does_not_go_together_is_refused(
    gradeval: Gradeval,
    collection: list[Path],
    grades: tuple[Path, Path],
    command: str,
    options: list[str],
    message: str,
) -> None:
    human, model = grades
    result = gradeval(command, human, *collection[1:], "--assisted-by", model, *options)
    assert message in refusal(result)
    assert ("--baseline" in options) <= (str(model) not in refusal(result))


def test_bad_grades_of_the_model_are_refused(
    gradeval: Gradeval, collection: list[Path], grades: tuple[Path, Path], tmp_path: Path
) -> None:
    human, model = grades
    bad = tmp_path / "bad.txt"
    first = human.read_text().split()[0]
    lacking = "".join(line for line in model.read_text().splitlines(keepends=True) if line.split()[0] != first)
    for text, message in (
        (human.read_text(), "adds nothing; grade more topics"),
        (lacking, "graded no document of 1"),
        (model.read_text().replace(" 2\n", " nan\n", 1), "grade 'nan'"),
        ("", "bad.txt"),
    ):
        bad.write_text(text)
        for command in (["evaluate", "--ci"], ["compare"]):
            result = gradeval(command[0], human, *collection[1:], *command[1:], "--assisted-by", bad)
            assert message in refusal(result)
    assert "no such file" in refusal(gradeval("compare", human, *collection[1:], "--assisted-by", tmp_path / "none"))
    ready = tmp_path / "scores.tsv"
    assert gradeval("evaluate", *collection, "-q", "-o", ready).exit_code == 0
    assert "give QRELS and RUNS, not --scores" in refusal(
        gradeval("compare", "--scores", ready, "--assisted-by", model)
    )


def test_the_output_may_not_replace_the_grades_of_the_model(
    gradeval: Gradeval, collection: list[Path], grades: tuple[Path, Path]
) -> None:
    human, model = grades
    for command in (["evaluate", "--ci"], ["compare"]):
        options = [*command[1:], "--assisted-by", model, "-o", model, "--format", "tsv"]
        result = gradeval(command[0], human, *collection[1:], *options)
        assert "would replace the input" in refusal(result)


def test_topics_are_without_a_model_is_told_of(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("evaluate", *collection, "--topics-are", "all")
    assert "note: --topics-are says what the topics of --assisted-by are, and there is none" in result.stderr


def test_ties_may_be_expected(gradeval: Gradeval, small: Path) -> None:
    run = small / "flat.txt"
    run.write_text("t1 Q0 d1 1 1.0 flat\nt1 Q0 d2 2 1.0 flat\nt1 Q0 x 3 1.0 flat\nt1 Q0 d3 4 1.0 flat\n")
    options = ["-m", "RR P@1", "--topics", "t1", "--ties", "expected"]
    result = gradeval("evaluate", small / "qrels.txt", run, *options, "--format", "tsv")
    line = next(line for line in records(result) if line["topic"] == "all" and line["measure"] == "RR")
    # Two of four documents are relevant: the first is at rank 1, 2, 3 with probability 3/6, 2/6, 1/6.
    assert float(line["value"]) == pytest.approx(3 / 6 + 2 / 6 / 2 + 1 / 6 / 3)
    assert "expected over all orders of tied documents, and exact" in result.stderr


def test_drawn_orders_of_ties_are_told_with_their_error(gradeval: Gradeval, small: Path) -> None:
    run = small / "flat.txt"
    run.write_text("".join(f"t1 Q0 {name} 1 1.0 flat\n" for name in ("d1", "d2", "d3", "x", "y", "z")))
    options = ["-m", "Bpref AP", "--topics", "t1", "--ties", "expected", "--seed", "3"]
    result = gradeval("evaluate", small / "qrels.txt", run, *options)
    note = "note: averaged over 256 drawn orders of tied documents, standard error of a mean at most: Bpref 0.0"
    assert note in result.stderr
    assert result.stderr.count("; all else is exact") == 1


@pytest.mark.parametrize("command", ["robustness", "curve", "report"])
def test_commands_that_need_an_order_refuse_expected_ties(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, command: str
) -> None:
    output = ["-o", tmp_path / "page.html"] if command == "report" else []
    result = gradeval(command, *collection, "--ties", "expected", *output)
    assert "leaves the documents of one score without an order" in refusal(result)
