"""``assisted_means`` and ``compare_assisted`` with human grades of some topics and a model's of all; ties."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradeval import evaluate

from .conftest import Gradeval, records, refusal


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


def test_topics_choose_among_the_human_ones(
    gradeval: Gradeval, collection: list[Path], grades: tuple[Path, Path]
) -> None:
    human, model = grades
    topics = ",".join(evaluate(human, collection[1], "AP").topics[:8])
    options = ["--model", model, "--topics", topics, "--format", "tsv"]
    lines = records(gradeval("assisted_means", human, collection[1], *options))
    assert {(line["human_topics"], line["model_topics"]) for line in lines} == {("8", "12")}


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
        for command in ("assisted_means", "compare_assisted"):
            result = gradeval(command, human, *collection[1:], "--model", bad)
            assert message in refusal(result)
    result = gradeval("compare_assisted", human, *collection[1:], "--model", tmp_path / "none")
    assert "no such file" in refusal(result)


@pytest.fixture
def one_file(grades: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The grades 0 and 1 of humans and 1 to 5 of a model side by side, and each of them alone; where there are no
    human grades, the cell is left out of the file of the humans."""
    monkeypatch.chdir(tmp_path)
    human, model = (
        {(line.split()[0], line.split()[2]): int(line.split()[3]) for line in file.read_text().splitlines()}
        for file in grades
    )
    scale = {0: 2, 1: 4, 2: 5}
    both = [f"{topic},{doc},{min(1, grade)},{scale[model[topic, doc]]}" for (topic, doc), grade in human.items()]
    alone = [f"{topic},{doc},{scale[grade]}" for (topic, doc), grade in model.items()]
    (tmp_path / "both.csv").write_text("\n".join(["query,doc,person,llm", *both]) + "\n")
    (tmp_path / "more.csv").write_text("\n".join(["query,doc,llm", *alone]) + "\n")
    (tmp_path / "zero-one.txt").write_text(
        "".join(f"{topic} 0 {doc} {int(grade > 0)}\n" for (topic, doc), grade in model.items())
    )
    return tmp_path


HUMAN, MODEL = "columns:grade=person:both.csv", "columns:grade=llm:more.csv"


@pytest.mark.usefixtures("one_file")
@pytest.mark.parametrize("command", ["assisted_means", "compare_assisted"])
@pytest.mark.parametrize(
    ("model", "name"), [(MODEL, "model"), (MODEL, "more"), (f"llm={MODEL}", "llm"), ("llm=more.csv", "llm")]
)
def test_grades_of_the_model_alone_are_recoded(
    gradeval: Gradeval, collection: list[Path], command: str, model: str, name: str
) -> None:
    data, how = [command, HUMAN, *collection[1:]], ["-m", "AP", "--format", "tsv"]
    named = [] if "columns" in model else ["--columns", "grade=llm"]
    recoded = gradeval(*data, "--model", model, "--recode", f"{name}:2=0,4=1,5=1", *how, *named)
    assert recoded.exit_code == 0, recoded.stderr
    assert recoded.stdout == gradeval(*data, "--model", "zero-one.txt", *how).stdout


@pytest.mark.usefixtures("one_file")
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--model", MODEL], "levels 0,1 of both.csv; accepted: --recode model:2=0,4=1,5=1"),
        (
            ["--model", "columns:grade=llm:both.csv", "--recode", "both:2=0,4=1,5=1"],
            "--recode both: 2 judgments are called so; name one: columns:grade=person:both.csv or model",
        ),
        (["--model", f"llm={MODEL}", "--recode", "lm:2=0"], "--recode lm: no judgments are called so (did you mean ll"),
        (["--model", "llm="], "--model llm=: accepted: NAME=FILE or FILE"),
        (["--model", "llm=none.csv"], "none.csv: no such file"),
    ],
)
@pytest.mark.parametrize("command", ["assisted_means", "compare_assisted"])
def test_models_on_another_scale_and_names_of_two_are_refused(
    gradeval: Gradeval, collection: list[Path], command: str, args: list[str], message: str
) -> None:
    assert message in refusal(gradeval(command, HUMAN, *collection[1:], *args))


@pytest.mark.usefixtures("one_file")
def test_the_output_may_not_be_the_file_of_the_model(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("assisted_means", HUMAN, *collection[1:], "--model", "llm=zero-one.txt", "-o", "zero-one.txt")
    assert "zero-one.txt" in refusal(result)


@pytest.mark.usefixtures("one_file")
def test_that_no_topic_holds_anything_is_said_first(gradeval: Gradeval, collection: list[Path]) -> None:
    all_zero = ["--recode", "1=0,2=0,4=0,5=0", "-m", "AP"]
    for data in (["assisted_means", HUMAN, *collection[1:], "--model", MODEL], ["evaluate", HUMAN, *collection[1:]]):
        first = gradeval(*data, *all_zero).stderr.splitlines()[:2]  # before it, that a model could not help
        assert any("topics hold nothing to be found for AP" in line for line in first)


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
    assert "this needs an order of tied documents" in refusal(result)
