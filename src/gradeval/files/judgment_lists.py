"""Judgments as tools of search engines keep them: OpenSearch, rank_eval of Elasticsearch, Rated Ranking Evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.collection.missing_grades import count_blank, is_missing
from gradeval.collection.runs import come_again
from gradeval.files.plain_text import ONCE, quote, read_id, read_number


class Rated(NamedTuple):
    """A judgment as it stands in a file; a grade of None or an empty text: nobody judged it."""

    topic: object
    document: object
    grade: object


TOOLS = {
    "judgmentRatings": "JSON of OpenSearch's judgments",
    "requests": "JSON of rank_eval",
    "topics": "JSON of Rated Ranking Evaluator",
    "queries": "JSON of Rated Ranking Evaluator",
    "query_groups": "JSON of Rated Ranking Evaluator",
}
"""What messages call the formats, by the key that tells each."""


def read_judgment_list(
    whole: dict[str, Any], place: str, *, repeats: bool = False
) -> tuple[dict[str, dict[str, float]], str] | None:
    """``{topic: {document: grade}}`` and what the format is called; None where it is none of these.

    Topics go by the text of the query (OpenSearch, Rated Ranking Evaluator) or by the id of the request (rank_eval).
    Documents without a grade are left out and counted.
    """
    key = next((key for key in TOOLS if isinstance(whole.get(key), list)), None)
    if key is None:
        return None
    walk = {"judgmentRatings": _of_opensearch, "requests": _of_rank_eval}.get(key, _of_groups)
    table: dict[str, dict[str, float]] = {}
    blank = 0
    try:
        for topic, document, grade in walk(whole):
            documents = table.setdefault(read_id(topic, "query", place), {})
            if is_missing(grade):
                blank += 1
                continue
            identifier = read_id(document, "document", place)
            number = read_number(grade, "rating", place)
            if identifier in documents:
                again = come_again(identifier, number, documents, repeats=repeats, graded=True)
                if again is None:
                    raise InputError(
                        f"{place}: document {quote(identifier)} of query {quote(str(topic))} is rated twice (grades "
                        f"{documents[identifier]:g} and {number:g}); {ONCE['qrels']}"
                    )
                identifier = again
            documents[identifier] = number
    except (KeyError, TypeError, AttributeError, IndexError) as error:  # not the shape of the format
        raise InputError(
            f"{place}: looks like {TOOLS[key]}, but is incomplete ({type(error).__name__}: {error}); write it again"
        ) from None
    table = {topic: documents for topic, documents in table.items() if documents}
    if not table:
        raise InputError(f"{place}: this {TOOLS[key]} holds no ratings; rate some documents")
    return table, TOOLS[key] + describe_blank(blank)


def describe_blank(blank: int) -> str:
    """That documents have no grade, to stand behind the name of a format."""
    return f"; {count_blank(blank)}" if blank else ""


def _of_opensearch(whole: Any) -> Iterator[Rated]:
    """``{"judgmentRatings": [{"query": text, "ratings": [{"docId": id, "rating": "3.0"}]}]}``."""
    for entry in whole["judgmentRatings"]:
        for rating in entry["ratings"]:
            yield Rated(entry["query"], rating["docId"], rating["rating"])


def _of_rank_eval(whole: Any) -> Iterator[Rated]:
    """``{"requests": [{"id": id, "ratings": [{"_index": name, "_id": id, "rating": 3}]}]}``."""
    for request in whole["requests"]:
        for rating in request["ratings"]:
            yield Rated(request["id"], rating["_id"], rating["rating"])


def _of_groups(node: Any) -> Iterator[Rated]:
    """Topics hold groups; groups hold queries, ``{"placeholders": {"$query": text}}``, and their relevant documents,
    ``{id: {"gain": 3}}`` or ``{"3": [id, id]}``. A query may have its own."""
    for inner in (*node.get("topics", ()), *node.get("query_groups", ())):
        yield from _of_groups(inner)
    for query in node.get("queries", ()):
        relevant = query.get("relevant_documents", node.get("relevant_documents"))
        text = query["placeholders"]["$query"] if "placeholders" in query else query["$query"]
        for name, value in relevant.items():
            if isinstance(value, list):
                yield from (Rated(text, document, name) for document in value)
            else:
                yield Rated(text, name, value["gain"])
