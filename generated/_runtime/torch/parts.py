# SPDX-License-Identifier: MIT
"""The arguments and the results of an operator, and its signature in PyTorch."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["OperatorValue", "OperatorValues"]

_TYPES = {"Constant": "float", "Flag": "bool"}


class OperatorValue(NamedTuple):
    """Argument or result of an operator: its `kind` is that of an input, or Constant, or Flag."""

    name: str
    kind: str
    optional: bool = False


class OperatorValues:
    """The arguments of an operator and its results."""

    def __init__(self, results: Sequence[OperatorValue], *arguments: Sequence[OperatorValue]) -> None:
        self.results, self.arguments = results, [part for group in arguments for part in group]
        # A gradient has the name of what it belongs to.
        places = {part.name: place for place, part in enumerate(self.arguments)}
        self.owners = [places.get(part.name) for part in results]
        self.by_sample = [part.kind for part in self.arguments].index("Flag")

    def schema(self) -> str:
        """The signature as `torch.library` reads it."""
        kinds = [_TYPES.get(kind) or ("Tensor?" if optional else "Tensor") for _, kind, optional in self.arguments]
        arguments = ", ".join(f"{kind} {part.name}" for kind, part in zip(kinds, self.arguments, strict=True))
        results = ", ".join(["Tensor"] * len(self.results))
        return f"({arguments}) -> {f'({results})' if len(self.results) > 1 else results}"
