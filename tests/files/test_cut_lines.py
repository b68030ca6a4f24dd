"""LETOR text that breaks off in its last line: cut at every byte, and whole files that look alike."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest

from gradeval import FilesWarning, InputError, read_letor
from gradeval.files.feature_cache import cache_features

RANDOM = np.random.default_rng(2)
LINES = [
    f"{number % 3} qid:{number // 5} " + " ".join(f"{at}:{RANDOM.uniform(1, 9):.4f}" for at in range(1, 5))
    for number in range(40)
]
WHOLE = "\n".join(LINES) + "\n"


def told(place: Path) -> list[str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            read_letor(place)
        except InputError as error:
            return [str(error)]
    return [str(one.message) for one in said if one.category is FilesWarning]


@pytest.mark.parametrize("comment", ["", " #docid = 17 inc = 0.25"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_cut_in_its_last_line_is_told_of_wherever_it_is_cut(
    comment: str, packed: bool, tmp_path: Path
) -> None:
    lines = [line + comment for line in LINES]
    above, last = "\n".join(lines[:-1]) + "\n", lines[-1]
    place = tmp_path / ("a.txt.gz" if packed else "a.txt")
    silent = []
    for size in range(1, len(last) + 1):
        data = (above + last[:size]).encode()
        place.write_bytes(gzip.compress(data, 1) if packed else data)
        said = told(place)
        assert all(text.startswith(f"{place}:40: ") for text in said)
        silent += [] if said else [last[size:]]
    assert silent == ([".25"[at:] for at in range(4)] if comment else [""])  # only the last number may be another one


@pytest.mark.parametrize(
    "lines",
    [
        LINES,  # without a line end, and whole
        [*LINES[:20], "1 qid:4 1:0.5", *LINES[20:39], "1 qid:7 1:0.5000"],  # sparse
        [line.replace(":1.", ":") for line in LINES],  # decimals of several lengths
        ["0 qid:1 1:2", "1 qid:1 2:3"],  # few lines
        [*LINES[:39], LINES[39], "# a comment"],
    ],
)
def test_whole_files_without_a_line_end_are_told_of_nothing(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(lines))
    assert told(tmp_path / "a.txt") == []
    (tmp_path / "a.txt").write_text(WHOLE + "1 qid:9 1:0.5\n")
    assert told(tmp_path / "a.txt") == []


def test_a_cache_is_told_of_it_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(WHOLE[:-10])
    with pytest.warns(
        FilesWarning, match=r"a.txt:40: seems to be cut, .* behind feature 3, where all lines above have 4"
    ):
        cache_features(tmp_path / "a.txt", tmp_path / "cache")
