"""Every link of a site is followed: to the file, and to the place in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Page(HTMLParser):
    """What a page leads to, loads, and can be led to."""

    text: str
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := values.get(name))}
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        elif tag == "link" and values.get("href"):
            self.loads.append(str(values["href"]))
        elif tag in ("img", "script", "source", "iframe") and values.get("src"):
            self.loads.append(str(values["src"]))


def broken_links(site: Path) -> list[str]:
    """A line for each link without a target, and for each thing that a page loads from elsewhere."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    return [fault for path in pages for fault in _faults(path, pages, site.resolve())]


def _faults(path: Path, pages: dict[Path, Page], site: Path) -> Iterator[str]:
    page = pages[path]
    place = path.relative_to(site)
    for target in page.loads:
        if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
            yield f"{place}: loads {target} from elsewhere"
    for target in [*page.links, *page.loads]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not there.is_file():
            yield f"{place}: {target} is not there"
        elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors:
            yield f"{place}: {target}: no such place on that page"
