"""The shell of a page: charts and numbers are data in it, and only the scripts of gradeval may run.

Names in charts come from files that anybody may have written. So a chart is JSON without ``<``, which could end the
element that holds it; the template escapes all other text; and the policy of the page allows a browser to run the
scripts whose hashes it names, and to fetch nothing.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from gradeval.version import __version__

ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}  # all other ASCII of JSON has no meaning in HTML


def fill(template: str, scripts: Sequence[str], **values: Any) -> str:
    """A page from a template, in which all text is escaped; only these scripts may run in it.

    The template has the places policy, version and scripts, and those of ``values``.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    return page.render(
        policy=policy(*scripts), version=__version__, scripts=[Markup(each) for each in scripts], **values
    )


def as_data(chart: Mapping[str, Any]) -> str:
    """JSON that can stand in a ``script`` element: nothing in it ends the element or begins a comment."""
    return json.dumps(chart, ensure_ascii=True, allow_nan=False).translate(ESCAPES)


def as_base64(values: Any, kind: str) -> str:
    """Numbers as the scripts of the page read them, little-endian: ``<f8``, ``<f4``, ``<u2``."""
    return b64encode(np.ascontiguousarray(values, kind).tobytes()).decode()


def policy(*scripts: str) -> str:
    """The page may run these scripts, use inline styles (as Vega does) and show images from its own data."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
