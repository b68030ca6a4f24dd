"""Which documents at the top of the runs has nobody judged?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

from gradeval.arguments import Anything, InFile, Whole
from gradeval.collection.meeting import Ties, meet, ranked
from gradeval.files.accepted import Excludes, GivenTexts, Judgments, RankedRuns, as_qrels, as_runs, refuse_swapped
from gradeval.files.exclusions import exclude_from
from gradeval.files.texts import Text
from gradeval.measures.incomplete import Judged
from gradeval.messages import plural
from gradeval.progress import Progress
from gradeval.scores.evaluation import choose_input
from gradeval.scores.notes import about_scores
from gradeval.scores.scoring import score
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies.shown_texts import read_shown
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import Data
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.tables.text import shorten
from gradeval.warning_categories import Note

FIELDS = "topic document rank runs".split()
IN_TABLES = 80
"""Letters of a query in a table."""
SHOWN = 30
"""Documents that the table shows; the records hold all."""


ADDS_NOTHING = "they add no document"
"""What a topic does for which a run returned nothing."""


class UnjudgedDocument(NamedTuple):
    """A document of a topic without a judgment, the best rank that a run gives it, and the runs that return it."""

    topic: str
    document: str
    rank: int
    runs: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class UnjudgedDocuments(Result):
    """The documents among the first of the runs that have no judgment.

    Attributes
    ----------
    documents : each once a topic, the highest ranks first; of equal ranks what more runs return.
    queries : texts of their topics, where they were given.
    depth, runs, topics : how many first documents of each ranking were looked at; which runs, on how many topics.
    """

    documents: list[UnjudgedDocument]
    depth: int
    runs: list[str]
    topics: int
    queries: Mapping[str, Text] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """How many documents there are, in a sentence."""
        topics = len({one.topic for one in self.documents})
        if not self.documents:
            return f"The first {self.depth} documents of {plural(len(self.runs), 'run')} are all judged"
        number = plural(len(self.documents), "document")
        more = f"; tables show {SHOWN}, csv has all" if len(self.documents) > SHOWN else ""
        has = "has" if len(self.documents) == 1 else "have"
        where = f"in {topics} of {plural(self.topics, 'topic')}"
        return f"{number} among the first {self.depth} {has} no judgment, {where}{more}"

    def table(self, digits: int = 4) -> Table:  # noqa: ARG002 - whole numbers only
        """The first of the documents; the records hold all, with the names of the runs."""
        asked = bool(self.queries)
        columns = [Column("topic", "name"), *[Column("query", "name")] * asked, Column("document", "name")]
        columns += [Column("best rank", spec="d"), Column("runs", spec="d")]
        rows: list[Any] = [
            [one.topic, *[shorten(self._query(one), IN_TABLES)] * asked, one.document, one.rank, len(one.runs)]
            for one in self.documents[:SHOWN]
        ]
        fields = [FIELDS[0], *["query"] * asked, *FIELDS[1:]]
        return Table([Grid(columns, rows, title="unjudged documents")], Records.of(fields, self._records()))

    def _records(self) -> Iterator[list[Value]]:
        for one in self.documents:
            query = [self._query(one) or None] * bool(self.queries)
            yield [one.topic, *query, one.document, one.rank, " ".join(one.runs)]

    def _query(self, one: UnjudgedDocument) -> str:
        return self.queries[one.topic].text if one.topic in self.queries else ""


@study(
    examples="""
      gradeval unjudged qrels.txt runs/* --depth 5
      gradeval unjudged qrels.txt before.txt after.txt -o to-judge.csv
      gradeval unjudged qrels.txt runs/* --topics 401,402 --format jsonl""",
    chooses_measures=False,
)
def unjudged(
    qrels: Annotated[Judgments, Data("QRELS", "judgments")],
    ranked_runs: Annotated[RankedRuns, Data("RUNS", "runs")],
    /,
    *,
    progress: Progress,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    depth: Annotated[int, Whole(1)] = 10,
    ties: Ties = "docid",
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    queries: Annotated[GivenTexts | None, InFile()] = None,
) -> UnjudgedDocuments:
    """List the documents at the top of runs that nobody judged: what to judge next.

    The highest ranks come first, as measures weigh them most; of equal ranks what more runs return. tsv, csv and jsonl
    hold all documents, with the names of the runs. Topics without any judgment are left out, with a note.

    Parameters
    ----------
    depth : how many first documents of each ranking to look at.
    ties, exclude : see ``judge``.
    queries : texts of topics, shown next to their ids. A file (tsv, JSONL, csv, Parquet), a folder, irds:DATASET,
        or {topic: text}.

    >>> unjudged({"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}).documents
    [UnjudgedDocument(topic='1', document='b', rank=2, runs=('run',))]
    """
    refuse_swapped(qrels, ranked_runs)
    whole = exclude_from(as_qrels(qrels), exclude)
    collection, opened, notes = choose_input(whole, as_runs(ranked_runs), topics, runs, None, ties=ties)
    known = {run.name: set(run.topics) for run in opened}
    documents: list[UnjudgedDocument] = []
    for done, topic in enumerate(collection.topics, 1):
        grades, gone = collection.of(topic), collection.exclusion.of(topic)
        best: dict[str, int] = {}
        returned: dict[str, list[str]] = {}
        for run in opened:
            if topic not in known[run.name]:
                continue
            for rank, document in enumerate(ranked(run, topic, ties, depth, gone), 1):
                if document not in grades:
                    best[document] = min(rank, best.get(document, rank))
                    returned.setdefault(document, []).append(run.name)
        documents += [UnjudgedDocument(topic, one, best[one], tuple(names)) for one, names in returned.items()]
        if callable(progress):
            progress(done, len(collection.topics))
    documents.sort(key=lambda one: (one.rank, -len(one.runs)))  # stable: topics keep their order
    asked = read_shown(queries, "topic", list(dict.fromkeys(one.topic for one in documents)))
    listed = UnjudgedDocuments(documents, depth, [run.name for run in opened], len(collection.topics), asked.texts)
    said = about_scores(score(meet(collection, opened, ties=ties), [Judged @ depth]), (whole, opened), ADDS_NOTHING)
    notes += [note for note in said if note.category is not None]  # mistakes of files; the rest stands in the table
    return replace(listed, notes=[*notes, *asked.notes, Note.answer(listed.description)])
