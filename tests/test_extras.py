"""The packages that messages name are those of the extras."""

from __future__ import annotations

import tomllib
from pathlib import Path

from gradeval.extras import PACKAGES, install_hint

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_a_message_names_the_packages_of_an_extra_as_it_is_declared() -> None:
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    declared = {name: [one for one in extras[name] if not one.startswith("gradeval[")] for name in PACKAGES}
    assert {name: list(packages) for name, packages in PACKAGES.items()} == declared
    assert install_hint("zstd") == f'pip install "{declared["zstd"][0]}"'
