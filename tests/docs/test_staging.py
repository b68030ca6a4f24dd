"""The pages as they are staged: what leads from one to the other."""

from __future__ import annotations

import re
from pathlib import Path

from making.staging import NAMES, finish, stage

ROOT = Path(__file__).resolve().parents[2]


def test_names_in_the_side_bar_are_short_and_differ(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    finish(tmp_path)
    for page in tmp_path.rglob("*.md"):
        tree = "".join(re.findall(r"^```{toctree}$(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S))
        named = re.findall(r"^(.+) <(.+)>$", tree, re.M)
        assert len(named) == len([line for line in tree.splitlines() if line and not line.startswith(":")])
        names = [name for name, _ in named]
        assert len(set(names)) == len(names), page
        assert [name for name in names if len(name) > 32] == []
        assert [path for _, path in named if not (page.parent / f"{path}.md").is_file()] == []
    assert [page for page in NAMES if not (tmp_path / f"{page}.md").is_file()] == []
