"""References between runs: the second check makes none, and what is damaged counts as missing."""

import io

import numpy as np
import pytest

import lngen
from lngen.checks.callables import kept
from lngen.checks.checker import Checker
from lngen.language.parsing import parse

CENTRED = "def centred(x: Row): return x - mean(x)"


def centred(x):
    return x - x.mean(-1, keepdims=True)


def centred_backward(dy):
    return dy - dy.mean(-1, keepdims=True)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))


@pytest.mark.ci
def test_the_second_check_has_what_the_first_one_expected(own_cache, monkeypatch):
    first = lngen.check(centred, CENTRED, backward=centred_backward, dtypes=["float64"])
    made = []
    remembered = Checker.remembered

    def counted(self, what, case, compute):
        return remembered(self, what, case, lambda: made.append(what) or compute())

    monkeypatch.setattr(Checker, "remembered", counted)
    second = lngen.check(centred, CENTRED, backward=centred_backward, dtypes=["float64"])
    assert made == []
    assert second.report.evidence == first.report.evidence
    assert not lngen.check(centred, CENTRED, backward=lambda dy: dy, dtypes=["float64"]).passed


def test_references_are_read_as_they_were_and_damaged_ones_are_none():
    there = {"a": {"y": np.arange(3.0), "dx": np.longdouble(1) / 3}, "b": np.float64(2)}
    content = kept.written(there)
    again = kept.read(content)
    assert list(again) == ["a", "b"]
    assert again["a"]["dx"] == there["a"]["dx"]
    assert again["b"] == 2
    np.testing.assert_array_equal(again["a"]["y"], there["a"]["y"])
    assert kept.read(content[:-40]) == kept.read(b"") == kept.read(b"PK nothing") == {}


def test_objects_are_not_read():
    stream = io.BytesIO()
    np.savez(stream, **{"a/y": np.array([object()], dtype=object)})
    assert kept.read(stream.getvalue()) == {}


def test_another_definition_has_references_of_its_own(own_cache):
    with kept.kept_references(parse(CENTRED)) as found:
        found["a"] = np.float64(1)
    with kept.kept_references(parse(CENTRED)) as found:
        assert found == {"a": 1}
    with kept.kept_references(parse("def centred(x: Row): return x + mean(x)")) as found:
        assert found == {}
