"""The module of PyTorch's that a definition names, evaluated on inputs of the definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lngen.checks.callables.calling import calling, find
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


def module_of(found: Counterpart) -> Callable[..., Any]:
    """Return the class of a module of `torch.nn`. Raises LngenError where PyTorch has none."""
    return find(found.name.replace(_OWN, f"{_OWN[:-1]}:"))


def outputs(definition: Definition, found: Counterpart, case: Case) -> Mapping[str, Array]:
    """Evaluate the module on a case: its one output, by name, of the shape and type of the row.

    Raises LngenError for an attribute that the module does not have.
    """
    import torch

    tensors = {n: torch.from_numpy(v) if isinstance(v, np.ndarray) else v for n, v in case.inputs.items()}
    try:
        made = calling(module_of(found), definition)({**tensors, "D": case.features})
    except LngenError as error:
        raise LngenError(f"{error} Correct the line `In PyTorch: {found.name}(...)`.") from None
    return {definition.outputs[0]: made.detach().numpy()}
