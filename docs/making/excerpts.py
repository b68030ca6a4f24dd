"""Excerpts in the results of a search: the text of each page, in a script that the page of the search loads.

Sphinx would fetch each page that it found, which a browser lets no page on a disk do: see ``static/excerpts.js``.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

SCRIPTS = "".join(f'<script src="_static/{name}.js"></script>\n' for name in ("texts", "excerpts"))


class Article(HTMLParser):
    """The text of a page, without its bars and the marks of its headings."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self.inside = self.inside or tag == "article"

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "article"

    def handle_data(self, data: str) -> None:
        if self.inside and data != "¶":
            self.parts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.parts).split())


def add_excerpts(site: Path) -> None:
    """Write the texts of all pages, and let the page of the search load them."""
    texts = {
        path.relative_to(site).as_posix(): Article(path.read_text(encoding="utf-8")).text
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts and path.name not in ("search.html", "genindex.html")
    }
    (site / "_static" / "texts.js").write_text(f"const TEXTS = {json.dumps(texts)};\n", encoding="utf-8")
    search = site / "search.html"
    search.write_text(search.read_text(encoding="utf-8").replace("</body>", f"{SCRIPTS}</body>", 1), encoding="utf-8")
