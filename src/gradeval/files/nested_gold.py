"""Which parts of records list relevant documents, and which numbers in them a judge gave rather than a retriever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from gradeval.files.column_names import GRADES, SCORES, normal_name
from gradeval.files.json_in_text import read_json_text
from gradeval.files.list_names import NEGATIVE, OF_DOCUMENTS
from gradeval.files.record_names import OF_IDS, OF_JUDGED, OF_RETRIEVED, is_of_judgments, words_of

OF_JUDGES = OF_JUDGED | frozenset(
    "annotation annotations annotator assessment assessor eval evals evaluation evaluations evaluator expert feedback "
    "grade graded grader grades grading human humans judge judged judgement judgements judges judgment judgments label "
    "labels llm rating ratings review reviewer verdict verdicts".split()
)
"""Words in the names of what people, and models that judge, say of documents."""
OF_RETRIEVERS = (
    OF_DOCUMENTS
    | OF_RETRIEVED
    | frozenset("embedding rerank reranked reranker reranking search searched vector vectors".split())
)
"""Words in the names of what a retriever says of them."""


@dataclass
class NestedParts:
    """The parts of records by their dotted names.

    Attributes
    ----------
    values : the plain values under a name, by record.
    listed : the names that lead to lists of plain values.
    holders : the lists of objects through which names lead, the innermost one of each.
    """

    values: dict[str, list[list[Any]]] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    holders: dict[str, str] = field(default_factory=dict)


def parts_of(records: Iterable[Any]) -> NestedParts:
    """The parts of all records."""
    parts = NestedParts()
    for number, record in enumerate(records):
        for name, value, holder, listed in _walk(record, "", "", listed=False):
            values = parts.values.setdefault(name, [])
            values.extend([] for _ in range(number + 1 - len(values)))
            values[number].append(value)
            parts.listed.update([name] if listed else [])
            parts.holders[name] = holder
    return parts


def _walk(value: Any, name: str, holder: str, *, listed: bool) -> Iterator[tuple[str, Any, str, bool]]:
    """All plain values in a value with their names, the innermost list of objects that has them, and whether each is in
    a list itself."""
    value = read_json_text(value)
    if isinstance(value, list):
        for one in value:
            yield from _walk(one, name, name if isinstance(one, dict) else holder, listed=True)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, f"{name}.{key}" if name else str(key), holder, listed=False)
    elif value is not None and name:
        yield name, value, holder, listed


def is_of_retriever(name: str, parts: NestedParts) -> bool:
    """Is this number, called as grades may be, how a retriever scored a document? The innermost word tells; else the
    numbers of a list that fall from document to document."""
    *holders, last = name.split(".")
    several = any(len(values) > 1 for values in parts.values.get(name, ()))
    for one in reversed(holders):
        if words_of(one) & OF_JUDGES:
            return False
        if words_of(one) & OF_RETRIEVERS:
            return normal_name(last) in SCORES or _fall(parts.values.get(name, []))
    return several and (normal_name(last) in SCORES or _fall(parts.values.get(name, [])))


def _fall(lists: list[list[Any]]) -> bool:
    """Do fractions fall down each list, as the scores of ranked documents?"""
    numbers = [value for values in lists for value in values]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        return False
    falls = all(one >= other for values in lists for one, other in pairwise(values))
    return falls and any(one % 1 for one in numbers) and any(len({*values}) > 1 for values in lists)


def find_gold_lists(parts: NestedParts) -> list[str]:
    """The dotted names of ids that are called as relevant documents are, and stand in lists without grades; first the
    ones with ids that other parts have, too, then the least nested ones."""
    graded = {parts.holders[name] for name in parts.values if normal_name(name.rpartition(".")[2]) in GRADES}
    placed: list[tuple[bool, int, str]] = []
    for name, values in parts.values.items():
        holder = parts.holders[name]
        if "." not in name or not is_of_judgments(name) or words_of(name) & NEGATIVE:
            continue
        if (holder and holder in graded) or not (holder or name in parts.listed) or not _may_be_ids(values):
            continue
        shared = any(_share(values, other) for one, other in parts.values.items() if not is_of_judgments(one))
        called = words_of(name.rpartition(".")[2])
        if shared or called & OF_IDS or (called & OF_DOCUMENTS and not holder):
            placed.append((not shared, name.count("."), name))
    return [name for _, _, name in sorted(placed)] or _find_sole_ids(parts)


def _find_sole_ids(parts: NestedParts) -> list[str]:
    """The dotted name of the only list of ids, unless it is called as retrieved documents are: a data set of LangSmith
    has relevant ones in ``outputs``."""
    lists = [name for name in parts.listed if "." in name and not parts.holders[name]]
    ids = [name for name in lists if words_of(name.rpartition(".")[2]) & OF_IDS and _may_be_ids(parts.values[name])]
    return ids if len(ids) == 1 and not words_of(ids[0]) & (NEGATIVE | OF_RETRIEVED) else []


def _may_be_ids(lists: list[list[Any]]) -> bool:
    """Are these texts or whole numbers, none twice in a list?"""
    plain = all(isinstance(one, str | int) and not isinstance(one, bool) for values in lists for one in values)
    return plain and all(len({*map(str, values)}) == len(values) for values in lists)


def _share(lists: list[list[Any]], others: list[list[Any]]) -> bool:
    """Has some record a value in both?"""
    return any(not {*map(str, ours)}.isdisjoint(map(str, theirs)) for ours, theirs in zip(lists, others, strict=False))
