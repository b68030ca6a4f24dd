"""Do the verdicts of ``judges`` hold? Judges of real collections are judged anew on draws of the runs and topics.

    python benchmarks/coverage/table.py verdicts --samples 100

All runs and topics of a collection give a verdict on each judge, the whole's; so do 10, 20 or 40 of its runs, and 10 or
20 of its topics, drawn without replacement. A draw contradicts the whole if one says that a judge is as good as is
asked and the other that it is below. A fifth of the draws is counted for significant differences. None of the real
judges is as good as is asked: judges that hardly err are made beside them, who draw a share of the humans' grades anew
from the humans' grades of the topic. "tau alone" is what the value of tau says without its bounds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from counting import markdown
from populations import folder

from gradeval import GradevalWarning, Qrels, Scores, evaluate, read_qrels
from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import Array
from gradeval.studies.judges.conclusions import Rule, correlate_means, ordered_means, resample_correlations, shares_of
from gradeval.studies.judges.favours import measure_shift
from gradeval.studies.judges.floors import compare_with_floor
from gradeval.studies.judges.labels import count_confusion, resample_alpha
from gradeval.studies.judges.regraded_runs import Side, compare_sides
from gradeval.studies.judges.verdicts import (
    AS_ONE,
    NUMBERS,
    JudgeVerdict,
    judge_differences,
    judge_labels,
    judge_order,
    judge_scores,
    weakest,
)

MEASURES = "GAP AP nDCG@10"
LEVELS = (0.0, 1.0, 2.0, 3.0)
RULE = Rule("t", "none", 0.05)
TOP_RUNS, SAMPLES, FLOORS, FEWER = 15, 200, 5, 60
ERRORS = (0.0, 0.01, 0.02, 0.05, 0.1)
"""The shares of the grades that made judges draw anew."""
DRAWS = {"runs": (10, 20, 40), "topics": (10, 20)}
WEAKEST = "the weakest"

Verdicts = dict[tuple[str, str], list[int]]
"""By use and measure, the answer for each judge as a number."""


@dataclass(frozen=True)
class Judged:
    """Scores of the runs by the humans, by judges, and by shuffled grades."""

    human: Scores
    judges: list[Scores]
    blind: list[Scores]

    def sel(self, **some: list[str]) -> Judged:
        """The scores of some runs or topics."""
        judges, blind = ([one.sel(**some) for one in each] for each in (self.judges, self.blind))
        return Judged(self.human.sel(**some), judges, blind)


def drawn_anew(human: Qrels, share: float, seed: int) -> Qrels:
    """The humans' grades, of which a share is drawn anew from the grades of the topic."""
    rng, found = np.random.default_rng(seed), {}
    for topic in human.topics:
        given = np.array(list(human.of(topic).values()))
        anew = np.where(rng.random(len(given)) < share, rng.permutation(given), given)
        found[topic] = dict(zip(human.of(topic), anew.tolist(), strict=True))
    return Qrels.from_dict(found, f"{share:.0%} drawn anew")


def read_judges(name: str) -> dict[str, Qrels]:
    """The judges of a folder; grades above 3 become 3."""
    found = {place.stem: read_qrels(place) for place in sorted((folder(name) / "judges").iterdir())}
    return {judge: one.recoded(dict.fromkeys(range(4, 10), 3.0)) for judge, one in found.items()}


def judge_runs(judged: Judged, seed: int, *, differences: bool) -> Verdicts:
    """The verdicts on the judges of some scores; on significant differences only where these are asked for."""
    human, topics = judged.human, len(judged.human.topics)
    weights = draw(topics, SAMPLES, seed)
    pairs = len(human.runs) * (len(human.runs) - 1) // 2

    def side_of(scores: Scores) -> Side:
        if differences:
            return Side.of(scores, weights, RULE)
        return Side(scores, ordered_means(scores), np.zeros((len(scores.measures), pairs)), [])

    truth = side_of(human)
    floors = correlate_means("kendall", truth.means, np.stack([ordered_means(one) for one in judged.blind]))
    again = resample_correlations("kendall", human, judged.blind, weights[:FEWER])
    shuffled = [Side.of(one, weights[:FEWER], RULE) for one in judged.blind] if differences else []
    taus = resample_correlations("kendall", human, judged.judges, weights)
    found: Verdicts = {}
    values = correlate_means("kendall", truth.means, np.stack([ordered_means(one) for one in judged.judges]))
    for column, measure in enumerate(human.measures):
        found["tau alone", str(measure)] = np.where(values[:, column] >= AS_ONE, 1, -1).tolist()
    for place, scores in enumerate(judged.judges):
        verdicts: dict[str, list[JudgeVerdict]] = {}
        for column, one in enumerate(
            compare_sides("kendall", truth, side_of(scores), TOP_RUNS, weights, taus[:, place], foresee=False)
        ):
            tau, blind = one.tau, (floors[:, column], again[:, :, column])
            skill = compare_with_floor(tau.value, tau.samples, *blind, topics, RULE.alpha, within=(-1, 1)).skill
            shift = measure_shift(human, scores, column, RULE.alpha, weights)
            verdicts.setdefault("order", []).append(judge_order(one, skill, RULE.alpha))
            verdicts.setdefault("absolute scores", []).append(judge_scores(shift, RULE.alpha))
            if differences:
                blind = _kept_by_shuffled(truth, shuffled, column)
                kept = compare_with_floor(
                    one.kept.value, one.kept.samples, *blind, topics, RULE.alpha, within=(0, 1)
                ).skill
                verdicts.setdefault("differences", []).append(judge_differences(one, kept, RULE.alpha))
        for use, each in verdicts.items():
            named = dict(zip(map(str, human.measures), each, strict=True)) | {WEAKEST: each[weakest(each)]}
            for measure, verdict in named.items():
                found.setdefault((use, measure), []).append(NUMBERS[verdict.answer])
    return found


def _kept_by_shuffled(truth: Side, shuffled: list[Side], measure: int) -> tuple[Array, Array]:
    """float64[floor], float64[sample, floor]: the shares of the humans' differences that shuffled grades keep."""
    human = truth.resampled[measure][:FEWER]
    return (
        np.array([shares_of(truth.signs[measure], one.signs[measure])[0] for one in shuffled]),
        np.stack([shares_of(human, one.resampled[measure])[:, 0] for one in shuffled], axis=-1),
    )


def judge_all_labels(counts: dict[str, Array], topics: Array, seed: int) -> Verdicts:
    """The verdicts on labels, from counts[topic, human grade, judge grade] by judge."""
    found = []
    for each in counts.values():
        known = each[topics][each[topics].any((-1, -2))]
        alpha = resample_alpha(known, draw(len(known), SAMPLES, seed))
        found.append(NUMBERS[judge_labels(alpha, len(known), RULE.alpha).answer])
    return {("labels", ""): found}


def count_labels(human: Qrels, judges: dict[str, Qrels]) -> dict[str, Array]:
    """By judge, float64[topic, human grade, judge grade]: the documents that both judged."""
    found = {}
    for name, judge in judges.items():
        pairs = [
            (max(0.0, grade), max(0.0, judge.of(topic)[document]), place)
            for place, topic in enumerate(human.topics)
            if topic in judge.topics
            for document, grade in human.of(topic).items()
            if document in judge.of(topic)
        ]
        ours, theirs, topic = map(np.array, zip(*pairs, strict=True))
        found[name] = count_confusion(ours, theirs, topic, len(human.topics), LEVELS)
    return found


def section(samples: int) -> str:
    """The tables of docs/judges/verdict.md."""
    warnings.simplefilter("ignore", GradevalWarning)
    warnings.simplefilter("ignore", RuntimeWarning)
    place = folder("trec-dl21-passage")
    human, files = read_qrels(place / "qrels.txt"), sorted((place / "runs").iterdir())

    def scored(grades: Qrels) -> Scores:
        return evaluate(grades.with_levels(LEVELS), files, MEASURES).sel(topics=human.topics)

    real = read_judges("trec-dl21-judges")
    made = {f"{share:.0%}": drawn_anew(human, share, number) for number, share in enumerate(ERRORS)}
    judged = Judged(
        scored(human),
        [scored(one) for one in (*real.values(), *made.values())],
        [scored(drawn_anew(human, 1.0, 100 + number)) for number in range(FLOORS)],
    )
    labels = {"2021": count_labels(human, real | made)}
    human23 = read_qrels(folder("trec-dl23-llmjudge") / "qrels.txt")
    labels["2023"] = count_labels(human23, read_judges("trec-dl23-llmjudge"))
    split = {"2021": len(real), "2023": len(labels["2023"])}
    whole = judge_runs(judged, 0, differences=True)
    of_labels = {
        year: judge_all_labels(each, np.arange(len(each[next(iter(each))])), 0) for year, each in labels.items()
    }
    columns = [*map(str, judged.human.measures), WEAKEST]
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for year, found in (("2021", whole | of_labels["2021"]), ("2023", of_labels["2023"])):
        for (use, measure), answers in found.items():
            for judges, some in (("real", answers[: split[year]]), ("made", answers[split[year] :])):
                if some:
                    counts = "/".join(str(some.count(answer)) for answer in (1, -1, 0))
                    rows.setdefault((f"{use} {year}", judges), {})[measure or WEAKEST] = counts
    titles = ["verdict on", "judges", *columns]
    table = markdown(
        titles,
        [[*key, *(row.get(column, "") for column in columns)] for key, row in sorted(rows.items(), reverse=True)],
    )
    cells: dict[tuple[str, str], list[str]] = {}
    for what, sizes in DRAWS.items():
        for size in sizes:
            tried = {"2021": (whole, _draw_runs(judged, what, size, samples))}
            if what == "topics":
                for year, each in labels.items():
                    tried[f"labels {year}"] = (of_labels[year], _draw_labels(each, size, samples))
            for name, (of_whole, of_draws) in tried.items():
                year = name.rpartition(" ")[2]
                for key, cell in _count(year, split[year], of_whole, of_draws):
                    cells.setdefault(key, []).append(cell)
    titles = [f"{size} {what}" for what, sizes in DRAWS.items() for size in sizes]
    counted = [
        [use, judges, *[""] * (len(titles) - len(row)), *row]
        for (use, judges), row in sorted(cells.items(), reverse=True)
    ]
    return f"{samples} draws.\n\n{table}\n\n{markdown(['verdict on', 'judges', *titles], counted)}"


def _draw_runs(judged: Judged, what: str, size: int, samples: int) -> list[Verdicts]:
    found = []
    for number in range(samples):
        names = judged.human.runs if what == "runs" else judged.human.topics
        places = np.random.default_rng([size, number]).choice(len(names), size, replace=False)
        some = judged.sel(**{what: [names[place] for place in np.sort(places)]})
        found.append(judge_runs(some, number, differences=number < max(1, samples // 5)))
    return found


def _draw_labels(counts: dict[str, Array], size: int, samples: int) -> list[Verdicts]:
    topics = len(next(iter(counts.values())))
    draws = (np.random.default_rng([size, number]).choice(topics, size, replace=False) for number in range(samples))
    return [judge_all_labels(counts, places, number) for number, places in enumerate(draws)]


def _count(year: str, split: int, whole: Verdicts, draws: list[Verdicts]) -> Iterator[tuple[tuple[str, str], str]]:
    """By use, of real and of made judges: the share of the draws that contradict the whole, of the worst judge; and the
    share of all that decide nothing, in brackets."""
    for use in dict.fromkeys(use for use, _ in whole):
        against, undecided = [], []
        for (one, measure), answers in whole.items():
            if one == use:
                found = np.array([each[one, measure] for each in draws if (one, measure) in each])
                against.append((found * np.array(answers) == -1).mean(0))
                undecided.append((found == 0).mean(0))
        for judges, some in (("real", slice(split)), ("made", slice(split, None))):
            if np.array(against)[:, some].size:
                worst, open_ = np.array(against)[:, some].max(), np.array(undecided)[:, some].mean()
                yield (f"{use} {year}", judges), f"{worst:.2f} ({open_:.2f})"
