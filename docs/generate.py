"""Write what the documentation says about measures and rooms from their docstrings: ``python docs/generate.py``.

Each family of measures has a page in docs/measures/, and each measure one in the folder of its family, with a picture
where its value depends on ranks. The lists of families in README.md and docs/measures.md, between the marks
``<!-- families:begin -->`` and ``<!-- families:end -->``, are written anew, and so are what docs/index.md shares with
README.md and the table of rooms in docs/architecture.md. tests/docs/test_measure_pages.py fails where the files differ
from what this would write.

``python docs/generate.py --picture`` draws the picture of README.md anew, too, by the command that stands below it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from making.drawing import pictures_of
from making.families import contents, families, family_page
from making.figures import portable
from making.measure_page import measure_page
from making.rooms import rooms_table

MARKED = r"(?<=<!-- {name}:begin -->\n).*?(?=<!-- {name}:end -->)"
PICTURE = re.compile(r"`(gradeval [^`]*--plot (docs/[\w/.-]+))`")


def pages() -> dict[Path, str]:
    """Every file that is written, wholly or between marks, with what is to stand in it."""
    folder = ROOT / "docs" / "measures"
    agreement = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")
    written: dict[Path, str] = {}
    for family, measures in families().items():
        written[folder / f"{family}.md"] = family_page(family)
        for measure in measures:
            pictures = pictures_of(measure)
            page = measure_page(measure, family, list(pictures), agreement)
            written[folder / family / f"{measure.name}.md"] = page
            written |= {folder / family / name: drawing for name, (_, drawing) in pictures.items()}
    for path, place in ((ROOT / "README.md", "docs/measures/"), (ROOT / "docs" / "measures.md", "measures/")):
        written[path] = marked(path.read_text(encoding="utf-8"), "families", contents(place))
    index = ROOT / "docs" / "index.md"
    written[index] = marked(index.read_text(encoding="utf-8"), "commands", commands(written[ROOT / "README.md"]))
    architecture = ROOT / "docs" / "architecture.md"
    written[architecture] = marked(architecture.read_text(encoding="utf-8"), "rooms", rooms_table())
    return written


def marked(text: str, name: str, between: str) -> str:
    """A page with other text between its marks."""
    return re.sub(MARKED.format(name=name), lambda _: between, text, count=1, flags=re.DOTALL)


def commands(readme: str) -> str:
    """The two commands of README.md, each with the sentence above it."""
    blocks = re.findall(r"(?<=\n\n)((?:[^\n]+\n)+\n```sh\n.*?\n```\n)", readme, re.DOTALL)[:2]
    return "\n".join(blocks).replace("](examples/", "](../examples/")


def draw(readme: str) -> None:
    """Draw the picture of README.md by the command that stands below it."""
    command, picture = PICTURE.findall(readme)[0]
    place = ROOT / picture
    place.unlink(missing_ok=True)
    arguments = command.removeprefix("gradeval ")
    subprocess.run(["bash", "-c", f'"{sys.executable}" -m gradeval {arguments}'], cwd=ROOT, check=True)
    place.write_text(portable(place.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def main(arguments: Sequence[str]) -> None:
    """Write the files that differ."""
    if any(argument != "--picture" for argument in arguments):
        sys.exit("usage: python docs/generate.py [--picture]")
    written = pages()
    for path, text in written.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT)}")
    if arguments:
        draw(written[ROOT / "README.md"])


if __name__ == "__main__":
    main(sys.argv[1:])
