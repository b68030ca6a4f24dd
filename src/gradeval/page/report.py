"""``gradeval.report``: everything that there is to say of an evaluation, as one page."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import Anything, InFile, Seed, Whole, check_arguments
from gradeval.atomic_files import whole_file
from gradeval.charts.rendering import require_packages
from gradeval.collection.meeting import JudgedRuns, Ties, meet
from gradeval.collection.qrels import Identity, Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.features.features import Features
from gradeval.files.accepted import By, Excludes, GivenTexts, Judgments, RankedRuns, as_qrels, as_runs, refuse_swapped
from gradeval.files.exclusions import exclude_from
from gradeval.files.feature_columns import FeatureColumns
from gradeval.files.input_formats import file_of
from gradeval.files.readers import read_features
from gradeval.files.source import open_file, without_folders
from gradeval.files.texts import Text, require_place
from gradeval.formula.definition import Measure
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.messages import plain
from gradeval.page.byline import make_byline
from gradeval.page.page_notes import choose_warnings
from gradeval.page.page_texts import PageTexts
from gradeval.page.report_text import as_json, as_markdown
from gradeval.page.section import Material, Origin, Section
from gradeval.page.sections.answer import answer
from gradeval.page.sections.changes_section import changes
from gradeval.page.sections.collection_section import collection
from gradeval.page.sections.judges_section import judges as judges_section
from gradeval.page.sections.leaderboard import leaderboard
from gradeval.page.sections.measures_section import measures
from gradeval.page.sections.model import model
from gradeval.page.sections.rankings import rankings
from gradeval.page.sections.redo import redo
from gradeval.page.sections.slices_section import SHOWN, slices
from gradeval.page.sections.topics_section import topics
from gradeval.page.sections.users import users
from gradeval.page.writing import as_html
from gradeval.progress import with_progress_bar
from gradeval.scores.earlier import read_earlier
from gradeval.scores.evaluation import choose_input, require_common_topic
from gradeval.scores.notes import about_scores, about_slices, about_trainings, warn_of
from gradeval.scores.presets import PresetName, configure_measures, with_preset
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import compute_coverage, score
from gradeval.scores.selection import RunChoice, TopicChoice, about_tests, choose, count_relevant, pool_of
from gradeval.scores.slices import Slices, slice_topics_if_asked
from gradeval.studies.changes import Changes, find_changes
from gradeval.studies.judges.accepted_judges import about_refused
from gradeval.studies.judges.judges import judges as compare_judges
from gradeval.studies.report_results import MEASURES, Overview, Watch, choose_studies, compute_report
from gradeval.studies.run_groups import Groups, places_of_groups
from gradeval.studies.shown_texts import read_shown
from gradeval.studies.sliced_lead import SlicedLead, find_sliced_lead
from gradeval.studies.study import Measures
from gradeval.studies.unequal_judging import about_scores_alone, with_as_often
from gradeval.tables.arrow import to_arrow
from gradeval.warning_categories import Note

if TYPE_CHECKING:
    import pyarrow

    from gradeval.ltr.importance import Importance


WRITERS: dict[str, Callable[[str, Sequence[Section], Mapping[str, str]], str]] = {
    ".html": as_html,
    ".json": as_json,
    ".md": as_markdown,
}
"""How a report is written, by the ending of the file."""


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """An evaluation as sections, each with a question, its answer in a sentence, pictures and tables.

    Attributes
    ----------
    title : as given, else what was evaluated.
    sections : in the order of the page.
    notes : what a reader should know of the evaluation: what was chosen, ignored or is probably a mistake.
    byline : author, date, and, under a title that was given, what was evaluated: each by its name, where given.
    """

    title: str
    sections: Sequence[Section]
    notes: list[Note] = field(default_factory=list)
    byline: Mapping[str, str] = field(default_factory=dict)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report to a file, whole or not at all: a page (.html), .json or .md."""
        text = self.write(os.fspath(path))
        with whole_file(path) as file:
            file.write(text)

    def write(self, place: str) -> bytes:
        """The bytes of the report in the format of the file's ending."""
        return WRITERS[ending_of(place)](self.title, self.sections, self.byline).encode()

    def to_json(self) -> str:
        """The numbers of all sections."""
        return as_json(self.title, self.sections, self.byline)

    @property
    def tables(self) -> dict[str, pyarrow.Table]:
        """The exact values as Arrow tables: one a table of the page, called by its section and its title."""
        return {
            f"{section.name}: {titled.title}": to_arrow(titled.table.records)
            for section in self.sections
            for titled in section.tables
        }

    def __str__(self) -> str:
        return "\n".join(
            [self.title, *self.byline.values(), *(f"{section.heading} {section.answer}" for section in self.sections)]
        )

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {len(self.sections)} sections)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its styles and scripts stay there."""
        from gradeval.tables.markup import escape

        page = escape(as_html(self.title, self.sections, self.byline))
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="800" title="report"></iframe>'


@with_progress_bar
@with_preset
def report(
    qrels: Judgments | Scores,
    ranked: RankedRuns | None = None,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    by: Annotated[By, Anything("FILE|relevant|length")] = None,
    queries: Annotated[GivenTexts | None, InFile()] = None,
    preset: PresetName | None = None,
    baseline: Annotated[str | None, Anything("RUN")] = None,
    studies: Annotated[str | Sequence[str], Anything("LIST")] = "all",
    seed: Seed = 0,
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    depth: int | None = None,
    show_runs: Annotated[int, Whole(0)] = 20,
    show_depth: Annotated[int, Whole(1)] = 50,
    model: Annotated[Ranker | str | PathLike[str] | None, InFile("MODEL")] = None,
    features: Annotated[Features | str | PathLike[str] | None, InFile()] = None,
    judges: Mapping[str, Judgments] | None = None,
    groups: Annotated[Mapping[str, str] | str | PathLike[str] | None, Groups()] = None,
    compare_with: Annotated[Scores | str | PathLike[str] | None, InFile()] = None,
    documents: Annotated[GivenTexts | None, InFile()] = None,
    title: Annotated[str | None, Anything()] = None,
    author: Annotated[str | None, Anything()] = None,
    date: Annotated[str | datetime.date | None, Anything()] = None,
    origin: Origin | None = None,
    threads: int = 0,
    progress: Watch | bool | None = None,
) -> Report:
    """Evaluate runs and report: which is best, how sure that is, for which users, by which measure, on which topics.

    ``report(...).save("report.html")`` writes one page that opens anywhere without a network.

    Parameters
    ----------
    qrels, ranked : as of ``evaluate``; or scores instead of both, as ``evaluate`` or ``read_scores`` give them: parts
        that need rankings are then left out.
    measures : the first one orders the runs; default "nDCG@10 AP GAP eGAP nDCG Q RBP", or all of the scores.
    baseline : mark the runs that are significantly better or worse than this one. Without it, the first of two runs is
        the one to replace.
    studies : all, none, or some of correlate, discriminate, robustness, inform, leave-out.
    seed : seed of everything random; the same seed gives the same report.
    topics, runs, preset, missing, empty, ties, negative, exclude, depth, threads : as of ``evaluate``.
    progress : True shows a bar; a function is called with what is done, the total, and what is being done.
    show_runs : rankings of so many runs can be seen side by side, the best ones.
    show_depth : how far down these rankings are shown.
    model : a trained ranker, or its folder: the report tells which features it looks at.
    features : documents with grades, to see what each feature is worth. Best are documents that the ranker has not
        seen; shown is what the first measure loses without a feature.
    judges : {name: judgments} of language models or other assessors, which are compared with the humans' of ``qrels``.
    groups : the group of each run, such as its team. leave-out leaves groups out as a whole. Or a file of a run and its
        group in each line, as ``leave_out`` takes it.
    compare_with : an earlier report (.html) or scores, or their file: what changed since?
    queries : texts of topics, shown next to their ids. A file (tsv, JSONL, csv, Parquet), a folder, irds:DATASET,
        or {topic: text}.
    documents : titles and texts of documents, given as ``queries`` are. Documents in the rankings that the page shows
        get title and first lines.
    by : slices of topics, in which the best runs are shown. Labels in a csv, tsv or Parquet file, a frame, {topic:
        label}, a function of a topic; relevant or length: thirds by relevant documents, or by words of ``queries``.
    title : the title of the page. Default: the name of the judgments, and how much was evaluated.
    author : who made the evaluation, under the title.
    date : when it was made, under the title. Any words, or "today" for the present date; by default the page has no
        date.
    origin : the command that asks for the report, which its last section shows.

    Warns
    -----
    As ``evaluate``; ``notes`` hold everything a reader should know about the evaluation.

    Raises
    ------
    InputError : as ``evaluate``; an unknown study or baseline; features that the model does not have.
    """
    require_packages("report", "jinja2")
    show_runs, show_depth = check_arguments(report, show_runs=show_runs, show_depth=show_depth)
    watch: Any = progress  # with_progress_bar has made a function of True
    queries = [*queries] if isinstance(queries, Iterator) else queries  # which slices and tables read
    named_as: dict[str, Any] = {"title": title, "author": author, "date": date}
    make_byline("", **named_as)  # refused before much is computed
    how: dict[str, Any] = {"ties": ties, "negative": negative, "threads": threads}
    policies: dict[str, Any] = {"missing": missing, "empty": empty}
    grouped = _groups_for_leave_out(groups, studies, isinstance(qrels, Scores))
    if isinstance(qrels, Scores):
        if ranked is not None:
            raise InputError("report(scores) takes no runs; give judgments and runs, or scores")
        if judges:
            raise InputError("report(scores) takes no judges, as they judge rankings; give judgments and runs")
        evaluated = _choose_scores(qrels, measures, topics, runs)
    elif ranked is None:
        raise InputError("report(qrels, runs) takes judgments and runs, or scores alone")
    else:
        evaluated = _evaluate(qrels, ranked, measures, topics, runs, preset, exclude, depth, how, policies)
    scores = evaluated.scores
    places_of_groups(grouped, scores.runs)  # refused before much is computed
    importance = _importance_of(model, features, scores.measures[0], seed, watch)
    sliced = slice_topics_if_asked(by, scores.topics, evaluated.relevant, queries, known=evaluated.known)
    notes = [*evaluated.chosen, *about_slices(sliced), *evaluated.notes]
    if evaluated.judged is None:
        texts = _texts_of(queries, None, scores.topics, notes)
        if documents is not None:
            notes.append(Note("the texts of documents are not shown, as scores hold no rankings"))
    else:
        texts = _texts_of(queries, documents, scores.topics, notes)
        warn_of(notes, stacklevel=4)  # of the caller: presets and a progress bar stand between
    changes = _changes_since(compare_with, scores)
    overview = compute_report(
        scores,
        evaluated.judged,
        studies=studies,
        baseline=baseline,
        groups=grouped,
        seed=seed,
        threads=threads,
        watch=watch,
    )
    notes += overview.doubts
    warn_of(overview.doubts, stacklevel=4)
    options: dict[str, Any] = {"seed": seed, "draws": 0, "depth": depth, **how, **policies}
    compared = (
        compare_judges.silently(evaluated.qrels, judges, evaluated.runs, scores.measures, **options) if judges else None
    )
    notes += [] if compared is None else [about_refused(*one) for one in compared.refused.items()]
    material = Material(
        overview,
        evaluated.qrels,
        evaluated.runs,
        ties,
        origin,
        _digests(origin, evaluated.runs),
        depth if evaluated.judged is not None else None,
        show_runs,
        show_depth,
        importance,
        compared,
        changes,
        texts,
        _lead_by_slice(overview, sliced, threads),
        [*([] if origin is None else origin.notes), *notes],
    )
    return make_report(material, notes, **named_as)


def _groups_for_leave_out(
    groups: Mapping[str, str] | str | PathLike[str] | None, studies: str | Sequence[str], of_scores: bool
) -> Mapping[str, str] | None:
    """The groups of the runs, for the study that leaves groups out; an InputError where the page has no such study."""
    if groups is None:
        return None
    if of_scores:
        raise InputError("report(scores) takes no groups, as leave-out needs rankings; give judgments and runs")
    if "leave-out" not in (chosen := choose_studies(studies)):
        with_it = plain("studies", ",".join([*chosen, "leave-out"]))
        raise InputError(plain("studies", studies), ": lacks leave-out, the only study with groups; write ", with_it)
    return Groups().check("groups", groups)


class _Evaluated(NamedTuple):
    """The scores of a report, and the judgments and rankings behind them where there are any.

    Attributes
    ----------
    chosen, notes : what is to say of the choice of measures, topics and runs, and of the scores.
    known : the topics that slices may name.
    relevant : how many relevant documents each topic has.
    """

    scores: Scores
    chosen: list[Note]
    notes: list[Note]
    known: Sequence[str]
    relevant: Mapping[str, int] | None = None
    qrels: Qrels | None = None
    runs: Sequence[Run] = ()
    judged: JudgedRuns | None = None


def _choose_scores(given: Scores, measures: Measures | None, topics: TopicChoice, runs: RunChoice) -> _Evaluated:
    """The scores of a report that are given."""
    chosen = given.measures if measures is None else given.sel(measures=measures).measures
    scores, notes = choose(given, chosen, topics, runs, None)
    notes += about_tests(runs, len(scores.runs), len(given.runs))
    return _Evaluated(
        scores, notes, [*about_trainings(scores, "report"), *about_scores_alone(scores, "report")], given.topics
    )


def _evaluate(
    qrels: Judgments,
    ranked: RankedRuns,
    measures: Measures | None,
    topics: TopicChoice,
    runs: RunChoice,
    preset: PresetName | None,
    exclude: Excludes,
    depth: int | None,
    how: Mapping[str, Any],
    policies: Mapping[str, Any],
) -> _Evaluated:
    """The scores of a report from judgments and runs."""
    parsed, notes = configure_measures(preset, measures or MEASURES, {**how, **policies})
    refuse_swapped(qrels, ranked)
    whole, opened = exclude_from(as_qrels(qrels), exclude), as_runs(ranked)
    collection, named, more = choose_input(
        whole, opened, topics, runs, preset, measures=parsed, depth=depth, **how, **policies
    )
    more += about_tests(runs, len(named), len(opened))
    judged = meet(collection, named, **how)
    coverage = compute_coverage(judged, frozenset(whole.topics) if collection is not whole else frozenset())
    judged = judged if depth is None else judged.top(arguments.whole("depth", depth, 1, unit="ranks"))
    identity = Identity(whole, (how["ties"], how["negative"], f"depth {depth}"), whole.joins)
    scores = with_as_often(score(judged, parsed, **policies, coverage=coverage, collection=identity), judged)
    require_common_topic(whole, scores.present, judged.unjudged_topics, named)
    relevant = count_relevant(pool_of(whole, how["negative"]))
    about = about_scores(scores, (whole, named))
    scores = replace(scores, notes=[*scores.notes, *about])  # by which studies know runs of which they decide nothing
    return _Evaluated(scores, [*notes, *more], about, whole.topics, relevant, collection, named, judged)


def _texts_of(
    queries: GivenTexts | None, documents: GivenTexts | None, topics: Sequence[str], notes: list[Note]
) -> PageTexts:
    """The texts of topics, and what reads the texts of documents; what there is to say of them joins the notes."""
    asked, said = read_shown(queries, "topic", topics)
    notes += said
    if isinstance(documents, str | os.PathLike):
        require_place(documents)  # before much is computed

    def read_documents(shown: Sequence[str]) -> Mapping[str, Text]:
        told, more = read_shown(documents, "document", shown)
        notes.extend(more)
        return told

    return PageTexts(asked, None if documents is None else read_documents)


def _lead_by_slice(overview: Overview, slices: Slices | None, threads: int) -> SlicedLead | None:
    """The best runs by slices of the topics; None where there are no slices."""
    if slices is None:
        return None
    best = [overview.scores.runs[run] for run in overview.order[:SHOWN]]
    return find_sliced_lead(overview.scores, best, slices, seed=overview.seed, threads=threads)


def _changes_since(earlier: Scores | str | PathLike[str] | None, scores: Scores) -> Changes | None:
    """What changed since an earlier evaluation; None without one."""
    if earlier is None:
        return None
    before = earlier if isinstance(earlier, Scores) else read_earlier(earlier)
    return find_changes(scores, before)


def _importance_of(
    model: Ranker | str | PathLike[str] | None,
    features: Features | str | PathLike[str] | None,
    measure: Measure,
    seed: int,
    watch: Watch | None,
) -> Importance | None:
    """What a ranker looks at, with features also by a measure; None without a ranker."""
    if model is None:
        if features is not None:
            raise InputError("features= are what a ranker is explained on; give the ranker, too: model=")
        return None
    with require_engine("model="):
        from gradeval.ltr.importance import feature_importance
        from gradeval.ltr.rankers.ranker import load_ranker

        ranker = model if isinstance(model, Ranker) else load_ranker(model)
        if features is None:
            return feature_importance(ranker)
        card = ranker.require_trained()
        known = FeatureColumns(wanted=card.columns, categories=card.categories)
        rows = features if isinstance(features, Features) else read_features(features, given=known)
        show = None if watch is None else lambda done, total: watch(done, total, "permuting features")
        return feature_importance(ranker, rows, measure, seed=seed, progress=show)


def _digests(origin: Origin | None, runs: Sequence[Run]) -> dict[str, str]:
    """The SHA-256 of each regular file of a command."""
    digests = {}
    for place in [] if origin is None else [*origin.inputs, *(run.place for run in runs), *origin.explained]:
        path = next((path for path in (file_of(place), place.partition("=")[2]) if os.path.isfile(path)), None)
        if path is not None:
            with open_file(path) as file:
                digests[without_folders(place)] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def make_report(
    material: Material,
    notes: list[Note],
    title: str | None = None,
    author: str | None = None,
    date: str | datetime.date | None = None,
) -> Report:
    """The report of what was evaluated."""
    scores = material.overview.scores
    name = "" if material.qrels is None else os.path.basename(material.qrels.name)
    sizes = [(len(scores.runs), "run"), (len(scores.topics), "topic"), (len(scores.measures), "measure")]
    size = ", ".join(f"{number:,} {what}{'' if number == 1 else 's'}" for number, what in sizes)
    title, byline = make_byline(f"{name or 'Evaluation'}: {size}", title, author, date)
    made = [make(material) for make in SECTIONS]
    sections = [section for section in made if isinstance(section, Section)]
    sections[0] = replace(sections[0], warnings=choose_warnings(material.notes, material.places))
    reasons = [f"Not on this page: {reason}" for reason in made if isinstance(reason, str)]
    sections[-1] = replace(sections[-1], details=[*sections[-1].details, *reasons])
    return Report(title, sections, notes, byline)


def ending_of(place: str) -> str:
    """The ending of a file's name, which says how the report is written."""
    ending = os.path.splitext(place)[1].lower()
    if ending not in WRITERS:
        raise InputError(f"{place}: a report is written to {', '.join(WRITERS)}; name the file so")
    return ending


SECTIONS: tuple[Callable[[Material], Section | str | None], ...] = (
    answer,
    changes,
    leaderboard,
    users,
    measures,
    slices,
    topics,
    rankings,
    judges_section,
    model,
    collection,
    redo,
)
"""What makes each section, or says why there is none; None where it was not asked for."""
