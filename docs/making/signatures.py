"""The stub of the studies, from which checkers of types and editors know what each takes: ``signatures.pyi``."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from gradeval.arguments import Each, Kind, OneOf, Several
from gradeval.collection.meeting import JudgedRuns
from gradeval.files.accepted import By, Judgments, RankedRuns
from gradeval.formula.definition import Measure
from gradeval.progress import ShowProgress
from gradeval.scores.evaluation import evaluate
from gradeval.scores.scores import Scores
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies import list_studies
from gradeval.studies.study import Measures, Study
from gradeval.studies.study_parameters import ByOthers, ExtraMeasure

NAMED: dict[str, tuple[str, Any]] = {
    "Judgments": ("gradeval.files.accepted", Judgments),
    "RankedRuns": ("gradeval.files.accepted", RankedRuns),
    "By": ("gradeval.files.accepted", By),
    "ShowProgress": ("gradeval.progress", ShowProgress),
    "RunChoice": ("gradeval.scores.selection", RunChoice),
    "TopicChoice": ("gradeval.scores.selection", TopicChoice),
    "Measures": ("gradeval.studies.study", Measures),
}
"""Types that are written by their names, where they stand, and what they are."""

HEAD = '''"""What every study takes and gives, as checkers of types see it; written by docs/generate.py."""'''


class _Writer:
    """Writes types as text, and keeps what the text needs to be imported."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}

    def name(self, module: str, name: str) -> str:
        if module != "builtins":
            self.imports.setdefault(module, set()).add(name)
        return name

    def write(self, of: Any) -> str:
        parts = dict.fromkeys(self._alternatives(of))
        return " | ".join([*(one for one in parts if one != "None"), *(one for one in parts if one == "None")])

    def _alternatives(self, of: Any) -> Iterator[str]:
        for name, (module, known) in NAMED.items():
            if of == known:
                yield self.name(module, name)
                return
        if get_origin(of) in (Union, types.UnionType):
            rest = list(get_args(of))
            for name, (module, known) in NAMED.items():  # an alias in a longer list of alternatives
                inner = get_args(known)
                if inner and all(one in rest for one in inner):
                    yield self.name(module, name)
                    rest = [one for one in rest if one not in inner]
            yield from chain.from_iterable(map(self._alternatives, rest))
        else:
            yield self._single(of)

    def _single(self, of: Any) -> str:
        if of in (None, types.NoneType):
            return "None"
        if of is Any:
            return self.name("typing", "Any")
        origin, arguments = get_origin(of), get_args(of)
        if origin is Literal:
            return f"{self.name('typing', 'Literal')}[{', '.join(map(repr, arguments))}]"
        if origin is None:
            assert not isinstance(of, str | TypeVar), of
            return self.name(of.__module__, of.__qualname__)
        inner = ["..." if one is ... else "" if isinstance(one, list) else self.write(one) for one in arguments]
        if origin.__name__ == "Callable":
            *taken, given = inner if not isinstance(arguments[0], list) else [*map(self.write, arguments[0]), inner[-1]]
            inner = [f"[{', '.join(taken)}]", given]
        return f"{self.name(origin.__module__, origin.__qualname__)}[{', '.join(inner)}]"


def write_signatures() -> str:
    """The text of ``src/gradeval/signatures.pyi``."""
    writer, functions = _Writer(), []
    for name, (module, _) in sorted(list_studies().items()):
        functions += _write_study(getattr(import_module(module), name), writer)
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(writer.imports.items())]
    ours = [line for line in lines if line.startswith("from gradeval.")]
    others = [line for line in lines if line not in ours]
    return (
        "\n".join(
            [HEAD, "", "# ruff: noqa: E501 - a signature a line", "# fmt: off", *others, "", *ours, "", *functions]
        ).rstrip()
        + "\n"
    )


def _write_study(study: Study[Any], writer: _Writer) -> Iterator[str]:
    """The signatures of a study, a parameter a line."""
    parameters = list(_parameters(study, writer))
    forms = list(_data(study, writer))
    given = writer.write(get_type_hints(study.function)["return"])
    about = (inspect.getdoc(study.function) or "").partition("\n")[0]
    for form in forms:
        if len(forms) > 1:
            yield f"@{writer.name('typing', 'overload')}"
        yield f"def {study.name}("
        yield from (f"    {line}," for line in [*form, *["*"] * bool(parameters), *parameters])
        yield f") -> {given}:"
        yield f'    """{about}"""'
        yield ""


def _data(study: Study[Any], writer: _Writer) -> Iterator[list[str]]:
    """What stands before the keywords, in each of the ways to call the study."""
    measures = [f"measures: {writer.write(Measures)} | None = None"] * study.chooses_measures
    if not study.needs:
        hints = get_type_hints(study.function)
        own = inspect.signature(study.function).parameters.values()
        data = [_line(one.name, hints[one.name], one.default, writer) for one in own if one.kind is one.POSITIONAL_ONLY]
        more = [
            _line(one.name, hints[one.name], one.default, writer)
            for one in own
            if one.kind is one.POSITIONAL_OR_KEYWORD
        ]
        yield [*data, *["/"] * bool(data), *more]
        return
    ready: Any = Scores | JudgedRuns if study.needs is Scores else JudgedRuns
    if study.several:
        ready |= Mapping[str, ready | tuple[Judgments, RankedRuns]]
    yield [f"data: {writer.write(ready)}", "/", *measures]
    yield [f"qrels: {writer.write(Judgments)}", f"ranked: {writer.write(RankedRuns)}", "/", *measures]


def _parameters(study: Study[Any], writer: _Writer) -> Iterator[str]:
    """The keywords of a study: its own, and what it takes as ``evaluate`` does."""
    hints = get_type_hints(evaluate) | get_type_hints(study.function)
    if not study.needs and "measures" in study._own and "measures" not in _positions(study):
        yield _line("measures", hints["measures"], None, writer)
    for name, one in study.parameters.items():
        yield _line(name, _widened(name, hints[name], one.kind), one.default, writer)


def _positions(study: Study[Any]) -> set[str]:
    return {
        one.name
        for one in inspect.signature(study.function).parameters.values()
        if one.kind is one.POSITIONAL_OR_KEYWORD
    }


def _widened(name: str, hint: Any, kind: Kind) -> Any:
    """What a caller may give, where the function is given its plain form."""
    none = None if types.NoneType in get_args(hint) else hint
    if name == "progress":
        return ShowProgress
    if isinstance(kind, ByOthers):
        return hint | JudgedRuns | Judgments
    if isinstance(kind, ExtraMeasure):
        return str | hint if none is None else str | Measure
    if isinstance(kind, OneOf) and str in (hint, *get_args(hint)):
        return Union[(Literal[kind.words], *(one for one in get_args(hint) if one is not str))]
    if isinstance(kind, Each):
        return hint | Sequence[hint]
    if isinstance(kind, Several):
        numbers = [
            get_args(one)[0] for one in [hint, *get_args(hint)] if get_args(one) and get_args(one)[0] in (int, float)
        ]
        return numbers[0] | hint if numbers else hint
    return hint


def _line(name: str, hint: Any, default: Any, writer: _Writer) -> str:
    plain = default is None or isinstance(default, str | int | float)
    value = "" if default is inspect.Parameter.empty else f" = {default!r}" if plain else " = ..."
    return f"{name}: {writer.write(hint)}{value}"
