"""The scripts of the page are few, and the words they and the template say are those of words.py."""

from __future__ import annotations

import re
from pathlib import Path

from gradeval.page import words
from gradeval.page.writing import SCRIPTS

FOLDER = Path(words.__file__).parent


def test_the_scripts_have_at_most_600_lines_and_all_are_in_the_page() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in (FOLDER / "scripts").iterdir()}
    assert set(files) == set(SCRIPTS)
    assert sum(text.count("\n") for text in files.values()) <= 600


def test_the_scripts_say_the_words_there_are_and_all_of_them() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "scripts").iterdir())
    calls = re.findall(r"\bsay\(((?:[^()\"]|\"[^\"]*\")*?)[,)]", text)
    said = {name for call in calls for name in re.findall(r'"([^"]*)"', call) if name != "g"}
    assert said == set(words.SCRIPTS)


def test_the_template_shows_the_words_there_are_and_all_of_them() -> None:
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    assert set(re.findall(r'words\["([^"]*)"\]', template)) == set(words.PAGE)
