"""Labels of topics from files and frames: what is read, and what is refused with its place."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

from gradeval import InputError
from gradeval.files.topic_labels import LabelsByColumn, labels_of_frame, read_label, read_topic_labels

TOPICS = ["401", "402", "403"]


def read(folder: Path, text: str, name: str = "labels.csv") -> LabelsByColumn:
    (folder / name).write_bytes(text.encode())
    return read_topic_labels(folder / name, TOPICS)


@pytest.mark.parametrize(
    "text",
    [
        "topic,segment\n401,head\n402,tail\n",
        "query_id\tsegment\n401\thead\n402\ttail\n",
        "segment;qid\r\nhead;401\r\ntail;402\r\n",
        "\ufefftopic,segment\n401,head\n402,tail\n403,\n",
        '"topic","segment"\n"401","head"\n"402","tail"\n',
        "# whence they come\ntopic,segment\n401,head\n402,tail\n",
        ",topic,segment\n0,401,head\n1,402,tail\n",
        "topic segment\n401 head\n\n402 tail\n402 tail\n",
    ],
)
def test_every_way_to_write_a_column_is_the_same(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == {"segment": {"401": "head", "402": "tail"}}


def test_lines_without_a_header_begin_with_a_topic_of_the_collection(tmp_path: Path) -> None:
    assert read(tmp_path, "401,head\n999,tail\n") == {"slice": {"401": "head", "999": "tail"}}
    assert read(tmp_path, "401,head,en\n") == {"slice 1": {"401": "head"}, "slice 2": {"401": "en"}}


def test_several_columns_are_several_partitions(tmp_path: Path) -> None:
    both = {"segment": {"401": "head, new", "402": "tail"}, "language": {"401": "en"}}
    assert read(tmp_path, 'topic,segment,language\n401,"head, new",en\n402,tail,\n') == both


@pytest.mark.parametrize("name", ["labels.csv.gz", "labels.parquet"])
def test_packed_files_and_parquet_are_read(tmp_path: Path, name: str) -> None:
    if name.endswith("gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"topic,segment\n401,head\n402,tail\n"))
    else:
        parquet.write_table(pyarrow.table({"topic": [401, 402], "segment": ["head", "tail"]}), tmp_path / name)
    assert read_topic_labels(tmp_path / name, TOPICS) == {"segment": {"401": "head", "402": "tail"}}


COLUMNS = {"topic": ["401", "402", "403"], "segment": ["head", "tail", None]}


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame(COLUMNS),
        pandas.DataFrame({"segment": COLUMNS["segment"]}, index=pandas.Index(COLUMNS["topic"], name="topic")),
        pandas.DataFrame({"segment": COLUMNS["segment"]}, index=pandas.RangeIndex(401, 404, name="query")),
        pandas.DataFrame(COLUMNS).astype({"segment": "category"}),
        polars.DataFrame(COLUMNS),
        pyarrow.table(COLUMNS),
    ],
)
def test_frames_are_read(frame: object) -> None:
    assert labels_of_frame(frame, "by") == {"segment": {"401": "head", "402": "tail"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "labels.csv: the file is empty"),
        ("topic\n401\n", r"labels.csv:1: found 1 column \('topic'\)"),
        ("topic,segment\n401,head,new\n", "labels.csv:2: found 3 columns, where the first line has 2"),
        ("topic,segment\n,head\n", "labels.csv:2: the topic is empty"),
        ("topic,,segment\n401,a,head\n", "labels.csv:1: a column of labels has no name"),
        ("topic,segment,segment\n401,a,b\n", "labels.csv:1: two columns are called 'segment'"),
        ("intent,segment\n401,head\n", "labels.csv:1: 'intent' is no topic of the collection, and no name"),
        (
            "topic,segment\n401,head\n402,tail\n401,tail\n",
            "labels.csv:4: topic 401 is 'tail' by segment, and 'head' in line 2",
        ),
        ('topic,segment\n401,"head\n402,tail\n', "labels.csv:2: a quote opens a cell"),
        ('{"401": "head"}', "labels.csv: is JSON"),
        ("topic,segment\n401,a\0b\n", r"labels.csv:2: control byte"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        read(tmp_path, text)
    assert "\n" not in str(error.value)


def test_a_name_of_topics_among_the_topics_is_a_topic(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("topic,head\nuser,tail\n")
    assert read_topic_labels(tmp_path / "labels.csv", ["topic", "user"]) == {"slice": {"topic": "head", "user": "tail"}}


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"x": ["401"], "segment": ["a"]}, r"by: no column is known to hold the topics \(columns: x, segment\)"),
        ({"topic": ["401"]}, "by: has no column of labels besides topic"),
        ({"topic": ["401", "401"], "s": ["a", "b"]}, "by: row 1: topic 401 is 'b' by s, and 'a' in row 0"),
        ({"topic": ["401", None], "s": ["a", "b"]}, "by: row 1: topic is missing"),
        ({"topic": ["401"], "s": [["a"]]}, "by: row 0: column 's': the label is a list"),
    ],
)
def test_wrong_frames_are_refused_with_their_row(frame: dict[str, list[object]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        labels_of_frame(pyarrow.table(frame), "by")


@pytest.mark.parametrize(
    ("value", "label"),
    [("a ", "a"), ("", ""), (None, ""), (float("nan"), ""), (3, "3"), (2.0, "2"), (0.5, "0.5"), (True, "True")],
)
def test_labels_are_text_numbers_and_truth_values(value: object, label: str) -> None:
    assert read_label(value, "by") == label


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_columns_that_nobody_asked_for_are_not_looked_at(tmp_path: Path, form: str) -> None:
    frame = pandas.DataFrame(
        {"topic": ["a", "b", "b"], "country": ["AT", "DE", "DE"], "device": ["phone", "phone", "web"]}
    )
    path = tmp_path / f"labels.{form}"
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path, index=False)
    assert read_topic_labels(path, ["a", "b"], "country") == {"country": {"a": "AT", "b": "DE"}}
    for wanted in ("", "device", "country,device", "nothing"):
        with pytest.raises(InputError, match="topic b is 'web' by device, and 'phone' in"):
            read_topic_labels(path, ["a", "b"], wanted)
