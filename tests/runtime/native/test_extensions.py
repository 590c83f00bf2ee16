"""C that is compiled for this Python: at first use, ahead of time, or not at all."""

import platform
import shutil
import sysconfig
from pathlib import Path

import pytest

from lngen.runtime.native import compiler as host_compiler
from lngen.runtime.native import extensions
from lngen.runtime.native.extensions import EXTENSIONS, compile_ahead, extension
from tests.requirements import needs_gxx

pytestmark = needs_gxx


@pytest.mark.parametrize("name", EXTENSIONS)
def test_without_headers_or_a_compiler_there_is_none(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(host_compiler, "_libraries", {})
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    with monkeypatch.context() as without:
        without.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
        assert extension(name) is None
    monkeypatch.setenv("PATH", "")
    assert extension(name) is None


@pytest.mark.ci
@pytest.mark.skipif(not extensions.headers(), reason="no headers of Python")
@pytest.mark.parametrize("name", EXTENSIONS)
def test_compiled_ahead_of_time(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for path in (*extensions._FOLDER.glob("*.c"), *extensions._FOLDER.glob("*.h")):
        shutil.copy(path, tmp_path)
    architecture = "armv8-a" if platform.machine() == "aarch64" else "x86-64"
    made = compile_ahead(tmp_path / f"{name}.c", architecture)
    monkeypatch.setattr(host_compiler, "_libraries", {})
    monkeypatch.setattr(extensions, "_FOLDER", tmp_path)
    monkeypatch.setenv("PATH", "")
    assert extension(name) is not None
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert extension(name) is not None
    with pytest.raises(RuntimeError, match="no headers of Python; install them"):
        compile_ahead(tmp_path / f"{name}.c", architecture)
    made.unlink()
    assert extension(name) is None
