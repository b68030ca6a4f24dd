"""The gallery: what its page shows is run, and each picture is put behind the block that drew it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SIZE = re.compile(r'width="(\d+)" height="\d+" viewBox="[^"]*"><rect width="\1"')
PICTURE = re.compile(r"[\w-]+\.svg")
SHOWN = re.compile(r"^!\[[^]]*\]\((.*)\)$", re.MULTILINE)


def add_figures(sources: Path, examples: Path) -> None:
    """Run the blocks of gallery.md in a folder that holds the examples, and let the page show what they draw."""
    page = sources / "gallery.md"
    text = page.read_text(encoding="utf-8")
    pictures = sources / "gallery"
    pictures.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(examples, Path(scratch, "examples"))
        shown = BLOCK.sub(lambda block: block[0] + _drawn(block, text, Path(scratch), pictures), text)
    page.write_text(_with_thumbnails(shown), encoding="utf-8", newline="\n")


def _with_thumbnails(text: str) -> str:
    """The page with the first picture of each section, small, before the sections: each leads to its own."""
    intro, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    small = []
    for section in sections:
        heading = section.partition("\n")[0].removeprefix("## ")
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        if picture := SHOWN.search(section):
            small.append(f"* [![]({picture[1]}) {heading}](#{anchor})")
    return "".join([intro, "{.thumbnails}\n", "\n".join(small), "\n\n", *sections])


def _drawn(block: re.Match[str], text: str, folder: Path, pictures: Path) -> str:
    """Run a block; the picture that it names, as Markdown, described by the heading above it."""
    script = [sys.executable, "-c"] if block[1] == "python" else ["bash", "-euo", "pipefail", "-c"]
    program = folder / "bin" / "gradeval"
    if not program.exists():
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradeval "$@"\n')
        program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    code = block[2] if block[1] == "sh" else f"import gradeval\n{block[2]}"
    done = subprocess.run(
        [*script, code], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"docs/gallery.md: {block[2].strip()}\n{done.stdout}{done.stderr}")
    name = PICTURE.search(block[2])
    if name is None:
        return ""
    drawing = (folder / name[0]).read_text(encoding="utf-8")
    (pictures / name[0]).write_text(portable(drawing), encoding="utf-8", newline="\n")
    heading = re.findall(r"^#+ (.*)$", text[: block.start()], re.MULTILINE)[-1]
    return f"\n\n![{heading}](gallery/{name[0]})"


def portable(drawing: str) -> str:
    """A drawing of Vega whose letters fit, though other machines have other fonts: by name, and with some room."""
    fonts = "Arial, 'Liberation Sans', Helvetica, sans-serif"
    named = drawing.replace('font-family="sans-serif"', f'font-family="{fonts}"')
    found = SIZE.search(named)
    if found is None:
        return named
    wider = str(round(1.2 * int(found[1])))
    return named.replace(found[0], re.sub(rf"(?<=[\" ]){found[1]}(?=[\" ])", wider, found[0]), 1)
