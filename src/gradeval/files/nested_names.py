"""Which parts of records hold topics, documents and values, where no name at their top tells: found by usual names, and
tried on the first records before an error proposes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from gradeval.files.column_names import DOCUMENTS, GRADES, QUERIES, RANKS, SCORES, InputKind, normal_name
from gradeval.files.named_columns import Columns
from gradeval.files.nested_gold import NestedParts, find_gold_lists, is_of_retriever, parts_of
from gradeval.files.nested_records import names_within, texts_within
from gradeval.files.record_names import IDS, IDS_OF_HITS, LISTS, TEXTS, is_of_judgments
from gradeval.files.unknown_columns import CONTENTS, USUAL, how_to_name
from gradeval.messages import join_names, list_some

MOST = 4
"""Names of a role that are tried."""
OF_ENGINES = ("params_q", "params_query", "q")
"""What Solr and other engines call the query in the parameters that their answers repeat."""
USUAL_PARTS: dict[InputKind, dict[str, Sequence[str]]] = {
    "qrels": {"query": QUERIES, "doc": [*LISTS["qrels"], *DOCUMENTS, *IDS_OF_HITS], "grade": GRADES},
    "run": {
        "query": [*QUERIES, *OF_ENGINES],
        "doc": [*LISTS["run"], *DOCUMENTS, *IDS_OF_HITS],
        "score": SCORES,
        "rank": RANKS,
    },
}
"""The usual names of what judgments and runs need."""
TRANSPARENT = ("value", "number")
"""What holds a number in an object that is called as the number is, as {"grade": {"value": 2}}."""


def propose_columns(
    records: Sequence[Any], kind: InputKind, columns: Columns, reads: Callable[[Columns], bool], *, scores: bool = False
) -> dict[str, str]:
    """The dotted names of parts by their roles, as few as needed, with which ``reads`` says that the records are read;
    none where no names do. ``scores``: may the scores of a retriever be grades?"""
    known = dict.fromkeys(name for record in records for name in names_within(record))
    names = [name for name in known if "." in name]
    named = {role for role in (*USUAL, "run") if getattr(columns, role) in known}  # other names are for other files
    named |= {"score", "rank"} if named & {"score", "rank"} else set()
    roles = [role for role in USUAL_PARTS[kind] if role not in named]
    parts = parts_of(records)
    fit = {role: [name for name in names if _is_of_kind(name, role, kind, None if scores else parts)] for role in roles}
    proposed = {role: _find_parts(fit[role], USUAL_PARTS[kind][role]) for role in roles}
    gold = find_gold_lists(parts)[:MOST] if kind == "qrels" and "doc" in proposed else []
    if gold:
        proposed["doc"] = [*gold, *(name for name in proposed["doc"] if name not in gold)]
    if "query" in proposed:
        proposed["query"] += [name for name in _sole_texts(records) if name not in proposed["query"]]
    choices = [
        {role: name for role, name in zip(proposed, chosen, strict=True) if name}
        for chosen in product(*(["", *of_role] for of_role in proposed.values()))
    ]
    graded = "grade" in named or any(normal_name(name) in GRADES for name in known if "." not in name)

    def is_whole(given: Mapping[str, str]) -> bool:
        """Do these names not leave out grades, so that all documents of a list would be relevant?"""
        listed = given.get("doc", "").rpartition(".")[2]
        alone = given.get("doc") in gold or normal_name(listed) in LISTS[kind]
        return kind == "run" or graded or "doc" not in given or "grade" in given or alone

    fitting = (
        given
        for given in sorted(choices, key=lambda one: (bool(gold) and one.get("doc") not in gold, len(one)))
        if given and is_whole(given) and not {"score", "rank"} <= given.keys() and reads(_with_names(columns, given))
    )
    return next(fitting, {})


def _sole_texts(records: Sequence[Any]) -> list[str]:
    """The dotted name of the text in an object that is called as queries are, where it is the only one in all records,
    as in {"query": {"match": {"title": "tent"}}}."""
    sole: set[str] = set()
    for record in records:
        wholes = {name: value for name, value in record.items() if normal_name(name) in QUERIES}
        names = [name for name, _ in texts_within({key: one for key, one in wholes.items() if isinstance(one, dict)})]
        sole.update(names if len(names) == 1 else ("", *names))
    return [*sole] if len(sole) == 1 else []


def _is_of_kind(name: str, role: str, kind: InputKind, parts: NestedParts | None) -> bool:
    """May judgments, or a run, have such a part? Relevant documents are no run, and scores of a retriever are no
    grades, where ``parts`` are given to tell."""
    if kind == "run":
        return role != "doc" or not is_of_judgments(name)
    return role != "grade" or parts is None or not is_of_retriever(name, parts)


def only_met(columns: Columns, record: Mapping[str, Any]) -> Columns:
    """The columns without names that no part of a record has, by all of its dotted name or by its end."""
    known = {*names_within(record)} | {name.rpartition(".")[2] for name in names_within(record)} | {*record}
    unmet: dict[str, Any] = {role: None for role in (*USUAL, "run") if getattr(columns, role) not in (None, *known)}
    return replace(columns, **unmet)


def _with_names(columns: Columns, given: Mapping[str, str]) -> Columns:
    """The columns, with these names of some roles."""
    names: dict[str, Any] = {**given}
    return replace(columns, **names)


def describe_parts(
    given: dict[str, str], names: Sequence[str], kind: InputKind, columns: Columns, *, frame: str
) -> str:
    """That these parts of objects hold what is needed, and how to name them; ``frame``: what Python calls the frame,
    empty where the columns of a file are named."""
    contents = join_names([CONTENTS.get(role, "ranks") for role in given])
    alone = kind == "qrels" and "grade" not in given and "doc" in given
    if alone and is_of_judgments(given["doc"]):
        contents = contents.replace("documents", "relevant documents")
    how = frame_of_parts(given, kind, columns, frame) if frame else how_to_name(given, kind, alone=alone)
    return f"the {contents} stand within objects (it has {list_some(names)}); name these parts: {how}"


def describe_scores(given: dict[str, str], columns: Columns, *, frame: str) -> str:
    """That the only numbers are scores of a retriever, and how to name them if they are grades."""
    how = frame_of_parts(given, "qrels", columns, frame) if frame else how_to_name(given, "qrels", alone=True)
    told = "as no part grades documents or lists relevant ones"
    scored = f"{given['grade']!r} seems to hold the scores of a retriever"
    return f"give the judgments in another file, {told}, and {scored}; if these are grades: {how}"


def frame_of_parts(given: dict[str, str], kind: InputKind, columns: Columns, frame: str) -> str:
    """What to type in Python to read a frame whose columns hold these parts, with the names in ``columns``."""
    called = {"query": "query_id", "doc": "doc_id", "grade": "relevance"}
    every = {role: name for role in USUAL if (name := given.get(role) or getattr(columns, role))}
    named = "".join(f", {called.get(role, role)}={name!r}" for role, name in every.items())
    return f"{'qrels' if kind == 'qrels' else 'run'}_from_frame({frame}{named})"


def _find_parts(names: Iterable[str], usual: Sequence[str]) -> list[str]:
    """The first names whose last part is a usual name, the most usual and least nested ones first; names of texts
    come after an id in the same object."""
    names = [*names]
    with_ids = {one.rpartition(".")[0] for one in names if normal_name(one.rpartition(".")[2]) in IDS}
    placed: list[tuple[bool, int, int, str]] = []
    for name in names:
        places = [usual.index(one) for one in _called(name) if one in usual]
        if places:
            within, _, last = name.rpartition(".")
            beside = within in with_ids and normal_name(last) in TEXTS
            placed.append((beside, min(places), name.count("."), name))
    return [name for *_, name in sorted(placed)][:MOST]


def _called(name: str) -> Iterator[str]:
    """What the last part of a dotted name may be called: by itself, and with the part before it."""
    *before, last = name.split(".")
    yield normal_name(last)
    if before:
        yield normal_name(f"{before[-1]}.{last}")
    if before and normal_name(last) in TRANSPARENT:
        yield normal_name(before[-1])
