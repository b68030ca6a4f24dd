"""Options of commands that a signature declares: kinds say what is accepted, the docstring is the help."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from gradeval._core import InputError
from gradeval.arguments import NONE, Declared, Flag, InFile, Kind, Names, OneOf, Several, read_helps, read_parameters
from gradeval.cli.given_options import spell_value
from gradeval.cli.options import FILE

F = TypeVar("F", bound=Callable[..., Any])

SHORT = {"per-topic": "-q", "measure": "-m"}
"""Options that have a short form."""

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # click 8.1 gives this class no type parameter


class ValueOfKind(ParamType):
    """A value of a kind: the library says what is accepted, in its own words; ``checks``: here, or later."""

    def __init__(self, kind: Kind, *, checks: bool = True) -> None:
        self.kind, self.checks = kind, checks
        self.name = kind.metavar

    def convert(self, value: Any, parameter: click.Parameter | None, _: click.Context | None) -> Any:
        """The value that a text stands for."""
        if not isinstance(value, str) or parameter is None:
            return value
        name, parsed = str(parameter.name), self.kind.parse(value)
        if not self.checks:
            return parsed
        try:
            checked = self.kind.check(name, parsed)
            return parsed if parameter.multiple else checked
        except InputError as error:
            option = parameter.opts[-1]
            if name not in [one.parameter for one in error.given]:
                raise error.within(f"{option} {value}") from None
            raise InputError(
                error.write(lambda one: f"{option} {value if one.value is parsed else spell_value(one)}")
            ) from None

    def shell_complete(self, _: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The words that begin as typed."""
        kind = self.kind.one if isinstance(self.kind, Several) else self.kind
        words = [word or NONE for word in kind.words] if isinstance(kind, OneOf) else []
        before, comma, last = incomplete.rpartition(",") if kind is not self.kind else ("", "", incomplete)
        return [CompletionItem(before + comma + word) for word in words if word.startswith(last)]


def option_of(parameter: Declared) -> click.Option:
    """The option of a parameter."""
    words, how = _describe(parameter)
    return click.Option(words, **how)


def declared_by(*functions: Callable[..., Any]) -> dict[str, Declared]:
    """The parameters of functions by their names; where several share a name, the first counts."""
    parameters: dict[str, Declared] = {}
    for function in functions:
        helps = read_helps(inspect.getdoc(function) or "")
        parameters = read_parameters(function, helps, lambda one: one.annotation is not one.empty) | parameters
    return parameters


def declared_option(parameter: Declared, *words: str, **changes: Any) -> Callable[[F], F]:
    """The option of a parameter, for a command that is a function; ``words``: its name there and on the command line,
    where they differ; ``changes``: what its signature cannot say, as click calls it."""
    usual, how = _describe(parameter)
    repeated = " May be repeated." * bool(changes.get("multiple"))
    return click.option(*(words or usual), **how | {"help": parameter.help + repeated} | changes)


def declared_options(parameters: Mapping[str, Declared], *names: str, **changes: Mapping[str, Any]) -> Callable[[F], F]:
    """The options of some parameters, in this order; ``changes``: as of ``declared_option``, by their names."""

    def add(command: F) -> F:
        for name in reversed(names):
            command = declared_option(parameters[name], **changes.get(name, {}))(command)
        return command

    return add


def _describe(parameter: Declared) -> tuple[list[str], dict[str, Any]]:
    """The words of a parameter's option, and the arguments of ``click.option``."""
    name, kind, default = parameter.name.replace("_", "-"), parameter.kind, parameter.default
    words = [*([SHORT[name]] if name in SHORT else []), f"--{name}"]
    if isinstance(kind, Flag):
        return words, {"is_flag": True, "default": default, "help": parameter.help}
    if isinstance(default, tuple):
        default = ",".join(f"{one:g}" if isinstance(one, float) else str(one) for one in default)
    return words, {
        "type": FILE if isinstance(kind, InFile) else ValueOfKind(kind),
        **({"required": True} if parameter.required else {"default": default}),
        "multiple": isinstance(kind, Names),
        "show_default": default is not None and not parameter.required,
        "metavar": kind.metavar,
        "help": parameter.help,
    }
