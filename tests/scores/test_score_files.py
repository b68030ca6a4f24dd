from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gradeval import InputError, Run, Scores, evaluate, read_scores, scores_from_frame
from gradeval.formula.spelling import choose_measures
from gradeval.scores.score_files import holds_scores

TREC = """\
map                   \tt1\t0.5000
ndcg_cut_10           \tt1\t0.7000
map                   \tt2\t0.2500
ndcg_cut_10           \tt2\t0.4000
runid                 \tall\tfirst
map                   \tall\t0.3750
"""


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def table(scores: Scores) -> dict[tuple[str, str, str], float]:
    return {
        (run, topic, str(measure)): float(scores.values[i, j, k])
        for i, run in enumerate(scores.runs)
        for j, topic in enumerate(scores.topics)
        for k, measure in enumerate(scores.measures)
    }


EXPECTED = {
    ("first", "t1", "AP"): 0.5,
    ("first", "t1", "nDCG@10"): 0.7,
    ("first", "t2", "AP"): 0.25,
    ("first", "t2", "nDCG@10"): 0.4,
}


def test_trec_eval_names_the_run_behind_its_topics(tmp_path: Path) -> None:
    assert table(read_scores(*[write(tmp_path, "one", TREC)])) == EXPECTED


def test_trec_eval_of_several_runs_in_one_file_or_in_many(tmp_path: Path) -> None:
    other = TREC.replace("first", "second").replace("0.7", "0.1")
    together = read_scores(*[write(tmp_path, "both", TREC + other)])
    apart = read_scores(*[write(tmp_path, "one", TREC), write(tmp_path, "two", other)])
    assert table(together) == table(apart)
    assert together.runs == ["first", "second"]
    assert together.values[1, 0, 1] == 0.1


def test_a_list_a_folder_and_a_pattern_are_all_their_files(tmp_path: Path) -> None:
    other = TREC.replace("first", "second").replace("0.7", "0.1")
    paths = [write(tmp_path, "a.eval", TREC), write(tmp_path, "b.eval", other)]
    expected = read_scores(*paths)
    for given in (paths, tmp_path, f"{tmp_path}/*.eval", [paths[0], tmp_path / "b.eval"]):
        assert table(read_scores(given)) == table(expected)
    assert [str(one) for one in read_scores(f"human={tmp_path}/*.eval").measures] == ["human:AP", "human:nDCG@10"]
    with pytest.raises(InputError, match="no file fits it"):
        read_scores(f"{tmp_path}/*.nope")
    with pytest.raises(InputError, match="accepted are files"):
        read_scores(3)


def test_our_trec_eval_format_names_the_run_before(tmp_path: Path) -> None:
    lines = TREC.splitlines(keepends=True)
    ours = lines[4] + "".join(lines[:4]) + lines[5]
    both = ours + ours.replace("first", "second")
    scores = read_scores(*[write(tmp_path, "ours", both)])
    assert scores.runs == ["first", "second"]
    assert table(scores.sel(runs="first")) == EXPECTED


def test_one_value_a_line_in_tsv_csv_and_jsonl(tmp_path: Path) -> None:
    rows = [(*key, value) for key, value in EXPECTED.items()] + [("first", "all", "AP", 0.375)]
    head = ("run", "topic", "measure", "value")
    tsv = "\n".join("\t".join(map(str, row)) for row in [head, *rows])
    jsonl = "\n".join(str(dict(zip(head, row, strict=True))).replace("'", '"') for row in rows)
    for name, text in {"a.tsv": tsv, "a.csv": tsv.replace("\t", ","), "a.jsonl": jsonl}.items():
        assert table(read_scores(*[write(tmp_path, name, text)])) == EXPECTED


def test_a_matrix_is_one_measure_named_by_the_caller_or_by_the_file(tmp_path: Path) -> None:
    first = write(tmp_path, "web.err20.csv", "A,B\n0.5,0.25\n0.125,1\n")
    second = write(tmp_path, "named.csv", "topic,A,B\n1,0,1\n2,1,0\n")
    scores = read_scores(*[first, f"P@1={second}"])
    assert [str(measure) for measure in scores.measures] == ["web.err20", "P@1"]
    assert (scores.runs, scores.topics) == (["A", "B"], ["1", "2"])
    assert scores.values[:, :, 0].tolist() == [[0.5, 0.125], [0.25, 1.0]]
    assert scores.mean()[:, 1].tolist() == [0.5, 0.5]


def test_one_measure_of_two_sources(tmp_path: Path) -> None:
    human, model = write(tmp_path, "a.tsv", TREC), write(tmp_path, "b", TREC.replace("0.5", "0.75"))
    scores = read_scores(f"human={human}", f"model={model}")
    assert [str(measure) for measure in scores.measures] == ["human:AP", "human:nDCG@10", "model:AP", "model:nDCG@10"]
    for source, path in (("human", human), ("model", model)):
        alone = read_scores(path)
        chosen = choose_measures([f"{source}:map", f"{source}:ndcg_cut_10"], scores.measures)
        assert np.array_equal(scores.sel(measures=chosen).values, alone.values)
    saved = tmp_path / "saved.parquet"
    read_scores(human).save(saved)
    assert [str(measure) for measure in read_scores(f"x={saved}").measures] == ["x:AP", "x:nDCG@10"]


def test_a_geometric_mean_of_a_source_is_one(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", "run\ttopic\tmeasure\tvalue\na\t1\tgmAP\t0.25\na\t2\tgmAP\t1\n")
    scores = read_scores(f"human={path}")
    assert [str(measure) for measure in scores.measures] == ["human:gmAP"]
    assert scores.mean()[0, 0] == pytest.approx((0.25 * 1) ** (1 / 2))


def test_text_measures_of_trec_eval_are_left_out(tmp_path: Path) -> None:
    text = "relstring             \tt1\t'10-0'\nrelstring             \tt2\t'01.0'\n"
    path = write(tmp_path, "one", text + TREC)
    scores = read_scores(path)
    assert list(map(str, scores.notes)) == ["left out, as the values are text: relstring"]
    assert table(scores) == table(read_scores(write(tmp_path, "two", TREC)))
    assert list(map(str, read_scores(f"a={path}").notes)) == ["left out, as the values are text: a:relstring"]


def test_measures_are_chosen_by_either_name(tmp_path: Path) -> None:
    scores = read_scores(*[write(tmp_path, "one", TREC)])
    assert choose_measures(["ndcg_cut_10", "nDCG@10"], scores.measures) == [scores.measures[1]]
    assert choose_measures("NDCG@10, ap", scores.measures) == scores.measures[::-1]
    assert choose_measures("MAP Ndcg_Cut_10", scores.measures) == scores.measures
    with pytest.raises(InputError, match=r"no scores of nDCG@5 \(did you mean nDCG@10.*accepted: AP, nDCG@10"):
        choose_measures(["nDCG@5"], scores.measures)


def test_names_of_other_measures_are_found_in_any_case_where_that_is_unique(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", "run\ttopic\tmeasure\tvalue\na\t1\tMine\t0.25\na\t1\tx-y\t1\na\t1\tX-Y\t0\n")
    scores = read_scores(path)
    assert choose_measures("mine", scores.measures) == scores.measures[:1]
    assert choose_measures("X-Y", scores.measures) == scores.measures[2:]
    with pytest.raises(InputError, match="no scores of X-y"):
        choose_measures("X-y", scores.measures)


def test_a_run_that_lacks_a_topic_misses_it(tmp_path: Path) -> None:
    short = "".join(line for line in TREC.splitlines(keepends=True) if "t2" not in line).replace("first", "short")
    scores = read_scores(*[write(tmp_path, "one", TREC), write(tmp_path, "two", short)])
    assert scores.present.tolist() == [[True, True], [True, False]]
    assert scores.mean()[1, 0] == 0.5 / 2
    assert read_scores(str(tmp_path / "one"), str(tmp_path / "two"), missing="skip").mean()[1, 0] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("map t1 much\nrunid all a\n", ":1: value 'much' is not a finite number"),
        ("map t1 nan\nrunid all a\n", "is not a finite number"),
        ("map t1\n", ":1: has 2 columns"),
        ("301 0 FT911-3 1\n", ":1: has 4 columns; judgments, it seems; trec_eval -q prints"),
        ("301 Q0 FT911-3 1 9.5 bm25\n", ":1: has 6 columns; a run, it seems; trec_eval -q prints"),
        ("runid all a\nmap all 0.5\n", "has no values of single topics; take trec_eval -q"),
        (TREC + TREC, "map of run 'first' for topic 't1' is given twice"),
        (TREC.replace("map                   \tt2", "P_5\tt2"), "has no P@5 for topic 't1'"),
        ("A,B\n0.5\n", ":2: has 1 values, not one for each of the 2 columns"),
        ("run\ttopic\tmeasure\tvalue\na\t1\tAP\n", ":2: has 3 fields, not the 4"),
        ('{"run": "a"}\n', ":1: is not a JSON object with run, topic, measure, value"),
        ("[" * 100_000 + "\n{}", ":1: has 1 columns"),
        *((f"model,{text * 30_000}\nelm,x\n", "this leaderboard has no values") for text in "[ ( { [](".split()),
        ('{"run": ' + "[" * 100_000 + "\n", ":1: is not a JSON object with run, topic, measure, value"),
        ('a,"b\n1,2\n3,4\n', ":1: a quote opens a cell here and does not close it"),
        ('topic,s1\n1,0.5\n2,"0.7\n', ":3: a quote opens a cell here and does not close it"),
        ('topic;s1\n1;0.5\n2;"0.7', ":3: a quote opens a cell here and does not close it"),
        ('model,A,B\nelm,0.5,0.2\n"oak,0.7,0.1\n', ":3: a quote opens a cell here and does not close it"),
        ('run,topic,measure,value\na,1,AP,0.5\na,"2,AP,0.5\n', ":3: a quote opens a cell here and does not close it"),
        ('run,topic,measure,value\na,"1\n2",AP,0.5\na,1,AP,0.x\n', ":4: value '0.x' is not a finite number"),
        (
            'run\ttopic\tmeasure\tvalue\n"a\t1\tAP\t0.5\n"a\t1\tAP\t.5\n',
            ":3: AP of run '\"a' for topic '1' is given twice",
        ),
        ("run,topic,measure,value,present\na,1,AP,0.5,perhaps\n", ":2: present 'perhaps' is not true or false"),
    ],
)
def test_what_is_no_scores_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match="^" + str(tmp_path)) as caught:
        read_scores(*[write(tmp_path, "scores", text)])
    assert message in str(caught.value)


def test_scores_of_an_unknown_measure_cannot_be_computed(tmp_path: Path) -> None:
    from gradeval import JudgedRankings

    (measure,) = read_scores(*[write(tmp_path, "mine.csv", "A,B\n1,2\n")]).measures
    with pytest.raises(InputError, match="mine: is known by its values only"):
        measure(JudgedRankings.of([1, 0]))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_names_hold_quotes_and_what_python_takes_for_the_end_of_a_line(
    tmp_path: Path, delimiter: str, end: str
) -> None:
    names = ['"Heroes"_(album)', "a\x85b", "c\u2028d", "e\x0bf"]
    rows = [("run", "topic", "measure", "value"), *(("x", name, "AP", str(at / 8)) for at, name in enumerate(names))]
    (tmp_path / "scores").write_bytes(end.join(delimiter.join(row) for row in rows).encode())
    scores = read_scores(tmp_path / "scores")
    assert (scores.topics, scores.values.ravel().tolist()) == (names, [0, 1 / 8, 2 / 8, 3 / 8])


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_names_with_quotes_are_read_back(tmp_path: Path, form: str) -> None:
    names = ['"x"', '"x', 'x"', 'a"b"', '""', '"a" b', '"Heroes"_(album)']
    for some in (names, *([name] for name in names)):
        run = {"t": {"a": 1.0}}
        evaluate({"t": {"a": 1}}, dict.fromkeys(some, run), "AP").save(tmp_path / f"scores.{form}")
        assert read_scores(tmp_path / f"scores.{form}").runs == some


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "dict"])
def test_a_frame_of_scores_reads_back(library: str) -> None:
    pytest.importorskip("pyarrow")
    scores = evaluate({"t1": {"d": 1}, "t2": {"d": 0}}, [Run.from_dict({"t1": {"d": 1.0}}, "a")], "AP nDCG@10")
    frame = scores.to_frame()
    if library == "pandas":
        pytest.importorskip("pandas")
        frame = frame.to_pandas()
    if library == "dict":
        frame = frame.to_pydict()
    back = scores_from_frame(frame, empty="skip")
    assert table(back) == table(scores)
    assert back.present.tolist() == scores.present.tolist()
    assert back.vacant.tolist() == scores.vacant.tolist()
    assert back.mean()[0].tolist() == [1.0, 1.0]


def test_a_frame_without_a_column_is_refused() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="frame: has no column 'measure'; scores have run, topic, measure, value"):
        scores_from_frame({"run": ["a"], "topic": ["1"], "value": [0.5]})


@pytest.mark.realdata
def test_ready_matrices_of_web_tracks(data) -> None:
    folder = data("system-topic-scores")
    scores = read_scores(*[f"ERR@20={folder}/urbano.web2010_err20.csv", f"nDCG@20={folder}/urbano.web2010_ndcg20.csv"])
    assert len(scores.topics) == 48
    assert [str(measure) for measure in scores.measures] == ["ERR@20", "nDCG@20"]


def test_two_names_of_one_measure_are_one_where_their_values_agree(tmp_path: Path) -> None:
    text = "Rprec\tt1\t0.5\nRprec_mult_1.00\tt1\t0.5000\nmap\tt1\t0.25\nAP\tt1\t0.25\nrunid\tall\tone\n"
    scores = read_scores(write(tmp_path, "one.txt", text))
    assert list(map(str, scores.measures)) == ["Rprec", "AP"]
    assert scores.values.tolist() == [[[0.5, 0.25]]]


def test_two_names_of_one_measure_stay_where_their_values_differ(tmp_path: Path) -> None:
    text = "map\tt1\t0.25\nAP\tt1\t0.3\nmap\tt2\t0.5\nAP\tt2\t0.5\nrunid\tall\tone\n"
    scores = read_scores(write(tmp_path, "one.txt", text))
    assert list(map(str, scores.measures)) == ["map", "AP"]
    assert scores.sel(measures="map").values.ravel().tolist() == [0.25, 0.5]
    assert scores.sel(measures="AP").values.ravel().tolist() == [0.3, 0.5]
    frame = {
        name: list(column)
        for name, column in zip(
            ("run", "topic", "measure", "value"),
            zip(
                *(
                    ("one", topic, str(measure), float(value))
                    for topic, row in zip(scores.topics, scores.values[0], strict=True)
                    for measure, value in zip(scores.measures, row, strict=True)
                ),
                strict=True,
            ),
            strict=True,
        )
    }
    assert (scores_from_frame(frame).values == scores.values).all()
    scores.save(tmp_path / "kept.parquet")
    again = read_scores(tmp_path / "kept.parquet")
    assert list(map(str, again.measures)) == ["map", "AP"]
    assert again.sel(measures="AP").values.ravel().tolist() == [0.3, 0.5]


@pytest.mark.parametrize(("first", "second"), [(0.25, 0.3), (0.3, 0.25)])
def test_two_names_of_one_measure_stay_whichever_value_is_larger(tmp_path: Path, first: float, second: float) -> None:
    scores = read_scores(write(tmp_path, "one.txt", f"map\tt1\t{first}\nAP\tt1\t{second}\nrunid\tall\tone\n"))
    assert dict(zip(map(str, scores.measures), scores.values[0, 0].tolist(), strict=True)) == {
        "map": first,
        "AP": second,
    }


@pytest.mark.parametrize(
    "form", ["json", "json of several lines", "jsonl", "csv", "tsv", "semicolons", "parquet", "frame"]
)
@pytest.mark.parametrize("case", [str.lower, str.title, str.upper])
@pytest.mark.parametrize("more", [[], ["present", "note"]])
def test_columns_of_scores_go_by_their_names_in_any_case(
    form: str, case: Callable[[str], str], more: list[str], tmp_path: Path
) -> None:
    rows = {"run": ["a", "a"], "topic": ["q1", "q2"], "measure": ["AP", "AP"], "value": [0.5, 0.25]}
    rows |= {"present": [True, True], "note": ["x", "y"]}
    frame = pd.DataFrame({case(name): rows[name] for name in ["run", "topic", "measure", "value", *more]})
    place = tmp_path / "scores"
    write: dict[str, Callable[[], Any]] = {
        "json": lambda: frame.to_json(place, orient="records"),
        "json of several lines": lambda: frame.to_json(place, orient="records", indent=2),
        "jsonl": lambda: frame.to_json(place, orient="records", lines=True),
        "csv": lambda: frame.to_csv(place, index=False),
        "tsv": lambda: frame.to_csv(place, index=False, sep="\t"),
        "semicolons": lambda: frame.to_csv(place, index=False, sep=";"),
        "parquet": lambda: frame.to_parquet(place),
        "frame": lambda: None,
    }
    write[form]()
    scores = scores_from_frame(frame) if form == "frame" else read_scores(place)
    assert (scores.runs, scores.topics, scores.values.ravel().tolist()) == (["a"], ["q1", "q2"], [0.5, 0.25])


RUN_TEXTS = {
    "run.txt": "301 Q0 d1 1 2.5 bm25\n",
    "run.tsv": "query-id\tcorpus-id\tscore\n301\td1\t2.5\n",
    "run.csv": "qid,docno,score\n301,d1,2.5\n",
    "three.txt": "301 d1 2.5\n",
    "run.jsonl": '{"query_id": "301", "doc_id": "d1", "score": 2.5}\n',
    "run.json": '{"301": {"d1": 2.5}}\n',
    "qrels.txt": "301 0 d1 1\n",
    "empty.txt": "",
}
SCORE_TEXTS = {
    "elm.tsv": "run\ttopic\tmeasure\tvalue\nelm\t301\tAP\t0.5\n",
    "elm.csv": "Run,Topic,Measure,Value\nelm,301,AP,0.5\n",
    "elm.jsonl": '{"run": "elm", "topic": "301", "measure": "AP", "value": 0.5}\n',
    "elm.json": '[\n{"run": "elm", "topic": "301", "measure": "AP", "value": 0.5}]\n',
    "elm.eval": "map                   \t301\t0.5000\n",
    "ours.eval": "runid                 \tall\telm\nmap                   \t301\t0.5000\n",
}


@pytest.mark.parametrize(("name", "text"), [*RUN_TEXTS.items(), *SCORE_TEXTS.items()])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_scores_is_told_from_a_run(tmp_path: Path, name: str, text: str, packed: bool) -> None:
    place = tmp_path / name
    place.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert holds_scores(str(place)) == (name in SCORE_TEXTS)
    assert not holds_scores(str(tmp_path))
    assert not holds_scores("-")


@pytest.mark.parametrize(
    "names",
    [
        "system query metric score",
        "system topic measure score",
        "run topic metric value",
        "system qid measure value",
        "run query_id metric score",
        "model query metric score",
        "System,Query ID,Metric,Score",
        "run_id topic-id measure_name metric_value",
        "method query_id metric score",
    ],
)
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "parquet", "frame"])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_columns_of_scores_may_have_the_usual_names_of_others(
    tmp_path: Path, names: str, form: str, order: tuple[int, ...]
) -> None:
    heads = names.split("," if "," in names else None)
    rows = [
        (run, topic, measure, place / 16)
        for place, (run, topic, measure) in enumerate(product(["mine", "other"], ["7", "q2", "x"], ["AP", "nDCG@10"]))
    ]
    columns = {heads[at]: [row[at] for row in rows] for at in order}
    path = tmp_path / f"scores.{form}"
    records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if form == "frame":
        scores = scores_from_frame(columns)
    else:
        if form == "parquet":
            pq.write_table(pa.table(columns), path)
        elif form == "json":
            path.write_text(json.dumps(records))
        elif form == "jsonl":
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
        else:
            with path.open("w", newline="") as file:
                writer = csv.writer(file, delimiter={"csv": ",", "tsv": "\t"}[form])
                writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
        assert holds_scores(str(path))
        scores = read_scores(path)
    assert table(scores) == {(run, topic, measure): value for run, topic, measure, value in rows}


@pytest.mark.parametrize("form", ["csv", "frame"])
def test_a_table_of_values_without_measures_is_told_which_columns_scores_have(tmp_path: Path, form: str) -> None:
    columns = {"system": ["mine", "mine", "other"], "query": ["q0", "q1", "q0"], "score": [0.5, 0.25, 0.75]}
    lines = [",".join(map(str, line)) for line in [columns, *zip(*columns.values(), strict=True)]]
    path = write(tmp_path, "long.csv", "\n".join(lines))
    read = {"csv": lambda: read_scores(path), "frame": lambda: scores_from_frame(columns)}[form]
    with pytest.raises(InputError, match="no column 'measure'; scores have run, topic, measure, value, or as system"):
        read()
