# SPDX-License-Identifier: MIT
"""The kernels of a layer, launched by PyCUDA: what `cuda_backend.py` of a layer calls with its tables.

A call is looked at (`plans`), its device found (`devices`), and its kernels launched (`kernels`), which are compiled
when they are first asked for (`compilers`).
"""

from collections.abc import Sequence
from typing import Any

from . import devices, kernels, plans
from .calls import check_is_saved, several
from .compilers import compilations
from .device_arrays import finite, stream_handle
from .device_calls import Direction, Layer
from .plans import Plan

__all__ = ["Direction", "Layer", "backward", "compilations", "finite", "forward", "workspace_bytes"]


def forward(
    layer: Layer, inputs: Sequence[Any], constants: Sequence[float], out: Any, stream: Any, workspace: Any
) -> tuple[list[Any], Any]:
    """The outputs of a layer and what it saved."""
    outs = (out,) if len(layer.outputs) == 1 else several(out, tuple(layer.outputs))
    objects = [*inputs, *constants, *outs, *(None for _ in layer.row_scalars), workspace]
    values, streams, facts = plans.look(objects)
    plan = plans.planned(layer.plans, ("forward", *facts), plans.plan_forward, layer, objects)
    _run(plan, objects, values, streams, stream)
    kept = map(objects.__getitem__, plan.kept)
    saved = layer.Saved(plan.shape, plan.dtype, dict(plan.dtypes), *kept)
    return [objects[slot] for slot in plan.outputs], saved


def backward(layer: Layer, saved: Any, cotangents: Sequence[Any], out: Any, stream: Any, workspace: Any) -> list[Any]:
    """The gradients of a layer's inputs, in their order."""
    plan, objects, values, streams = _backward_plan(layer, saved, cotangents, out, workspace)
    _run(plan, objects, values, streams, stream)
    return [objects[slot] for slot in plan.outputs]


def workspace_bytes(layer: Layer, direction: str, arguments: Sequence[Any]) -> int:
    """How many bytes a call of a direction with these positional arguments needs of `workspace`."""
    if direction not in ("forward", "backward"):
        raise ValueError(f'direction is {direction!r}; pass "forward" or "backward"')
    most = len(layer.inputs) if direction == "forward" else 1 + len(layer.outputs)
    if len(arguments) > most:
        raise TypeError(f"{direction} takes {most} arrays at most, and {len(arguments)} were given")
    if direction == "forward":
        absent = [None] * (len(plans.forward_slots(layer)) - len(arguments))
        return plans.plan_forward(layer, [*arguments, *absent]).saved_bytes
    given = [*arguments, *[None] * (most - len(arguments))]
    plan, _, values, _ = _backward_plan(layer, given[0], given[1:], None, None)
    with devices.entered(plan.resident, values, plan.spelled) as device:
        return kernels.launches(device, plan).partial_bytes


def _backward_plan(
    layer: Layer, saved: Any, cotangents: Sequence[Any], out: Any, workspace: Any
) -> tuple[Plan, list[Any], list[Any], list[int]]:
    check_is_saved(saved, layer.Saved, layer.name)
    outs = several(out, tuple(layer.backward.results))
    objects = [*cotangents, *saved[3:], *outs, workspace]
    for slot, kind in enumerate(layer.saved.values(), len(layer.outputs)):
        if kind == "Constant":
            objects[slot] = finite(f"saved.{plans.backward_slots(layer)[slot]}", objects[slot])
    values, streams, facts = plans.look(objects)
    shape, dtype, dtypes = saved[:3]
    types = tuple(dtypes.items()) if isinstance(dtypes, dict) else None
    key = ("backward", shape, dtype, types, *facts)
    return plans.planned(layer.plans, key, plans.plan_backward, layer, objects, saved), objects, values, streams


def _run(plan: Plan, objects: list[Any], values: list[Any], streams: Sequence[int], stream: Any) -> None:
    """Check the addresses, make the arrays that are to be made, launch the kernels."""
    plan.check_apart(values)
    plan.check_room(plan.saved_bytes)
    handle = 0 if stream is None else stream_handle(stream)
    with devices.entered(plan.resident, values, plan.spelled) as device:
        devices.wait_for(streams, handle)
        kernels.launches(device, plan).run(objects, values, stream, handle)
