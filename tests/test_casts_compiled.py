"""Casts by compiled kernels and by CUDA's: every 16-bit input and all ties, rounded once; and false ones, seen."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.checks.on_device import compiled_for, device, download, upload
from lngen.language.parsing import parse
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.protocol.casts import TARGETS
from tests import compiled, roundings
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.test_casts import QUANTIZED, inputs

EVERY = "\n    ".join(
    [
        "def every(x: Row):",
        *(f'y{place} = cast(x, "{target}")' for place, target in enumerate(TARGETS)),
        f"return {', '.join(f'y{place}' for place in range(len(TARGETS)))}",
    ]
)
KINDS = {"f16": np.float16, "bf16": roundings.dtype("bfloat16"), "f32": np.float32, "f64": np.float64}
Forward = Callable[[Any], Any]

on_cuda = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]


def hold_to_ml_dtypes(forward: Forward, kind: str) -> None:
    """Raise AssertionError unless each 16-bit value, in a type of rows, is rounded as ml_dtypes does."""
    for name in ("float16", "bfloat16"):
        if kind in ("f16", "bf16") and roundings.dtype(name) != KINDS[kind]:
            continue
        values = roundings.every(name, KINDS[kind])
        for found, target in zip(forward(values.reshape(64, 1024)), TARGETS, strict=True):
            assert roundings.same(found.reshape(-1), roundings.expected(values, target)), (name, target)


def hold_at_ties(forward: Forward, kind: str) -> None:
    """Raise AssertionError unless ties, and what lies next to them in a wider type, are rounded once."""
    for place, target in enumerate(TARGETS):
        if TARGETS[target].itemsize < 4:
            values, wanted = roundings.ties(target, KINDS[kind])
            found = forward(values[None])[place][0]
            np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64), err_msg=target)


@needs_gxx
@pytest.mark.parametrize("kind", KINDS)
def test_compiled_casts_of_every_16_bit_value_are_those_of_ml_dtypes(kind):
    hold_to_ml_dtypes(lambda x: compiled.layer(EVERY).cpu.forward(x)[0], kind)


@needs_gxx
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_compiled_casts_near_ties_round_once_and_to_even(kind):
    hold_at_ties(lambda x: compiled.layer(EVERY).cpu.forward(x)[0], kind)


@needs_gxx
def test_compiled_casts_of_a_layer_have_the_types_and_the_bits_of_numpy():
    made = compiled.layer(QUANTIZED)
    for shape in ((5, 7), (2, 3, 40), (0, 4), (300, 257)):
        given = inputs(shape, np.float64)
        mine, saved = made.cpu.forward(*given)
        other, _ = made.numpy.forward(*given)
        for one, value in zip(mine, other, strict=True):
            assert (one.dtype, one.shape) == (value.dtype, value.shape)
            unit = np.abs(value.astype(float)) / 8 + 1
            assert np.all(np.abs(one.astype(float) - value.astype(float)) <= unit)
        out = [np.empty_like(each) for each in mine]
        placed, _ = made.cpu.forward(*given, out=out, threads=2)
        assert all(
            not a.size or (roundings.same(a, b) and np.shares_memory(a, c))
            for a, b, c in zip(placed, mine, out, strict=True)
        )
        gradients = made.cpu.backward(saved, np.ones(shape), None, None, None, None)
        assert gradients.dx.dtype == np.float64


@needs_gxx
def test_compiled_casts_of_rows_that_are_streamed_or_lie_apart_are_the_same():
    layer = compiled.layer(EVERY).cpu
    x = np.random.default_rng(0).normal(size=(3000, 3072)).astype(np.float32) * 50
    wanted, _ = layer.forward(x[:2])
    for found, few in zip(layer.forward(x, threads=2)[0], wanted, strict=True):
        assert roundings.same(found[:2], few)
    out = [np.empty((2, 2 * 3072), each.dtype)[:, ::2] for each in wanted]
    for found, few in zip(layer.forward(x[:2], out=out)[0], wanted, strict=True):
        assert roundings.same(np.ascontiguousarray(found), few)


def with_header(changes: dict[str, str]) -> ModuleType:
    """The compiled layer with another `casts.h`."""
    made = derived(parse(EVERY), proved=False, backends=["cpu"])
    own = Path(tempfile.mkdtemp())
    manifest.update([manifest.shared_emission([made.emission], own), made.emission], own)
    header = own / "_runtime" / "cpp" / "casts.h"
    text = header.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    header.write_text(text, encoding="utf-8")
    package = loading.load(own / made.emission.name).__name__
    return importlib.import_module(f"{package}.cpu_backend")


FALSE = {
    "by way of float32": {"rounded(rounded_to_odd(value))": "rounded(f32(value))"},
    "half up": {" - 1) + ((inside >> SHIFT) & 1)": ")"},
    "not saturated": {"size > HIGHEST ? HIGHEST : size": "size"},
    "no subnormal numbers": {"? small : found": "? 0u : found"},
}


@needs_gxx
@pytest.mark.ci
@pytest.mark.parametrize("false", FALSE)
def test_false_roundings_are_seen(false):
    layer = with_header(FALSE[false])

    def forward(x):
        return layer.forward(x)[0]

    def hold() -> None:
        hold_to_ml_dtypes(forward, "f64")
        hold_at_ties(forward, "f64")

    with pytest.raises(AssertionError):
        hold()
    if false == "by way of float32":
        hold_to_ml_dtypes(forward, "f64")  # 16-bit values cannot show it


def cuda_forward(kind: str) -> Forward:
    module = compiled.backend(EVERY, "cuda")

    def forward(x: Any) -> Any:
        with device(), compiled_for(module, [kind]):
            return [*map(download, module.forward(upload(x))[0])]

    return forward


@pytest.mark.ci
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=on_cuda) for kind in KINDS])
def test_cuda_casts_of_every_16_bit_value_are_those_of_ml_dtypes(kind):
    hold_to_ml_dtypes(cuda_forward(kind), kind)


@pytest.mark.ci
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=on_cuda) for kind in ("f32", "f64")])
def test_cuda_casts_near_ties_round_once_and_to_even(kind):
    def forward(values):
        # As few rows as hold them: the emulator compiles each length of a row once.
        rows = np.resize(values[0], (-(-values.size // 1024), 1024))
        return [each.reshape(1, -1)[:, : values.size] for each in cuda_forward(kind)(rows)]

    hold_at_ties(forward, kind)


@pytest.mark.ci
@pytest.mark.parametrize("marked", [pytest.param(None, marks=on_cuda)])
def test_cuda_writes_to_arrays_of_the_type_and_refuses_others(marked):
    module, x = compiled.backend(EVERY, "cuda"), np.array([[1.5, 2.5, 300.0]], np.float32)
    with device(), compiled_for(module, ["f32"]):
        plain = module.forward(upload(x))[0]
        out = [upload(np.zeros((1, 3), each.dtype)) for each in plain]
        module.forward(upload(x), out=out)
        for place, value in zip(out, plain, strict=True):
            assert roundings.same(download(place), download(value))
        wrong = [upload(x), *[None] * (len(TARGETS) - 1)]
        with pytest.raises(
            ValueError, match=r"has shape \(1, 3\) and type float32; pass one of shape .* float8_e4m3fn"
        ):
            module.forward(upload(x), out=wrong)
