"""Messages name extras that are there, and packages as these declare them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from gradeval.extras import PACKAGES, install_hint

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
ASKED = {
    name: str(path.relative_to(ROOT))
    for path in (ROOT / "src").rglob("*.py")
    for name in re.findall(r"""install_hint\(["'](\w+)["']\)""", path.read_text(encoding="utf-8"))
}
"""The extras that messages name, each with a file that does."""


def test_a_message_names_the_packages_of_an_extra_as_it_is_declared() -> None:
    declared = {name: [one for one in EXTRAS[name] if not one.startswith("gradeval[")] for name in PACKAGES}
    assert {name: list(packages) for name, packages in PACKAGES.items()} == declared
    assert install_hint("ltr", ("lightgbm",)) == f'pip install "{declared["ltr"][1]}"'


@pytest.mark.parametrize("extra", ASKED)
def test_a_message_names_an_extra_that_is_there(extra: str) -> None:
    assert extra in EXTRAS, ASKED[extra]
    assert install_hint(extra) == f"pip install 'gradeval[{extra}]'"


def test_some_messages_were_found() -> None:
    assert {"arrow", "charts", "report", "ir", "zstd", "dask"} <= ASKED.keys()
