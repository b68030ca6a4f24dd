from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ..conftest import Gradeval


def start(*args: object, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gradeval", *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(gradeval: Gradeval, shell: str) -> None:
    result = gradeval("completion", shell)
    assert result.exit_code == 0
    assert f"_GRADEVAL_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [("gradeval ev", "evaluate"), ("gradeval explain muA", "muAP"), ("gradeval evaluate q r -m xG", "xGAP")],
)
def test_commands_and_measures_complete_in_a_shell(words: str, completed: str) -> None:
    asked = {"_GRADEVAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    with start(env=os.environ | asked) as process:
        assert process.communicate()[0].decode().splitlines()[-1] == f"plain,{completed}"
