"""The option --preset: the conventions of a community, by one name (``gradeval.scores.presets``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from gradeval.cli.notices import tell
from gradeval.cli.options import is_set
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure, split_measures
from gradeval.scores.presets import PRESETS, Preset, configure

preset_option = click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Conventions of a community; what you set goes before them.",
)


def settings_of(preset: str) -> dict[str, Any]:
    """The options that a preset sets and the user has not set, which are said."""
    convention, context = PRESETS[preset], click.get_current_context()
    settings = {name: word for name, word in convention.options.items() if not is_set(context, name)}
    tell([f"preset {preset}: {', '.join(f'--{name} {word}' for name, word in settings.items())}"] if settings else [])
    return settings


def parse_with(preset: Preset | None, texts: Iterable[str]) -> list[Measure]:
    """Measures from their spellings, with the preset's value for every parameter that is not spelled out."""
    parts = [part for text in texts for part in split_measures(text)]
    measures = [configure(preset, part) for part in parts]
    _tell_changed(preset, parts, measures)
    return list(dict.fromkeys(measures))


def parse_one_with(preset: Preset | None, text: str) -> Measure:
    """The same for one measure."""
    measure = configure(preset, text)
    _tell_changed(preset, [text], [measure])
    return measure


def _tell_changed(preset: Preset | None, texts: Iterable[str], measures: Iterable[Measure]) -> None:
    """Say once in a command what a preset makes of the measures that are asked for."""
    context = click.get_current_context(silent=True)
    if preset is None or context is None:
        return
    told: set[str] = context.meta.setdefault(__name__, set())
    changed = {str(made): None for text, made in zip(texts, measures, strict=True) if made != parse_measure(text)}
    new = [name for name in changed if name not in told]
    told.update(new)
    if new:
        name = next(name for name, one in PRESETS.items() if one is preset)
        tell([f"preset {name}: {' '.join(new)}"])
