"""TREC text: what is read, how runs are named, what is written and reads back, what is refused."""

from __future__ import annotations

import gzip
import io
import math
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusing import said_of

from gradeval import InputError, Qrels, Run, read_qrels, read_run, read_runs, write_qrels, write_run
from gradeval.files.readers import open_run

QRELS = "301 0 d1 2\n301 0 d2 0\n302 0 d1 -2\n302 0 d3 0.5\n"
RUN = "301 Q0 d1 1 3.5 bm25\n301 Q0 d2 2 1e-3 bm25\n302 Q0 d3 1 +3 bm25\n"


def write(name: str, text: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def refusal_of_qrels(text: str | bytes, name: str = "qrels.txt", **options: object) -> str:
    return said_of(lambda: read_qrels(write(name, text), **options))


# Judgments


def test_judgments_are_read_as_they_stand() -> None:
    qrels = read_qrels(write("qrels.txt", QRELS))
    assert qrels.topics == ["301", "302"]
    assert qrels.of("301") == {"d1": 2, "d2": 0}
    assert qrels.of("302") == {"d1": -2, "d3": 0.5}
    assert qrels.levels == (0, 0.5, 2)
    assert qrels.name == "qrels.txt"


def test_grades_are_recoded_before_levels_are_declared() -> None:
    qrels = read_qrels(write("qrels.txt", "1 0 a 4\n1 0 b 3\n1 0 c 0\n"), recode={4: 3, 3: 2}, levels=(0, 1, 2, 3))
    assert qrels.of("1") == {"a": 3, "b": 2, "c": 0}
    assert qrels.levels == (0, 1, 2, 3)


def test_a_grade_outside_declared_levels_is_an_error() -> None:
    assert refusal_of_qrels(QRELS, levels=(0, 1, 2)).startswith("qrels.txt: grade 0.5 is not one of the levels 0,1,2")


@pytest.mark.parametrize("levels", [(1, 2), (0, 2, 1), (0,), ()])
def test_levels_that_do_not_ascend_from_0_are_an_error(levels: tuple[float, ...]) -> None:
    assert "must ascend from 0" in refusal_of_qrels("1 0 a 0\n", levels=levels)


def test_recoding_to_no_number_is_an_error() -> None:
    assert "give finite numbers" in refusal_of_qrels(QRELS, recode={2: math.nan})


def test_written_judgments_are_those_that_were_read(here: Path) -> None:
    write_qrels(read_qrels(write("qrels.txt", QRELS)), "again.txt")
    assert Path("again.txt").read_text() == QRELS


grades = st.one_of(st.integers(-3, 5), st.floats(-1e300, 1e300).filter(lambda grade: not 1e8 <= grade < 1e13))
"""Such numbers are taken for times where a number stands before them."""
ids = st.text(st.characters(min_codepoint=0x21, exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)
topics = ids.filter(lambda topic: not topic.startswith(("#", "\ufeff")))


@given(st.dictionaries(topics, st.dictionaries(ids, grades, min_size=1), min_size=1))
def test_judgments_of_any_ids_and_grades_survive_writing_and_reading(judgments: dict[str, dict[str, float]]) -> None:
    write_qrels(Qrels.from_dict(judgments), "qrels.txt")
    again = read_qrels("qrels.txt")
    assert {topic: again.of(topic) for topic in again.topics} == judgments


# Runs


def test_a_run_is_read_as_it_stands() -> None:
    run = read_run(write("bm25.txt", RUN))
    assert run.topics == ["301", "302"]
    assert run.of("301") == {"d1": 3.5, "d2": 0.001}
    assert (run.name, run.place, len(run)) == ("bm25", "bm25.txt", 3)
    assert read_run("bm25.txt", name="mine").name == "mine"


def test_a_run_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    run = read_run("-")
    assert (run.name, run.place) == ("bm25", "standard input")


def test_a_topic_that_a_run_lacks_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^bm25.txt: no topic '303' among its 2$"):
        read_run(write("bm25.txt", RUN)).of("303")


def test_runs_are_called_by_their_tags() -> None:
    paths = [write(f"{tag}.txt", f"1 Q0 d 1 1 {tag}\n") for tag in ("one", "two")]
    runs = read_runs(paths)
    assert [run.name for run in runs] == ["one", "two"]
    assert runs.renamed == {}


def test_several_runs_are_a_sequence() -> None:
    runs = read_runs([write(f"{tag}.txt", f"1 Q0 d 1 1 {tag}\n") for tag in ("one", "two")])
    assert len(runs) == 2
    assert runs[1].name == "two"
    assert [run.name for run in runs] == [run.name for run in runs[:]] == ["one", "two"]
    assert runs[0] in runs


def test_runs_can_be_named_by_their_files() -> None:
    runs = read_runs([write("folder/a.run", RUN), write("folder/b.run", RUN)], names="file")
    assert [run.name for run in runs] == ["a", "b"]
    assert runs.renamed == {}


def test_all_runs_that_share_a_tag_take_their_file_names() -> None:
    paths = [write("a", RUN), write("b", "1 Q0 d 1 1 other\n"), write("c", RUN)]
    runs = read_runs(paths)
    assert [run.name for run in runs] == ["a", "other", "c"]
    assert runs.renamed == {"bm25": ["a", "c"]}


def test_a_tag_that_is_another_runs_file_name_yields_too() -> None:
    runs = read_runs([write("a", RUN), write("b", RUN), write("folder/c", "1 Q0 d 1 1 a\n")])
    assert [run.name for run in runs] == ["a", "b", "c"]
    assert runs.renamed == {"bm25": ["a", "b"], "a": ["c"]}


def test_runs_that_share_tag_and_file_name_are_called_by_their_paths() -> None:
    runs = read_runs([write("x/run", RUN), write("y/run", RUN)])
    assert [run.name for run in runs] == ["x/run", "y/run"]
    assert runs.renamed == {"bm25": ["x/run", "y/run"]}


def test_the_same_run_twice_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^bm25.txt: is given twice; name each run once$"):
        read_runs([write("bm25.txt", RUN), "bm25.txt"])


def test_a_wrong_way_of_naming_is_an_error() -> None:
    with pytest.raises(InputError, match="names='place' is not 'tag' or 'file'"):
        read_runs([write("bm25.txt", RUN)], names="place")


def test_a_run_is_written_in_the_order_in_which_it_is_judged() -> None:
    run = Run.from_dict({"2": {"a": 1.0, "b": 1.0, "c": 2.5}, "1": {"x": -7.99e-10}}, "mine")
    write_run(run, "run.txt")
    assert Path("run.txt").read_text().splitlines() == [
        "2 Q0 c 1 2.5 mine",
        "2 Q0 b 2 1 mine",
        "2 Q0 a 3 1 mine",
        "1 Q0 x 1 -7.99e-10 mine",
    ]


def test_ids_of_equal_scores_are_written_in_the_order_of_their_bytes() -> None:
    documents = ["Z", "a", "é", "\uffee", "\U0001f600"]
    write_run(Run.from_dict({"1": dict.fromkeys(documents, 0.0)}), "run.txt")
    written = [line.split()[2] for line in Path("run.txt").read_text("utf-8").splitlines()]
    assert written == sorted(documents, key=str.encode, reverse=True)


def test_the_tag_can_be_chosen() -> None:
    write_run(Run.from_dict({"1": {"a": 1}}, "my run"), "run.txt", tag="mine")
    assert read_run("run.txt").name == "mine"


@given(st.dictionaries(topics, st.dictionaries(ids, st.floats(allow_nan=False, allow_infinity=False), min_size=1)))
def test_runs_of_any_ids_and_scores_survive_writing_and_reading(scores: dict[str, dict[str, float]]) -> None:
    scores["t"] = {"d": 0.1}
    write_run(Run.from_dict(scores), "run.txt")
    again = read_run("run.txt")
    assert {topic: again.of(topic) for topic in again.topics} == scores


@pytest.mark.parametrize(
    ("topic", "document"),
    [("1 2", "d"), ("", "d"), ("#1", "d"), ("\ufeff1", "d"), ("1", "a\tb"), ("1", ""), ("1", "a\nb")],
)
def test_ids_that_a_text_in_columns_cannot_hold_are_not_written(topic: str, document: str) -> None:
    given = {"0": {"d": 1.0}, topic: {document: 1.0}}
    with pytest.raises(InputError, match=r"^out\.txt: cannot write"):
        write_run(Run.from_dict(given), "out.txt")
    with pytest.raises(InputError, match=r"^out\.txt: cannot write"):
        write_qrels(Qrels.from_dict(given), "out.txt")
    assert not Path("out.txt").exists()


@pytest.mark.parametrize("tag", ["my run", "", "a\tb"])
def test_a_tag_that_is_not_one_column_is_refused(tag: str) -> None:
    with pytest.raises(InputError, match="give a tag without blanks"):
        write_run(Run.from_dict({"1": {"d": 1}}), "out.txt", tag=tag)


def test_a_run_cannot_be_read_from_ir_datasets() -> None:
    with pytest.raises(InputError, match=r"^irds:cranfield: .* not runs"):
        read_run("irds:cranfield")


# Text that is refused, of which tests/core/test_text.py has all: here what readers add to it


def refusal_of_run(text: str | bytes, name: str = "run.txt") -> str:
    """What is said when a run is read and all its lines are asked for."""
    return said_of(lambda: len(read_run(write(name, text))))


@pytest.mark.parametrize(
    ("run", "qrels", "said"),
    [
        (RUN + "301 Q0 d9 2 xyz bm25\n", QRELS + "301 0 d9 xyz\n", "is not a number (topic 301, document d9)"),
        (RUN + "301 Q0 d1 2 1 bm25\n", QRELS + "301 0 d1 1\n", "in line 1"),
        (RUN + QRELS, QRELS + RUN, " columns: topic "),
        ("", "", "the file is empty"),
        ("\n\n", "# nothing but a comment\n", "the file holds nothing"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), b"\x89PNG\r\n\x1a\n" + bytes(500), ""),
        ("1\n".encode("utf-16")[:-1], "1\n".encode("utf-16")[:-1], ": is not valid utf-16"),
    ],
)
def test_text_that_is_no_run_or_no_judgments_is_named_by_file_and_line(run: Any, qrels: Any, said: str) -> None:
    good = isinstance(run, str) and run.startswith(RUN)
    for message, place in ((refusal_of_run(run), "run.txt"), (refusal_of_qrels(qrels), "qrels.txt")):
        assert message.startswith(f"{place}:{(4 if place == 'run.txt' else 5) if good else 1}: ")
        assert said in message


@pytest.mark.parametrize(
    ("left_out", "lacks", "how"), [(3, "rank", "score=4"), (4, "score", "rank=4"), (5, "tag", "score=5")]
)
def test_a_run_without_one_of_its_columns_says_which_and_what_reads_it(left_out: int, lacks: str, how: str) -> None:
    rows = [["7", "Q0", f"d{rank}", str(rank), str(9.5 - rank), "mine"] for rank in (1, 2, 3)]
    text = "".join(" ".join([*row[:left_out], *row[left_out + 1 :]]) + "\n" for row in rows)
    said = refusal_of_run(text)
    assert f"the {lacks} seems to be missing" in said
    columns = said.rpartition("--columns ")[2]
    assert columns == f"query=1,doc=3,{how}"
    run = read_run(write("short.txt", text), columns=dict(one.split("=") for one in columns.split(",")))
    assert sorted(run.of("7"), key=lambda doc: -run.of("7")[doc]) == ["d1", "d2", "d3"]


def test_an_error_in_a_packed_file_names_the_line_of_its_text_and_its_end() -> None:
    packed = gzip.compress((RUN + "303 Q0 d 1 none bm25\n").encode())
    assert refusal_of_run(packed, "run.gz").startswith("run.gz:4: score 'none'")
    assert "run.gz: the gzip data end too early" in refusal_of_run(gzip.compress(RUN.encode())[:-9], "run.gz")
    with pytest.raises(InputError, match=r"^none\.txt: no such file$"):
        read_run("none.txt")


def test_a_single_line_of_many_megabytes_is_a_short_error() -> None:
    assert len(refusal_of_run(b"301 Q0 " + b"x" * 30_000_000)) < 300
    assert len(refusal_of_qrels(b"y" * 30_000_000)) < 300


# Real files


@pytest.mark.realdata
@pytest.mark.parametrize("collection", ["trec-covid-r5", "trec14-robust2005", "trec-dl21-passage"])
def test_files_of_real_collections_survive_writing_and_reading(data: Callable[[str], Path], collection: str) -> None:
    qrels = read_qrels(data(collection) / "qrels.txt")
    write_qrels(qrels, "qrels.txt")
    again = read_qrels("qrels.txt")
    assert all(again.of(topic) == qrels.of(topic) for topic in qrels.topics)
    paths = sorted((data(collection) / "runs").iterdir())
    runs = read_runs(paths)
    assert len({run.name for run in runs}) == len(paths)
    for run in runs[:3]:
        write_run(run, "run.txt")
        again_run = read_run("run.txt")
        assert again_run.topics == run.topics
        assert all(again_run.of(topic) == run.of(topic) for topic in run.topics)


HEADER = "# ir_metadata.start\n# tag: bm25\n#   method: {name: Größe}\n# ir_metadata.end\n"


@pytest.mark.parametrize("read", [read_run, open_run])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_header_of_a_run_is_written_back(tmp_path: Path, read: Callable[[Path], Run], mark: str) -> None:
    text = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"
    (tmp_path / "run").write_text(mark + HEADER + text + "# below\n", encoding="utf-8")
    run = read(tmp_path / "run")
    assert run.header[1] == "# tag: bm25"
    write_run(run, tmp_path / "written")
    assert (tmp_path / "written").read_text(encoding="utf-8") == HEADER + text
    write_run(read_runs([tmp_path / "written"], "file").runs[0], tmp_path / "again")  # under another name
    assert (tmp_path / "again").read_text(encoding="utf-8").startswith(HEADER)


@pytest.mark.parametrize("read", [read_run, open_run])
def test_blank_lines_do_not_end_a_header(tmp_path: Path, read: Callable[[Path], Run]) -> None:
    (tmp_path / "run").write_text("\n# tag: bm25\n \n# team: x\n1 Q0 a 1 2 t\n")
    assert read(tmp_path / "run").header == ("# tag: bm25", "# team: x")


def test_a_header_that_is_not_utf8_comes_back_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"# team: \xff\xfe\r\n1 Q0 a 1 2 t\n")
    write_run(read_run(tmp_path / "run"), tmp_path / "written")
    assert (tmp_path / "written").read_bytes() == b"# team: \xff\xfe\n1 Q0 a 1 2 t\n"


@pytest.mark.parametrize("line", ["tag: bm25", "# a\n1 Q0 a 1 2 t", ""])
def test_a_header_that_is_no_comment_is_not_written(tmp_path: Path, line: str) -> None:
    run = replace(Run.from_dict({"1": {"a": 1.0}}), header=(line,))
    with pytest.raises(InputError, match="is no comment"):
        write_run(run, tmp_path / "written")
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("read", [read_qrels, read_run])
def test_sampled_negatives_are_told_a_command_that_writes_their_pairs(tmp_path: Path, read: Any) -> None:
    file = tmp_path / "ml.test.negative"
    file.write_text("(0,25)\t1064\t174\t2791\n(1,133)\t1072\t3154\t3368\n")
    with pytest.raises(InputError, match="sampled negatives, as of NCF") as refused:
        read(file)
    command = re.search("awk .* FILE > NEW", str(refused.value))
    assert command is not None
    typed = command[0].replace("FILE", file.name).replace("NEW", "pairs.csv")
    subprocess.run(typed, shell=True, cwd=tmp_path, check=True)
    assert read_qrels(tmp_path / "pairs.csv").to_dict() == {"0": {"25": 1}, "1": {"133": 1}}
