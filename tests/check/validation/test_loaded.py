"""Modules that are validated are their texts, whatever Python keeps of them."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest

from lngen.check.validation.loaded import imported


def test_text_of_the_same_time_and_length_as_its_cache_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "package" / "layer"
    folder.mkdir(parents=True)
    file = folder / "numpy_kernels.py"

    def write(value: int) -> None:
        file.write_text(f"value = {value}\n", encoding="utf-8")
        os.utime(file, (1_700_000_000, 1_700_000_000))

    def as_python_imports() -> int:
        importlib.invalidate_caches()
        sys.modules.pop("layer.numpy_kernels", None)
        value: int = importlib.import_module("layer.numpy_kernels").value
        return value

    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.syspath_prepend(str(tmp_path / "package"))
    (folder / "__init__.py").touch()
    write(1)
    assert as_python_imports() == 1
    write(2)
    assert as_python_imports() == 1  # Python's cache is stale.
    with imported(folder, ["numpy_kernels"]) as modules:
        assert modules["numpy_kernels"].value == 2
