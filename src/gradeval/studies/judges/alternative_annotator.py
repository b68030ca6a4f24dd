"""May a language model replace one of several human annotators?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Anything, Number
from gradeval.collection.qrels import Qrels
from gradeval.files.accepted import Judgments, as_qrels
from gradeval.formula.arithmetic import SAME, Array
from gradeval.messages import list_some, nearest, plural
from gradeval.studies.judges.accepted_judges import name_judges
from gradeval.studies.machine_grades import about_negative, only_graded
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import Data
from gradeval.tables.grid import Cell, Column, Grid, write_p
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

FEWEST = 3
"""Annotators, the model not counted, from which on the test says something."""
ENOUGH = 30
"""Topics, or documents, that an annotator shares with others from which on the t test is trusted."""
PASSES = 0.5
"""The share of the annotators for whom the model must be able to stand in."""

Alignment = Literal["distance", "agreement"]


@dataclass(frozen=True, eq=False, repr=False)
class Substitution(Result):
    """For which annotators a model may stand in.

    Attributes
    ----------
    model, annotators : the names of the model and of the humans.
    advantage : float64[annotator]: rho_f, the share of documents on which the model is at least as close to the other
        annotators as this one is.
    human : float64[annotator]: rho_h, the share on which this annotator is at least as close as the model is.
    p, corrected : float64[annotator]: of the test that the model is worse by epsilon or more, and by Benjamini and
        Yekutieli over the annotators.
    documents, topics : int64[annotator]: how many this annotator, the model and another annotator judged.
    winning_rate : omega, the share of the annotators for whom the test rejects at alpha.
    average_advantage : rho, the mean of ``advantage`` over the annotators.
    epsilon, alpha, by, alignment : the parameters.
    """

    model: str
    annotators: list[str]
    advantage: Array
    human: Array
    p: Array
    corrected: Array
    documents: Array
    topics: Array
    epsilon: float
    alpha: float
    by: str
    alignment: str

    @property
    def winning_rate(self) -> float:
        """omega: the share of the annotators for whom the model may stand in."""
        return float((self.corrected < self.alpha).mean())

    @property
    def average_advantage(self) -> float:
        """rho: how often the model is at least as close to the others as a human is, over the annotators."""
        return float(self.advantage.mean())

    @property
    def answer(self) -> str:
        """May the model stand in, in a sentence."""
        won = int((self.corrected < self.alpha).sum())
        may = "may" if self.winning_rate >= PASSES else "may not"
        return (
            f"{self.model} {may} stand in for an annotator; it is shown to be at most {self.epsilon:g} worse than "
            f"{won} of {plural(len(self.annotators), 'annotator')} (winning rate {self.winning_rate:.2f}, "
            f"needed {PASSES:g}; average advantage {self.average_advantage:.2f})"
        )

    def table(self, digits: int = 3) -> Table:
        """A row an annotator."""
        spec = f".{digits}f"
        columns = [Column("annotator", "name"), Column("topics", spec="d"), Column("documents", spec=",d")]
        columns += [Column(title, spec=spec) for title in ("model advantage", "annotator advantage")]
        columns += [Column("p", "text"), Column("p (by)", "text"), Column("may stand in", "text")]
        rows: list[list[Cell]] = []
        for place, name in enumerate(self.annotators):
            counts = [int(self.topics[place]), int(self.documents[place])]
            shares = [float(self.advantage[place]), float(self.human[place])]
            levels = [float(self.p[place]), float(self.corrected[place])]
            tests = [write_p(one, 4) for one in levels]
            rows.append([name, *counts, *shares, *tests, "yes" if levels[1] < self.alpha else "no"])
        records = Records.over(
            {"judge": [self.model], "annotator": self.annotators},
            statistic="advantage",
            value=self.advantage[None],
            human=self.human[None],
            p=self.p[None],
            corrected=self.corrected[None],
            epsilon=self.epsilon,
            alpha=self.alpha,
            topics=self.topics[None],
            documents=self.documents[None],
        )
        return Table([Grid(columns, rows)], records, [str(note) for note in self.notes])


@study(
    chooses_measures=False,
    digits=3,
    examples="""
      gradeval alternative-annotator --judge a=a.txt --judge b=b.txt --judge c=c.txt --judge llm=llm.txt --candidate llm
      gradeval alternative-annotator --judge 'annotators/*.txt' --candidate gpt --epsilon 0.1 --by document""",
)
def alternative_annotator(
    assessors: Annotated[Mapping[str, Judgments], Data("[NAME=]QRELS", "judges")],
    /,
    *,
    alpha: Alpha = 0.05,
    candidate: Annotated[str, Anything("JUDGE")],
    epsilon: Annotated[float, Number(least=0.0, most=1.0)] = 0.2,
    alignment: Alignment = "distance",
    by: Literal["topic", "document"] = "topic",
) -> Substitution:
    """Test whether a model may stand in for a human annotator, by the alternative-annotator test.

    Each annotator j is left out in turn. On each document i that j, the model f and another annotator judged, both are
    compared with the annotators that are left, H:

        S(x, i, j) = -sqrt(mean over k in H of (x_i - h_k,i)^2)      (distance)
        S(x, i, j) = mean over k in H of [x_i = h_k,i]               (agreement)

    W_f = [S(f) >= S(h_j)] and W_h = [S(h_j) >= S(f)] say which is at least as close, rho_f and rho_h are their means.
    That the model is worse by epsilon or more, rho_f <= rho_h - epsilon, is tested by Student's t of W_h - W_f, against
    epsilon, one-sided. The winning rate omega is the share of the annotators for whom that is rejected, at a false
    discovery rate of alpha by Benjamini & Yekutieli (2001), under any dependence; from 0.5 on the model may stand in.

    Parameters
    ----------
    candidate : which of the assessors is the model. The others are the human annotators, at least three. Grades of the
        model below 0 are no grades and left out, with a note; such grades of humans count as grade 0.
    alpha : the false discovery rate over the annotators.
    epsilon : how much worse the model may be, as it is cheaper. 0.2 for experts, 0.15 for trained annotators, 0.1 for
        a crowd, as the authors advise.
    alignment : how close two grades are: by their distance, or only whether they are equal.
    by : what is drawn: topics, or documents. Documents of a topic share their difficulties (the variance is then of
        sums over topics); or each document is drawn by itself, as in the paper.

    Raises
    ------
    InputError : fewer than three human annotators, an unknown model, an annotator that shares documents of fewer than
        two topics (or two documents) with the model and another annotator.
    Source: Calderon, Reichart & Dror (2025), "The alternative annotator test for LLM-as-a-judge", ACL, section 3.
    Departure: by topics, unless ``by`` says otherwise.
    """
    from scipy.stats import false_discovery_control

    assessors = name_judges("assessors", assessors)
    names = list(assessors)
    if candidate not in names:
        raise InputError(
            f"candidate: no assessor {candidate!r}{nearest(candidate, names)}; they are {list_some(names)}"
        )
    annotators = [name for name in names if name != candidate]
    if len(annotators) < FEWEST:
        there = f"{'is' if len(annotators) == 1 else 'are'} {len(annotators)} beside {candidate}"
        raise InputError(
            f"the alternative-annotator test needs {FEWEST} human annotators or more, and there {there}; gradeval "
            "judges compares a model with one or two"
        )
    read = {name: as_qrels(judgments, name=name) for name, judgments in assessors.items()}
    read[candidate], below = only_graded(read[candidate], candidate)
    below += [note for name in annotators for note in about_negative(read[name], name)]
    grades, topic = _join(read)
    place = names.index(candidate)
    machine, human = grades[place], np.delete(grades, place, axis=0)
    tested = [
        _test_annotator(human, machine, topic, left_out, name, epsilon, alignment, by)
        for left_out, name in enumerate(annotators)
    ]
    advantage, rate, p, documents, topics = (np.array(column) for column in zip(*tested, strict=True))
    result = Substitution(
        model=candidate,
        annotators=annotators,
        advantage=advantage,
        human=rate,
        p=p,
        corrected=false_discovery_control(p, method="by"),
        documents=documents,
        topics=topics,
        epsilon=epsilon,
        alpha=alpha,
        by=by,
        alignment=alignment,
    )
    return replace(
        result, notes=[Note.answer(result.answer), *below, Note.method(_describe_test(result)), *_about_few(result)]
    )


def _join(assessors: Mapping[str, Qrels]) -> tuple[Array, Array]:
    """float64[assessor, document]: the grades, NaN where there is none, negative ones as 0; and intp[document]: topics.

    Documents are the pairs of topic and document that anybody judged.
    """
    read = [judgments.to_dict() for judgments in assessors.values()]
    pairs = {(topic, document): 0 for one in read for topic in one for document in one[topic]}
    topics = {topic: place for place, topic in enumerate(dict.fromkeys(topic for topic, _ in pairs))}
    grades = np.array([[one.get(topic, {}).get(document, np.nan) for topic, document in pairs] for one in read])
    return np.maximum(grades, 0.0), np.array([topics[topic] for topic, _ in pairs], np.intp)


def _test_annotator(
    human: Array, machine: Array, topic: Array, left_out: int, name: str, epsilon: float, alignment: str, by: str
) -> tuple[float, float, float, int, int]:
    """rho_f, rho_h, p, and how many documents and topics there are, with one annotator of human[annotator, document]
    left out."""
    others = np.delete(human, left_out, axis=0)
    own = human[left_out]
    shared = ~np.isnan(own) & ~np.isnan(machine) & ~np.isnan(others).all(0)
    others, own, machine, topic = others[:, shared], own[shared], machine[shared], topic[shared]
    units = topic if by == "topic" else np.arange(len(topic))
    if len(np.unique(units)) < 2:
        raise InputError(
            f"{name} shares documents of {plural(len(np.unique(topic)), 'topic')} ({len(topic)} in all) with the model "
            "and another annotator; two are needed"
        )
    closeness = _distance if alignment == "distance" else _agreement
    model, person = closeness(machine, others), closeness(own, others)
    alike = np.abs(model - person) <= SAME * np.abs(np.concatenate([machine, own])).max(initial=1.0)
    model_wins, person_wins = (model > person) | alike, (person > model) | alike
    p = p_of_excess(person_wins.astype(float) - model_wins, units, epsilon)
    return float(model_wins.mean()), float(person_wins.mean()), p, len(topic), len(np.unique(topic))


def _distance(grades: Array, others: Array) -> Array:
    """float64[document]: -RMSE to others[annotator, document], where these have a grade."""
    return np.asarray(-np.sqrt(np.nanmean(np.square(grades - others), axis=0)))


def _agreement(grades: Array, others: Array) -> Array:
    """float64[document]: the share of others[annotator, document] with the same grade."""
    return np.asarray(np.nanmean(np.where(np.isnan(others), np.nan, grades == others), axis=0))


def p_of_excess(differences: Array, units: Array, epsilon: float) -> float:
    """p of H0: the mean of differences[document] is epsilon or more, by Student's t over units[document].

    m = sum d / N and t = (m - epsilon) / se with se^2 = U / (U - 1) sum_u (sum_{d in u} (d - m))^2 / N^2 over the U
    units; where each document is a unit that is the t test of the paper. Where no unit differs from another there is no
    t: with a mean of epsilon, and differences of at most 1, a unit is m or less with a probability of at most
    (1 - epsilon) / (1 - m), or 1 - epsilon for an m below 0, and all U units are with its power U.
    """
    from scipy.special import stdtr

    mean = differences.mean()
    _, place = np.unique(units, return_inverse=True)
    sums = np.bincount(place, differences - mean)
    error = float(np.sqrt(len(sums) / (len(sums) - 1) * np.square(sums).sum())) / len(differences)
    if error <= SAME:  # every unit says the same: were the mean epsilon, so many would with at most this probability
        return float(((1 - epsilon) / (1 - max(mean, 0.0))) ** len(sums)) if mean < epsilon else 1.0
    return float(stdtr(len(sums) - 1, (mean - epsilon) / error))


def _describe_test(result: Substitution) -> str:
    units = "topics" if result.by == "topic" else "documents"
    return (
        f"each annotator is left out in turn; who is nearer to the others by {result.alignment}, {result.model} or "
        f"this annotator?; one-sided t over {units} against {result.epsilon:g}; Benjamini and Yekutieli at "
        f"{result.alpha:g}"
    )


def _about_few(result: Substitution) -> list[Note]:
    counts = result.topics if result.by == "topic" else result.documents
    few = [f"{name} {count}" for name, count in zip(result.annotators, counts.tolist(), strict=True) if count < ENOUGH]
    text = f"the t test is not sure with fewer than {ENOUGH} {result.by}s ({list_some(few)})"
    return [Note.doubt(text)] if few else []
