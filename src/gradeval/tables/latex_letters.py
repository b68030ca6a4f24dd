"""Letters beyond ASCII as pdflatex takes them, whatever fonts a document has."""

from __future__ import annotations

import re
import unicodedata

COMMANDS = {
    "▲": r"$\blacktriangle$",  # amssymb
    "▼": r"$\blacktriangledown$",
    "†": r"\textdagger{}",
    "✓": r"$\surd$",
    "✗": r"$\times$",
    "×": r"$\times$",
    "µ": r"$\mu$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
}
ACCENTED = re.compile("[A-Za-z][\u0300-\u0304\u0306-\u0308\u030a-\u030c\u0327]")
"""A letter with an accent that stands in all fonts."""
LAST = "\u017f"
"""The last of the letters with accents that pdflatex knows by themselves, nearly all."""
TYPED = set("ÆæØøŒœßŁłı¡¿£§©®°±²³¼½¾–—‘’“”…•")
"""What else pdflatex takes as it stands."""
GREEK = """
    alpha beta gamma delta zeta eta theta iota kappa mu nu xi pi rho sigma tau upsilon phi chi psi omega
""".split()
"""The Greek letters that have a command by their name; epsilon, lamda and some capitals have others."""
CAPITALS = set("gamma delta theta xi pi sigma upsilon phi psi omega".split())
"""Those whose capitals do not look like Latin letters."""
OTHERS = {
    "small epsilon": r"$\varepsilon$",
    "small lamda": r"$\lambda$",
    "capital lamda": r"$\Lambda$",
    "small final sigma": r"$\varsigma$",
}


def as_latex(text: str) -> str:
    """The text; a letter that pdflatex may not know by its command, or else by its number, as in U+4E2D."""
    return "".join(map(_letter, unicodedata.normalize("NFC", text)))


def _letter(letter: str) -> str:
    accented = letter <= LAST and ACCENTED.fullmatch(unicodedata.normalize("NFD", letter))
    if letter.isascii() or letter in TYPED or accented:
        return letter
    return COMMANDS.get(letter) or _greek(letter) or f"U+{ord(letter):04X}"


def _greek(letter: str) -> str:
    """The command of a Greek letter; nothing where it has none."""
    script, _, rest = unicodedata.name(letter, "").lower().partition(" ")
    case, _, name = rest.replace(" letter", "").partition(" ")
    if script != "greek" or (case == "capital" and name not in CAPITALS) or name not in GREEK:
        return OTHERS.get(f"{case} {name}", "") if script == "greek" else ""
    return f"$\\{name.capitalize() if case == 'capital' else name}$"
