from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import polars
import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from refusing import said_of

from gradeval import EncodingGuessWarning
from gradeval.files.texts import Text, TextKind, read_queries, read_texts, require_place, require_some

SCRIPTS = {
    "q1": "what is graded relevance",
    "q2": "ما هو استرجاع المعلومات",
    "q3": "सूचना पुनर्प्राप्ति क्या है",
    "q4": "什么是信息检索",
    "5": 'a "quoted" one, with a comma; and a semicolon',
}
DOCUMENTS = {name: (f"title of {name}", text) for name, text in SCRIPTS.items()}


def write_lines(path: str, lines: Iterable[str]) -> None:
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_tsv(header: str, title: bool = True) -> Callable[[str], None]:
    def write(path: str) -> None:
        rows = ["\t".join([name, *parts] if title else [name, parts[1]]) for name, parts in DOCUMENTS.items()]
        write_lines(path, [*filter(None, [header]), *rows])

    return write


def write_jsonl(
    identifier: str, title: str, text: str, last: bool = False, ascii: bool = False
) -> Callable[[str], None]:
    """Records in which the id stands first or last, beside one in a record within, which is none."""

    def write(path: str) -> None:
        records = []
        for name, (of_title, of_text) in DOCUMENTS.items():
            whole = {identifier: int(name) if name.isdecimal() else name}
            rest: dict[str, Any] = {"metadata": {identifier: "q1"}, title: of_title, text: of_text}
            records.append(rest | whole if last else whole | rest)
        write_lines(path, [json.dumps(record, ensure_ascii=ascii) for record in records])

    return write


def write_csv(path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["doc_id", "Title", "Text"])
        writer.writerows([name, title, text.replace(" is", "\nis")] for name, (title, text) in DOCUMENTS.items())


def columns_of(identifier: str = "_id") -> dict[str, list[str]]:
    titles, texts = zip(*DOCUMENTS.values(), strict=True)
    return {"other": ["x"] * len(titles), identifier: [*DOCUMENTS], "title": [*titles], "text": [*texts]}


def write_parquet(path: str) -> None:
    pyarrow.parquet.write_table(pyarrow.table(columns_of()), path, row_group_size=2)


WRITERS: dict[str, Callable[[str], None]] = {
    "plain.tsv": write_tsv(""),
    "header.tsv": write_tsv("docid\ttitle\ttext"),
    "beir.jsonl": write_jsonl("_id", "title", "text"),
    "last.jsonl": write_jsonl("docid", "title", "body", last=True),
    "escaped.jsonl": write_jsonl("id", "title", "contents", ascii=True),
    "passages.jsonl": write_jsonl("pid", "headline", "passage"),
    "rows.csv": write_csv,
    "columns.parquet": write_parquet,
    "mapping.json": lambda path: write_lines(
        path, [json.dumps({name: {"title": parts[0], "text": parts[1]} for name, parts in DOCUMENTS.items()}, indent=1)]
    ),
    "list.json": lambda path: write_lines(
        path, [json.dumps([{"id": name, "title": title, "text": text} for name, (title, text) in DOCUMENTS.items()])]
    ),
}


@pytest.mark.parametrize("wanted", [None, ["q2", "5", "gone"], ["q3"]], ids=["all", "some", "one"])
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_texts(here: Path, name: str, wanted: list[str] | None) -> None:
    WRITERS[name](name)
    read = read_texts(name, "document", wanted)
    expected = {one: Text(*parts) for one, parts in DOCUMENTS.items() if wanted is None or one in wanted}
    assert read.by_id == expected
    assert (read.seen, read.repeated) == (len(DOCUMENTS), 0)
    assert read.lacking(wanted or []) == [one for one in wanted or [] if one not in DOCUMENTS]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_are_read_as_plain_ones_and_a_cut_one_is_refused(here: Path, ending: str) -> None:
    rng = random.Random(3)
    lines = [json.dumps({"_id": f"d{n}", "text": f"{rng.random()} " * 9}) for n in range(20_000)]
    data = "\n".join(lines).encode()
    packed = PACKERS[ending](data[: len(data) // 2]) + PACKERS[ending](data[len(data) // 2 :])
    Path(f"corpus.jsonl.{ending}").write_bytes(packed)
    read = read_texts(f"corpus.jsonl.{ending}", "document", ["d7", "d19999"])
    assert {name: found.text for name, found in read.by_id.items()} == {
        name: json.loads(lines[int(name[1:])])["text"].strip() for name in ("d7", "d19999")
    }
    assert read.seen == 20_000
    Path("cut").write_bytes(packed[:-100])
    assert said_of(read_texts, "cut", "document", ["d7"]).startswith("cut: the ")


@pytest.mark.parametrize(
    "given",
    [
        SCRIPTS,
        {name: {"text": text} for name, text in SCRIPTS.items()},
        [{"query_id": name, "query": text} for name, text in SCRIPTS.items()],
        polars.DataFrame({"qid": [*SCRIPTS], "query": [*SCRIPTS.values()]}),
        pyarrow.table({"qid": [*SCRIPTS], "query": [*SCRIPTS.values()]}),
    ],
    ids=["mapping", "records by id", "records", "polars", "arrow"],
)
def test_python_gives_texts_as_it_has_them(given: Any) -> None:
    assert read_queries(given) == SCRIPTS
    assert read_queries(given, ["q4"]) == {"q4": SCRIPTS["q4"]}


@pytest.mark.parametrize(
    ("names", "row", "expected"),
    [
        (["query_id", "query"], ["q", "words"], "words"),
        (["id", "qid", "text"], ["3", "q", "words"], "words"),  # the id of its own counts, not the number of the row
        (["qid", "title", "description"], ["q", "words", "long"], "words"),  # as TREC's topics
        (["Query-ID", "Question"], ["q", "words"], "words"),
    ],
)
def test_columns_of_topics_are_known_by_usual_names(
    here: Path, names: list[str], row: list[str], expected: str
) -> None:
    write_lines("t.jsonl", [json.dumps(dict(zip(names, row, strict=True)))])
    write_lines("t.tsv", ["\t".join(names), "\t".join(row)])
    write_lines("t.csv", [",".join(names), ",".join(row)])
    assert [read_queries(f"t.{ending}") for ending in ("jsonl", "tsv", "csv")] == [{"q": expected}] * 3


def test_a_title_in_tsv_without_a_header_is_the_shorter_column(here: Path) -> None:
    for order in ((0, 1, 2), (0, 2, 1)):
        rows = [["d1", "short", "a text that is longer"], ["d2", "a title of some words", "x"], ["d3", "", "text " * 9]]
        write_lines("corpus.tsv", ["\t".join(row[at] for at in order) for row in rows])
        assert read_texts("corpus.tsv", "document").by_id["d1"] == Text("short", "a text that is longer")


def test_a_quote_in_tsv_is_a_letter_unless_a_program_enclosed_the_cell(here: Path) -> None:
    write_lines("q.tsv", ['1\t"as it is" said she', '2\t"he said ""so"" twice"', '3\t"all of it"', '4\t5" disk'])
    assert read_queries("q.tsv") == {
        "1": '"as it is" said she',
        "2": 'he said "so" twice',
        "3": '"all of it"',
        "4": '5" disk',
    }


def test_a_text_is_one_line_and_cut_after_so_many_letters() -> None:
    long = "word \n\t" * 1000
    [text] = read_texts({"d": long}, "document", letters=12).by_id.values()
    assert text == Text("", "word word w…")
    assert len(text.text) == 12
    assert read_texts({"d": "123456789012"}, "document", letters=12).by_id["d"].text == "123456789012"


def test_a_text_that_comes_twice_counts_once_and_an_empty_one_is_none(here: Path) -> None:
    write_lines("q.tsv", ["1\tfirst", "1\tsecond", "2\t ", "3\tthird"])
    read = read_texts("q.tsv", "topic", ["1", "2", "3"])
    assert (read_queries("q.tsv"), read.repeated, read.seen) == ({"1": "first", "3": "third"}, 1, 4)
    assert read.lacking(["1", "2", "3"]) == ["2"]


def test_a_folder_is_searched_for_its_topics_or_documents(here: Path) -> None:
    os.mkdir("beir")
    write_lines("beir/queries.jsonl", ['{"_id": "q1", "text": "asked"}'])
    write_lines("beir/corpus.jsonl", ['{"_id": "d1", "text": "told"}'])
    write_lines("beir/README.md", ["of no use"])
    assert read_queries("beir") == {"q1": "asked"}
    assert read_texts("beir", "document").by_id == {"d1": Text("", "told")}
    os.makedirs("mteb/corpus")
    for part in range(3):
        write_lines(f"mteb/corpus/part-{part}", [f"d{part}\ttext {part}"])
    write_lines("mteb/corpus/_SUCCESS", [])
    assert [text.text for text in read_texts("mteb", "document").by_id.values()] == ["text 0", "text 1", "text 2"]
    os.remove("beir/corpus.jsonl")
    os.remove("beir/README.md")
    assert (
        said_of(read_texts, "beir", "document")
        == "beir: the folder holds no texts of documents; name the file that does"
    )


OWN_NAMES: dict[str, Callable[[str], None]] = {
    "p.csv": lambda path: write_lines(path, ["Artikel,Preis,Name", "d1,7,Shoe", "d2,8,Tent"]),
    "p;.csv": lambda path: write_lines(path, ["Artikel;Name", "d1;Shoe", "d2;Tent"]),
    "p.tsv": lambda path: write_lines(path, ["Name\tArtikel", "Shoe\td1", "Tent\td2"]),
    "p.jsonl": lambda path: write_lines(
        path, ['{"Artikel": "d1", "Name": "Shoe"}', '{"Name": "Tent", "Artikel": "d2"}']
    ),
    "p.json": lambda path: write_lines(
        path, ['[{"Artikel": "d1", "Name": "Shoe"}, {"Name": "Tent", "Artikel": "d2"}]']
    ),
    "p.parquet": lambda path: pyarrow.parquet.write_table(
        pyarrow.table({"Name": ["Shoe", "Tent"], "Artikel": ["d1", "d2"]}), path
    ),
}


@pytest.mark.parametrize("name", OWN_NAMES)
def test_a_place_names_the_columns_of_its_file(here: Path, name: str) -> None:
    OWN_NAMES[name](name)
    assert read_queries(f"columns:query=Artikel,text=Name:{name}") == {"d1": "Shoe", "d2": "Tent"}
    titles = read_texts(f"columns:doc=Artikel,title=Name:{name}", "document", ["d2"])
    assert titles.by_id == {"d2": Text("Tent", "")}
    require_place(f"columns:doc=Artikel,title=Name:{name}")
    if name != "p.tsv":  # two columns of tsv need no header
        assert "or name the columns: columns:doc=NAME,title=NAME,text=NAME:FILE" in said_of(
            read_texts, name, "document"
        )
    assert "has no column 'Artikl'; " in said_of(read_texts, f"columns:doc=Artikl,title=Name:{name}", "document")
    wrong = said_of(read_texts, f"columns:id=Artikel:{name}", "topic")
    assert "'id' names no column; of topics one writes columns:query=NAME,text=NAME:FILE" in wrong


GOOD = [json.dumps({"_id": f"d{n}", "text": "told"}) for n in range(9)]


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("c.jsonl", [*GOOD, '{"_id": "d9", "text": "cut of'], "c.jsonl:10: is not valid JSON (Unterminated string"),
        ("c.jsonl", ['{"_id": "d9", "text": "cut of', *GOOD], "c.jsonl:1: is not valid JSON (Unterminated string"),
        ("c.jsonl", [*GOOD, '{"_id": "d1", "text": oh}'], "c.jsonl:10: is not valid JSON (Expecting value"),
        ("c.jsonl", [*GOOD, "[1]"], "c.jsonl:10: is a list; accepted: "),
        ("c.jsonl", [*GOOD, '{"name": 3, "size": "x"}'], "c.jsonl:10: no columns are known to hold ids and texts"),
        ("c.jsonl", [*GOOD, '{"_id": "d1", "text": ["a"]}'], "c.jsonl:10: the text is a list; texts are strings"),
        ("c.jsonl", [*GOOD, '{"_id": null, "text": "a"}'], "c.jsonl:10: document 'None' is not an id"),
        ("c.tsv", ["d1\ttold", "", "d2 told"], "c.tsv:3: found 1 column ('d2 told'), where the first line has 2"),
        ("c.tsv", ["d1\ta\tb\tc"], "c.tsv:1: found 4 columns and no header; accepted are an id and a text"),
        ("c.tsv", ["docid\turl"], "c.tsv:1: no columns are known to hold ids and texts of documents (there are docid"),
        ("c.csv", ["a,b", "1,2"], "c.csv:1: 'a,b' is no header with known columns, nor a row of tsv"),
        ("c.csv", ["docid,text", "d1,a", "d2,a,b"], "c.csv:3: found 3 columns, where the first line has 2"),
        ("c.csv", ["docid,text", 'd1,"a', 'b"', 'd2,"a'], "c.csv:4: cannot be split into columns (unexpected end"),
        ("c.trec", ["<top>", "<num> Number: 301"], "c.trec:1: '<top>' is no header with known columns"),
        ("c.json", ["[1, 2]"], "c.json, record 1 is an int; accepted are records with an id and a text"),
        ("empty", [""], "empty: the file is empty; accepted are tsv (id, title, text)"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(here: Path, name: str, lines: list[str], said: str) -> None:
    write_lines(name, lines)
    assert said_of(read_texts, name, "document", ["d1"]).startswith(said)


@pytest.mark.parametrize("line", [b"d2\tcaf\xe9", b'{"_id": "d1", "text": "caf\xe9"}'])
def test_other_encodings_are_guessed_in_tables_and_refused_in_json(here: Path, line: bytes) -> None:
    Path("c").write_bytes((b"d1\ttold\n" if b"\t" in line else GOOD[0].encode() + b"\n") + line)
    if b"\t" in line:
        with pytest.warns(EncodingGuessWarning, match="c:2: is not UTF-8 and read as cp1252, as in 'caf\xe9'"):
            assert read_texts("c", "document").by_id["d2"].text == "caf\xe9"
        return
    assert said_of(read_texts, "c", "document") == "c:2: is not valid UTF-8; save it as UTF-8"


@pytest.mark.parametrize("data", [b"1\x81\xfe", b"d1,t\x81xt\n", b'[{"id": "\xe9"}]'])
def test_other_encodings_are_refused_in_the_first_line_too(here: Path, data: bytes) -> None:
    Path("c").write_bytes(data)
    assert said_of(read_texts, "c", "document").endswith("is not valid UTF-8; save it as UTF-8")
    Path("c").write_bytes(b"d1\told\0\n")
    assert said_of(read_texts, "c", "document") == "c:1: control byte '\\x00' found; this is not a text file"
    Path("c").write_bytes("d1\told\n".encode("utf-16"))
    assert said_of(read_texts, "c", "document").startswith("c: is UTF-16 or a zip archive; accepted are tsv")


@pytest.mark.parametrize("name", ["plain.tsv", "header.tsv", "beir.jsonl", "rows.csv", "list.json", "mapping.json"])
def test_a_byte_order_mark_is_no_part_of_an_id(here: Path, name: str) -> None:
    WRITERS[name](name)
    plain = read_texts(name, "document").by_id
    Path(name).write_bytes(b"\xef\xbb\xbf" + Path(name).read_bytes().replace(b"\n", b"\r\n"))
    assert read_texts(name, "document").by_id == plain


def test_a_source_of_other_ids_is_refused_with_ids_of_both(here: Path) -> None:
    write_lines("q.tsv", [f"q{n}\ttext" for n in range(9)])
    read = read_texts("q.tsv", "topic", ["301", "302", "303", "304"])
    assert said_of(require_some, read, ["301", "302", "303", "304"]) == (
        "q.tsv: has a text for none of the 4 topics ('301', '302', '303' ...); it has 9 texts, of 'q0', 'q1', "
        "'q2' ...; name the file with the texts of these topics"
    )
    require_some(read_texts("q.tsv", "topic", ["301", "q7"]), ["301", "q7"])
    require_some(read, [])


@pytest.mark.parametrize("kind", ["topic", "document"])
def test_random_files_read_as_all_their_records_do(here: Path, kind: TextKind) -> None:
    """What is skipped by a look at the id is what a parser of every line leaves out."""
    rng = random.Random(kind)
    letters = ['"', "\\", ",", "{", "}", ":", "_id", "d1", "é", " ", "\n", "\u2028", "\t", "x"]
    for _ in range(40):
        records = []
        for number in range(rng.randint(1, 30)):
            text = "".join(rng.choices(letters, k=rng.randint(1, 12))) + "."
            record = {"_id": rng.choice([f"d{number}", number, f"é{number}", f'"{number}']), "text": text}
            record["meta"] = rng.choice(["", {"_id": "d1"}, text, ["_id", "d1"]])
            items = [*record.items()]
            rng.shuffle(items)
            records.append(dict(items))
        write_lines("c.jsonl", [json.dumps(one, ensure_ascii=rng.random() < 0.5) for one in records])
        wanted = {str(one["_id"]) for one in records if rng.random() < 0.3}
        read = read_texts("c.jsonl", kind, wanted)
        assert {name: found.text for name, found in read.by_id.items()} == {
            str(one["_id"]): " ".join(str(one["text"]).split()) for one in records if str(one["_id"]) in wanted
        }
        assert read.seen == len(records)


IRDS = """
import sys
from gradeval import EncodingGuessWarning, InputError
from gradeval.files.texts import read_texts
for kind, wanted in (("topic", None), ("document", ["b"])):
    try:
        print({name: text.text for name, text in read_texts("irds:antique/test", kind, wanted).by_id.items()})
    except InputError as error:
        print(error)
"""


def test_data_sets_of_ir_datasets_are_read_where_they_are_and_never_fetched(tmp_path: Path) -> None:
    environment = os.environ | {"IR_DATASETS_HOME": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    ask = partial(subprocess.run, [sys.executable, "-c", IRDS], env=environment, text=True, stdout=subprocess.PIPE)
    away = ask(check=True).stdout.splitlines()
    expected = "irds:antique/test: is not on this machine, and nothing is fetched for texts; fetch it by ir_datasets"
    assert away == [expected, expected]
    (tmp_path / "antique/test").mkdir(parents=True, exist_ok=True)
    (tmp_path / "antique/test/queries.txt").write_text("1\tasked\n2\talso asked\n")
    (tmp_path / "antique/collection.tsv").write_text("a\tnothing\nb\ttold\n")
    assert ask(check=True).stdout.splitlines() == ["{'1': 'asked', '2': 'also asked'}", "{'b': 'told'}"]
