"""The scripts of the page are few, and the words they say are those of words.json."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gradeval.page import writing

FOLDER = Path(writing.__file__).parent


def test_the_scripts_have_at_most_650_lines_and_all_are_in_the_page() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in (FOLDER / "scripts").iterdir()}
    assert set(files) == set(writing.SCRIPTS)
    assert sum(text.count("\n") for text in files.values()) <= 650


def test_the_scripts_say_the_words_there_are_and_all_of_them() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "scripts").iterdir())
    calls = re.findall(r"\bsay\(((?:[^()\"]|\"[^\"]*\")*?)[,)]", text)
    said = {name for call in calls for name in re.findall(r'"([^"]*)"', call) if name != "g"}
    assert said == set(json.loads((FOLDER / "words.json").read_text(encoding="utf-8")))
