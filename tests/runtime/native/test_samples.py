"""Kernels on many samples at once: of each the bits that a call for it alone has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.checks.layer import Checkable, positional
from lngen.runtime.native.extensions import headers
from lngen.runtime.numpy.blocks import Work
from tests import corpus
from tests.compiled import Layer, drawn, layer
from tests.hosts import kernels_of
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = [needs_gxx, pytest.mark.skipif(not headers(), reason="no headers of Python")]

SAMPLES = 5
LAYERS = [(name, np.float32) for name in corpus.NAMES]
LAYERS += [("layer_norm", np.float64), ("layer_norm", ml_dtypes.bfloat16), ("power_norm", np.float16)]
IN_CI = [("scaled_softmax", np.float32), ("layer_norm", ml_dtypes.bfloat16)]


def alone(of: Layer, inputs: Sequence[Any], constants: dict[str, float], own: Any) -> Iterator[tuple[str, list, list]]:
    """Yield the kernel arguments of one sample for each direction: values read and results of a call."""
    module, definition = of.cpu, of.definition
    cotangents, along = own
    outputs, saved = module.forward(*inputs, **constants)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    kinds = [each["kind"] for each in module.INTERFACE["saved"]]
    row_scalars = [value for kind, value in zip(kinds, saved[3:], strict=True) if kind == "row scalar"]
    numbers = [float(constants.get(each["name"], each["default"])) for each in module.INTERFACE["constants"]]
    yield "FORWARD", [*inputs, *numbers], [*outputs, *row_scalars]
    yield "BACKWARD", [*cotangents, *saved[3:]], list(module.backward(saved, *cotangents))
    moved = module.jvp(saved, *along)
    yield "JVP", [*along, *saved[3:]], [*moved] if len(definition.outputs) > 1 else [moved]
    second = module.backward_backward(saved, cotangents, *along)
    yield "BACKWARD_BACKWARD", [*cotangents, *along, *saved[3:]], list(second)


def samples_of(
    of: Layer, rows: int, features: int, dtype: Any, *, shared: bool, left_out: bool
) -> list[dict[str, Any]]:
    """Return the values read and made by each direction for each sample; parameters are equal if `shared`."""
    definition, found = of.definition, []
    first = drawn(definition, rows, features, dtype)
    kinds = {given["name"]: given["kind"] for given in of.cpu.INTERFACE["inputs"]}
    optional = {given["name"] for given in of.cpu.INTERFACE["inputs"] if given["default"] is not None}
    for seed in range(SAMPLES):
        case = drawn(definition, rows, features, dtype, seed)
        inputs, _ = positional(Checkable(definition, of.cpu), case)
        fixed, constants = positional(Checkable(definition, of.cpu), first)  # a call has one number for all samples
        values = {}
        for name, own, common in zip(kinds, inputs, fixed, strict=True):
            values[name] = common if shared and kinds[name] in ("Feature", "Scalar") else own
            if left_out and name in optional:
                values[name] = None
            elif kinds[name] == "Scalar":
                values[name] = np.asarray(values[name], dtype)
        cotangents = [case.cotangents.get(name) for name in definition.outputs]
        along = [values[entry.name] for entry in definition.differentiable]
        calls = alone(of, [*values.values()], constants, (cotangents, along))
        found.append({direction: (read, made) for direction, read, made in calls})
    return found


def together(values: Sequence[Any]) -> Any:
    """One value of all samples; those who share an array share its memory."""
    first = values[0]
    if first is None or isinstance(first, float):
        return first
    if all(value is first for value in values):
        return np.broadcast_to(first, (SAMPLES, *np.shape(first)))
    return np.stack(values)


@pytest.mark.parametrize(("name", "dtype"), sample(LAYERS, (), [("layer_norm", np.float32), *IN_CI]))
@pytest.mark.parametrize(("shared", "left_out"), [(True, False), (False, False), (True, True)])
def test_every_sample_has_the_bits_of_its_own_call(name, dtype, shared, left_out):
    of = layer(name)
    for rows, features, threads in ((3, max(7, of.definition.minimum_features), 1), (70, 1000, 2), (70, 1000, 8)):
        drawn_ones = samples_of(of, rows, features, dtype, shared=shared, left_out=left_out)
        for direction in drawn_ones[0]:
            kernels = kernels_of(of.cpu).kernels[direction.lower()]
            read = [together(each) for each in zip(*[one[direction][0] for one in drawn_ones], strict=True)]
            expected = [together(each) for each in zip(*[one[direction][1] for one in drawn_ones], strict=True)]
            found = [None if each is None else np.full_like(each, np.nan, subok=False) for each in expected]
            computed = np.dtype(np.float64 if dtype == np.float64 else np.float32)
            kernels.any([*read, *found], Work((rows, features), computed, threads), SAMPLES)
            for one, other in zip(found, expected, strict=True):
                assert (one is None) == (other is None)
                if one is not None:
                    np.testing.assert_array_equal(one, other, err_msg=direction)
