from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from gradeval.cli import main

from ..conftest import Gradeval


def start(*args: object, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gradeval", *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(gradeval: Gradeval, shell: str) -> None:
    result = gradeval("completion", shell)
    assert result.exit_code == 0
    assert f"_GRADEVAL_COMPLETE={shell}_complete" in result.stdout


def test_the_daily_commands_are_offered_first_and_the_others_from_a_letter_on() -> None:
    def offered(typed: str) -> list[str]:
        found = ShellComplete(main, {}, "gradeval", "_GRADEVAL_COMPLETE").get_completions([], typed)
        assert all(one.help for one in found)
        return [one.value for one in found if not one.value.startswith("-")]

    assert offered("")[:6] == ["report", "evaluate", "compare", "gate", "ranks", "check"]
    assert not {"robustness", "virtual-users", "trec_eval"} & {*offered("")}
    assert offered("ro") == ["robustness"]
    assert offered("co")[:3] == ["compare", "compare-assisted", "correlate"]


@pytest.mark.parametrize(
    ("words", "completed"),
    [("gradeval ev", "evaluate"), ("gradeval explain muA", "muAP"), ("gradeval evaluate q r -m xG", "xGAP")],
)
def test_commands_and_measures_complete_in_a_shell(words: str, completed: str) -> None:
    asked = {"_GRADEVAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    with start(env=os.environ | asked) as process:
        assert process.communicate()[0].decode().splitlines()[-1] == f"plain,{completed}"
