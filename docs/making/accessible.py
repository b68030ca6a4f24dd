"""What a reader with a keyboard or a screen reader needs, and Sphinx and its theme leave out."""

from __future__ import annotations

import re
from pathlib import Path

REPLACED = (
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ("<pre>", '<pre tabindex="0">'),  # it scrolls, so it can be reached
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Contents">'),
    ('<aside class="toc-drawer">', '<aside class="toc-drawer" aria-label="On this page">'),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ('<div id="search-results"></div>', '<h1>Search</h1>\n<div id="search-results"></div>'),
)
SIGNATURE = re.compile(r"<dl>\n((?:<dd><em class=\"sig-param\">.*?</dd>\n)+)</dl>", re.DOTALL)
PICTURE = re.compile(r'<img [^>]*src="([^"]+\.svg)"[^>]*>')
WIDTH = re.compile(r'<svg[^>]* width="(\d+)"')


def make_accessible(site: Path) -> None:
    """Mend every page of a site."""
    for path in site.rglob("*.html"):
        path.write_text(mended(path.read_text(encoding="utf-8"), path.parent), encoding="utf-8", newline="\n")


def mended(text: str, folder: Path) -> str:
    """A page of this folder as it should be."""
    for before, after in REPLACED:
        text = text.replace(before, after)
    text = SIGNATURE.sub(_parameters, text)
    return PICTURE.sub(lambda picture: _scrolling(picture, folder), text)


def _parameters(signature: re.Match[str]) -> str:
    """The parameters of a long signature, a line each, without a list of definitions that defines nothing."""
    lines = signature[1].replace("<dd>", '<span class="parameter">').replace("</dd>", "</span>")
    return f'<span class="parameters">\n{lines}</span>'


def _scrolling(picture: re.Match[str], folder: Path) -> str:
    """A picture that scrolls where the page is too narrow to read it; a small one, without words, as it is."""
    if 'alt=""' in picture[0]:
        return picture[0]
    width = WIDTH.search((folder / picture[1]).read_text(encoding="utf-8"))
    least = f"min(46rem, {round(0.7 * int(width[1]))}px)" if width else "0"
    shown = picture[0].replace("<img ", f'<img style="min-width: {least}" ', 1)
    return f'<span class="picture" tabindex="0">{shown}</span>'
