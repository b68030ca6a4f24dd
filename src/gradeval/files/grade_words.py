"""Words as grades: yes and no, what language models write around a number, and labels of Amazon's Shopping Queries.

Exact is 3, substitute 2, complement 1, irrelevant 0: Reddy et al. (2022), "Shopping Queries Dataset: a large-scale ESCI
benchmark for improving product search", arXiv:2206.06588; its own gains are 1, 0.1, 0.01 and 0:
``nDCG(gains={3:1,2:0.1,1:0.01})``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_missing
from gradeval.files.column_names import GRADES, normal_name
from gradeval.files.json_in_text import read_json_text
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.plain_text import quote, read_decimal, write_number
from gradeval.messages import list_some, plural
from gradeval.warning_categories import FilesWarning, warn

ESCI_COLUMN = "esci_label"
ESCI_GRADES = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}
"""By letter, which is also the first one of the word: Exact, Substitute, Complement, Irrelevant."""
ESCI_WORDS = ("exact", "substitute", "complement", "irrelevant")
TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
RELEVANT = {"relevant": 1.0} | dict.fromkeys(
    ("irrelevant", "not relevant", "non relevant", "nonrelevant", "non-relevant"), 0.0
)
"""By the word in lower case: these say yes or no, so that no other grades than 1 and 0 stand with them."""
NUMBER = r"(?P<number>[-+]?[0-9]+(?:\.[0-9]+)?)(?:\s*(?:/|out of)\s*(?P<of>[0-9]+))?"
UNIT = r"(?:\s*(?:stars?|points?|pts?\b)(?![^\W_]))?"
"""What a grade may be counted in."""
KINDS = (
    "the|my|your|this|its|final|overall|relevance|relevancy|relevant|graded|topical|document|doc|passage|product|item|"
    "query|predicted|assigned|judge|judged|human|assessor|annotator|expert|user|llm|gpt|model|numeric|quality|total"
)
"""Words before the one for grades, of which none says that the number is another one, as not, below, max do."""
LED = (
    rf"(?:#*\s*(?:(?:{KINDS})[ _-]){{0,2}}"
    r"(?:grade|score|label|rating|relevance|judge?ment|level|answer)(?:\s*[:=]\s*|\s+))?"
)
FOLLOWED = r"(?:\s*(?:[-:=\u2013\u2014]|\()\s*[^\W\d_][^\d]*)?"
IN_WORDS = re.compile(rf"{LED}[(\[*_`]*{NUMBER}{UNIT}[)\]*_`]*{FOLLOWED}", re.IGNORECASE)
"""One number with a word for grades before it, its highest grade, its unit, or an explanation, and no other digits:
Grade: 2, Score: (2), 2/3, 3 stars, 2 - relevant. No word before it denies or doubts it."""
DENIED = re.compile(
    r".*\d[^\w\n]*((completely|entirely|totally|very) )?"
    r"(irrelevant|unrelated|(not|non)[- ]?relevant|off[- ]topic|bad|poor|worst)( at all)?\W*",
    re.IGNORECASE,
)
"""A number that is explained in its line by not relevant alone, which is the lowest grade."""
NAMED = r"(?:grade|score|label|rating|relevance|judge?ment|answer)"
TOP = r"(?:\s*\(\s*[01]\s*(?:-|\u2013|to)\s*(?P<top>[0-9]+)\s*\))?"
END = r"(?=\s*(?:[.;,](?:\s|$)|$|\n)|\s+[-(\u2013\u2014]\s*[^\W\d_])"
IN_REASONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:^|(?<=[\n#])|(?<=[.;,!?]\s))\s*(?:(?:{KINDS})[ _-]){{0,2}}{NAMED}{TOP}\s*[:=]\s*{NUMBER}{END}",
        rf"<({NAMED})>\s*{NUMBER}\s*</\1>",
        rf"\[\[\s*{NUMBER}\s*\]\]",
        rf"\A\s*{NUMBER}\s*\.?[ \t]*\r?\n\s*(?=[^\W\d_])",
    )
)
"""A number that a longer text names as the grade: Grade (0-3): 2, <grade>2</grade>, [[2]], or 2 above a reason."""
FAILED = re.compile(r"error|rate.?limit|time.?out|sorry|can't|cannot|unable|refus|exception|n/a", re.IGNORECASE)
"""Words of what stands where a model gave no grade."""
WORDS_OF_REFUSALS, WORDS_OF_ANSWERS = 4, 5
"""Words from which on a text may be a refusal, and an answer without a grade rather than a grade in words."""
NO_WORDS = ("nan", "inf", "infinity")
"""What stands for the results of calculations that went wrong."""
MOST_WORDS = 8
"""Words without a number that an error lists."""
LONGEST_WORD = 29
"""Characters of what is called a word."""
UNTYPED = re.compile("[,=:]")
"""Signs in words that the option cannot have."""
MARKS = " \t\r\n*_`'\"()[]"
"""What may enclose a grade and says nothing, as brackets and the asterisks of Markdown."""


@dataclass
class GradeWords:
    """The grades of a column of judgments that may be words, and what its reader is told about them.

    Attributes
    ----------
    column : its name; empty: it has none.
    first : the first grade in words, and the number that was read; empty: there is none.
    count : how many grades in words were read.
    none : the first word for no grade, as N/A; empty: there is none.
    truth : the first word that says yes or no; empty: there is none.
    highest : the highest grade, as 3 in 2/3, and all grades that name one; 0: none does.
    refusals, refusal : how many answers give no grade, as where a model refuses, and the first one.
    denied : the first grade above 0 that is explained as not relevant, and its number; empty: there is none.
    columns : say which words the user gives numbers.
    cells : gives all that stands in the column, where an error lists its words.
    of_python : what to type for the grades, by the text of a mapping of words to numbers; None: they are in a file.
    """

    column: str = ""
    first: str = ""
    count: int = 0
    none: str = ""
    truth: str = ""
    highest: float = 0.0
    refusals: int = 0
    refusal: str = ""
    denied: tuple[str, float] = ("", 0.0)
    columns: Columns = GUESSED
    cells: Callable[[], Iterable[Any]] = tuple
    of_python: Callable[[str], str] | None = None

    def is_missing(self, value: object) -> bool:
        """Is no grade given, or does a text say that there is none?"""
        missing = is_missing(value)
        if missing and isinstance(value, str) and not self.none:
            self.none = value.strip()
        if not missing and isinstance(value, str) and self._gives_none(value):
            self.refusals += 1
            self.refusal = self.refusal or value.strip()
            return True
        return missing

    def _gives_none(self, text: str) -> bool:
        """Does a model refuse to grade? Or is it an answer without a grade, of which a part is asked?"""
        words = len(text.split())
        in_part = "." in self.column and self.column == self.columns.grade
        answer = in_part and (words >= WORDS_OF_ANSWERS or text.lstrip()[:1] in ("{", "`"))
        refuses = words >= WORDS_OF_REFUSALS and not re.search(r"\d", text) and FAILED.search(text)
        return bool(answer or refuses) and isnan(replace(self).read(text))

    def warn_of_refusals(self, place: str) -> None:
        """Say how many answers give no grade."""
        if self.refusals:
            answers = plural(self.refusals, "answer")
            said, are = ("gives no grade", "is") if self.refusals == 1 else ("give no grade", "are")
            warn(f"{place}: {answers} {said} and {are} unjudged, as {quote(self.refusal)}", FilesWarning)
            self.refusals = 0

    def read(self, text: str) -> float:
        """The grade in a text; NaN: it has none."""
        given = self.columns.words.get(text.strip())
        if given is not None:
            self.columns.read[text.strip()] = None
            return given
        if normal_name(self.column) == ESCI_COLUMN:
            letter = text[:1].upper() if text.lower() in ESCI_WORDS else text
            return ESCI_GRADES.get(letter, read_decimal(text))
        number = read_decimal(text)
        if number == number:
            return number
        named = self.column == self.columns.grade  # of a guessed column it is asked which part counts
        if named and isinstance(answer := read_json_text(text), dict):
            parts = _grades_in(answer)
            number, before = nan, self.count
            if len(parts) == 1:
                number, self.count = self.read(str(parts[0])), before  # one answer, whatever its part is
            return number if number != number else self._put(text, number)
        plain = text.strip(MARKS).removesuffix(".").rstrip(MARKS)
        word = " ".join(plain.lower().split())
        if (truth := (TRUTH | RELEVANT).get(word)) is not None:
            self.truth = self.truth or text.strip()
            return truth if word in TRUTH and plain == text.strip() else self._put(text, truth)
        found = IN_WORDS.fullmatch(plain) or _find_among_reasons(text)
        if found is None:
            return nan
        number = float(found["number"])
        of = found["of"] or found.groupdict().get("top")
        if of is not None:
            highest = float(of)
            if not 0 <= number <= highest or self.highest not in (0.0, highest) or not number.is_integer():
                return nan
            self.highest = highest
        if number > 0 and not self.denied[0] and DENIED.fullmatch(plain):
            self.denied = text.strip(), number
        return self._put(text, number)

    def _put(self, text: str, number: float) -> float:
        self.first = self.first or f"{quote(text.strip())} as {write_number(number)}"
        self.count += 1
        return number

    def refuse(self, text: str, name: str, where: str) -> InputError:
        """The error for a text without a grade; ``name``: what the grade is called there."""
        fault = f"{where}: {name} {quote(text)} is not a finite number; write "
        if normal_name(self.column) == ESCI_COLUMN:
            return InputError(f"{fault}one of {', '.join(ESCI_GRADES)}")
        if text.lstrip().startswith("{"):
            answer = read_json_text(text)
            if not isinstance(answer, dict):
                return InputError(f"{where}: {name} {quote(text)} is JSON that is cut; complete it, or leave it empty")
            has = f" (it has {list_some([*answer])})" if answer else ""
            return InputError(f"{where}: {name} {quote(text)} is JSON{has}; name its part: --columns grade={name}.PART")
        if not _has_letters(text):
            empty = (
                ""
                if re.search(r"\d", text) or text.strip(" -+").lower() in NO_WORDS
                else "; leave it empty if none was given"
            )
            return InputError(f"{fault}it as in 2 or 0.5{empty}")
        grades = f"df[{self.column or name!r}]"
        if FAILED.search(text):
            return InputError(f"{fault}nothing there, as an empty cell or null, if no grade was given")
        if before := re.match(r"[^\d\n]*?([^\W\d_]+\W{0,4})\d", text):
            pattern = "".join(one if one in " :" else re.escape(one) for one in before[1]).replace("'", ".")
            return InputError(
                f"{fault}the number alone, in pandas: {grades}.str.extract(r'{pattern}(\\d+)')[0]; then look at it"
            )
        word = text.strip()
        if not is_word(word):
            return InputError(f"{fault}the number alone; nothing there, as an empty cell or null, if it has none")
        return InputError(f"{fault}a number for each word{self._how_to_number(word)}")

    def _how_to_number(self, word: str) -> str:
        """What to type for the numbers of the words, of which ``word`` is one, on a command line and in Python."""
        numbers = self._number_words(word)
        mapping = f"{{{', '.join(f'{one!r}: {number}' for one, number in numbers.items())}}}"
        if self.of_python is not None:
            return f": {self.of_python(mapping)}"
        python = f"in Python read_qrels(FILE, recode={mapping})"
        return f", {python}" if any(map(UNTYPED.search, numbers)) else f": {self._recode(word)}, or {python}"

    def _recode(self, word: str) -> str:
        """The option that gives numbers to the words, of which ``word`` is one."""
        from shlex import quote as quote_argument

        numbers = self._number_words(word)
        return "--recode " + quote_argument(",".join(f"{one}={number}" for one, number in numbers.items()))

    def _number_words(self, word: str) -> dict[str, str]:
        """The words of the column, of which ``word`` is one, with their numbers as text: all that have one, as yes or
        no, and the first others."""
        words = dict.fromkeys([word, *(cell.strip() for cell in self.cells() if isinstance(cell, str))])
        meant = {one.casefold(): grade for one, grade in self.columns.words.items()}
        folded = {one.casefold() for one in words}
        numbers = {one: n for one, n in self.columns.words.items() if one in words or one.casefold() not in folded}
        for one in words:
            if one in numbers or is_missing(one) or not is_word(one):
                continue
            reading = GradeWords(self.column)
            number = reading.read(one)
            if reading.truth or isnan(number):
                numbers[one] = meant.get(one.casefold(), number)  # which the user gave in other letters
            if isnan(number):
                self.columns.unnumbered[one] = None
        blank = [one for one, number in numbers.items() if isnan(number)][:MOST_WORDS]
        return {
            one: "GRADE" if isnan(number) else write_number(number)
            for one, number in numbers.items()
            if one in blank or not isnan(number)
        }

    def require_one_scale(self, grades: Iterable[float], place: str) -> None:
        """Refuse words that say yes or no among grades other than 1 and 0, 2/3 among grades beyond 3, and 4 as not
        relevant above grade 1; ``grades`` are looked at where there is such a word."""
        denied, lowest = self.denied
        if not self.truth and not self.highest and not denied:
            return
        seen = dict.fromkeys(grades)
        if self.truth and (beyond := [grade for grade in seen if grade not in (0.0, 1.0)]):
            writable = self.columns.words and not UNTYPED.search(self.truth)
            how = f"write a number for it, too: {self._recode(self.truth)}" if writable else "write numbers only"
            raise InputError(
                f"{place}: grade {quote(self.truth)} says yes or no, and another grade is {write_number(beyond[0])}; "
                f"{how}"
            )
        if denied and (lower := [grade for grade in seen if 0 <= grade < lowest]):
            raise InputError(
                f"{place}: grade {quote(denied)} is not relevant, and another grade is {write_number(lower[0])}, which "
                "is lower; write numbers only, the best grade highest"
            )
        if self.highest and (beyond := [one for one in seen if not float(one).is_integer() or one > self.highest]):
            raise InputError(
                f"{place}: reads {self.first}, which says that {write_number(self.highest)} is the highest grade, and "
                f"another grade is {write_number(beyond[0])}; write numbers only"
            )

    @property
    def said(self) -> str:
        """What is said of the words that were read, to stand behind the name of a format."""
        none = f"; {quote(self.none)} is no grade" if self.none else ""
        if not self.first:
            return none
        number, read = plural(self.count, "grade"), "is read as a number" if self.count == 1 else "are read as numbers"
        return f"{none}; {number} in words {read}: {self.first}"


def _has_letters(text: str) -> bool:
    """May it be words, rather than a sign or the result of a calculation that went wrong?"""
    return bool(re.search(r"[^\W\d_]{2}", text)) and text.strip(" -+").lower() not in NO_WORDS


def is_word(text: str) -> bool:
    """May it be a grade, rather than a sentence, JSON or what stands where a model failed?"""
    short = len(text) <= LONGEST_WORD and text.isprintable() and not text.startswith("{")
    return short and _has_letters(text) and not FAILED.search(text)


def _grades_in(answer: dict[str, Any]) -> list[Any]:
    """What stands in an answer under the usual names of grades, as text or number."""
    parts = (value for name, value in answer.items() if normal_name(name) in GRADES)
    return [value for value in parts if isinstance(value, str | int | float)]


def _find_among_reasons(text: str) -> re.Match[str] | None:
    """Where a text with reasons names its grade; None where it names none, or two."""
    plain = re.sub(r"[*`]", "", text)
    found = [one for pattern in IN_REASONS for one in pattern.finditer(plain)]
    return found[0] if len({float(one["number"]) for one in found}) == 1 else None
