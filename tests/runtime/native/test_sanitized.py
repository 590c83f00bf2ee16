"""Kernels of layers under sanitizers: no memory beyond an array, nothing undefined, no race between threads.

They run in a process of their own, whose memory the sanitizer has from the beginning.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements import gxx, needs_gxx
from tests.shipped import NAMES, ROOT
from tests.tiers import sample

pytestmark = needs_gxx

TYPES = ("float32", "float64", "float16")

RUN = """
import functools, sys
from pathlib import Path
import numpy as np
import lngen
from lngen.checks.inputs import ordinary
from lngen.language.parsing import load
from tests.compiled import results

folder, options, threads, dtype = Path(sys.argv[1]), sys.argv[2].split(), int(sys.argv[3]), sys.argv[4]
module = lngen.load(folder, backend="cpu")
compiled = module._compiled
compiled.host_compiler.library = functools.partial(compiled.host_compiler.library, options=options)
definition = load(f"derive/{folder.name}.py")
shapes = [(rows, features) for rows in (1, 2, 35) for features in (2, 7, 16, 33, 65, 130, 4099)]
for in_chunks in (False, True):
    if in_chunks:
        compiled.CHUNK_ENTRIES, compiled.STREAMED_BYTES = 64, 0
    for rows, features in shapes:
        case = ordinary(definition, rows, features, 0).astype(dtype)
        results(module, definition, case, threads=threads)
        optional = [entry.name for entry in definition.positional if entry.default is not None]
        if optional and dtype == "float32" and features == 33:
            case = ordinary(definition, rows, features, 0, frozenset(optional)).astype(dtype)
            results(module, definition, case, threads=threads)
print("done")
"""


MEMORY = "-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -O1"
RACES = "-fsanitize=thread -O1"
ENVIRONMENT = {
    # Python itself leaks what lives as long as it does, and is not instrumented.
    "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
    "TSAN_OPTIONS": "halt_on_error=1:ignore_noninstrumented_modules=1",
}


def sanitized(folder: Path, options: str, threads: int, dtype: str = "float32") -> subprocess.CompletedProcess[str]:
    library = "libtsan.so" if "thread" in options else "libasan.so"
    found = subprocess.run([gxx(), f"-print-file-name={library}"], capture_output=True, text=True, check=True)
    preloaded = found.stdout.strip()
    assert Path(preloaded).is_absolute(), f"g++ has no {library}"
    return subprocess.run(
        [sys.executable, "-c", RUN, str(folder), options, str(threads), dtype],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LD_PRELOAD": preloaded, **ENVIRONMENT},
        capture_output=True,
        text=True,
    )


def assert_clean(done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr[:3000]


def changed(folder: Path, line: str, other: str) -> Path:
    """A layer whose kernels share another line."""
    for name in ("_runtime", "layer_norm"):
        shutil.copytree(ROOT / "generated" / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    header = folder / "_runtime" / "native" / "host_rows.h"
    text = header.read_text(encoding="utf-8")
    assert text.count(line) == 1
    header.write_text(text.replace(line, other), encoding="utf-8")
    return folder / "layer_norm"


@pytest.mark.parametrize(("name", "dtype"), sample([*itertools.product(NAMES, TYPES)], (), ()))
def test_no_memory_beyond_an_array_and_nothing_undefined(name: str, dtype: str) -> None:
    assert_clean(sanitized(ROOT / "generated" / name, MEMORY, 1, dtype))


@pytest.mark.parametrize("name", sample(NAMES, (), ()))
def test_no_race_between_threads(name: str) -> None:
    assert_clean(sanitized(ROOT / "generated" / name, RACES, 4))


@pytest.mark.exhaustive
def test_memory_beyond_an_array_is_seen(tmp_path: Path) -> None:
    layer = changed(
        tmp_path,
        "if (column < end) body(column, First{end - column, run});",
        "if (column < end) body(column, Whole{run});",
    )
    done = sanitized(layer, "-fsanitize=address -O1", 1)
    assert done.returncode
    assert "AddressSanitizer: heap-buffer-overflow" in done.stderr


@pytest.mark.exhaustive
def test_a_race_is_seen(tmp_path: Path) -> None:
    """Rows that several threads work on."""
    row = "return rows / chunks * chunk + min(chunk, rows % chunks);"
    layer = changed(tmp_path, row, "return chunk % 2 ? rows : 0;")
    done = sanitized(layer, RACES, 4)
    assert done.returncode
    assert "ThreadSanitizer: data race" in done.stderr
