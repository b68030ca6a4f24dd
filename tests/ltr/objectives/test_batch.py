from __future__ import annotations

from typing import Any

import pytest

from gradeval import AP, GAP, InputError

torch = pytest.importorskip("torch")

torch.set_num_threads(1)  # such small tensors only wait for each other


from gradeval.ltr import Batch, lambda_loss

LEVELS = (0.0, 1.0, 2.0, 3.0)


def test_a_batch_made_once_gives_the_same_loss(queries: Any) -> None:
    scores = torch.randn(queries.grades.shape)
    batch = Batch.of(torch.tensor(queries.grades), levels=LEVELS, mask=torch.tensor(queries.mask), pool=queries.pool)
    again = lambda_loss(scores, queries.grades, GAP, levels=LEVELS, mask=queries.mask, pool=queries.pool)
    for _ in range(2):
        assert torch.equal(lambda_loss(scores, batch, GAP), again)


def test_a_batch_has_its_own_levels() -> None:
    batch = Batch.of([[0, 1]], levels=(0, 1))
    with pytest.raises(InputError, match="a Batch has its own levels"):
        lambda_loss(torch.zeros(1, 2), batch, AP, levels=(0, 1))
