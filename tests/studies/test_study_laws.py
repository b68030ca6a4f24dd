"""What holds for every study that is registered, in Python and on the command line."""

from __future__ import annotations

import csv
import inspect
import io
import json
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from graded_features import graded_features

from gradeval import (
    CoverageWarning,
    GradevalWarning,
    IdsWarning,
    InputError,
    RanksWarning,
    Scores,
    TiesWarning,
    evaluate,
    read_qrels,
    read_run,
    simulate_clicks,
    write_clicks,
    write_letor,
)
from gradeval.arguments import Alpha, Declared, Flag, Number, OneOf, Share, Whole, kind_of_annotation
from gradeval.cli import main
from gradeval.formula import aggregation
from gradeval.studies import list_studies
from gradeval.studies.report_results import compute_report
from gradeval.studies.study import ORDER, Study
from gradeval.studies.study_parameters import ByOthers
from gradeval.tables.grid import Estimate
from gradeval.tables.table import Tabular

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCS = EXAMPLES.parent / "docs"
QRELS = EXAMPLES / "qrels.txt"
RUNS = [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak", "cedar", "maple")]
FEW: dict[str, Any] = {
    "samples": 40,
    "resamples": 3,
    "repetitions": 4,
    "strategies": ["1", "2"],
    "users": ["3"],
    "step": 0.5,
    "finest": 0.25,
}
"""So that studies take no longer than they must."""
NEEDED: dict[str, Any] = {
    "candidate": "b",
    "margin": 0.2,
    "model": QRELS,
    "reference": "nDCG",
    "gains": [[3, 2, 1], [1, 1, 1]],
}
"""Values of parameters that have no default."""
SPELLED = {"gains": "3:2:1,1:1:1", "strategies": "1,2", "users": "3"}
"""How a command is given them, where not as Python prints them."""

ALL = {name: getattr(import_module(module), name) for name, (module, _) in list_studies().items()}
STUDIES: dict[str, Study[Any]] = ALL
every = pytest.mark.parametrize("name", STUDIES)
LENIENT = EXAMPLES / "judges" / "lenient.txt"
ASSESSORS = [QRELS, LENIENT, EXAMPLES / "judges" / "blind.txt", LENIENT]


@pytest.fixture(scope="module")
def human(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments of the first twelve topics."""
    lines = QRELS.read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})[:12]
    path = tmp_path_factory.mktemp("laws") / "human.txt"
    path.write_text("".join(line for line in lines if line.split()[0] in topics))
    return path


@pytest.fixture(scope="module", autouse=True)
def log_and_features(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Clicks of some users, in CLICKS, documents with features, in FEATURES, and every third judgment, in SAMPLE."""
    SAMPLE.append(tmp_path_factory.mktemp("laws") / "sample.txt")
    SAMPLE[-1].write_text("".join(QRELS.read_text().splitlines(keepends=True)[::3]))
    FEATURES.append(tmp_path_factory.mktemp("laws") / "features.txt")
    write_letor(graded_features(8, seed=1), FEATURES[-1])
    CLICKS.append(tmp_path_factory.mktemp("laws") / "clicks.tsv")
    write_clicks(simulate_clicks(read_qrels(QRELS), read_run(RUNS[0]), g=[0.2, 0.3, 0.5], sessions=300), CLICKS[-1])


CLICKS: list[Path] = []
FEATURES: list[Path] = []
SAMPLE: list[Path] = []


def data_for(name: str, human: Path, runs: Sequence[Path] = RUNS) -> tuple[list[Any], list[Any]]:
    """What a study is given in Python, and what its command is."""
    match name:
        case "clicks":
            return [CLICKS[-1], QRELS], [CLICKS[-1], QRELS]
        case "swaps":
            return [], []
        case "virtual_users":
            return [FEATURES[-1]], [FEATURES[-1]]
        case "judges":
            return [QRELS, {"lenient": LENIENT}, runs], [QRELS, *runs, "--judge", LENIENT]
        case "sampled_means":
            return [SAMPLE[-1], LENIENT, runs], [SAMPLE[-1], LENIENT, *runs]
        case "alternative_annotator":
            return [dict(zip("abcd", ASSESSORS, strict=True))], [
                word for name, place in zip("abcd", ASSESSORS, strict=True) for word in ("--judge", f"{name}={place}")
            ]
    judgments = judgments_for(name, human)
    return [judgments, runs], [judgments, *runs]


def settings_of(name: str) -> dict[str, Any]:
    parameters = STUDIES[name].parameters
    needed = {one: value for one, value in NEEDED.items() if one in parameters and parameters[one].required}
    return {one: value for one, value in FEW.items() if one in parameters} | needed


def judgments_for(name: str, human: Path) -> Path:
    """Fewer where the study takes others' grades of more topics."""
    return human if any(isinstance(one.kind, ByOthers) for one in STUDIES[name].parameters.values()) else QRELS


def measures_for(name: str) -> dict[str, str]:
    """None for a study that has measures of its own."""
    if name == "sampled_means":
        return {"measures": "RBP P@5"}  # sums over documents
    return {"measures": "AP P@5"} if STUDIES[name].chooses_measures else {}


def do(name: str, human: Path, **options: Any) -> Any:
    data, _ = data_for(name, human)
    return STUDIES[name].silently(*data, **{**measures_for(name), **settings_of(name), **options})


@cache
def done(name: str, human: Path) -> Any:
    """What a study gives by its defaults, once for all laws."""
    return do(name, human)


def command(name: str, human: Path, *more: object, runs: list[Path] = RUNS, **options: Any) -> Result:
    settings = {**measures_for(name), **settings_of(name), **options}
    spelled = {
        one: SPELLED[one] if one in SPELLED and value in (NEEDED.get(one), FEW.get(one)) else value
        for one, value in settings.items()
    }
    words = [word for one, value in spelled.items() for word in (f"--{one.replace('_', '-')}", value)]
    args = [name, *data_for(name, human, runs)[1], *words, *more]
    return CliRunner().invoke(main, [str(arg) for arg in args])


def values(result: Any) -> Any:
    return json.dumps(result.to_dict() if isinstance(result, Tabular) else str(result), default=str)


@every
def test_the_seed_decides_and_threads_do_not(name: str, human: Path) -> None:
    known = STUDIES[name].parameters

    def valued(threads: int, seed: int) -> Any:
        given = {"threads": threads, "seed": seed}
        return values(do(name, human, **{one: value for one, value in given.items() if one in known}))

    if "threads" in known or "seed" in known:
        assert valued(3, known["seed"].default if "seed" in known else 0) == values(done(name, human))
    if "seed" in known:
        assert valued(1, 5) == valued(3, 5)
    elif "threads" in known:
        assert valued(1, 0) == values(done(name, human))


@every
def test_progress_ends_at_its_total(name: str, human: Path) -> None:
    if "progress" not in STUDIES[name].parameters:
        pytest.skip("is done at once")
    told: list[tuple[int, int]] = []
    do(name, human, progress=lambda *now: told.append(now))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] > 0
    assert len({total for _, total in told}) == 1


SLICED = [name for name, study in STUDIES.items() if study.takes_slices]


def slice_of(topic: str) -> str:
    """One of two slices, the first of which has enough topics of all studies."""
    return "many" if int(topic) % 4 else "few"


def fields_of(result: Any, label: str | None = None) -> dict[str, list[Any]]:
    """The records, but for how topics were chosen; ``label``: of a slice."""
    fields = {name: column for name, column in result.to_dict().items() if name != "selection"}
    if label is None:
        return fields
    rows = [place for place, one in enumerate(fields.pop("slice")) if one == label]
    return {name: [column[place] for place in rows] for name, column in fields.items()}


@pytest.mark.parametrize("name", SLICED)
def test_slices_of_one_label_are_the_plain_result(name: str, human: Path) -> None:
    sliced = do(name, human, by=lambda _: "one")
    expected = fields_of(done(name, human))
    for label in ("all", "one"):
        assert json.dumps(fields_of(sliced.whole if label == "all" else sliced.of("one"))) == json.dumps(expected)
        rows = fields_of(sliced, label)
        assert json.dumps({field: rows[field] for field in expected}) == json.dumps(expected)


@pytest.mark.parametrize("name", SLICED)
def test_a_slice_is_the_study_of_its_topics(name: str, human: Path) -> None:
    sliced = do(name, human, by=slice_of)
    topics = [topic for topic in read_qrels(judgments_for(name, human)).topics if slice_of(topic) == "many"]
    if any(isinstance(one.kind, ByOthers) for one in STUDIES[name].parameters.values()):
        model = read_qrels(QRELS)
        options = {"model": model.select([topic for topic in model.topics if slice_of(topic) == "many"])}
    else:
        options = {}
    alone = do(name, human, topics=topics, **options)
    rows = fields_of(sliced, "many")
    expected = fields_of(alone)
    assert json.dumps({field: rows[field] for field in expected}) == json.dumps(expected)


@pytest.mark.parametrize("name", [name for name in ALL if name not in SLICED and name != "alternative_annotator"])
def test_a_study_that_takes_no_slices_says_so(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name} takes no slices \(by\), as "):
        STUDIES[name].silently(by="relevant")


@pytest.mark.parametrize("name", SLICED)
def test_the_command_writes_the_slices_of_python(name: str, human: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    lines = [f"{topic},{slice_of(topic)}\n" for topic in read_qrels(QRELS).topics]
    labels.write_text("topic,slice\n" + "".join(lines))
    said = command(name, human, "--by", labels, "--format", "jsonl")
    frame = do(name, human, by=labels).to_frame()
    assert [json.loads(line) for line in said.stdout.splitlines()] == json.loads(
        json.dumps(frame.to_pylist(), default=str)
    )


def bad_values() -> list[tuple[str, str, Any]]:
    """A study, one of its parameters, and a value that it cannot have."""
    cases = []
    for name, study in STUDIES.items():
        for one in study.parameters.values():
            match one.kind:
                case Whole(least=least, most=most):
                    cases += [(name, one.name, value) for value in (least - 1, most + 1)]
                case Share():
                    cases += [(name, one.name, value) for value in (0, 1, float("nan"))]
                case Number():
                    cases += [(name, one.name, float("inf"))]
                case kind if hasattr(kind, "words"):
                    cases += [(name, one.name, "nothing-like-it")]
            cases += [(name, one.name, -1)] if one.name in ("seed", "threads") else []
    return cases


@pytest.mark.parametrize(("name", "parameter", "value"), bad_values())
def test_a_bad_value_is_one_line_in_python_and_on_the_command_line(
    human: Path, name: str, parameter: str, value: Any
) -> None:
    with pytest.raises(InputError, match=parameter) as error:
        do(name, human, **{parameter: value})
    assert "\n" not in str(error.value)
    said = command(name, human, **{parameter: value})
    assert said.exit_code == 2
    assert isinstance(said.exception, SystemExit)
    lines = [line for line in said.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1
    assert f"--{parameter.replace('_', '-')}" in lines[0]
    assert said.stdout == ""


@every
@pytest.mark.parametrize(("runs", "topics"), [(1, None), (4, "401,402")], ids=["one run", "two topics"])
def test_too_little_is_answered_or_refused_in_a_line(name: str, human: Path, runs: int, topics: str | None) -> None:
    if not {"topics", "runs"} & STUDIES[name].parameters.keys():
        pytest.skip("knows no runs")
    result = command(name, human, *(["--topics", topics] if topics else []), runs=RUNS[:runs])
    assert isinstance(result.exception, SystemExit | None)
    lines = result.stderr.splitlines()
    assert (result.exit_code, "error" in lines[-1]) in [(0, False), (2, True)]
    assert "nan" not in result.stdout.split()


@every
def test_every_format_writes_the_same_records(name: str, human: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = done(name, human)
    frame = result.to_frame()
    lines = [json.loads(line) for line in command(name, human, "--format", "jsonl").stdout.splitlines()]
    assert lines == json.loads(json.dumps(frame.to_pylist(), default=str))  # those of the function
    assert [list(line) for line in lines] == [frame.column_names] * frame.num_rows
    monkeypatch.setattr(Study, "silently", lambda *_, **__: result)  # the same, so it is not computed again
    for form in ("table", "markdown", "latex"):
        assert command(name, human, "--format", form).stdout.strip()
    tabbed = list(csv.DictReader(io.StringIO(command(name, human, "--format", "tsv").stdout), delimiter="\t"))
    assert list(tabbed[0]) == frame.column_names
    assert len(tabbed) == frame.num_rows
    assert list(csv.DictReader(io.StringIO(command(name, human, "--format", "csv").stdout))) == tabbed
    for row, line in zip(tabbed, lines, strict=True):
        for field, value in line.items():
            read = float(row[field]) if isinstance(value, float) else row[field]
            assert read == (value if isinstance(value, float) else "" if value is None else str(value)), field


@every
def test_a_table_for_a_paper_says_what_its_marks_and_intervals_are(name: str, human: Path) -> None:
    grids = done(name, human).table().grids
    for grid in grids:
        cells = [part for row in grid.rows for cell in row for part in getattr(cell, "parts", [cell])]
        if any(
            isinstance(cell, tuple) or (isinstance(cell, Estimate) and (cell.bounds or cell.mark.strip()))
            for cell in cells
        ):
            assert re.search(r"confidence|interval|level|above|allow", grid.caption or ""), grid.title
    latex = done(name, human).to_latex()
    tables, labels = latex.count(r"\begin{tabular}"), re.findall(r"\\label\{(.+)\}", latex)
    assert tables == latex.count(r"\toprule") == len(grids)
    if tables > 1 or grids[0].caption:
        assert latex.count(r"\begin{table}") == latex.count(r"\caption{") == len({*labels}) == len(labels) == tables


def another(one: Declared) -> Any:
    """A value of a parameter that is not its default; None: it has no simple one."""
    match one.kind:
        case Flag():
            return not one.default
        case Whole(least=least):
            return least + (one.default == least)
        case Share():
            return 0.125
        case OneOf(words=words):
            return next((word for word in words if word != one.default), None)
    return None


@every
def test_every_option_reaches_the_function(name: str, human: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {}

    def ask(_: Study[Any], *__: Any, **settings: Any) -> None:
        told.update(settings)
        raise InputError("asked")

    monkeypatch.setattr(Study, "silently", ask)
    asked = {one.name: value for one in STUDIES[name].parameters.values() if (value := another(one)) is not None}
    words = {one: value for one, value in asked.items() if not isinstance(value, bool)}
    flags = [f"--{one.replace('_', '-')}" for one, value in asked.items() if value is True]
    assert "asked" in command(name, human, *flags, **words).stderr
    assert asked.items() <= told.items()
    assert ("progress" in told) == ("progress" in STUDIES[name].parameters)


@every
def test_no_output_takes_the_place_of_an_input(name: str, human: Path) -> None:
    for place in [word for word in data_for(name, human)[1] if isinstance(word, Path)]:
        before = place.read_bytes()
        said = command(name, human, "--format", "tsv", "-o", place)
        assert (said.exit_code, "would replace the input" in said.stderr) == (2, True)
        assert place.read_bytes() == before


@every
def test_python_and_the_command_say_the_same(name: str, human: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = STUDIES[name](*data_for(name, human)[0], **measures_for(name), **settings_of(name))
    said = command(name, human, "-v").stderr.splitlines()
    shown = [f"gradeval: warning: {note}" if note.category else f"note: {note}" for note in result.notes]
    assert sorted(said) == sorted(shown)  # the command prints the weightiest first
    warned = [str(one.message) for one in caught if issubclass(one.category, GradevalWarning)]
    assert [note.text for note in result.notes if note.category and note.text not in warned] == []
    assert {one.filename for one in caught if issubclass(one.category, GradevalWarning)} <= {__file__}


@pytest.mark.parametrize(
    "name", [name for name, study in STUDIES.items() if study.needs or name in ("judges", "describe")]
)
def test_a_study_warns_of_what_evaluate_warns_of(name: str, human: Path, tmp_path: Path) -> None:
    rows = [line.split() for line in RUNS[0].read_text().splitlines() if not line.startswith("401")]
    changed = ["999 Q0 d1 1 1.0 elm"]  # and 0402; 401 is missing, 403 rises where ranks fall, the others are all equal
    for topic, q0, document, rank, score, tag in rows:
        scores = {"402": score, "403": rank}
        changed.append(" ".join(["0" * (topic == "402") + topic, q0, document, rank, scores.get(topic, "1"), tag]))
    faulty = tmp_path / "faulty.txt"
    faulty.write_text("\n".join(changed))
    runs = [faulty, *RUNS[1:]]

    def warned(do: Callable[..., Any], *data: Any, **options: Any) -> dict[str, type[Warning]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = do(*data, **options)
        said = [str(one.message) for one in caught if issubclass(one.category, GradevalWarning)]
        assert sorted(said) == sorted(set(said)) == sorted(str(note) for note in result.notes if note.category)
        return {str(one.message): one.category for one in caught}

    consequence, data = STUDIES[name].consequence, data_for(name, human, runs)[0]
    topics = read_qrels(data[0]).topics  # those that only others judged are not said to lack judgments
    by_evaluate = {
        text if consequence is None else text.replace("they count 0", consequence): category
        for text, category in warned(evaluate, QRELS, runs, topics=topics, **measures_for(name)).items()
    }
    assert {*by_evaluate.values()} == {CoverageWarning, IdsWarning, TiesWarning, RanksWarning}
    by_study = warned(STUDIES[name], *data, **measures_for(name), **settings_of(name))
    assert by_evaluate.items() <= by_study.items()


def read_table_of_fields() -> list[tuple[set[str], set[str], set[str]]]:
    """Of each row of the table in docs/studies/options.md: fields, commands, the words of the page that it links."""
    page = DOCS / "studies" / "options.md"
    table = page.read_text(encoding="utf-8").split("| fields | of | hold |\n")[1].split("\n\n")[0]
    rows = []
    for row in table.splitlines()[1:]:
        fields, commands, hold = row.strip("|").split("|")
        links = re.findall(r"\]\(\.\./([\w/-]+\.md)", hold)
        linked = {word for link in links for word in quoted((DOCS / link).read_text(encoding="utf-8"))}
        rows.append((quoted(fields), quoted(commands), linked))
    return rows


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


def test_the_page_of_the_studies_explains_every_field_and_no_other(human: Path) -> None:
    written = {name.replace("_", "-"): set(done(name, human).to_dict()) for name in STUDIES}
    written["all"] = set.union(*written.values())
    rows = read_table_of_fields()
    for study in written.keys() - {"all"}:
        explained = [fields | linked for fields, commands, linked in rows if commands & {"all", study}]
        assert written[study] - set.union(*explained) == set(), study
    for fields, commands, _ in rows:
        assert fields - set.union(*(written[command] for command in commands)) == set()


@pytest.mark.parametrize("name", ALL)
def test_parameters_stand_in_one_order_and_mean_one_thing(name: str) -> None:
    names = [one for one in inspect.signature(ALL[name]).parameters if one in ORDER]
    assert names == [one for one in ORDER if one in names]
    assert {"level", "tau", "resampled"}.isdisjoint(ALL[name].parameters)
    alpha = ALL[name].parameters.get("alpha")
    assert alpha is None or isinstance(alpha.kind, type(kind_of_annotation(Alpha)[0]) | Number)


@every
def test_the_short_help_is_short_and_the_long_one_has_headings(name: str) -> None:
    brief, whole = (CliRunner().invoke(main, [name, option]).stdout for option in ("-h", "--help"))
    assert len(brief.splitlines()) <= 40
    assert 3 <= sum(line.startswith("  -") for line in brief.splitlines()) <= 10
    headings = ["What to study:", "Statistics:", "Reading:", "Output:"]
    found = [line for line in whole.splitlines() if line in headings]
    assert found == [heading for heading in headings if heading in found]
    assert "Output:" in found
    assert ("Reading:" in found) == (name not in ("swaps", "virtual_users"))
    chooses = "topics" in STUDIES[name].parameters or STUDIES[name].chooses_measures
    assert ("What to study:" in found) == (chooses or name == "alternative_annotator")
    for one in STUDIES[name].parameters:
        if one != "progress":
            assert f"--{one.replace('_', '-')} " in whole


@pytest.mark.parametrize("name", ALL)
def test_a_study_sent_to_another_process_is_the_same_there(name: str) -> None:
    sent = pickle.dumps(ALL[name])
    assert pickle.loads(sent) is ALL[name]
    assert len(sent) < 200, "by its name, not by its code, which has lost the names of its annotations"


RANDOM_OTHERWISE = {
    "robustness": "draws judgments",
    "clicks": "draws groups of sessions",
    "swaps": "draws lists of graded items",
    "ranks": "draws signs of the topics",
    "preferences": "draws signs of the topics",
    "sampled_means": "deals topics out to folds",
}
NOT_STUDENT: dict[str, Any] = {"compare": {"test": "sign"}}
"""So that intervals are percentiles of resamples."""
ONE_SET: dict[str, Callable[[Path], Any]] = {
    **{
        name: partial(do, name, seed=5, **NOT_STUDENT.get(name, {})) for name in STUDIES if name not in RANDOM_OTHERWISE
    },
    "Scores.ci": lambda _: scores_of_example().ci(method="bootstrap", seed=5),
    "report": lambda _: compute_report(scores_of_example("willow"), studies=["correlate", "discriminate"], seed=5),
}


def scores_of_example(*more: str) -> Scores:
    return evaluate(QRELS, [*RUNS, *(EXAMPLES / "runs" / f"{name}.txt" for name in more)], "AP P@5")


@pytest.mark.parametrize(
    "name", [name for name in ONE_SET if name not in STUDIES or "seed" in STUDIES[name].parameters]
)
def test_one_seed_is_one_set_of_resamples_of_the_topics(
    name: str, human: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def draw_noted(*how: Any) -> Any:
        drawn.append(aggregation.draw(*how))
        return drawn[-1].copy()

    for module in [one for title, one in sys.modules.items() if title.startswith("gradeval.")]:
        if module is not aggregation and getattr(module, "draw", None) is aggregation.draw:
            monkeypatch.setattr(module, "draw", draw_noted)
    values(ONE_SET[name](human))
    assert drawn
    for each in drawn:  # of as many topics as take part
        assert (each == aggregation.draw(each.shape[1], len(each), 5)).all()


OWN_DRAWS = {
    "papers/swaps.py": "draws lists of graded items",
    "kernels/derived.py": "draws pools of documents, to find what a measure depends on",
    "formula/aggregation.py": "the place of the bootstrap",
    "scores/selection.py": "the first quartile of the runs",
    "studies/clicks.py": "a percentile of ranks in the samples, for intervals that hold all components at once",
}
"""Files that draw or take percentiles by themselves, and of what."""


def test_topics_are_drawn_and_percentiles_taken_in_one_place() -> None:
    source = Path(import_module("gradeval").__file__ or "").parent
    own = re.compile(r"\.(multinomial|(nan)?(quantile|percentile))\(")
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if own.search(path.read_text(encoding="utf-8"))
    }
    assert found == set(OWN_DRAWS)


@every
def test_labels_of_latex_say_by_which_measures(name: str, human: Path) -> None:
    if STUDIES[name].chooses_measures and name != "virtual_users":  # whose tables are of users
        labels = re.findall(r"\\label\{(.+)\}", done(name, human).to_latex())
        assert [one for one in labels if not re.search(r"\b(AP|P-5|RBP)\b", one)] == []
