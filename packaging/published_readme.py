"""README.md as an index of packages shows it: its links and pictures lead to the files of this version.

scikit-build-core calls it for each distribution, as ``[[tool.dynamic-metadata]]`` in pyproject.toml says. The address
of the repository is ``Source`` in ``[project.urls]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PICTURE = re.compile(r"(!\[[^\]]*\]\()([^()\s]+)")
LINK = re.compile(r"(\]\()([^()\s]+)")  # also around a picture
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)


def dynamic_metadata(settings: Mapping[str, object], project: Mapping[str, Any]) -> dict[str, Any]:
    """The field ``readme`` of the metadata."""
    if settings:
        raise ValueError(f"published_readme takes no settings, not {', '.join(settings)}")
    text = Path("README.md").read_text(encoding="utf-8")
    published = with_absolute_links(text, project["urls"]["Source"], f"v{project['version']}")
    return {"readme": {"content-type": "text/markdown", "text": published}}


def with_absolute_links(text: str, source: str, tag: str) -> str:
    """The Markdown whose links to files of the repository lead to them at the tag; code stays as it is."""

    def lead(kind: str) -> Callable[[re.Match[str]], str]:
        def absolute(link: re.Match[str]) -> str:
            opening, target = link.groups()
            inside = not target.startswith("#") and not re.match(r"[a-z]+:", target)
            return f"{opening}{source.rstrip('/')}/{kind}/{tag}/{target}" if inside else link[0]

        return absolute

    parts = CODE.split(text)  # each second one is code
    parts[::2] = [LINK.sub(lead("blob"), PICTURE.sub(lead("raw"), part)) for part in parts[::2]]
    return "".join(parts)
