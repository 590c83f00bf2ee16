"""Folders that are made once."""

from pathlib import Path

import pytest

from lngen.pipeline.cache import folders
from lngen.runtime import cache


def test_where_the_cache_is(monkeypatch):
    monkeypatch.setenv("LNGEN_CACHE", "somewhere")
    assert cache.root() == Path.cwd() / "somewhere"
    monkeypatch.delenv("LNGEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache.root() == Path("/x/lngen")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.root() == Path.home() / ".cache" / "lngen"


def test_an_entry_that_fails_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))

    def fails(folder):
        (folder / "half").touch()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        folders.entry("name", fails)
    assert not any((tmp_path / "simt").glob("*name"))
    assert folders.entry("name", lambda folder: (folder / "whole").touch()) == tmp_path / "simt" / "name"
    assert folders.entry("name", fails) == tmp_path / "simt" / "name"
