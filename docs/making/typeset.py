"""Formulas as the docstrings write them, plain text, as LaTeX: what browsers and GitHub typeset is never typed twice.

The notation: ``sum_{n<=k}`` and ``prod_{i<n}`` range over the product that follows; ``a/b`` divides two neighbours,
``a b / (c + d)`` with blanks divides whole products; words in a row are words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)|(?P<name>[A-Za-zα-ωΑ-Ω][A-Za-z0-9]*(?:@\w+)?)"
    r"|(?P<relation><=|>=|->|!=|\.\.\.|\.\.|[=<>:,;])|(?P<sign>[-+])|(?P<mark>.)"
)
GREEK = {"alpha", "beta", "tau", "sigma", "pi", "Phi"}
FUNCTIONS = {"min", "max", "exp", "ln", "log"}
RANGING = {"sum": r"\sum", "prod": r"\prod"}
RELATIONS = {
    "<=": r"\le",
    ">=": r"\ge",
    "->": r"\to",
    "!=": r"\ne",
    "...": r"\ldots",
    "..": r"\ldots",
    ",": ",\\;",
    ":": r"\,:\,",
}
CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|"}
CONNECTING = {"of", "the", "and", "in", "with", "at", "or", "all", "among", "where", "is"}


@dataclass(frozen=True)
class Token:
    """A piece of a formula: its kind, its text, and whether a blank stands before it."""

    kind: str
    text: str
    apart: bool


def latex(formula: str) -> str:
    """A formula in plain text as LaTeX; ValueError where it does not read as one."""
    reading = Reading(tokens(formula))
    text = reading.expression("")
    if reading.left():
        raise ValueError(f"{formula}: nothing opens {reading.next().text!r}")
    return text


def tokens(formula: str) -> list[Token]:
    """The pieces of a formula; words in a row, such as "documents judged relevant", are one."""
    found: list[Token] = []
    apart = False
    for match in TOKEN.finditer(formula):
        kind = str(match.lastgroup)
        if kind != "blank":
            found.append(Token(kind, match[0], apart))
        apart = kind == "blank"
    joined: list[Token] = []
    for place, token in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        if _is_word(token, after):
            if joined and joined[-1].kind == "words" and token.apart:
                joined[-1] = Token("words", f"{joined[-1].text} {token.text}", joined[-1].apart)
                continue
            token = Token("words", token.text, token.apart)
        joined.append(token)
    return [_name_again(token, before) for token, before in zip(joined, [None, *joined], strict=False)]


def _is_word(token: Token, after: Token | None) -> bool:
    """A name of several small letters, or a connecting word, that nothing is applied to."""
    if token.kind != "name" or token.text in GREEK | FUNCTIONS or "@" in token.text:
        return False
    applied = after is not None and not after.apart and after.text in ("(", "[", "_", "{")
    return not applied and (token.text in CONNECTING or (len(token.text) > 2 and token.text.islower()))


def _name_again(token: Token, before: Token | None) -> Token:
    """A word that stands alone is a name like "rel", but behind something ("r[n] unjudged") it says more of that."""
    alone = token.kind == "words" and " " not in token.text and token.text not in CONNECTING
    says_more = before is not None and (before.kind in ("name", "number") or before.text in (")", "]"))
    return Token("name", token.text, token.apart) if alone and not says_more else token


class Reading:
    """Reads the pieces from left to right."""

    def __init__(self, pieces: list[Token]) -> None:
        self.pieces = pieces
        self.place = 0

    def left(self) -> bool:
        return self.place < len(self.pieces)

    def next(self) -> Token:
        return self.pieces[self.place]

    def take(self) -> Token:
        self.place += 1
        return self.pieces[self.place - 1]

    def expression(self, closing: str) -> str:
        """Products with signs and relations between them, up to a closing bracket."""
        parts = []
        while self.left() and self.next().text != closing and self.next().text not in (")", "]", "}"):
            token = self.next()
            if token.kind in ("sign", "relation"):
                self.take()
                parts.append(RELATIONS.get(token.text, token.text))
            elif token.kind == "words" and token.text in CONNECTING:
                self.take()
                parts.append(r"\in" if token.text == "in" else rf"\quad\text{{{token.text}}}\quad")
            else:
                parts.append(self.product(closing))
        return " ".join(parts)

    def product(self, closing: str) -> str:
        """Factors side by side; a slash between blanks divides what stands before it by the product behind it."""
        done: list[str] = []
        factors: list[str] = []
        while self.left() and self._goes_on(closing):
            token = self.next()
            if token.text == "*":
                self.take()
                done += factors
                factors = []
            elif token.text == "/":
                self.take()
                over = self._denominator(closing)
                if over.startswith(r"\sum") or over.startswith(r"\text{sum"):  # a quotient of sums
                    done, factors = [], done + factors
                if not factors or not over:
                    raise ValueError("a quotient has nothing above or below its line: a part is missing")
                factors = [rf"\frac{{{_bare(factors)}}}{{{over}}}"]
                done, factors = [*done, *factors], []
            elif token.text in RANGING and self._is_ranging():
                done += [*factors, self.factor()]
                factors = []
            else:
                factors.append(self.factor())
        return _joined([*done, *factors])

    def _denominator(self, closing: str) -> str:
        """The factors behind a slash, as far as it reaches."""
        factors: list[str] = []
        while self.left() and self._goes_on(closing) and self.next().text not in ("*", "/"):
            ranging = self.next().text in RANGING and self._is_ranging()
            if factors and ranging and not factors[0].startswith(r"\sum"):
                break
            factors.append(self.factor())
        return _bare(factors)

    def _goes_on(self, closing: str) -> bool:
        token = self.next()
        ends = token.kind in ("sign", "relation") or token.text in (")", "]", "}") or token.text == closing
        return not ends and not (token.kind == "words" and token.text in CONNECTING)

    def _is_ranging(self) -> bool:
        after = self.pieces[self.place + 1 : self.place + 2]
        return bool(after) and after[0].text == "_"

    def factor(self) -> str:
        """A number, a name with what hangs on it, a bracket, or words; a/b without blanks is a fraction of its own."""
        text = self._atom()
        while self.left() and self.next().text == "/" and not self.next().apart and self._tight():
            self.take()
            text = rf"\frac{{{_bare([text])}}}{{{_bare([self._atom()])}}}"
        return text

    def _tight(self) -> bool:
        after = self.pieces[self.place + 1 : self.place + 2]
        return bool(after) and not after[0].apart

    def _atom(self) -> str:
        token = self.take()
        if token.kind == "words":
            return rf"\text{{{token.text}}}"
        if token.kind == "number":
            text = _number(token.text)
            if self.left() and self.next().text == "{":  # 1{...}: 1 where it holds
                text = rf"\mathbf{{{text}}}"
        elif token.text in CLOSING:
            text = self._bracketed(token.text)
            if quotient := re.fullmatch(r"\\left\( (\\frac\{\w+\}\{\w+\}) \\right\)", text):
                text = quotient[1]  # a small one needs no bracket
            return self._hanging(text)
        elif token.kind == "name":
            text = _name(token.text)
        else:
            raise ValueError(f"{token.text!r} begins nothing")
        return self._hanging(text)

    def _hanging(self, text: str) -> str:
        """Indices, powers and arguments, written without a blank."""
        while self.left() and not self.next().apart:
            mark = self.next().text
            if mark in ("_", "^"):
                self.take()
                text += mark + "{" + self._script().replace(r" \ldots ", "}^{") + "}"
            elif mark in ("(", "[", "{"):
                self.take()
                text += r"\!" * (mark == "(" and not text.endswith(")")) + self._bracketed(mark)
            elif mark == "@":
                self.take()
                text += "@" + self._atom()
            else:
                break
        return text

    def _script(self) -> str:
        """What is raised or lowered: a bracket loses its braces."""
        token = self.take()
        if token.text in ("{", "("):
            inside = self.expression(CLOSING[token.text])
            self._close(CLOSING[token.text])
            return inside
        return (
            _name(token.text)
            if token.kind == "name"
            else token.text
            if token.kind != "words"
            else rf"\text{{{token.text}}}"
        )

    def _bracketed(self, opening: str) -> str:
        inside = self.expression(CLOSING[opening])
        self._close(CLOSING[opening])
        left, right = {"{": (r"\{", r"\}"), "|": (r"\lvert ", r"\rvert ")}.get(opening, (opening, CLOSING[opening]))
        tall = r"\frac" in inside or r"\sum" in inside
        return rf"\left{left} {inside} \right{right}" if tall else f"{left}{inside}{right}"

    def _close(self, closing: str) -> None:
        if not self.left() or self.take().text != closing:
            raise ValueError(f"a {closing!r} is missing")


def _joined(factors: list[str]) -> str:
    """Factors side by side, words with a blank around them."""
    text = r" \, ".join(factors)
    return re.sub(r" \\, (?=\\text)|(?<=text)(\{[^}]*\}) \\, ", lambda gap: (gap[1] or "") + r"\;", text)


def _bare(factors: list[str]) -> str:
    """A product above or below a line; a single bracket is not needed there."""
    text = _joined(factors)
    for opening, closing in ((r"\left( ", r" \right)"), ("(", ")")):
        inside = text.removeprefix(opening).removesuffix(closing)
        if len(factors) == 1 and len(text) - len(inside) == len(opening) + len(closing) and _balanced(inside):
            return inside
    return text


def _balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def _number(text: str) -> str:
    base, e, power = text.partition("e")
    if not e:
        return text
    return rf"10^{{{int(power)}}}" if base == "1" else rf"{base} \cdot 10^{{{int(power)}}}"


def _name(text: str) -> str:
    name, at, place = text.partition("@")
    if name in GREEK or name in FUNCTIONS:
        shown = "\\" + name
    elif name in RANGING:
        shown = RANGING[name]
    elif logarithm := re.fullmatch(r"log(\d+)", name):
        shown = rf"\log_{{{logarithm[1]}}}"
    elif numbered := re.fullmatch(r"([a-z])(\d)", name):
        shown = rf"{numbered[1]}_{numbered[2]}"
    else:
        shown = name if len(name) == 1 else rf"\mathrm{{{name}}}"
    return shown + at + place
