"""The three collections whose runs are public, and what is peculiar to each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gradeval import AP, judge, read_qrels, read_runs
from gradeval.collection.meeting import JudgedRuns
from gradeval.papers.correlate_users import user_grid
from gradeval.scores.scoring import score
from gradeval.scores.selection import Few, parse_runs

FOLDERS = {"TREC-COVID": "trec-covid-r5", "Deep Learning 2021": "trec-dl21-passage", "Robust 2005": "trec14-robust2005"}
LEAST = 3  # topics of a selection


@dataclass(frozen=True)
class Collection:
    """Judged runs of a collection."""

    name: str
    judged: JudgedRuns

    @property
    def grades(self) -> int:
        """The number of positive grades."""
        return len(self.judged.levels) - 1

    @property
    def strict(self) -> tuple[float, ...]:
        """The users in whom Ferrante et al. are most interested: most of them want the highest grade."""
        return {2: (0.1, 0.9), 3: (0.2, 0.2, 0.6)}[self.grades]

    @property
    def less_strict(self) -> tuple[float, ...]:
        """The users with whom they compare these in section 6."""
        return {2: (0.3, 0.7), 3: (0.4, 0.2, 0.4)}[self.grades]

    @property
    def equal(self) -> tuple[float, ...]:
        """Equal shares of users."""
        return (1 / self.grades,) * self.grades

    @cached_property
    def mixed(self) -> list[tuple[float, ...]]:
        """The points of the grid at which users differ."""
        return [g for g in user_grid(self.grades) if max(g) < 1]

    @cached_property
    def upper_runs(self) -> list[str]:
        """The runs above the first quartile by AP."""
        selection = parse_runs("above-q1:AP")
        return selection.runs(score(self.judged, [AP]))

    @cached_property
    def selections(self) -> dict[str, list[str]]:
        """All topics, and those with few documents of each higher grade, where there are at least three."""
        chosen = {"all": list(self.judged.topics)}
        for grade in self.judged.levels[2:]:
            topics = Few(grade).topics(self.judged)
            if len(topics) >= LEAST:
                chosen[f"few:{grade:g}"] = topics
        return chosen


def read_collections(data: Path) -> list[Collection]:
    """The collections in the subfolders of a folder, each with qrels.txt and runs/."""
    collections = []
    for name, folder in FOLDERS.items():
        runs = read_runs(sorted((data / folder / "runs").iterdir())).runs
        collections.append(Collection(name, judge(read_qrels(data / folder / "qrels.txt"), runs)))
    return collections
