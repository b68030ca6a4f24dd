"""Features from Parquet and csv files."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from refusing import said_of

from gradeval import FeaturesWarning, InputError, evaluate, read_qrels, read_run
from gradeval.features.features import Features
from gradeval.files.readers import read_features

CSV = "qid,docno,label,bm25,score\n1,d1,2,0.5,3\n1,d2,0,,4\nx,d1,1,2,5\n"


def written(folder: Path, ending: str, text: str) -> Path:
    """A csv text as a file of this ending."""
    place = folder / f"features{ending}"
    place.write_text(text)
    if ending == ".parquet":
        rows = [line.split(",") for line in text.splitlines()]
        table = {
            name: [row[at] if name in ("qid", "docno") else float(row[at] or "nan") for row in rows[1:]]
            for at, name in enumerate(rows[0])
        }
        pyarrow.parquet.write_table(pa.table(table), place)
    return place


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_usual_columns_are_known_and_all_others_are_features(ending: str, tmp_path: Path) -> None:
    features: Features = read_features(written(tmp_path, ending, CSV))
    assert (features.topics, features.docs, features.columns) == (["1", "x"], ["d1", "d2", "d1"], ("bm25", "score"))
    np.testing.assert_array_equal(features.X, np.array([[0.5, 3], [np.nan, 4], [2, 5]], np.float32))
    assert features.grades.tolist() == [2, 0, 1]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_documents_need_neither_grades_nor_names(ending: str, tmp_path: Path) -> None:
    features = read_features(written(tmp_path, ending, "qid,bm25\na,1\na,2\n"))
    assert np.isnan(features.grades).all()
    assert features.docs == ["a-1", "a-2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "bm25,label\n1,2\n",
            "no column is known to hold the queries (it has bm25, label); name it: features_from_frame(frame, "
            "query_id=NAME, relevance='label'), or call it query_id",
        ),
        (
            "query_idd,bm25\n1,2\n",
            "(it has query_idd, bm25); 'query_idd' is nearly 'query_id'; name it: features_from_frame(frame, "
            "query_id='query_idd', relevance=None), or call it query_id",
        ),
        ("qid,label\n1,2\n", "no column with a feature"),
        ("qid,bm25\n1,x\n", "column 'bm25' (line 2: 'x') holds no numbers; leave it out: frame.drop(columns='bm25'); "),
        (
            "qid,title,at,bm25\n\n1,7,2024-01-01,2\n1,x,2024-01-02,3\n",
            "columns 'title' (line 4: 'x') and 'at' (times) hold no numbers; leave them out: frame.drop("
            "columns=['title', 'at']); or write numbers",
        ),
        (
            "qid,label,bm25\n\n1,2,0.5\n1,-1,0.6\n",
            ": line 4: label -1 is negative; grades are 0 or more; drop such rows",
        ),
        (
            "qid,unit_id,title,bm25\n1,L7,x,2\n",
            "leave them out: frame.drop(columns=['unit_id', 'title']), unless 'unit_id' names the documents: "
            "features_from_frame(frame, doc_id='unit_id'); or",
        ),
        ("qid,unit_id,docno,bm25\n1,L7,7,2\n", "leave it out: frame.drop(columns='unit_id'); or write numbers"),
        (
            'qid,bm25\n1,1\n1,N/A\n1,2\n1,3\n\n1,"1,299.00"\n1,4\n',
            "column 'bm25' holds no number in 1 of 6 cells (line 7: '1,299.00', with commas between thousands); write "
            "a number there or, where the value is missing, give None; or leave the column out: "
            "frame.drop(columns='bm25')",
        ),
        (
            "qid,title,bm25\n1,x,a\n1,x,b\n1,x,c\n1,x,d\n1,x,1\n1,x,1\n1,x,1\n1,x,1\n1,x,1\n",
            "; column 'bm25' holds no number in 4 of 9 cells (line 2: 'a', line 3: 'b', line 4: 'c' and 1 more); write",
        ),
        (
            "1,2,0.5\n1,0,0.7\n",
            "the first line holds numbers (1, 2, 0.5), and is read as the names of columns; write a",
        ),
        (
            "cart_id,f\n1,2\n",
            "queries (it has cart_id, f); name it: features_from_frame(frame, query_id='cart_id', rel",
        ),
        (
            "qid,label,f\n\n88,1,2\n8.84E+08,1,2\n",
            ":4: qid 8.84E+08 lost its last digits, as Excel shortens long numbers; export the table again",
        ),
        ("qid,bm25\n1\n", "is no csv table with a header"),
        ("", "is no csv table with a header"),
    ],
)
def test_files_that_are_no_features_are_refused(text: str, said: str, tmp_path: Path) -> None:
    refused = said_of(lambda: read_features(written(tmp_path, ".csv", text)))
    assert said in refused


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("name", "meant"), [("relevence", "relevance"), ("lable", "label"), ("score1", ""), ("bm25", "")]
)
def test_a_feature_that_may_be_the_grades_is_warned_of(name: str, meant: str, ending: str, tmp_path: Path) -> None:
    place = written(tmp_path, ending, f"qid,{name},a\nx,1,2\nx,2,1\n")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert read_features(place).columns == (name, "a")
    said = f"{place}: column {name!r} is read as a feature, and is nearly {meant!r}; if it holds grades, name it: "
    said += f"--columns grade={name}, or call it {meant}"
    assert [str(one.message) for one in warned] == [said] * bool(meant)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_columns_may_be_separated_by_other_marks(mark: str, tmp_path: Path) -> None:
    place = written(tmp_path, ".csv", CSV.replace(",", mark))
    assert read_features(place).X.tobytes() == read_features(written(tmp_path, "2.csv", CSV)).X.tobytes()


@pytest.mark.parametrize("name", ["x.tsv", "x.TSV", "columns:x.txt"])
def test_a_tsv_is_read_by_its_columns(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name.removeprefix("columns:")).write_text(CSV.replace(",", "\t"))
    features = read_features(name)
    assert (features.columns, features.docs, features.topics) == (("bm25", "score"), ["d1", "d2", "d1"], ["1", "x"])


def test_letor_text_in_a_tsv_is_refused_with_the_remedy(tmp_path: Path) -> None:
    place = written(tmp_path, ".tsv", "2\tqid:1\t1:0.5\n")
    with pytest.raises(InputError, match=f"is LETOR text by its first line; write letor:{place}$"):
        read_features(place)
    assert read_features(f"letor:{place}").X.tolist() == [[0.5]]


@pytest.mark.parametrize("ending", [".parquet", ".pq"])
def test_both_endings_of_parquet_are_known(ending: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"qid": ["a"], "label": [1], "bm25": [2]}), tmp_path / f"x{ending}")
    assert read_features(tmp_path / f"x{ending}").X.tolist() == [[2]]


def test_without_a_column_of_grades_training_says_which_it_looks_for(tmp_path: Path) -> None:
    features = read_features(written(tmp_path, ".csv", "qid,bm25,stars\n1,2,3\n"))
    with pytest.raises(InputError, match=r"have no grade; training data need one for each \(in a table the column rel"):
        features.require_grades("training data")


def test_true_and_false_are_one_and_zero(tmp_path: Path) -> None:
    assert read_features(written(tmp_path, ".csv", "qid,f\n1,true\n1,false\n")).X.tolist() == [[1], [0]]


COMMAS = "qid;label;a;b\n1;2;0,5;1\n1;0;-12,25;\n1;1;,5;1,5e3\n"


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas_are_read(mark: str, tmp_path: Path) -> None:
    place = written(tmp_path, ".csv", COMMAS.replace(";", mark))
    with pytest.warns(FeaturesWarning, match="decimal commas are read in a, b$"):
        features = read_features(place)
    np.testing.assert_array_equal(features.X, np.array([[0.5, 1], [-12.25, np.nan], [0.5, 1500]], np.float32))
    assert features.grades.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qid;a;b\n1;0,5;0.5\n", "column 'a' has decimal commas, and 'b' decimal points; write all in one way"),
        ("qid;a\n1;1,250\n1;12,500\n", "column 'a' holds '1,250', whose comma may be a decimal comma or separate thou"),
        ('qid,a\n1,"1,250"\n', "separate thousands; write 1.250 or 1250"),
        (
            "qid;a\n1;0,5\n1;1,000,000\n",
            "column 'a' (line 2: '0,5', with a decimal comma instead of a point) holds no numbers",
        ),
        (
            "qid;a\n1;0,5\n1;1.5\n",
            "column 'a' (line 2: '0,5', with a decimal comma instead of a point) holds no numbers",
        ),
    ],
)
def test_commas_that_may_be_none_of_decimals_are_refused(text: str, said: str, tmp_path: Path) -> None:
    assert said in said_of(lambda: read_features(written(tmp_path, ".csv", text)))


def test_one_comma_of_decimals_settles_the_others(tmp_path: Path) -> None:
    with pytest.warns(FeaturesWarning, match="decimal commas are read in a, b$"):
        features = read_features(written(tmp_path, ".csv", "qid;a;b\n1;1,250;0,5\n"))
    assert features.X.tolist() == [[1.25, 0.5]]


@pytest.mark.parametrize("name", ["search_id", "srch_id", "Search-ID", "request_id", "group", "group_id", "session_id"])
@pytest.mark.parametrize("grade", ["target", "rel", "label"])
def test_names_of_queries_and_grades_that_training_data_have(name: str, grade: str, tmp_path: Path) -> None:
    features = read_features(written(tmp_path, ".csv", f"{name},price,{grade}\n7,3,1\n7,2,0\n"))
    assert (features.topics, features.columns, features.grades.tolist()) == (["7"], ("price",), [1, 0])


def test_another_name_of_queries_goes_first(tmp_path: Path) -> None:
    features = read_features(written(tmp_path, ".csv", "group,query_id,label,f\n7,a,1,3\n8,a,0,2\n"))
    assert (features.topics, features.columns) == (["a"], ("group", "f"))


@pytest.mark.parametrize("ending", [".query", ".group"])
@pytest.mark.parametrize("headless", [False, True])
def test_a_table_beside_the_sizes_of_its_queries_is_judgments_and_runs(
    ending: str, headless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names, rows = (
        "" if headless else "label,f1,f2,f3,site\n",
        ["2,0.5,7,8,1", "0,1.5,7,8,2", "1,0.25,7,8,1", "0,0.125,7,8,2"],
    )
    words = rows if headless else [row[:-1] + "blog" for row in rows]  # others may hold words
    Path("t.csv").write_text(names + "\n".join(words) + "\n")
    Path("t.csv" + ending).write_text("2\n2\n")
    feature = "1" if headless else "f1"
    sizes = f"t.csv{ending} has sizes of queries; for"
    assert said_of(lambda: read_qrels("t.csv")).endswith(f"{sizes} judgments write letor:t.csv")
    assert said_of(lambda: read_run("t.csv")).endswith(f"{sizes} a run write letor:t.csv#FEATURE")
    qrels, run = read_qrels("letor:t.csv"), read_run(f"letor:t.csv#{feature}")
    assert qrels.to_dict() == {"1": {"1-1": 2, "1-2": 0}, "2": {"2-1": 1, "2-2": 0}}
    assert evaluate(qrels, run, "RR").values.ravel().tolist() == [0.5, 1.0]
    if not headless:
        assert "has no column 'f9'" in said_of(lambda: read_run("letor:t.csv#f9"))


def test_a_table_whose_columns_are_known_needs_no_prefix(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("query_id,doc_id,label,f1\nq,a,1,2\n")
    assert said_of(lambda: read_qrels(f"letor:{file}")).endswith(f"not LETOR text; write {file}")
    assert read_qrels(file).to_dict() == {"q": {"a": 1}}
    stored = tmp_path / "t.parquet"
    pd.read_csv(file).to_parquet(stored)
    assert said_of(lambda: read_qrels(f"letor:{stored}")).endswith(f"not LETOR text; write {stored}")
    assert read_qrels(stored).to_dict() == {"q": {"a": 1}}
    run = said_of(lambda: read_run(f"letor:{stored}#f1")).partition("write ")[2]
    assert read_run(run).to_dict() == {"q": {"a": 2.0}}
