"""The pages of the repository, put where Sphinx finds them, with what leads from one to the other."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "examples/README.md": "examples.md",
    "README.md": "index.md",
}
"""Files outside docs/ that have a page, or stand for one."""

GROUPS = {
    "Start": "install getting-started report guide files",
    "Do": "gate inference studies judges learning-to-rank objectives ratings scale coming-from gallery",
    "Understand": "measures users findings papers virtual-users agreement speed",
    "Refer": "reference architecture contributing changelog security examples",
}
"""The order of the contents. A page that is not named here stands at the end, under "More"."""

NAMES = {
    "agreement": "Agreement",
    "coming-from": "Coming from",
    "gate": "Gate",
    "objectives": "Objectives",
    "papers": "Papers",
    "report": "Report",
    "scale": "Scale",
    "studies": "Studies",
    "users": "Users",
    "files/others": "Other files",
    "files/answers": "Answers of search engines",
    "files/parts": "Folders of parts",
    "findings/another-reader": "Another reader",
    "findings/ferro14": "Claims of Ferro14",
    "findings/robertson10": "Claims of Robertson10",
    "findings/sakai05": "Claims of Sakai05",
    "findings/scheel11": "Claims of Scheel11",
    "findings/zhai16": "Claims of Zhai16",
    "getting-started/move-from-another-tool": "I use another tool",
    "guide/trackers": "Trackers",
    "inference/skewed-pairs": "Skewed pairs",
    "judges/few-human-grades": "Few human grades",
    "learning-to-rank/by-testing-means": "All means by testing",
    "learning-to-rank/data": "Data and rules",
    "learning-to-rank/engines": "Engines directly",
    "learning-to-rank/tree-settings": "Settings of trees",
    "measures/adaptive": "Users who adapt",
    "measures/ap": "Average precision",
    "measures/counts": "Counts",
    "measures/curves": "Precision-recall curves",
    "measures/gap": "Graded average precision",
    "measures/incomplete": "Incomplete judgments",
    "measures/meangain": "Mean cumulated gain",
    "measures/missed": "Gain by what was missed",
    "measures/precision": "Precision and recall",
    "measures/rates": "Rates of gain",
    "measures/rbp": "Rank-biased precision",
    "measures/sets": "Sets",
    "measures/utility": "Use and estimation",
    "papers/items": "Tables and figures",
    "ratings/recommenders": "Five recommenders",
    "studies/preferences": "Preferences",
}
"""Names of pages in the contents, where the heading is too long for the side bar."""

FENCED = re.compile(r"(^(`{3,}).*?^\2$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:)([^)#]*)(#[^)]*)?\)")


def stage(root: Path, sources: Path) -> None:
    """Copy the pages and pictures, and join them: a page leads to those of the folder that has its name."""
    for path in sorted((root / "docs").rglob("*")):
        if path.is_file() and path.suffix in (".md", ".svg", ".png"):
            _copy(root, path, sources / path.relative_to(root / "docs"))
    for name, staged in OUTSIDE.items():
        if name != "README.md":
            _copy(root, root / name, sources / staged)
    for folder in sorted({page.parent for page in sources.rglob("*.md")} - {sources}):
        _introduce(folder)
    for page in sorted(sources.rglob("*.md")):
        folder = page.with_suffix("")
        if folder.is_dir() and any(folder.glob("*.md")):
            join(page, folder)


def finish(sources: Path) -> None:
    """The contents of the whole, once all pages are there."""
    pages = sorted(page.stem for page in sources.glob("*.md") if page.stem != "index")
    with (sources / "index.md").open("a", encoding="utf-8", newline="\n") as index:
        for caption, names in contents(pages):
            index.write(_tree([f"{short_title(sources, name)} <{name}>" for name in names], caption))


def contents(pages: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The groups of the contents with their pages; every page stands in one."""
    named = [name for names in GROUPS.values() for name in names.split()]
    for caption, names in GROUPS.items():
        yield caption, [name for name in names.split() if name in pages]
    more = [page for page in pages if page not in named]
    if more:
        yield "More", more


def _introduce(folder: Path) -> None:
    """A page for a folder that has none of its own: a list of the pages in it."""
    page = folder.with_suffix(".md")
    if not page.exists():
        rows = [
            f"* [{short_title(folder.parent, f'{folder.name}/{one.stem}')}]({folder.name}/{one.name})\n"
            for one in sorted(folder.glob("*.md"))
        ]
        page.write_text(f"# {folder.name.replace('-', ' ').capitalize()}\n\n{''.join(rows)}", encoding="utf-8")


def join(page: Path, folder: Path) -> None:
    """Let a page lead to those of a folder: in the order in which it names them, then the others."""
    text = page.read_text(encoding="utf-8")
    names = [path.stem for path in folder.glob("*.md")]
    linked = re.findall(rf"\({re.escape(folder.name)}/([^)#/]+)\.md", text)
    ordered = sorted(names, key=lambda name: (linked.index(name) if name in linked else len(linked), name))
    pages = [f"{folder.name}/{name}" for name in ordered]
    entries = [f"{short_title(folder.parent, page)} <{page}>" for page in pages]
    page.write_text(text + _tree(entries), encoding="utf-8", newline="\n")


def short_title(folder: Path, page: str) -> str:
    """The name of a page in the contents: its own, the key of a text, or its heading up to the first colon."""
    if page in NAMES:
        return NAMES[page]
    heading = (folder / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    if key := re.match(r"\[(\w+)\] ", heading):
        return key[1]
    return heading.removeprefix("Coming from ").partition(":")[0].replace("`", "").replace("*", "")


def _tree(names: list[str], caption: str = "") -> str:
    options = [":hidden:", *[f":caption: {caption}"] * bool(caption)]
    return "\n".join(["", "```{toctree}", *options, "", *names, "```", ""])


def _copy(root: Path, path: Path, staged: Path) -> None:
    staged.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".md":
        shutil.copyfile(path, staged)
        return
    place = staged.relative_to(_top(staged, root, path))
    parts = FENCED.split(path.read_text(encoding="utf-8"))
    for number in range(0, len(parts), 3):  # between the fenced blocks
        parts[number] = LINK.sub(lambda link: _relinked(link, root, path, place), parts[number])
    kept = [part for number, part in enumerate(parts) if number % 3 != 2]  # without the marks of the fences
    staged.write_text("".join(kept), encoding="utf-8", newline="\n")


def _top(staged: Path, root: Path, path: Path) -> Path:
    """The folder of the staged pages."""
    inside = path.is_relative_to(root / "docs")
    depth = len(path.relative_to(root / "docs").parts) if inside else 1
    return staged.parents[depth - 1]


def _relinked(link: re.Match[str], root: Path, path: Path, place: Path) -> str:
    """A link between files of the repository as one between pages; without a page there, its text alone."""
    mark, text, target, anchor = link[1], link[2], link[3], link[4] or ""
    if not target:
        return link[0]
    there = Path(os.path.normpath(path.parent / target))
    if not there.is_relative_to(root):
        return text
    name = there.relative_to(root).as_posix()
    inside = there.is_relative_to(root / "docs") and there.is_file()
    page = there.relative_to(root / "docs").as_posix() if inside else OUTSIDE.get(name)
    if page is None:
        return text
    return f"{mark}[{text}]({PurePosixPath(os.path.relpath(page, place.parent))}{anchor})"
