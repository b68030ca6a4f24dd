"""Evaluate, compare and learn rankings with graded relevance."""

import gradeval.startup as _startup  # noqa: F401 - first, as Ctrl-C may come while the rest is imported

# isort: split
import os as _os
import typing as _typing
from importlib import import_module as _import_module

from gradeval import upward as _upward
from gradeval.version import __version__ as __version__


def _import_measures() -> None:
    import gradeval.measures  # noqa: F401 - they register themselves


def _plot(result: _typing.Any, *file: _typing.Any, **options: _typing.Any) -> _typing.Any:
    from gradeval.charts.plotting import plot

    return plot(result, *file, **options)


def _page_of(result: _typing.Any, table: _typing.Any) -> str:
    from gradeval.page.writing import page_of

    return page_of(result, table)


def _chart_page(chart: _typing.Mapping[str, _typing.Any]) -> str:
    from gradeval.page.writing import chart_page

    return chart_page(chart)


def _about_sliced_pair(scores: _typing.Any) -> list[_typing.Any]:
    """Say on which slices of the topics one of two runs loses, or one run is better: the tests are imported when they
    are asked for."""
    from gradeval.studies.sliced_pair import about_sliced_pair
    from gradeval.studies.sliced_run import about_slices_of_run

    return [*about_sliced_pair(scores), *about_slices_of_run(scores)]


def _slices_grid(scores: _typing.Any, digits: int) -> list[_typing.Any]:
    from gradeval.studies.sliced_run import slices_grid

    return slices_grid(scores, digits)


_upward.answer_by(
    import_measures=_import_measures,
    plot=_plot,
    page_of=_page_of,
    chart_page=_chart_page,
    about_sliced_pair=_about_sliced_pair,
    slices_grid=_slices_grid,
)


def _read_names() -> dict[str, str]:
    """The module of each public name, as the stub says, where each has a line: from MODULE import NAME as NAME."""
    with open(_os.path.join(_os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as stub:
        lines = [line.partition("#")[0].split() for line in stub if line.startswith("from gradeval")]
    return {words[-1]: words[1] for words in lines if words[-1] != "*"}


_NAMES = _read_names()
_ROOMS = {entry.partition(".")[0] for entry in _os.listdir(_os.path.dirname(__file__))}
"""Modules of the package, which an import statement finds by itself."""


def _all_names() -> list[str]:
    from gradeval import measures, studies

    return sorted({*_NAMES, *measures.__all__, *studies.list_studies()} - {"__version__"})


def _find(name: str) -> _typing.Any:
    """What a public name stands for; None where there is none."""
    if name in _NAMES:
        return getattr(_import_module(_NAMES[name]), name)
    from gradeval import measures, studies

    if name in measures.__all__:
        return getattr(measures, name)
    found = studies.list_studies().get(name)
    return found and getattr(_import_module(found[0]), name)


def __getattr__(name: str) -> _typing.Any:
    if name == "__all__":
        return _all_names()
    if name.startswith("_") or name in _ROOMS:  # an import statement finds modules by itself
        raise AttributeError(f"module 'gradeval' has no attribute {name!r}")
    value = _find(name)
    if value is None:
        raise AttributeError(f"module 'gradeval' has no attribute {name!r}{_hint(name)}")
    globals()[name] = value
    return value


def _hint(name: str) -> str:
    """What was meant, where that can be told."""
    from difflib import get_close_matches

    from gradeval.synonyms import meant_by

    names = _all_names()
    meant = meant_by(name, names) or get_close_matches(name, names, n=1, cutoff=0.75)
    return f"; did you mean {meant[0]}?" if meant else ""


def __dir__() -> list[str]:
    return [*_all_names(), "__all__", "__doc__", "__version__"]
