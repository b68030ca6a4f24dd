"""Write what the documentation says about measures from their docstrings: ``python docs/generate.py``.

Each family of measures becomes a page in docs/measures/; the lists of families in README.md and docs/measures.md,
between the marks ``<!-- families:begin -->`` and ``<!-- families:end -->``, are written anew. tests/test_docs.py
fails where the files differ from what this would write.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import gradeval  # registers the measures
from gradeval.cli.score.measures import summary
from gradeval.formula.definition import REGISTRY, REQUIRED, Measure
from gradeval.formula.parameters import write

ROOT = Path(__file__).resolve().parent.parent
ORDER = "precision ap gap gain meangain missed blended rbp err incomplete roc sets utility counts".split()
FUNCTIONS = {
    "curves": [
        gradeval.precision_recall_curve,
        gradeval.interpolated_curve,
        gradeval.graded_precision_recall_curve,
        gradeval.interpolated_graded_curve,
        gradeval.graded_precision,
        gradeval.graded_recall,
        gradeval.expected_precision,
        gradeval.expected_precision_curve,
    ],
    "utility": [gradeval.adm],
}
"""What is no registered measure, by the family whose page documents it."""

MARKED = re.compile(r"(?<=<!-- families:begin -->\n).*?(?=<!-- families:end -->)", re.DOTALL)
SECTION = re.compile(r"^(?=Conventions:|Source:)", re.MULTILINE)
MARK = re.compile(r"[,:;.](?: |$)(?!\w+(?:\(\w+\))? = )| over ")
LABEL = re.compile(r"^(Conventions|Source)(?=:)")
SETTING = re.compile(r"\b\w+\(\w+=[^()]*\)|\b[A-Za-z_]+=(?:'[^']*'|\{[^}]*\}|\[[^\]]*\]|[\w.]+\b)")


def pages() -> dict[Path, str]:
    """Every file that is written, wholly or between marks, with what is to stand in it."""
    written = {ROOT / "docs" / "measures" / f"{family}.md": page(family) for family in families()}
    for path, folder in ((ROOT / "README.md", "docs/measures/"), (ROOT / "docs" / "measures.md", "measures/")):
        rows = contents(folder)
        written[path] = MARKED.sub(rows.replace("\\", r"\\"), path.read_text(encoding="utf-8"))
    return written


def families() -> dict[str, list[Measure]]:
    """The measures by the module that defines them, in the order of the documentation."""
    by_module = groupby(REGISTRY.values(), key=lambda measure: measure.definition.formula.__module__)
    found = {module.rpartition(".")[2]: list(family) for module, family in by_module} | {"curves": []}
    return {name: found[name] for name in sorted(found, key=[*ORDER, *sorted(found)].index)}


def contents(folder: str) -> str:
    """A table with a line for each family: its measures, and what they are."""
    rows = []
    for family in families():
        name, colon, more = title(family).partition(":")
        spelled = " ".join(f"`{name}`" for name in names(family))
        rows.append(f"| [{name}]({folder}{family}.md){colon}{more} | {spelled} |\n")
    return "".join(["| family | measures |\n", "|---|---|\n", *rows])


def names(family: str) -> list[str]:
    """The measures of a family with the @ that they take, else its functions."""
    measures = families()[family]
    return [spelling(one) for one in measures] or [f"{one.__name__}()" for one in FUNCTIONS[family]]


def title(family: str) -> str:
    """The first line of a family's module."""
    return (sys.modules[f"gradeval.measures.{family}"].__doc__ or "").strip().split("\n")[0].rstrip(".")


def spelling(measure: Measure) -> str:
    """AP[@k], P@k, IPrec@recall, Rprec: brackets where @ may be left out."""
    at = measure.definition.at
    if at is None:
        return measure.name
    place = "@k" if at == "cutoff" else f"@{at}"
    return measure.name + (place if measure.parameters[at] is REQUIRED else f"[{place}]")


def page(family: str) -> str:
    """The page of a family."""
    head = [
        f"# {title(family)}",
        f"<!-- Written by docs/generate.py from src/gradeval/measures/{family}.py; change it there. -->\n"
        "[All measures](../measures.md) says what the letters stand for, and what holds for every measure.",
    ]
    parts = [*head, *(part for one in families()[family] for part in about_measure(one))]
    parts += [part for one in FUNCTIONS.get(family, []) for part in about_function(one)]
    return "\n\n".join(parts) + "\n"


def about_measure(measure: Measure) -> Iterator[str]:
    """Heading, formula, conventions, source and parameters."""
    yield f"## {spelling(measure)}"
    yield from prose(f"{summary(measure)}.", *paragraphs(measure.definition.formula)[1:])
    if parameters := list(about_parameters(measure)):
        yield "\n".join(parameters)


def about_parameters(measure: Measure) -> Iterator[str]:
    """A line for each parameter: what it accepts, and its default."""
    definition = measure.definition
    for name, default in definition.parameters.items():
        kind, optional = definition.kinds[name]
        shown = "must be given" if default is REQUIRED else f"default `{write(default)}`"
        accepts = kind.accepts + (" or None" if optional else "")
        place = f"@{name}" if name == definition.at else name
        yield f"* `{place}`: {escaped(accepts)}; {shown}"


def about_function(function: Callable[..., object]) -> Iterator[str]:
    """Heading, signature and docstring of a function that is no registered measure."""
    name = function.__name__
    yield f"## {name}()"
    first, *rest = paragraphs(function)
    yield from prose(first)
    yield f"```text\n{name}{signature(function)}\n```"
    yield from prose(*rest)


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
        parts = [escaped(before), f"```text\n{formula}\n```" * bool(formula), escaped(after)]
        yield from (LABEL.sub(r"**\1**", part) for part in parts if part)


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
    """Text as Markdown: settings such as norm='min' as code, stars and angle brackets as they are."""
    settings = SETTING.findall(text)
    plain = [re.sub(r"([*<|\\])", r"\\\1", part) for part in SETTING.split(text)]
    return "".join(part + code for part, code in zip(plain, [*(f"`{one}`" for one in settings), ""], strict=True))


def main(arguments: Sequence[str]) -> None:
    """Write the files that differ."""
    if arguments:
        sys.exit("usage: python docs/generate.py")
    (ROOT / "docs" / "measures").mkdir(exist_ok=True)
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
