"""The module of PyTorch's that a definition names, evaluated on inputs of the definition."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from lngen.checks.layer import Array, Case
from lngen.errors import LngenError
from lngen.language.definition import Counterpart, Definition

_OWN = "torch.nn."


def counterpart(definition: Definition) -> Counterpart:
    """Find the module of `torch.nn` that the docstring of a definition names.

    Raises LngenError where it names none, or where PyTorch is not installed.
    """
    found = next((each for each in definition.counterparts if each.name.startswith(_OWN)), None)
    is_alone = len(definition.rows) == len(definition.outputs) == 1 and not definition.layout
    if found is None or found.reduction or not is_alone:
        raise LngenError(
            f"{definition.name}: its docstring names no module of {_OWN[:-1]} that computes the same; "
            f"add a line such as `In PyTorch: {_OWN}Norm(features=D, weight=gamma)`"
        )
    try:
        import torch  # noqa: F401
    except ImportError:
        raise LngenError(f"{found.name} needs PyTorch, which is not installed: pip install torch") from None
    return found


def outputs(definition: Definition, found: Counterpart, case: Case) -> Mapping[str, Array]:
    """Evaluate the module on a case: its one output, by name, of the shape and type of the row.

    An attribute is an argument of the module's class where that has one, and is set on the module where it is a
    parameter. Raises LngenError for an attribute that the module does not have.
    """
    import torch

    values = {**case.inputs, "D": case.features}
    (row,) = (np.asarray(values[entry.name]) for entry in definition.rows)
    cls = getattr(torch.nn, found.name.removeprefix(_OWN), None)
    if cls is None:
        raise LngenError(f"PyTorch {torch.__version__} has no {found.name}; correct the line `In PyTorch: ...`")
    arrays = {entry.name for entry in definition.positional}
    given: dict[str, Any] = {
        **dict(found.conditions),
        **{attribute: values[name] for attribute, name in found.attributes if name not in arrays},
    }
    taken = inspect.signature(cls).parameters
    module = cls(**{name: value for name, value in given.items() if name in taken}).to(torch.from_numpy(row).dtype)
    with torch.no_grad():
        for attribute, name in found.attributes:
            if name in arrays:
                parameter = getattr(module, attribute, None)
                if parameter is None:
                    raise LngenError(f"{found.name} has no parameter {attribute}; correct the line `In PyTorch: ...`")
                parameter.copy_(torch.from_numpy(np.asarray(values[name])))
        return {definition.outputs[0]: module(torch.from_numpy(row)).numpy()}
