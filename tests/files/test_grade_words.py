"""Words as grades: true and false, yes and no, words of language models, labels of Amazon's Shopping Queries."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from refusing import said_of
from table_forms import TABLE_FORMS, give_table, read_table, write_table

from gradeval import InputError, evaluate, qrels_from_frame, read_qrels, read_run
from gradeval.cli import main
from gradeval.files.accepted import as_qrels
from gradeval.warning_categories import FilesWarning


def test_labels_of_shopping_queries_are_grades(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    labels = {"B1": "E", "B2": "S", "B3": "C", "B4": "I"}
    lines = "".join(f"7,{product},{label},us\n" for product, label in labels.items())
    (tmp_path / "esci.csv").write_text(f"query_id,product_id,esci_label,product_locale\n{lines}")
    (tmp_path / "esci.jsonl").write_text(
        "".join(json.dumps({"query_id": 7, "product_id": p, "esci_label": e}) + "\n" for p, e in labels.items())
    )
    for name in ("esci.csv", "esci.jsonl"):
        qrels = read_qrels(tmp_path / name)
        assert qrels.to_dict() == {"7": {"B1": 3, "B2": 2, "B3": 1, "B4": 0}}
    columns = {"query_id": [7] * 4, "product_id": list(labels), "esci_label": list(labels.values())}
    assert qrels_from_frame(columns).to_dict() == qrels.to_dict()
    wrong = said_of(lambda: qrels_from_frame({**columns, "esci_label": [*"ESC", "Z"]}))
    assert wrong == "qrels: row 3: esci_label 'Z' is not a finite number; write one of E, S, C, I"
    run = {"7": {"B2": 2.0, "B1": 1.0}}
    assert evaluate(qrels, run, "CG(gains={3:1,2:0.1,1:0.01})@1").mean()[0, 0] == pytest.approx(0.1)
    (tmp_path / "esci.csv").write_text("query_id,product_id,esci_label\n7,B1,Exact\n7,B2,Z\n")
    assert "grade 'Z' is not a finite number" in said_of(lambda: read_qrels(tmp_path / "esci.csv"))


WORDS: dict[str, tuple[list[Any], list[int]]] = {
    "truth": ([True, False, True, False], [1, 0, 1, 0]),
    "numbers": ([1, 0, 0, 1], [1, 0, 0, 1]),
    "digits": (["1", "0", "0", "1"], [1, 0, 0, 1]),
    "true": (["true", "False", "FALSE", "True"], [1, 0, 0, 1]),
    "yes": (["yes", "No", "NO", "Yes"], [1, 0, 0, 1]),
    "both": (["yes", "0", "false", "1"], [1, 0, 0, 1]),
}


@pytest.mark.parametrize("name", ["relevant", "is_relevant", "Is Relevant", "relevance", "llm_label"])
@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_true_and_yes_are_grade_1_whatever_has_them(form: str, words: str, name: str, tmp_path: Path) -> None:
    given, (a, b, c, d) = WORDS[words]
    table = {"question": ["q1", "q1", "q2", "q2"], name: given, "chunk_id": ["a", "b", "c", "d"]}
    read = read_table(form, table, tmp_path)
    assert read.qrels.to_dict() == {"q1": {"a": a, "b": b}, "q2": {"c": c, "d": d}}
    assert "without a grade" not in read.said


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_graded_column_counts_before_one_of_yes_and_no(form: str, first: bool, tmp_path: Path) -> None:
    columns = {"relevant": ["yes", "no"], "relevance": [3, 0]}
    columns = columns if first else dict(reversed(columns.items()))
    read = read_table(form, {"query_id": ["q", "q"], "doc_id": ["a", "b"], **columns}, tmp_path)
    assert read.qrels.to_dict() == {"q": {"a": 3, "b": 0}}


@pytest.mark.parametrize("word", ["maybe", "2x", "y"])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_another_word_is_refused_and_quoted(form: str, word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"'{word}'"):
        read_table(form, {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevant": ["yes", word]}, tmp_path)


@pytest.mark.parametrize("name", ["relevant", "gold"])
@pytest.mark.parametrize("records", [False, True])
def test_a_list_with_such_a_name_is_one_of_documents_and_a_record_with_a_document_has_a_grade(
    name: str, records: bool, tmp_path: Path
) -> None:
    """Without a grade, too, as null may be a list without anything."""
    lists = {"question_id": ["q1", "q2"], name: [["a", "b"], ["c"]]}
    grades = {"question_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], name: [1, None, 1]}
    for table, expected in (
        (lists, {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}),
        (grades, {"q1": {"a": 1}, "q2": {"c": 1}}),
    ):
        if records:
            assert as_qrels(give_table("pyarrow", table)).to_dict() == expected
        else:
            assert read_qrels(write_table("lines", table, tmp_path / "x.jsonl")).to_dict() == expected
        parquet.write_table(pa.table(table), tmp_path / "x.parquet")
        assert read_qrels(tmp_path / "x.parquet").to_dict() == expected


def test_hits_say_themselves_whether_they_are_relevant(tmp_path: Path) -> None:
    hits = [{"id": "a", "relevant": True}, {"id": "b", "relevant": False}, {"id": "c"}]
    (tmp_path / "x.jsonl").write_text(json.dumps({"question": "q", "chunks": hits}))
    read = read_qrels(tmp_path / "x.jsonl")
    assert read.to_dict() == {"q": {"a": 1, "b": 0}}
    assert "1 without a grade is unjudged" in read.read_as


@pytest.mark.parametrize("word", ["true", "yes"])
@pytest.mark.parametrize("form", ["csv", "lines"])
def test_no_score_is_a_word(form: str, word: str, tmp_path: Path) -> None:
    place = write_table(form, {"query_id": ["q"], "doc_id": ["a"], "score": [word]}, tmp_path / "x")
    with pytest.raises(InputError, match=f"score '{word}' is not a finite number"):
        read_run(place)


WRITTEN: dict[str, tuple[list[str], list[int], str]] = {
    "named": (["Grade: 2", "grade: 0", "Relevance score = 1", "1"], [2, 0, 1, 1], "'Grade: 2' as 2"),
    "marked": (["2", "0", "##final score: 1", "Label 3"], [2, 0, 1, 3], "'##final score: 1' as 1"),
    "explained": (["2 - relevant", "0: no", "1 (a little)", "2 \u2013 yes"], [2, 0, 1, 2], "'2 - relevant' as 2"),
    "from 1": (["2 - partly", "1 - not relevant", "Grade 1: irrelevant", "3"], [2, 1, 1, 3], "'2 - partly' as 2"),
    "not very": (["1 - not very relevant", "0 - not relevant", "0", "2"], [1, 0, 0, 2], "'1 - not very relevant' as 1"),
    "of": (["2/3", "0/3", "Score: 3 / 3", "1 out of 3"], [2, 0, 3, 1], "'2/3' as 2"),
    "enclosed": (["**2**", '"0"', "`1`", "**Grade: 3**"], [2, 0, 1, 3], "'**2**' as 2"),
    "relevant": (["Relevant", "not relevant", "irrelevant", "Yes."], [1, 0, 0, 1], "'Relevant' as 1"),
    "with reasons": (
        ["Grade: 2. It has 3 steps.", "Grade: **0**", "**Grade:** 1", "It has 7 steps. Final score: 3"],
        [2, 0, 1, 3],
        "'Grade: 2. It has 3 steps.' as 2",
    ),
    "ranges": (
        ["Grade (0-3): 2", "Score (0 to 3): 0", "grade (0-3) = 1", "1/3"],
        [2, 0, 1, 1],
        "'Grade (0-3): 2' as 2",
    ),
    "tags": (["<grade>2</grade>", "Why: 7. <score>0</score>", "[[1]]", "Rating: [[3]]"], [2, 0, 1, 3], "'<grade>2</"),
    "stars": (["3 stars", "0 stars", "1 star.", "(2)"], [3, 0, 1, 2], "'3 stars' as 3"),
    "brackets": (["[2]", "(0)", "Score: (1)", "```2```"], [2, 0, 1, 2], "'[2]' as 2"),
    "again": (["2 points", "0", "2 points", "2 points"], [2, 0, 2, 2], "'2 points' as 2"),
    "decimal": (["3.0", " 2 ", "0.0", "1."], [3, 2, 0, 1], ""),
}
"""Grades in words, as numbers, and what is said of the first."""


@pytest.mark.parametrize("words", WRITTEN)
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_grade_in_words_is_its_number_and_a_note_quotes_the_first(form: str, words: str, tmp_path: Path) -> None:
    given, (a, b, c, d), first = WRITTEN[words]
    read = read_table(form, {"query": ["q1", "q1", "q2", "q2"], "grade": given, "doc": [*"abcd"]}, tmp_path)
    assert read.qrels.to_dict() == {"q1": {"a": a, "b": b}, "q2": {"c": c, "d": d}}
    number = sum(not re.fullmatch(r"\s*[0-9.]+\s*", one) for one in given)
    counted = f"{number} grades in words are read as numbers: {first}"
    assert counted in read.said if first else "in words" not in read.said


@pytest.mark.parametrize("form", sorted({*TABLE_FORMS} - {"tsv"}))  # in which a text is one line
def test_a_number_above_or_below_a_reason_is_the_grade(form: str, tmp_path: Path) -> None:
    texts = ["2\n\nBecause of 3 steps", "It has 7 steps.\n##Final score: 3", "1.\n\nIt says 5", "3"]
    read = read_table(form, {"query": ["q"] * 4, "doc": [*"abcd"], "grade": texts}, tmp_path)
    assert read.qrels.to_dict() == {"q": {"a": 2, "b": 3, "c": 1, "d": 3}}
    assert "3 grades in words are read as numbers: '2\\n\\nBecause of 3 steps' as 2" in read.said


@pytest.mark.parametrize("form", TABLE_FORMS)
def test_the_highest_grade_that_grades_name_is_kept_until_they_are_recoded(form: str, tmp_path: Path) -> None:
    table = {"query": ["q", "q"], "doc": ["a", "b"], "grade": ["2/5", "0/5"]}
    qrels = read_table(form, table, tmp_path).qrels
    assert (qrels.highest, qrels.recoded({2: 1}).highest, qrels.shifted(1).highest) == (5, 0, 0)
    assert read_table(form, table | {"grade": ["2", "0"]}, tmp_path).qrels.highest == 0


@pytest.mark.parametrize("word", ["N/A", "n/a", "NA", "None", "null", "<NA>"])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_word_for_no_grade_is_unjudged_and_quoted(form: str, word: str, tmp_path: Path) -> None:
    read = read_table(form, {"query": ["q", "q"], "doc": ["a", "b"], "grade": [word, "2"]}, tmp_path)
    assert read.qrels.to_dict() == {"q": {"b": 2}}
    assert f"1 without a grade is unjudged; '{word}' is no grade" in read.said


DOUBTFUL = {
    "two numbers": (["2", "2 - or 3"], "grade '2 - or 3' is not a finite number"),
    "a range": (["2-3", "0"], "grade '2-3' is not a finite number; write it as in 2 or 0.5"),
    "a negation": (["2", "not 2"], "grade 'not 2' is not a finite number"),
    "a grade of something else": (["2", "below grade 2"], "grade 'below grade 2' is not a finite number"),
    "the highest grade": (["2", "max score: 3"], "grade 'max score: 3' is not a finite number"),
    "how sure one is": (["2", "Confidence score: 5"], "grade 'Confidence score: 5' is not a finite number"),
    "the best grade lowest": (
        ["1 - highly relevant", "4 - not relevant"],
        "grade '4 - not relevant' is not relevant, and another grade is 1, which is lower; write numbers only",
    ),
    "a unit": (["2x", "0"], "grade '2x' is not a finite number"),
    "a share": (["50%", "0"], "grade '50%' is not a finite number; write it as in 2 or 0.5"),
    "beyond": (["4/3", "0/3"], "grade '4/3' is not a finite number"),
    "two scales": (["2/3", "1/2"], "grade '1/2' is not a finite number"),
    "a dash": (
        ["-", "0"],
        "grade '-' is not a finite number; write it as in 2 or 0.5; leave it empty if none was given",
    ),
    "an alternative": (["(2)", "3 or 4"], "grade '3 or 4' is not a finite number"),
    "a doubt": (["(2)", "maybe (2)"], "grade 'maybe (2)' is not a finite number"),
    "a denied bracket": (["(2)", "not [2]"], "grade 'not [2]' is not a finite number"),
    "two in brackets": (["(2)", "[2], [3]"], "grade '[2], [3]' is not a finite number"),
    "letters": (["k.A.", "0"], "grade 'k.A.' is not a finite number; write it as in 2 or 0.5; leave it empty if none"),
    "not a number": (["nan", "0"], "grade 'nan' is not a finite number; write it as in 2 or 0.5"),
    "a scale in words": (
        ["Relevant", "Highly relevant"],
        "grade 'Highly relevant' is not a finite number; write a number for each word: ",
    ),
    "two grades": (["2", "Grade: 1. No. Grade: 2"], "grade 'Grade: 1. No. Grade: 2' is not a finite number"),
    "two tags": (["2", "[[1]] or [[2]]"], "grade '[[1]] or [[2]]' is not a finite number"),
    "another score": (["2", "Max score: 3. It fits."], "grade 'Max score: 3. It fits.' is not a finite number"),
    "a denied grade": (["2", "No grade: 3. It fits."], "grade 'No grade: 3. It fits.' is not a finite number"),
    "two ranges": (["Grade (0-3): 2", "Grade (1-5): 2"], "grade 'Grade (1-5): 2' is not a finite number"),
    "a failure": (
        ["2", "ERROR: rate limit 429"],
        "write nothing there, as an empty cell or null, if no grade was given",
    ),
    "a reason for no grade": (["2", "N/A (rate limit)"], "write nothing there, as an empty cell or null"),
    "JSON with two grades": (["2", '{"grade": 1, "label": 2}'], "; name "),
    "JSON that is cut": (["2", '{"grade": 1, "reason": "it'], "is JSON that is cut; complete it, or leave it empty"),
    "a sentence": (
        ["2", "I would give it a 2 as it has 3 steps"],
        "write the number alone, in pandas: df['grade'].str.extract(r'a (\\d+)')[0]; then look at it",
    ),
    "a sentence without a number": (
        ["2", "It is what the question asks for"],
        "write the number alone; nothing there,",
    ),
    "yes among grades": (["yes", "2"], "grade 'yes' says yes or no, and another grade is 2; write numbers only"),
    "of 3 and beyond": (["2/3", "4"], "which says that 3 is the highest grade, and another grade is 4"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_words_that_may_be_two_grades_are_refused(form: str, name: str, tmp_path: Path) -> None:
    grades, said = DOUBTFUL[name]
    table = {"query": ["q", "q"], "doc": ["a", "b"], "grade": grades}
    assert said in said_of(lambda: read_table(form, table, tmp_path))


ANSWERS = {
    '{"grade": 1, "reason": "mentions it"}': 1,
    "Grade: 3\n\nOff topic.": 3,
    "3": 3,
    '```json\n{"grade": 2, "reason": "x"}\n```': 2,
    "I'm sorry, but I can't determine the relevance of this passage.": None,
    "I cannot grade this passage.": None,
}


@pytest.mark.parametrize("grade", ["response", "response.grade"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_answers_of_a_model_in_mixed_forms_are_read_and_refusals_counted(form: str, grade: str, tmp_path: Path) -> None:
    """Whether the user names the answers or their part; a refusal is unjudged, and a warning counts these."""
    names = [f"d{at}" for at in range(len(ANSWERS))]
    table = pd.DataFrame({"question_id": "q", "chunk_id": names, "response": [*ANSWERS]})
    path = tmp_path / f"judge.{form}"
    if form == "csv":
        table.to_csv(path, index=False)
    elif form == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_parquet(path)
    with pytest.warns(FilesWarning, match="2 answers give no grade and are unjudged, as .I'm sorry, but I can't"):
        read = read_qrels(path, columns={"grade": grade})
    expected = {name: number for name, number in zip(names, ANSWERS.values(), strict=True) if number is not None}
    assert read.of("q") == expected
    assert "2 without a grade are unjudged" in read.read_as


@pytest.mark.parametrize("grade", ["Grade: 2", "2/3", "2 - relevant", "2"])
def test_words_in_lists_and_mappings_are_grades_too(grade: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"query": "q", "relevant": [{"id": "a", "grade": grade}]}))
    (tmp_path / "x.json").write_text(json.dumps({"q": {"a": grade}}))
    for name in ("x.jsonl", "x.json"):
        read = read_qrels(tmp_path / name)
        assert read.to_dict() == {"q": {"a": 2}}
        assert (f"'{grade}' as 2" in read.read_as) == (grade != "2")


EVENTS = [("q1", "a", "view"), ("q1", "b", "purchase"), ("q2", "a", "click"), ("q2", "b", "3")]
NUMBERS = {"view": 0, "click": 1, "purchase": 2}


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_words_of_the_users_choice_become_grades(form: str, tmp_path: Path) -> None:
    """The error lists all words of the column; what it says to type reads the file."""
    table = pd.DataFrame(EVENTS, columns=["query_id", "doc_id", "event"])
    path = tmp_path / f"events.{form}"
    if form == "jsonl":
        table.to_json(path, orient="records", lines=True)
    elif form == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="," if form == "csv" else "\t")
    said = said_of(lambda: read_qrels(path, columns="grade=event"))
    assert "grade for each word" not in said
    assert (
        "write a number for each word: --recode view=GRADE,purchase=GRADE,click=GRADE, or in Python read_qrels(" in said
    )
    said = said_of(lambda: read_qrels(path, columns="grade=event", recode={"view": 0}))
    assert "--recode view=0,purchase=GRADE,click=GRADE, or in Python read_qrels(" in said
    read = read_qrels(path, columns="grade=event", recode=NUMBERS)
    assert {topic: read.of(topic) for topic in read.topics} == {"q1": {"a": 0, "b": 2}, "q2": {"a": 1, "b": 3}}


LABELS = {"a": "Exact", "b": "Substitute", "c": "Irrelevant", "d": "Complement"}


def fill(told: str, grades: dict[str, int]) -> list[str]:
    """The option that a message says to write, with these grades for its blanks."""
    words = shlex.split(told.split("too: " if "too: " in told else "each word: ")[1].split(", or in Python")[0])
    pairs = [pair.split("=") for pair in words[1].split(",")]
    return [words[0], ",".join(f"{word}={grades[word] if number == 'GRADE' else number}" for word, number in pairs)]


@pytest.mark.parametrize("form", ["csv", "tsv", "lines", "parquet"])
def test_words_that_say_yes_or_no_are_told_with_the_others_so_that_the_advice_works(form: str, tmp_path: Path) -> None:
    table = {"query_id": ["q"] * 4, "doc_id": list(LABELS), "label": list(LABELS.values())}
    path = write_table(form, table, tmp_path / f"labels.{form}")
    (tmp_path / "r.txt").write_text("q Q0 a 1 3 r\nq Q0 b 2 2 r\n")
    args = ["evaluate", str(path), str(tmp_path / "r.txt")]
    grades = {"Exact": 3, "Substitute": 2, "Complement": 1}
    told = CliRunner().invoke(main, args)
    given = fill(told.output, grades)
    assert given == ["--recode", "Exact=3,Substitute=2,Irrelevant=0,Complement=1"]
    assert CliRunner().invoke(main, [*args, *given]).exit_code == 0
    told = CliRunner().invoke(main, [*args, "--recode", "Exact=3,Substitute=2,Complement=1"])  # without the one
    assert "'Irrelevant' says yes or no" in told.output
    assert CliRunner().invoke(main, [*args, *fill(told.output, grades)]).exit_code == 0


def test_words_of_a_mapping_are_told_together(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"q": {"a": "Exact", "b": "Substitute"}, "r": {"c": "Irrelevant", "d": "Complement"}}))
    told = said_of(lambda: read_qrels(path))
    assert "--recode Exact=GRADE,Substitute=GRADE,Irrelevant=0,Complement=GRADE, or in Python read_qrels(" in told


WORDED: dict[str, Any] = {
    "objects": [
        {"question_id": "q", "judgments": [{"chunk_id": "a", "grade": "Exact"}, {"chunk_id": "b", "grade": "no"}]},
        {"question_id": "r", "judgments": [{"chunk_id": "a", "grade": "Fair"}]},
    ],
    "by topic": {"q": [{"id": "a", "grade": "Exact"}, {"id": "b", "grade": "no"}], "r": [{"id": "a", "grade": "Fair"}]},
    "pairs": {"q": [["a", "Exact"], ["b", "no"]], "r": [["a", "Fair"]]},
    "pairs in records": [
        {"query_id": "q", "relevant": [["a", "Exact"], ["b", "no"]]},
        {"query_id": "r", "relevant": [["a", "Fair"]]},
    ],
}
NUMBERED = {"Exact": 2, "Fair": 1}


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("form", WORDED)
def test_words_in_lists_are_told_together(form: str, lines: bool, tmp_path: Path) -> None:
    """What the error says to type reads the file, on the command line and in Python; values of Python, too."""
    given = WORDED[form]
    path, run = tmp_path / "labels.json", tmp_path / "r.txt"
    records = given if isinstance(given, list) and lines else [given]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    run.write_text("q Q0 b 1 3 r\nq Q0 a 2 2 r\nr Q0 a 1 1 r\n")
    told = CliRunner().invoke(main, ["evaluate", str(path), str(run)]).output
    option = fill(told, NUMBERED)
    assert option == ["--recode", "Exact=2,no=0,Fair=1"]
    assert CliRunner().invoke(main, ["evaluate", str(path), str(run), *option]).exit_code == 0
    python = said_of(lambda: read_qrels(path)).split("in Python ")[1].replace("GRADE", "1")
    read = eval(python, {"read_qrels": read_qrels, "FILE": path})
    assert read.to_dict() == {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    mapping = said_of(lambda: evaluate(given, run)).split("each word: ")[1].replace("GRADE", "1")
    assert eval(mapping, {"grade": "Fair"}) == 1
    assert eval(mapping, {"grade": "no"}) == 0


def test_words_with_signs_of_the_option_are_given_in_python(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text('query_id,doc_id,grade\nq,a,Exact\nq,b,"Fair, maybe"\n')
    python = said_of(lambda: read_qrels(path)).split("for each word, in Python ")[1].replace("GRADE", "1")
    assert eval(python, {"read_qrels": read_qrels, "FILE": path}).to_dict() == {"q": {"a": 1, "b": 1}}


def test_words_of_a_frame_are_given_numbers_in_the_frame() -> None:
    df = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": ["Exact", "Fair"]})
    code = said_of(lambda: qrels_from_frame(df)).split("for each word: ")[1].replace("GRADE", "2")
    assert eval(code, {"df": df}).tolist() == [2, 2]


def test_the_likely_grade_of_a_list_is_named(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.json"
    judged = [{"chunk_id": "a", "verdict": "yes", "rank": 1, "text": "It is, as it says there, a long text."}]
    path.write_text(json.dumps([{"question_id": "q", "judgments": judged}]))
    code = said_of(lambda: read_qrels(path)).split("or in Python ")[1].split("; or")[0]
    assert eval(code, {"read_qrels": read_qrels, "FILE": path}).to_dict() == {"q": {"a": 1}}


@pytest.mark.parametrize("recode", [{"view": "0"}, {"view": 0, 2: 1}, {"view": float("nan")}])
def test_words_become_numbers_and_stand_alone(recode: Any, tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("query_id,doc_id,grade\nq1,a,view\n")
    assert "a word becomes a finite number" in said_of(lambda: read_qrels(path, recode=recode))


def test_words_of_one_file_are_recoded_on_the_command_line_and_unknown_ones_are_told(tmp_path: Path) -> None:
    for name, cells in (("events", "view click"), ("others", "click view")):
        rows = "".join(f"q1,d{at},{cell}\n" for at, cell in enumerate(cells.split()))
        (tmp_path / f"{name}.csv").write_text(f"query_id,doc_id,grade\n{rows}")
    run = tmp_path / "run.csv"
    run.write_text("query_id,doc_id,score\nq1,d1,2\nq1,d0,1\n")
    of_all = ["--recode", "view=0,click=1"]
    args = ["evaluate", str(tmp_path / "events.csv"), str(run), "-m", "P@1", "-v"]
    told = CliRunner().invoke(main, [*args, *of_all, "--recode", "events:buy=2"])
    assert told.exit_code == 0, told.output
    assert "--recode events:buy=2: no judgments have the grade buy" in told.output
    assert evaluate(read_qrels(args[1], recode={"view": 0, "click": 1}), run, "P@1").mean().tolist() == [[1.0]]
    judged = ["judges", str(tmp_path / "events.csv"), "--judge", str(tmp_path / "others.csv")]
    assert CliRunner().invoke(main, [*judged, *of_all]).exit_code == 0
    only = CliRunner().invoke(main, [*judged, "--recode", "events:view=0,click=1"])
    assert "others.csv:2: grade 'click' is not a finite number" in only.output


WORDED_LINES = {
    "blanks": "q 0 a Exact\nq 0 b no\nr 0 a Fair\n",
    "tabs": "q\t0\ta\tExact\nq\t0\tb\tno\nr\t0\ta\tFair\n",
    "Q0": "q Q0 a Exact\nq Q0 b no\nr Q0 a Fair\n",
    "numbers first": "q 0 c 2\nq 0 a Exact\nq 0 b no\nr 0 a Fair\n",
    "words that say yes or no first": "q 0 b no\nq 0 a Exact\nr 0 a Fair\n",
    "below a comment": "# judged in May 2026\nq 0 a Exact\nq 0 b no\nr 0 a Fair\n",
}


@pytest.mark.parametrize("form", WORDED_LINES)
def test_words_of_trec_text_are_told_together(form: str, tmp_path: Path) -> None:
    path, run = tmp_path / "judged.txt", tmp_path / "r.txt"
    path.write_text(WORDED_LINES[form])
    run.write_text("q Q0 b 1 3 r\nq Q0 a 2 2 r\nr Q0 a 1 1 r\n")
    told = CliRunner().invoke(main, ["evaluate", str(path), str(run)]).output
    option = fill(told, NUMBERED)
    assert {*option[1].split(",")} == {"Exact=2", "no=0", "Fair=1"}
    assert CliRunner().invoke(main, ["evaluate", str(path), str(run), *option]).exit_code == 0
    read = read_qrels(path, recode={"Exact": 2, "no": 0, "Fair": 1}).to_dict()
    assert read["r"] == {"a": 1}
    assert {document: read["q"][document] for document in "ab"} == {"a": 2, "b": 0}


@pytest.mark.parametrize("text", ["q 0 a yes\nq 0 b no\n", "q 0 a 1\nq 0 b no\nq 0 c relevant\n"])
def test_yes_and_no_are_grades_in_trec_text_as_in_csv(text: str, tmp_path: Path) -> None:
    plain, separated = tmp_path / "j.txt", tmp_path / "j.csv"
    plain.write_text(text)
    separated.write_text("query,it,doc,grade\n" + text.replace(" ", ","))
    assert read_qrels(plain).to_dict() == read_qrels(separated).to_dict()


@pytest.mark.parametrize("text", ["q 0 a 1\nq 0 b x\n", "q 0 a 1\nq 0 b Bad\n", "q 0 a 1\nq 0 b Bad 2\n"])
def test_other_faults_of_trec_text_are_told_as_before(text: str, tmp_path: Path) -> None:
    path = tmp_path / "j.txt"
    path.write_text(text)
    said = said_of(lambda: read_qrels(path))
    assert "j.txt:2: " in said
    assert "recode" not in said


def test_the_first_line_of_csv_without_a_header_counts_among_the_words(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("q,0,a,no\nq,0,b,Fair\nq,0,c,Exact\n")
    assert "--recode Fair=GRADE,no=0,Exact=GRADE," in said_of(lambda: read_qrels(path))
