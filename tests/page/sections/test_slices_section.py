"""The section of slices: its numbers are those of ``evaluate`` and ``compare``, and its labels are text."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import InputError, compare, evaluate, report
from gradeval.cli import main
from gradeval.page.section import Section

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
QRELS, RUNS = EXAMPLES / "qrels.txt", [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "beech", "oak")]
TOPICS = [str(topic) for topic in range(401, 431)]
OPEN = {topic: "head" if place < 10 else "tail" if place < 27 else "few" for place, topic in enumerate(TOPICS)}
FEW = ("412", "420", "423")
TURNING = {topic: "few" if topic in FEW else "head" if place < 10 else "tail" for place, topic in enumerate(TOPICS)}
HOSTILE = "</script><img src=x onerror=alert(1)> *a|b* \x1b[31m\u202eيمين"


def section_of(*data: Any, **options: Any) -> Section:
    options = {"measures": "nDCG@10 AP", "studies": "none", **options}
    return next(one for one in report(*data, **options).sections if one.name == "slices")


def test_the_answer_says_where_a_lead_turns_by_the_test_of_compare() -> None:
    found = section_of(QRELS, RUNS[:2], by=TURNING)
    compared: Any = compare(QRELS, RUNS[:2], "nDCG@10", baseline="elm", by=TURNING)
    [test] = compared.interactions
    assert test.corrected[0] < 0.05
    gap = compared.of("tail").difference[0, 0]
    lost = compared.of("head").difference[0, 0]
    assert compared.of("head").interval[0, 0, 1] < 0
    assert found.answer == (
        f"elm is not ahead everywhere: beech is ahead by {gap:.4f} in slice tail. "
        f"Furthest behind elm: beech by {-lost:.4f} in slice head."
    )
    assert found.details == [
        f"beech: its difference from elm depends on slice (p {test.corrected[0]:.4f}, by Holm).",
        "Without a test: slice few (1 slice).",
    ]
    cedar = [EXAMPLES / "runs" / "cedar.txt", RUNS[0]]
    assert section_of(QRELS, cedar, by=TURNING).answer == (
        "No lead of cedar is shown to depend on the slice (1 test at 0.05)."
    )


def test_a_slice_whose_interval_includes_0_shows_no_difference() -> None:
    compared: Any = compare(QRELS, RUNS[:2], "nDCG@10", baseline="elm", by=OPEN)
    tail = compared.of("tail")
    assert compared.interactions[0].corrected[0] < 0.05
    assert tail.interval[0, 0, 0] < 0 < tail.difference[0, 0]
    assert section_of(QRELS, RUNS[:2], by=OPEN).answer == (
        "The size of elm's lead over beech (by slice) depends on the slice; no difference is shown in slice tail. "
        f"Furthest behind elm: beech by {-compared.of('head').difference[0, 0]:.4f} in slice head."
    )


def test_small_pictures_hold_the_means_and_intervals_of_evaluate_and_counts_of_topics() -> None:
    found = section_of(QRELS, RUNS, by=TURNING)
    whole = evaluate(QRELS, RUNS, "nDCG@10")
    parts = [("all topics", whole)]
    parts += [
        (f"slice {label}", whole.sel(topics=[t for t in TOPICS if TURNING[t] == label]))
        for label in ("head", "tail", "few")
    ]
    assert [(one.caption, one.beside) for one in found.multiples] == [
        ("all topics", "30 topics"),
        ("slice head", "10 topics"),
        ("slice tail", "17 topics"),
        ("slice few", "3 topics, too few to be tested"),
    ]
    for picture, (_, part) in zip(found.multiples, parts, strict=True):
        told = [one.text for one in ElementTree.fromstring(picture.svg).iter("title")]
        means, bounds = part.mean()[:, 0], part.ci()[:, 0]
        expected = []
        for name in ("elm", "beech", "oak"):
            run = part.runs.index(name)
            interval = f", {bounds[run, 0]:.4f} to {bounds[run, 1]:.4f}" if len(part.topics) >= 5 else ""
            expected.append(f"{name}: {means[run]:.4f}{interval}")
        assert told == expected
    axes = {
        tuple(re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">([\d.]+)<', one.svg))
        for one in found.multiples
    }
    assert len(axes) == 1  # one scale for all
    records = found.tables[0].table.records.fields
    assert {*records} >= {"slice", "run", "measure", "value", "topics"}


def test_without_slices_there_is_no_section_and_the_page_has_nothing_of_them() -> None:
    plain, none, sliced = (
        report(QRELS, RUNS, "AP", studies="none", **how).write("a.html").decode()
        for how in ({}, {"by": None}, {"by": TURNING})
    )
    assert plain == none
    for part in ('class="multiples"', 'id="slices"', 'href="#slices"'):
        assert part not in plain
        assert part in sliced
    begin = sliced.index('<section id="slices"')
    without = sliced[:begin] + sliced[sliced.index("</section>\n", begin) + len("</section>\n") :]
    link = next(line for line in sliced.splitlines(keepends=True) if 'href="#slices"' in line)
    [detail] = re.findall(r'<p class="detail">elm is not ahead everywhere: .*</p>\n', without)  # in the first answer
    assert without.replace(link, "").replace(detail, "") == plain


def test_labels_are_text_in_every_format() -> None:
    labels = {topic: HOSTILE if label == "tail" else label for topic, label in TURNING.items()}
    made = report(QRELS, RUNS[:2], "nDCG@10 AP", studies="none", by=labels)
    for place in ("a.html", "a.md", "a.json"):
        written = made.write(place).decode()
        assert "<img src=x" not in written.replace("\\<img", "") or place == "a.json"
        assert not {"\x1b", "\u202e"} & set(written) or place == "a.json"
    found = next(one for one in made.sections if one.name == "slices")
    assert found.answer.startswith("elm is not ahead everywhere: beech is ahead by ")
    assert len(found.answer) < 160
    assert "slice head" in [one.caption for one in found.multiples]


def test_few_runs_many_slices_and_scores_alone() -> None:
    alone = section_of(QRELS, RUNS[:1], by="relevant")
    assert alone.answer == "Whether the lead of elm holds in each slice is not known: there is one run."
    assert len(alone.multiples) == 4
    every = section_of(QRELS, RUNS, by=lambda topic: topic)
    assert every.answer == "No slice is tested: that needs two slices of 5 topics or more."
    assert len(every.multiples) == 24
    assert "Pictures show the 23 largest of 30 slices; the table has all." in every.details
    scores = evaluate(QRELS, RUNS, "nDCG@10 AP")
    same, of_runs = section_of(scores, by=TURNING, measures=None), section_of(QRELS, RUNS, by=TURNING)
    assert (same.answer, [one.svg for one in same.multiples]) == (
        of_runs.answer,
        [one.svg for one in of_runs.multiples],
    )
    with pytest.raises(InputError, match="by=relevant: looks at judgments, and scores have none"):
        report(scores, by="relevant")
    noted = report(scores, studies="none", by={**TURNING, "x": "head"}).notes
    assert "by: 1 topic with a label is not in the collection (x)" in map(str, noted)


def test_thirds_by_words_read_the_queries_that_the_page_shows(tmp_path: Path) -> None:
    texts = [{"query_id": topic, "text": "word " * (1 + place % 6)} for place, topic in enumerate(TOPICS)]
    found = section_of(QRELS, RUNS, by="length", queries=iter(texts))
    assert [one.beside for one in found.multiples] == ["30 topics", "10 topics", "10 topics", "10 topics"]
    assert [one.caption for one in found.multiples][1:] == ["length 1 to 2", "length 3 to 4", "length 5 to 6"]


def test_its_command_computes_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = tmp_path / "segments.csv"
    labels.write_text("topic,segment\n" + "".join(f"{topic},{label}\n" for topic, label in TURNING.items()))
    page, every = tmp_path / "page.md", sorted((EXAMPLES / "runs").iterdir())
    words = ["report", QRELS, *every, "-m", "nDCG@10", "--studies", "none", "--by", labels, "-o", page]
    assert main.main(list(map(str, words)), standalone_mode=False) in (0, None)
    written = page.read_text(encoding="utf-8")
    [command] = [line for line in written.splitlines() if line.startswith("gradeval compare") and "--by" in line]
    assert "--by segments.csv --runs top:8:nDCG@10" in command
    capsys.readouterr()
    files = {"QRELS": [QRELS], "RUNS": every, "segments.csv": [labels]}
    again = [str(one) for word in shlex.split(command)[1:] for one in files.get(word, [word])]
    assert main.main([*again, "--format", "markdown"], standalone_mode=False) in (0, None)
    tests = capsys.readouterr().out.partition("does the difference depend on the slice?")[2].split("\n\n")[1]
    assert tests.strip()
    assert tests.strip() in written


def test_the_first_answer_says_too_where_a_lead_depends_on_slices() -> None:
    sections = {one.name: one for one in report(QRELS, RUNS[:2], "nDCG@10 AP", studies="none", by=TURNING).sections}
    assert sections["slices"].answer in sections["answer"].details
    cedar = [EXAMPLES / "runs" / "cedar.txt", RUNS[0]]
    sections = {one.name: one for one in report(QRELS, cedar, "nDCG@10 AP", studies="none", by=TURNING).sections}
    assert sections["slices"].answer.startswith("No lead of cedar is shown")
    assert sections["slices"].answer not in sections["answer"].details
