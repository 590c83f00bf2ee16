"""Sources of a process: its code is the one in the files, or nothing is cached."""

import os
import py_compile
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from lngen import paths
from lngen.pipeline.cache import sources


@pytest.fixture
def module(tmp_path):
    """A module whose compiled one was made after its source."""
    source = tmp_path / "module.py"
    source.write_text("x = 1\n")
    os.utime(source, (1, 1))
    return SimpleNamespace(source=source, compiled=py_compile.compile(str(source)))


def is_compiled_from_its_source(module, monkeypatch):
    # An inode's own time cannot be set, so what is asked for here is the file's, as in an installation.
    monkeypatch.setattr(paths, "packaged", True)
    return sources._is_compiled_from_its_source(str(module.source))


def test_a_source_that_python_cannot_tell_from_the_compiled_one(module, monkeypatch):
    os.utime(module.compiled, ns=(10**9, 10**9 + 1))
    os.utime(module.source, ns=(10**9, 10**9 + 2))
    assert not is_compiled_from_its_source(module, monkeypatch)


def test_a_source_that_changed_after_the_start_is_not_known(monkeypatch):
    sources.fingerprint.cache_clear()
    monkeypatch.setattr(sources, "STARTED", 0)
    try:
        assert sources.fingerprint() is None
    finally:
        sources.fingerprint.cache_clear()


def test_the_cache_s_own_text_and_every_template_count():
    files = [Path(file) for file in sources._files()]
    names = {path.name for path in files}
    assert names >= {"values.py", "emission.py", "module.py.jinja", "pyproject.toml"}
    assert not any(path.is_relative_to(paths.generated_folder()) for path in files)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """All that lngen is written in."""
    file = tmp_path / "module.py"
    file.write_text("x = 1\n")
    monkeypatch.setattr(sources, "_files", lambda: [str(file)])
    return file


def test_a_file_that_changed_just_now_is_read_again_whatever_its_status(file, monkeypatch):
    monkeypatch.setattr(sources, "_status", lambda path: (time.time_ns(),))
    before = sources._hashed()
    file.write_text("x = 2\n")
    assert sources._hashed() != before


def test_a_file_that_changed_long_ago_is_read_again_if_its_status_is_another(file, monkeypatch):
    monkeypatch.setattr(sources, "_SLACK", -(10**18))
    before = sources._hashed()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", lambda path: pytest.fail("it was read again"))
        assert sources._hashed() == before
    file.write_text("x = 10\n")
    assert sources._hashed() != before


@pytest.mark.parametrize(("kept", "known"), [(True, True), (False, False)])
def test_sources_are_known_by_their_files_whatever_modules_a_process_has_made(module, monkeypatch, kept, known):
    """Layers of a wheel are modules of lngen's name without a file, and are no source of a derivation."""
    monkeypatch.setattr(paths, "packaged", True)
    monkeypatch.setattr(sources, "fingerprint", lambda: "known")
    monkeypatch.setattr(sources, "_hashed", lambda: "known")
    monkeypatch.setattr(sources, "_files", lambda: [str(module.source), "template.jinja"])
    monkeypatch.setitem(sys.modules, "lngen.generated", ModuleType("lngen.generated"))
    if not kept:
        py_compile.compile(str(module.source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert sources.are_known() is known
