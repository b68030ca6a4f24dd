"""The command that installs an extra of this package, or only some packages of an extra."""

from __future__ import annotations

from collections.abc import Collection

PACKAGES = {
    "ltr": ("torch>=2.3", "lightgbm>=4.4", "xgboost>=2.1", "safetensors>=0.4"),
    "catboost": ("catboost>=1.2.8",),
}
"""The packages that an extra of pyproject.toml declares itself, where a part of them may be enough."""


def install_hint(extra: str, only: Collection[str] = ()) -> str:
    """The command that installs an extra, or ``only`` some of its packages: trees need no PyTorch.

    pip finds the extras in the gradeval that is installed, also where that came from a checkout or a file.
    """
    if not only:
        return f"pip install 'gradeval[{extra}]'"
    chosen = [package for package in PACKAGES[extra] if package.partition(">=")[0] in only]
    return " ".join(["pip install", *(f'"{package}"' for package in chosen)])
