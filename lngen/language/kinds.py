"""Annotations that an input of a definition may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lngen.language.functions import not_run

if TYPE_CHECKING:
    # `x: Row = 1` and `x * gamma` are right in a definition, so a type checker has to allow them.
    Row: TypeAlias = Any
    RowScalar: TypeAlias = Any
    Feature: TypeAlias = Any
    Scalar: TypeAlias = Any
    Data: TypeAlias = Any
    Int: TypeAlias = Any
    Constant: TypeAlias = Any
else:

    class _Annotation:
        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            not_run(type(self).__name__)

        def __class_getitem__(cls, axes: str) -> type:
            return cls

    class Row(_Annotation):
        """One value per row and feature, shape (..., D)."""

    class RowScalar(_Annotation):
        """One value per row, shape (...,)."""

    class Feature(_Annotation):
        """One value per feature, shape (D,), shared by all rows."""

    class Scalar(_Annotation):
        """One learned value, shared by all."""

    class Data(_Annotation):
        """One value per row and feature, shape (..., D), that has no gradient: a mask, a target, labels as one-hot.

        `Data["..."]` has one value per row, shape (...,), as a row's weight in a loss. `Data["d"]` has one value per
        feature, shape (D,), as the weight of a class.
        """

    class Int(_Annotation):
        """One integer per row and feature, shape (..., D), of any integer type. It has no gradient.

        `Int["..."]` has one integer per row, as a label or a position, and `Int["d"]` one per feature. `Int[""]` is one
        integer. Integers are exact from -2**31 to 2**31 - 1, and the nearest of these beyond.
        """

    class Constant(_Annotation):
        """A hyper-parameter: one value that has no gradient."""
