"""The usual names of columns, and how names are compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

T = TypeVar("T")

InputKind: TypeAlias = Literal["qrels", "run"]

RowsOfTable: TypeAlias = Callable[[], Iterable[Sequence[Any]]]
"""The rows of a table, with the cells in the order of its names."""

USERS = (
    "user_id userid user reviewerid reviewer_id uid user_idx customer_id customerid customer visitor_id visitorid "
    "session_id sessionid"
).split()
QUERIES = (
    "query_id qid queryid q_id question_id questionid topic topic_id topicid query_no qno query topic_no "
    "question search_term search_query keyword user_input query_text search_id searchid srch_id"
).split() + USERS
DOCUMENTS = (
    "doc_id docno corpus_id docid pid passage_id did document_id doc_no document_no documentid passage document doc "
    "chunk_id chunkid chunk node_id context_id "
    "item_id itemid item movie_id movieid movie product_id productid product sku asin parent_asin business_id iid "
    "article_id page_id url uri link item_idx recommended_item recommended_item_id "
    "artist_id artistid track_id trackid song_id songid book_id bookid isbn video_id news_id recipe_id anime_id "
    "game_id listing_id listingid offer_id offerid hotel_id hotelid prop_id property_id propertyid accommodation_id "
    "place_id poi_id restaurant_id ad_id adid job_id jobid vacancy_id post_id photo_id image_id course_id app_id "
    "podcast_id episode_id show_id paper_id"
).split()
GRADES = (
    "relevance rel grade label relevancy judgment judgement rating overall stars r_ui esci_label qrel gain "
    "relevance_grade relevance_label human_grade human_label gold gold_label relevant is_relevant llm_grade llm_label "
    "score relevance_score"
).split()
MOST_GRADES = 30
"""Different grades up to which a column called score is taken for one of grades."""
HIGHEST_GRADE = 10
"""Whole numbers up to this may be grades."""
SCORES = "score sim similarity rsv relevance_score prediction pred predicted_rating est y_pred y_score".split()
TIMES = "timestamp time unixreviewtime unix_timestamp date datetime".split()
RANKS = "rank ranking position doc_position".split()
PLACES = "pos slot".split()
CLICKS = "click clicked is_click is_clicked clicks".split()
SESSIONS = "session session_id sessionid sid search_id searchid impression_id request_id visit_id".split()
RUNS = "run run_id runid run_name run_tag system system_id system_name model model_name tag".split()
LIKELY_RUNS = "retriever algorithm algo recommender ranker method variant experiment config configuration".split()
ARMS = ("arm ab ab_test ab_group test_group test_arm experiment_group treatment bucket cohort group condition").split()
FOLDS = "fold folds fold_id fold_no fold_nr cv cv_fold split split_id".split()
MEASURES = "measure metric measure_name metric_name".split()
VALUES = "value score metric_value".split()
"""The usual names, in lower case and with ``_`` for ``-`` and blanks; of several that are there the first is taken.

PyTerrier's frames have ``docno``, the id, and ``docid``, a number of its own. In recommendation users are the topics
and items the documents: MovieLens, Recommenders and RecBole call them so, Surprise (uid, iid, r_ui, est), and the
ratings of Amazon (reviewerID, asin, overall) and of Yelp (business_id, stars). Retrieval for language models has
questions and chunks, shops have search terms and sku. Columns of LIKELY_RUNS name runs only where they tell documents
apart that a topic has several times; columns of PLACES
hold ranks in logs, and columns of ARMS name the sides of an experiment, and are proposed only."""


def find_called(names: Sequence[str], usual: Collection[str], chosen: Collection[int]) -> list[int]:
    """The columns with one of the usual names, other than the ``chosen`` ones."""
    return [at for at, name in enumerate(names) if normal_name(name) in usual and at not in chosen]


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


GRADE_WORDS = frozenset(
    "relevance relevancy relevant rel grade label judgment judgement judged qrel rating stars gold golden truth true "
    "target expected actual reference positive clicked click ideal y".split()
)
"""Words in the names of columns that hold what a run is judged by: grades, clicks and documents that are right."""


def is_name_of_judged(name: str) -> bool:
    """Does it speak of grades or of right documents, as labels, myGrade and gold_doc do? Such a column is no score.

    Names of scores are none, as relevance_score, although judgments may be called so, too."""
    if normal_name(name) in SCORES:
        return False
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return normal_name(name) in GRADES or not GRADE_WORDS.isdisjoint(words | {word.removesuffix("s") for word in words})


LAST_WORDS = {"id", "ids", "no", "nr", "key", "uuid", "guid", "idx"}
"""The last words of names that ids have, as in unit_id, itemNo and product-key."""


def is_name_of_id(name: str) -> bool:
    """Is it usual for a column of ids: of documents, of queries, of users or of anything?"""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z\W_]+", name)
    return normal_name(name) in {*QUERIES, *DOCUMENTS} or (len(words) > 1 and words[-1].lower() in LAST_WORDS)


def find_known(names: Sequence[str]) -> str:
    """The first name that is usual for a column of topics or documents; empty: there is none."""
    return next((name for name in names if normal_name(name) in (*QUERIES, *DOCUMENTS)), "")


SEGMENTS = frozenset(
    "segment locale lang language country market marketplace region store shop site tenant device platform".split()
)
"""Words in the usual names of columns that tell queries of one text apart, as in product_locale."""


def is_segment(name: str) -> bool:
    """Is it usual for a column that tells queries of one text apart?"""
    return not SEGMENTS.isdisjoint(normal_name(name).split("_"))


def find_segments(names: Sequence[str], query: int) -> list[int]:
    """The columns that may tell queries of one text apart, where the column of the topics is none of ids."""
    if normal_name(names[query]).endswith("id"):
        return []
    return [at for at, name in enumerate(names) if at != query and is_segment(name)]


def is_name_of_run(name: str) -> bool:
    """Is it usual for a column that names runs?"""
    return normal_name(name) in RUNS


def place_among_runs(name: str) -> int:
    """Where it stands among the usual names of such a column; other names come last."""
    return RUNS.index(normal_name(name)) if is_name_of_run(name) else len(RUNS)


def is_name_of_column(name: str) -> bool:
    """Is it usual for a column of topics, documents, grades, scores, ranks or names of runs?"""
    return normal_name(name) in {*QUERIES, *DOCUMENTS, *GRADES, *SCORES, *RANKS, *RUNS}


def normal_name(name: str) -> str:
    """A name in lower case, with ``_`` for ``-``, dots and blanks, and without the type that RecBole adds to it."""
    return re.sub(r"[-\s.]+", "_", re.sub(r":(token|float)(_seq)?$", "", name.strip().lower()))


def places_by_name(names: Sequence[str]) -> dict[str, int]:
    """Where each normal name first stands."""
    return {normal_name(str(name)): place for place, name in reversed([*enumerate(names)])}


def first_usual(by_name: Mapping[str, T], usual: Iterable[str]) -> T | None:
    """What the first of the usual names that is there stands for; None: none is there."""
    return next((by_name[name] for name in usual if name in by_name), None)


def find_column(names: Sequence[str], given: str | None, usual: Iterable[str]) -> int | None:
    """Where the column stands that the user names, else the first with a usual name; None: neither is there."""
    return [*names].index(str(given)) if given in names else first_usual(places_by_name(names), usual)


def find_documents(names: Iterable[Any]) -> Any | None:
    """The column of a table that names the documents, by its usual name; None: there is none. It is no feature."""
    return usual_column(names, DOCUMENTS)


def usual_column(names: Iterable[T], usual: Iterable[str]) -> T | None:
    """The first of the usual names that is there, as it is spelled; None: none is there."""
    return first_usual({normal_name(str(name)): name for name in reversed([*names])}, usual)


def show_names(names: Sequence[str], most: int = 8) -> str:
    """The names of columns, as messages list them."""
    shown = ", ".join(name.strip() or "one without a name" for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown or "no columns"
