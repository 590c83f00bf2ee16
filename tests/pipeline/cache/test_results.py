"""Cached results are never stale: after a change of one byte in a copy of lngen, everything is made anew."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lngen.language.parsing import parse
from lngen.pipeline.cache import entries, sources
from lngen.pipeline.cache.results import kept
from lngen.pipeline.stages import STAGES, derived

ROOT = Path(__file__).parents[3]
TEXT = "def f(x: Row): return sigmoid(x)"

# What a process derives, or emits where there is a third argument, and the stages that it went through.
PROGRAM = """
import json, sys
from lngen.language.parsing import parse
from lngen.pipeline.stages import derived, planned
_, text, filename, *emitted = sys.argv
passed = []
made = (derived if emitted else planned)(parse(text, filename), proved=False, on_stage=passed.append)
print(json.dumps([passed, dict(made.emission.files) if emitted else str(made.derivation.backward)]))
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A copy of what a checkout derives with, and a cache of its own."""
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "cache"))
    copy = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", "simt")
    for name in ("lngen", "templates"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def run(checkout, program, *arguments):
    # What has changed in the last moments is not trusted to be what was imported.
    time.sleep(0.1)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True).stdout


def derive(checkout, text=TEXT, filename="f.py", *emitted):
    return json.loads(run(checkout, PROGRAM, text, filename, *emitted))


def replaced(checkout, name, old, new):
    path = checkout / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


PLANNED = ["derive", "plan"]
RULE = "lngen/language/__init__.py", "f.sigmoid(u) * (1 - f.sigmoid(u))", "f.sigmoid(u) * (2 - f.sigmoid(u))"


@pytest.mark.ci
def test_a_changed_byte_of_a_rule_is_derived_with(checkout):
    made = derive(checkout)
    assert made[0] == PLANNED
    assert derive(checkout) == [[], made[1]]
    replaced(checkout, *RULE)
    changed = derive(checkout)
    assert changed[0] == PLANNED
    assert changed[1] != made[1]
    assert derive(checkout) == [[], changed[1]]


@pytest.mark.ci
def test_what_python_ran_by_mistake_is_not_kept(checkout):
    """Python takes a compiled module for that of a source of the same time and size. The next process does not."""
    made = derive(checkout)
    source = checkout / RULE[0]
    times = source.stat().st_atime_ns, source.stat().st_mtime_ns
    replaced(checkout, *RULE)
    os.utime(source, ns=times)
    assert derive(checkout) == made
    os.utime(source)
    assert derive(checkout)[1] != made[1]


UNPROVED = [stage for stage in STAGES if stage != "prove"]


@pytest.fixture
def known(tmp_path, monkeypatch):
    """A cache of its own, and sources that are known, whatever has happened to them since this process began."""
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    monkeypatch.setattr(sources, "fingerprint", lambda: "known")
    monkeypatch.setattr(sources, "are_known", lambda: True)


@pytest.mark.usefixtures("known")
class TestPipeline:
    def stages(self, text=TEXT, filename="f.py", proved=False):
        stages = []
        derived(parse(text, filename), proved=proved, on_stage=stages.append)
        return stages

    def test_the_same_definition_is_the_same_wherever_its_file_is(self):
        assert (self.stages(), self.stages(), self.stages(filename="/elsewhere/f.py")) == (UNPROVED, [], [])

    @pytest.mark.ci
    @pytest.mark.parametrize(
        "other",
        [
            {"text": TEXT.replace("sigmoid", "tanh")},
            {"text": TEXT + "  # of which the report tells"},
            {"filename": "g.py"},
        ],
    )
    def test_another_definition_or_option_is_another_entry(self, other):
        self.stages()
        assert self.stages(**other) == UNPROVED

    @pytest.mark.ci
    def test_proofs_are_added_to_what_was_derived(self):
        self.stages()
        assert self.stages(proved=True) == [*STAGES[2:]]
        assert self.stages(proved=True) == []

    def test_damaged_entries_are_made_anew(self):
        self.stages()
        for path in entries.place().iterdir():
            content = bytearray(path.read_bytes())
            content[-5] ^= 64
            path.write_bytes(content)
        assert (self.stages(), self.stages()) == (UNPROVED, [])


@pytest.mark.usefixtures("known")
class TestKept:
    DEFINITION = parse(TEXT)

    def kept(self, made, write=lambda made: json.dumps(made).encode()):
        return kept("what", self.DEFINITION, lambda: made, write, json.loads)

    def test_without_a_place_to_keep_it_it_is_made_each_time(self, tmp_path, monkeypatch):
        (tmp_path / "file").touch()
        monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "file"))
        assert (self.kept(1), self.kept(2)) == (1, 2)

    def test_what_cannot_be_read_is_made_anew(self):
        self.kept(1, write=lambda value: b"nothing")
        assert self.kept(2) == 2

    @pytest.mark.parametrize(("name", "answer"), [("fingerprint", None), ("are_known", False)])
    def test_nothing_is_kept_of_sources_that_are_not_known(self, monkeypatch, name, answer):
        monkeypatch.setattr(sources, name, lambda: answer)
        assert (self.kept(1), self.kept(2)) == (1, 2)

    def test_an_error_is_not_kept(self):
        with pytest.raises(ZeroDivisionError):
            kept("what", self.DEFINITION, lambda: 1 / 0, json.dumps, json.loads)
        assert self.kept(2) == 2
