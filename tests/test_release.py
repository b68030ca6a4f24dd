"""packaging/release: in a temporary clone, with the present files, as nothing is tagged here."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="no git repository here"
)


def _script() -> ModuleType:
    loader = SourceFileLoader("release", str(ROOT / "packaging" / "release"))
    spec = importlib.util.spec_from_loader("release", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


SCRIPT = _script()
FILES = [SCRIPT.VERSION, SCRIPT.CITATION, SCRIPT.CHANGELOG, SCRIPT.RECIPE]


ENVIRONMENT = {**os.environ, "GIT_CONFIG_COUNT": "2"}
for number, name in enumerate(("user.name", "user.email")):
    ENVIRONMENT |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": "tester"}


class Clone:
    """A clone on main, in which the present files are committed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-tags", str(ROOT), str(path)], check=True)
        for name in [*FILES, SCRIPT.PROJECT, *SCRIPT.UNPUBLISHED, Path("packaging/release")]:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, path / name)
        self.commit()
        self.first = self.git("rev-parse", "HEAD")

    def begin_again(self) -> None:
        self.git("reset", "--quiet", "--hard")
        self.git("switch", "--quiet", "-C", "main", self.first)
        for tag in self.git("tag").split():
            self.git("tag", "-d", tag)

    def git(self, *words: str) -> str:
        command = ["git", "-C", str(self.path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout.strip()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "as it is here")

    def replace(self, name: Path, old: str, new: str) -> None:
        text = (self.path / name).read_text(encoding="utf-8")
        assert old in text
        (self.path / name).write_text(text.replace(old, new), encoding="utf-8")

    def make_ready(self) -> None:
        self.replace(SCRIPT.PROJECT, "https://example.org/", "https://forge.test/people/")
        for name, sentence in SCRIPT.UNPUBLISHED.items():
            self.replace(name, sentence, "It is on PyPI")
        self.commit()

    def release(self, *words: str) -> tuple[int, str, str]:
        command = [sys.executable, str(self.path / "packaging" / "release"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
        return done.returncode, done.stdout, done.stderr

    def state(self) -> tuple[str, str, str]:
        return self.git("rev-parse", "HEAD"), self.git("tag"), self.git("status", "--porcelain")


@pytest.fixture(scope="module")
def one_clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return Clone(tmp_path_factory.mktemp("release") / "clone")


@pytest.fixture
def clone(one_clone: Clone) -> Clone:
    one_clone.begin_again()
    return one_clone


def test_nothing_is_released_before_a_person_has_filled_in_the_addresses(clone: Clone) -> None:
    before = clone.state()
    status, printed, said = clone.release("0.1.0")
    assert (status, printed, clone.state()) == (1, "", before)
    lines = said.splitlines()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    urls = tomllib.loads("\n".join(project))["project"]["urls"]
    for name, url in urls.items():
        number = project.index(f'{name} = "{url}"') + 1
        assert f"pyproject.toml:{number}: '{name} = \"{url}\"' is a placeholder: write the real address" in lines
    assert {line.partition(":")[0] for line in lines[:-1]} == {"pyproject.toml", *map(str, SCRIPT.UNPUBLISHED)}
    assert lines[-1] == "gradeval 0.1.0 cannot be released before this is mended; nothing was changed"


def test_a_dry_run_prints_what_a_release_does_and_changes_nothing(clone: Clone) -> None:
    clone.make_ready()
    before = clone.state()
    status, dry, said = clone.release("0.1.0", "--dry-run", "--date", "2031-05-07")
    assert (status, said, clone.state()) == (0, "", before)
    assert "-## [0.1.0] - not yet released" in dry.splitlines()
    status, real, said = clone.release("0.1.0", "--date", "2031-05-07")
    assert (status, said) == (0, "")
    assert real.splitlines()[:-1] == dry.splitlines()[:-1]


def test_a_release_says_its_version_date_and_address_everywhere_and_has_a_tag(clone: Clone) -> None:
    clone.make_ready()
    clone.replace(SCRIPT.CHANGELOG, "## [0.1.0] - not", "## [0.2.0] - not yet released\n\n## [0.1.0] - not")
    clone.commit()
    status, _, _ = clone.release("0.2.0", "--date", "2031-05-07")
    assert status == 0
    told = clone.git("diff", "HEAD~1", "HEAD", "--unified=0").splitlines()
    assert sorted(line for line in told if line.startswith("+") and not line.startswith("+++")) == [
        "+  homepage: https://forge.test/people/gradeval",
        '+  version: "0.2.0"',
        "+## [0.2.0] - 2031-05-07",
        '+__version__ = "0.2.0"',
        "+date-released: 2031-05-07",
        "+repository-code: https://forge.test/people/gradeval",
        "+version: 0.2.0",
    ]
    assert sorted(clone.git("diff", "--name-only", "HEAD~1").split()) == sorted(map(str, FILES))
    assert clone.git("log", "-1", "--format=%s") == "Release 0.2.0"
    assert clone.git("rev-parse", "v0.2.0^{commit}") == clone.git("rev-parse", "HEAD")
    assert clone.git("cat-file", "-t", "v0.2.0") == "tag"
    assert clone.git("status", "--porcelain") == ""

    # the next one replaces what this one has added
    clone.replace(SCRIPT.CHANGELOG, "## [0.2.0]", "## [0.10.0] - not yet released\n\n## [0.2.0]")
    clone.commit()
    assert clone.release("0.10.0")[0] == 0
    citation = (clone.path / "CITATION.cff").read_text(encoding="utf-8")
    assert citation.count("date-released:") == citation.count("repository-code:") == 1
    assert "0.9.0 is not later than 0.10.0, which has a tag: give a later version" in clone.release("0.9.0")[2]


@pytest.mark.parametrize(
    ("version", "done_before", "reason"),
    [
        ("0.2.0", "status", "CHANGELOG.md: no line '## [0.2.0] - not yet released': write it above what"),
        ("0.1.0", "tag v0.1.0", "0.1.0 is not later than 0.1.0, which has a tag: give a later version"),
        ("0.1.0", "switch --quiet -C mine", "the branch is not main: git switch main"),
        ("0.1.0", "rm --quiet SECURITY.md", "there are changes without a commit: git status lists them"),
        ("0.1", "status", "'0.1' is not a version: give three numbers, as 0.2.0"),
        ("v0.1.0", "status", "'v0.1.0' is not a version: give three numbers, as 0.2.0"),
    ],
)
def test_what_is_not_ready_is_named_and_not_released(version: str, done_before: str, reason: str, clone: Clone) -> None:
    clone.make_ready()
    clone.git(*done_before.split())
    before = clone.state()
    for options in ([], ["--dry-run"]):
        status, _, said = clone.release(version, *options)
        assert status != 0
        assert reason in said
        assert clone.state() == before
