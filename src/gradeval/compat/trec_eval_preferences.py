"""trec_eval's measures of preferences (-R prefs, qrels_prefs) and of several groups of judges (-R qrels_jg)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import read_decimal
from gradeval.atomic_files import Path
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.compat.trec_eval_measures import MULTIPLES, RANKS, TrecMeasure, columns_of, values_of
from gradeval.files.plain_text import decode, quote
from gradeval.files.source import as_source
from gradeval.formula.arithmetic import Array

Relation: TypeAlias = Literal["qrels", "prefs", "qrels_prefs", "qrels_jg"]
LINES: Mapping[Relation, str] = {
    "prefs": "topic group subgroup document level",
    "qrels_prefs": "topic group document level",
    "qrels_jg": "topic group document grade",
}


class Judgment(NamedTuple):
    """A line: the group is a judge, or one need of a judge; within a group, subgroups each order some documents."""

    group: str
    subgroup: str
    document: str
    level: float


Judgments: TypeAlias = dict[str, list[Judgment]]
"""By topic."""


def read_judgments(path: Path, relation: Relation) -> Judgments:
    """Judgments by groups from text; comment lines and blank lines are skipped."""
    source = as_source(path)
    read: Judgments = {}
    width = len(LINES[relation].split())
    for number, line in enumerate(decode(source.data, source.place).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        level = read_decimal(words[-1])
        if len(words) != width or np.isnan(level):
            raise InputError(f"{source.place}:{number}: {quote(line)} is not read; a line is: {LINES[relation]}")
        subgroup = words[2] if relation == "prefs" else ""
        read.setdefault(words[0], []).append(Judgment(words[1], subgroup, words[-2], level))
    if not read:
        raise InputError(f"{source.place}: the file holds no judgments; a line is: {LINES[relation]}")
    return read


# Preferences


@dataclass(frozen=True)
class Group:
    """The preferences of one group over the judged documents of its topic: the retrieved ones in rank order, then the
    others.

    Attributes
    ----------
    prefers : bool[i, j]: is document i preferred to document j?
    levels : float64[i]: as the group has it, NaN where it has none.
    retrieved : how many of the documents are retrieved.
    lowest : bool[i]: of the lowest level, in a group without subgroups; None where it has some.
    """

    prefers: Array
    levels: Array
    retrieved: int
    lowest: Array | None

    @property
    def relevant(self) -> Array:
        """bool[i]: documents that the group finds relevant."""
        return self.levels > 0

    @property
    def others(self) -> Array:
        """bool[i]: documents that it judged and does not."""
        return self.levels <= 0

    def among(self, scope: Scope) -> tuple[int, int]:
        """The preferences that the ranking fulfils, and all possible ones, within a scope."""
        return _count(self.prefers, self.retrieved, scope)

    def balanced(self, scope: Scope) -> tuple[int, int]:
        """The same with as many non-relevant as relevant documents: of more only the first, in rank order, count; for
        fewer, fulfilled preferences are added."""
        within = slice(self.retrieved) if scope == "retrieved" else slice(None)
        relevant, others = int(self.relevant[within].sum()), int(self.others[within].sum())
        if relevant >= others:
            fulfilled, possible = self.among(scope)
            missing = relevant - others
            found = int(self.relevant[: self.retrieved].sum())
            return fulfilled + found * missing, possible + int(self.relevant.sum()) * missing
        if self.lowest is None:
            kept = int(self.relevant.sum())
            drop = self.others & (np.cumsum(self.others) > kept)
            return _count(self.prefers & ~drop & ~drop[:, None], self.retrieved, scope)
        first = self.lowest & (np.cumsum(self.lowest) <= relevant)
        prefers = self.prefers & ~self.lowest & ~self.lowest[:, None]
        # trec_eval compares these with all judged documents, themselves included.
        prefers = prefers | (~np.isnan(self.levels)[:, None] & first)
        return _count(prefers, self.retrieved, scope)


Scope: TypeAlias = Literal["all", "retrieved", "implied"]
"""Pairs of documents that count: all, those of which both are retrieved, or one at least."""


def _count(prefers: Array, retrieved: int, scope: Scope) -> tuple[int, int]:
    """Preferences fulfilled, i retrieved above j, and possible ones."""
    if scope == "retrieved":
        prefers = prefers[:retrieved, :retrieved]
    elif scope == "implied":
        prefers = prefers.copy()
        prefers[retrieved:, retrieved:] = False
    return int(np.triu(prefers, 1)[:retrieved].sum()), int(prefers.sum())


def _groups(judgments: Sequence[Judgment], ranking: Sequence[str]) -> list[Group]:
    judged = {judgment.document for judgment in judgments}
    found = [document for document in ranking if document in judged]
    places = {document: place for place, document in enumerate([*found, *sorted(judged.difference(found))])}
    return [
        _group([judgment for judgment in judgments if judgment.group == name], places, len(found))
        for name in sorted({judgment.group for judgment in judgments})
    ]


def _group(judgments: Sequence[Judgment], places: Mapping[str, int], retrieved: int) -> Group:
    subgroups = sorted({judgment.subgroup for judgment in judgments})
    prefers = np.zeros((len(places), len(places)), bool)
    levels = np.full(len(places), np.nan)
    for name in subgroups:
        order = np.full(len(places), np.nan)
        for judgment in judgments:
            if judgment.subgroup == name:
                order[places[judgment.document]] = judgment.level
        prefers |= order[:, None] > order  # NaN is above nothing and below nothing
        levels = np.where(np.isnan(order), levels, order)
    if len(subgroups) == 1:
        return Group(prefers, levels, retrieved, levels == np.nanmin(levels))
    prefers = _closed(prefers)
    if (prefers & prefers.T).any():
        raise InputError(
            f"group {judgments[0].group!r} prefers documents to each other in a circle; give each opinion a group"
        )
    return Group(prefers, levels, retrieved, None)


def _closed(prefers: Array) -> Array:
    """With what follows: i is preferred to k where it is preferred to j, and j to k."""
    while True:
        further = prefers | ((prefers.astype(np.float32) @ prefers.astype(np.float32)) > 0)
        if (further == prefers).all():
            return further
        prefers = further


def _ratio(fulfilled: float, possible: float) -> float:
    return fulfilled / possible if possible else 0.0


def _simple(groups: Sequence[Group], scope: Scope) -> float:
    """Preferences fulfilled of those possible."""
    counts = [group.among(scope) for group in groups]
    return _ratio(sum(fulfilled for fulfilled, _ in counts), sum(possible for _, possible in counts))


def _by_pair(groups: Sequence[Group], scope: Scope) -> float:
    """The share fulfilled of the preferences about a pair of documents, averaged over pairs."""
    retrieved = groups[0].retrieved
    times = np.sum([group.prefers for group in groups], 0)
    both = times + times.T
    fulfilled = np.triu(np.divide(times, both, out=np.zeros(both.shape), where=both > 0), 1)[:retrieved]
    _, pairs = _count(np.triu(both > 0, 1), retrieved, scope)
    if scope == "retrieved":
        fulfilled = fulfilled[:, :retrieved]
    return _ratio(float(fulfilled.sum()), pairs)


def _by_group(groups: Sequence[Group], scope: Scope) -> float:
    """The share of preferences fulfilled, averaged over groups."""
    return sum(_ratio(*group.among(scope)) for group in groups) / len(groups)


def _balanced(groups: Sequence[Group], scope: Scope) -> float:
    """The same with as many non-relevant as relevant documents."""
    return sum(_ratio(*group.balanced(scope)) for group in groups) / len(groups)


Formula: TypeAlias = Callable[[Sequence[Group]], float]
PREFERENCES: Mapping[str, Formula] = {
    "prefs_num_prefs_poss": lambda groups: sum(group.among("all")[1] for group in groups),
    "prefs_num_prefs_ful": lambda groups: sum(group.among("all")[0] for group in groups),
    "prefs_num_prefs_ful_ret": lambda groups: sum(group.among("retrieved")[0] for group in groups),
    "prefs_simp": lambda groups: _simple(groups, "all"),
    "prefs_pair": lambda groups: _by_pair(groups, "all"),
    "prefs_avgjg": lambda groups: _by_group(groups, "all"),
    "prefs_avgjg_Rnonrel": lambda groups: _balanced(groups, "all"),
    "prefs_simp_ret": lambda groups: _simple(groups, "retrieved"),
    "prefs_pair_ret": lambda groups: _by_pair(groups, "retrieved"),
    "prefs_avgjg_ret": lambda groups: _by_group(groups, "retrieved"),
    "prefs_avgjg_Rnonrel_ret": lambda groups: _balanced(groups, "retrieved"),
    "prefs_simp_imp": lambda groups: _simple(groups, "implied"),
    "prefs_pair_imp": lambda groups: _by_pair(groups, "implied"),
    "prefs_avgjg_imp": lambda groups: _by_group(groups, "implied"),
}
"""Each measure of preferences, in the order in which trec_eval prints them."""

GROUPED = {
    "map_avgjg": TrecMeasure("map"),
    "P_avgjg": TrecMeasure("P", RANKS),
    "Rprec_mult_avgjg": TrecMeasure("Rprec_mult", MULTIPLES),
}
"""The measures that are averaged over groups of judges."""

OVER_TOPICS = ["runid", "num_q"]
"""What is printed over all topics only."""
_OF_PREFERENCES = {"all_prefs": [*OVER_TOPICS, *PREFERENCES], "prefs": [*OVER_TOPICS, *list(PREFERENCES)[:6]]}
NICKNAMES: Mapping[Relation, Mapping[str, Sequence[str]]] = {
    "prefs": _OF_PREFERENCES,
    "qrels_prefs": _OF_PREFERENCES,
    "qrels_jg": {"qrels_jg": [*OVER_TOPICS, *GROUPED]},
}


@dataclass(frozen=True)
class Values:
    """The values of a run by topic.

    Attributes
    ----------
    names : of the values, in the order of trec_eval.
    by_topic : float64[value] of each topic that is judged and retrieved.
    judged : how many topics are judged.
    over_topics : which of runid and num_q are asked for.
    """

    names: list[str]
    by_topic: dict[str, Array]
    judged: int
    over_topics: list[str]


def values_of_groups(
    judgments: Judgments, run: Run, relation: Relation, names: Sequence[str], *, level: int, depth: int | None
) -> Values:
    """The values of a run; ``level``: relevant from this grade on (of qrels_jg); ``depth``: documents looked at."""
    stems, over_topics = _expand(names, relation)
    topics = sorted((topic for topic in run.topics if topic in judgments), key=str.encode)
    if not topics:
        raise InputError(f"{run.name}: no topic in common with the judgments; are the ids alike?")
    if relation == "qrels_jg":
        names, by_topic = _averaged(judgments, run, stems, topics, level, depth)
        return Values(names, by_topic, len(judgments), over_topics)
    by_topic = {}
    for topic in topics:
        groups = _groups(judgments[topic], _rank(run, topic)[:depth])
        by_topic[topic] = np.array([PREFERENCES[stem](groups) for stem in stems])
    return Values(stems, by_topic, len(judgments), over_topics)


def _expand(names: Sequence[str], relation: Relation) -> tuple[list[str], list[str]]:
    """The measures that are asked for, in trec_eval's order (none: all of the first nickname), and what is printed over
    all topics."""
    nicknames = NICKNAMES[relation]
    known = list(GROUPED if relation == "qrels_jg" else PREFERENCES)
    wanted = {one for name in names or list(nicknames)[:1] for one in nicknames.get(name, [name])}
    if unknown := sorted(wanted.difference(known, OVER_TOPICS)):
        raise InputError(f"-R {relation} has no measure {unknown[0]!r}; accepted: {', '.join([*nicknames, *known])}")
    return [stem for stem in known if stem in wanted], [name for name in OVER_TOPICS if name in wanted]


def _rank(run: Run, topic: str) -> list[str]:
    scores = run.of(topic)
    return sorted(scores, key=lambda document: (-scores[document], document))


def _averaged(
    judgments: Judgments, run: Run, stems: list[str], topics: list[str], level: int, depth: int | None
) -> tuple[list[str], dict[str, Array]]:
    """The names and values of measures averaged over groups."""
    columns = [column for stem in stems for column in columns_of(GROUPED[stem], [], level=level, judged_only=False)]
    values = {topic: np.zeros(len(columns)) for topic in topics}
    names = {topic: sorted({judgment.group for judgment in judgments[topic]}) for topic in topics}
    for number in range(max(map(len, names.values()))):  # the first group of every topic, the second ...
        grades = {
            topic: {
                judgment.document: judgment.level for judgment in judgments[topic] if judgment.group == groups[number]
            }
            for topic, groups in names.items()
            if number < len(groups)
        }
        judged = meet(Qrels.from_dict(grades), [run], ties="docid", negative="unjudged")
        for topic, row in zip(
            judged.topics, values_of(judged if depth is None else judged.top(depth), columns).T, strict=True
        ):
            values[topic] += row / len(names[topic])
    return [_insert(column.name) for column in columns], values


def _insert(name: str) -> str:
    """trec_eval's name of an average over groups: P_5 becomes P_avgjg_5."""
    stem, mark, cut = name.rpartition("_")
    return f"{stem}_avgjg_{cut}" if mark else f"{name}_avgjg"


def print_groups(values: Values, tag: str, *, by_topic: bool, summary: bool, complete: bool) -> Iterator[str]:
    """The lines that trec_eval prints; ``complete``: averages are over all topics that are judged."""
    counts = [name.startswith("prefs_num_") for name in values.names]

    def line(name: str, topic: str, value: float, count: bool) -> str:
        return f"{name:<22}\t{topic}\t{int(value) if count else f'{value:6.4f}'}\n"

    if by_topic:
        for topic, row in values.by_topic.items():
            yield from map(line, values.names, [topic] * len(row), row.tolist(), counts)
    if summary:
        topics = values.judged if complete else len(values.by_topic)
        heads = {"runid": f"{'runid':<22}\tall\t{tag}\n", "num_q": line("num_q", "all", topics, True)}
        yield from map(heads.__getitem__, values.over_topics)
        total = np.sum(list(values.by_topic.values()), 0)
        means = np.where(counts, total, total / topics)
        yield from map(line, values.names, ["all"] * len(means), means.tolist(), counts)
