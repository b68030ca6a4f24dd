"""Vega, Vega-Lite and vega-embed in one script, made by a process of its own while the report is computed.

Making it takes a second in which vl-convert lets no other Python code of its process run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

COMMAND = "import sys, vl_convert as v; sys.stdout.buffer.write(v.javascript_bundle(sys.argv[1], sys.argv[2]).encode())"
SNIPPET = "window.vegaEmbed = vegaEmbed;"

_coming: dict[str, subprocess.Popen[bytes]] = {}  # by the version of Vega-Lite


@cache
def bundle(vegalite: str) -> str:
    """The script that draws charts, by the version of Vega-Lite; it cannot end the element that holds it."""
    return (_wait(vegalite) or _make(vegalite)).replace("</script", r"<\/script")


@contextmanager
def bundle_coming(vegalite: str) -> Iterator[None]:
    """Begin to make the script, so that ``bundle`` finds it ready; where there is one core alone this gains nothing."""
    if (os.cpu_count() or 1) > 1 and sys.executable and vegalite not in _coming:
        # -P: no module of the folder where the command runs takes the place of vl_convert.
        call = [sys.executable, "-P", "-c", COMMAND, SNIPPET, vegalite]
        with (
            open(os.devnull, "wb") as nowhere,
            subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=nowhere) as process,
        ):
            _coming[vegalite] = process
            try:
                yield
            finally:
                _coming.pop(vegalite, None)
                process.kill()
    else:
        yield


def _wait(vegalite: str) -> str:
    """The script of the process that was begun; empty where there is none, or where it failed."""
    process = _coming.pop(vegalite, None)
    if process is None:
        return ""
    made, _ = process.communicate()
    return made.decode() if process.returncode == 0 else ""


def _make(vegalite: str) -> str:
    import vl_convert

    return str(vl_convert.javascript_bundle(SNIPPET, vegalite))
