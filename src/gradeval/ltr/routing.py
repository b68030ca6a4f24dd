"""Metadata that scikit-learn routes: what a meta-estimator passes on to ``fit`` and to scorers beside X and y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from gradeval._core import InputError
from gradeval.checks import nearest


def add_requests(
    before: Mapping[str, Any], requested: Mapping[str, Any], accepted: Sequence[str], what: str
) -> dict[str, Any]:
    """The requests made before and further ones; an InputError for one that ``what`` does not take."""
    for name in requested:
        if name not in accepted:
            raise InputError(f"{what} takes no {name!r}{nearest(name, accepted)}; it takes {', '.join(accepted)}")
    return {**before, **requested}


def routing_of(
    owner: str, method: Literal["fit", "score"], requests: Mapping[str, Any], accepted: Sequence[str]
) -> Any:
    """Requests as scikit-learn reads them."""
    from sklearn.utils.metadata_routing import MetadataRequest

    routing = MetadataRequest(owner=owner)
    for name in accepted:
        getattr(routing, method).add_request(param=name, alias=requests.get(name))
    return routing
