"""How a study is declared: one decorated function, whose name, parameters, defaults, kinds and help are read off it.

    @study(measures="AP nDCG@10 GAP")
    def ranks(data: Scores, /, *, alpha: Alpha = 0.05, samples: Annotated[int, Whole(2)] = 2000, ...) -> RankSets:

What the first parameter is annotated with is what the study needs: ``Scores``, or ``Judged``, which has the judgments
and rankings, too. Whoever calls it gives scores, judged runs, or judgments and runs, and chooses by the parameters of
``CHOICES``. ``Mapping[str, Scores]`` and ``Mapping[str, Judged]`` are several collections, by their names, or one. All
other parameters are checked by their annotations before anything is read or computed. The command of the study, its
options and their help are made from the same declaration (``gradeval.cli.derive``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial, update_wrapper
from itertools import product
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from gradeval._core import InputError
from gradeval.arguments import Declared, Each, Names, read_helps, read_parameters, require_arguments, require_known
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.accepted import By, GivenTexts, as_qrels, as_runs, refuse_swapped
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import place_of_measure
from gradeval.messages import Given, kind_of, naming, plain
from gradeval.progress import part_of, progress_of
from gradeval.scores.evaluation import MEANT, evaluate, judge
from gradeval.scores.mistakes import ScoreOrigin
from gradeval.scores.notes import about_reading, about_scores, about_slices, about_trainings, about_unused, warn_of
from gradeval.scores.presets import configure, configure_measures, configure_one, find_preset
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import score
from gradeval.scores.selection import (
    RunChoice,
    TooFewTopics,
    TopicChoice,
    about_tests,
    choose,
    chosen_by,
    count_relevant,
    run_selection,
    split_selections,
    topic_selection,
)
from gradeval.scores.slices import slice_topics
from gradeval.studies.other_grades import RunsToJudge, cut_others, read_others, require_labels_of_all, score_others
from gradeval.studies.requirements import require_topics
from gradeval.studies.result import Result as Result
from gradeval.studies.result import SlicedResult, StudiedSlice, put_slices_side_by_side
from gradeval.studies.study_parameters import ByOthers, ExtraMeasure
from gradeval.studies.unequal_judging import about_scores_alone, with_as_often
from gradeval.warning_categories import CoverageWarning, GradesWarning, Note, NoteWeight

Measures: TypeAlias = str | Measure | Iterable[str | Measure]
"""One or several measures: "AP nDCG@10", [AP, nDCG @ 10]."""

MEANS_OF_FILE = "a file of means alone is taken as correlate(read_scores(FILE, means=True))"
STUDIED = "AP nDCG GAP xGAP eGAP RBP(rel=1) Bpref"
"""The measures that a study compares by default, as in Ferrante, Ferro & Maistro (2014), whose RBP is binary."""


@dataclass(frozen=True)
class Judged:
    """Judged runs, and the scores of those measures, topics and runs of them that are studied."""

    runs: JudgedRuns
    scores: Scores

    def by(self, measures: Sequence[Measure]) -> Scores:
        """The scores of the same topics and runs by other measures."""
        scores = score(self.runs, measures, missing=self.scores.missing, empty=self.scores.empty)
        return scores.sel(runs=self.scores.runs, topics=self.scores.topics)


@dataclass(frozen=True)
class StudyInput:
    """What a study is given, and how its topics were chosen."""

    selection: str
    data: tuple[Any, ...]


@dataclass(frozen=True)
class Choices:
    """What the user chose of the data, and how these are judged and scored: see ``CHOICES``.

    Attributes
    ----------
    by : what says of which slice each topic is; None: there are no slices.
    queries : texts of topics, whose words are counted by length.
    policies : missing and empty where they were asked for, which go before the policies of scores.
    judging : how judgments and runs meet: ties, negative, threads and depth.
    """

    topics: TopicChoice
    runs: RunChoice
    by: By
    queries: GivenTexts | None
    preset: str | None
    missing: Missing
    empty: Empty
    policies: Mapping[str, Any]
    judging: Mapping[str, Any]


class Brought(NamedTuple):
    """What a study is given: by each selection of topics, by others' grades and measures; and its notes.

    ``topics``: all topics of the collection. ``judged``: the judged runs, where there are more than scores.
    """

    parts: list[StudyInput]
    others: dict[str, Any]
    notes: list[Note]
    topics: Sequence[str] = ()
    judged: JudgedRuns | None = None


CHOICES = ("topics", "runs", "by", "queries", "preset", "missing", "empty")
"""What every study takes that compares runs by measures, as ``evaluate`` declares it."""
HELP = """
threads : 0 takes all cores; the answer is the same.
progress : True shows a bar; a function is called with what is done, and with the total.
seed : the seed of everything random. One seed is one set of resamples of the topics in every study.
"""
MEAN = "mean"
"""How tables of several collections call their mean."""
ORDER = "topics runs by queries preset alpha samples seed threads progress".split()
"""The parameters that come first, in this order, in every study that has them."""

R = TypeVar("R")


@dataclass(eq=False, repr=False)
class Study(Generic[R]):
    """A study: call it with scores, with judged runs, or with judgments and runs.

    Attributes
    ----------
    function : what computes it.
    measures : of judged runs, unless others are asked for.
    examples : commands, a line each, for the help.
    digits : decimals of its table.
    join : puts results side by side, of several selections of topics (results that have a ``selection`` are told
        theirs) and of several values of a parameter that is ``Each``.
    by_slices : puts results of slices with the one of all topics.
    fewest : topics of a slice, below which it has no result.
    chooses_measures : are the measures for the user to choose?
    takes_means : does it take means of runs whose single topics are not known?
    tells_apart : does it test which runs are better, so that a choice of runs by the same scores flatters it?
    names_better : does it say which runs are better, so that documents which nobody judged may decide?
    of_two : the command, and its options, that shows every topic of two runs.
    consequence : what happens to missing and empty topics, where that does not follow from the scores.
    """

    function: Callable[..., R]
    measures: str = STUDIED
    examples: str = ""
    digits: int = 4
    join: Callable[[list[Any]], Any] | None = None
    by_slices: Callable[[SlicedResult], SlicedResult] = put_slices_side_by_side
    fewest: int = 1
    chooses_measures: bool = True
    takes_means: bool = False
    tells_apart: bool = False
    names_better: bool = False
    of_two: str = ""
    consequence: str | None = None

    def __post_init__(self) -> None:
        update_wrapper(self, self.function)
        self.examples = inspect.cleandoc(self.examples)

    def __reduce__(self) -> str:
        return self.name  # pickled by name: a function pickled by value has lost the names of its annotations

    @property
    def name(self) -> str:
        """The name of the study and of its command."""
        return self.function.__name__

    @cached_property
    def _given(self) -> Any:
        first = next(iter(inspect.signature(self.function).parameters.values()))
        return get_type_hints(self.function)[first.name]

    @cached_property
    def _own(self) -> set[str]:
        return set(inspect.signature(self.function).parameters)

    @cached_property
    def several(self) -> bool:
        """Is the study given what it needs of several collections, by their names?"""
        return get_origin(self._given) is Mapping

    @cached_property
    def needs(self) -> Any:
        """What the study is given: ``Scores``, ``Judged``, or None where it takes data of its own kind."""
        hint = get_args(self._given)[-1] if self.several else self._given
        return hint if hint in (Scores, Judged) else None

    @property
    def takes_slices(self) -> bool:
        """Can it be done by slices of the topics? Several collections have topics of their own."""
        return bool(self.needs) and not self.several

    @cached_property
    def data(self) -> dict[str, Declared]:
        """The data of its own kind that the study is given, by position."""
        return read_parameters(self.function, {}, lambda one: one.kind is one.POSITIONAL_ONLY and not self.needs)

    @cached_property
    def parameters(self) -> dict[str, Declared]:
        """The parameters that say how the study is done, by their names."""
        helps = read_helps(HELP) | read_helps(inspect.getdoc(self.function) or "")
        own = read_parameters(self.function, helps, lambda one: one.kind is one.KEYWORD_ONLY and one.name != "measures")
        if "progress" in own:  # the function is always given one, by default none that anybody sees
            own["progress"] = replace(own["progress"], default=False)
        choices = dict(_declare_choices()) if self.needs else {}
        if not self.takes_slices:
            choices = {name: one for name, one in choices.items() if name not in ("by", "queries")}
        both = choices | own
        return {name: both[name] for name in sorted(both, key=lambda name: [*ORDER, name].index(name))}

    @property
    def _meant(self) -> dict[str, str]:
        """What to do with parameters of functions whose results the study takes."""
        if not self.needs:
            return MEANT
        of_judge = [name for name, one in inspect.signature(judge).parameters.items() if one.kind is one.KEYWORD_ONLY]
        way = f"{self.name}(judge(qrels, runs, {{}}=...))"
        top = f"write {self.name}(judge(qrels, runs).top(DEPTH))"
        return MEANT | {"depth": top} | {name: f"write {way.format(name)}" for name in of_judge}

    @cached_property
    def of_table(self) -> dict[str, Declared]:
        """The parameters of the table of its result, except the decimals."""
        function = get_type_hints(self.function)["return"].table
        helps = read_helps(inspect.getdoc(function) or "")
        return read_parameters(function, helps, lambda one: one.name not in ("self", "digits", "args", "options"))

    @cached_property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter
        signature = inspect.signature(self.function)
        first = [one for one in signature.parameters.values() if one.kind is not kind.KEYWORD_ONLY]
        if self.needs:
            taken = "Scores | JudgedRuns | (Judgments, RankedRuns)" + ", or a mapping" * self.several
            first = [kind("data", kind.VAR_POSITIONAL, annotation=taken)]
        if self.chooses_measures and "measures" not in {one.name for one in first}:
            first.append(kind("measures", kind.KEYWORD_ONLY, default=None, annotation="Measures | None"))
        rest = [kind(one.name, kind.KEYWORD_ONLY, default=one.default) for one in self.parameters.values()]
        return signature.replace(parameters=[*first, *rest])

    def __call__(self, *data: Any, measures: Measures | None = None, **options: Any) -> R:
        """Do the study, and warn of what is probably a mistake; an InputError for data or values it does not take."""
        result = self.silently(*data, measures=measures, **options)
        warn_of(result.notes if isinstance(result, Result) else [], stacklevel=2)
        return result

    def silently(
        self, *data: Any, measures: Measures | None = None, judging: Mapping[str, Any] | None = None, **options: Any
    ) -> R:
        """The same without warnings, for those who show the notes of the result themselves.

        ``judging``: how judgments and runs meet: ties, negative, threads and depth.
        """
        settings = self.check(options)
        asked = [name for name, value in options.items() if value is not None]
        named = self.several and bool(data) and _are_collections(data[0])
        ready = named or (bool(data) and isinstance(data[0], Scores | JudgedRuns))
        if self.needs and len(data) == (2 if ready else 3) and measures is None:
            data, measures = data[:-1], data[-1]
        if measures is not None and not self.chooses_measures:
            raise InputError(f"{self.name} takes no measures, as it has measures of its own; leave them out")
        if not self.needs:
            settings |= {} if measures is None else {"measures": measures}
            require_arguments(self.function, data, settings, {})
            return self._run([StudyInput("", data)], settings, [], asked)
        given = {name: settings.pop(name, None) for name in CHOICES}
        policies: dict[str, Any] = {name: given[name] for name in ("missing", "empty") if name in asked}
        choices = Choices(**given, policies=policies, judging=judging or {})
        others = {
            name: value
            for name, value in settings.items()
            if isinstance(self.parameters[name].kind, ByOthers | ExtraMeasure) and value is not None
        }
        if self.several:
            brought = self._bring_each(data[0] if named else {"": data}, measures, others, choices)
        else:
            brought = self._bring(data, measures, others, choices)
            if choices.by is not None:
                return self._run_slices(brought, settings | brought.others, choices, asked)
        notes = [*brought.notes, *about_unused(choices.queries)]
        return self._run(brought.parts, settings | brought.others, notes, asked)

    def check(self, options: dict[str, Any]) -> dict[str, Any]:
        """All settings in their plain form: those that are given, and the defaults of the others."""
        if options.get("by") is not None and "by" not in self.parameters:
            why = "several collections have topics of their own" if self.several else "it is not done topic by topic"
            raise InputError(f"{self.name} takes no slices (by), as {why}; leave it out")
        require_known(self.name, options, ["measures"] * self.chooses_measures + list(self.parameters), self._meant)
        for name, one in self.parameters.items():
            if one.required and options.get(name) is None:
                raise InputError(f"{self.name}: {name}= is missing: {one.help[:1].lower()}{one.help[1:]}")
        preset = find_preset(options.get("preset"))
        conventions = {} if preset is None else preset.options
        return {
            name: one.check(options[name]) if name in options else conventions.get(name, one.default)
            for name, one in self.parameters.items()
        }

    def _run(self, parts: Sequence[StudyInput], settings: dict[str, Any], notes: list[Note], asked: Sequence[str]) -> R:
        """Do the study with each part of the data, and with each of several values; put the results side by side."""
        each = {name: settings.pop(name) for name, one in self.parameters.items() if isinstance(one.kind, Each)}
        values = [one if isinstance(one, tuple) else (one,) for one in each.values()]
        ways = [(part, dict(zip(each, way, strict=True))) for part in parts for way in product(*values)]
        results: list[Any] = []
        with progress_of(settings.pop("progress", None), self.name) as report:
            for part, way in ways:
                share = report if report is None or len(ways) == 1 else part_of(report, len(results), len(ways))
                extra = {"progress": share} if "progress" in self._own else {}
                result: Any = self.function(*part.data, **settings, **way, **extra)
                results.append(replace(result, selection=part.selection) if hasattr(result, "selection") else result)
        whole: Any = results[0] if len(results) == 1 or self.join is None else self.join(results)
        if isinstance(whole, Result):
            of_use = {name for name, one in self.parameters.items() if isinstance(one.kind, Names)} | {*CHOICES}
            idle = [name for name in asked if name not in of_use and all(getattr(r, name, "") is None for r in results)]
            unused = [
                Note(
                    f"{name} does nothing here and is ignored, as nothing depends on it", own_weight=NoteWeight.MEANING
                )
                for name in idle
            ]
            whole = replace(whole, notes=[*notes, *unused, *whole.notes])
        done: R = whole
        return done

    def _run_slices(self, brought: Brought, settings: dict[str, Any], choices: Choices, asked: Sequence[str]) -> R:
        """Do the study with all topics, then with each slice, and put the results side by side.

        What goes wrong with a slice alone is what it lacks: the slice then has no result, and the reason instead.
        """
        if len(brought.parts) > 1 or len(self._split_topics(choices.topics)) > 1:
            raise InputError(plain("topics", choices.topics), ": slices are of one selection of topics; name one")
        whole = brought.parts[0]
        scores = _scores_of(whole.data[0])
        others = {name: one for name, one in brought.others.items() if isinstance(one, Scores)}
        require_labels_of_all(choices.by, others)
        known = dict.fromkeys(topic for one in (scores, *others.values()) for topic in one.topics)
        relevant = None if brought.judged is None else count_relevant(brought.judged)
        slices = slice_topics(
            choices.by, [*known], relevant, choices.queries, known=[*dict.fromkeys([*brought.topics, *known])]
        )
        cut = slices.cut(scores.topics)
        with progress_of(settings.pop("progress", None), self.name) as report:

            def run(part: StudyInput, place: int, notes: list[Note], changed: Mapping[str, Any]) -> Any:
                share = None if report is None else part_of(report, place, len(cut) + 1)
                return self._run([part], {**settings, **changed, "progress": share}, notes, asked)

            of_all = run(whole, 0, [], {})
            studied: list[StudiedSlice] = []
            for place, one in enumerate(cut, 1):
                data = _select(whole.data[0], one.topics)
                result, why = None, ""
                if len(one.topics) < self.fewest:
                    why = f"fewer than {self.fewest} {scores.unit}"
                else:
                    of_slice = cut_others(others, slices, one)
                    try:
                        result = run(replace(whole, data=(data,)), place, [], of_slice)
                    except InputError as error:
                        why = str(error)
                studied.append(StudiedSlice(one, data, result, why))
        sliced = SlicedResult(of_all, studied, slices.columns, scores.topics, scores, unit=scores.unit)
        whole_result: Any = self.by_slices(sliced)
        done: R = replace(whole_result, notes=[*brought.notes, *about_slices(slices), *whole_result.notes])
        return done

    def _bring_each(
        self, collections: Mapping[str, Any], measures: Measures | None, others: dict[str, Any], choices: Choices
    ) -> Brought:
        """``_bring`` for several collections, by their names."""
        if not collections:
            raise InputError(f"{self.name}: no collection; give at least one")
        refuse_mean(collections)
        by_name = {}
        for name, data in collections.items():
            given = tuple(data) if isinstance(data, list | tuple) else (data,)
            try:
                by_name[name] = self._bring(given, measures, others, choices)
            except InputError as error:
                raise (error.within(name) if name else error) from None
        whole = {name: brought.parts[0].data[0] for name, brought in by_name.items()}
        notes = [note.within(name) for name, brought in by_name.items() for note in brought.notes]
        last = by_name[name]
        return Brought([StudyInput(last.parts[0].selection, (whole,))], last.others, notes)

    def _bring(
        self, data: tuple[Any, ...], measures: Measures | None, others: dict[str, Any], choices: Choices
    ) -> Brought:
        """What the study needs, from what the user has."""
        selections = self._split_topics(choices.topics)
        match data:
            case [Scores() as scores]:
                return self._from_scores(scores, selections, measures, others, choices)
            case [JudgedRuns() as judged]:
                return self._from_judgments(judged, None, selections, measures, others, choices)
            case [judgments, runs]:
                refuse_swapped(judgments, runs)
                qrels, ranked = as_qrels(judgments), as_runs(runs)
                return self._from_judgments(qrels, ranked, selections, measures, others, choices)
        got = ", ".join(map(kind_of, data)) or "nothing"
        raise InputError(
            f"{self.name} takes scores, judged runs, or judgments and runs, as in {self.name}(qrels, runs, "
            f"{self.measures.split()[0]!r}); not {got}",
            *([f"; {MEANS_OF_FILE}"] if self.takes_means else []),
        )

    def _split_topics(self, topics: TopicChoice) -> list[TopicChoice]:
        """The selections of topics that stand side by side."""
        selections: list[TopicChoice] = [*split_selections(topics)] if isinstance(topics, str) else [topics]
        if len(selections) > 1 and (self.join is None or self.several):
            raise InputError(plain("topics", topics), f": {self.name} takes one selection of topics; name one")
        return selections

    def _from_scores(
        self,
        scores: Scores,
        selections: Sequence[TopicChoice],
        measures: Measures | None,
        others: dict[str, Any],
        choices: Choices,
    ) -> Brought:
        """The scores of the measures, topics and runs that are studied."""
        if self.needs is not Scores:
            raise InputError(f"{self.name} looks at judgments; give judged runs, as judge(qrels, runs) gives")
        chosen = scores.measures if measures is None else scores.sel(measures=measures).measures
        by_others, extra = self._split_others(others)
        for name, value in by_others.items():
            if not isinstance(value, Scores):
                raise InputError(Given(name, None, kind_of(value)), ": with scores, it must be Scores, too")
        for name, one in extra.items():
            with naming(name, one):
                extra[name] = scores.measures[place_of_measure(one, scores.measures)]
        unused = f"preset {choices.preset} does nothing here, as these scores are computed already"
        about = [*([] if choices.preset is None else [Note(unused)]), *about_trainings(scores, self.name)]
        about += about_scores_alone(scores, self.name) if self.names_better else []
        if scores.slices is not None and choices.by is None and self.takes_slices:
            said = (
                f"all topics are studied together, as {self.name} takes slices from by= alone; give it the labels, too"
            )
            about.append(Note(said, own_weight=NoteWeight.MEANING))
        studied = list(dict.fromkeys([*chosen, *extra.values()]))
        scores = replace(scores, slices=None, **choices.policies)
        parts, notes = self._choose_each(scores, studied, selections, choices.runs)
        return Brought(parts, by_others | extra, list(dict.fromkeys([*about, *notes])), scores.topics)

    def _from_judgments(
        self,
        grades: JudgedRuns | Qrels,
        ranked: list[Run] | None,
        selections: Sequence[TopicChoice],
        measures: Measures | None,
        others: dict[str, Any],
        choices: Choices,
    ) -> Brought:
        """Judged runs, and their scores by the measures; ``ranked``: the runs, where they are not judged yet."""
        by_others, extra = self._split_others(others)
        by_others, below = read_others(by_others, grades)
        convention = find_preset(choices.preset)
        how = {**(convention.of_judge if convention else {}), **choices.judging}
        known = frozenset(topic for one in (grades, *by_others.values()) for topic in one.topics)
        to_judge = RunsToJudge(ranked, how, known)
        judged, coverage, source = to_judge.judge("", grades)
        if self.needs is Judged:
            judged.require_order()

        policies: dict[str, Any] = {"missing": choices.missing, "empty": choices.empty}
        settings = policies | {"ties": judged.ties, "negative": judged.grading.negative}
        wanted = self.measures if measures is None else measures
        parsed, about = configure_measures(choices.preset, wanted, settings)
        read = [one for one in (grades, *by_others.values()) if isinstance(one, Qrels)]
        about = [*about, *below, *(note for one in read for note in about_reading(one))]
        for name, one in extra.items():
            with naming(name, one):
                extra[name] = configure_one(choices.preset, one)[0]
        parsed = list(dict.fromkeys([*parsed, *extra.values()]))
        runs = None if choices.runs is None else run_selection(choices.runs, partial(configure, convention))
        scored = list(dict.fromkeys([*parsed, *chosen_by(runs)]))
        scores = score(judged, scored, coverage=coverage, **policies)
        scores = with_as_often(scores, judged) if self.names_better else scores

        scored_by_others, said = score_others(by_others, to_judge, parsed, scores, self.consequence)
        about += said
        parts, notes = self._choose_each(scores, parsed, selections, runs, judged, source)
        if any(note.category is GradesWarning for note in notes):  # what it says to do is for the grades of others, too
            about = [note for note in about if note.category is not GradesWarning]
        return Brought(parts, scored_by_others | extra, list(dict.fromkeys([*about, *notes])), judged.topics, judged)

    def _split_others(self, others: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is given besides the data: grades by others, and measures."""
        measures = {name: one for name, one in others.items() if isinstance(self.parameters[name].kind, ExtraMeasure)}
        return {name: one for name, one in others.items() if name not in measures}, measures

    def _choose_each(
        self,
        scores: Scores,
        measures: Sequence[Measure],
        selections: Sequence[TopicChoice],
        runs: RunChoice,
        judged: JudgedRuns | None = None,
        source: ScoreOrigin = None,
    ) -> tuple[list[StudyInput], list[Note]]:
        """What is studied of each selection of topics; selections of too few are left out where others are there."""
        parts: list[StudyInput] = []
        notes: list[Note] = []
        too_few: list[tuple[TopicChoice, TooFewTopics]] = []
        for selection in selections:
            try:
                studied, about = choose(scores, measures, selection, runs, judged)
                if len(selections) > 1:
                    with naming("topics", selection):
                        require_topics(len(studied.topics), studied.unit)
            except TooFewTopics as error:
                too_few.append((selection, error))
                continue
            if judged is not None:
                whence, pools = _of_runs(source, studied.runs), judged.grading.pools
                told = about_scores(studied, whence, self.consequence, pools=pools)
                about, studied = [*told, *about], replace(studied, notes=[*studied.notes, *told])
            notes += about
            notes += about_tests(runs, len(studied.runs), len(scores.runs)) if self.tells_apart else []
            both = Judged(judged, studied) if judged is not None and self.needs is Judged else studied
            parts.append(StudyInput(str(topic_selection(selection)), (both,)))
        if not parts:
            raise too_few[0][1]
        left = [f"{scores.unit} {selection}: {error.sentence}; it is left out" for selection, error in too_few]
        return parts, [*notes, *(Note(text, CoverageWarning) for text in left)]


def _scores_of(data: Scores | Judged) -> Scores:
    """The scores that are studied."""
    return data.scores if isinstance(data, Judged) else data


def _select(data: Scores | Judged, topics: Sequence[str]) -> Scores | Judged:
    """What is studied, of some of the topics."""
    if isinstance(data, Judged):
        return replace(data, scores=data.scores.sel(topics=topics))
    return data.sel(topics=topics)


@cache
def _declare_choices() -> dict[str, Declared]:
    """The parameters ``CHOICES`` of ``evaluate``."""
    return read_parameters(evaluate, read_helps(inspect.getdoc(evaluate) or ""), lambda one: one.name in CHOICES)


def _of_runs(source: ScoreOrigin, runs: Sequence[str]) -> ScoreOrigin:
    """Whence scores of some of the runs come."""
    chosen = set(runs)
    return None if source is None else (source[0], [run for run in source[1] if run.name in chosen])


def refuse_mean(collections: Iterable[str]) -> None:
    """Refuse a collection that is called as tables call the mean over several; before anything is read."""
    if MEAN in collections:
        raise InputError(Given("collections", MEAN), " is the name of the column of means; give it another name")


def _are_collections(data: Any) -> bool:
    """Is it collections by name, rather than the judgments of one?"""
    return isinstance(data, Mapping) and all(isinstance(one, Scores | JudgedRuns | tuple) for one in data.values())


def study(**declared: Any) -> Callable[[Callable[..., R]], Study[R]]:
    """Declare a study: see the top of this file, and ``Study`` for what may be declared."""
    return lambda function: Study(function, **declared)
