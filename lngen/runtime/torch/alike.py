# SPDX-License-Identifier: MIT
"""Comparison of a module with a layer: both are called with the same random rows and parameters.

A definition may name a class whose `forward` computes another function, or did so in another version.
"""

import copy
import warnings
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ..protocol.axes import REST, Sizes
from ..protocol.interface import INTEGERS
from .asked import Tensor, torch
from .forward import REDUCTIONS, LayerForward, ModuleCalls, parameters_of_call

_TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_FEATURES, _SEED = 5, 1
_AXIS = 3
# Numbers of axes that are tried, the usual one first: those of rows, or those that `...` stands for.
_AXES = (2, 1, 3, 4, 5, 0)
_ARRANGED_AXES = (1, 0, 2, 3, 4)
# The size of rows. Where it is None, Constants are as large as squares of a row, and show where they are added to them.
_SCALES = (1.0, None, 30.0), (None, 3.0, 1.0)
_SMALL = 1e-3
# Rounding in float32 leaves a thousandth of this; another formula shows in the first digits.
_APART = 1e-3


class Unlike(Exception):
    """Reason why a layer does not stand for a module."""


class Uncalled(Unlike):
    """Reason why a module cannot be compared, in rows of some axes."""


def compare(forward: LayerForward, module: Any, known: dict[Any, ModuleCalls]) -> ModuleCalls:
    """Return the calls of a module in which a layer computes its function.

    Rows of any number of axes are tried: a module may refuse some, or have its features along the axis 1. `known`
    caches this for modules that differ in parameters alone. Raises Unlike if a module computes another function in all
    calls, has another signature, or cannot be called.
    """
    _check_signature(forward)
    features = _features(forward, module)
    with warnings.catch_warnings(), torch.no_grad(), torch.device("cpu"):
        warnings.simplefilter("ignore")
        key = _settings(forward, module)
        if key in known:
            (trial, place), *_ = known[key].places.items()
            _check_results(forward, module, features, trial, place)
            return known[key]
        places: dict[int, int] = {}
        reasons, results = [], 1
        for axes in _ARRANGED_AXES if forward.arrangement else _AXES:
            if not (axes or places or forward.arrangement):
                break  # one row is of one size, and shows no Constant
            for place in (-1,) if forward.arrangement or axes < 2 else (-1, 1):
                try:
                    results = _check_results(forward, module, features, axes, place)
                except Unlike as reason:
                    reasons.append(reason)
                else:
                    places[axes] = place
                    break
        if not places:
            raise min(reasons, key=lambda reason: isinstance(reason, Uncalled))  # the first of those that say most
        first = next(iter(places.items()))
        types = dict(_types(forward, module, features, *first)) if results == 1 else {}
        known[key] = ModuleCalls(places, types, results, _refuses_labels(forward, module, features, *first))
        return known[key]


def _check_signature(forward: LayerForward) -> None:
    theirs = parameters_of_call(forward.kind)
    ours = [each["name"] for each in forward.arguments]
    least = sum(each["default"] is None for each in forward.arguments)
    is_plain = all(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in theirs.values())
    are_none = all(each.default in (None, each.empty) for each in theirs.values())
    if not is_plain or not are_none or not least <= len(forward.required) <= len(theirs) <= len(ours):
        layer = forward.layer._layer.interface["name"]
        raise Unlike(
            f"its forward takes ({', '.join(map(str, theirs.values()))}), and {layer} takes ({', '.join(ours)})"
        )


def _features(forward: LayerForward, module: Any) -> int:
    """Number of features of a module's rows."""
    if forward.arrangement:
        return prod(forward.arrangement.row_shape(_sizes(forward, module, 1))[-1:])
    shape = None if forward.features is None else getattr(module, forward.features)
    if shape is None:
        inputs = forward.layer._layer.interface["inputs"]
        values = [
            getattr(module, attribute)
            for (attribute, _), each in zip(forward.inputs, inputs, strict=True)
            if attribute is not None and each["kind"] == "Feature"
        ]
        shape = next((tuple(value.shape) for value in values if value is not None), _FEATURES)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(sizes) != 1:
        raise Unlike(f"its rows are of {len(sizes)} axes {sizes}; a row here has one")
    return int(sizes[0])


def _twin(forward: LayerForward, module: Any, dtype: Any) -> Any:
    """A module with the same attributes, whose parameters are random and of the processor.

    It is in the mode that the layer stands for, and its running averages begin at 0.
    """
    made: Any = object.__new__(forward.kind)
    random = np.random.default_rng(_SEED)
    own = dict(vars(module))
    own["training"] = forward.conditions.get("training", own["training"])
    own["_parameters"] = dict(own["_parameters"])
    own["_buffers"] = {
        name: each if each is None else torch.zeros_like(each, device="cpu") if each.is_meta else each.cpu().clone()
        for name, each in own["_buffers"].items()
    }
    for average, _, _ in forward.statistics:
        own["_buffers"][average] = torch.zeros_like(own["_buffers"][average], dtype=dtype)
    for attribute, _ in forward.inputs:
        value = None if attribute is None else getattr(module, attribute)
        if isinstance(value, Tensor):
            own.pop(attribute, None)
            own["_buffers"].pop(attribute, None)
            drawn = torch.as_tensor(random.uniform(0.5, 1.5, tuple(value.shape)), device="cpu").to(dtype)
            own["_parameters"][attribute] = torch.nn.Parameter(drawn)
    vars(made).update(own)
    return made


def _with(forward: LayerForward, axes: int, place: int, results: int = 1) -> LayerForward:
    """The same for calls with rows of so many axes."""
    made = copy.copy(forward)
    made.calls = ModuleCalls({axes: place}, results=results)
    return made


def _rows(forward: LayerForward, module: Any, features: int, dtype: Any) -> list[Any]:
    """Random arguments of a call of a module, all that there may be."""
    random = np.random.default_rng(features + 1)
    numbers = [each for each in forward.numbers(module, torch.float64) if isinstance(each, float) and each > 0]
    small = min(numbers, default=_SMALL**2) ** 0.5
    scales = np.array([[small if each is None else each for each in group] for group in _SCALES])
    ((axes, place),) = forward.calls.places.items()
    if forward.arrangement:
        of = forward.arrangement
        sizes = {**_sizes(forward, module, axes), of.names[0]: (scales.size,)}
        shapes = [of.shape(of.patterns[each["name"]], sizes) for each in forward.arguments]
        scales = scales.reshape(-1)
    else:
        lead = (*scales.shape, *[2] * (axes - 2)) if axes > 1 else (scales.size,) * axes
        shapes = [(*lead * ("..." in each["axes"]), *[features] * ("D" in each["axes"])) for each in forward.arguments]
        scales = scales if axes > 1 else scales.reshape(-1)[: None if axes else 1]
    made: list[Any] = []
    for each, shape, _ in zip(forward.arguments, shapes, forward.names, strict=False):
        if each["kind"] in INTEGERS:
            made.append(torch.as_tensor(random.integers(0, features, shape)))
            continue
        own = scales.reshape(*scales.shape, *[1] * (len(shape) - scales.ndim)) if len(shape) >= scales.ndim else 1.0
        value = torch.as_tensor(random.standard_normal(shape) * own, device="cpu").to(dtype)
        made.append(value.movedim(-1, place) if place != -1 and "D" in each["axes"] else value)
    return [*made, *[None] * (len(forward.arguments) - len(made))]


def _with_one_ignored(forward: LayerForward, module: Any, rows: list[Any]) -> None:
    """Let the first of several labels be the one that is ignored, if there is one."""
    label, ignored = forward.counted(forward.values(module, rows)[0])
    if label is not None and label.ndim:
        label.view(-1)[0] = ignored


def _sizes(forward: LayerForward, module: Any, axes: int) -> Sizes:
    """The sizes of the axes of a module's arrays, as far as it says; each other axis has a few entries.

    Raises Unlike if the parameters of the module do not have the axes of the layer.
    """
    of = forward.arrangement
    assert of is not None
    inputs = [None if attribute is None else getattr(module, attribute) for attribute, _ in forward.inputs]
    try:
        known = forward.sizes_of(module, inputs)
    except (TypeError, ValueError) as error:
        raise Unlike(str(error)) from error
    named = {axis: (getattr(module, own),) for own, axis in forward.axes}
    return {**dict.fromkeys(of.names, (_AXIS,)), REST: (_AXIS,) * axes, **named, **known}


def _own(forward: LayerForward, module: Any, rows: list[Any]) -> Any:
    """Call the `forward` of the module's class. Raises Unlike if it cannot be called so."""
    try:
        return forward.kind.forward(module, *rows[: len(forward.names)])  # type: ignore[attr-defined]
    except Exception as error:
        raise Uncalled(f"its own forward cannot be called with random rows: {type(error).__name__}: {error}") from error


def _check_results(forward: LayerForward, module: Any, features: int, axes: int, place: int) -> int:
    """Return how many results a module has.

    Raises Unlike if the layer computes or keeps something else than the module, with rows of these axes.
    """
    reduction, results = forward.reduction, 1
    for how in REDUCTIONS if reduction else (None,):
        own, ours = [_twin(forward, module, torch.float64) for _ in range(2)]
        if reduction:
            for twin in (own, ours):
                vars(twin)[reduction["attribute"]] = how
        of = _with(forward, axes, place)
        rows = _rows(of, own, features, torch.float64)
        _with_one_ignored(of, own, rows)
        theirs = _own(of, own, rows)
        results = len(theirs) if isinstance(theirs, tuple) else 1
        if results > len(forward.returned):
            name = forward.layer._layer.interface["name"]
            raise Unlike(f"its forward returns {results} results, and {name} {len(forward.returned)}")
        _compare(theirs, _emitted(_with(forward, axes, place, results), ours, rows), "computes", forward)
        for attribute, value in ours._buffers.items():
            _compare(own._buffers[attribute], value, f"keeps another {attribute}, and computes", forward)
    return results


def _emitted(forward: LayerForward, module: Any, rows: list[Any]) -> Any:
    """Results of a module that the layer computes, by PyTorch's operations."""
    layer, arranged = forward.layer._layer, forward.rows(module, rows[: len(forward.names)], {})
    if arranged is None:
        raise Unlike("its rows are not those of the layer")
    inputs, constants, _ = forward.values(module, arranged)
    try:
        made = layer.decomposed(*layer.taken(*inputs, *constants, *forward.given(module)))
    except (TypeError, ValueError) as error:
        raise Unlike(str(error)) from error
    return forward.finished(module, inputs, made, None)


def _compare(theirs: Any, ours: Any, does: str, forward: LayerForward) -> None:
    """Compare a result of a module, or several, with those of the layer."""
    theirs, ours = [each if isinstance(each, tuple) else (each,) for each in (theirs, ours)]
    name = forward.layer._layer.interface["name"]
    for own, made in zip(theirs, ours, strict=True):
        if own is made is None:
            continue
        if not isinstance(own, Tensor) or own.shape != made.shape:
            raise Unlike(f"its forward returns {shown(own)}, and {name} an array of {tuple(made.shape)}")
        found, expected = [np.atleast_1d(each.double().numpy()) for each in (own, made)]
        largest = np.max(np.abs(expected), axis=-1, keepdims=True)
        apart = np.max(np.abs(found - expected) / np.where(largest == 0, 1, largest))
        if not apart <= _APART:
            raise Unlike(f"its forward {does} something else than {name}: {apart:.2g} apart")


def _refuses_labels(forward: LayerForward, module: Any, features: int, axes: int, place: int) -> bool:
    """Test whether a module takes labels, and refuses one outside of the row."""
    if not forward.labels:
        return False
    twin, of = _twin(forward, module, torch.float64), _with(forward, axes, place)
    rows = _rows(of, twin, features, torch.float64)
    for each, value in zip(forward.arguments, rows, strict=False):
        if each["kind"] in INTEGERS and value is not None:
            value.fill_(features)
    try:
        _own(of, twin, rows)
    except Unlike:
        return True
    return False


def shown(value: Any) -> str:
    """Return what a value is, for a message."""
    return f"a tensor of {tuple(value.shape)}" if isinstance(value, Tensor) else f"a {type(value).__name__}"


def _settings(forward: LayerForward, module: Any) -> Any:
    """Return all attributes of a module except its parameters and their containers."""
    plain = (bool, int, float, str, tuple, type(None))
    settings = [(name, repr(value)) for name, value in vars(module).items() if isinstance(value, plain)]
    there = [name for name, value in module._parameters.items() if value is not None]
    return forward.kind, forward.layer, *settings, *there


def _types(forward: LayerForward, module: Any, features: int, axes: int, place: int) -> Iterator[tuple[Any, Any]]:
    has_parameters = any(isinstance(getattr(module, own), Tensor) for own, _ in forward.inputs if own)
    of = _with(forward, axes, place)
    for kind in _TYPES if has_parameters else (None,):
        twin = _twin(forward, module, kind or torch.float32)
        for dtype in _TYPES:
            try:
                returned = _own(of, twin, _rows(of, twin, features, dtype)).dtype
            except Unlike:  # the module does not take these types
                continue
            if returned != dtype:
                yield (dtype, kind), (torch.promote_types(dtype, returned), returned)
