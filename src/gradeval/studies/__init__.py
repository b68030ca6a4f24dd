"""Studies of runs, measures and users: one question, one file; ``study.py`` says how one is declared."""

from pathlib import Path


def list_studies() -> dict[str, tuple[str, str]]:
    """By the name of each study its module, and what it asks in a line; nothing is imported for it."""
    folder = Path(__file__).parent
    studies = {}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "\n@study(" in text:
            module = ".".join([__name__, *path.relative_to(folder).with_suffix("").parts])
            studies[path.stem] = (module, text.partition("\n")[0].strip('"'))
    return studies
