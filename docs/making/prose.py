"""Docstrings as Markdown: formulas typeset, tables and sections as they are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator

from making.typeset import latex

SECTION = re.compile(r"^(?=Conventions:|Source:)", re.MULTILINE)
MARK = re.compile(r"\.(?: |$)|[,:;](?: |$)(?!\w+(?:\(\w+\))? = )| over ")
LABEL = re.compile(r"^(Conventions|Source)(?=:)")
SUBSCRIPT = re.compile(r"\b(sum|prod|log|[A-Za-z])_(?:(\w)\b|\{([^{}]*)\})")
SIGNS = {"sum": "Σ", "prod": "Π"}
SETTING = re.compile(r"\b\w+\(\w+=[^()]*\)|\b[A-Za-z_]+=(?:'[^']*'|\{[^}]*\}|\[[^\]]*\]|[\w.]+\b)")


def signature(function: Callable[..., object]) -> str:
    """The parameters with their defaults, without their types."""
    full = inspect.signature(function)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in full.parameters.values()]
    return str(full.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def paragraphs(documented: object) -> list[str]:
    """The paragraphs of a docstring; conventions and source stand alone."""
    whole = (inspect.getdoc(documented) or "").split("\n\n")
    return [part.strip() for paragraph in whole for part in SECTION.split(paragraph) if part.strip()]


def prose(*paragraphs: str) -> Iterator[str]:
    """Paragraphs of a docstring as Markdown: formulas and tables as code."""
    for text in paragraphs:
        if re.search(r"\S {3,}\S|\n-----", text):  # columns, or a section of numpydoc
            yield f"```text\n{text}\n```"
            continue
        before, formula, after = split_formula(text)
        parts = [escaped(before), typeset(formula), escaped(after)]
        yield from (LABEL.sub(r"**\1**", part) for part in parts if part)


def typeset(formula: str) -> str:
    """A formula as LaTeX in a block of its own, as GitHub and the site typeset it."""
    return f"```math\n{latex(formula)}\n```" if formula else ""


def split_formula(text: str) -> tuple[str, str, str]:
    """What stands before, in and behind a formula that begins the paragraph or one of its lines."""
    begin = re.search(r"^(E\[)?[\w@]+(\(\w+\)|\])? = ", text, re.MULTILINE)
    if begin is None or text.startswith(("Conventions:", "Source:")):
        return "", "", " ".join(text.split())
    formula = " ".join(text[begin.start() :].split())
    end = end_of_formula(formula)
    return " ".join(text[: begin.start()].split()), formula[:end], formula[end:].lstrip(",.;: ")


def end_of_formula(text: str) -> int:
    """Where the words behind a formula begin: at a mark or a word outside all brackets."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and MARK.match(text, place):
            return place
    return len(text)


def escaped(text: str) -> str:
    """Text as Markdown: settings such as norm='min' as code, stars and angle brackets as they are, g_1 with its number
    below."""
    settings = SETTING.findall(text)
    plain = [_subscripted(re.sub(r"([*<|\\])", r"\\\1", part)) for part in SETTING.split(text)]
    return "".join(part + code for part, code in zip(plain, [*(f"`{one}`" for one in settings), ""], strict=True))


def _subscripted(text: str) -> str:
    """Letters with a subscript, and sums over one."""

    def below(each: re.Match[str]) -> str:
        subscript = (each[2] or each[3]).replace("\\<=", "≤")
        return f"{SIGNS.get(each[1], each[1])}<sub>{subscript}</sub>"

    return SUBSCRIPT.sub(below, text)
