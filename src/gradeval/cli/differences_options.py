"""The options of intervals of differences between measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import click

from gradeval.cli.notices import tell
from gradeval.cli.options import note_unused

F = TypeVar("F", bound=Callable[..., Any])


def differences_options(what: str) -> Callable[[F], F]:
    """The options --differences and --resample-runs; ``what``: whose differences."""

    def add(command: F) -> F:
        command = click.option(
            "--resample-runs", is_flag=True, help="Resample the runs as well as the topics, for --differences."
        )(command)
        return click.option(
            "--differences", is_flag=True, help=f"Add {what} of each two measures, with bootstrap intervals."
        )(command)

    return add


@dataclass(frozen=True)
class DifferencesAsked:
    """Whether differences between measures are shown, and whether the runs are resampled for them."""

    shown: bool
    runs: bool

    @classmethod
    def take(cls, options: dict[str, Any], needs: str = "") -> Self:
        """Take these options out of those of a command; ``needs``: what the differences lack, if anything."""
        shown, runs = options.pop("differences"), options.pop("resample_runs")
        if shown and needs:
            tell([f"--differences does not apply without {needs}; it is ignored"])
            shown = False
        if not shown:
            note_unused(["resample_runs"], "does not apply without --differences")
        return cls(shown, runs)
