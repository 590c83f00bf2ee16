# SPDX-License-Identifier: MIT
"""What `INTERFACE` of a layer holds, for programs that call layers which they do not know.

It is the object under `interface` in the layer's `manifest.json`, and holds nothing but what JSON can say. A `symbol`
is what `derivation.md` and the kernels call what callers call by its `name`; the two differ where the definition has
names such as `dx` beside `x`.
"""

from typing import Literal, TypedDict

__all__ = ["Constant", "Gradient", "Input", "Interface", "Kind", "Output", "SavedField"]

Kind = Literal["Row", "RowScalar", "Feature", "Scalar"]

Axes = list[Literal["...", "D"]]
"""The axes of an array: those of the rows, as many as there are, and that of the features."""


class Input(TypedDict):
    """An argument of `forward` that has a gradient; None may be passed for one with a default, which it then is."""

    name: str
    symbol: str
    kind: Kind
    axes: Axes
    default: float | None


class Constant(TypedDict):
    """A keyword of `forward` that has no gradient; one without a default has to be given."""

    name: str
    symbol: str
    default: float | None
    sign: Literal["any", "nonnegative"]


class Output(TypedDict):
    """A result of `forward`; its cotangent is an argument of `backward`."""

    name: str
    symbol: str
    kind: Kind
    axes: Axes


class SavedField(TypedDict):
    """A field of `Saved` after the first three, and the input, output, Constant or row scalar that it holds.

    One of an input that was left out is None.
    """

    name: str
    kind: Literal["input", "output", "constant", "row scalar"]
    of: str
    axes: Axes


class Gradient(TypedDict):
    """A field of `Gradients`, and the input that it belongs to; None where that may be, and was, left out."""

    name: str
    of: str
    may_be_none: bool


class Interface(TypedDict):
    """A layer as its callers see it, each list in the order of signatures and of tuples."""

    name: str
    minimum_features: int
    inputs: list[Input]
    constants: list[Constant]
    outputs: list[Output]
    saved: list[SavedField]
    gradients: list[Gradient]
    directions: list[Literal["forward", "backward", "jvp", "backward_backward"]]
