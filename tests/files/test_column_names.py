"""Names of columns: which is which; and a column that tells runs apart, in every format."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from shlex import quote
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from refusing import said_of

from gradeval import InputError, check, evaluate, judges, read_qrels, read_run, read_runs, run_from_frame
from gradeval.files.accepted import as_qrels, as_runs
from gradeval.files.column_names import GUESSED, Columns, choose_columns, normal_name
from gradeval.files.pair_columns import are_known
from gradeval.warning_categories import FilesWarning

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}
FORMATS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, place: frame.to_csv(place, index=False),
    "tsv": lambda frame, place: frame.to_csv(place, index=False, sep="\t"),
    "semicolons": lambda frame, place: frame.to_csv(place, index=False, sep=";"),
    "jsonl": lambda frame, place: frame.to_json(place, orient="records", lines=True),
    "json": lambda frame, place: frame.to_json(place, orient="records"),
    "parquet": lambda frame, place: frame.to_parquet(place),
    "categories": lambda frame, place: frame.astype({frame.columns[-1]: "category"}).to_parquet(place),
    "frame": lambda frame, _: frame,
    "records": lambda frame, _: frame.to_dict("records"),
    "objects": lambda frame, _: [
        SimpleNamespace(**{frame.columns[-1]: row[-1]}, query_id=row[0], doc_id=row[1], score=row[2])
        for row in frame.values.tolist()
    ],
}


@pytest.mark.parametrize(
    ("name", "normal"),
    [("Query-ID", "query_id"), (" doc.id ", "doc_id"), ("item_id:token", "item_id"), ("title:token_seq", "title")],
)
def test_names_are_compared_in_one_spelling(name: str, normal: str) -> None:
    assert normal_name(name) == normal


@pytest.mark.parametrize("names", [*permutations(["query-id", "text", "Doc_ID", "score"])])
def test_usual_names_are_found_wherever_they_stand(names: tuple[str, ...]) -> None:
    assert are_known(names, "run", GUESSED)
    chosen = choose_columns(names, "run", GUESSED, "run.csv")
    found = tuple(names[place] for place in chosen[:3] if place is not None)
    assert found == ("query-id", "Doc_ID", "score")


def test_names_that_are_given_go_before_usual_ones() -> None:
    columns = Columns.parse("query=q, doc=d, grade=rating")
    assert Columns.of({"query": "q", "doc": "d", "grade": "rating"}) == columns
    names = ["query_id", "q", "doc_id", "d", "rating", "relevance"]
    chosen = choose_columns(names, "qrels", columns, "qrels.csv")
    assert [names[place] for place in chosen[:3] if place is not None] == ["q", "d", "rating"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query", "'query' names no column"),
        ("query=a,query=b", "names the column query twice"),
        ("quury=a", r"no column is called 'quury' \(did you mean query"),
        ("score=a,rank=b", "by a score or by a rank, not by both"),
    ],
)
def test_what_names_no_columns_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Columns.parse(text)


def as_given(form: str, column: str, names: list[Any], tmp_path: Path) -> Any:
    """Four lines of a run, of which the last two have a document and topic of the first ones; a name in each."""
    lines = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q2", "d2", 1.0)]
    if len(set(filter(None, names))) > 1:
        lines[3] = lines[0]
    frame = pd.DataFrame(lines, columns=["query_id", "doc_id", "score"]).assign(**{column: names})
    place = tmp_path / "lines"
    given = FORMATS[form](frame, place)
    return place if given is None else given


NAMED = [("run", ["oak", "oak", "elm", "elm"]), ("tag", ["oak", "elm", "oak", "elm"]), ("RUN-ID", [1, 2, 3, 4])]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("column", "names"), [*NAMED, ("system", ["b", "a", "b", "c"]), ("model", list("abca"))])
def test_a_column_of_names_tells_runs_apart(form: str, column: str, names: list[Any], tmp_path: Path) -> None:
    if form == "objects" and not column.isidentifier():
        return
    given = as_given(form, column, names, tmp_path)
    lines = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q1", "d1", 2.0)]
    apart: dict[str, dict[str, dict[str, float]]] = {}
    for (topic, document, score), name in zip(lines, names, strict=True):
        apart.setdefault(str(name), {}).setdefault(topic, {})[document] = score
    if column == "model":  # a document twice in a run is an error, as ever
        assert "d1" in said_of(lambda: evaluate(QRELS, given, "AP"))
        return
    read, expected = evaluate(QRELS, given, "AP nDCG@2"), evaluate(QRELS, apart, "AP nDCG@2")
    assert read.runs == expected.runs
    assert read.values.tolist() == expected.values.tolist()
    assert f"holds {len(apart)} runs" in said_of(lambda: evaluate(QRELS, {"mine": given}, "AP"))
    if isinstance(given, Path):
        assert [run.name for run in read_runs(given).runs] == expected.runs
        assert [one.tag for one in check(QRELS, given).files[1:]] == expected.runs
        assert "read_runs() takes them all" in said_of(lambda: read_run(given))
        twice = evaluate(QRELS, [given, pd.DataFrame({"topic": ["q1"], "doc": ["d1"], "score": [1.0]})], "AP")
        assert twice.runs == [*expected.runs, "run 2"]


def test_names_come_from_the_columns_that_tell_runs_apart() -> None:
    lines = {"topic": ["q1"] * 4, "doc": ["d1"] * 4, "score": [1.0] * 4}
    both = {"system": ["oak", "oak", "elm", "elm"], "run": ["1", "2", "1", "2"]}
    assert evaluate(QRELS, pd.DataFrame(lines | both), "AP").runs == ["1 oak", "2 oak", "1 elm", "2 elm"]
    assert evaluate(QRELS, pd.DataFrame(lines | {"run": list("wxyz"), "tag": list("aabb")}), "AP").runs == list("wxyz")
    assert evaluate(QRELS, pd.DataFrame(lines | {"run": ["r"] * 4, "tag": list("wxyz")}), "AP").runs == list("wxyz")
    gaps = pd.DataFrame(lines | {"run": ["a", "b", None, "c"]})
    assert "column run names 3 runs (a, b, c), and is empty in some lines" in said_of(
        lambda: evaluate(QRELS, gaps, "AP")
    )


@pytest.mark.parametrize("form", FORMATS)
def test_a_column_of_one_value_names_the_run_unless_a_mapping_does(form: str, tmp_path: Path) -> None:
    given = as_given(form, "system", ["oak"] * 4, tmp_path)
    assert evaluate(QRELS, given, "AP").runs == ["oak"]
    assert evaluate(QRELS, {"mine": given}, "AP").runs == ["mine"]
    if isinstance(given, Path):
        assert read_run(given).name == "oak"
        assert read_run(given, name="mine").name == "mine"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("column", "names"), [("run", ["oak"] * 4), ("note", list("abcd")), ("tag", [None] * 4)])
def test_a_column_of_one_name_or_of_something_else_is_no_matter(
    form: str, column: str, names: list[str], tmp_path: Path
) -> None:
    frame = pd.DataFrame({"query_id": ["q1", "q1", "q2", "q2"], "doc_id": ["d2", "d1"] * 2, "score": [2.0, 1, 2, 1]})
    place = tmp_path / "lines"
    given = FORMATS[form](frame.assign(**{column: pd.Series(names, dtype="object")}), place)
    assert evaluate(QRELS, place if given is None else given, "AP").mean().tolist() == [[0.5]]


def test_a_column_of_models_may_be_that_of_the_topics_or_stand_in_judgments(tmp_path: Path) -> None:
    place, judgments = tmp_path / "run.csv", tmp_path / "qrels.csv"
    place.write_text("model,doc,score\nq1,d2,2\nq1,d1,1\nq2,d1,1\n")
    judgments.write_text("qid,docno,rel,run\nq1,d1,1,oak\nq2,d1,1,elm\n")
    run = read_run(place, columns={"query": "model"})
    assert evaluate(judgments, run, "AP").mean().tolist() == [[0.75]]


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"objects", "categories"}))
@pytest.mark.parametrize("column", ["distance", "_distance", "Cosine Distance", "dist"])
def test_the_advice_for_a_column_of_distances_puts_the_nearest_first(form: str, column: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], column: [0.1, 0.7]})
    place = tmp_path / "lines"
    given = FORMATS[form](frame, place)
    given = place if given is None else given
    said = said_of(lambda: evaluate(QRELS, given, "AP"))
    assert f": column {column!r} is no score, as less is better" in said
    if form in ("frame", "records"):
        assert said.endswith(f": rank={column!r}, or call the column rank")
        called = frame.rename(columns={column: "rank"})
        given = called if form == "frame" else called.to_dict("records")
        assert evaluate({"q1": {"d1": 1}}, given, "AP").mean().item() == 1
        nearest_first = run_from_frame(frame, rank=column)
    else:
        assert f": --columns {quote(f'rank={column}')}, for one file" in said
        assert f", or columns={{'rank': {column!r}}} in Python" in said
        nearest_first = (
            read_run(place, columns={"rank": column}) if given is place else run_from_frame(frame, rank=column)
        )
    assert evaluate({"q1": {"d1": 1}}, nearest_first, "AP").mean().item() == 1


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_records_are_not_advised_what_their_reader_does_not_take(kind: str) -> None:
    unknown = [{"query_id": "q1", "doc_id": "d1", "unknown": 1}]
    given = (unknown, QRELS) if kind == "qrels" else (QRELS, unknown)
    said = said_of(lambda: evaluate(*given, "AP"))
    assert "columns" not in said
    assert '; write records as in {"query_id": "q1"' in said


def test_lines_without_a_header_have_the_name_in_the_last_of_six_columns(tmp_path: Path) -> None:
    place = tmp_path / "run.csv"
    place.write_text("q1,Q0,d1,1,2.0,oak\nq1,Q0,d2,2,1.0,elm\n")
    assert evaluate(QRELS, place, "AP").runs == ["oak", "elm"]
    assert evaluate(QRELS, place, "AP").mean()[:, 0].tolist() == [0.5, 0.0]
    place.write_text("q1,Q0,d1,1,2.0,oak of May\nq1,Q0,d2,2,1.0,oak and more\n")
    assert read_run(place).topics == ["q1"]


MISSPELT = [
    ("run", "query_id doc_id scroe", "'scroe' is nearly 'score'; ", "score=scroe"),
    ("run", "query_idd doc_id score", "'query_idd' is nearly 'query_id'; ", "query=query_idd"),
    ("run", "query_id doc_id rnak", "'rnak' is nearly 'rank'; ", "rank=rnak"),
    (
        "run",
        "query-idd doc_id Scroe",
        "'query-idd' is nearly 'query_id'; 'Scroe' is nearly 'score'; ",
        "query=query-idd,score=Scroe",
    ),
    ("run", "query_id doc_id bm25", "", "score=bm25"),
    ("qrels", "query_id doc_id relevence", "'relevence' is nearly 'relevance'; ", "grade=relevence"),
    ("qrels", "query_id dcoid grade", "'dcoid' is nearly 'docid'; ", "doc=dcoid"),
    ("run", "query_id doc_id label", "'label' is usual in judgments, and a run is expected; ", "score=label"),
    ("qrels", "query_id doc_id rank", "'rank' is usual in a run, and judgments are expected; ", "grade=rank"),
]


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet"])
@pytest.mark.parametrize(("kind", "names", "said", "option"), MISSPELT)
def test_an_unknown_name_is_answered_by_what_to_type(
    kind: str, names: str, said: str, option: str, form: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame([("q", "d", 2), ("q", "e", 1)], columns=names.split())
    place = tmp_path / "x"
    FORMATS[form](frame, place)
    read: Any = read_qrels if kind == "qrels" else read_run
    error = said_of(lambda: read(place))
    assert f"(it has {', '.join(names.split())}); {said}" in error
    assert f"--columns {option}, for one file columns:{option}:FILE, or columns={{" in error
    sign = -1 if "rank=" in option else 1
    assert read(place, columns=option).to_dict() == {"q": {"d": sign * 2, "e": sign}}
    assert read(f"columns:{option}:{place}").to_dict() == read(place, columns=option).to_dict()


def test_names_with_blanks_are_quoted_and_frames_are_told_the_name() -> None:
    columns = ["query_id", "doc_id", "my score"]
    with pytest.raises(InputError, match=r"--columns 'score=my score', for one file 'columns:score=my score:FILE'"):
        choose_columns(columns, "run", Columns(), "x")
    with pytest.raises(InputError, match="'scroe' is nearly 'score'; name the columns: run_from_frame"):
        run_from_frame(pd.DataFrame([("q", "d", 1.0)], columns=["qid", "docno", "scroe"]))


@pytest.mark.parametrize("click", ["click", "clicked", "Is-Clicked"])
@pytest.mark.parametrize("columns", ["session,user_id,item_id,position,{}", "topic,document,{},rank"])
def test_a_log_of_clicks_is_no_run_unless_it_has_scores_or_its_ranks_are_named(click: str, columns: str) -> None:
    names = columns.format(click).split(",")
    with pytest.raises(InputError, match=f"x: has a column '{click}' and no scores: a log of clicks"):
        choose_columns(names, "run", GUESSED, "x")
    rank = next(name for name in names if name in ("position", "rank"))
    assert choose_columns(names, "run", Columns(rank=rank), "x").value == names.index(rank)
    assert choose_columns([*names, "score"], "run", GUESSED, "x").value == len(names)


def with_columns(form: str, tmp_path: Path, **columns: list[Any]) -> Any:
    """Two judgments with these columns of grades."""
    frame = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], **columns})
    given = FORMATS[form](frame, tmp_path / "grades")
    return tmp_path / "grades" if given is None else given


OF_GRADES = ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "frame", "records"]


@pytest.mark.parametrize("form", OF_GRADES)
@pytest.mark.parametrize("model", ["llm_grade", "LLM Label"])
@pytest.mark.parametrize("others", [["grade_anna", "grade_ben"], ["ben-rating"], ["Label A"], ["score2"]])
def test_the_grades_of_a_model_at_the_side_of_others_are_refused(
    form: str, model: str, others: list[str], tmp_path: Path
) -> None:
    given = with_columns(form, tmp_path, **{name: [2, 0] for name in others}, **{model: [0, 2]})
    said = said_of(lambda: as_qrels(given))
    assert f"column {model!r} holds a model's grades, and {', '.join(others)} may hold grades, too" in said
    if isinstance(given, Path):
        assert f"columns:grade={others[0]}:FILE" in said.replace("'", "")
        read = {name: as_qrels(f"columns:grade={name}:{given}").grades.tolist() for name in (model, others[0])}
        assert read == {model: [0, 2], others[0]: [2, 0]}


COLUMNS_KEPT = [form for form in OF_GRADES if form != "records"]


@pytest.mark.parametrize("form", COLUMNS_KEPT)
@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"grade_reason": ["a", "b"]},
        {"score_bm25": [0.5, 7.25]},
        {"rating_ids": [1234, 9876]},
        {"grade_ben": [""] * 2},
    ],
)
def test_a_model_grades_alone_where_no_other_column_holds_small_whole_numbers(
    form: str, beside: dict[str, list[Any]], tmp_path: Path
) -> None:
    read = as_qrels(with_columns(form, tmp_path, **beside, llm_grade=[0, 2]))
    assert (read.grades.tolist(), read.grade_column) == ([0, 2], "llm_grade")


@pytest.mark.parametrize("form", OF_GRADES)
@pytest.mark.parametrize("human", ["gold", "is_relevant", "human_grade", "label", "stars"])
def test_known_grades_of_humans_go_before_those_of_a_model(form: str, human: str, tmp_path: Path) -> None:
    assert as_qrels(with_columns(form, tmp_path, llm_grade=[0, 2], **{human: [1, 0]})).grades.tolist() == [1, 0]


@pytest.mark.parametrize("form", COLUMNS_KEPT)
def test_human_grades_of_a_column_of_a_model_are_a_warning(form: str, tmp_path: Path) -> None:
    given = with_columns(form, tmp_path, llm_grade=[0, 2])
    with pytest.warns(FilesWarning, match="the human grades are read from 'llm_grade', which is a usual name for"):
        judges(given, {"ben": {"q1": {"d1": 1, "d2": 2}}}, levels=[0, 1, 2])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "column", ["retriever", "Algorithm", "recommender", "method", "variant", "experiment", "config"]
)
def test_a_likely_name_of_runs_tells_repeated_documents_apart(form: str, column: str, tmp_path: Path) -> None:
    if form == "objects":
        return
    names = ["oak", "oak", "elm", "elm"]
    given = as_given(form, column, names, tmp_path)
    assert evaluate(QRELS, given, "AP").runs == ["oak", "elm"]
    assert [f"; a run by {column}" in run.read_as for run in as_runs(given)] == [form != "records"] * 2
    apart = {"oak": {"q1": {"d1": 2.0, "d2": 1.0}}, "elm": {"q2": {"d1": 1.5}, "q1": {"d1": 2.0}}}
    assert evaluate(QRELS, given, "AP").values.tolist() == evaluate(QRELS, apart, "AP").values.tolist()


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"objects"}))
@pytest.mark.parametrize("names", [["oak"] * 4, ["oak", "oak", "elm", "oak"], ["oak", "elm", "oak", ""]])
def test_a_likely_name_that_leaves_documents_repeated_names_no_runs(
    form: str, names: list[str], tmp_path: Path
) -> None:
    frame = pd.DataFrame([("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d1", 1.5), ("q1", "d1", 0.5)])
    frame.columns = pd.Index(["query_id", "doc_id", "score"])
    given = FORMATS[form](frame.assign(method=names), tmp_path / "lines")
    said = said_of(lambda: evaluate(QRELS, tmp_path / "lines" if given is None else given, "AP"))
    assert "d1" in said
    assert "--repeated best" in said


@pytest.mark.parametrize("form", FORMATS)
def test_a_likely_name_in_a_table_without_repeats_names_no_runs(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([("q1", "d1", 2.0), ("q1", "d2", 1.0)], columns=["query_id", "doc_id", "score"])
    given = FORMATS[form](frame.assign(retriever=["bm25", "dense"]), tmp_path / "fused")
    assert len(evaluate(QRELS, tmp_path / "fused" if given is None else given, "AP").runs) == 1


@pytest.mark.parametrize(
    "form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "categories", "frame", "records"]
)
@pytest.mark.parametrize("column", ["arm", "which one"])
def test_an_unknown_column_that_tells_repeated_documents_apart_may_be_named(
    form: str, column: str, tmp_path: Path
) -> None:
    given = as_given(form, column, ["oak", "oak", "elm", "elm"], tmp_path)
    said = said_of(lambda: evaluate(QRELS, given, "AP"))
    assert "--repeated" not in said
    assert (
        f"if {column!r} names runs, call it run" if form in ("records", "frame") else f"{{'run': {column!r}}}"
    ) in said


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "categories"])
def test_a_column_of_runs_is_named_by_the_user(form: str, tmp_path: Path) -> None:
    given = as_given(form, "arm", ["oak", "elm", "oak", "elm"], tmp_path)
    assert [run.name for run in read_runs(given, columns={"run": "arm"}).runs] == ["oak", "elm"]
    assert [run.name for run in read_runs(f"columns:run=arm:{given}").runs] == ["oak", "elm"]
    assert evaluate(QRELS, f"columns:run=arm:{given}", "AP").runs == ["oak", "elm"]


def test_a_column_of_runs_without_a_name_is_numbered(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("q1,oak,d1,2\nq1,elm,d1,1\n")
    read = read_runs(tmp_path / "lines", columns="query=1,doc=3,score=4,run=2")
    assert [run.name for run in read.runs] == ["oak", "elm"]


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_columns_are_found_in_any_case(tmp_path: Path, case: Callable[[str], str]) -> None:
    file = tmp_path / "test.csv"
    file.write_text("Benutzer;Artikel;Bewertung\n7;a;3\n7;b;0\n")
    named = {"query": case("Benutzer"), "doc": case("Artikel"), "grade": case("Bewertung")}
    assert read_qrels(file, columns=named).of("7") == {"a": 3, "b": 0}
    with pytest.raises(InputError):
        read_qrels(file, columns=named | {"query": "Benutzern"})
