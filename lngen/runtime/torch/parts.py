# SPDX-License-Identifier: MIT
"""The arguments and the results of an operator, and its signature in PyTorch."""

from ..protocol.directions import DirectionProtocol, Entries, Entry, LayerProtocol

# No name of a definition ends with an underscore.
_FLAG = Entry("by_sample_", "", "Constant")


class OperatorValues:
    """The arguments of an operator and its results."""

    def __init__(self, layer: LayerProtocol, direction: DirectionProtocol) -> None:
        inputs, *groups = layer.functional(direction)
        first: Entries = (*inputs, *layer.constants, _FLAG)
        kept: Entries = groups[0] if groups else ()
        self.arguments: Entries = (*first, *kept, *direction.cotangents)
        self.results = direction.makes
        self.by_sample, self.first_own = len(first) - 1, len(first) + len(kept)
        self.owners = direction.owner_places(self.first_own)
        self.names = [each.name for each in first] + [f"saved_{each.name}_" for each in kept]
        self.names += [f"cotangent_{each.owner.name}_" for each in direction.cotangents if each.owner]

    def schema(self) -> str:
        """The signature as `torch.library` reads it."""
        pairs = zip(self.arguments, self.names, strict=True)
        arguments = ", ".join(f"{_type(each)} {name}" for each, name in pairs)
        results = ", ".join(["Tensor"] * len(self.results))
        return f"({arguments}) -> {f'({results})' if len(self.results) > 1 else results}"


def _type(each: Entry) -> str:
    if each.kind == "Constant":
        return "bool" if each is _FLAG else "float"
    return "Tensor?" if each.may_be_none else "Tensor"
