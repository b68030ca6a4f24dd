"""Ids with something before or behind on one side: both ids are shown, and what strips one of them works as typed."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gradeval import IdsWarning, Run, check, evaluate, read_run, write_run
from gradeval.scores.affixed_ids import cut_id, keep_likely, pair_affixed, remedy_of_affix
from gradeval.warning_categories import CoverageWarning

pandas = pytest.importorskip("pandas")

TOPICS = ["401", "402", "403"]
QRELS = {topic: {f"ZF{topic}-{place:04}-{place % 7}1": int(place % 3 == 0) for place in range(12)} for topic in TOPICS}
SPELLINGS: dict[str, Callable[[str], str]] = {
    ".html": lambda one: f"{one}.html",
    "#0": lambda one: f"{one}#0",
    "doc-": lambda one: f"doc-{one}",
    "https://x.org/": lambda one: f"https://x.org/{one}",
}


def run_of(spell: Callable[[str], str], every: int = 1) -> dict[str, dict[str, float]]:
    """The judged documents, of which every second or each is spelled otherwise."""
    return {
        topic: {(spell(one) if at % every == 0 else one): -float(at) for at, one in enumerate(documents)}
        for topic, documents in QRELS.items()
    }


def write(run: dict[str, dict[str, float]], place: Path) -> str:
    """As a file: of mappings that are judged in part, ids are not compared, as that takes time."""
    write_run(Run.from_dict(run), place)
    return str(place)


def strip_text(said: str, place: Path, new: Path) -> None:
    """Type the line for files of text."""
    command = said.partition("also within lists: ")[2].partition("; in pandas")[0]
    typed = command.replace("FILE", shlex.quote(str(place))).replace("NEW", shlex.quote(str(new)))
    subprocess.run(["sh", "-c", typed], check=True)


def questions(run: str) -> list[str]:
    with pytest.warns(IdsWarning) as warned:
        evaluate(QRELS, run, "AP")
    return [str(one.message) for one in warned if one.category is IdsWarning]


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("affix", SPELLINGS)
def test_both_ids_are_shown_and_the_remedy_makes_them_alike(affix: str, every: int, tmp_path: Path) -> None:
    run = run_of(SPELLINGS[affix], every)
    place = write(run, tmp_path / "run")
    (said,) = questions(place)
    shown = re.search(r"document ('[^']+') of the run is not in the judgments, ('[^']+') is: are they the same\?", said)
    assert shown is not None
    assert shown[1][1:-1] == SPELLINGS[affix](shown[2][1:-1])
    assert f"remove {affix!r} from ids of the run: in a file of text, also within lists: sed -E " in said
    line = re.search(r"df\[COLUMN\] = (df\[COLUMN\]\S+\([^)]*\)\S*\))(?=, where)", said)
    assert line is not None
    for topic, documents in run.items():
        frame = pandas.DataFrame({"docno": [*documents]})
        assert [*eval(line[1], {"df": frame, "COLUMN": "docno", "str": str})] == [*QRELS[topic]]
    strip_text(said, Path(place), tmp_path / "new")
    assert {topic: {*read_run(tmp_path / "new").of(topic)} for topic in run} == {t: {*d} for t, d in QRELS.items()}
    assert any("are they the same?" in remark for remark in check(QRELS, place).remarks)


LISTS: dict[str, Callable[[dict[str, list[str]]], str]] = {
    "lists.jsonl": lambda lists: "".join(
        json.dumps({"query_id": t, "retrieved": ids}) + "\n" for t, ids in lists.items()
    ),
    "hits.jsonl": lambda lists: "".join(
        json.dumps({"query_id": t, "hits": [{"id": one, "score": 1e-05 - at} for at, one in enumerate(ids)]}) + "\n"
        for t, ids in lists.items()
    ),
    "map.json": json.dumps,
    "json.csv": lambda lists: pandas.DataFrame(
        {"query_id": [*lists], "text": "why?", "retrieved_ids": [json.dumps(ids) for ids in lists.values()]}
    ).to_csv(index=False),
    "python.csv": lambda lists: pandas.DataFrame(
        {"query_id": [*lists], "text": "why?", "retrieved_ids": [*lists.values()]}
    ).to_csv(index=False),
}


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("affix", SPELLINGS)
def test_the_line_for_files_of_text_strips_ids_within_lists(affix: str, name: str, tmp_path: Path) -> None:
    lists = {topic: [SPELLINGS[affix](one) for one in documents] for topic, documents in QRELS.items()}
    (tmp_path / name).write_text(LISTS[name](lists))
    (said,) = check(QRELS, str(tmp_path / name)).remarks[:1]
    strip_text(said, tmp_path / name, new := tmp_path / f"new-{name}")
    ranked = {topic: read_run(new).of(topic) for topic in QRELS}
    assert {t: sorted(of, key=lambda one: -of[one]) for t, of in ranked.items()} == {t: [*d] for t, d in QRELS.items()}


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("affix", SPELLINGS)
def test_lists_of_a_frame_are_stripped_by_a_line_of_their_own(affix: str, tmp_path: Path) -> None:
    gold = {topic: [one for one, grade in of.items() if grade] for topic, of in QRELS.items()}
    lists = [[SPELLINGS[affix](one) for one in ids] for ids in gold.values()]
    frame = pandas.DataFrame({"query_id": [*gold], "reference_context_ids": lists})
    (said,) = (str(one) for one in check(frame, write(run_of(str), tmp_path / "run")).remarks if "are they" in str(one))
    known = {"df": frame, "COLUMN": "reference_context_ids"}
    exec(said.partition("where COLUMN has lists of ids: ")[2], known)  # as a user types it
    assert evaluate(known["df"], write(run_of(str), tmp_path / "run"), "R@20").mean().tolist() == [[1.0]]


def test_ids_of_which_no_topic_has_two_are_asked_about_where_nothing_is_judged() -> None:
    qrels = {topic: {f"{topic}d#3": 1} for topic in TOPICS}
    run = {topic: {f"{topic}x{at}": -at for at in range(9)} | {f"{topic}d": -9} for topic in TOPICS}
    with pytest.warns(
        IdsWarning, match=r"'401d#3' is: are they the same\? .* If so, remove '#3' from ids of the judgments: "
    ):
        evaluate(qrels, {"run": run}, "AP")


@pytest.mark.parametrize("affix", ["-05", ".5", "it's-"])
def test_what_may_cut_numbers_or_end_the_quotes_has_no_line_for_text(affix: str) -> None:
    spelled = [(f"{affix}d{at}" if affix.endswith("-") else f"d{at}{affix}", f"d{at}") for at in range(3)]
    said = remedy_of_affix(spelled, ("run", "judgments"))
    assert "in pandas" in said
    assert "sed" not in said


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_judgments_that_have_more_than_the_run_are_told() -> None:
    qrels = {topic: {f"{one}.html": grade for one, grade in documents.items()} for topic, documents in QRELS.items()}
    with pytest.warns(
        IdsWarning, match=r"remove '\.html' from ids of the judgments: .*in pandas .*removesuffix\('\.html'\)"
    ):
        evaluate(qrels, {"run": run_of(str)}, "AP")


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_parts_that_differ_are_asked_about_without_a_remedy(tmp_path: Path) -> None:
    """Ids that lack their last part, which is another one in each: nothing to strip makes them alike."""
    (said,) = questions(write(run_of(lambda one: one.rpartition("-")[0]), tmp_path / "run"))
    assert said.endswith("are they the same? (topic 401)")


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_documents_with_a_usual_part_more_are_others(tmp_path: Path) -> None:
    """Passages of judged documents where the judgments have passages, too."""
    qrels = {"1": {f"d{place}": place % 2 for place in range(9)} | {f"e{place}_2": 1 for place in range(3)}}
    run = {"1": {f"d{place}_1": -float(place) for place in range(9)} | {f"e{place}_2": -99.0 for place in range(3)}}
    assert not any("are they the same" in str(note) for note in check(qrels, write(run, tmp_path / "run")).notes)


def test_what_is_shown_where_nothing_is_alike() -> None:
    run = {topic: {f"{topic}x{place}": -float(place) for place in range(30)} for topic in TOPICS}
    said = "none of the documents is judged: 'ZF401-0000-01' there, '401x1' here (topic 401); are the ids alike"
    with pytest.warns(CoverageWarning, match=re.escape(said)):
        evaluate(QRELS, {"run": run}, "AP")


def test_all_ways_to_cut_an_id_are_those_at_marks() -> None:
    one = "doc-a/b.html#3"
    literal = set()
    marks = [at for at, letter in enumerate(one) if not letter.isalnum()]
    for at in marks:
        literal |= {(one[:at], one[at:], True), (one[at + 1 :], one[: at + 1], False)}
    assert {tuple(cut) for cut in cut_id(one)} == literal
    assert [*cut_id("plain")] == [*cut_id("-")] == []


def test_a_single_pair_is_chance() -> None:
    assert [*pair_affixed(["corpus", "x"], ["corpus:def"])] == [("corpus", "corpus:def")]
    assert keep_likely([("", "corpus", "corpus:def")]) == []
    pairs = [("", f"d{place}", f"d{place}:{place}") for place in range(3)]
    assert keep_likely([*pairs, ("", "corpus", "corpus:def")]) == pairs
