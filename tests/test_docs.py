"""README.md and docs/: what they show runs and prints just that; what they name exists."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path

import click
import pytest
from forked_commands import forked_commands

import gradeval
from gradeval.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

WORDS = 1500
"""Of a page, blocks and tables included; what has no letter, as a figure in a table, is looked up, not read."""

DIGITS = 12
"""What sums in another order, as other vector instructions take them, still share."""

PYTHON = """
import contextlib, io, json, os, sys, traceback, warnings
import gradeval
warnings.simplefilter("ignore", gradeval.GradevalWarning)  # pages say on purpose what is warned of
filters = [*warnings.filters]
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # LightGBM's threads write to the terminal, past Python, how they connect
for line in sys.stdin:
    folder, text = json.loads(line)
    if text is None:  # another page
        os.chdir(folder)
        warnings.filters[:] = filters
        space = {"__name__": "page"}
        continue
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        try:
            exec(compile(text, "block", "exec", dont_inherit=True), space)
        except BaseException:
            print(traceback.format_exc())
    print(json.dumps(shown.getvalue()), file=answers, flush=True)
answers.close()
"""
"""Runs blocks of Python: a folder and a block a line in, its output a line out. A page has a name space of its own."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the text of the block behind it, and its line in the page."""

    language: str
    text: str
    shown: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page; ``shown`` is what a block ``text`` that follows it at once says it prints."""
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    for fence, after in zip_longest(fences, fences[1:]):
        adjacent = after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip()
        shown = after[2] if after is not None and adjacent else ""
        yield Block(fence[1], fence[2], shown, text.count("\n", 0, fence.start()) + 1)


class Reader:
    """Somebody who tries what pages show: each page in a folder of its own, from top to bottom."""

    def __init__(self, programs: Path) -> None:
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "HOME": str(programs), "LC_ALL": "C.UTF-8"}
        self.folder = programs
        self.python = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", PYTHON],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=self.environment,
        )

    def opens_page(self, folder: Path) -> None:
        """Go to a folder with the examples in it."""
        self.folder = folder / "home"
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        self.environment["HOME"] = str(self.folder)
        self.says(None)

    def says(self, text: str | None) -> None:
        assert self.python.stdin is not None
        self.python.stdin.write(json.dumps([str(self.folder), text]) + "\n")
        self.python.stdin.flush()

    def close(self) -> None:
        self.python.communicate()

    def tries(self, block: Block) -> str:
        """What the block looks like with what it really prints."""
        match block.language:
            case "python":
                assert self.python.stdout is not None
                self.says(block.text)
                printed: str = json.loads(self.python.stdout.readline())
                return printed
            case "console":
                commands = re.findall(r"^\$ (.*)$", block.text, re.MULTILINE)
                script = "".join(f"{one}\nlast=$?; printf '\\x1e\\n'; (exit $last)\n" for one in commands)
                outputs = self.shell(script, check=False).split("\x1e\n")
                pairs = zip(commands, outputs, strict=False)
                return "".join(f"$ {command}\n{output}" for command, output in pairs)
            case _:
                return self.shell(block.text, check=True)

    def shell(self, script: str, *, check: bool) -> str:
        result = subprocess.run(
            ["bash", *["-euo", "pipefail"] * check, "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            cwd=self.folder,
            env=self.environment,
        )
        assert not check or result.returncode == 0, result.stdout
        return result.stdout


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """One for all pages: programs import for longer than most blocks take."""
    programs = tmp_path_factory.mktemp("bin")
    with forked_commands(programs):
        reader = Reader(programs)
        yield reader
        reader.close()


def expected(block: Block) -> str | None:
    """What a block must print; None: it need only work."""
    return {"python": block.shown, "console": block.text}.get(block.language)


def tried(page: Path) -> list[Block]:
    """The blocks to try: all but those that install, which continuous integration runs."""
    chosen = [block for block in blocks(page) if block.language in ("python", "console", "sh")]
    return [block for block in chosen if "pip install" not in block.text and not needs_real_data(block)]


REAL = {
    "robust2005": "trec14-robust2005",
    "covid": "trec-covid-r5",
    "dl2021": "trec-dl21-passage",
    "judges": "trec-dl21-judges",
    "web": "qrels-only",
    "ohsumed": "ohsumed-letor2",
    "ohsumed3": "ohsumed-letor3",
    "movietweetings": "movietweetings",
}
"""Folders that blocks on real data read, and the data sets that they stand for."""


def real_folders(block: Block) -> set[str]:
    """The folders of real data that a block reads."""
    return {folder for folder in REAL if re.search(rf"(?<![\w/.-]){folder}/", block.text)}


def needs_real_data(block: Block) -> bool:
    """Blocks ``shellsession`` do, and those of Python that read a folder of real data."""
    return block.language == "shellsession" or (block.language == "python" and bool(real_folders(block)))


def on_real_data(page: Path) -> list[Block]:
    """The blocks of a page that need real data; those ``shellsession`` look like blocks ``console``."""
    return [
        replace(block, language={"shellsession": "console"}.get(block.language, block.language))
        for block in blocks(page)
        if needs_real_data(block)
    ]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def require_packages(shown: list[Block]) -> None:
    """Skip a page whose Python imports what is not installed."""
    for block in shown:
        for package in re.findall(r"^(?:import|from) (\w+)", block.text * (block.language == "python"), re.MULTILINE):
            if importlib.util.find_spec(package) is None:
                pytest.skip(f"{package} is not installed")
            if package == "pyspark" and shutil.which("java") is None:
                pytest.skip("Java is not installed")


GALLERY = ROOT / "docs" / "gallery.md"
"""Its commands are run where the site is made, which fails if one does: `tests/docs/test_site.py`."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_is_read_in_ten_minutes(page: Path) -> None:
    assert sum(any(map(str.isalpha, word)) for word in page.read_text(encoding="utf-8").split()) <= WORDS


@pytest.mark.parametrize("page", [page for page in PAGES if page != GALLERY and tried(page)], ids=name)
def test_what_a_page_shows_is_what_it_prints(page: Path, reader: Reader, tmp_path: Path) -> None:
    require_packages(tried(page))
    reader.opens_page(tmp_path)
    for block in tried(page):
        printed, wanted = reader.tries(block), expected(block)
        assert wanted in (None, printed), f"{name(page)}:{block.line} prints\n{printed}"


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if on_real_data(page)], ids=name)
def test_what_a_page_shows_of_real_data_is_what_it_prints(
    page: Path, reader: Reader, tmp_path: Path, data: Callable[[str], Path]
) -> None:
    require_packages(on_real_data(page))
    reader.opens_page(tmp_path)
    for folder in set().union(*map(real_folders, on_real_data(page))):
        (reader.folder / folder).symlink_to(data(REAL[folder]))
    for block in on_real_data(page):
        printed = reader.tries(block)
        assert printed == expected(block), f"{name(page)}:{block.line} prints\n{printed}"


def test_the_readme_is_short_and_leads_to_the_report() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 800
    assert "gradeval report" in " ".join(text.split()[:250])
    assert re.search(r"!\[[^]]+\]\(docs/[\w-]*report[\w-]*\.png\)", text)
    assert text.index("```sh\n") > text.index("```console\n")  # what one gets, before how to get it


def options(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """Every option of a command and of the commands below it."""
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option):
            yield from [*parameter.opts, *parameter.secondary_opts]
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from options(below, ctx)


@cache
def known_options() -> frozenset[str]:
    """Every option of gradeval and of the benchmarks."""
    known = set(options(main, click.Context(main)))
    for script in ROOT.glob("benchmarks/**/*.py"):
        known.update(re.findall(r'add_argument\("(--[a-z-]+)"', script.read_text(encoding="utf-8")))
    return frozenset(known)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_only_options_that_exist_are_named(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))
    assert named - known_options() == set()


def test_the_guide_names_every_option_of_evaluate() -> None:
    command = main.get_command(click.Context(main), "evaluate")
    assert command is not None
    known = {option for option in options(command, click.Context(main)) if option.startswith("--")}
    pages = (ROOT / "docs" / "guide.md", ROOT / "docs" / "guide" / "options.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [option for option in sorted(known - {"--help"}) if f"`{option}" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_only_parameters_that_exist_are_named(page: Path) -> None:
    for function, parameter in re.findall(r"`(\w+)\((\w+)=\)`", page.read_text(encoding="utf-8")):
        assert parameter in inspect.signature(getattr(gradeval, function)).parameters, f"{function}({parameter}=)"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_no_more_digits_than_hold_on_any_processor(page: Path) -> None:
    numbers = re.findall(r"(?<![\w.])0*\d+\.\d+(?![\w.])", page.read_text(encoding="utf-8"))
    assert [one for one in numbers if len(one.replace(".", "").lstrip("0")) > DIGITS] == []
