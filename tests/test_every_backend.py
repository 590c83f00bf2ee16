"""Every backend beside the formulas: each layer, direction, type, shape and absence with each of the others.

The formulas are those of the derivation, evaluated in long double as printed; at a small point they are held to
differences of the definition at 60 digits, which share nothing with the derivation. Code is emitted anew. Cases are
drawn such that each two values of different axes meet in one, and a layer is compiled once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations
from lngen.algebra.symbols import D
from lngen.checks.in_jax import JaxRows, enable_x64
from lngen.checks.inputs import ordinary
from lngen.checks.layer import Case, Checkable, positional
from lngen.checks.on_device import OnDevice, device
from lngen.language.syntax import Kind
from tests import compiled, corpus
from tests.compiled import the_long_way
from tests.fuzz import oracle
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point
from tests.hosts import layer_of, rows_of
from tests.pairwise import pairwise
from tests.requirements import needs_gxx, needs_jax, needs_pycuda, needs_torch

TYPES = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}


@dataclass(frozen=True)
class Given:
    """Arguments of a layer; those `along` are tangents, or cotangents of the gradients, and None is zero."""

    inputs: Sequence[Any]
    constants: Mapping[str, float]
    cotangents: Sequence[Any]
    along: Sequence[Any]
    shape: tuple[int, int]


# ---- backends


def directions_of(module: Any, direction: str, given: Given, **options: Any) -> Sequence[Any]:
    """The results of one function of a module whose backward is called by hand."""
    with np.errstate(all="ignore"):
        outputs, saved = module.forward(*given.inputs, **given.constants, **options)
        if direction == "forward":
            return as_tuple(outputs)
        if direction == "backward":
            return as_tuple(module.backward(saved, *given.cotangents, **options))
        if direction == "jvp":
            return as_tuple(module.jvp(saved, *given.along, **options))
        return as_tuple(module.backward_backward(saved, tuple(given.cotangents), *given.along, **options))


def as_tuple(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, tuple) else (found,)


def numpy_at_once(name: str, direction: str, given: Given) -> Sequence[Any]:
    return directions_of(compiled.backend(name, "numpy"), direction, given)


def numpy_in_blocks(name: str, direction: str, given: Given, **options: Any) -> Sequence[Any]:
    """Blocks of few rows, so that a chunk of 40 rows has several, and what is summed over rows is summed in each."""
    module = compiled.backend(name, "numpy")
    with pytest.MonkeyPatch.context() as patch:
        for setting, value in {"FAST_PATH_BYTES": 0, "BLOCK_BYTES": 512, "CHUNKS": 4}.items():
            patch.setattr(rows_of(module), setting, value)
        return directions_of(module, direction, given, **options)


def numpy_on_threads(name: str, direction: str, given: Given) -> Sequence[Any]:
    return numpy_in_blocks(name, direction, given, threads=3)


def cpu(name: str, direction: str, given: Given, **options: Any) -> Sequence[Any]:
    return directions_of(compiled.backend(name, "cpu"), direction, given, **options)


def cpu_on_threads(name: str, direction: str, given: Given) -> Sequence[Any]:
    with pytest.MonkeyPatch.context() as patch:
        the_long_way(compiled.backend(name, "cpu"), patch.setattr)
        return cpu(name, direction, given, threads=3)


def cuda(name: str, direction: str, given: Given) -> Sequence[Any]:
    (dtype,) = (key for key, dtype in TYPES.items() if dtype == given.cotangents[0].dtype)
    with device():
        return directions_of(OnDevice(compiled.backend(name, "cuda"), (dtype,)), direction, given)


def torch(name: str, direction: str, given: Given) -> Sequence[Any]:
    """The function of a layer, differentiated by PyTorch."""
    import torch as framework

    def sent(array: Any) -> Any:
        if array is None or array.dtype != TYPES["bf16"]:
            return None if array is None else framework.from_numpy(np.array(array))
        return framework.from_numpy(array.view(np.int16).copy()).view(framework.bfloat16)

    def back(tensor: Any) -> Any:
        bits = tensor.dtype == framework.bfloat16
        return tensor.view(framework.int16).numpy().view(TYPES["bf16"]) if bits else tensor.numpy()

    layer, constants = layer_of(compiled.backend(name, "torch")), [*given.constants.values()]
    inputs, cotangents, along = (
        tuple(map(sent, values)) for values in (given.inputs, zeros_for_none(name, given), given.along)
    )
    moving = moving_of(name, inputs)

    def call(*values: Any) -> Any:
        own = iter(values)
        return as_tuple(
            layer.call(*[next(own) if place in moving else v for place, v in enumerate(inputs)], *constants)
        )

    primals = tuple(inputs[place] for place in moving)
    steps = tuple(each for each in along if each is not None)

    def pulled(*values: Any) -> Any:
        return framework.func.vjp(call, *values[: len(primals)])[1](values[len(primals) :])

    if direction == "forward":
        found = call(*primals)
    elif direction == "backward":  # by kernels, which transforms do not call
        leaves = [each.requires_grad_() for each in primals]
        found = framework.autograd.grad(call(*leaves), leaves, cotangents, allow_unused=True, materialize_grads=True)
    elif direction == "jvp":
        found = framework.func.jvp(call, primals, steps)[1]
    else:
        found = framework.func.vjp(pulled, *primals, *cotangents)[1](steps)
    return in_places(name, direction, given, [back(value.detach()) for value in found])


def jax(name: str, direction: str, given: Given) -> Sequence[Any]:
    """The function of a layer, differentiated by JAX."""
    import jax as framework

    layer = JaxRows(corpus.definition(name), compiled.backend(name, "jax"))
    constants, moving = [*given.constants.values()], moving_of(name, given.inputs)

    def call(*values: Any) -> Any:
        own = iter(values)
        every = [next(own) if place in moving else value for place, value in enumerate(given.inputs)]
        return as_tuple(layer.call(*every, *constants))

    primals = tuple(given.inputs[place] for place in moving)
    steps = tuple(each for each in given.along if each is not None)

    def pulled(*values: Any) -> Any:
        return framework.vjp(call, *values[: len(primals)])[1](tuple(values[len(primals) :]))

    cotangents = zeros_for_none(name, given)
    with enable_x64():
        if direction == "forward":
            found = call(*primals)
        elif direction == "backward":
            found = pulled(*primals, *cotangents)
        elif direction == "jvp":
            found = framework.jvp(call, primals, steps)[1]
        else:
            found = framework.vjp(pulled, *primals, *cotangents)[1](steps)
        return in_places(name, direction, given, [np.asarray(value) for value in found])


def moving_of(name: str, inputs: Sequence[Any]) -> list[int]:
    """The places of the inputs that are there and have a gradient."""
    entries = corpus.definition(name).positional
    return [n for n, entry in enumerate(entries) if entry.kind.has_gradient and inputs[n] is not None]


def zeros_for_none(name: str, given: Given) -> list[Any]:
    """The cotangents of the outputs, all of which a framework has."""
    definition, first = corpus.definition(name), given.cotangents[0]
    (rows, features), dtype = given.shape, first.dtype
    kinds = [definition.output_kind(each) for each in definition.outputs]
    return [
        full(dtype.type(0), kind, rows, features).copy() if value is None else value
        for kind, value in zip(kinds, given.cotangents, strict=True)
    ]


def in_places(name: str, direction: str, given: Given, found: list[Any]) -> list[Any]:
    """The results with None for those of inputs and of cotangents that are left out, as modules give them."""
    if direction not in ("backward", "backward_backward"):
        return found
    entries = corpus.definition(name).positional
    there = [given.inputs[n] is not None for n, entry in enumerate(entries) if entry.kind.has_gradient]
    own = iter(found)
    placed = [next(own) if is_there else None for is_there in there]
    return placed + [None if of is None else value for of, value in zip(given.cotangents, own, strict=False)]


Backend = Callable[[str, str, Given], Sequence[Any]]
BACKENDS: dict[Backend, tuple[Any, ...]] = {
    numpy_at_once: (),
    numpy_in_blocks: (),
    numpy_on_threads: (),
    cpu: (needs_gxx,),
    cpu_on_threads: (needs_gxx,),
    cuda: (needs_gxx, needs_pycuda, pytest.mark.cuda),
    torch: (needs_torch, pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")),
    jax: (needs_jax,),
}
"""Each backend, in each way that it goes over rows, with what it needs."""
SAME_BITS: dict[Backend, Backend] = {
    numpy_in_blocks: numpy_at_once,
    numpy_on_threads: numpy_in_blocks,
    cpu_on_threads: cpu,
    torch: cpu,
}
"""Ways that change no bit, in a framework of a direction whose arguments are those of a call."""

FEWEST_ROWS = 4
"""The rows of the smallest block of rows that has sums over them."""

# ---- cases

LAYERS = (
    "layer_norm",
    "add_layer_norm",
    "modulated_layer_norm",
    "rms_norm_gated",
    "layer_norm_gelu",
    "dynamic_tanh",
    "cross_entropy",
    "power_norm",
    "statistics_out",
    "masked_norm",
    "range_of_normalized",
    "gated_residual",
)
"""Between them: every kind of input and of output, sums of every kind, an extreme, and what is wide."""
SHAPES = ((0, 33), (1, 1), (5, 7), (3, 33), (2, 64), (40, 130), (3, 1025), (2, 4100))
"""Rows and features: none, one, around vectors, several blocks a chunk, and longer than what is held of a row."""
ABSENCES = ("nothing", "every optional input", "an optional input", "directions")
AXES = {
    "backend": [*BACKENDS],
    "layer": LAYERS,
    "direction": ("forward", "backward", "jvp", "backward_backward"),
    "absent": ABSENCES,
    "dtype": [*TYPES],
    "shape": SHAPES,
}
FIRST_ORDER = ("forward", "backward")
COMPILED = (cpu, cpu_on_threads, torch)
OWN = {layer: ([*TYPES][place % 4], place // 4 % 2 == 0) for place, layer in enumerate(LAYERS)}
"""The type of each layer's compiled kernels, and whether these are those of the first order."""


def is_compiled_once(case: Mapping[str, Any]) -> bool:
    """Test whether a case takes no second library of its layer, each of which takes seconds to compile."""
    if case.get("backend") not in COMPILED or "layer" not in case:
        return True
    dtype, of_first_order = OWN[case["layer"]]
    return case.get("dtype", dtype) == dtype and (
        "direction" not in case or (case["direction"] in FIRST_ORDER) == of_first_order
    )


CASES = pairwise(AXES, is_compiled_once)


def case_of(layer: str, absent: str, dtype: str, shape: tuple[int, int]) -> tuple[Case, Given]:
    """Numbers of a type for a layer, and what is handed over of them."""
    definition = corpus.definition(layer)
    rows, features = shape[0], max(shape[1], definition.minimum_features)
    optional = [entry.name for entry in definition.positional if entry.default is not None]
    left_out = {"every optional input": optional, "an optional input": optional[-1:]}.get(absent, [])
    case = ordinary(definition, rows, features, 0, frozenset(left_out)).astype(TYPES[dtype])
    inputs, constants = positional(Checkable(definition, None), case)  # type: ignore[arg-type]
    cotangents: list[Any] = [np.asarray(case.cotangents[name]) for name in definition.outputs]
    names = [entry.name for entry in definition.differentiable]
    moved = ordinary(definition, rows, features, 1, frozenset(left_out)).astype(TYPES[dtype])
    along = [moved.inputs.get(name) for name in names]
    if absent == "directions":
        along = [None if value is None else value * (place == 0) for place, value in enumerate(along)]
        cotangents = [value if place == 0 else None for place, value in enumerate(cotangents)]
    return case, Given(inputs, constants, cotangents, along, (rows, features))


def formulas(layer: str, direction: str, case: Case, given: Given, dtype: Any) -> list[Any]:
    """The results of the derivation's own lines, evaluated in a type."""
    derivation = corpus.derivation(layer)
    definition, arithmetic = derivation.definition, Arithmetic(dtype=dtype)
    values: Environment = {D: np.dtype(dtype).type(case.features)}
    for symbol, entry in zip(derivation.forward.symbols, definition.inputs, strict=True):
        value = case.inputs.get(entry.name)
        values[symbol] = stored(entry.default if value is None else value, entry.kind, dtype)
    for symbol, name, value in zip(derivation.adjoint.cotangents, definition.outputs, given.cotangents, strict=True):
        values[symbol] = stored(0 if value is None else value, definition.output_kind(name), dtype)
    wanted = [(name, definition.output_kind(name)) for name in definition.outputs]
    with np.errstate(all="ignore"):
        values |= evaluate_equations(derivation.forward.equations, values, arithmetic)
        if direction == "forward":
            found = [values[symbol] for symbol in derivation.forward.outputs]
        else:
            derivative = derivation.derivatives()[direction]
            for argument, entry, value in zip(
                derivative.arguments, definition.differentiable, given.along, strict=False
            ):
                values[argument] = stored(0 if value is None else value, entry.kind, dtype)
            values |= evaluate_equations(derivative.equations, values, arithmetic)
            found = [values[symbol] for _, symbol in derivative.results]
            if direction != "jvp":
                wanted = [(e.name, e.kind) for e in definition.differentiable] + wanted * (direction != "backward")
    absent = {name for name, value in case.inputs.items() if value is None}
    if direction == "backward_backward":
        absent |= {name for name, value in zip(definition.outputs, given.cotangents, strict=True) if value is None}
    return [
        None if name in absent else full(value, kind, case.rows, case.features)
        for value, (name, kind) in zip(found, wanted, strict=True)
    ]


def stored(value: Any, kind: Kind, dtype: Any) -> Any:
    """A value in the shape in which formulas have it."""
    array = np.asarray(value if isinstance(value, np.ndarray | float | int) else float(value)).astype(dtype)
    return array[:, None] if kind is Kind.ROW_SCALAR and array.ndim else array


def full(value: Any, kind: Kind, rows: int, features: int) -> Any:
    """A value in the shape in which backends give it."""
    shape = ((rows,) if kind.over_rows else ()) + ((features,) if kind.over_features else ())
    array = np.asarray(value)
    return np.broadcast_to(array[..., 0] if kind is Kind.ROW_SCALAR and array.ndim > 1 else array, shape)


def off(found: Any, exact: Any) -> float:
    """The error relative to the largest entry, or to 1."""
    error = np.abs(np.asarray(found).astype(np.longdouble) - exact)
    return float(error.max(initial=0) / max(1, np.abs(exact).max(initial=0)))


def assert_right(backend: Backend, layer: str, direction: str, absent: str, dtype: str, shape: tuple[int, int]) -> None:
    """The results are those of the formulas, and have the bits of another way of the same backend.

    They are off by 64 roundings, and by some times what the formulas are in the type that is computed in.
    """
    case, given = case_of(layer, absent, dtype, shape)
    found = backend(layer, direction, given)
    other = SAME_BITS.get(backend)
    if backend is numpy_in_blocks and shape[0] > FEWEST_ROWS:
        other = None  # a sum over rows is one of the sums of several blocks
    if other and (other is not cpu or backend is cpu_on_threads or direction in FIRST_ORDER):
        for value, same in zip(found, other(layer, direction, given), strict=True):
            np.testing.assert_array_equal(value, same)
    exact = formulas(layer, direction, case, given, np.longdouble)
    compute = np.float64 if dtype == "f64" else np.float32
    plain = formulas(layer, direction, case, given, compute)
    rounded = 2 * float(ml_dtypes.finfo(TYPES[dtype]).eps) * (TYPES[dtype].itemsize == 2)
    for value, right, single in zip(found, exact, plain, strict=True):
        assert (value is None) == (right is None)
        if right is not None:
            assert (value.dtype, value.shape) == (TYPES[dtype], right.shape)
            error = off(value, right)
            assert error <= rounded + 64 * float(np.finfo(compute).eps) + 16 * off(single, right), error


def named(case: Mapping[str, Any]) -> Any:
    names = (case["backend"].__name__, case["layer"], case["direction"], case["absent"], case["dtype"])
    words = [*names, "x".join(map(str, case["shape"]))]
    return pytest.param(case, id="-".join(words), marks=BACKENDS[case["backend"]])


@pytest.mark.parametrize("case", [*map(named, CASES)])
def test_every_backend_computes_the_formulas(case: Mapping[str, Any]) -> None:
    assert_right(**case)


@pytest.mark.parametrize("direction", AXES["direction"][1:])
@pytest.mark.parametrize("layer", LAYERS)
def test_sums_over_rows_of_several_blocks(layer: str, direction: str) -> None:
    assert_right(numpy_in_blocks, layer, direction, "nothing", "f32", (40, 130))


@pytest.mark.parametrize("layer", LAYERS)
def test_constants_have_their_defaults(layer: str) -> None:
    _, given = case_of(layer, "nothing", "f64", (3, 7))
    constants = corpus.definition(layer).constants
    defaults = {entry.name: float(entry.default) for entry in constants if entry.default is not None}
    others = {name: value for name, value in given.constants.items() if name not in defaults}
    module = compiled.backend(layer, "numpy")
    found, wanted = (module.forward(*given.inputs, **others, **values)[0] for values in ({}, defaults))
    for one, other in zip(as_tuple(found), as_tuple(wanted), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("absent", ABSENCES)
@pytest.mark.parametrize("layer", [LAYERS[0], *(pytest.param(name, marks=pytest.mark.ci) for name in LAYERS[1:])])
def test_the_formulas_are_differences_at_60_digits(layer: str, absent: str) -> None:
    case, given = case_of(layer, absent, "f64", (2, 5))
    definition = corpus.definition(layer)
    outputs, entries = definition.outputs, [entry.name for entry in definition.differentiable]
    directions = {name: value for name, value in zip(entries, given.along, strict=True) if value is not None}
    cotangents = dict(zip(outputs, given.cotangents, strict=True))
    exact = oracle.exact(definition, Point(replace(case, cotangents=cotangents), directions))
    names: dict[str, list[tuple[str, str]]] = {
        "forward": [(OUTPUT, name) for name in outputs],
        "backward": [(GRADIENT, name) for name in entries],
        "jvp": [(TANGENT, name) for name in outputs],
        "backward_backward": [(SECOND, name) for name in entries] + [(SECOND_OF_COTANGENT, name) for name in outputs],
    }
    for direction, results in names.items():
        for result, value in zip(results, formulas(layer, direction, case, given, np.longdouble), strict=True):
            assert (value is None) == (result not in exact), result
            if value is not None:
                assert off(value, np.asarray(exact[result]).astype(np.longdouble)) < 1e-15, (direction, result)


PLANTED = {
    "layer": "dynamic_tanh",
    "direction": "jvp",
    "absent": "an optional input",
    "dtype": "f16",
    "shape": (3, 1025),
}


@pytest.mark.parametrize("axis", PLANTED)
def test_a_wrong_value_for_one_value_of_an_axis_is_seen(axis: str) -> None:
    """A twentieth in one result of one way of NumPy's, for one value of another axis."""

    def wrong(name: str, direction: str, given: Given) -> Sequence[Any]:
        first, *others = numpy_on_threads(name, direction, given)
        return [(first * 1.05).astype(first.dtype), *others]

    met = [case for case in CASES if case["backend"] is numpy_on_threads and case[axis] == PLANTED[axis]]
    assert not all(map(is_right, [{**case, "backend": wrong} for case in met]))
    assert all(map(is_right, met))


def is_right(case: Mapping[str, Any]) -> bool:
    """Test whether no assertion fails."""
    with contextlib.suppress(AssertionError):
        assert_right(**case)
        return True
    return False
