"""From what a report is made."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.studies.overview import Overview

if TYPE_CHECKING:
    from gradeval.ltr.importance import Importance


@dataclass(frozen=True, eq=False)
class Material:
    """What was evaluated, and how it was given.

    Attributes
    ----------
    overview : all that was computed.
    qrels, runs : judgments and runs; None and empty where only scores are known.
    ties : how documents with equal scores are ordered.
    command : the command as typed, without its output; empty where a function was called.
    reading : the options of the command that say how inputs are read, as typed.
    inputs : the files, as typed.
    digests : the SHA-256 of each file.
    depth : only so many documents of each ranking were evaluated; None: all.
    show_runs, show_depth : rankings that the page shows side by side, and how far down.
    importance : what a ranker looks at; None where none was given.
    """

    overview: Overview
    qrels: Qrels | None = None
    runs: Sequence[Run] = ()
    ties: Ties = "docid"
    command: str = ""
    reading: Sequence[str] = ()
    inputs: Sequence[str] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    depth: int | None = None
    show_runs: int = 20
    show_depth: int = 50
    importance: Importance | None = None

    def redo(self, command: str, *options: str) -> str:
        """A command that computes a part of the page anew; QRELS and RUNS stand for the files."""
        files = "QRELS RUNS" if self.overview.judged is not None else "--scores FILE"
        return " ".join(["gradeval", command, files, *map(shlex.quote, [*options, *self.reading])])
