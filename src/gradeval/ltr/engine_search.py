"""The settings that an engine's own objective tries, of which validation chooses one: as many as ours try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from gradeval.arguments import read_fields
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.engine_trees import Budget, EngineObjective, EngineTrees
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.auto import FINALISTS, AutoRanker
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import Shape

LEAVES: dict[Shape, tuple[int, ...]] = {"leaf-wise": (7, 15, 31, 63), "symmetric": (8, 16, 32, 64)}
RATES = (0.05, 0.1, 0.15, 0.2)
"""The leaves and the learning rates that an engine's own objective tries with an AutoRanker: 16 settings."""


@dataclass(frozen=True)
class EngineSearch:
    """The settings of an engine's own objective, and how many trees there are.

    Attributes
    ----------
    settings : what is tried.
    trees : the number of trees in all settings together; None where each may have its own.
    """

    settings: tuple[Budget, ...]
    trees: int | None

    @classmethod
    def matching(
        cls, ranker: type[Ranker], objectives: Iterable[Objective], parameters: Mapping[str, Any], engine: str
    ) -> Self:
        """As many settings as the ranker tries.

        With an AutoRanker 16, which share its number of trees; with other trees the same setting, and one of twice as
        many leaves where an objective of ours is tried without and with draws.
        """
        budget = Budget.of(parameters, engine)
        if issubclass(ranker, AutoRanker):
            leaves = LEAVES[budget.shape]
            grid = [replace(budget, leaves=each, learning_rate=rate) for each in leaves for rate in RATES]
            declared = read_fields(ranker)["budget"]
            return cls(tuple(grid), int(declared.check(parameters.get("budget", declared.default))))
        both = any(len(each.candidates) > 1 for each in objectives)
        return cls((budget, *([replace(budget, leaves=2 * budget.leaves)] if both else [])), None)

    def train(
        self,
        objective: EngineObjective,
        seed: int,
        train: Features,
        valid: Features,
        measure: Measure,
        weights: Array | None,
    ) -> EngineTrees:
        """Train with every setting, and keep the trees that validate best.

        Settings that share their trees get half of them in a first round: the more, the lower their rate, as it then
        takes more trees to come as far. The best two are trained anew in a second one, with a quarter each.
        """

        def grow(budgets: Iterable[Budget]) -> list[EngineTrees]:
            grown = [EngineTrees(objective, seed, budget).fit(train, valid, measure, weights) for budget in budgets]
            return sorted(grown, key=lambda trees: -trees.valid)

        if self.trees is None:
            return grow(self.settings)[0]
        first = grow(_shared(self.settings, self.trees // 2))
        last = grow(replace(one.budget, epochs=self.trees // 2 // FINALISTS) for one in first[:FINALISTS])
        return max(*last, first[0], key=lambda trees: trees.valid)


def _shared(settings: Sequence[Budget], trees: int) -> list[Budget]:
    """The settings with these trees shared among them, the more for one the lower its learning rate."""
    total = sum(1 / one.learning_rate for one in settings)
    return [replace(one, epochs=max(1, int(trees / one.learning_rate / total))) for one in settings]
