"""The shell of a page: charts and numbers are data in it, and only the scripts of gradeval may run.

Names in charts come from files that anybody may have written. So charts and numbers are packed: gzip in base64, of
which nothing can end the element that holds it; the template escapes all other text; and the policy of the page allows
a browser to run the scripts whose hashes it names, and to fetch nothing.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from gzip import compress
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from gradeval.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup


def fill(template: str, scripts: Sequence[str], started: Sequence[str] = (), **values: Any) -> str:
    """A page from a template, in which all text is escaped; only these scripts may run in it.

    The template has the places policy, version and scripts, and a place for each of ``values``. ``started``: scripts
    that the others start.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    return page.render(
        policy=policy(*started, *scripts), version=__version__, scripts=[Markup(each) for each in scripts], **values
    )


def as_data(values: Mapping[str, Any]) -> str:
    """Values as packed JSON."""
    return pack(json.dumps(values, ensure_ascii=True, allow_nan=False, separators=(",", ":")))


def pack(text: str) -> str:
    """A text as the scripts of the page unpack it: gzip in base64."""
    return b64encode(compress(text.encode(), 9, mtime=0)).decode()


def as_base64(values: Any, kind: str) -> str:
    """Numbers as the scripts of the page read them, little-endian: ``<f8``, ``<f4``, ``<u1``."""
    return b64encode(np.ascontiguousarray(values, kind).tobytes()).decode()


def as_image(svg: str) -> Markup:
    """The address of a drawing of Vega that holds the drawing.

    Coordinates are kept to a tenth of a pixel; what an image has by default, and what readers of screens do not read in
    it, is left out.
    """

    from markupsafe import Markup

    def shorten(tag: re.Match[str]) -> str:
        shown = re.sub(r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"| (?:opacity|stroke-width)="1"', "", tag[0])
        shown = re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), shown)
        return shown if "'" in shown else shown.replace('"', "'")

    address = "data:image/svg+xml," + quote(re.sub("<[^>]*>", shorten, svg), safe=" !$'()*+,/:;=?@[]^`{|}~")
    return Markup(address)  # in double quotes nothing in it has a meaning


def policy(*scripts: str) -> str:
    """The page may run these scripts, use inline styles (as Vega does) and show images from its own data."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
