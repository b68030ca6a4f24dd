"""Write what the documentation says about measures and rooms from their docstrings: ``python docs/generate.py``.

Each family of measures has a page in docs/measures/, and each measure one in the folder of its family, with a picture
where its value depends on ranks. The list of families in docs/measures.md, between the marks
``<!-- families:begin -->`` and ``<!-- families:end -->``, is written anew, and so are what docs/index.md shares with
README.md, the table of rooms in docs/architecture.md, the tables and figures in docs/papers/items.md, and the claims of
the texts in docs/findings.md and docs/findings/. The stub of the studies, src/gradeval/signatures.pyi, is written from
their declarations.
tests/docs/test_measure_page.py fails where the files differ from what this would write.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from gradeval.papers.item import TEXTS
from making.drawing import pictures_of
from making.families import contents, families, family_page
from making.findings import claims_page, counts_table, decisions_page, differences_page, expected_table, identities_page
from making.items import items_list
from making.measure_page import measure_page
from making.rooms import rooms_table
from making.signatures import write_signatures

MARKED = r"(?<=<!-- {name}:begin -->\n).*?(?=<!-- {name}:end -->)"


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
    lists = ROOT / "docs" / "measures.md"
    written[lists] = marked(lists.read_text(encoding="utf-8"), "families", contents("measures/"))
    index, readme = ROOT / "docs" / "index.md", (ROOT / "README.md").read_text(encoding="utf-8")
    written[index] = marked(index.read_text(encoding="utf-8"), "commands", commands(readme))
    papers = ROOT / "docs" / "papers" / "items.md"
    written[papers] = marked(papers.read_text(encoding="utf-8"), "items", items_list())
    findings = ROOT / "docs" / "findings.md"
    counted = marked(findings.read_text(encoding="utf-8"), "claims", counts_table())
    written[findings] = marked(counted, "expected", expected_table())
    written |= {ROOT / "docs" / "findings" / f"{text}.md": claims_page(text) for text in TEXTS}
    written[ROOT / "docs" / "findings" / "another-reader.md"] = differences_page()
    written[ROOT / "docs" / "findings" / "decisions.md"] = decisions_page()
    written[ROOT / "docs" / "findings" / "identities.md"] = identities_page()
    architecture = ROOT / "docs" / "architecture.md"
    written[architecture] = marked(architecture.read_text(encoding="utf-8"), "rooms", rooms_table())
    written[ROOT / "src" / "gradeval" / "signatures.pyi"] = write_signatures()
    return written


def marked(text: str, name: str, between: str) -> str:
    """A page with other text between its marks."""
    return re.sub(MARKED.format(name=name), lambda _: between, text, count=1, flags=re.DOTALL)


def commands(readme: str) -> str:
    """The two commands of README.md, each with the sentence above it."""
    blocks = re.findall(r"(?<=\n\n)((?:[^\n]+\n)+\n```sh\n.*?\n```\n)", readme, re.DOTALL)[:2]
    return "\n".join(blocks).replace("](examples/", "](../examples/")


def main() -> None:
    """Write the files that differ."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
