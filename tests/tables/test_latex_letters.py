"""pdflatex takes every letter of a table, whatever the names of runs hold."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from awkward_tables import AWKWARD, HOSTILE, table, written

from gradeval.tables.latex_letters import as_latex

ACCENTED = "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöùúûüýÿĀāĂăĆćČčĎďĒēĚěĞğĪīŃńŇňŌōŐőŘřŚśŞşŠšŤťŪūŮůŰűŹźŻżŽž"
TYPED = "ÆæØøŒœßŁłı¡¿£§©®°±²³¼½¾–—‘’“”…•"
"""What pdflatex sets in its own fonts, with utf8 and no further package."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ferro ✓ ✗", r"ferro $\surd$ $\times$"),
        ("β=0.5, λ Δ ε ς", r"$\beta$=0.5, $\lambda$ $\Delta$ $\varepsilon$ $\varsigma$"),
        ("Müller, Łódź, Dvo\u0159ák", "Müller, Łódź, Dvořák"),
        ("e\u0301", "é"),
        ("中Ж", "U+4E2DU+0416"),
        ("▲ † µ", r"$\blacktriangle$ \textdagger{} $\mu$"),
    ],
)
def test_a_letter_is_written_as_pdflatex_takes_it(text: str, expected: str) -> None:
    assert as_latex(text) == expected


def test_no_letter_of_unicode_is_left_that_pdflatex_may_not_know() -> None:
    text = as_latex("".join(chr(code) for code in range(sys.maxunicode) if not 0xD800 <= code < 0xE000))
    left = {letter for letter in text if not letter.isascii()}
    assert set(ACCENTED + TYPED) <= left
    assert max(left - set(TYPED)) <= "\u017f"
    assert not left & set("ĄąĘęĐđÐðÞþŊŋ«»×÷✓β")  # which the usual fonts lack


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_pdflatex_takes_all_letters_that_are_left(tmp_path: Path) -> None:
    left = as_latex("".join(chr(code) for code in range(0xA0, 0x2800)))
    names = written("latex", table([*AWKWARD, *HOSTILE, "β ✓ 中"]))
    head = "\\documentclass{article}\\usepackage{booktabs,amssymb}\\begin{document}"
    lines = "\n".join(letter for letter in dict.fromkeys(left) if not letter.isascii())
    (tmp_path / "all.tex").write_text(f"{head}\n{lines}\n{names}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
