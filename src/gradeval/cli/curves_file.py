"""The option --curves of ``inform``: a file with the inferred curves of single rankings, as numbers or as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.charts.rendering import SUFFIXES, render, require_charts
from gradeval.cli.inputs import refuse_overwriting
from gradeval.cli.options import FILE
from gradeval.cli.outcome import ENDINGS
from gradeval.papers.inferred_curves import InferredCurves
from gradeval.whole import whole_file

F = TypeVar("F", bound=Callable[..., Any])


def curves_option(command: F) -> F:
    """The option --curves."""
    return click.option(
        "--curves",
        type=FILE,
        metavar="FILE",
        help="Write the inferred curves of every ranking beside the actual ones, and the grade to be expected by rank: "
        "numbers (.tsv, .csv, .jsonl) or a picture (.svg, .png, .pdf, .html; up to 12 rankings).",
    )(command)


@dataclass(frozen=True)
class CurvesFile:
    """The value of ``curves_option``."""

    place: str

    @classmethod
    def take(cls, options: dict[str, Any], inputs: list[str]) -> Self | None:
        """Take the option out of those of a command; an error where the file cannot be what its name says."""
        place = options.pop("curves")
        if place is None:
            return None
        refuse_overwriting(place, inputs, "--curves")
        accepted = tuple(dict.fromkeys((*SUFFIXES, *ENDINGS.values())))
        if not place.lower().endswith(accepted):
            raise InputError(f"--curves {place}: does not end in one of {', '.join(accepted)}; name the file so")
        file = cls(place)
        if file.is_picture:
            require_charts(place, "--curves")
        return file

    @property
    def is_picture(self) -> bool:
        """Is a picture asked for, rather than numbers?"""
        return self.place.lower().endswith(SUFFIXES)

    def require_few(self, rankings: int) -> None:
        """Refuse a picture of more rankings than one can look at."""
        from gradeval.charts.inferred_curves_chart import RANKINGS

        if self.is_picture and rankings > RANKINGS:
            raise InputError(
                f"--curves {self.place}: {rankings} rankings are more than the {RANKINGS} of a picture; choose some by "
                "--topics and --runs, or take numbers: a .tsv"
            )

    @contextmanager
    def open(self) -> Iterator[Callable[[InferredCurves, int], None]]:
        """Open the file before the work, and yield the function that writes it."""
        with ExitStack() as files:
            file = files.enter_context(whole_file(self.place))

            def write(curves: InferredCurves, digits: int) -> None:
                if self.is_picture:
                    from gradeval.charts.inferred_curves_chart import inferred_curves_chart

                    file.write(render(inferred_curves_chart(curves), self.place))
                else:
                    name = next(name for name, ending in ENDINGS.items() if self.place.lower().endswith(ending))
                    curves.table(digits).write(file, name)
                files.close()  # whatever becomes of other files

            yield write
