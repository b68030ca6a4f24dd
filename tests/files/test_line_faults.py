"""Every wrong line of TREC text: the first one as the reader says it, all as reading line by line finds them."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from gradeval import InputError, read_qrels, read_run
from gradeval._core import ONCE_IN_QRELS
from gradeval.files.line_faults import AT_ONCE, find_line_faults
from gradeval.files.source import Source, open_unpacked

Kind = Literal["qrels", "run"]
RUN_COLUMNS = "a line of a run has 6 columns: topic Q0 document rank score tag"
ONCE = (
    "a run names a document once per topic: of its chunks or hits, --repeated best (or first; with mean grades: "
    "mean,best) keeps one; in Python repeated='best'"
)


def read(path: Path, kind: Kind) -> None:
    """Read the whole file with the reader of its kind."""
    if kind == "qrels":
        read_qrels(path, format="trec")
    else:
        len(read_run(path, format="trec"))


def refusal(path: Path, kind: Kind) -> str | None:
    """What the reader says."""
    try:
        read(path, kind)
    except InputError as error:
        return str(error)
    return None


def say_line_by_line(file: Path, text: bytes, kind: Kind) -> list[str]:
    """The literal definition: what the reader says of each line below all lines that it can read, else above the first
    of these; the others blank."""
    above, wrong, first = b"", [], b""
    for line in text.split(b"\n"):
        file.write_bytes(above + line + b"\n")
        silent = not line.removesuffix(b"\r").strip(b" \t") or line.lstrip(b" \t").startswith(b"#")
        right = silent or refusal(file, kind) is None
        first = first or (line if right and not silent else b"")
        if not right:
            wrong.append((above, line, bool(first)))
        above += (line if right else b"") + b"\n"
    said = []
    for before, line, below in wrong:
        file.write_bytes(before + line + b"\n" + (b"" if below else first))
        said.append(str(refusal(file, kind)))
    file.write_bytes(text)
    return said


def decimal_comma(number: str) -> str:
    return f"; write {number}: the comma is a decimal comma"


def numbers(said: list[str], path: Path) -> list[int]:
    """The lines that sentences name first."""
    return [int(sentence.removeprefix(f"{path}:").split(":")[0]) for sentence in said]


SUBMITTED = """\
# of team A
301 Q0 FT1 1 9.5 teamA
301 Q0 FT2 2 n/a teamA

301 Q0 FT3 3 teamA
301 Q0 FT1 4 7 teamA
302 Q0 FT1 1 nan teamA
302 Q0 FT2 2 8 team A
302 Q0 FT3 3 1e999 teamA
302 Q0 FT4 4 6 teamB
303 FT1 1 5 teamA
303 Q0 F\u00fc 2 4 teamA
303 Q0 FT2 3 3,5 teamA
301 Q0 FT1 9 1 teamA
303 Q0 FT2 4 2 teamA
total 14
"""


def test_every_wrong_line_of_a_submission_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run"
    file.write_bytes(SUBMITTED.encode("latin-1"))
    found = find_line_faults(Source(file), "run")
    assert found.said == [
        f"{file}:3: score 'n/a' is not a number (topic 301, document FT2)",
        f"{file}:5: found 5 columns ('301 Q0 FT3 3 teamA'); {RUN_COLUMNS}",
        f"{file}:6: document 'FT1' of topic 301 was already given in line 2; {ONCE}",
        f"{file}:7: score 'nan' is NaN; it must be a finite number (topic 302, document FT1)",
        f"{file}:8: found 7 columns ('302 Q0 FT2 2 8 team A'); {RUN_COLUMNS}",
        f"{file}:9: score '1e999' is infinite; it must be a finite number (topic 302, document FT3)",
        f"{file}:10: tag 'teamB' differs from 'teamA' in line 2; a file holds one run, and all its lines carry the "
        "same tag",
        f"{file}:11: found 5 columns ('303 FT1 1 5 teamA'); {RUN_COLUMNS}",
        f"{file}:12: document 'F\\xfc' is not valid UTF-8; save it as UTF-8 (iconv -f ENCODING -t utf-8 FILE > NEW), "
        "or name the encoding of all files: --encoding, or encoding= in Python",
        f"{file}:13: score '3,5' is not a number (topic 303, document FT2){decimal_comma('3.5')}",
        f"{file}:14: document 'FT1' of topic 301 was already given in line 2; {ONCE}",
        f"{file}:16: found 2 columns ('total 14'); {RUN_COLUMNS}",
    ]
    assert (found.number, found.right, found.tagged) == (12, 2, 0)
    assert found.rest == b"301 Q0 FT1 1 9.5 teamA\n301 Q0 FT1 4 7 teamA\n301 Q0 FT1 9 1 teamA\n303 Q0 FT2 4 2 teamA\n"
    again = f"{file}:14: document 'FT1' of topic 301 again, as in line 2"  # the remedy stands at line 6
    assert found.brief == [again if one.startswith(f"{file}:14:") else one for one in found.said]
    assert found.topics == {"301", "302", "303", "total"}
    assert find_line_faults(Source(file), "run", 7).said == found.said[:7]


def test_every_wrong_line_of_judgments_is_named(tmp_path: Path) -> None:
    file = tmp_path / "qrels"
    file.write_text("1 0 a 1\n1 0 b high\n1 0 a 0\n1 b 1\n2 0 a 1\n1 0 a 1.0\n1 1 a 1\n")
    assert find_line_faults(Source(file), "qrels").said == [
        f"{file}:2: grade 'high' is not a number (topic 1, document b)",
        f"{file}:3: document 'a' of topic 1 was already judged in line 1 (grades 1 and 0); {ONCE_IN_QRELS}",
        f"{file}:4: found 3 columns ('1 b 1'); a line of judgments has 4 columns: topic iteration document grade",
        f"{file}:7: document 'a' of topic 1 was already judged in line 1; {ONCE_IN_QRELS}. The second columns differ "
        "('0', '1'): if they are subtopics, ndeval scores them",
    ]


def good_lines(kind: Kind, chance: random.Random) -> list[bytes]:
    """Lines that can be read, of neighbouring or scattered topics."""
    pairs = [(topic, document) for topic in range(3) for document in range(chance.choice([2, 5, 12]))]
    if chance.random() < 0.4:
        chance.shuffle(pairs)
    end = b"\r" if chance.random() < 0.2 else b""
    sign = b"\t" if chance.random() < 0.2 else b" "
    words = [
        [b"q%d" % topic, b"0", b"d%d" % document, b"%d" % (document % 3)]
        if kind == "qrels"
        else [b"q%d" % topic, b"Q0", b"d%d" % document, b"%d" % document, b"%d.5" % -document, b"tag"]
        for topic, document in pairs
    ]
    return [sign.join(line) + end for line in words]


def mutate(lines: list[bytes], kind: Kind, chance: random.Random) -> None:
    """Spoil a line, or add one."""
    at = chance.randrange(len(lines))
    words = lines[at].split() or [b"x"]
    value = 3 if kind == "qrels" else 4
    column = chance.randrange(len(words))
    match chance.randrange(12):
        case 0:
            del words[column]
        case 1:
            words.insert(column, b"more")
        case 2:
            words[min(value, len(words) - 1)] = chance.choice(
                [b"nan", b"-inf", b"1e999", b"n/a", b"1,5", b"0x1", b"--1"]
            )
        case 3:
            words[-1] = b"other"
        case 4:
            words[column] += chance.choice([b"\xff", b"\x00", b"\x1a", b"\xe2\x82"])
        case 5:
            words = lines[chance.randrange(len(lines))].split()
        case 6:
            words = [b"#", *words]
        case 7:
            words = []
        case 8:
            words = [b"\xef\xbb\xbf" + words[0], *words[1:]]
        case 9:
            words = [b"1", b"qid:1", b"1:0.5"]
        case 10:
            words = chance.choice([b"q1 0 d1 1", b"q1 Q0 d1 1 1 tag", b"query-id\tcorpus-id\tscore"]).split()
        case _:
            words = [*words, b"\r", b"x"]
    if chance.random() < 0.7:
        lines[at] = b" ".join(words)
    else:
        lines.insert(at, b" ".join(words))


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("seed", range(40))
def test_the_wrong_lines_are_those_that_reading_line_by_line_finds(tmp_path: Path, kind: Kind, seed: int) -> None:
    chance = random.Random(seed)
    lines = good_lines(kind, chance)
    for _ in range(chance.choice([1, 2, 3, 8])):
        mutate(lines, kind, chance)
    text = b"\n".join(lines) + chance.choice([b"", b"\n"])
    file = tmp_path / "file"
    expected = say_line_by_line(file, text, kind)
    found = find_line_faults(Source(file), kind)
    assert found.said[:1] == [one for one in [refusal(file, kind)] if one is not None]
    assert found.said == expected
    assert found.number == len(expected)


@pytest.mark.parametrize("packed", [False, True])
def test_lines_far_apart_are_told_as_neighbours_are(tmp_path: Path, packed: bool) -> None:
    lines = [f"q{topic} Q0 d{document} 1 {document} t" for topic in range(7) for document in range(AT_ONCE // 2)]
    lines[AT_ONCE + 5] = "q2 Q0 bad"
    lines[-1] = "q6 Q0 d7 1 x t"
    lines += [lines[3], lines[AT_ONCE]]
    file = tmp_path / ("run.gz" if packed else "run")
    text = "\n".join(lines).encode()
    file.write_bytes(gzip.compress(text) if packed else text)
    found = find_line_faults(Source(file), "run", 3)
    assert numbers(found.said, file) == [AT_ONCE + 6, len(lines) - 2, len(lines) - 1]
    assert (found.number, found.right) == (4, len(lines) - 4)
    assert "was already given in line 4" in found.said[2]
    assert found.said[0] == refusal(file, "run")


@pytest.mark.parametrize("spell", [lambda text: text.encode("utf-16"), lambda text: b"\xef\xbb\xbf" + text.encode()])
def test_text_of_other_encodings_has_the_same_lines(tmp_path: Path, spell: Callable[[str], bytes]) -> None:
    file = tmp_path / "run"
    file.write_bytes(spell("q Q0 d 1 1 t\nq Q0 é 1 x t\nq Q0 f\n"))
    assert numbers(find_line_faults(Source(file), "run").said, file) == [2, 3]


def test_a_file_that_changes_meanwhile_is_said_to_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    run.write_text("q Q0 d 1 1 t\nq Q0 d 2 1 t\n")
    opened = []

    def change_after_the_first_time(path: Path) -> object:
        opened.append(path)
        if opened[1:]:
            run.write_text("q Q0 d 1 1 t\n")
        return open_unpacked(path)

    monkeypatch.setattr("gradeval.files.line_faults.open_unpacked", change_after_the_first_time)
    with pytest.raises(InputError, match="run: the file changed while it was read"):
        find_line_faults(Source(run), "run")


def test_a_text_without_a_fault_has_none(tmp_path: Path) -> None:
    for text in ("", "\n# nothing\n", "q Q0 d 1 1 t\n"):
        (tmp_path / "run").write_text(text)
        assert find_line_faults(Source(tmp_path / "run"), "run").said == []
