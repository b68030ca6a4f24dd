"""What the core accepts as TREC text."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from gradeval._core import InputError, Lines, Pools, judge


def run_of(text: str | bytes) -> dict[str, dict[str, float]]:
    """All lines of a run."""
    lines = Lines.of_bytes(text if isinstance(text, bytes) else text.encode(), "run.txt")
    return {topic: lines.of(topic) for topic in lines.topics()}


def qrels_of(text: str) -> dict[str, dict[str, float]]:
    """All judgments."""
    pools = Pools.of_bytes(text.encode(), "qrels.txt")
    ends = zip(pools.topics, pools.offsets[:-1], pools.offsets[1:], range(len(pools.topics)), strict=True)
    return {
        topic: dict(zip(pools.documents(t), pools.grades[begin:end].tolist(), strict=True))
        for topic, begin, end, t in ends
    }


PLAIN = "1 Q0 a 1 3.5 tag\n1 Q0 b 2 2.5 tag\n2 Q0 a 1 1 tag\n"
MEANT = {"1": {"a": 3.5, "b": 2.5}, "2": {"a": 1.0}}


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r\n").rstrip("\n"),
        PLAIN.replace(" ", "\t"),
        PLAIN.replace(" ", " \t   "),
        PLAIN.replace("\n", "  \n"),
        PLAIN.replace("\n", "\t\r\n"),
        PLAIN.replace("1 Q0", "  1 Q0"),
        "\ufeff" + PLAIN,
        "\ufeff# run\n" + PLAIN,
        "# a comment\n\n  \n" + PLAIN.replace("\n", "\n# more\n\n") + "  # the end",
        PLAIN.replace(" tag", " täg"),
    ],
    ids=[
        "plain", "no last newline", "CRLF", "lone CR at the end", "tabs", "runs of blanks", "trailing blanks",
        "trailing tab before CRLF", "leading blanks", "byte order mark", "comment behind byte order mark",
        "comments and blank lines", "tag beyond ASCII",
    ],
)  # fmt: skip
def test_lines_are_read_however_they_are_laid_out(text: str) -> None:
    assert run_of(text) == MEANT


def test_blank_columns_that_differ_from_line_to_line_are_no_part_of_ids() -> None:
    assert run_of("1 Q0 a 1 3 t\n1 Q0  b 2 2 t\n1  Q0 c 3 1 t\n 1 Q0 d 4 0 t\n") == {
        "1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}
    }


@pytest.mark.parametrize(
    "topic", ["0001", "1", "301-a", "q#1", "täma", "主题", "a/b:c", "a" * 300], ids=lambda topic: topic[:10]
)
@pytest.mark.parametrize(
    "document",
    ["a", "FT911-3", "doc#1", "http://x.org/?q=1", "#1", "é", "文書", "1234567", "12345678", "123456789", "x" * 99],
    ids=lambda document: document[:10],
)
def test_ids_are_any_text_without_blanks(topic: str, document: str) -> None:
    text = "".join(f"{topic} Q0 {document}{tail} 1 {score} t\n" for tail, score in [("", 2), ("b", 1)])
    assert run_of(text) == {topic: {document: 2.0, document + "b": 1.0}}
    assert qrels_of(f"{topic} 0 {document} 1") == {topic: {document: 1.0}}


@pytest.mark.parametrize(
    "numeral",
    """0 -0 1 -1 +3 5. .5 -.5 +.5 1e-3 1E-3 1e+3 -7.99e-10 003.50 123456789.125 0.1 0.30000000000000004
    9007199254740993 9007199254740992 99999999999999999999 1.7976931348623157e308 5e-324
    2.2250738585072014e-308 0.09679937548790009 45602.81753540039 1e23 8.5e22
    1.0000000000000000000000000000001 00000000000000000000001.5 0.00000000000000000001
    -0.000000000000000000000000001 3.141592653589793238462643383279502884197""".split(),
)
def test_scores_are_the_nearest_doubles(numeral: str) -> None:
    # The second and third line take the quick way, the last one ends the file.
    text = "".join(f"1 Q0 {document} 1 {numeral} t\n" for document in "abcd")
    assert run_of(text)["1"] == dict.fromkeys("abcd", float(numeral))
    assert qrels_of(f"1 0 a {numeral}\n") == {"1": {"a": float(numeral)}}


def decimals(seed: int, count: int) -> list[str]:
    """Decimals of up to 24 digits, long and short, among them numbers halfway between two doubles."""
    rng = random.Random(seed)
    drawn = [f"{rng.randrange(10**digits)}" for digits in range(1, 25) for _ in range(count)]
    points = [rng.randrange(len(text) + 1) for text in drawn]
    plain = [f"{text[:point]}.{text[point:]}" for text, point in zip(drawn, points, strict=True)]
    halfway = [Decimal(2 * rng.randrange(2**53, 2**54) + 1) / 2**power for power in range(1, 8) for _ in range(count)]
    shares = [repr(rng.random() * 10.0 ** -rng.randrange(9)) for _ in range(20 * count)]
    return [*plain, *map("{:f}".format, halfway), *shares, *("-" + share for share in shares)]


def test_drawn_decimals_are_the_nearest_doubles() -> None:
    numerals = decimals(seed=1, count=200)
    text = "".join(f"1 Q0 d{number} 1 {numeral} t\n" for number, numeral in enumerate(numerals))
    read = run_of(text)["1"]
    assert [read[f"d{number}"] for number in range(len(numerals))] == list(map(float, numerals))


@pytest.mark.parametrize("numeral", ["1e-400", "-1e-400", "0.1e-99999999999999999999999", "0e400", "0.0e999"])
def test_numbers_too_small_for_a_double_are_zero(numeral: str) -> None:
    assert run_of(f"1 Q0 a 1 {numeral} t\n") == {"1": {"a": 0.0}}


def test_grades_may_be_fractions_and_negative() -> None:
    assert qrels_of("1 0 a 0.5\n1 4.5 b -2\n2 Q0 a 3\n") == {"1": {"a": 0.5, "b": -2.0}, "2": {"a": 3.0}}


def test_topics_may_be_scattered_and_keep_the_order_of_first_appearance() -> None:
    text = "2 Q0 a 1 1 t\n1 Q0 a 1 1 t\n2 Q0 b 1 2 t\n3 Q0 a 1 1 t\n1 Q0 c 1 3 t\n"
    assert list(run_of(text).items()) == [
        ("2", {"a": 1.0, "b": 2.0}), ("1", {"a": 1.0, "c": 3.0}), ("3", {"a": 1.0}),
    ]  # fmt: skip
    judgments = "2 0 a 1\n1 0 a 1\n2 0 b 2\n1 0 c 3\n"
    assert list(qrels_of(judgments).items()) == [("2", {"a": 1.0, "b": 2.0}), ("1", {"a": 1.0, "c": 3.0})]


def test_a_run_counts_its_lines() -> None:
    assert len(Lines.of_bytes(PLAIN.encode(), "run.txt")) == 3
    assert len(Lines.of_mapping({"1": {"a": 1}, "2": {}}, "run")) == 1


def test_a_run_knows_no_topic_it_does_not_have() -> None:
    with pytest.raises(KeyError, match="7"):
        Lines.of_bytes(PLAIN.encode(), "run.txt").of("7")


def test_the_tag_is_that_of_the_first_line_and_no_other_line_is_read_for_it() -> None:
    assert Lines.of_bytes(b"# comment\n1 Q0 a 1 3.5 BM25\r\nrubbish", "run.txt").tag() == "BM25"
    assert Lines.of_mapping({}, "run").tag() is None
    with pytest.raises(InputError, match=r"run.txt:1: found 1 column \('rubbish'\)"):
        Lines.of_bytes(b"rubbish", "run.txt").tag()


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_any_contiguous_buffer_is_text(make: type) -> None:
    lines = Lines.of_bytes(make(PLAIN.encode()), "run.txt")
    assert lines.of("1") == MEANT["1"]


def test_a_buffer_in_use_stays() -> None:
    text = bytearray(PLAIN.encode())
    lines = Lines.of_bytes(text, "run.txt")
    with pytest.raises(BufferError):
        text.clear()
    assert len(lines) == 3


def test_pools_of_chosen_topics_keep_the_order_chosen() -> None:
    pools = Pools.of_bytes(b"1 0 a 1\n2 0 b 2\n2 0 c 0\n3 0 d 3\n", "qrels.txt").select([2, 1])
    assert pools.topics == ["3", "2"]
    assert pools.offsets.tolist() == [0, 1, 3]
    assert pools.grades.tolist() == [3.0, 2.0, 0.0]
    assert pools.documents(1) == ["b", "c"]
    met = judge(pools, [Lines.of_mapping({"1": {"a": 1}, "2": {"c": 2, "x": 3}, "3": {"d": 1}}, "run")])
    assert met.rank.tolist() == [1, 2]
    assert met.document.tolist() == [0, 1]
    assert met.unjudged_topics == [["1"]]


def test_pools_outlive_those_they_were_chosen_from() -> None:
    chosen = Pools.of_mapping({"1": {"a": 1}, "2": {"b": 2}}, "qrels").select([1])
    assert (chosen.topics, chosen.documents(0)) == (["2"], ["b"])


@pytest.mark.parametrize(("topics", "error"), [([2], IndexError), ([0, 0], ValueError)])
def test_topics_that_cannot_be_chosen(topics: list[int], error: type[Exception]) -> None:
    with pytest.raises(error):
        Pools.of_bytes(b"1 0 a 1\n2 0 b 2\n", "qrels.txt").select(topics)
    with pytest.raises(IndexError):
        Pools.of_mapping({}, "qrels").documents(0)
