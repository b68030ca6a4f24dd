"""Scales that begin above 0, as stars from 1 to 5: every judged document is then relevant by binary measures, and gains
by graded ones; one note says so, whatever the format of the files, in Python and on the command line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gradeval import (
    FilesWarning,
    GradesWarning,
    InputError,
    Qrels,
    compare,
    evaluate,
    gate,
    judge,
    judges,
    parse_measure,
    qrels_from_frame,
    read_qrels,
    report,
)
from gradeval.cli import main
from gradeval.scores.grade_notes import about_lone_grades
from gradeval.warning_categories import GradevalWarning, NoteWeight

Grades: TypeAlias = Mapping[str, Mapping[str, float]]

STARS = {"ann": {"a": 5, "b": 1, "c": 3}, "bob": {"a": 2, "b": 4, "c": 1}, "cho": {"a": 1, "b": 5, "c": 4}}
RUNS = {
    "one": {topic: {"a": 3.0, "x": 2.0, "b": 1.0} for topic in STARS},
    "two": {topic: {"c": 3.0, "b": 2.0, "x": 1.0} for topic in STARS},
}
BINARY = "AP P@5 RR Success@1 Bpref Rprec R@10 SetF RBP(rel=1) AUC NumRel".split()
GRADED = "nDCG@10 GAP xGAP muAP Q@10 ERR@20 RBP NDCNG nDCG(gains={2:5})@10 GAP(g={1:0.5,4:0.5})".split()
SILENT = "Judged@10 NumRet nDCG(gains={1:0})@10 GAP(g={4:1}) ERR(gains={1:0}) Q(gains={1:0})".split()


def lines(grades: Grades, line: str) -> str:
    return "".join(line.format(q, d, grade) for q, found in grades.items() for d, grade in found.items())


FORMATS: dict[str, Callable[[Grades], str]] = {
    "qrels.txt": lambda grades: lines(grades, "{} 0 {} {}\n"),
    "beir.tsv": lambda grades: "query-id\tcorpus-id\tscore\n" + lines(grades, "{}\t{}\t{}\n"),
    "stars.csv": lambda grades: "user_id,item_id,stars\n" + lines(grades, "{},{},{}\n"),
    "grades.json": json.dumps,
    "records.jsonl": lambda grades: lines(grades, '{{"query_id": "{}", "doc_id": "{}", "llm_grade": {}}}\n'),
}


def moved(by: float, grades: Grades = STARS) -> Grades:
    return {topic: {name: grade + by for name, grade in found.items()} for topic, found in grades.items()}


def warned(call: Callable[[], Any]) -> list[str]:
    """What a call warns of grades."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if one.category is GradesWarning]


def run(*words: object) -> str:
    """The errors and notes of a command."""
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code in (0, 1), result.stderr
    return result.stderr


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """Two runs as files."""
    for name, ranking in RUNS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(ranking))
    return [str(tmp_path / f"{name}.json") for name in RUNS]


@pytest.mark.parametrize("shift", [0, -1, -2, 1])
@pytest.mark.parametrize("form", FORMATS)
def test_files_of_all_formats_shifted_or_not(tmp_path: Path, places: list[str], form: str, shift: int) -> None:
    file = tmp_path / form
    file.write_text(FORMATS[form](STARS))
    lowest = 1 + shift
    after = f" after shift {shift}" if shift else ""
    for measure, rel in (("AP", 1), ("AP(rel=2)", 2), ("AP(rel=4)", 4), ("nDCG@10", None)):
        said = warned(lambda: evaluate(read_qrels(file, shift=shift), RUNS, measure))  # noqa: B023 - called at once
        printed = run("evaluate", file, *places, "-m", measure, *(["--shift", shift] if shift else []))
        assert [text in printed for text in said] == [True] * len(said)
        assert printed.count("means not relevant") == len(said)
        if lowest <= 0 or (rel is not None and rel > lowest):
            assert said == []
        elif rel is None:
            assert said == [
                f"no grade is 0{after}: by {measure} even grade {lowest} gains; "
                f"take --shift -1 (read_qrels(FILE, shift=-1)) if {lowest} means not relevant"
            ]
        else:
            assert said[0].startswith(f"every judgment is relevant by {measure}: no grade is under {lowest}{after}; ")
            assert len(said) == 1


@pytest.mark.parametrize("measure", [*BINARY, *GRADED, *SILENT])
def test_measures_are_told_by_their_declaration(measure: str) -> None:
    said = warned(lambda: evaluate(STARS, RUNS, measure))
    assert len(said) == (measure not in SILENT)
    higher = str(parse_measure(measure).configured({"rel": 3})) if measure in BINARY else measure
    remedy = f"write {higher}, or" if measure in BINARY else "take"
    assert all(f"; {remedy} Qrels.from_dict(QRELS).shifted(-1) if 1 means not relevant" in text for text in said)
    if measure in BINARY:
        assert warned(lambda: evaluate(STARS, RUNS, higher)) == []
    assert warned(lambda: evaluate(Qrels.from_dict(STARS).shifted(-1), RUNS, measure)) == []


@pytest.mark.parametrize("measure", [*GRADED, *SILENT[2:]])
def test_a_graded_measure_is_noted_where_the_lowest_grade_alone_has_a_value(measure: str) -> None:
    lowest = {topic: {name: 1.0 for name, grade in found.items() if grade == 1} for topic, found in STARS.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = evaluate(STARS, {"lowest": lowest}, measure).values.max()
    assert (value > 0) == (measure in GRADED)


@pytest.mark.parametrize(
    ("grades", "noted"),
    [
        ([1, 2, 3, 4, 5], True),
        ([1, 2, 3, 4], True),
        ([1, 5, 10], True),
        ([2, 3, 5], True),
        ([1, 1.5, 3], True),
        ([0, 1, 2, 3, 4, 5], False),
        ([-1, 1, 2, 3, 4, 5], False),
        ([0.5, 1, 2, 5], False),  # the lowest step is not relevant, as 0 is on a scale from 0
        ([1, 1, 1], False),  # a list of relevant documents
        ([1, 2, 2], False),  # the same, of two kinds
        ([5, 5, 5], False),
        ([3, 4, 5], True),
        ([4, 5, 5], False),  # liked items alone, of stars from 1 to 5
        ([3.5, 4, 4.5, 5], False),
        ([2, 3, 3], False),
        ([7, 8, 9, 10], False),
    ],
    ids=str,
)
def test_the_note_comes_where_graded_judgments_are_all_relevant(grades: list[float], noted: bool) -> None:
    """It is true: AP then cannot tell any two rankings of the judged documents apart."""
    qrels = {"1": {f"d{place}": grade for place, grade in enumerate(grades)}}
    assert bool(warned(lambda: evaluate(qrels, {"1": {"d0": 1.0}}, "AP"))) == noted
    if noted:
        orders = list(permutations(qrels["1"]))[:50]
        runs = {
            str(n): {"1": {name: -float(rank) for rank, name in enumerate(order)}} for n, order in enumerate(orders)
        }
        with pytest.warns(GradesWarning):
            assert set(evaluate(qrels, runs, "AP").values.ravel().tolist()) == {1.0}


def test_all_topics_of_the_judgments_decide_and_one_note_names_all_measures() -> None:
    """Ann gave no 0, but Dan did."""
    said = warned(lambda: evaluate(STARS, RUNS, "P@5 RR nDCG@10 " + " ".join(f"P@{cutoff}" for cutoff in range(1, 7))))
    assert len(said) == 1
    every = "every judgment is relevant by P@5, RR, P@1, P@2, P@3 and 2 more, and gains by nDCG@10: "
    assert said[0].startswith(every)
    with_zero, topics = {**STARS, "dan": {"a": 0}}, "ann,bob,cho"
    assert warned(lambda: evaluate(with_zero, RUNS, "AP", topics=topics)) == []
    assert warned(lambda: compare(with_zero, RUNS, "AP", topics=topics)) == []
    assert warned(lambda: gate(with_zero, RUNS["one"], RUNS["two"], "AP", topics=topics)) == []
    assert warned(lambda: report(with_zero, RUNS, "AP", topics=topics, studies=())) == []
    compared = judges(with_zero, {"llm": with_zero}, RUNS, "AP", topics=topics, draws=0, samples=100)
    assert [note for note in compared.notes if note.category is GradesWarning] == []
    assert len(warned(lambda: evaluate(STARS, RUNS, "AP", topics="ann"))) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: evaluate(STARS, RUNS),
        lambda: compare(STARS, RUNS),
        lambda: compare(judge(STARS, RUNS), "AP"),
        lambda: gate(STARS, RUNS["one"], RUNS["two"], "AP"),
        lambda: report(STARS, RUNS, studies=()),
        lambda: compare(STARS, RUNS, "AP", topics="ann,bob,cho"),
    ],
    ids=["evaluate", "compare", "compare judged", "gate", "report", "compare topics"],
)
def test_python_warns_once(call: Callable[[], Any]) -> None:
    said = warned(call)
    assert len(said) == 1
    assert said[0].startswith("every judgment is relevant by AP")
    shifts = (
        "Qrels.from_dict(QRELS).shifted(-1)",
        "--shift -1 (in Python Qrels.shifted(-1))",
    )  # not known of judged runs
    remedies = [f": no grade is under 1; write AP(rel=3), or {shift} if 1 means not relevant" for shift in shifts]
    assert any(remedy in said[0] for remedy in remedies)


def test_judges_and_grades_by_others() -> None:
    """The humans' scale decides; what is to be done is said once where both have no 0."""
    notes = judges(STARS, {"llm": moved(-1)}, RUNS, draws=0, samples=100).notes
    assert [note.weight for note in notes if note.category is GradesWarning] == [NoteWeight.COVERAGE]
    notes = judges(moved(-1), {"llm": moved(-1)}, RUNS, draws=0, samples=100).notes
    assert [note for note in notes if note.category is GradesWarning] == []


@pytest.mark.parametrize(
    "words",
    [
        "evaluate QRELS RUNS",
        "evaluate QRELS RUNS -q --ci",
        "compare QRELS RUNS --samples 100",
        "gate QRELS RUNS -m AP",
        "report QRELS RUNS --studies none -o PAGE",
        "judges QRELS RUNS --judge QRELS --draws 0 --samples 100",
        "describe QRELS RUNS",
        "ranks QRELS RUNS -m AP --samples 100",
    ],
)
def test_commands_print_it_once_on_the_first_screen(words: str, tmp_path: Path, places: list[str]) -> None:
    file = tmp_path / "stars.txt"
    file.write_text(FORMATS["qrels.txt"](STARS))
    stand = {"QRELS": [str(file)], "RUNS": places, "PAGE": [str(tmp_path / "page.html")]}
    printed = run(*(word for given in words.split() for word in stand.get(given, [given])))
    assert printed.count("every judgment is relevant by AP") == 1
    assert printed.count(": no grade is under 1; write AP(rel=3), or --shift -1") == 1


@pytest.mark.parametrize(
    ("regraded", "said"),
    [
        (
            lambda qrels: qrels.shifted(-1),
            "AP(rel=4) counts grades from 4 after shift -1, so from 5 in the file; for 4 in the file write AP(rel=3)",
        ),
        (
            lambda qrels: qrels.shifted(-0.5),
            "AP(rel=4) counts grades from 4 after shift -0.5, so from 4.5 in the file; "
            "for 4 in the file write AP(rel=3.5)",
        ),
        (
            lambda qrels: qrels.shifted(-1).recoded({4: 3}),
            "AP(rel=4) counts grades from 4 after shift -1 and recode 4=3, not as in the file",
        ),
        (lambda qrels: qrels.recoded({4: 3}), ""),
        (lambda qrels: qrels.shifted(0), ""),
    ],
)
@pytest.mark.parametrize("measures", ["AP nDCG@10", "AP AP(rel=4) nDCG@10"])
def test_a_threshold_is_meant_after_the_shift(regraded: Callable[[Qrels], Qrels], said: str, measures: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = evaluate(regraded(Qrels.from_dict(STARS)), RUNS, measures).notes
    assert [note.text for note in notes if "counts grades" in note.text] == [said] * bool(said and "rel" in measures)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ([], "AP(rel=3), or --shift -1 (read_qrels(FILE, shift=-1)) if 1 means"),
        (["--shift", 2], "AP(rel=5), or --shift -1 (read_qrels(FILE, shift=-1)) if 3 means"),
        (["--shift", 1], "AP(rel=4), or --shift -1 (read_qrels(FILE, shift=-1)) if 2 means"),
        (["--recode", "5=4"], "AP(rel=3), or --recode 1=0 (read_qrels(FILE, recode={1: 0})) if 1 means"),
    ],
)
def test_what_it_says_to_type_ends_it(words: list[object], remedy: str, tmp_path: Path, places: list[str]) -> None:
    file = tmp_path / "stars.txt"
    file.write_text(FORMATS["qrels.txt"](STARS))
    printed = run("evaluate", file, *places, "-m", "AP", *words)
    assert f"; write {remedy} not relevant" in printed
    measure, _, option = remedy.partition(", or ")
    assert "every judgment" not in run("evaluate", file, *places, "-m", measure, *words)
    name, value = option.split()[:2]
    kept = [] if words[:1] == [name] and name == "--shift" else words
    assert "every judgment" not in run("evaluate", file, *places, "-m", "AP", *kept, name, value)


@pytest.mark.filterwarnings("ignore::gradeval.FilesWarning")
@pytest.mark.parametrize(
    ("grades", "options", "said"),
    [
        ([0, 1, 2, 3] * 50 + [30], {}, "grade 30 stands in 1 judgment, and no grade from 4 to 29 in any: a slip?"),
        ([0, 1, 2, 3] * 50 + [30], {"levels": [0, 1, 2, 3, 30]}, ""),
        ([0, 1, 2, 3] * 50 + [5], {}, ""),  # two levels without a document
        ([0, 10, 20, 30] * 50, {}, ""),  # a scale with gaps
        ([0] * 50 + [30], {}, ""),  # the only grade
        ([0, -1, 1] * 150 + [100], {}, "grade 100 stands in 1 judgment, and no grade from 2 to 99 in any"),
    ],
)
def test_a_lone_grade_far_above_all_others_may_be_a_slip(
    grades: list[int], options: dict[str, object], said: str
) -> None:
    qrels = {"1": {f"d{place}": grade for place, grade in enumerate(grades)}}
    run = {"1": {name: -float(place) for place, name in enumerate(qrels["1"])}}
    notes = evaluate(qrels, run, "AP", **options).notes
    found = [str(note) for note in notes if note.category is FilesWarning]
    assert len(found) == bool(said)
    assert all(text.startswith(said) for text in found)


@pytest.mark.parametrize(
    ("grades", "measures", "said"),
    [
        (
            [0, 4],
            "AP nDCG@10 P(rel=4)@5 Q@10 ERR@20",
            "the judgments hold grades 0 and 4 only, and Q@10 and ERR@20 count as on a scale with 1, 2 and 3; "
            "if there are no others, Qrels.from_dict(QRELS).recoded({4: 1}) closes the gap",
        ),
        (
            [0, 1, 3],
            "GAP",
            "the judgments hold grades 0, 1 and 3 only, and GAP counts as on a scale with 2; "
            "if there are no others, Qrels.from_dict(QRELS).recoded({3: 2}) closes the gap",
        ),
        ([0, 4], "AP nDCG@10 GAP", None),
        ([0, 1, 3], "GAP(g=[0.2,0.3,0.5]) AP(rel=3)", None),
        ([0, 1, 2, 3], "GAP Q@10 ERR@20", None),
        ([0, 1], "GAP Q@10 ERR@20", None),
        ([0, 0.5, 3], "GAP Q@10 ERR@20", None),
    ],
)
def test_grades_that_stand_in_no_judgment_are_told_where_a_measure_depends_on_them(
    grades: list[float], measures: str, said: str | None
) -> None:
    pool = {f"d{place}": grade for place, grade in enumerate(grades * 3)}
    qrels, run = Qrels.from_dict({"q": pool}), {"q": {name: -place for place, name in enumerate(pool)}}
    told = [str(note) for note in evaluate(qrels, run, measures).notes if "hold grade" in str(note)]
    assert told == ([] if said is None else [said])
    top = int(max(grades))
    if said is not None:
        closed = qrels.recoded({top: len(grades) - 1})
        assert not any("hold grade" in str(note) for note in evaluate(closed, run, measures).notes)
        declared = evaluate(qrels, run, measures, levels=range(top + 1))
        assert not any("hold grade" in str(note) for note in declared.notes)


RELEVANT, RETRIEVED = {"q1": ["d1", "d2"], "q2": ["d3"]}, {"q1": ["d9", "d1"], "q2": ["d3", "d8"]}


def write_both(place: Path) -> str:
    with open(place, "w", encoding="utf-8") as file:
        for topic in RELEVANT:
            parts = {"inputs": {"id": topic}, "gold": {"ids": RELEVANT[topic]}, "outputs": {"ids": RETRIEVED[topic]}}
            file.write(json.dumps(parts) + "\n")
    return str(place)


def test_judgments_and_run_of_one_column_are_warned_of(tmp_path: Path) -> None:
    file = write_both(tmp_path / "both.jsonl")
    outputs, gold = (f"columns:query=inputs.id,doc={name}.ids:{file}" for name in ("outputs", "gold"))
    with pytest.warns(GradesWarning, match="holds the judged documents and no others, all of grade 1.* one column of"):
        assert evaluate(outputs, outputs, "AP").mean().tolist() == [[1.0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(gold, outputs, "AP").mean().tolist() == [[(1 / 2 / 2 + 1) / 2]]
    shown = CliRunner().invoke(main, ["evaluate", file, file, "--columns", "query=inputs.id,doc=outputs.ids"])
    assert "Name the column of each: columns:doc=RELEVANT:both.jsonl columns:doc=RETRIEVED:both.jsonl" in shown.stderr


def test_many_documents_that_are_exactly_the_relevant_ones_are_warned_of() -> None:
    relevant = {f"q{topic}": {f"d{at}": 1 for at in range(4)} for topic in range(6)}
    ranked = {topic: {document: float(-at) for at, document in enumerate(found)} for topic, found in relevant.items()}
    with pytest.warns(GradesWarning, match="are the judgments made from the run"):
        evaluate(relevant, ranked, "AP")
    for other in (relevant | {"q1": {"d1": 0, "d2": 1}}, relevant | {"q1": {"d1": 1}}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            evaluate(other, ranked, "AP")


HALVES = {"ann": {"a": 1, "b": 2.5, "c": 4.5}, "bob": {"a": 3, "b": 5}}


def test_half_stars_may_begin_below_the_lowest_one() -> None:
    (text,) = warned(lambda: evaluate(HALVES, RUNS, "nDCG@10"))
    shifted = "Qrels.from_dict(QRELS).shifted"
    assert text.endswith(f"take {shifted}(-1) if 1 means not relevant, or {shifted}(-0.5) if the scale begins at 0.5")
    for by in (-0.5, -1):
        assert warned(lambda: evaluate(Qrels.from_dict(HALVES).shifted(by), RUNS, "nDCG@10")) == []  # noqa: B023


def test_a_frame_is_told_what_shifts_a_frame() -> None:
    rows = [(user, film, grade) for user, films in STARS.items() for film, grade in films.items()]
    frame = pd.DataFrame(rows, columns=["user", "item", "rating"])
    (text,) = warned(lambda: evaluate(frame, RUNS, "nDCG@10"))
    call = text.partition("; take ")[2].partition(" if ")[0]
    assert call == "qrels_from_frame(FRAME).shifted(-1)"
    shifted = eval(call, {"FRAME": frame, "qrels_from_frame": qrels_from_frame})
    assert warned(lambda: evaluate(shifted, RUNS, "nDCG@10")) == []
    for refused in (lambda: read_qrels(frame, shift=-1), lambda: qrels_from_frame(frame, shift=-1)):  # type: ignore[call-arg]
        with pytest.raises(InputError, match=r"qrels_from_frame\(FRAME\)\.shifted\("):
            refused()


@pytest.mark.parametrize("text", ["user,item1,item2,item3\n1,a,b,c\n2,d,e,f\n", "user,item\n1,a\n1,b\n2,c\n"])
def test_a_copy_of_the_judgments_as_the_run_is_asked_about(tmp_path: Path, text: str) -> None:
    for name in ("judged.csv", "run.csv"):
        (tmp_path / name).write_text(text)
    with pytest.warns(GradevalWarning, match="judgments and run are files of the same content"):
        evaluate(tmp_path / "judged.csv", tmp_path / "run.csv", "P@2")


def made_stars(halves: int) -> Qrels:
    """Stars of 100 films from half a star, of which ``halves`` have this lowest one; one has the highest."""
    grades = [0.5] * halves + [1.0] * 3 + [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5] * 14
    grades = [*grades[:99], 5.0]
    return Qrels.from_dict({"ann": {f"d{place}": grade for place, grade in enumerate(grades)}})


@pytest.mark.parametrize("measure", [*BINARY, "SetR", "YAAP", "infAP"])
@pytest.mark.parametrize("halves", [0, 1, 2, 5])
def test_some_lowest_grades_silence_no_binary_measure(measure: str, halves: int) -> None:
    if "rel=" in measure:
        return  # somebody chose it
    (text,) = warned(lambda: evaluate(made_stars(halves), RUNS, measure))
    if halves:
        share = sum(grade >= 1 for grade in made_stars(halves).grades.tolist())
        higher = parse_measure(measure).configured({"rel": 3})
        assert text == (
            f"{share}.0% of judgments are relevant by {parse_measure(measure)}: all from grade 1; "
            f"write {higher} if low grades mean not relevant"
        )
        assert warned(lambda: evaluate(made_stars(halves), RUNS, [higher])) == []
    else:
        assert text.startswith("every judgment is relevant by ")


def test_the_shift_for_graded_measures_keeps_what_binary_ones_mean() -> None:
    nearly, gains = warned(lambda: evaluate(made_stars(2), RUNS, "R@20 nDCG"))
    assert "relevant by R@20" in nearly
    shift = "Qrels.from_dict(QRELS).shifted(-0.5)"
    assert gains == (
        f"no grade is 0: by nDCG even grade 0.5 gains; take {shift}, with R(rel=2.5)@20 for R@20, "
        "if 0.5 means not relevant"
    )
    shifted = made_stars(2).shifted(-0.5)
    assert warned(lambda: evaluate(shifted, RUNS, "R(rel=2.5)@20 nDCG")) == []
    assert warned(lambda: evaluate(made_stars(2), RUNS, "R(rel=2)@20")) == []
    (still,) = warned(lambda: evaluate(shifted, RUNS, "R@20 nDCG"))
    assert "all from grade 1 after shift -0.5; write R(rel=2.5)@20" in still


@pytest.mark.parametrize(
    ("measures", "told"),
    [("nDCG@5", 1), ("nDCG@5 R(rel=4)@20", 0), ("nDCG@5 R(rel=4)@20 AP(rel=3)", 0), ("nDCG@5 R(rel=4)@20 AP", 1)],
)
def test_who_sets_rel_of_all_binary_measures_is_not_told_where_the_scale_begins(measures: str, told: int) -> None:
    assert len(warned(lambda: evaluate(made_stars(0), RUNS, measures))) == told


def test_who_sets_rel_of_one_measure_is_told_of_the_other_alone_and_of_no_shift() -> None:
    (said,) = warned(lambda: evaluate(made_stars(2), RUNS, "nDCG@5 R(rel=4)@20 RR"))
    assert said.endswith("relevant by RR: all from grade 1; write RR(rel=3) if low grades mean not relevant")


def test_who_makes_the_lowest_grade_is_not_told_to_make_it_0() -> None:
    classes = made_stars(0).recoded({1: 1, 1.5: 1, 2: 2, 2.5: 2, 3: 3, 3.5: 3, 4: 4, 4.5: 4, 5: 5})
    assert warned(lambda: evaluate(classes, RUNS, "nDCG@5")) == []


@pytest.mark.parametrize("grades", [[0] + [1, 2, 3] * 33, [0.5] * 11 + [1, 2, 3, 4, 5] * 17, [0.5, 0.7] + [1.0] * 98])
def test_few_grades_0_many_low_ones_and_one_relevant_grade_are_no_matter(grades: list[float]) -> None:
    qrels = {"ann": {f"d{place}": grade for place, grade in enumerate(grades)}}
    assert warned(lambda: evaluate(qrels, RUNS, "AP")) == []


@pytest.mark.parametrize(
    "measure", ["AP", "infAP", "Bpref", "nDCG@10", "Judged@5", "AP(judged_only=True)", "GAP", "P@5"]
)
def test_negative_grades_are_asked_about_where_a_measure_reads_them_in_two_ways(measure: str) -> None:
    """In infAP and Bpref: samples of TREC's pools mark what nobody judged by -1."""
    rng = np.random.default_rng(5)
    grades = {f"t{topic}": {f"d{place}": int(rng.integers(-1, 3)) for place in range(30)} for topic in range(4)}
    ranking = {topic: {name: float(rng.random()) for name in names} for topic, names in grades.items()}
    values = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradesWarning)
        for reading in ("nonrelevant", "unjudged"):
            values.append(evaluate(grades, ranking, measure, negative=reading).values)  # type: ignore[arg-type]
    said = warned(lambda: evaluate(grades, ranking, measure))
    number = sum(grade < 0 for graded in grades.values() for grade in graded.values())
    assert [f"takes {number} negative grades" in text for text in said] == [True] * (not np.allclose(*values))
    assert warned(lambda: evaluate(grades, ranking, measure, negative="unjudged")) == []


def test_hundreds_of_levels_are_not_to_be_typed() -> None:
    plays = {f"d{place}": place % 60 + 1 for place in range(200)} | {"hit": 500}
    (said,) = [text for text in about_lone_grades(Qrels.from_dict({"ann": plays})) if "500" in text]
    assert said == "grade 500 stands in 1 judgment, and no grade from 61 to 499 in any: a slip?"


def test_grades_divided_by_ten_are_told_that_only_the_top_counts() -> None:
    tenths = {topic: {document: grade / 10 for document, grade in of.items()} for topic, of in TENS.items()}
    (said,) = warned(lambda: evaluate(tenths, RUNS, "AP nDCG"))
    assert said.startswith("only grade 1 counts as relevant by AP, of grades 0.1 to 1; write AP(rel=0.6) if lower ones")
    assert not warned(lambda: evaluate(tenths, RUNS, "AP(rel=0.6) nDCG"))
    below = {topic: {document: grade / 11 for document, grade in of.items()} for topic, of in TENS.items()}
    assert warned(lambda: evaluate(below, RUNS, "AP"))[0].startswith("no grade counts as relevant by AP, of grades")
    assert not warned(lambda: evaluate({topic: {**of, "z": 0} for topic, of in STARS.items()}, RUNS, "AP"))
    most = {topic: {**of, "a": 1, "b": 1, "c": 1, "x": 0.5, "z": 0} for topic, of in STARS.items()}
    assert not [one for one in warned(lambda: evaluate(most, RUNS, "AP")) if one.startswith("only grade")]


TENS = {topic: {"a": 10, "b": 1, "c": 6, "z": 0} for topic in ("ann", "bob", "cho")}
