"""What the core refuses in TREC text, and what it says."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable

import pytest
from refusing import said_of

from gradeval._core import ONCE_IN_QRELS, ONCE_IN_RUN, InputError, Lines, Pools, judge

POOLS = Pools.of_mapping({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, "qrels")
RUN_COLUMNS = "a line of a run has 6 columns: topic Q0 document rank score tag"
ONE_TAG = "a file holds one run, and all its lines carry the same tag"
SUBTOPICS = "The second columns differ ('{}', '{}'): if they are subtopics, ndeval scores them"
ENCODING = (
    "save it as UTF-8 (iconv -f ENCODING -t utf-8 FILE > NEW), or name the encoding of all files: --encoding, or "
    "encoding= in Python"
)
QRELS_COLUMNS = "a line of judgments has 4 columns: topic iteration document grade"


def read_run(data: bytes, where: str = "run.txt") -> None:
    judge(POOLS, [Lines.of_bytes(data, where)])


def read_qrels(data: bytes) -> None:
    Pools.of_bytes(data, "qrels.txt")


def complaint(read: Callable[[bytes], object], data: bytes | str) -> str:
    return said_of(lambda: read(data if isinstance(data, bytes) else data.encode()))


# Lines that are all right, so that what follows takes the quick way.
START = "# run\n1 Q0 a 1 3.5 t\n1 Q0 b 2 2.5 t\n"


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n1 Q0 z 9 0 t\n1 Q0 y 9 0 t\n"], ids=repr)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        *(
            (f"1 Q0 c 3 {score} t", f"score '{score}' is not a number (topic 1, document c)")
            for score in "xyz 0x1p3 1,5,2 ,5 1, 1,5e3 --1,5 1e . - +-1 ++1 1.2.3".split()
        ),
        *(
            (
                f"1 Q0 c 3 {score} t",
                f"score '{score}' is not a number (topic 1, document c); write {number}: the comma is a decimal comma",
            )
            for score, number in (("1,5", "1.5"), ("-0,93", "-0.93"), ("+12,0", "+12.0"))
        ),
        *(
            (f"1 Q0 c 3 {score} t", f"score '{score}' is {what}; it must be a finite number (topic 1, document c)")
            for score, what in [("nan", "NaN"), *((one, "infinite") for one in ("-inf", "1e999", "1e9999999999999999"))]
        ),
        ("1 Q0 c 3 1.5", f"found 5 columns ('1 Q0 c 3 1.5'); {RUN_COLUMNS}"),
        ("1 Q0 c 3 1.5 t u", f"found 7 columns ('1 Q0 c 3 1.5 t u'); {RUN_COLUMNS}"),
        ("1 Q0 c", f"found 3 columns ('1 Q0 c'); {RUN_COLUMNS}"),
        ("oops", f"found 1 column ('oops'); {RUN_COLUMNS}"),
        ("1 0 c 3", f"found 4 columns ('1 0 c 3'); {RUN_COLUMNS}"),
        ("1 Q0 c 3 x", f"found 5 columns ('1 Q0 c 3 x'); {RUN_COLUMNS}"),
        (
            "1 qid:1 1:0.5 2:1",
            "this looks like learning-to-rank features (grade qid:query index:value ...); expected is a run: "
            "topic Q0 document rank score tag",
        ),
        ("1 Q0 \0c 3 1 t", r"control byte '\x00' found; this is not a text file"),
        ("1 Q0 c 3\x01 1 t", r"control byte '\x01' found; this is not a text file"),
        ("1 Q0 c 3 1\r t", r"control byte '\x0d' found; a carriage return may only end a line"),
        ("1 Q0 a 3 1 t", f"document 'a' of topic 1 was already given in line 2; {ONCE_IN_RUN}"),
        ("1 Q1 a 3 1 t", f"document 'a' of topic 1 was already given in line 2; {ONCE_IN_RUN}"),
        *((f"1 Q0 c 3 1 {tag}", f"tag '{tag}' differs from 't' in line 2; {ONE_TAG}") for tag in ("T", "tt")),
    ],
)
def test_a_line_that_is_no_line_of_a_run(line: str, message: str, ending: str) -> None:
    assert complaint(read_run, START + line + ending) == f"run.txt:4: {message}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 0 c L1", "grade 'L1' is not a number (topic 1, document c)"),
        ("1 0 c nan", "grade 'nan' is NaN; it must be a finite number (topic 1, document c)"),
        ("1 0 c inf", "grade 'inf' is infinite; it must be a finite number (topic 1, document c)"),
        ("1 0 c", f"found 3 columns ('1 0 c'); {QRELS_COLUMNS}"),
        ("1 Q0 c 1 2.5 t", f"found 6 columns ('1 Q0 c 1 2.5 t'); {QRELS_COLUMNS}"),
        ("1 Q0 c 1 x t", f"found 6 columns ('1 Q0 c 1 x t'); {QRELS_COLUMNS}"),
        (
            "1 qid:1 1:0.5 2:1 3:1",
            "this looks like learning-to-rank features (grade qid:query index:value ...); expected are qrels: "
            "topic iteration document grade",
        ),
        ("1 0 a 1", f"document 'a' of topic 1 was already judged in line 1; {ONCE_IN_QRELS}"),
        ("2 0 a 0", f"document 'a' of topic 2 was already judged in line 2 (grades 1 and 0); {ONCE_IN_QRELS}"),
        (
            "2 s1 a 0.5",
            f"document 'a' of topic 2 was already judged in line 2 (grades 1 and 0.5); {ONCE_IN_QRELS}. "
            f"{SUBTOPICS.format('0', 's1')}",
        ),
    ],
)
def test_a_line_that_is_no_judgment(line: str, message: str) -> None:
    assert complaint(read_qrels, f"1 0 a 1\n2 0 a 1\n{line}\n3 0 a x") == f"qrels.txt:3: {message}"


@pytest.mark.parametrize("text", ["", "\n", "# only\n \t\r\n#comments", "\ufeff"], ids=repr)
def test_a_file_that_says_nothing(text: str) -> None:
    what = "the file holds nothing but blank lines and comments" if text else "the file is empty"
    assert complaint(read_run, text) == f"run.txt:1: {what}; {RUN_COLUMNS}"
    assert complaint(read_qrels, text) == f"qrels.txt:1: {what}; {QRELS_COLUMNS}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x1f\x8b\x08\x00stuff", r"control byte '\x1f' found; this is compressed (gzip) data, not text"),
        ("1 Q0 a".encode("utf-16"), rf"control byte '\x00' found; this looks like UTF-16; {ENCODING}"),
        ("1 Q0 a".encode("utf-16-be"), rf"control byte '\x00' found; this looks like UTF-16; {ENCODING}"),
        (b"\x89PNG\x00\x01", r"control byte '\x00' found; this is not a text file"),
        (b"1 Q0 \xffa 1 1 t", rf"document '\xffa' is not valid UTF-8; {ENCODING}"),
        (b"\xe9 Q0 a 1 1 t", rf"topic '\xe9' is not valid UTF-8; {ENCODING}"),
        (b"1 Q0 a 1 1 \xe9", rf"tag '\xe9' is not valid UTF-8; {ENCODING}"),
    ],
)
def test_bytes_that_are_no_utf8_text(data: bytes, message: str) -> None:
    assert complaint(read_run, data) == f"run.txt:1: {message}"


BROKEN = [b"\x80", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"]
OVERLONG = [b"\xe0\x95\x80", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf"]
BEYOND = [b"\xf4\x90\x80\x80"]


@pytest.mark.parametrize("bad", BROKEN + OVERLONG + BEYOND)
def test_broken_utf8_is_found_in_every_line(bad: bytes) -> None:
    shown = "".join(f"\\x{byte:02x}" for byte in bad)
    data = START.encode() + b"1 Q0 long-document-id-" + bad + b" 3 1 t\n1 Q0 z 4 0 t\n"
    assert complaint(read_run, data) == (
        f"run.txt:4: document 'long-document-id-{shown}' is not valid UTF-8; {ENCODING}"
    )


def test_the_first_of_several_errors_is_reported_whatever_the_threads() -> None:
    lines = [
        f"{topic} Q0 d{(topic + 1) * document} {document} {1 / document} t"
        for topic in range(40)
        for document in range(1, 30)
    ]
    lines[700] = lines[700].replace(" t", " u")  # another tag
    lines[900] = "oops"
    lines[650] = lines[400]  # topic scattered, and a document twice
    for part_bytes in (1, 100, 1000, 10_000, 0):
        for threads in (1, 2, 7):
            with pytest.raises(InputError, match=r"run.txt:651: document 'd\d+' of topic 13 .* in line 401;"):
                judge(
                    POOLS,
                    [Lines.of_bytes("\n".join(lines).encode(), "run.txt")],
                    threads=threads,
                    part_bytes=part_bytes,
                )


def test_the_first_of_several_bad_runs_is_reported() -> None:
    good = Lines.of_bytes(START.encode(), "good")
    bad = [Lines.of_bytes(b"oops", f"bad-{i}") for i in range(3)]
    late = Lines.of_bytes(START.encode() * 2, "late")
    for threads in (1, 2):
        with pytest.raises(InputError, match=r"^late:5: document 'a'"):
            judge(POOLS, [good, late, *bad], threads=threads, part_bytes=1)
        with pytest.raises(InputError, match=r"^bad-0:1: found 1 column"):
            judge(POOLS, [good, *bad, late], threads=threads)


def test_unjudged_topics_are_checked_all_the_same() -> None:
    assert "run.txt:2: document 'x' of topic 99 was already given in line 1" in complaint(
        read_run, "99 Q0 x 1 1 t\n99 Q0 x 2 1 t\n"
    )
    assert "run.txt:3: document 'x' of topic 99 was already given in line 1" in complaint(
        read_run, "99 Q0 x 1 1 t\n1 Q0 x 1 1 t\n99 Q0 x 2 1 t\n"
    )


def test_everything_is_checked_too_when_a_run_is_only_looked_at() -> None:
    lines = Lines.of_bytes((START + "2 Q0 a 1 1 t\n1 Q0 b 1 1 t\n").encode(), "run.txt")
    with pytest.raises(InputError, match=r"run.txt:5: document 'b' of topic 1 was already given in line 3"):
        lines.topics()
    with pytest.raises(InputError, match=r"run.txt:5:"):
        len(lines)


@pytest.mark.parametrize("byte", [b"x", b"x ", b"\0", b"1 Q0 "], ids=repr)
def test_an_endless_line_is_refused_in_few_words(byte: bytes) -> None:
    data = byte * (100_000_000 // len(byte))
    for message in (complaint(read_run, data), complaint(read_qrels, data)):
        assert re.match(r"(run|qrels).txt:1: (found \d+ columns? \('.{60}\.\.\.'\)|control byte)", message)
        assert len(message) < 200


def test_names_of_files_may_hold_anything() -> None:
    with pytest.raises(InputError, match=r"^r\\udcffn %s \{\}:1: the file is empty"):
        read_run(b"", "r\udcffn %s {}")


@pytest.mark.parametrize("ties", ["", "DOCID", "random"])
def test_unknown_ties(ties: str) -> None:
    with pytest.raises(
        InputError, match=f"ties: '{ties}' is unknown; accepted are 'docid', 'docid-float32' and 'order'"
    ):
        judge(POOLS, [], ties=ties)


def test_an_input_error_is_a_value_error_that_travels_between_processes() -> None:
    assert issubclass(InputError, ValueError)
    sent = pickle.loads(pickle.dumps(InputError("run.txt:1: no")))
    assert (type(sent), str(sent)) == (InputError, "run.txt:1: no")


def test_only_lines_can_be_judged() -> None:
    with pytest.raises(TypeError, match="runs must be Lines"):
        judge(POOLS, [{"1": {"a": 1}}])


QRELS = f"this looks like qrels ({QRELS_COLUMNS}); expected is a run: topic Q0 document rank score tag"
RUN = f"this looks like a run ({RUN_COLUMNS}); expected are qrels: topic iteration document grade"


@pytest.mark.parametrize("beginning", ["", "# a comment\n\n", "\ufeff"])
@pytest.mark.parametrize(("lines", "alike"), [(1, True), (3, True), (9, True), (0, False)])
def test_a_file_looks_like_another_kind_only_by_its_first_lines(beginning: str, lines: int, alike: bool) -> None:
    judgment, line = "1 0 c 3\n", "1 Q0 d 1 2.5 t\n"
    number = 1 + beginning.count("\n")
    if alike:
        assert complaint(read_run, beginning + judgment * lines) == f"run.txt:{number}: {QRELS}"
        assert complaint(read_qrels, beginning + line * lines) == f"qrels.txt:{number}: {RUN}"
    else:
        said = f"found 4 columns ('1 0 c 3'); {RUN_COLUMNS}"
        assert complaint(read_run, beginning + judgment + line) == f"run.txt:{number}: {said}"
        assert complaint(read_run, beginning + judgment * 2 + line) == f"run.txt:{number}: {said}"
        said = f"found 6 columns ('1 Q0 d 1 2.5 t'); {QRELS_COLUMNS}"
        assert complaint(read_qrels, beginning + line + judgment) == f"qrels.txt:{number}: {said}"
