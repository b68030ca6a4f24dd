"""Studies of runs, measures and users: one question, one file; ``study.py`` says how one is declared."""

FOLDERS = ("studies", "papers")
"""Where studies are."""


def list_studies() -> dict[str, tuple[str, str]]:
    """By the name of each study its module, and what it asks in a line; nothing is imported for it."""
    from pathlib import Path  # most commands are called by names that are known without

    package = Path(__file__).parents[1]
    studies = {}
    for path in (path for folder in FOLDERS for path in sorted((package / folder).rglob("*.py"))):
        text = path.read_text(encoding="utf-8")
        if "\n@study(" in text:
            module = ".".join([package.name, *path.relative_to(package).with_suffix("").parts])
            studies[path.stem] = (module, text.partition("\n")[0].strip('"'))
    return studies
