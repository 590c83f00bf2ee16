"""Sources of a process: its code is the one in the files, or nothing is cached."""

import os
import py_compile
import sys
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


def test_a_source_that_changed_after_the_start_is_not_known(monkeypatch):
    sources.fingerprint.cache_clear()
    monkeypatch.setattr(sources, "STARTED", 0)
    try:
        assert sources.fingerprint() is None
    finally:
        sources.fingerprint.cache_clear()


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
