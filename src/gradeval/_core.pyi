"""The compiled core: text, mappings and columns become lines, and runs meet judgments. Private to gradeval.

Ids are str; arrays are read-only views without a copy. Errors of input are InputError, one line that says
place, given, accepted, remedy. Which one is reported does not depend on the number of threads: it is what a
reader meets first who goes from the first run, first line on.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

Ties: TypeAlias = Literal["docid", "docid-float32", "order"]

# A column of strings as Arrow's large_string lays it out: offsets (rows + 1) into data. Dictionary-encoded:
# offsets and data of the dictionary, and a code for each row. Arrays must be contiguous and of just these
# types; nulls are not known here.
Offsets: TypeAlias = NDArray[np.int64]
Data: TypeAlias = NDArray[np.uint8]
StringColumn: TypeAlias = tuple[Offsets, Data] | tuple[Offsets, Data, NDArray[np.int32]]
Numbers: TypeAlias = NDArray[np.float64]

ONCE_IN_RUN: str
ONCE_IN_QRELS: str
"""What to do about a document that comes twice in a topic."""

class InputError(ValueError):
    """Input that cannot be accepted; ``gradeval.messages`` says of which parts its message is made."""

    places: tuple[Any, ...]
    def __init__(self, *parts: Any) -> None: ...
    @property
    def sentence(self) -> str: ...
    @property
    def given(self) -> list[Any]: ...
    def within(self, place: Any) -> Self: ...
    def followed_by(self, words: str) -> Self: ...
    def write(self, spell: Callable[[Any], str] = ...) -> str: ...

def read_file(descriptor: int, where: str, threads: int = 0) -> bytes:
    """All bytes of an open regular file. InputError where it changes meanwhile; OSError is not raised."""

class Pools:
    """The judged documents of each topic, hashed for the meeting with runs; immutable. Can be pickled."""

    @staticmethod
    def of_bytes(data: Buffer, where: str, repeated: str = "refuse") -> Pools:
        """TREC qrels, lines `topic iteration document grade`; `where` names the source in errors. `repeated`: which
        grade counts where a topic has a document several times: "same" (there may be only one, in lines that are
        alike), "first", "best" or "mean"; "refuse": it may come once."""
    @staticmethod
    def of_mapping(mapping: Mapping[str, Mapping[str, float]], where: str, repeated: str = "refuse") -> Pools:
        """From {topic: {document: grade}}; a topic may have no documents."""
    @staticmethod
    def of_columns(
        topics: StringColumn, documents: StringColumn, grades: Numbers, where: str, repeated: str = "refuse"
    ) -> Pools:
        """From columns of one length; errors name rows, counted from 0."""
    @property
    def repeated(self) -> int:
        """How many judgments came again of a document, and are no document of their own."""
    @property
    def topics(self) -> list[str]:
        """In order of first appearance."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """[topics + 1]: the documents of topic t are offsets[t]:offsets[t + 1]."""
    @property
    def grades(self) -> NDArray[np.float64]:
        """[documents]: as given, in the given order inside a topic."""
    def documents(self, topic: int) -> list[str]:
        """Ids of the documents of a topic, in the order of its grades."""
    def select(self, topics: Sequence[int]) -> Pools:
        """The pools of some distinct topics, in the order given. IndexError; ValueError for a topic twice."""
    def without(self, itself: bool, pairs: tuple[Pools, ...]) -> tuple[Pools, bytes]:
        """The pools of the documents that are in none of ``pairs``, nor (``itself``) called as their topic; and a byte
        for each document of these pools: is it left? Topics that lose all are left out."""

class Lines:
    """The lines of one run; immutable. Text and columns are kept alive, and read when somebody asks.

    A text that is in a file is read from there each time, in ranges; an InputError says where the file is no longer
    what it was in the beginning. Can be pickled, with all its text.
    """

    @staticmethod
    def of_bytes(data: Buffer, where: str) -> Lines:
        """TREC run, lines `topic Q0 document rank score tag`. Reads nothing yet."""
    @staticmethod
    def of_file(path: bytes, where: str) -> Lines:
        """The same from a regular file; the path is one of os.fsencode(). Reads nothing but the first bytes yet."""
    @staticmethod
    def of_mapping(mapping: Mapping[str, Mapping[str, float]], where: str, ranks: Numbers | None = None) -> Lines:
        """From {topic: {document: score}}, copied. Scores: int, float, NumPy scalars; finite, no bool.

        ranks: those that the source gives with the scores, of all lines in their order; NaN: none."""
    @staticmethod
    def of_columns(
        topics: StringColumn, documents: StringColumn, scores: Numbers, where: str, ranks: Numbers | None = None
    ) -> Lines:
        """From columns of one length, not copied; errors name rows, counted from 0. ranks: see of_mapping."""
    def keeping(self, repeated: Literal["first", "best"]) -> Lines:
        """The same lines, of which the first or the best one of each document counts. Without it a document that comes
        twice in a topic is an InputError."""
    def tag(self) -> str | None:
        """The tag of the first line of a text (no other is looked at); None for mappings and columns."""
    def topics(self) -> list[str]:
        """In order of first appearance. Reads and checks everything, the first time."""
    def of(self, topic: str) -> dict[str, float]:
        """{document: score} of a topic, in the given order; KeyError where the run has no such topic."""
    def __len__(self) -> int:
        """Number of lines. Reads and checks everything, the first time."""

class Met:
    """What remains of runs that met their judgments. Row r = run * topics + topic."""

    @property
    def rank(self) -> NDArray[np.int32]:
        """[entries]: ranks of the retrieved documents of the pool, from 1, row by row, ascending in a row."""
    @property
    def document(self) -> NDArray[np.int32]:
        """[entries]: which one it is; its grade is pools.grades[pools.offsets[topic] + document]."""
    @property
    def first(self) -> NDArray[np.int32]:
        """[entries]: the first rank of the lines with the same score; empty without tied_ranks."""
    @property
    def last(self) -> NDArray[np.int32]:
        """[entries]: the last one."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """[runs * topics + 1]: the entries of row r are offsets[r]:offsets[r + 1]."""
    @property
    def retrieved(self) -> NDArray[np.int32]:
        """[runs, topics]: lines of the topic in the run; 0 where the run misses it."""
    @property
    def tied(self) -> NDArray[np.int32]:
        """[runs, topics]: how many of them share their score, as compared, with another line of the topic."""
    @property
    def contradicting(self) -> NDArray[np.int32]:
        """[runs, topics]: how often the score rises from one rank to the next, where the run gives ranks, too."""
    @property
    def repeated(self) -> NDArray[np.int32]:
        """[runs, topics]: lines left out by Lines.keeping(), which `retrieved` does not count."""
    @property
    def excluded(self) -> NDArray[np.int32]:
        """[runs, topics]: likewise lines that must not count."""
    @property
    def itself(self) -> NDArray[np.uint8]:
        """[runs, topics]: 1 where the first document is called as its topic, and not in the pool."""
    @property
    def tags(self) -> list[str | None]:
        """Lines.tag() of each run."""
    @property
    def skipped(self) -> list[tuple[int, int, str] | None]:
        """By run: of the comments of a text that have six columns the number, the line of the first, and its text."""
    @property
    def unjudged_topics(self) -> list[list[str]]:
        """For each run its topics without judgments, in order of first appearance."""

def judge(
    pools: Pools,
    runs: Sequence[Lines],
    ties: Ties = "docid",
    threads: int = 0,
    part_bytes: int = 0,
    tied_ranks: bool = False,
    itself: bool = False,
    pairs: tuple[Pools, ...] = (),
) -> Met:
    """Runs meet judgments: every line is read and checked, topics are ranked, documents of the pool are kept.

    ties: "docid": score descending, then document id descending by bytes (trec_eval 10); "docid-float32": the
        same with scores in single precision (trec_eval up to 9.0.8); "order": equal scores stay in the given
        order. -0.0 equals 0.0.
    threads: 0 takes all cores.
    part_bytes: how much of a run a thread takes at a time, 0: chosen by size. It changes nothing but speed.
    tied_ranks: also tell, for each document, which ranks the lines with its score have.
    itself, pairs: the document that is called as its topic, and the documents of these pools, leave the rankings;
        ranks and scores are compared before.
    """

def judge_mappings(
    pools: Pools,
    mappings: Sequence[Mapping[str, Mapping[str, float]]],
    names: Sequence[str],
    ties: Ties = "docid",
    tied_ranks: bool = False,
    itself: bool = False,
    pairs: tuple[Pools, ...] = (),
) -> Met | None:
    """judge() of Lines.of_mapping() of each, without a copy; ``names`` name them in errors.

    None where one is, or holds, anything but dict, str, float and int: then it has to be copied. It holds the lock of
    Python, and takes one core.
    """

class Letor:
    """Features for learning to rank, query by query: a dense table that is the caller's own."""

    @staticmethod
    def of_bytes(
        data: Buffer,
        where: str,
        sizes: NDArray[np.int64] | None = None,
        width: int = 0,
        threads: int = 0,
        part_bytes: int = 0,
        lines_before: int = 0,
    ) -> Letor:
        """SVMlight with queries, lines `grade qid:query index:value ... # comment`.

        sizes: the number of rows of each query, where lines have no qid.
        width: the number of features; 0: as many as there are.
        threads, part_bytes: see judge(). lines_before: in the file, which errors count.

        The text must not change meanwhile; where its second reading shows other rows, that is an InputError.
        Absent features are 0; NULL is the least value of the feature in its query (0 where there is none). The largest
        double is a missing value.
        """
    @staticmethod
    def of_file(
        path: bytes,
        where: str,
        sizes: NDArray[np.int64] | None = None,
        width: int = 0,
        threads: int = 0,
        part_bytes: int = 0,
    ) -> Letor:
        """The same from a regular file, which is read in ranges; the path is one of os.fsencode()."""
    @property
    def X(self) -> NDArray[np.float32] | NDArray[np.float64]:
        """[rows, features], rows contiguous, writable. Numbers below 2^24 are in single precision, others as they are:
        where single precision does not hold one of these, all are doubles."""
    @property
    def sample(self) -> NDArray[np.float64]:
        """[some rows, features]: the first rows as they are written."""
    @property
    def largest(self) -> int:
        """How many values were the largest double."""
    @property
    def of_feature(self) -> int:
        """The index of the feature of the first of these."""
    @property
    def grades(self) -> NDArray[np.float64]:
        """[rows], writable."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """[queries + 1]: the rows of query q are offsets[q]:offsets[q + 1]."""
    @property
    def queries(self) -> list[str]:
        """In the order of the text; empty where their sizes were given."""
    @property
    def documents(self) -> tuple[Offsets, Data]:
        """[rows]: the id that the comment of each row says (#docid = ID), else an empty one."""
    @property
    def first(self) -> int:
        """Index of the feature in column 0: 0 where there is a feature 0, else 1."""

def nest_values(values: NDArray[np.float64], rows: list[str], columns: list[str]) -> dict[str, dict[str, float]]:
    """``{row: {column: value}}`` of values[row, column], which are contiguous."""

class Program:
    """What formulas compute of a ranking, step by step (see ``gradeval.formula.recording``); immutable."""

    def __init__(
        self,
        steps: Sequence[tuple[str, int, int, int]],
        numbers: Sequence[float],
        tables: Sequence[Sequence[float]],
        given: Sequence[int],
    ) -> None:
        """Steps with their operands, which are steps before them, or places in numbers, in tables, or in what is known
        of each pool; ``given``: the steps whose numbers are the values of the program."""

    def score_rows(
        self,
        rank: NDArray[np.float64],
        document: NDArray[np.int32],
        offsets: NDArray[np.int64],
        retrieved: NDArray[np.int32],
        grades: NDArray[np.float64],
        judged: NDArray[np.bool_],
        first: NDArray[np.int64],
        of_pool: NDArray[np.float64],
        values: NDArray[np.float64],
    ) -> None:
        """Fill values[row, value] for rows as in ``JudgedRuns``, whose topics are as in ``first``;
        of_pool[topic, number] is what the program needs to know of each."""
    def score_rectangle(
        self,
        grades: NDArray[np.float64],
        ranks: NDArray[np.float64],
        judged: NDArray[np.bool_],
        retrieved: NDArray[np.int64],
        of_pool: NDArray[np.float64],
        values: NDArray[np.float64],
    ) -> None:
        """Fill values[row, value] for rankings [row, j], padded by documents at infinity; of_pool[row, number] is what
        the program needs to know of the pool of each."""
    def score_mapping(
        self,
        pools: Pools,
        grades: NDArray[np.float64],
        judged: NDArray[np.bool_],
        of_pool: NDArray[np.float64],
        mapping: Mapping[str, Mapping[str, float]],
        where: str,
        ties: Ties,
        names: list[str],
        longest: int,
    ) -> dict[str, dict[str, float]] | None:
        """``{topic: {name: value}}`` of the judged topics of a mapping; None where a ranking is longer than ``longest``
        or the mapping holds something else than dict, str, float and int."""

def pack_places(scores: NDArray[Any], packed: NDArray[np.int64]) -> bool:
    """packed[..., j]: numbers that ascend as scores[..., j] fall, equal ones from place to place; all contiguous.

    Are all scores finite?
    """

def unpack_places(
    packed: NDArray[np.int64], scores: NDArray[Any], grades: NDArray[Any], order: NDArray[np.int32]
) -> bool:
    """order[..., j]: the places of documents from packed numbers, sorted, which become the bits of float64[..., j]:
    the grades in this order. False where the scores do not fall. All are contiguous."""

def take_in_order(values: NDArray[Any], order: NDArray[np.int32], ranked: NDArray[np.float64]) -> None:
    """ranked[..., j]: values[..., order[..., j]]; all contiguous."""

def count_levels(grades: NDArray[Any], there: NDArray[np.bool_] | None, counts: NDArray[np.int64]) -> int:
    """counts[..., level]: how often the grade ``level`` occurs in grades[..., j], where documents are there[..., j].

    The highest level that occurs (0 where none does), or -1 where a grade is none of the levels 0, 1, 2 ...: then the
    counts are incomplete. All are contiguous.
    """

def lay_out_rows(
    rank: NDArray[np.float64],
    document: NDArray[np.int32],
    grade: NDArray[np.float64],
    is_judged: NDArray[np.bool_],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    first: NDArray[np.int64],
    grades: NDArray[np.float64],
    ranks: NDArray[np.float64],
    judged: NDArray[np.bool_],
    documents: NDArray[np.int32],
) -> None:
    """Fill grades, ranks, judged and documents [row, j] of rows whose documents are begin .. end, with padding behind.

    ``document`` counts from ``first`` in ``grade`` and ``is_judged``, the documents of all pools. All are contiguous.
    """

def sum_down_to(
    terms: NDArray[np.float64] | NDArray[np.bool_],
    ranks: NDArray[np.float64],
    depths: NDArray[np.float64] | None,
    totals: NDArray[np.float64] | NDArray[np.int64],
) -> None:
    """totals[depth, ...]: the sums of terms[..., j] over ranks[..., j] <= depths[depth, ...], added from the top down.

    Ranks [..., j] or [j] ascend. Totals are int64 for bool, float64 for float64. All are contiguous. None: totals[...]
    are the sums of all terms.
    """

def sum_precision_down_to(
    hits: NDArray[np.bool_], ranks: NDArray[np.float64], depths: NDArray[np.float64] | None, totals: NDArray[np.float64]
) -> None:
    """The same where the term of a hit is its precision, the hits so far divided by the rank, and other terms are 0."""

def sum_weighted_down_to(
    values: NDArray[np.float64],
    ranks: NDArray[np.float64],
    depths: NDArray[np.float64] | None,
    totals: NDArray[np.float64],
    table: NDArray[np.float64],
) -> None:
    """The same where terms are the values, each times table[n] at its rank n, as in ``look_up``."""

def look_up(table: NDArray[np.float64], ranks: NDArray[np.float64], entries: NDArray[np.float64]) -> None:
    """entries[...]: table[n] at the ranks n [...], and its last entry beyond its end; all contiguous."""

def running_sums(terms: NDArray[np.float64] | NDArray[np.bool_], sums: NDArray[np.float64] | NDArray[np.int32]) -> None:
    """sums[..., j]: terms[..., 0] + ... + terms[..., j]; int32 for bool, float64 for float64; both contiguous."""

def largest_from(values: NDArray[np.float64], largest: NDArray[np.float64]) -> None:
    """largest[..., j]: the largest of values[..., j:]; both contiguous."""

def lambda_gradients(
    scores: Numbers,
    level: NDArray[np.int32],
    offsets: NDArray[np.int64],
    own: NDArray[np.float64],
    pairs: NDArray[np.float64] | None,
    weights: Numbers,
    starts: NDArray[np.int64],
    share: Numbers,
    stop: NDArray[np.float64] | None,
    sigma: float,
    truncation: int,
    normalise: bool,
    threads: int,
    distance: Numbers | None,
    gradient: Numbers,
    hessian: Numbers | None = None,
    loss: Numbers | None = None,
    draws: int = 0,
    gaussian: bool = False,
    spread: float = 1.0,
    seed: int = 0,
    values: Numbers | None = None,
    importance: Numbers | None = None,
) -> None:
    """Gradients of LambdaRank's loss by the scores, and hessians and losses, written into the arrays of these names.

    scores, level, gradient, hessian: [rows]; rows of query q are offsets[q]:offsets[q + 1].
    loss: [queries]. Where a score of a query is not finite, its results are NaN.
    own, pairs: [queries, levels], [queries, levels, levels], or one table for all queries. See kernels.pairs.
    stop: of a cascade, which has no pairs, as ``own``. See kernels.cascade.
    weights, starts: what the ranks are worth; weights of query q begin at weights[starts[q]].
    share: [queries], 1 / the normaliser, or 0 for an empty query.
    truncation: only pairs with one of so many first documents; 0: all pairs.
    normalise: a pair's weight is divided by 0.01 + the distance of its scores, then the gradients of a query by the
        sum of its pulls over its logarithm (LightGBM's lambdarank_norm).
    threads: 0 takes all cores; it changes nothing but speed.
    distance: [longest list], by the distance of two ranks what it adds to the weight of a pair, times the difference of
        the documents in ``own``; for NDCG-Loss2++.
    draws: the weights of pairs are means over so many rankings by the scores and noise, gaussian or Gumbel's, times
        ``spread``; ``seed`` and a query's scores and levels decide it. 0: the ranking by the scores alone.
    values: [queries], the measure for the rankings by the scores; see kernel_values.
    importance: [rows], what the weights of pairs are multiplied by for their better document.

    ValueError where the arrays do not fit together.
    """

def contest_values(
    scores: Numbers,
    level: NDArray[np.int32],
    offsets: NDArray[np.int64],
    own: NDArray[np.float64],
    pairs: NDArray[np.float64] | None,
    weights: Numbers,
    starts: NDArray[np.int64],
    share: Numbers,
    stop: NDArray[np.float64] | None,
    scale: float,
    logistic: bool,
    shifts: Numbers,
    chances: Numbers,
    bases: Numbers | None,
    coefficients: NDArray[np.float64] | None,
    ranks: int,
    logarithmic: bool,
    threads: int,
    values: Numbers,
    gradient: Numbers,
) -> None:
    """A measure of uncertain scores, values[query], and its gradient[row] by the scores; see lambda_gradients.

    A document is above another with the probability that the difference of their scores, over ``scale``, has by the
    Gaussian distribution, or by the logistic function.
    shifts, chances: the score of a document that is ranked is shifted by each of these; results are summed with these
        weights.
    bases, coefficients: what ranks are worth as a sum of exponentials, [bases], [1 or queries, bases], with contests
        independent of each other; or None.
    ranks: else by the distribution over so many ranks; 0: at the expected rank.
    logarithmic: an expected rank is worth 1 / log2(1 + rank); else by interpolation of 1 / the weights.

    Where a score of a query is not finite, its results are NaN. ValueError where the arrays do not fit together.
    """

def kernel_values(
    scores: Numbers,
    level: NDArray[np.int32],
    offsets: NDArray[np.int64],
    own: NDArray[np.float64],
    pairs: NDArray[np.float64] | None,
    weights: Numbers,
    starts: NDArray[np.int64],
    share: Numbers,
    stop: NDArray[np.float64] | None,
    threads: int,
    values: Numbers,
) -> None:
    """values[query]: a measure for the rankings by the scores, its mean over the orders of equal ones; see above.

    ValueError where the arrays do not fit together, or a score is NaN.
    """

def settle_lists(
    linear: NDArray[np.float64],
    pair: NDArray[np.float64],
    discount: NDArray[np.float64],
    length: NDArray[np.int64],
    mass: NDArray[np.float64],
    value: NDArray[np.float64],
    room: NDArray[np.float64],
    precision: NDArray[np.float64],
    rounds: int,
    x: NDArray[np.float64],
    logit: NDArray[np.float64],
    settled: NDArray[np.bool_],
    tried: NDArray[np.int64],
) -> None:
    """Steps from x and logit to stationary points of the entropy, of lists with these values and masses.

    linear, logit[list, class, rank], pair[list, class, class], discount[list, rank]; a class without mass is left as it
    is. settled[list]: was it found to ``precision``; tried[list]: after how many states, at most ``rounds``. ValueError
    where the arrays do not fit together.
    """
