"""Which column of a table holds the topics, the documents and the values: as the user says, else by its usual name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, Self, TypeAlias, TypeVar

from gradeval._core import InputError
from gradeval.messages import kind_of, nearest

T = TypeVar("T")

InputKind: TypeAlias = Literal["qrels", "run"]

USERS = (
    "user_id userid user reviewerid reviewer_id uid user_idx customer_id customerid customer visitor_id visitorid "
    "session_id sessionid"
).split()
QUERIES = (
    "query_id qid queryid q_id question_id questionid topic topic_id topicid query_no qno query topic_no "
    "question search_term search_query keyword user_input"
).split() + USERS
DOCUMENTS = (
    "doc_id docno corpus_id docid pid passage_id did document_id doc_no document_no documentid passage document doc "
    "chunk_id chunkid chunk node_id context_id "
    "item_id itemid item movie_id movieid movie product_id productid product sku asin parent_asin business_id iid "
    "article_id page_id url uri link item_idx recommended_item recommended_item_id "
    "artist_id artistid track_id trackid song_id songid book_id bookid isbn video_id news_id recipe_id anime_id game_id"
).split()
GRADES = (
    "relevance rel grade label relevancy judgment judgement rating overall stars r_ui esci_label qrel gain "
    "relevance_grade relevance_label human_grade human_label gold gold_label relevant is_relevant llm_grade llm_label "
    "score relevance_score"
).split()
SCORES = "score sim similarity rsv relevance_score prediction pred predicted_rating est y_pred y_score".split()
RANKS = "rank ranking position".split()
CLICKS = "click clicked is_click is_clicked clicks".split()
RUNS = "run run_id runid run_name run_tag system system_id system_name model model_name tag".split()
LIKELY_RUNS = "retriever algorithm algo recommender ranker method variant experiment config configuration".split()
MEASURES = "measure metric measure_name metric_name".split()
VALUES = "value score metric_value".split()
"""The usual names, in lower case and with ``_`` for ``-`` and blanks; of several that are there the first is taken.

PyTerrier's frames have ``docno``, the id, and ``docid``, a number of its own. In recommendation users are the topics
and items the documents: MovieLens, Recommenders and RecBole call them so, Surprise (uid, iid, r_ui, est), and the
ratings of Amazon (reviewerID, asin, overall) and of Yelp (business_id, stars). Retrieval for language models has
questions and chunks, shops have search terms and sku. Columns of LIKELY_RUNS name runs only where they tell documents
apart that a topic has several times."""

ACCEPTED = "columns are query, doc, grade (of judgments), score or rank, and run (of runs), as in query=q,doc=d,score=s"


IN_LISTS = "-"
"""The score of ``score=-``: none counts, as lists are in rank order."""


@dataclass(frozen=True)
class Columns:
    """The names of columns, or their numbers from 1 where there is no header; None: guessed.

    Attributes
    ----------
    query, doc : of the topics and the documents.
    grade : of the grades, in judgments.
    score, rank : of the scores or the ranks, in runs; a document at rank r gets the score -r. The score - says that
        lists are in rank order.
    run : of the names of runs, where a table holds several.
    met : all names of columns in the tables that were read with these; ``require_met`` looks at them.
    """

    query: str | None = None
    doc: str | None = None
    grade: str | None = None
    score: str | None = None
    rank: str | None = None
    run: str | None = None
    met: dict[str, None] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, names: Mapping[str, str | int] | str | None) -> Self:
        """The columns of ``{"query": "q", "doc": "d", ...}``, or of text as ``parse`` reads it."""
        if isinstance(names, str):
            return cls.parse(names)
        if names is not None and not isinstance(names, Mapping):
            raise InputError(f"columns are a mapping or text, not {kind_of(names)}; {ACCEPTED}")
        known = [field.name for field in fields(cls) if field.compare]
        for role in names or {}:
            if role not in known:
                raise InputError(f"no column is called {role!r}{nearest(str(role), known)}; {ACCEPTED}")
        given = {role: str(name) for role, name in (names or {}).items()}
        columns = cls(*(given.get(role) for role in known))
        if columns.score is not None and columns.rank is not None:
            raise InputError("a run is ordered by a score or by a rank, not by both; name one of the columns")
        return columns

    @classmethod
    def parse(cls, text: str) -> Self:
        """The columns of ``query=q,doc=d,score=s``."""
        names: dict[str, str | int] = {}
        for part in text.split(","):
            role, sign, name = (piece.strip() for piece in part.partition("="))
            if not (role and sign and name):
                raise InputError(f"{part.strip()!r} names no column; {ACCEPTED}")
            if role in names:
                raise InputError(f"names the column {role} twice; {ACCEPTED}")
            names[role] = name
        return cls.of(names)

    def spelled_as(self, names: Sequence[str]) -> Columns:
        """The same, with the names that a table spells in another case spelled as there."""
        folded = {name.strip().casefold(): name for name in reversed(names)}
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        other = {role: name for role, name in given.items() if name and name not in names and name.casefold() in folded}
        spelled = Columns(**{**given, **{role: folded[name.casefold()] for role, name in other.items()}})
        object.__setattr__(spelled, "met", self.met)
        self.met.update(dict.fromkeys(other.values()))
        return spelled if other else self

    def of_values(self, kind: InputKind) -> str | None:
        """The column of the values that the user named."""
        return self.grade if kind == "qrels" else self.score or self.rank

    @property
    def in_order_of_lists(self) -> bool:
        """Are the lists of runs in rank order, whatever scores are in them?"""
        return self.score == IN_LISTS

    def are_numbers(self, kind: InputKind) -> bool:
        """Does the user say by numbers which columns of judgments, or of runs, are which?"""
        return all(name is not None and name.isdecimal() for name in (self.query, self.doc, self.of_values(kind)))

    def require_met(self, option: str) -> None:
        """Refuse names of topics, documents and grades that no table has; ``option``: what errors call the names.

        A table without them is read all the same, as another one may have them: look once all are read.
        """
        for role, name in (("query", self.query), ("doc", self.doc), ("grade", self.grade), ("run", self.run)):
            if name is not None and not name.isdecimal() and name not in self.met:
                known = list(self.met)
                there = f"has a column {name!r}{nearest(name, known)} (there are {_list(known)})"
                raise InputError(
                    f"{option} {role}={name}: nothing that was read {there if known else 'has columns with names'}; "
                    "name one that is there, or leave it out"
                )

    def require_all_numbers(self, kind: InputKind, place: str) -> None:
        """Refuse columns of which only some are numbered: in lines without names that says too little."""
        values = {"grade": self.grade, "score": self.score, "rank": self.rank}
        given = {"query": self.query, "doc": self.doc} | {role: name for role, name in values.items() if name}
        numbered = [f"{role}={name}" for role, name in given.items() if name is not None and name.isdecimal()]
        if numbered and (len(given) < 3 or any(name is None or not name.isdecimal() for name in given.values())):
            value = "grade=4" if kind == "qrels" else "score=5"
            raise InputError(
                f"{place}: {', '.join(numbered)} numbers some columns and not all; number the three that are needed, "
                f"from 1, as in query=1,doc=3,{value}, or name them as the header does"
            )


OF_ONE_FILE = re.compile(r"columns:((?:query|doc|grade|score|rank|run)=.+?):(.+)")
"""How a place names columns of its file alone, as in ``columns:grade=llm_grade:FILE``."""


GUESSED = Columns()
"""No column is named: all are guessed."""


MOST_GRADES = 30
"""Different grades up to which a column called score is taken for one of grades."""


class Chosen(NamedTuple):
    """The three needed columns of a table.

    Attributes
    ----------
    query, doc, value : their places.
    ranks : are the values ranks?
    guessed : the name of the column where grades are called scores, as BEIR does: a run may have been meant.
    rank : the place of the ranks that a run gives with its scores, if there are any.
    runs : the places of columns that name the run of each line; of several, the most usual name first.
    telling : do ``runs`` name runs as they tell repeated documents apart?
    """

    query: int
    doc: int
    value: int
    ranks: bool = False
    guessed: str = ""
    rank: int | None = None
    runs: tuple[int, ...] = ()
    telling: bool = False

    def require_grades(self, values: Collection[float], place: str) -> None:
        """Refuse scores of a run as grades: a column called score holds grades where all are whole numbers, and few."""
        whole = all(float(value).is_integer() for value in values)
        if self.guessed and not (whole and len(set(values)) <= MOST_GRADES):
            what = f"more than {MOST_GRADES} different numbers" if whole else "numbers that are not whole"
            raise InputError(
                f"{place}: column {self.guessed!r} holds {what}, as the scores of a run do; "
                f"expected are judgments (if these are grades: --columns grade={self.guessed}, or columns= in Python)"
            )

    def list_names(self, names: Sequence[str]) -> str:
        """The names of the three columns, as messages list them."""
        said = f"; a run by {names[self.runs[0]]}" if self.telling else ""
        return ", ".join(names[place] for place in (self.query, self.doc, self.value)) + said


RowsOfTable: TypeAlias = Callable[[], Iterable[Sequence[Any]]]
"""The rows of a table, with the cells in the order of its names."""


def choose_columns(
    names: Sequence[str], kind: InputKind, columns: Columns, place: str, remedy: str = "", rows: RowsOfTable = tuple
) -> Chosen:
    """The columns of a table that hold judgments or a run; an error that says which column is absent.

    The names of columns that the user gives are for several files: a table without such a column is another file's, and
    its columns are guessed. ``remedy``: how to name a column that cannot be guessed; ``rows`` are looked at only to say
    how.
    """
    columns = columns.spelled_as(names)
    by_name = places_by_name(names)
    named = columns.of_values(kind)
    if any(name is not None for name in (columns.query, columns.doc, columns.grade, columns.run)):
        columns.met.update(dict.fromkeys(names))
    guessable = kind == "qrels" and any(name in by_name for name in GRADES)
    if kind == "run" and columns.in_order_of_lists:
        raise InputError(f"{place}: score=- is for lists of hits, and this is a table; name a column of its scores")
    if named is not None and named not in names and not guessable:
        raise InputError(
            f"{place}: has no column {named!r}{nearest(named, names)} (it has {_list(names)}); name one of these"
        )
    named = named if named in names else None
    for name in filter(None, (columns.query, columns.doc, named, columns.run)):
        if list(names).count(name) > 1:
            raise InputError(f"{place}: has more than one column {name!r} (it has {_list(names)}); rename one of them")

    def find(given: str | None, usual: Sequence[str]) -> int | None:
        if given in names:
            return list(names).index(str(given))
        return first_usual(by_name, usual)

    query, doc = find(columns.query, QUERIES), find(columns.doc, DOCUMENTS)
    ranks = kind == "run" and columns.rank is not None
    value = find(named, GRADES if kind == "qrels" else SCORES)
    if value is None and kind == "run":
        value = find(None, RANKS)
        ranks = value is not None
        if (click := first_usual(by_name, CLICKS)) is not None and columns.rank is None:
            raise InputError(
                f"{place}: has a column {names[click]!r} and no scores: a log of clicks, which 'gradeval clicks' "
                "reads; if its ranks belong to one run, name their column rank=NAME"
            )
    roles = {"query": query, "doc": doc, ("grade" if kind == "qrels" else "score"): value}
    if None in roles.values():
        raise _no_column(names, kind, roles, place, remedy, rows)
    assert query is not None  # all three are there
    assert doc is not None
    assert value is not None
    if len({query, doc, value}) < 3:
        raise InputError(f"{place}: topics, documents and values are three columns (it has {_list(names)})")
    if twice := [names[at] for at in (query, doc, value) if list(names).count(names[at]) > 1]:
        raise InputError(f"{place}: has more than one column {twice[0]!r} (it has {_list(names)}); rename one of them")
    if kind == "qrels" and named is None:
        _require_sole_grades(names, (query, doc, value), place, remedy, rows)
    doubtful = kind == "qrels" and named is None and normal_name(names[value]) in SCORES
    rank = find(None, RANKS) if kind == "run" and not ranks else None
    runs = () if kind == "qrels" else _choose_runs(names, (query, doc, value), columns)
    telling = None if runs or kind == "qrels" else _find_telling(names, (query, doc, value), rows)
    runs = runs if telling is None else (telling,)
    rank = None if rank in (query, doc, value) else rank
    return Chosen(query, doc, value, ranks, names[value] if doubtful else "", rank, runs, telling is not None)


def _choose_runs(names: Sequence[str], chosen: Sequence[int], columns: Columns) -> tuple[int, ...]:
    """The columns that name runs, as the user names one, else by their usual names."""
    if columns.run in names:
        return (list(names).index(str(columns.run)),)
    of_runs = (at for at, name in enumerate(names) if normal_name(name) in RUNS and at not in chosen)
    return tuple(sorted(of_runs, key=lambda at: place_among_runs(names[at])))


def _find_telling(names: Sequence[str], chosen: tuple[int, int, int], rows: RowsOfTable) -> int | None:
    """The column that may name runs, as it tells rows of the same topic and document apart."""
    likely = find_likely_runs(names, chosen)
    if not likely:
        return None
    from gradeval.files.likely_runs import find_telling  # here, as few tables have such a column

    return find_telling(rows(), *chosen[:2], likely)


def find_likely_runs(names: Sequence[str], chosen: Sequence[int]) -> list[int]:
    """The columns that may name runs, other than the ``chosen`` ones."""
    return [at for at, name in enumerate(names) if normal_name(name) in LIKELY_RUNS and at not in chosen]


def is_of_model(name: str) -> bool:
    """Is it a usual name for grades that a model gave, as llm_grade?"""
    return normal_name(name) in GRADES and normal_name(name).startswith("llm_")


GRADED = re.compile(r"(grade|label|rating|score)s?(_.*|\d+)?|.*_(grade|label|rating|score)s?\d*")
"""Names that begin or end with a word for grades, as grade_anna and anna_grade."""


def find_other_grades(names: Sequence[str], chosen: Sequence[int]) -> list[int]:
    """The columns that are called as grades are, where the ``chosen`` topics, documents and values are a model's
    grades."""
    if not is_of_model(names[chosen[2]]):
        return []
    graded = (at for at, name in enumerate(names) if GRADED.fullmatch(normal_name(name)) and not is_of_model(name))
    return [at for at in graded if at not in chosen]


def _require_sole_grades(
    names: Sequence[str], chosen: tuple[int, int, int], place: str, remedy: str, rows: RowsOfTable
) -> None:
    """Refuse the grades of a model where other columns look like grades, too, as grade_anna: these may be meant."""
    held: dict[int, set[str]] = {at: set() for at in find_other_grades(names, chosen)}
    for row in rows() if held else ():
        for at in [*held]:
            cell = "" if row[at:] == [] or row[at] is None else str(row[at]).strip().removesuffix(".0")
            held[at].add(cell)
            if (cell and not (cell.isdecimal() and len(cell) < 3)) or len(held[at]) > MOST_GRADES:
                del held[at]
    if others := [names[at].strip() for at, cells in held.items() if cells - {""}]:
        how = remedy or f"name the column that counts: {_how_to_name({'grade': others[0]})}"
        raise InputError(
            f"{place}: column {names[chosen[2]].strip()!r} holds a model's grades, and {_list(others)} may hold "
            f"grades, too; {how}"
        )


USUAL: Mapping[str, Sequence[str]] = {
    "query": QUERIES,
    "doc": DOCUMENTS,
    "grade": GRADES,
    "score": SCORES,
    "rank": RANKS,
}
"""The usual names by what they are called in ``--columns``."""
CONTENTS = {"query": "topics", "doc": "documents", "grade": "grades", "score": "scores"}
NEAR = 0.75
"""How alike a misspelt name and the usual one are at least, by difflib's ratio."""


def _no_column(
    names: Sequence[str], kind: InputKind, roles: Mapping[str, int | None], place: str, remedy: str, rows: RowsOfTable
) -> InputError:
    """The error for a table without a needed column: the name that may be meant, and what to type."""
    role = next(role for role, at in roles.items() if at is None)
    left = [name for at, name in enumerate(names) if at not in roles.values()]
    if role == "score" and (distance := next(filter(_is_distance, names), None)) is not None:
        return InputError(
            f"{place}: column {distance!r} is no score, as less is better; order the run by it: "
            + (f"rank={distance!r}, or call the column rank" if remedy else _how_to_name({"rank": distance}))
        )
    others = {"grade": (*SCORES, *RANKS), "score": GRADES}.get(role, ())
    if swapped := [name for name in left if normal_name(name) in others]:
        usual = "a run, and judgments are" if kind == "qrels" else "judgments, and a run is"
        option = remedy or f"if it holds {CONTENTS[role]}: {_how_to_name({role: swapped[0]})}"
        what = f"no column is known to hold the {CONTENTS[role]} (it has {_list(names)})"
        return InputError(f"{place}: {what}; {swapped[0]!r} is usual in {usual} expected; {option}")
    meant = find_misspelt(left, [role for role, at in roles.items() if at is None])
    near = "".join(f"{name!r} is nearly {usual!r}; " for name, usual in meant.values())
    given = {role: name for role, (name, _) in meant.items()}
    query = roles["query"]
    if role == "score" and query is not None and not given:
        from gradeval.files.likely_ranks import find_ranks  # here, as names are seldom wrong

        unknown = [at for at, name in enumerate(names) if at not in roles.values() and name.strip()]
        if (at := find_ranks(rows(), query, unknown)) is not None:
            given = {"rank": names[at].strip()}
            how = f": rank={names[at]!r}, or call the column rank" if remedy else ""
            near = f"{names[at]!r} holds 1 to n in each topic, as ranks do{how}; "
    if role == "grade" and not given:
        from gradeval.files.denials import find_denying  # here, as names are seldom wrong

        free = [at for at, name in enumerate(names) if at not in roles.values() and not NAMELESS.fullmatch(name)]
        if (denying := find_denying(names, free, rows)) is not None:
            given = {"grade": denying.column.strip()}
            near = f"{denying.column!r} may say which rows are relevant, as it holds {denying.cell!r}; "
    if role not in given and not (role == "score" and "rank" in given):
        alone = len(left) == 1 and list(roles.values()).count(None) == 1
        given = {role: left[0].strip() if alone and left[0].strip() else "NAME", **given}
    lists = "; lines of a topic and a list of ids are read as lists:FILE" if len(names) == 2 else ""
    if role == "grade" and list(roles.values()).count(None) == 1 and not meant:
        lists += "; or keep topics, documents and times alone: each row is then relevant"
    if role == "score" and list(roles.values()).count(None) == 1 and not meant and "rank" not in given:
        lists += "; or keep topics and documents alone: the rows are then in rank order"
    return InputError(
        f"{place}: no column is known to hold the {CONTENTS[role]} (it has {_list(names)}); {near}"
        + (remedy or f"name it: {_how_to_name(given)}{_other_order(given)}{lists}")
    )


def _other_order(given: Mapping[str, str]) -> str:
    """How to name the column of scores or ranks where the numbers run the other way."""
    if "score" in given:
        return f"; if less is better, as of ranks and distances: rank={given['score']}"
    return f"; if more is better: score={given['rank']}" if "rank" in given else ""


def find_misspelt(names: Sequence[str], roles: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By role, the first name that is nearly a usual one, and that usual one."""
    from difflib import get_close_matches  # here, as names are seldom wrong

    found: dict[str, tuple[str, str]] = {}
    for role in [*roles, *(["rank"] if "score" in roles else [])]:
        left = [name for name in names if name not in {name for name, _ in found.values()}]
        near = {name: get_close_matches(normal_name(name), USUAL[role], n=1, cutoff=NEAR) for name in left}
        name = next(filter(near.get, near), None)
        if name is not None and not (role == "rank" and "score" in found):
            found[role] = (name, near[name][0])
    return found


def _how_to_name(given: Mapping[str, str]) -> str:
    """What to type, on a command line and in Python, where columns have these names."""
    from shlex import quote

    text = ",".join(f"{role}={name}" for role, name in given.items())
    python = ", ".join(f"{role!r}: {name if name == 'NAME' else repr(name)}" for role, name in given.items())
    return f"--columns {quote(text)}, for one file {quote(f'columns:{text}:FILE')}, or columns={{{python}}} in Python"


NAMELESS = re.compile(r"|Unnamed: \d+(_level_\d+)?")
"""The name of a column without one, in csv and as pandas reads it: so it writes its index."""


EXCLUDED = "excluded_ids"
"""The documents of a topic that must not count, as BRIGHT lists them with the id of the topic."""
TOPICS_OR_IDS = ("query_id", "qid", "topic_id", "id", *QUERIES)
"""The usual names of topics where documents have none, so that id is one, too; the first that is there is taken."""


def choose_pair(names: Sequence[str], columns: Columns) -> tuple[int, int] | None:
    """The columns of a table that hold topics and documents, as the user names them, else by their usual names; None
    where one of them is unclear."""
    by_name = places_by_name(names)
    usual = (TOPICS_OR_IDS, (EXCLUDED,)) if EXCLUDED in by_name else (QUERIES, DOCUMENTS)
    found = []
    for given, known in zip((columns.query, columns.doc), usual, strict=True):
        if given in names:
            found.append(list(names).index(str(given)))
        elif (at := first_usual(by_name, known)) is not None:
            found.append(at)
    if len(found) < 2 or found[0] == found[1]:
        return None
    columns.met.update(dict.fromkeys(names))
    return found[0], found[1]


def find_known(names: Sequence[str]) -> str:
    """The first name that is usual for a column of topics or documents; empty: there is none."""
    return next((name for name in names if normal_name(name) in (*QUERIES, *DOCUMENTS)), "")


def number_pair(columns: Columns, width: int) -> tuple[int, int] | None:
    """The columns of topics and documents that the user numbers, from 0 here; None where these are not all there."""
    numbers = [int(one) - 1 for one in (columns.query, columns.doc) if one is not None and one.isdecimal()]
    if len(numbers) < 2 or not all(0 <= number < width for number in numbers) or numbers[0] == numbers[1]:
        return None
    return numbers[0], numbers[1]


RunKey: TypeAlias = tuple[str, ...]
"""What the columns that name runs say in a line; an empty text where one says nothing."""


def name_runs(keys: Collection[RunKey], columns: Sequence[str], place: str) -> dict[RunKey, str]:
    """The names of the runs that a table holds, by what its ``columns`` of names say in each line; an empty one where
    they say nothing.

    The first column that tells the runs apart names them, else all columns that differ do. Columns with gaps count
    where no other is there, and then name one run only.
    """
    places = range(len(columns))
    whole = [at for at in places if all(key[at] for key in keys)]
    if not whole:
        names = dict.fromkeys(cell for key in keys for cell in key if cell)
        if len(names) > 1:
            raise InputError(
                f"{place}: column {columns[0]} names {len(names)} runs ({_list(list(names), 3)}), and is empty in some "
                "lines; fill it there"
            )
        return dict.fromkeys(keys, next(iter(names), ""))
    runs = dict.fromkeys(tuple(key[at] for at in whole) for key in keys)
    cells = [dict.fromkeys(run[at] for run in runs) for at in range(len(whole))]
    telling = [at for at in range(len(whole)) if len(cells[at]) == len(runs)]
    named = telling[:1] or [at for at in range(len(whole)) if len(cells[at]) > 1]
    return {key: " ".join(key[whole[at]] for at in named) for key in keys}


def require_one_run(values: Collection[str], column: str, place: str) -> None:
    """Refuse a table whose column of the name of the run has several values."""
    if len(values) > 1:
        raise InputError(
            f"{place}: column {column} has {len(values)} values ({_list(list(values), 3)}); a file or frame holds one "
            "run: make one for each value, or drop the column"
        )


def several_runs(names: Sequence[str], place: str, remedy: str) -> InputError:
    """The error for several runs where one is asked for."""
    return InputError(f"{place}: holds {len(names)} runs ({_list(names, 3)}), by the column that names them; {remedy}")


def keys_beside(names: Sequence[str], keys: Mapping[str, str], kind: InputKind, columns: Columns) -> dict[str, str]:
    """The keys of folders, as ``topic`` in ``topic=301/part-0.csv``, that hold what no column of a table holds."""
    if not keys:
        return {}
    values = GRADES if kind == "qrels" else (*SCORES, *RANKS)
    beside: dict[str, str] = {}
    roles = ((columns.query, QUERIES), (columns.doc, DOCUMENTS), (columns.of_values(kind), values))
    for given, usual in roles:

        def has_role(name: str, given: str | None = given, usual: Sequence[str] = usual) -> bool:
            return name == given or normal_name(name) in usual

        if not any(map(has_role, names)):
            beside |= {key: value for key, value in keys.items() if has_role(key)}
    return beside


def is_name_of_run(name: str) -> bool:
    """Is it usual for a column that names runs?"""
    return normal_name(name) in RUNS


def describe_naming(name: str, *, nameable: bool = True, columns: Columns = GUESSED) -> str:
    """What to do where an unknown column tells apart the documents that a topic has several times; ``nameable``: may
    the user name columns? ``columns``: those that are named."""
    if not nameable:
        return f"if {name!r} names runs, call it run"
    absent = "" if columns.run is None else f"no column is called {columns.run!r}; "
    how = f"say so: {_how_to_name({'run': name})}"
    return f"{absent}if {name!r} names runs, {how}"


def place_among_runs(name: str) -> int:
    """Where it stands among the usual names of such a column; other names come last."""
    return RUNS.index(normal_name(name)) if is_name_of_run(name) else len(RUNS)


def is_name_of_column(name: str) -> bool:
    """Is it usual for a column of topics, documents, grades, scores, ranks or names of runs?"""
    return normal_name(name) in {*QUERIES, *DOCUMENTS, *GRADES, *SCORES, *RANKS, *RUNS}


def are_mostly_known(names: Sequence[str], columns: Columns) -> bool:
    """Are two of topics, documents and values told by these names, whatever else there is? So ids are not."""
    given = {normal_name(name) for name in names}
    chosen = (columns.query, columns.doc, columns.grade or columns.score or columns.rank)
    usual = (QUERIES, DOCUMENTS, (*GRADES, *SCORES, *RANKS))
    return sum(one in names or not given.isdisjoint(known) for one, known in zip(chosen, usual, strict=True)) > 1


TIME = r"\d{9,10}|\d{12,13}"
"""Seconds since 1970, or thousandths of them, from 1973 to 2286."""
RATING = r"\d{1,3}(\.\d+)?"


def is_rating(value: str, time: str) -> bool:
    """Do two cells read as a rating and its time?"""
    return bool(re.fullmatch(TIME, time) and re.fullmatch(RATING, value))


def refuse_time(document: str, grade: str, where: str) -> None:
    """Refuse a grade without a name of its own that looks like a time, in a line of judgments: so MovieLens's u.data
    reads as one (user, item, rating, time), whose column of documents holds the rating."""
    if is_rating(document, grade):
        raise InputError(
            f"{where}: the grade {grade} looks like a time, as in ratings (user, item, rating, time); name the "
            "columns by their numbers: --columns query=1,doc=2,grade=3, or columns= in Python"
        )


def refuse_time_of_pair(grade: str, where: str) -> None:
    """Refuse a time as the grade of a pair in a line of separated columns without names: user, item, time."""
    if re.fullmatch(TIME, grade):
        raise InputError(
            f"{where}: the grade {grade} looks like a time; write a first line with names, as in user,item,timestamp "
            "(each pair is then relevant); or number the columns: --columns query=1,doc=2,grade=3 (columns= in Python)"
        )


def normal_name(name: str) -> str:
    """A name in lower case, with ``_`` for ``-``, dots and blanks, and without the type that RecBole adds to it."""
    return re.sub(r"[-\s.]+", "_", re.sub(r":(token|float)(_seq)?$", "", name.strip().lower()))


def places_by_name(names: Sequence[str]) -> dict[str, int]:
    """Where each normal name first stands."""
    return {normal_name(str(name)): place for place, name in reversed([*enumerate(names)])}


def first_usual(by_name: Mapping[str, T], usual: Iterable[str]) -> T | None:
    """What the first of the usual names that is there stands for; None: none is there."""
    return next((by_name[name] for name in usual if name in by_name), None)


def find_documents(names: Iterable[Any]) -> Any | None:
    """The column of a table that names the documents, by its usual name; None: there is none. It is no feature."""
    return first_usual({normal_name(str(name)): name for name in reversed([*names])}, DOCUMENTS)


def _is_distance(name: str) -> bool:
    """Is it the name of a distance, as in _distance of LanceDB?"""
    return not {"distance", "distances", "dist"}.isdisjoint(normal_name(name).split("_"))


def _list(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(name.strip() or "one without a name" for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown or "no columns"
