"""The files of a folder are those that lie in it: whoever fills it does not choose what else is read."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import said_of

from gradeval import (
    FilesWarning,
    InputError,
    cache_features,
    check,
    evaluate,
    judge,
    read_run,
    read_runs,
    read_scores,
    report,
)
from gradeval.files.folders import files_in, is_of_parts, list_files, list_run_files

QRELS = {"q": {"a": 1, "b": 0}}
RUN = "q Q0 a 1 2.0 {0}\nq Q0 b 2 1.0 {0}\n"
SCORES = "topic,elm\nq,0.{}\nr,0.{}\n"
SECRET = "root:*:20228:0:99999:7:::\n"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")


def write_run(place: Path) -> None:
    place.write_text(RUN.format(place.name))


def write_features(place: Path) -> None:
    frame = pd.DataFrame({"query_id": ["q", "q"], "relevance": [1, 0], "x": [0.5, 0.25]})
    frame.to_parquet(place.with_suffix(".parquet"))


def lead_out(folder: Path, ending: str = "") -> int:
    """Links out of a folder, also by way of another link, and one that leads nowhere: how many lead out."""
    secret = folder.parent / f"secret{ending}"
    secret.write_text(SECRET)
    (folder.parent / "inner").mkdir()
    targets = {"absolute": secret, "relative": Path("..", secret.name), "nowhere": Path("missing"), "up": Path("..")}
    for name, target in targets.items():
        (folder / f"{name}{ending}").symlink_to(target)
    (folder / f"twice{ending}").symlink_to(f"relative{ending}")
    return len(targets)


READERS: dict[str, tuple[Callable[[Path], None], str, Callable[[Path], Any]]] = {
    "evaluate": (write_run, "", lambda place: evaluate(QRELS, place, "AP")),
    "judge": (write_run, "", lambda place: judge(QRELS, [place])),
    "read_runs": (write_run, "", lambda place: read_runs([place])),
    "check": (write_run, "", lambda place: check(QRELS, place)),
    "report": (write_run, "", lambda place: report(QRELS, place, "AP", studies="none")),
    "read_scores": (lambda place: place.with_suffix(".csv").write_text(SCORES.format(1, 2)) and None, "", read_scores),
    "cache_features": (write_features, ".parquet", lambda place: cache_features(place, place.parent / "cache")),
}


@pytest.mark.parametrize("reader", READERS)
def test_links_that_lead_out_of_a_folder_are_left_out_and_counted(reader: str, tmp_path: Path) -> None:
    write, ending, read = READERS[reader]
    folder = tmp_path / "sub"
    folder.mkdir()
    write(folder / "mine")
    links = lead_out(folder, ending)
    os.mkfifo(folder / f"pipe{ending}")
    with pytest.warns(FilesWarning) as warned:
        read(folder)
    assert {one.filename for one in warned} == {__file__}, "a warning names the line of the caller"
    assert str(warned[0].message) == (
        f"{folder}: left out of the folder: {links} links that lead out of the folder, 1 link that leads nowhere "
        "and 1 pipe or device; a file that is named by itself is read"
    )
    (mine,) = (path for path in folder.iterdir() if path.stem == "mine")
    mine.unlink()
    said = said_of(lambda: read(folder))
    assert (
        f"but {links} links that lead out of the folder, 1 link that leads nowhere and 1 pipe or device, which are"
        in said
    )
    assert "20228" not in said


def test_links_within_a_folder_and_a_folder_that_is_a_link_are_followed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("a", "b"):
        write_run(folder / name)
    (folder / "c").symlink_to("b")
    (folder / ".hidden").symlink_to(tmp_path)
    (folder / "inner").mkdir()
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "data2").mkdir()
    for place in (folder, tmp_path / "link", tmp_path / "data2" / ".." / "data"):
        with pytest.warns(FilesWarning, match=r"left out of the folder: 1 folder in it \(inner\); a file"):
            assert list_files([place]) == [str(place / name) for name in "abc"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["x"], "1 folder in it (x)"),
        (["b", "a"], "2 folders in it (a, b)"),
        (["d", "c", "b", "a", ".git"], "4 folders in it (a, b, c and 1 more)"),
    ],
)
@pytest.mark.parametrize("reader", READERS)
def test_folders_in_a_folder_are_counted(reader: str, names: list[str], said: str, tmp_path: Path) -> None:
    write, _, read = READERS[reader]
    folder = tmp_path / "sub"
    folder.mkdir()
    write(folder / "mine")
    for name in names:
        (folder / name).mkdir()
        write(folder / name / "other")
    with pytest.warns(FilesWarning) as warned:
        read(folder)
    assert str(warned[0].message).startswith(f"{folder}: left out of the folder: {said}; a file")


def test_a_folder_with_the_same_beginning_is_another_one(tmp_path: Path) -> None:
    for name in ("data", "data2"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name / "a")
    (tmp_path / "data" / "b").symlink_to(tmp_path / "data2" / "a")
    with pytest.warns(FilesWarning, match="1 link that leads out of the folder; a file that is named by itself"):
        assert list_files([tmp_path / "data"]) == [str(tmp_path / "data" / "a")]


def test_files_that_are_named_by_themselves_are_followed(tmp_path: Path) -> None:
    """As in a snapshot, which holds links only, where the shell names each."""
    (tmp_path / "blobs").mkdir()
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()
    for name in ("a", "b"):
        write_run(tmp_path / "blobs" / name)
        (snapshot / name).symlink_to(tmp_path / "blobs" / name)
    names = [str(snapshot / "a"), str(snapshot / "b")]
    assert list_files([snapshot / "a", snapshot / "b"]) == names
    assert list_files([snapshot / "*"]) == names
    assert read_run(snapshot / "a").name == "a"
    assert evaluate(QRELS, [str(snapshot / "*")], "AP").runs == ["a", "b"]
    assert "2 links that lead out of the folder, which are not read" in said_of(lambda: evaluate(QRELS, snapshot, "AP"))


def test_sockets_are_no_files(tmp_path: Path) -> None:
    write_run(tmp_path / "a")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(os.path.relpath(tmp_path / "s"))
        with pytest.warns(FilesWarning, match="left out of the folder: 1 pipe or device;"):
            assert files_in(str(tmp_path)) == [str(tmp_path / "a")]


def test_a_folder_without_files_is_said_to_be_one(tmp_path: Path) -> None:
    shutil.copytree(tmp_path, tmp_path / "inner")
    assert said_of(lambda: list_files([tmp_path])) == (
        f"{tmp_path}: the folder holds no files but 1 folder in it (inner), which are not read; name each to be read, "
        f"as in {tmp_path / '*'}"
    )


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    assert said_of(lambda: list_files([tmp_path])).startswith(f"{tmp_path}: may not be read (permission denied)")


PARTS = [
    "part-0",
    "part-00000-4e2c.c000.snappy.parquet",
    "part.0.parquet",
    "topic=301/0.parquet",
    "year=2024/a=b/x.csv",
]


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        *(([name], True) for name in PARTS),
        (PARTS, True),
        (["a.csv", "_SUCCESS"], True),
        (["a.csv", "_metadata"], True),
        (["part-0", ".part-0.crc", "_committed_1"], True),
        (["a.run"], False),
        (["part-0", "a.run"], False),
        (["party.run", "partial.run"], False),
        (["mu=1000.run", "mu=2000.run"], False),
        (["topic=301.csv", "topic=302.csv"], True),
        ([], False),
    ],
)
def test_names_tell_parts_from_runs(names: list[str], parts: bool, tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write_run(tmp_path / name)
    assert is_of_parts(str(tmp_path)) is parts
    assert is_of_parts(str(tmp_path), "one")
    assert not is_of_parts(str(tmp_path), "several")
    if parts:
        assert list_files([tmp_path]) == [str(tmp_path)]


def test_hidden_files_are_no_runs(tmp_path: Path) -> None:
    for name in ("a", "_notes", "b.crc", ".c"):
        write_run(tmp_path / name)
    with pytest.warns(FilesWarning, match=r"left out of the folder: 2 hidden files \(_notes, b.crc\); a file"):
        assert list_files([tmp_path]) == [str(tmp_path / "a")]


def test_files_without_a_common_topic_may_be_parts(tmp_path: Path) -> None:
    for topic in "qrs":
        (tmp_path / topic).write_text(f"{topic} Q0 a 1 1.0 tag\n")
    qrels = {topic: {"a": 1} for topic in "qrs"}
    said = (
        f"the 3 files of {tmp_path} share no topic, and each is read as a run; if they are the parts of one, write "
        f"{tmp_path} --folder one in place of the files, or in Python folder='one'"
    )
    assert str(evaluate(qrels, tmp_path, "AP").notes[0]) == said  # before what follows: the other topics are missing
    assert evaluate(qrels, tmp_path, "AP", folder="one").mean().tolist() == [[1.0]]
    (tmp_path / "t").write_text("q Q0 a 1 1.0 tag\n")
    assert said not in [str(note) for note in evaluate(qrels, tmp_path, "AP").notes]


JUNK = ["__MACOSX/._mine", ".DS_Store", "._mine", "Thumbs.db", "desktop.ini"]
"""What Windows and macOS leave in a folder."""
LISTS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda given: evaluate(QRELS, given, "AP").runs,
    "judge": lambda given: judge(QRELS, given).runs,
    "read_runs": lambda given: [run.name for run in read_runs(given).runs],
    "check": lambda given: [file.tag for file in check(QRELS, given).files if file.tag],
    "read_scores": lambda given: read_scores(given).topics,
}
WAYS: dict[str, Callable[[Path], Any]] = {
    "folder": lambda folder: folder,
    "pattern": lambda folder: str(folder / "*"),
    "expanded": lambda folder: sorted(map(str, folder.iterdir())),
    "expanded, without hidden ones": lambda folder: [path for path in folder.iterdir() if path.name[0] != "."],
}


@pytest.mark.parametrize("reader", LISTS)
@pytest.mark.parametrize("way", WAYS)
def test_what_systems_leave_in_a_folder_is_left_out_with_one_note(reader: str, way: str, tmp_path: Path) -> None:
    folder = tmp_path / "sub"
    (folder / "__MACOSX").mkdir(parents=True)
    write_run(folder / "mine")
    if reader == "read_scores":
        (folder / "mine").unlink()
        (folder / "mine.csv").write_text(SCORES.format(1, 2))
    for name in JUNK:
        (folder / name).write_bytes(b"\x00\x05\x16\x07")
    with pytest.warns(FilesWarning) as warned:
        found = LISTS[reader](WAYS[way](folder))
    assert found == (["q", "r"] if reader == "read_scores" else ["mine"])
    assert len(warned) == 1
    said = str(warned[0].message)
    assert "Thumbs.db" in said
    assert "desktop.ini" in said
    assert warned[0].filename == __file__


def test_junk_that_is_named_alone_is_read(tmp_path: Path) -> None:
    write_run(tmp_path / "Thumbs.db")
    assert list_files([tmp_path / "Thumbs.db"]) == [str(tmp_path / "Thumbs.db")]
    assert evaluate(QRELS, tmp_path / "Thumbs.db", "AP").runs == ["Thumbs.db"]


STRAYS: dict[str, tuple[bytes, str]] = {
    "README.txt": (b"These are the runs of the year.\nSee the paper.\n", "text"),
    "notes.md": (b"# Runs\n- bm25: k1=0.9\n", "text"),
    "run.sh": (b"#!/bin/sh\npython search.py > a\n", "text"),
    "config.json": (b'{"model": "bm25", "k1": 0.9}', "JSON without topics"),
    "half.tmp": (b"q Q0 a 1 2.0 x\nq Q", "unfinished or a copy"),
    "qrels.txt": (b"q 0 a 1\nq 0 b 0\n", "judgments"),
    "runs.zip": (b"PK\x03\x04\x14\0\0\0", "an archive"),
    "runs.tar.gz": (gzip.compress(b"mine\0" * 51 + b"\0\0ustar"), "an archive"),
    "plot.png": (b"\x89PNG\r\n\x1a\n\0", "binary data"),
}
RUNS_OF = {name: read for name, read in LISTS.items() if name != "read_scores"}


@pytest.mark.parametrize("reader", RUNS_OF)
@pytest.mark.parametrize("way", ["folder", "pattern"])
@pytest.mark.parametrize("name", STRAYS)
def test_what_is_plainly_no_run_is_left_out_of_a_folder(name: str, way: str, reader: str, tmp_path: Path) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    write_run(folder / "mine")
    data, kind = STRAYS[name]
    (folder / name).write_bytes(data)
    place = WAYS[way](folder)
    with pytest.warns(FilesWarning) as warned:
        assert RUNS_OF[reader](place) == ["mine"]
    assert [str(one.message) for one in warned] == [
        f"{place}: left out, as no runs: {name} ({kind}); a file that is named by itself is read"
    ]
    assert warned[0].filename == __file__


def test_a_folder_without_a_run_says_what_it_holds(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"note{number}.md").write_text("Nothing here.\n")
    said = said_of(lambda: evaluate(QRELS, tmp_path, "AP"))
    assert "holds no run, but note0.md (text), note1.md (text)" in said
    assert "note4.md (text) and 2 more; name the folder or the files of the runs" in said


@pytest.mark.parametrize("name", ["README.txt", "run.sh"])
def test_what_is_no_run_and_named_among_runs_is_refused_by_what_it_is(name: str, tmp_path: Path) -> None:
    write_run(tmp_path / "mine")
    (tmp_path / name).write_bytes(STRAYS[name][0])
    said = said_of(lambda: read_runs(sorted(tmp_path.iterdir()))[0].lines.topics())
    assert f"; it is no run (text): give the folder {tmp_path} instead, which leaves such files out" in said


def test_judgments_in_a_second_file_are_told_to_be_joined(tmp_path: Path) -> None:
    for year in ("1", "2"):
        (tmp_path / f"q{year}.txt").write_text("".join(f"{year} 0 d{place} {place % 2}\n" for place in range(9)))
    write_run(tmp_path / "mine")
    said = said_of(lambda: read_runs([tmp_path / "q2.txt", tmp_path / "mine"])[0].lines.topics())
    assert said.endswith("; it holds judgments: join files of judgments first, as in cat FILE OTHER > joined.txt")


BROKEN = {
    "empty": b"",
    "cut.gz": gzip.compress(b"q Q0 a 1 2.0 x\n" * 9)[:-9],
    "names.csv": b"frage,dokument,punkte\nq,a,2.0\nq,b,1.0\n",
    "grades.txt": b"q a x 1 2.0\nq b y 2 1.0\n",
    "features": b"2 qid:1 1:0.5\n",
}


@pytest.mark.parametrize("reader", ["evaluate", "judge", "read_runs"])
@pytest.mark.parametrize("name", BROKEN)
def test_what_may_be_a_damaged_run_is_refused_and_can_be_left_out(name: str, reader: str, tmp_path: Path) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    for run in ("a.run", "b.run"):
        write_run(folder / run)
    (folder / name).write_bytes(BROKEN[name])
    if name == "grades.txt" and reader == "read_runs":  # which are read when they are judged
        return
    said = said_of(lambda: RUNS_OF[reader](folder))
    assert said.startswith(str(folder / name))
    if name != "grades.txt":
        assert said.endswith(f"; if it is of another kind, leave it out: '{folder}/*.run'")
    assert RUNS_OF[reader](str(folder / "*.run")) == ["a.run", "b.run"]
    (folder / name).rename(folder / "c.run")
    if name in ("empty", "cut.gz"):
        assert said_of(lambda: RUNS_OF[reader](folder)).endswith(f"; else move it out of {folder}")


@pytest.mark.parametrize("place", ["columns:score=logit:{}", "csv:{}"])
def test_a_file_behind_a_prefix_in_another_folder_keeps_its_error(place: str, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "own").mkdir()
    write_run(tmp_path / "runs" / "a.run")
    file = tmp_path / "own" / "b.csv"
    file.write_text("qid,docno,logit\nq,a,0.5\nq,b,high\n")
    named = place.format(file)
    said = said_of(evaluate, QRELS, [tmp_path / "runs", named], "AP")
    assert said == said_of(evaluate, QRELS, [tmp_path / "runs" / "a.run", named], "AP")
    assert "b.csv" in said


def test_a_format_that_the_user_names_tells_what_runs_are(tmp_path: Path) -> None:
    write_run(tmp_path / "b")
    (tmp_path / "a").write_text("q a b\nr a b\n")
    (tmp_path / "c.tmp").write_text("q a b\n")
    with pytest.warns(FilesWarning, match=r"c.tmp \(unfinished or a copy\); a file"):
        assert list_run_files([tmp_path], format="lists") == [str(tmp_path / "a"), str(tmp_path / "b")]


@pytest.mark.parametrize(("splits", "named"), [(["dev", "test", "train"], "test"), (["dev"], "dev")])
def test_the_folder_of_a_collection_and_its_texts_lead_to_its_judgments(
    splits: list[str], named: str, tmp_path: Path
) -> None:
    (tmp_path / "qrels").mkdir()
    for split in splits:
        (tmp_path / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    for texts in ("corpus", "queries"):
        (tmp_path / f"{texts}.jsonl").write_text('{"_id": "q1", "text": "tea"}\n')
    said = said_of(lambda: evaluate(tmp_path, {"q1": {"d1": 1.0}}, "P@1"))
    proposed = tmp_path / "qrels" / f"{named}.tsv"
    assert said.endswith(f"{tmp_path}: is a folder that has its judgments in {tmp_path / 'qrels'}; write {proposed}")
    assert evaluate(proposed, {"q1": {"d1": 1.0}}, "P@1").mean().item() == 1
    said = said_of(lambda: evaluate(tmp_path / "corpus.jsonl", {"q1": {"d1": 1.0}}, "P@1"))
    assert "holds texts (it has _id, text), and judgments, which BEIR keeps in qrels/test.tsv, are" in said


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_what_a_mac_left_in_a_folder_of_folders_is_none_of_them_and_named_by_its_path(tmp_path: Path) -> None:
    for team in ("Alpha", "BIT", "__MACOSX"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "run").write_text("1 Q0 d 1 1.0 run\n")
    with pytest.raises(InputError, match=r"2 folders in it \(Alpha, BIT\) and 1 hidden file \(__MACOSX\), which"):
        list_run_files([str(tmp_path)])
    deep = [str(tmp_path / team / "run") for team in ("Alpha", "__MACOSX")]
    with pytest.warns(FilesWarning, match=f"of the operating system: {deep[1]}; name it alone to read it"):
        assert list_run_files(deep) == deep[:1]
    assert list_run_files(deep[1:]) == deep[1:]
