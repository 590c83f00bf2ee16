"""Random numbers of a definition: `uniform(seed)` and `dropout(u, p, seed)`."""

import importlib
import inspect
import sys
from functools import cache

import numpy as np
import pytest

import lngen
from lngen.language.definition import Draw
from lngen.language.oracle.evaluate import evaluate
from lngen.language.oracle.random import drawn_from, philox
from lngen.language.parsing import parse
from lngen.pipeline.files import loading
from lngen.runtime.numpy import random
from lngen.runtime.numpy.rows import BLOCK_BYTES
from tests.requirements import needs_gxx
from tests.tiers import sample

NORM = """
def dropout_add_norm(x: Row, residual: Row, seed: Int[""], gamma: Feature = 1, beta: Feature = 0, p: Constant = 0.1):
    r = residual + dropout(x, p, seed)
    c = r - mean(r)
    y = gamma*c/sqrt(mean(c**2) + 1e-5) + beta
    return y, r
"""
NOISE = """
def noise(x: Row, seed: Int[""], s: Scalar = 0.5):
    u = uniform(seed)
    y = dropout(x, s, seed, 5)*u + where(uniform(seed, 1) < u, x**2, 0)
    return y
"""
NUMBERS = 'def numbers(x: Row, seed: Int[""]): return x + uniform(seed)'
NAMED = 'def f(x: Array["n (g c) h"], seed: Int[""], g: Size = 2): return x - mean(x, "c h") + uniform(seed)'
# Counter, key and words of Random123's file of known answers (kat_vectors) for philox4x32, 10 rounds.
ONES = 0xFFFFFFFF
PUBLISHED = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


@cache
def layer(text):
    return lngen.derive(text, backends=["numpy"])


@pytest.mark.parametrize(("counter", "key", "words"), PUBLISHED)
def test_words_are_those_that_were_published(counter, key, words):
    assert philox(counter, key) == words
    found = random.philox(tuple(np.array([word], np.uint64) for word in counter), key)
    assert [int(word[0]) for word in found] == list(words)


def test_one_seed_gives_one_row_of_numbers_and_a_stream_another():
    definition = parse(NOISE)
    assert {entry.name: str(entry.draws) for entry in definition.inputs if entry.draws} == {
        "u": "uniform(seed)",
        "uniform_seed_5": "uniform(seed, 5)",
        "uniform_seed_1": "uniform(seed, 1)",
    }
    assert [entry.name for entry in definition.positional] == ["x", "seed", "s"]
    u, v = (drawn_from(Draw("seed", stream), {"seed": -3}, (200, 33)) for stream in (0, 1))
    assert ((u >= 0) & (u < 1) & (u * 2**24 % 1 == 0)).all()
    assert abs(u.mean() - 0.5) < 0.02
    assert abs(np.corrcoef(u.ravel(), v.ravel())[0, 1]) < 0.05


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 3])
def test_numbers_go_by_the_row_of_the_call(dtype, threads):
    """Blocks and threads do not show; those of a part of the rows are the first."""
    rows, features = 2 * BLOCK_BYTES // (4 * 35), 35
    x = np.zeros((rows // 2, 2, features), dtype)
    y, _ = layer(NUMBERS).load().forward(x, 9, threads=threads)
    wanted = drawn_from(Draw("seed"), {"seed": 9}, x.shape)
    np.testing.assert_array_equal(y, wanted.astype(dtype))
    np.testing.assert_array_equal(layer(NUMBERS).load().forward(x[:3], np.int8(9))[0], y[:3])


def test_rows_are_numbered_beyond_32_bits():
    start = 2**32 - 1
    found = random.RandomRows(4, 1, (start + 2, 6), np.dtype(np.float64))[slice(start, start + 2)]
    words = [philox((low, high, four, 0), (4, 1)) for low, high in ((ONES, 0), (0, 1)) for four in (0, 1)]
    np.testing.assert_array_equal(found * 2**24 // 1, (np.array(words).reshape(2, 8) >> 8)[:, :6])


@pytest.mark.parametrize("text", sample([NORM, NOISE], (), [NOISE]), ids=["dropout_add_norm", "noise"])
def test_every_check_holds_on_numpy(text):
    assert [(proof.kind, proof.statement) for proof in layer(text).evidence if not proof.passed] == []
    report = layer(text).check(shapes=((1, 1), (3, 7), (5, 64)), dtypes=("float64", "float32"))
    assert [(e.kind, e.what, e.detail) for e in report.failures] == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("np.arange(rows.start, rows.stop", "np.arange(rows.start + 1, rows.stop + 1"),
        ("key = int(seed) &", "key = int(seed) + 1 &"),
        ("_ROUNDS = 10", "_ROUNDS = 9"),
    ],
)
def test_a_moved_row_a_wrong_key_and_fewer_rounds_are_found(right, wrong, monkeypatch):
    text = inspect.getsource(random)
    assert text.count(right) == 1
    module = layer(NORM).load()
    used = sys.modules[f"{module.__name__}.numpy_backend"]._random
    planted = dict(vars(used))
    exec(text.replace(right, wrong), planted)
    monkeypatch.setattr(used, "uniform", planted["uniform"])
    x = np.ones((3, 7))
    (_, r), _ = module.forward(x, 0 * x, 5, p=0.5)
    wanted = evaluate(parse(NORM), {"x": x, "residual": 0 * x, "seed": 5, "p": 0.5})["r"]
    assert not np.array_equal(r, wanted)


def test_no_array_of_numbers_is_kept_or_read():
    made = layer(NORM)
    _, saved = made.load().forward(np.ones((3, 7)), np.zeros((3, 7)), 1)
    assert not {"uniform_seed", "x"} & set(saved._fields)
    forward, backward = made.derived.plan.forward, made.derived.plan.backward
    assert [row.name for row in forward.rows] == ["x", "residual"]
    assert [row.name for row in backward.rows] == ["r", "dy", "dr"]
    assert [row.text for row in backward.random] == ["uniform(seed)"]


def test_dropout_of_all_and_of_nothing():
    forward = layer(NORM).load().forward
    x = np.random.default_rng(0).normal(size=(5, 8))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(forward(x, 0 * x, 3, p=1.0)[0].r, 0 * x)
    np.testing.assert_array_equal(forward(x, 0 * x, 3, p=0.0)[0].r, x)


@pytest.mark.ci
@pytest.mark.parametrize("text", [NOISE, NAMED])
def test_a_seed_is_one_integer(text):
    with pytest.raises(ValueError, match=r"seed has shape \(2,\); pass a number"):
        layer(text).load().forward(np.zeros((3, 4, 5)), np.array([1, 2]))


def test_the_rows_of_named_axes_are_numbered_in_the_order_of_the_pattern():
    made = layer(NAMED)
    x = np.zeros((3, 4, 5), np.float32)
    y, _ = made.load().forward(x, 2)
    np.testing.assert_array_equal(y.reshape(6, 10), drawn_from(Draw("seed"), {"seed": 2}, (6, 10)).astype(np.float32))


@needs_gxx
@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_compiled_numbers_are_those_of_numpy(dtype):
    """Rows in one chunk and in several, entries in vectors and at the end of a row, any number of threads."""
    made = lngen.derive(NUMBERS, backends=["cpu"]).load()
    cpu = importlib.import_module(f"{made.__name__}.cpu_backend")
    for shape in ((2, 3), (900, 2, 37)):
        x = np.zeros(shape, dtype)
        wanted = drawn_from(Draw("seed"), {"seed": -7}, shape).astype(dtype)
        for threads in (1, 3):
            np.testing.assert_array_equal(cpu.forward(x, -7, threads=threads)[0], wanted)


@needs_gxx
@pytest.mark.parametrize(
    "backend",
    [
        pytest.param("cpu", marks=pytest.mark.exhaustive),
        pytest.param("cuda", marks=[pytest.mark.exhaustive, pytest.mark.cuda]),
    ],
)
def test_every_check_holds_on_compiled_kernels(backend):
    report = lngen.derive(NORM, backends=[backend]).check(backend, shapes=((3, 8),), dtypes=("float32",))
    assert [(e.kind, e.what, e.detail) for e in report.failures] == []


@needs_gxx
@pytest.mark.ci
@pytest.mark.parametrize(
    ("right", "wrong"), [("<S>(of.row, column", "<S>(of.row + 1, column"), ("RandomWord(seed)", "RandomWord(seed + 1)")]
)
def test_a_moved_row_and_a_wrong_key_in_compiled_kernels_are_found(right, wrong, tmp_path):
    made = lngen.derive(NORM, backends=["cpu"])
    folder = made.write(tmp_path)
    header = tmp_path / "_runtime" / "native" / "host_directions.h"
    text = header.read_text()
    line = "random_lanes<S>(of.row, column, {RandomWord(seed)"
    assert text.count(line) == 1
    header.write_text(text.replace(line, line.replace(right, wrong)))
    module = loading.load(folder)
    cpu = importlib.import_module(f"{module.__name__}.cpu_backend")
    x = np.ones((3, 8))
    (_, r), _ = cpu.forward(x, 0 * x, 5, p=0.5)
    (_, wanted), _ = module.forward(x, 0 * x, 5, p=0.5)
    assert not np.array_equal(r, wanted)
