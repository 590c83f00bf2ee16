# SPDX-License-Identifier: MIT
"""Comparison of a module with a layer: both are called with the same random rows and parameters.

A definition may name a class whose `forward` computes another function, or did so in another version.
"""

import warnings
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ..protocol.axes import Sizes
from ..protocol.interface import Interface
from .forward import ModuleForward, Types, parameters_of_call
from .kernels import Tensor, torch

_TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_FEATURES = 5
_AXIS = 3
# The size of rows. Where it is None, Constants are as large as squares of a row, and show where they are added to them.
_SCALES = (1.0, None, 30.0), (None, 3.0, 1.0)
_SMALL = 1e-3
# Rounding in float32 leaves a thousandth of this; another formula shows in the first digits.
_APART = 1e-3


class Unlike(Exception):
    """Reason why a layer does not stand for a module."""


def compare(forward: ModuleForward, known: dict[Any, Types]) -> Types:
    """Return the types of results that differ from those of rows, for a module that computes its layer's function.

    `known` caches them for modules that differ in parameters alone. Raises Unlike if a module computes another
    function, has another signature, or cannot be called.
    """
    _check_signature(forward)
    features = _features(forward)
    with warnings.catch_warnings(), torch.no_grad(), torch.device("cpu"):
        warnings.simplefilter("ignore")
        twin = _twin(forward, features, torch.float64)
        rows = _rows(twin, features, torch.float64)
        _check_results(twin, rows)
        key = _settings(forward)
        if key not in known:
            kinds = _TYPES if twin.values(rows)[2] is not None else (None,)
            known[key] = dict(_types(forward, features, kinds))
        return known[key]


def _check_signature(forward: ModuleForward) -> None:
    theirs = parameters_of_call(type(forward.module))
    ours = [each["name"] for each in forward.arguments]
    least = sum(each["default"] is None for each in forward.arguments)
    is_plain = all(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in theirs.values())
    are_none = all(each.default in (None, each.empty) for each in theirs.values())
    if not is_plain or not are_none or not least <= len(forward.required) <= len(theirs) <= len(ours):
        layer = forward.layer._layer.interface["name"]
        raise Unlike(
            f"its forward takes ({', '.join(map(str, theirs.values()))}), and {layer} takes ({', '.join(ours)})"
        )


def _features(forward: ModuleForward) -> int:
    """Number of features of a module's rows."""
    if arranged := getattr(forward.layer._layer, "arranged", None):
        return prod(arranged.arrangement.row_shape(_sizes(forward))[-1:])
    shape = None if forward.features is None else getattr(forward.module, forward.features)
    if shape is None:
        inputs = forward.layer._layer.interface["inputs"]
        values = [
            getattr(forward.module, attribute)
            for (attribute, _), each in zip(forward.inputs, inputs, strict=True)
            if attribute is not None and each["kind"] == "Feature"
        ]
        shape = next((tuple(value.shape) for value in values if value is not None), _FEATURES)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(sizes) != 1:
        raise Unlike(f"its rows are of {len(sizes)} axes {sizes}; a row here has one")
    return int(sizes[0])


def _twin(forward: ModuleForward, features: int, dtype: Any) -> ModuleForward:
    """The same for a module with the same attributes, whose parameters are random and of the processor."""
    kind = torch.nn.utils.parametrize.type_before_parametrizations(forward.module)
    module, random = object.__new__(kind), np.random.default_rng(features)
    own = dict(vars(forward.module))
    own.pop("forward", None)
    own["_parameters"] = dict(own["_parameters"])
    own["_buffers"] = {name: value if value is None else value.cpu().clone() for name, value in own["_buffers"].items()}
    for attribute, _ in forward.inputs:
        value = None if attribute is None else getattr(forward.module, attribute)
        if isinstance(value, Tensor):
            own.pop(attribute, None)
            own["_buffers"].pop(attribute, None)
            made = torch.as_tensor(random.uniform(0.5, 1.5, tuple(value.shape)), device="cpu").to(dtype)
            own["_parameters"][attribute] = torch.nn.Parameter(made)
    vars(module).update(own)
    twin = object.__new__(ModuleForward)
    vars(twin).update(vars(forward), module=module)
    return twin


def _rows(forward: ModuleForward, features: int, dtype: Any) -> list[Any]:
    """Random arguments of a call of a module, all that there may be."""
    random = np.random.default_rng(features + 1)
    numbers = [each for each in forward.numbers(torch.float64) if isinstance(each, float) and each > 0]
    small = min(numbers, default=_SMALL**2) ** 0.5
    scales = np.array([[small if each is None else each for each in group] for group in _SCALES])[..., None]
    if arranged := getattr(forward.layer._layer, "arranged", None):
        sizes, of = {**_sizes(forward), arranged.arrangement.names[0]: (scales.size,)}, arranged.arrangement
        return [
            _arranged(random, scales, of.shape(of.patterns[each["name"]], sizes), dtype) for each in forward.arguments
        ]
    made = []
    for each, _ in zip(forward.arguments, forward.names, strict=False):
        shape = (*scales.shape[:-1], features)
        value = random.standard_normal(shape) * scales
        made.append(torch.as_tensor(value if each["axes"][-1] == "D" else value[..., 0], device="cpu").to(dtype))
    return [*made, *[None] * (len(forward.arguments) - len(made))]


def _arranged(random: Any, scales: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A random array whose parts along the first axis have scales of their own."""
    own = scales.reshape(-1, *[1] * (len(shape) - 1))
    return torch.as_tensor(random.standard_normal(shape) * own, device="cpu").to(dtype)


def _sizes(forward: ModuleForward) -> Sizes:
    """The sizes of the axes of a module's arrays, as far as it says; each other axis has a few entries.

    Raises Unlike if the parameters of the module do not have the axes of the layer.
    """
    arranged = forward.layer._layer.arranged
    of, given = arranged.arrangement, forward.given()
    inputs = [None if attribute is None else getattr(forward.module, attribute) for attribute, _ in forward.inputs]
    try:
        known: Sizes = arranged.sizes(inputs, given)
    except (TypeError, ValueError) as error:
        raise Unlike(str(error)) from error
    return dict.fromkeys(of.names, (_AXIS,)) | known


def _own(forward: ModuleForward, rows: list[Any]) -> Any:
    """Call the `forward` of the module's class. Raises Unlike if it cannot be called so."""
    try:
        return type(forward.module).forward(forward.module, *rows[: len(forward.names)])
    except Exception as error:
        raise Unlike(f"its own forward cannot be called with random rows: {type(error).__name__}: {error}") from error


def _check_results(twin: ModuleForward, rows: list[Any]) -> None:
    theirs = _own(twin, rows)
    inputs, constants, _ = twin.values(rows)
    layer = twin.layer._layer
    names = [each["name"] for each in layer.interface["constants"]]
    arrays = [value.numpy() if isinstance(value, Tensor) else value for value in inputs]
    numpy = layer.numpy if hasattr(layer, "numpy") else layer.operators.kernels.numpy
    named = dict(zip([*names, *_size_names(layer.interface)], [*constants, *twin.given()], strict=True))
    try:
        ours = numpy.forward(*arrays, **named)[0]
    except (TypeError, ValueError) as error:
        raise Unlike(str(error)) from error
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    ours = ours if layer.outputs > 1 else (ours,)
    if len(theirs) != len(ours):
        raise Unlike(f"its forward returns {len(theirs)} results, and {layer.interface['name']} {len(ours)}")
    for own, made in zip(theirs, ours, strict=True):
        if not isinstance(own, Tensor) or tuple(own.shape) != made.shape:
            raise Unlike(f"its forward returns {_shown(own)}, and {layer.interface['name']} an array of {made.shape}")
        found = own.double().numpy()
        apart = np.max(np.abs(found - made) / np.max(np.abs(made), axis=-1, keepdims=True))
        if not apart <= _APART:
            raise Unlike(f"its forward computes something else than {layer.interface['name']}: {apart:.2g} apart")


def _size_names(interface: Interface) -> list[str]:
    return [each["name"] for each in interface["layout"]["sizes"]] if "layout" in interface else []


def _shown(value: Any) -> str:
    return f"a tensor of {tuple(value.shape)}" if isinstance(value, Tensor) else f"a {type(value).__name__}"


def _settings(forward: ModuleForward) -> Any:
    """Return all attributes of a module except its parameters and their containers."""
    module, plain = forward.module, (bool, int, float, str, tuple, type(None))
    settings = [(name, repr(value)) for name, value in vars(module).items() if isinstance(value, plain)]
    there = [name for name, value in module._parameters.items() if value is not None]
    return type(module), forward.layer, *settings, *there


def _types(forward: ModuleForward, features: int, kinds: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    if forward.layer._layer.outputs > 1:
        return
    for kind in kinds:
        twin = _twin(forward, features, kind or torch.float32)
        for dtype in _TYPES:
            try:
                returned = _own(twin, _rows(twin, features, dtype)).dtype
            except Unlike:  # the module does not take these types
                continue
            if returned != dtype:
                yield (dtype, kind), (torch.promote_types(dtype, returned), returned)
