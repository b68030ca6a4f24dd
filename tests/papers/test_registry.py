"""What holds for every table and figure of the five texts: it is computed, and it is what its study says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from graded_features import graded_features

from gradeval import InputError, judge, papers, read_letor, read_qrels, write_letor, write_qrels, write_run
from gradeval.cli import main
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.papers.item import Item
from gradeval.papers.registry import TEXTS, function_of, items_of, settings_of, title_of
from gradeval.studies import list_studies
from gradeval.studies.study import Study

ITEMS = papers.items()
every = pytest.mark.parametrize("item", ITEMS, ids=str)
FEW = {
    "samples": 20,
    "resamples": 3,
    "repetitions": 4,
    "swaps": 9,
    "step": 0.5,
    "least": 1,
    "rates": "100,50",
    "strategies": "1,2",
    "epochs": 1,
    "jobs": 1,
}
"""So that an item takes no longer than it must."""
SIZES = (("one", 12, 0), ("another", 9, 1))
"""The collections: their names, topics and seeds."""
Collections = dict[tuple[str, int], tuple[Path, list[Path]]]


def make_collection(folder: Path, topics: int, seed: int, grades: int) -> tuple[Path, list[Path]]:
    """Judgments in which half of the topics have few documents of a higher grade, and five runs."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    truth = {}
    for topic in range(topics):
        counts = [10, *[1] * (grades - 1)] if topic % 2 else [4, *[3] * (grades - 1)]
        judged = np.repeat(range(grades, 0, -1), counts[::-1])
        truth[str(topic)] = {f"d{place}": int(each) for place, each in enumerate([*judged, *[0] * (40 - len(judged))])}
    write_qrels(Qrels.from_dict(truth), folder / "qrels.txt")
    runs = []
    for noise in (0.5, 1, 1.5, 2, 3):
        runs.append(folder / f"noise{noise}.txt")
        scores = {t: {d: float(g + noise * rng.normal()) for d, g in docs.items()} for t, docs in truth.items()}
        write_run(Run.from_dict(scores, name=runs[-1].stem), runs[-1])
    return folder / "qrels.txt", runs


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Collections:
    """Judgments and runs by the name of the collection and its number of positive grades."""
    root = tmp_path_factory.mktemp("collections")
    return {
        (name, grades): make_collection(root / f"{name}{grades}", topics, seed, grades)
        for name, topics, seed in SIZES
        for grades in (2, 3)
    }


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """The parts of two collections with features, by name."""
    root = tmp_path_factory.mktemp("features")
    parts: dict[str, list[Path]] = {}
    for name, _, seed in SIZES:
        for part in range(3):
            parts.setdefault(name, []).append(root / f"{name}{part}.txt")
            write_letor(graded_features(6, seed=3 * seed + part, columns=9, prefix=f"p{part}q"), parts[name][-1])
    return parts


def few_of(item: Item) -> dict[str, Any]:
    """Options of the study of an item that make it fast."""
    function = function_of(item)
    taken = {*function.parameters} if isinstance(function, Study) else {"epochs", "jobs"}
    few = {name: value for name, value in FEW.items() if name in taken}
    if item.settings.get("samples") == "0":
        del few["samples"]
    best = str(item.settings.get("runs")).startswith("top:") or item.study == "inform_users"
    return few | ({"runs": "top:3"} if best else {})


def files_for(item: Item, name: str, collections: Collections, features: dict[str, list[Path]]) -> list[Path]:
    if item.takes in ("FILES...", "PARTS..."):
        return features[name]
    if not item.takes:
        return []
    qrels, runs = collections[name, item.grades or 3]
    return [qrels, *runs]


def words_of(settings: dict[str, Any]) -> list[str]:
    """Options as they are typed."""
    words = []
    for name, value in settings.items():
        option = {"objectives": "--objective"}.get(name, f"--{name.replace('_', '-')}")
        for each in value if isinstance(value, tuple) else [value]:
            words += [option] if each is True else [option, str(each)]
    return words


def command(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_every_text_has_its_items_under_two_words() -> None:
    assert {item.text for item in ITEMS} == {*TEXTS}
    assert len({str(item) for item in ITEMS}) == len(ITEMS)
    for item in ITEMS:
        assert papers.find(item.text, item.name) is item
        assert " " not in item.name
        assert item.question.endswith("?")
        assert item.originals
    for text in TEXTS:
        assert title_of(text)
        wanted = {
            "sakai05": [f"table{n}" for n in range(1, 9)],
            "ferro14": ["table1", "table2", "table3", "figure1", "figure2"],
        }
        assert {item.name for item in items_of(text)} >= {*wanted.get(text, [])}


def test_the_command_alone_lists_them_a_line_each() -> None:
    listed = command("papers").stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [[item.text, item.name] for item in ITEMS]
    assert [line.split(maxsplit=2)[2] for line in listed] == [item.question for item in ITEMS]
    assert command("papers", "ferro14").stdout.splitlines()[0].split()[:2] == ["ferro14", "table1"]


@every
def test_an_item_is_what_its_study_says_with_its_settings(
    item: Item, collections: Collections, features: dict[str, list[Path]]
) -> None:
    if item.takes == "PARTS...":
        pytest.importorskip("torch")
    files, few = files_for(item, "one", collections, features), words_of(few_of(item))
    said = command("papers", item.text, item.name, *files, *few, "--format", "tsv")
    assert said.exit_code == 0, said.output
    assert len(said.stdout.splitlines()) > 1
    assert f"note: {item}: {item.question}" in said.stderr.splitlines()
    study = item.study.rpartition(":")[2]
    if study in list_studies() or study == "crossval":
        settings = words_of({name: value for name, value in item.settings.items() if name not in few_of(item)})
        plain = command(study.replace("_", "-"), *files, *settings, *few, "--format", "tsv")
        assert said.stdout == plain.stdout


@every
def test_python_gives_the_same_values_as_the_command(
    item: Item, collections: Collections, features: dict[str, list[Path]]
) -> None:
    if item.takes == "PARTS...":
        pytest.skip("takes features that are read")
    files, few = files_for(item, "another", collections, features), few_of(item)
    data: list[Any] = [files] if item.takes == "FILES..." else [files[0], files[1:]] if files else []
    parameters = function_of(item).parameters
    options = {
        one: parameters[one].kind.parse(value) if isinstance(value, str) else value for one, value in few.items()
    }
    result = papers.run(item.text, item.name, *data, **options)
    assert result.notes[0].text == f"{item}: {item.question}"
    said = command("papers", item.text, item.name, *files, *words_of(few), "--format", "jsonl").stdout
    lines = [json.loads(line) for line in said.splitlines()]
    records = result.to_dict()
    assert len(lines) == len(next(iter(records.values())))
    for field, values in records.items():
        assert [line[field] for line in lines] == values, field


def test_options_replace_the_settings_of_an_item(collections: Collections) -> None:
    qrels, runs = collections["one", 2]
    result = papers.run("ferro14", "table2", qrels, runs, topics="all", step=0.5, measures="AP")
    assert set(result.to_dict()["selection"]) == {"all"}
    words = ["--topics", "all", "--step", "0.5", "-m", "AP"]
    assert "few:2" not in command("papers", "ferro14", "table2", qrels, *runs, *words).stdout
    help_text = command("papers", "ferro14", "table2", "--help").stdout
    assert "[default: all,few:2]" in " ".join(help_text.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ferro14", "tabel2"], "ferro14 has no 'tabel2' (did you mean table2"),
        (["fero14"], "there is no text 'fero14' (did you mean ferro14?)"),
    ],
)
def test_what_is_not_there_is_one_line(words: Sequence[str], said: str) -> None:
    refused = command("papers", *words)
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    if len(words) == 2:
        with pytest.raises(InputError, match="did you mean table2"):
            papers.run(*words)


def test_an_item_for_other_grades_is_named(collections: Collections) -> None:
    for name, other, grades in (("figure1", "figure2", 3), ("figure2", "figure1", 2), ("table3", "table2", 2)):
        qrels, runs = collections["one", grades]
        takes = f"(ferro14 {name} takes {5 - grades} positive grades, ferro14 {other} {grades})"
        said = command("papers", "ferro14", name, qrels, *runs)
        assert said.exit_code == 2
        assert said.stderr.splitlines()[-1].endswith(takes)
        with pytest.raises(InputError, match=re.escape(takes)):
            papers.run("ferro14", name, qrels, runs)


@pytest.mark.parametrize("name", ["table2", "table3", "figure1", "figure2"])
@pytest.mark.parametrize("grades", [2, 3])
def test_an_item_that_is_computed_for_other_grades_names_the_one_for_these(
    name: str, grades: int, collections: Collections
) -> None:
    qrels, runs = collections["one", grades]
    item = papers.find("ferro14", name)
    few = few_of(item) | {"topics": "all", "measures": "AP nDCG"}
    other = {"table2": "table3", "table3": "table2", "figure1": "figure2", "figure2": "figure1"}[name]
    merge = ", or merge grades by --recode 3=2 (read_qrels(FILE, recode={3: 2}))"
    expected = (
        []
        if item.grades == grades
        else [
            f"{item} takes {5 - grades} positive grades, and this collection has {grades}, so this is not the text's "
            f"result; run ferro14 {other}{merge if grades == 3 else ''}"
        ]
    )
    for judgments in (qrels, read_qrels(qrels)):
        found = papers.run("ferro14", name, judgments, runs, **{**few, "rates": (100, 50)} if "rates" in few else few)
        assert [str(note) for note in found.notes if "this collection has" in str(note)] == expected
    words = {"-m" if one == "measures" else f"--{one}": str(value) for one, value in few.items()}
    said = command("papers", "ferro14", name, qrels, *runs, "-v", *(word for pair in words.items() for word in pair))
    assert said.exit_code == 0, said.output
    assert [line for line in said.stderr.splitlines() if "this collection" in line] == [f"note: {e}" for e in expected]
    assert said.stderr.startswith("".join(f"note: {e}\n" for e in expected))  # before what matters less


@every
def test_settings_are_those_that_the_study_takes(item: Item) -> None:
    function = function_of(item)
    if isinstance(function, Study):
        shown = {*function.of_table}
        function.check({one: value for one, value in settings_of(item).items() if one not in ("measures", *shown)})


@every
def test_every_figure_has_a_chart(item: Item, collections: Collections, features: dict[str, list[Path]]) -> None:
    if not item.name.startswith("figure") or ":" in item.study:
        pytest.skip("no figure, or an example that the text calculates")
    pytest.importorskip("altair")
    files = files_for(item, "another", collections, features)
    data: list[Any] = [files] if item.takes == "FILES..." else [files[0], files[1:]] if files else []
    parameters, few = function_of(item).parameters, few_of(item)
    options = {one: parameters[one].kind.parse(v) if isinstance(v, str) else v for one, v in few.items()}
    if item.study == "infer_curves":
        options |= {"topics": "1"}  # a picture shows a few rankings
    assert papers.run(item.text, item.name, *data, **options).plot()._repr_svg_().startswith("<svg")


PUBLIC = {"trec14-robust2005": 2, "trec-dl21-passage": 3, "trec-covid-r5": 2}
"""Public collections, and their positive grades; of three with runs there is one only."""
FEW_RUNS = 4
LARGE = {"samples": 20, "resamples": 2, "rates": "100,10", "step": 0.5, "topics": "all", "least": 5}
"""So that items of public collections take seconds."""
TOPICS_OF_LISTS = 6
"""Of studies that infer something for each list, and for each of its ranks."""


@pytest.mark.realdata
@every
@pytest.mark.parametrize("name", PUBLIC)
def test_items_are_computed_from_public_runs(data: Callable[[str], Path], item: Item, name: str) -> None:
    if not item.takes.startswith("QRELS") or item.grades not in (0, PUBLIC[name]):
        pytest.skip("takes no runs, or other grades")
    if name != "trec14-robust2005" and item.grades == 0:
        pytest.skip("runs on another already")
    folder = data(name)
    function = function_of(item)
    few = {one: value for one, value in {**few_of(item), **LARGE}.items() if one in function.parameters}
    if item.settings.get("samples") == "0":
        del few["samples"]
    files = [folder / "qrels.txt", *sorted((folder / "runs").iterdir())[:FEW_RUNS]]
    if item.study in ("infer_curves", "inform", "inform_users"):
        few["topics"] = ",".join(read_qrels(files[0]).topics[:TOPICS_OF_LISTS])
    said = command("papers", item.text, item.name, *files, *words_of(few), "--published", "--format", "tsv")
    assert said.exit_code == 0, said.stderr
    assert len(said.stdout.splitlines()) > 1
    assert "nan" not in said.stdout.split()


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("collection", "name"),
    [
        ("ohsumed-letor2", "figure6"),
        ("ohsumed-letor2", "figure7"),
        ("ohsumed-letor2", "figure8"),
        ("mq2008", "figure6"),
        ("mq2008", "figure7"),
    ],
)
def test_virtual_users_on_public_features(data: Callable[[str], Path], collection: str, name: str) -> None:
    parts = sorted(data(collection).glob("S?.txt"))
    study = papers.run("scheel11", name, parts, samples=20).result
    assert study.strategies == ["1", "5", "9", "11", "15", "19", "21", "22"]
    for user, judgment in zip(study.users, study.judgments, strict=True):
        if user.feature is not None:
            place = study.strategies.index(user.feature)
            assert judgment.mean()[place] == pytest.approx(np.ones(len(judgment.measures)))  # "a value of 1"
            assert judgment.by_threshold[place] == pytest.approx(np.ones(len(judgment.thresholds)))


@pytest.mark.realdata
@pytest.mark.parametrize("collection", ["ohsumed-letor2", "mq2008"])
def test_training_by_testing_on_public_features(data: Callable[[str], Path], collection: str) -> None:
    pytest.importorskip("torch")
    parts = [read_letor(part) for part in sorted(data(collection).glob("S?.txt"))[:3]]
    study = papers.run("robertson10", "table2", parts, epochs=1).result
    assert study.scores.values.shape == (6, sum(len(part.topics) for part in parts), 3)
    assert np.all(study.scores.mean() > 0)


def test_training_as_in_the_text_trains_networks_unless_another_ranker_is_named() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("lightgbm")
    parts = [graded_features(6, seed=seed, prefix=f"p{seed}-") for seed in range(3)]
    few: dict[str, Any] = {"epochs": 1, "objectives": ["GAP", "AP"]}
    assert papers.run("robertson10", "table2", parts, **few).result.ranker == "neural"
    assert papers.run("robertson10", "table2", parts, ranker="linear", **few).result.ranker == "linear"


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
THREE = "3 of 12 runs: cedar, elm, oak"
ALL = "12 of 12 runs: alder, aspen, beech, birch, cedar, elm and 6 more"
NINE = "runs: above-q1:AP selects 9 of 12: alder, aspen, beech, birch, cedar, elm, larch, rowan, willow"


@pytest.mark.parametrize(
    ("name", "options", "used"),
    [
        ("ferro14 table3", {"topics": "all"}, [f"{NINE}; topics: 30 of 30"]),
        ("ferro14 table3", {}, [f"{NINE}; topics: 30 of 30 (all), 3 of 30 (few:3)"]),
        ("ferro14 table3", {"runs": "elm,oak,cedar"}, [f"{THREE}; topics: 30 of 30 (all), 3 of 30 (few:3)"]),
        ("ferro14 table3", {"runs": "all", "topics": "401,402,405"}, [f"{ALL}; topics: 3 of 30"]),
        ("ferro14 table1", {}, []),
    ],
)
def test_one_line_says_which_runs_and_how_many_topics_were_used(
    name: str, options: dict[str, str], used: list[str]
) -> None:
    data = [EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").iterdir())]
    words = {**options, **({"samples": 0, "measures": "AP nDCG"} if "table3" in name else {})}
    asked = [word for one, value in words.items() for word in ("-m" if one == "measures" else f"--{one}", str(value))]
    said = command("papers", *name.split(), data[0], *data[1], *asked).stderr.splitlines()
    expected = [f"{name}: {line}" for line in used]
    assert [line for line in said if "topics: " in line and name in line] == [f"note: {line}" for line in expected]
    assert len([line for line in said if "selects" in line]) == len([line for line in used if "selects" in line])
    judged = judge(read_qrels(data[0]), data[1])
    for given in (data, [read_qrels(data[0]), data[1]], *([[judged]] if used else [])):
        notes = papers.run(*name.split(), *given, **words).notes
        assert [str(note) for note in notes if note.place == name] == expected


def test_merging_that_is_told_works_after_another_merging(collections: Collections) -> None:
    qrels, runs = collections["one", 3]
    truth = read_qrels(qrels).to_dict()
    four = {t: {d: g + (g == 3 and d != "d0") for d, g in docs.items()} for t, docs in truth.items()}
    raw = Qrels.from_dict(four)
    few = {"topics": "all", "measures": "AP nDCG", "step": 0.5}

    def told(judgments: Qrels) -> list[str]:
        notes = papers.run("ferro14", "table2", judgments, runs, **few).notes
        return [str(note) for note in notes if "this collection has" in str(note)]

    assert told(raw)[0].endswith("by Qrels.from_dict(QRELS).recoded({3: 2, 4: 2})")
    (after,) = told(raw.recoded({4: 3}))
    assert after.endswith("run ferro14 table3, or merge grades by Qrels.from_dict(QRELS).recoded({4: 2, 3: 2})")
    assert told(raw.recoded({4: 2, 3: 2})) == []
