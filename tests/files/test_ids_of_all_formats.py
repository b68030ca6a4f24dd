"""A law of all formats of text: one collection is the same in each, bit for bit, whatever its ids are made of."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gradeval import Qrels, Run, evaluate, read_qrels, read_run
from gradeval.files.readers import open_run

Table = dict[str, dict[str, float]]


def of(table: Qrels | Run) -> Table:
    return {topic: table.of(topic) for topic in table.topics}


def lines(table: Table) -> Iterator[tuple[str, str, float]]:
    return ((topic, document, value) for topic, values in table.items() for document, value in values.items())


def as_json(table: Table, path: Path, value: str) -> None:
    path.write_text(json.dumps(table), encoding="utf-8")


def as_jsonl(table: Table, path: Path, value: str) -> None:
    records = [{"query": topic, "docid": document, value: number} for topic, document, number in lines(table)]
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")


def as_csv(delimiter: str, quoting: int, header: bool) -> Callable[[Table, Path, str], None]:
    def write(table: Table, path: Path, value: str) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, quoting=quoting)
            if header:
                writer.writerow(["query", "docid", value])
            writer.writerows(lines(table))

    return write


def as_raw_tsv(table: Table, path: Path, value: str) -> None:
    rows = [("query", "docid", value), *lines(table)]
    path.write_bytes("\n".join("\t".join(map(str, row)) for row in rows).encode())


def as_trec(table: Table, path: Path, value: str) -> None:
    end = "{2}" if value == "rating" else "1 {2} t"
    line = "{0} " + ("0" if value == "rating" else "Q0") + " {1} " + end + "\n"
    path.write_bytes("".join(line.format(*row) for row in lines(table)).encode())


WRITERS = {
    "json": as_json,
    "jsonl": as_jsonl,
    "csv": as_csv(",", csv.QUOTE_MINIMAL, True),
    "csv, all quoted": as_csv(",", csv.QUOTE_ALL, True),
    "csv without a header": as_csv(",", csv.QUOTE_MINIMAL, False),
    "semicolons": as_csv(";", csv.QUOTE_MINIMAL, True),
    "tsv by csv's writer": as_csv("\t", csv.QUOTE_MINIMAL, True),
    "tsv, all quoted, without a header": as_csv("\t", csv.QUOTE_ALL, False),
}
ENCLOSED = re.compile(r'"([^"]|"")*"')
WORD = st.text("ab\"'#,;:7\u00a0\u2028é|\\", min_size=1, max_size=6)
"""Signs that mean something in some format, and line ends and blanks of Unicode that are none in any."""
TOPIC = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


def may_be_trec(line: str) -> bool:
    """Has a line of a table without a header all that a line of TREC text has, as in ``7,"7 7 7 , 7 7",0.5``? Then
    nobody knows which it is."""
    words = line.split(" ")
    return '"' in line and len(words) in (4, 6) and words[3 if len(words) == 4 else 4].replace(".", "").isdigit()


def tables(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Table]:
    documents = st.dictionaries(ids, st.integers(0, 3).map(float), min_size=1, max_size=4)
    return st.dictionaries(ids, documents, min_size=1, max_size=4)


def scored(table: Table) -> Table:
    return {topic: {document: 0.5 + place for place, document in enumerate(values)} for topic, values in table.items()}


def require_alike(folder: Path, table: Table, writers: dict[str, Callable[[Table, Path, str], None]]) -> None:
    wanted = evaluate(Qrels.from_dict(table), scored(table), "AP nDCG RR").values.tolist()
    for name, write in writers.items():
        write(table, folder / "qrels", "rating")
        write(scored(table), folder / "run", "score")
        written = [line for path in ("qrels", "run") for line in (folder / path).read_text("utf-8").split("\n")]
        if name.endswith("without a header") and any(map(may_be_trec, written)):
            continue
        qrels = read_qrels(folder / "qrels")
        assert of(qrels) == table, name
        for read in (read_run, open_run):
            run = read(folder / "run")
            assert of(run) == scored(table), name
            assert evaluate(qrels, run, "AP nDCG RR").values.tolist() == wanted, name


QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@QUICK
@given(tables(TOPIC))
@example({"red dress": {'"Heroes"_(album)': 1.0, '"Heroes"': 2.0, "#d1": 0.0}, "#10 envelopes": {"a, b": 1.0}})
@example({"0": {"1": 2.0}, "1": {"2": 3.0, "#": 0.0}})
def test_ids_of_any_signs_are_the_same_in_every_format(tmp_path: Path, table: Table) -> None:
    require_alike(tmp_path, table, WRITERS)


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@QUICK
@given(tables(WORD.filter(lambda one: not one.startswith("#") and one[-1] not in ",;")))
@example({"q1": {'"Heroes"_(album)': 2.0, '"Heroes"': 1.0, '"Low': 0.0, "'Low'": 1.0}})
def test_ids_without_blanks_are_those_of_trec_text_too(tmp_path: Path, table: Table) -> None:
    """And those of tsv that knows no quotes, unless all that begin with a quote end with one, as if they enclosed; two
    quotes alone are an empty cell there."""
    ids = {one for topic, document, _ in lines(table) for one in (topic, document) if one.startswith('"')}
    raw = {} if '""' in ids or (ids and all(map(ENCLOSED.fullmatch, ids))) else {"raw tsv": as_raw_tsv}
    require_alike(tmp_path, table, {**WRITERS, "trec": as_trec, **raw})


@pytest.mark.parametrize("value", ["rating", "score"])
@pytest.mark.parametrize("width", [3, 6])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("document", ["d{}", "{}", "d {}"])
@pytest.mark.parametrize("words", [(2,), (3,), (4,), (5,), (6,), (1, 2, 5), (4, 1), (2, 1, 1, 1), (1, 1, 1, 4)])
@pytest.mark.parametrize("word", ["red", "10"])
def test_tabs_separate_topics_of_several_words(
    tmp_path: Path, value: str, width: int, header: bool, document: str, words: tuple[int, ...], word: str
) -> None:
    """Also where the words of a line are as many as the columns of TREC text."""
    topics = [
        " ".join([word] * count + [f"{place}"])[-60:] if count > 1 else f"t{place}" for place, count in enumerate(words)
    ]
    table = {topic: {document.format(7 + place): place + 0.5} for place, topic in enumerate(topics)}
    wide = {3: "{0}\t{1}\t{2}", 6: "{0}\t0\t{1}\t{2}" if value == "rating" else "{0}\tQ0\t{1}\t1\t{2}\tt"}[width]
    names = {
        3: "query\tdocid\t{}",
        6: "query\titer\tdocid\t{}" if value == "rating" else "query\tq0\tdocid\tplace\t{}\tt",
    }
    rows = [names[width].format(value)] if header else []
    rows += [wide.format(*row) for row in lines(table)]
    (tmp_path / "table").write_text("\n".join(rows) + "\n")
    assert of(read_qrels(tmp_path / "table") if value == "rating" else open_run(tmp_path / "table")) == table


@pytest.mark.parametrize("comma", [", ", "; ", " ,", ","])
@pytest.mark.parametrize("topic", ["q1", "red dress", "a red dress"])
def test_blanks_beside_commas_are_no_columns(tmp_path: Path, comma: str, topic: str) -> None:
    (tmp_path / "three").write_text(comma.join([topic, "d1", "1"]) + "\n")
    (tmp_path / "four").write_text(comma.join([topic, "0", "d1", "1"]) + "\n")
    assert of(read_qrels(tmp_path / "three")) == of(read_qrels(tmp_path / "four")) == {topic: {"d1": 1}}


@pytest.mark.parametrize(
    "line",
    [
        "{0}\t0\t{1}\t{2}",
        "{0} 0\t{1}\t{2}",
        "{0}\t0 {1}\t{2}",
        "{0} 0 {1}\t{2}",
        "{0}\t 0  {1} \t{2} ",
        "{0} 0 {1} {2}",
        "\t{0} 0\t\t{1} {2}",
    ],
)
def test_trec_text_separated_by_tabs_and_blanks_stays_trec_text(tmp_path: Path, line: str) -> None:
    table = {"301": {"a,b": 1.0, "d;2": 0.0, "3,4,5": 1.0}, "302": {"7": 2.0}}
    (tmp_path / "qrels").write_text("\n".join(line.format(*row) for row in lines(table)) + "\n")
    assert (of(read_qrels(tmp_path / "qrels")), read_qrels(tmp_path / "qrels").read_as) == (table, "")
    runs = line.replace("0", "Q0", 2).replace("{Q0}", "{0}").replace("{2}", "1\t{2} t")
    (tmp_path / "run").write_text("\n".join(runs.format(*row) for row in lines(table)) + "\n")
    assert (of(read_run(tmp_path / "run")), read_run(tmp_path / "run").read_as) == (table, "")


@pytest.mark.parametrize("place", [0, 1, 40, 9_000])
def test_it_does_not_matter_where_a_topic_of_several_words_stands(tmp_path: Path, place: int) -> None:
    rows = [f"t{number // 100}\t0\td{number}\t1" for number in range(10_000)]
    rows[place] = "a red dress\t0\td\t2"
    (tmp_path / "qrels").write_text("\n".join(rows) + "\n")
    assert read_qrels(tmp_path / "qrels").of("a red dress") == {"d": 2}
