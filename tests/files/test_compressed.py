from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import zstandard
from refusing import said_of

from gradeval.files.source import read_bytes

TEXT = b"".join(b"301 Q0 doc%d %d %d.5 tag\n" % (n, n, 1000 - n) for n in range(1, 500))

# NumPy's threads take address space each, on a machine of many cores more than a process of these tests may have.
ONE_THREAD = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zstandard.compress,
}


@pytest.fixture(params=PACKERS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


refusal = partial(said_of, read_bytes)


def test_compression_is_recognised_by_content_not_by_name(here: Path, kind: str) -> None:
    Path("run.txt").write_bytes(PACKERS[kind](TEXT))
    assert read_bytes("run.txt") == TEXT


def test_a_plain_file_with_a_packed_name_is_plain(here: Path) -> None:
    Path("run.txt.gz").write_bytes(TEXT)
    assert bytes(read_bytes("run.txt.gz")) == TEXT


def test_members_in_a_row_are_one_text(here: Path, kind: str) -> None:
    pack = PACKERS[kind]
    Path("run").write_bytes(pack(TEXT[:1000]) + pack(b"") + pack(TEXT[1000:]))
    assert read_bytes("run") == TEXT


def test_zeros_behind_a_member_are_padding(here: Path) -> None:
    Path("run").write_bytes(gzip.compress(TEXT) + bytes(512) + gzip.compress(TEXT) + bytes(512))
    assert read_bytes("run") == TEXT * 2


def test_packed_data_longer_than_a_chunk_are_read(here: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.files.compressed.CHUNK", 7)
    Path("run").write_bytes(PACKERS[kind](TEXT) * 2)
    assert read_bytes("run") == TEXT * 2


def test_nothing_packed_is_no_bytes(here: Path, kind: str) -> None:
    Path("run").write_bytes(PACKERS[kind](b""))
    assert read_bytes("run") == b""


@pytest.mark.parametrize("kind_of_frame", [0x50, 0x57, 0x5F])
def test_a_skippable_frame_before_zstandard_data_is_skipped(here: Path, kind_of_frame: int) -> None:
    frame = bytes([kind_of_frame]) + b"\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"abcd"
    Path("run").write_bytes(frame + zstandard.compress(TEXT))
    assert read_bytes("run") == TEXT


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.99])
def test_a_truncated_packed_file_is_an_error(here: Path, kind: str, kept: float) -> None:
    packed = PACKERS[kind](random.Random(1).randbytes(5000))
    Path("run.packed").write_bytes(packed[: int(len(packed) * kept)])
    assert refusal("run.packed").startswith(f"run.packed: the {kind} data end too early")


def test_a_second_member_cut_short_is_an_error(here: Path, kind: str) -> None:
    packed = PACKERS[kind](TEXT)
    Path("run.packed").write_bytes(packed + packed[:-5])
    assert "end too early" in refusal("run.packed")


def test_damaged_packed_data_are_an_error(here: Path, kind: str) -> None:
    packed = bytearray(
        zstandard.ZstdCompressor(write_checksum=True).compress(TEXT) if kind == "Zstandard" else PACKERS[kind](TEXT)
    )
    for place in range(len(packed) // 2, len(packed) // 2 + 8):
        packed[place] ^= 0xFF
    Path("run.packed").write_bytes(packed)
    assert refusal("run.packed").startswith(f"run.packed: the {kind} data are damaged")


def test_text_behind_packed_data_is_an_error(here: Path, kind: str) -> None:
    Path("run.packed").write_bytes(PACKERS[kind](TEXT) + b"301 Q0 d 1 1 tag\n")
    assert "damaged" in refusal("run.packed")


def test_data_that_unpack_to_more_than_half_the_memory_are_an_error(
    here: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradeval.files.compressed.memory_at_hand", lambda: 4e6)
    Path("run.packed").write_bytes(PACKERS[kind](bytes(1_900_000)))
    assert read_bytes("run.packed") == bytes(1_900_000)
    Path("run.packed").write_bytes(PACKERS[kind](bytes(50_000_000)))
    message = f"run.packed: the {kind} data unpack to more than 2 MB, 50% of the memory at hand; "
    assert refusal("run.packed") == message + "unpack the file on disk and name that one"


def test_many_small_members_are_too_much_together(here: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.files.compressed.memory_at_hand", lambda: 4e6)
    Path("run.packed").write_bytes(PACKERS[kind](bytes(300_000)) * 8)
    assert "unpack to more than 2 MB" in refusal("run.packed")


def test_a_bomb_ends_before_memory_does(here: Path) -> None:
    """A process that may have 1.5 GB meets two kilobytes that unpack to 2 GB."""
    Path("run.packed").write_bytes(20 * bz2.compress(bytes(100_000_000)))
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, resource.RLIM_INFINITY))\n"
        "import gradeval\n"
        "try: gradeval.read_run('run.packed')\n"
        "except gradeval.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ONE_THREAD, capture_output=True, check=True, text=True)
    assert done.stdout.startswith("run.packed: the bzip2 data unpack to more than")


def test_memory_at_hand_is_at_most_what_the_process_may_have() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, resource.RLIM_INFINITY))\n"
        "from gradeval.files.compressed import memory_at_hand; print(memory_at_hand())"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ONE_THREAD, capture_output=True, check=True, text=True)
    assert 0 < float(done.stdout) <= 1e9


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the standard library reads Zstandard")
def test_zstandard_without_its_package_names_the_command_that_installs_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("run.zst").write_bytes(zstandard.compress(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert "pip install 'gradeval[zstd]'" in refusal("run.zst")
