"""The command ``gradeval`` where what it prints is tested, not its start: each call is a process, forked from one that
has imported what commands need, which takes longer than most of them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

IMPORTED = "numpy scipy.optimize scipy.stats altair jinja2 gradeval.cli gradeval.cli.derive gradeval.studies"
"""Nothing that starts threads, which would not be there after a fork."""

CALLER = """\
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]) + "\\n"
    socket.send_fds(server, [asked.encode()], [0, 1, 2])
    answer = server.recv(1)
sys.exit(answer[0] if answer else "gradeval ended without a status")
"""


@contextmanager
def forked_commands(folder: Path) -> Iterator[None]:
    """Write a program ``gradeval`` into a folder; where a process of one thread cannot be forked, it starts Python."""
    program, caller, address = folder / "gradeval", folder / "caller.py", folder / "address"
    words = f'"{sys.executable}" -m gradeval'
    server = None
    if sys.platform == "linux" and len(str(address)) < 100:  # a system's limit for addresses of this kind
        server = subprocess.Popen(
            [sys.executable, "-W", "error", __file__, address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        assert server.stdout is not None
        if server.stdout.readline() == "ready\n":
            caller.write_text(CALLER.format(address=str(address)))
            words = f'"{sys.executable}" -I -S "{caller}"'
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    try:
        yield
    finally:
        if server is not None:
            with suppress(OSError), socket.socket(socket.AF_UNIX) as last:
                last.connect(str(address))
            server.communicate()


def serve(address: str) -> None:
    """Fork a process for each call, until one calls without a word."""
    for name in IMPORTED.split():
        with suppress(ImportError):
            __import__(name)
    if len(os.listdir("/proc/self/task")) > 1:
        return
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            call, _ = server.accept()
            with call:
                asked, descriptors, _, _ = socket.recv_fds(call, 1 << 16, 3)
                if not asked:
                    break
                while not asked.endswith(b"\n"):
                    asked += call.recv(1 << 16)
                if os.fork() == 0:
                    answer(call, descriptors, *json.loads(asked))
                for descriptor in descriptors:
                    os.close(descriptor)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    with suppress(ChildProcessError):
        while True:
            os.wait()


def answer(
    call: socket.socket, descriptors: list[int], words: list[str], folder: str, environment: dict[str, str]
) -> NoReturn:
    """Be the command: with the words, the folder, the environment and the standard streams of the caller."""
    from gradeval.cli import main

    status: object = 1
    try:
        for place, descriptor in enumerate(descriptors):
            os.dup2(descriptor, place)
            os.close(descriptor)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv, sys.orig_argv = ["gradeval", *words], [sys.executable, "-m", "gradeval", *words]
        sys.stdin, sys.stdout, sys.stderr = (open(place, mode, encoding="utf-8") for place, mode in enumerate("rww"))  # noqa: SIM115 - as long as the process
        main(prog_name="gradeval")
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        call.send(bytes([status if isinstance(status, int) else 1]))
        os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
