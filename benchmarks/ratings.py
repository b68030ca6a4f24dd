r"""Five recommenders on real ratings, MovieTweetings: which measures, and which scales, put them in one order?

    python benchmarks/ratings.py DATA/movietweetings/ratings.dat \
        [--page docs/ratings/recommenders.md] [--predictions FOLDER]

The last fifth of the ratings of everybody who has 20 or more is for testing. Prints the tables of
docs/ratings/recommenders.md, and writes them into the page, with its two figures beside it; --predictions writes the
lists, too, as csv of ``user,item,prediction``, which ``gradeval evaluate`` reads. About a minute on one core.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import altair
import numpy as np
from scipy import sparse

import gradeval
from gradeval import Qrels, Scores
from gradeval.studies.compared_runs import Comparison
from gradeval.studies.correlate import Correlations
from gradeval.studies.correlation import kendall_tau

Array = np.ndarray
Grades = Mapping[str, Mapping[str, float]]
Predictor = Callable[[int], Array]
"""From a user to the predicted rating of every film."""

MANY, SHARE, LONGEST, SAMPLES = 20, 0.2, 100, 1000
MEASURES = "muAP NDCNG nDCG(dcg='exp-log2') AP(rel=6) AP"
ON_SCALES = "muAP NDCNG nDCG nDCG(dcg='exp-log2') GAP AP"
BESIDE_MUAP = "muAP NDCNG nDCG(dcg='exp-log2') GAP Q AP(rel=6) AP"
SCALES: dict[str, Callable[[float], float]] = {
    "ten steps": lambda stars: stars - 1,
    "hundred steps": lambda stars: 11 * (stars - 1),
    "five stars": lambda stars: (stars + 1) // 2 - 1,
    "three: to 4, to 7, above": lambda stars: (stars > 4) + (stars > 7),
    "two: 7 and above": lambda stars: stars >= 7,
}
"""Ten stars (0 is taken for 1) on other scales, whose lowest step is no relevance."""


@dataclass(frozen=True)
class Ratings:
    """The ratings to learn from: rating[n] was given by user[n] to item[n]."""

    user: Array
    item: Array
    rating: Array
    users: int
    items: int

    @cached_property
    def mean(self) -> float:
        return float(self.rating.mean())

    @cached_property
    def number(self) -> Array:
        """float64[item]: how many rated it."""
        return np.bincount(self.item, minlength=self.items).astype(float)

    def damped(self, strength: float) -> Array:
        """float64[item]: the mean rating, as if ``strength`` more people had given the mean of all ratings."""
        total = np.bincount(self.item, self.rating - self.mean, self.items)
        return self.mean + total / np.maximum(self.number + strength, 1)

    @cached_property
    def offsets(self) -> tuple[Array, Array]:
        """float64[item], float64[user]: by how much each is rated, or rates, above what is usual."""
        item = self.damped(10) - self.mean
        left = self.rating - self.mean - item[self.item]
        number = np.bincount(self.user, minlength=self.users)
        return item, np.bincount(self.user, left, self.users) / (number + 10)

    @cached_property
    def left(self) -> Array:
        """float64[n]: the ratings without mean and offsets."""
        item, user = self.offsets
        return self.rating - self.mean - item[self.item] - user[self.user]

    @cached_property
    def by_user(self) -> sparse.csr_matrix:
        return sparse.csr_matrix((self.left, (self.user, self.item)), (self.users, self.items))

    @cached_property
    def alike(self) -> sparse.csc_matrix:
        """[item, item]: cosines of what is left of the ratings, shrunk by 10 where few people rated both."""
        length = sparse.diags(1 / np.maximum(np.sqrt(self.by_user.power(2).sum(0)).A1, 1e-9))
        ones = self.by_user.copy()
        ones.data[:] = 1.0
        both = (ones.T @ ones).tocsr()
        both.data = both.data / (both.data + 10)
        return (length @ (self.by_user.T @ self.by_user) @ length).multiply(both).tocsc()


def same_for_all(scores: Array) -> Predictor:
    return lambda _: scores


def neighbours(ratings: Ratings, most: int) -> Predictor:
    """Item k-nearest neighbours: b(ui) + sum s(ij) (r(uj) - b(uj)) / (1 + sum s(ij)), j the ``most`` alike to i."""
    base = ratings.mean + ratings.offsets[0]

    def predict(user: int) -> Array:
        row = ratings.by_user[user]
        alike = np.maximum(ratings.alike[:, row.indices].toarray(), 0)
        if alike.shape[1] > most:
            alike[alike < np.partition(alike, -most, axis=1)[:, -most][:, None]] = 0
        return base + alike @ row.data / (1 + alike.sum(1))

    return predict


def factors(ratings: Ratings, width: int, penalty: float = 20.0, rounds: int = 12) -> Predictor:
    """Matrix factorisation by alternating least squares of what mean and offsets leave."""
    table = {"user": ratings.by_user, "item": ratings.by_user.T.tocsr()}
    drawn = np.random.default_rng(0)
    found = {name: drawn.normal(0, 0.1, (part.shape[0], width)) for name, part in table.items()}
    for _ in range(rounds):
        for name, other in (("user", "item"), ("item", "user")):
            found[name] = least_squares(table[name], found[other], penalty)
    base = ratings.mean + ratings.offsets[0]
    return lambda user: base + found["item"] @ found["user"][user]


def least_squares(table: sparse.csr_matrix, known: Array, penalty: float) -> Array:
    """float64[row, factor]: the x of least |table[row] - known x|^2 + penalty |x|^2 over the cells that are there."""
    found = np.zeros((table.shape[0], known.shape[1]))
    for row in np.flatnonzero(np.diff(table.indptr)):
        at = slice(table.indptr[row], table.indptr[row + 1])
        rows = known[table.indices[at]]
        found[row] = np.linalg.solve(rows.T @ rows + penalty * np.eye(known.shape[1]), rows.T @ table.data[at])
    return found


RECOMMENDERS: dict[str, Callable[[Ratings], Predictor]] = {
    "popularity": lambda ratings: same_for_all(ratings.number),
    "mean": lambda ratings: same_for_all(ratings.damped(0)),
    "damped mean": lambda ratings: same_for_all(ratings.damped(10)),
    "neighbours": lambda ratings: neighbours(ratings, 20),
    "factors": lambda ratings: factors(ratings, 10),
}
VARIANTS: dict[str, Callable[[Ratings], Predictor]] = {
    **{
        f"damped mean {strength}": lambda ratings, s=strength: same_for_all(ratings.damped(s))
        for strength in (1, 3, 30, 100)
    },
    **{f"neighbours {most}": lambda ratings, k=most: neighbours(ratings, k) for most in (2, 5, 80)},
    **{f"factors {width}": lambda ratings, w=width: factors(ratings, w) for width in (1, 3, 30)},
    **{f"factors, penalty {penalty}": lambda ratings, p=penalty: factors(ratings, 10, p) for penalty in (5, 50)},
}
"""More settings of the same recommenders, so that there are enough of them to be put in an order."""


@dataclass(frozen=True)
class Lists:
    """What each recommender predicts, by user and film: of the films tested, and of all that are new to the user."""

    tested: dict[str, dict[str, dict[str, float]]]
    catalogue: dict[str, dict[str, dict[str, float]]]


def recommend(train: Grades, test: Qrels, recommenders: Mapping[str, Callable[[Ratings], Predictor]]) -> Lists:
    """The lists of all recommenders; of the catalogue the first ``LONGEST`` films."""
    films = sorted({film for grades in train.values() for film in grades})
    at = {film: place for place, film in enumerate(films)}
    people = {user: place for place, user in enumerate(train)}
    user, item, rating = zip(
        *((people[user], at[film], stars) for user, grades in train.items() for film, stars in grades.items()),
        strict=True,
    )
    ratings = Ratings(np.array(user), np.array(item), np.array(rating, float), len(people), len(films))
    tested, catalogue = {}, {}
    for name, make in recommenders.items():
        predict = make(ratings)
        tested[name], catalogue[name] = {}, {}
        for one, wanted in test.to_dict().items():
            scores = predict(people[one])
            unknown = float(scores.min()) - 1
            tested[name][one] = {film: float(scores[at[film]]) if film in at else unknown for film in wanted}
            new = scores.copy()
            new[[at[film] for film in train[one]]] = -np.inf
            first = np.argsort(-new, kind="stable")[:LONGEST]
            catalogue[name][one] = {films[place]: float(new[place]) for place in first}
    return Lists(tested, catalogue)


def split(log: Path) -> tuple[Grades, Qrels]:
    """What is trained on, and the last fifth of the ratings of everybody who has ``MANY`` or more; 0 is read as 1."""
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder) / "train.dat", Path(folder) / "test.dat"
        gradeval.split_log(log, train=train, test=test, share=SHARE)
        parts = [gradeval.read_qrels(one, recode={0: 1}) for one in (train, test)]
    many = {user: grades for user, grades in parts[1].to_dict().items() if len(grades) >= MANY * SHARE}
    return parts[0].to_dict(), Qrels.from_dict(many)


def on_scale(test: Qrels, scale: str) -> Qrels:
    return test.recoded({stars: float(SCALES[scale](stars)) for stars in range(1, 11)})


def means(test: Qrels, lists: Mapping[str, object]) -> Scores:
    """The recommenders by each measure, with ties as all orders would score on average."""
    return gradeval.evaluate(on_scale(test, "ten steps"), lists, MEASURES, ties="expected")


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def means_table(scores: Scores) -> str:
    """A row a recommender, with half the width of the interval of the mean over people; the best in bold."""
    value, bounds = scores.mean(), scores.ci()
    half, best = (bounds[..., 1] - bounds[..., 0]) / 2, value == value.max(0)
    rows = []
    for run, name in enumerate(scores.runs):
        marks = ["**" if one else "" for one in best[run]]
        cells = zip(marks, value[run], half[run], strict=True)
        rows.append([name, *(f"{mark}{mean:.4f}{mark} ±{width:.4f}" for mark, mean, width in cells)])
    return markdown(["", *(f"`{measure}`" for measure in scores.measures)], rows)


def taus_table(found: Correlations) -> str:
    """Each measure's tau with muAP over all settings, with its interval."""
    others = [measure for measure in found.measures if str(measure) != "muAP"]
    at = [(found.of("muAP", one), *found.estimate("muAP", one).bounds) for one in others]
    cells = [f"{value:.2f} [{low:.2f}, {high:.2f}]" for value, low, high in at]
    return markdown(["", *(f"`{one}`" for one in others)], [["muAP", *cells]])


def pairs_table(found: Comparison) -> str:
    """By how much each recommender differs from the damped mean, with the interval of the paired difference."""
    rows = []
    for pair, (one, _) in enumerate(found.pairs):
        cells = zip(found.difference[:, pair], found.interval[:, pair], strict=True)
        rows.append([found.runs[one], *(f"{value:+.4f} [{low:+.4f}, {high:+.4f}]" for value, (low, high) in cells)])
    return markdown(["", *(f"`{measure}`" for measure in found.measures)], rows)


@dataclass(frozen=True)
class Agreement:
    """tau between the orders by one measure on two scales, with a 95 % interval over people."""

    measure: str
    scale: str
    value: float
    lower: float
    upper: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.lower:.2f}, {self.upper:.2f}]"


def agreements(test: Qrels, lists: Mapping[str, object]) -> Iterator[Agreement]:
    """Each measure on each scale against itself on ten steps; the people are drawn anew, the same for both."""
    by_scale = {scale: gradeval.evaluate(on_scale(test, scale), lists, ON_SCALES, ties="expected") for scale in SCALES}
    first = by_scale["ten steps"]
    weights = np.random.default_rng(0).multinomial(
        len(first.topics), np.full(len(first.topics), 1 / len(first.topics)), SAMPLES
    )
    drawn = {scale: scores.aggregate(weights.astype(float)) for scale, scores in by_scale.items()}
    for place, measure in enumerate(first.measures):
        for scale in list(SCALES)[1:]:
            value = float(kendall_tau(first.mean()[:, place], by_scale[scale].mean()[:, place]))
            samples = kendall_tau(drawn["ten steps"][..., place], drawn[scale][..., place])
            low, middle, high = np.quantile(samples, [0.025, 0.5, 0.975])
            yield Agreement(str(measure), scale, value, max(value + low - middle, -1), min(value + high - middle, 1))


def agreement_table(found: list[Agreement]) -> str:
    scales = list(SCALES)[1:]
    measures = list(dict.fromkeys(one.measure for one in found))
    cells = {(one.measure, one.scale): str(one) for one in found}
    return markdown(["", *scales], [[f"`{name}`", *(cells[name, scale] for scale in scales)] for name in measures])


def agreement_chart(found: list[Agreement]) -> altair.LayerChart:
    """tau by measure and scale: a dot, and its interval."""
    values = [vars(one) for one in found]
    base = altair.Chart(altair.Data(values=values)).encode(
        y=altair.Y("measure:N", title=None, sort=None),
        yOffset=altair.YOffset("scale:N", sort=list(SCALES)),
        color=altair.Color("scale:N", title="on ten steps and on", sort=list(SCALES)),
    )
    across = altair.X("lower:Q", title="Kendall's tau", scale=altair.Scale(domain=[0, 1], clamp=True))
    return (
        base.mark_rule(strokeWidth=2).encode(x=across, x2="upper:Q")
        + base.mark_point(filled=True, size=45, opacity=1).encode(x="value:Q")
    ).properties(width=420, height=altair.Step(9))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path, help="ratings.dat: user::film::rating::time")
    parser.add_argument("--page", type=Path, help="put tables and figures into this page and beside it")
    parser.add_argument("--predictions", type=Path, help="write the lists of films tested here, a csv a recommender")
    options = parser.parse_args()
    train, test = split(options.log)
    lists = recommend(train, test, {**RECOMMENDERS, **VARIANTS})
    if options.predictions:
        write(options.predictions, {name: lists.tested[name] for name in RECOMMENDERS})
    scores = {
        which: means(test, {name: listed[name] for name in RECOMMENDERS})
        for which, listed in (("tested", lists.tested), ("catalogue", lists.catalogue))
    }
    found = list(agreements(test, lists.tested))
    ten = on_scale(test, "ten steps")
    between = gradeval.correlate(ten, lists.tested, measures=BESIDE_MUAP, reference="muAP", samples=SAMPLES)
    five = {name: lists.tested[name] for name in RECOMMENDERS}
    pairs = gradeval.compare(ten, five, measures="muAP AP(rel=6)", baseline="damped mean")
    tables = {
        "tested": means_table(scores["tested"]),
        "catalogue": means_table(scores["catalogue"]),
        "scales": agreement_table(found),
        "measures": taus_table(between),
        "pairs": pairs_table(pairs),
    }
    for name, table in tables.items():
        print(f"{name}\n\n{table}\n", flush=True)
    if options.page:
        publish(options.page, tables)
        agreement_chart(found).save(options.page.with_name("scales.svg"))
        gradeval.plot(scores["tested"]).save(options.page.with_name("means.svg"))


def write(folder: Path, lists: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, users in lists.items():
        lines = [f"{user},{film},{score!r}" for user, films in users.items() for film, score in films.items()]
        (folder / f"{name.replace(' ', '-')}.csv").write_text("\n".join(["user,item,prediction", *lines, ""]))


def publish(page: Path, tables: Mapping[str, str]) -> None:
    """Put each table between the comments of its name."""
    text = page.read_text()
    for name, table in tables.items():
        before, after = text.split(f"<!-- {name}:begin -->\n")
        _, rest = after.split(f"<!-- {name}:end -->")
        text = f"{before}<!-- {name}:begin -->\n{table}\n<!-- {name}:end -->{rest}"
    page.write_text(text)


if __name__ == "__main__":
    main()
