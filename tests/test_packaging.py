"""What says of the project the same thing in several files says the same."""

from __future__ import annotations

import ast
import email
import fnmatch
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from gradeval import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _cmake_is_new_enough() -> bool:
    if shutil.which("cmake") is None:
        return False
    printed = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=True).stdout
    needed = re.search(r"cmake_minimum_required\(VERSION (\d+)\.(\d+)", (ROOT / "CMakeLists.txt").read_text())
    there = re.search(r"version (\d+)\.(\d+)", printed)
    assert needed
    assert there
    return [int(part) for part in there.groups()] >= [int(part) for part in needed.groups()]


def test_no_page_installs_gradeval_by_a_name_that_no_index_knows_yet() -> None:
    texts = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    assert [path for path in texts if "install 'gradeval[" in path.read_text(encoding="utf-8")] == []


def test_workflows_run_actions_of_one_commit_each() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    used = [line for text in texts for line in re.findall(r"uses: *(.*)", text)]
    assert len(used) > 3
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
    assert len({line.partition("@")[0] for line in used}) == len(set(used))


def test_the_oldest_python_is_the_same_in_all_places() -> None:
    oldest = re.fullmatch(r">=(3\.\d+)", PROJECT["project"]["requires-python"])
    assert oldest is not None
    classified = [
        name.rpartition(" ")[2]
        for name in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    assert min(classified, key=lambda version: int(version[2:])) == oldest[1]
    assert PROJECT["tool"]["cibuildwheel"]["build"][0] == f"cp{oldest[1].replace('.', '')}-*"
    assert f"Python {oldest[1]} or later" in (ROOT / "README.md").read_text()


def test_each_version_of_python_is_tested_for_which_there_are_wheels() -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    tested = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert [f"cp{version.replace('.', '')}-*" for version in tested] == PROJECT["tool"]["cibuildwheel"]["build"]
    newest = [step.get("run", "") for step in workflow["jobs"]["newest"]["steps"]]
    assert any("pip install" in command for command in newest)
    assert not any("-c " in command for command in newest)


def _imported(path: Path, support: Path) -> set[str]:
    """The packages that a test file and the support of tests import before anything may skip."""
    found: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if "importorskip" in ast.unparse(statement):
            break
        if isinstance(statement, ast.ImportFrom):
            found.add(str(statement.module).partition(".")[0])
        elif isinstance(statement, ast.Import):
            found |= {name.name.partition(".")[0] for name in statement.names}
    ours = [support / f"{name}.py" for name in found]
    return found.union(*(_imported(place, support) for place in ours if place.is_file()))


def test_the_tests_of_wheels_import_only_what_is_installed_for_them() -> None:
    built = PROJECT["tool"]["cibuildwheel"]
    needed = [re.split("[^a-z]", name)[0] for name in PROJECT["project"]["dependencies"]]
    support = ROOT / "tests" / "support"
    there = {"gradeval", *needed, *built["test-requires"], *sys.stdlib_module_names}
    there |= {path.stem for path in support.glob("*.py")}
    folders = [word for word in built["test-command"][-1].split() if word.startswith("tests/")]
    files = [ROOT / "tests" / "conftest.py", *(path for name in folders for path in (ROOT / name).rglob("*.py"))]
    assert len(files) > len(folders)
    assert {path.name: more for path in files if (more := _imported(path, support) - there)} == {}
    read = [name for name in ("docs", "examples") if any(f'"{name}/' in path.read_text("utf-8") for path in files)]
    assert {*read} <= {*built["test-sources"]}


def test_what_builds_is_bounded_and_the_same_in_all_places() -> None:
    yaml = pytest.importorskip("yaml")
    needed = PROJECT["build-system"]["requires"]
    assert [one for one in needed if not re.fullmatch(r"[a-z-]+>=[\d.]+,<\d+", one)] == []
    assert set(needed) <= set(PROJECT["project"]["optional-dependencies"]["dev"])
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    project = PROJECT["project"]
    requirements = {part: [one.replace(" ", "") for one in recipe["requirements"][part]] for part in ("host", "run")}
    assert requirements["host"] == ["python", "pip", *needed]
    assert requirements["run"] == [f"python{project['requires-python']}", *project["dependencies"]]
    assert recipe["context"]["version"] == __version__
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (project["description"], project["license"])
    commands = [f"{name} = {place}" for name, place in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands


def _copied_for_the_container(folder: Path) -> Path:
    """The files that packaging/Containerfile copies from the checkout to build the wheel."""
    copied = re.findall(r"^COPY (?!--)(.*) (\S+)$", (ROOT / "packaging" / "Containerfile").read_text(), re.MULTILINE)
    ignored = (ROOT / "packaging" / "Containerfile.dockerignore").read_text().split()
    patterns = [line.removeprefix("**/") for line in ignored if line.startswith("**/")]
    for names, target in copied:
        for name in names.split():
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / target, ignore=shutil.ignore_patterns(*patterns))
            elif target != "/wheels/":
                (folder / target).mkdir(exist_ok=True)
                shutil.copy(ROOT / name, folder / target)
    return folder


def _metadata_alone(folder: Path) -> Message:
    code = "import scikit_build_core.build as build\nprint(build.prepare_metadata_for_build_wheel('out'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert "deprecated" not in done.stdout + done.stderr
    place = folder / "out" / done.stdout.splitlines()[-1] / "METADATA"
    return email.message_from_string(place.read_text(encoding="utf-8"))


def _metadata_of_a_wheel(folder: Path) -> Message:
    command = [sys.executable, "-m", "pip", "wheel", "-v", "--no-deps", "--wheel-dir", "out", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "deprecated;" not in done.stdout + done.stderr
    [wheel] = (folder / "out").glob("gradeval-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert len(fnmatch.filter(packed.namelist(), "gradeval/_core*.so")) == 1
        [place] = fnmatch.filter(packed.namelist(), "*.dist-info/METADATA")
        return email.message_from_string(packed.read(place).decode())


@pytest.mark.parametrize("read", [_metadata_alone, pytest.param(_metadata_of_a_wheel, marks=pytest.mark.long)])
@pytest.mark.skipif(sys.platform == "win32", reason="containers are of Linux")
def test_links_and_the_picture_of_the_readme_work_elsewhere(read: Any, tmp_path: Path) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt()
    if importlib.util.find_spec("scikit_build_core") is None:
        pytest.skip("no scikit-build-core here")
    metadata = read(_copied_for_the_container(tmp_path))
    urls = PROJECT["project"]["urls"]
    assert metadata.get_all("Project-URL") == [f"{name}, {url}" for name, url in urls.items()]
    assert (metadata["Version"], metadata["Description-Content-Type"]) == (__version__, "text/markdown")

    def parts(text: str, kind: str) -> list[Any]:
        tokens = [part for token in markdown.parse(text) for part in (token, *(token.children or []))]
        return [token for token in tokens if token.type == kind]

    here = (ROOT / "README.md").read_text(encoding="utf-8")
    there = str(metadata.get_payload())
    for kind, key, way in (("link_open", "href", "blob"), ("image", "src", "raw")):
        old, new = ([token.attrs[key] for token in parts(text, kind)] for text in (here, there))
        assert old
        assert new == [f"{urls['Source']}/{way}/v{__version__}/{target}" for target in old]
        assert [target for target in old if not (ROOT / target).is_file()] == []
    assert [one.content for one in parts(here, "fence")] == [one.content for one in parts(there, "fence")]


@pytest.mark.parametrize(
    ("written", "published"),
    [
        ("[a](docs/a.md)", "[a](https://x.test/o/r/blob/v1/docs/a.md)"),
        ("[a](docs/a.md#part)", "[a](https://x.test/o/r/blob/v1/docs/a.md#part)"),
        ('[a](a.md "title")', '[a](https://x.test/o/r/blob/v1/a.md "title")'),
        ("![two\nlines](a.png)", "![two\nlines](https://x.test/o/r/raw/v1/a.png)"),
        ("[![a](a.png)](a.md)", "[![a](https://x.test/o/r/raw/v1/a.png)](https://x.test/o/r/blob/v1/a.md)"),
        ("[`a`](a.md), `b[0](a)`", "[`a`](https://x.test/o/r/blob/v1/a.md), `b[0](a)`"),
        ("```py\nf[0](a)\n```\n[a](a)", "```py\nf[0](a)\n```\n[a](https://x.test/o/r/blob/v1/a)"),
        ("[a](#a) [b](https://b.test) [c](mailto:c@d)", "[a](#a) [b](https://b.test) [c](mailto:c@d)"),
    ],
)
def test_a_link_is_led_out_of_the_repository(written: str, published: str) -> None:
    spec = importlib.util.spec_from_file_location("published_readme", ROOT / "packaging" / "published_readme.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.with_absolute_links(written, "https://x.test/o/r/", "v1") == published


@pytest.mark.skipif(not _cmake_is_new_enough(), reason="no CMake here that is new enough")
@pytest.mark.parametrize(
    ("compiler", "sentence"),
    [
        (None, "gradeval is compiled on this machine and there is no C++ compiler: install a C++20 compiler"),
        ('case $* in *--version*) echo old ;; *std=*) exit 1 ;; *) exec c++ "$@" ;; esac', "knows no C++20"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the compilers here are shell scripts")
def test_a_missing_compiler_is_one_sentence(compiler: str | None, sentence: str, tmp_path: Path) -> None:
    place = tmp_path / "c++"
    if compiler is not None:
        if shutil.which("c++") is None:
            pytest.skip("no compiler here to make an old one of")
        place.write_text(f"#!/bin/sh\n{compiler}\n")
        place.chmod(0o755)
    configured = subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(tmp_path / "build"), f"-DCMAKE_CXX_COMPILER={place}"]
        if compiler
        else ["cmake", "-S", str(ROOT), "-B", str(tmp_path / "build")],
        env={"PATH": _path_without_compilers(tmp_path)} if compiler is None else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert configured.returncode != 0
    assert sentence in " ".join(configured.stderr.split())
    assert configured.stderr.count("CMake Error") == 1


def test_the_last_line_of_a_failed_build_says_what_is_needed() -> None:
    after_failure = PROJECT["tool"]["scikit-build"]["messages"]["after-failure"]
    assert after_failure.strip().startswith("gradeval could not be compiled: it needs a C++20 compiler (")
    assert after_failure.strip().count("\n") == 0


def _path_without_compilers(folder: Path) -> str:
    """A PATH with CMake and its generator alone."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("cmake", "ninja", "make"):
        if program := shutil.which(name):
            (programs / name).symlink_to(program)
    return str(programs)
