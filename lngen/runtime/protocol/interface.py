# SPDX-License-Identifier: MIT
"""Types of a layer's `INTERFACE`, for programs that call layers which they do not know.

It equals the object under `interface` in the layer's `manifest.json`, and has no value that JSON lacks. `name` is a
value's name for callers; `symbol` is its name in `derivation.md` and in kernels. The two differ where the definition
has names such as `dx` beside `x`.
"""

from collections.abc import Collection
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

Kind = Literal[
    "Row",
    "RowScalar",
    "Feature",
    "Scalar",
    "Data",
    'Data["..."]',
    'Data["d"]',
    "Int",
    'Int["..."]',
    'Int["d"]',
    'Int[""]',
]
Sign = Literal["any", "nonnegative"]
Origin = Literal["input", "output", "constant", "row scalar"]

DIRECTIONS = ("forward", "backward", "jvp", "backward_backward")
"""The directions that a layer may have, in the order of its tables."""

PER_ROW = ("Row", "RowScalar", "Data", 'Data["..."]', "Int", 'Int["..."]')
"""Kinds with a value in each row."""

PARAMETERS = ("Feature", "Scalar")
"""The kinds that all rows share and that have a gradient."""

SHARED = (*PARAMETERS, 'Data["d"]', 'Int["d"]', 'Int[""]')
"""The kinds that all rows share."""

INTEGERS = ("Int", 'Int["..."]', 'Int["d"]', 'Int[""]')
"""The kinds of inputs that hold integers, of any integer type."""

DATA = ("Data", 'Data["..."]', 'Data["d"]', *INTEGERS)
"""The kinds of inputs that have neither a gradient nor a tangent."""


def is_held(kind: "Kind", names: Collection[str] | None, first: Collection[str]) -> bool:
    """Test whether a class holds an input as a parameter: a shared one, or an array without the first axis.

    `names` are those of its axes if they have some, and `first` those of the first axis of the rows. An array with
    "..." is no parameter: nothing says how many axes these are.
    """
    if names is not None and kind not in DATA:
        return not any(name in first or name == "..." for name in names)
    return kind in PARAMETERS


def labels(interface: "Interface") -> list[int]:
    """The places of the inputs for which a caller may pass integer labels: rows of a loss, all but the first."""
    rows = [number for number, each in enumerate(interface["inputs"]) if each["kind"] in ("Row", "Data")]
    return rows[1:] if all(each["kind"] == "RowScalar" for each in interface["outputs"]) else []


Axes = list[Literal["...", "D"]]
"""Axes of an array: "..." for those of the rows, and "D" for the features."""


Pattern = list[list[str]]
"""Names of the axes of an array, in the order of memory: an axis that is made of several has several names."""


class InputEntry(TypedDict):
    """A positional argument of `forward`; None may be passed for one with a default, which it then is.

    One whose kind begins with `Data` or `Int` has neither a gradient nor a tangent. `pattern` are its axes in a layer
    whose axes have names. If it lacks some that its kind varies over, its gradient is summed over them. `parts` are the
    inputs of the layer on rows that it is cut into, along an axis; the name of one that nothing reads is empty. One
    with `draws` is the seed of random numbers, which go by the number of a row among all rows of a call.
    """

    name: str
    symbol: str
    kind: Kind
    axes: Axes
    default: float | None
    pattern: NotRequired[Pattern]
    parts: NotRequired[list[str]]
    draws: NotRequired[bool]


class ConstantEntry(TypedDict):
    """A keyword of `forward` that has no gradient; one without a default has to be given."""

    name: str
    symbol: str
    default: float | None
    sign: Sign


class OutputEntry(TypedDict):
    """A result of `forward`; its cotangent is an argument of `backward`.

    `cast` is the type that the result is rounded to. One without it has the type of the first rows. `parts` are the
    outputs of the layer on rows that it is made of, and `pattern` are then its axes.
    """

    name: str
    symbol: str
    kind: Kind
    axes: Axes
    cast: NotRequired[str]
    pattern: NotRequired[Pattern]
    parts: NotRequired[list[str]]


class SavedField(TypedDict):
    """Field of `Saved` after the first three, and the input, output, Constant or row scalar that it holds.

    The field of an omitted input is None. Directions read the `parts` of a value that has some.
    """

    name: str
    kind: Origin
    of: str
    axes: Axes
    parts: NotRequired[list[str]]


class Gradient(TypedDict):
    """Field of `Gradients`, and its input; it is None if the input may be omitted and was."""

    name: str
    of: str
    may_be_none: bool


class StatisticEntry(TypedDict):
    """Running average of an output, times `D/(D - lost)`, that a module keeps."""

    of: str
    lost: int


class ReductionEntry(TypedDict):
    """Reduction of a module's result, as an attribute says: "mean", "sum" or "none".

    The mean is over the rows whose `label` is not `ignored`. Both are inputs.
    """

    attribute: str
    label: str
    ignored: str


class CounterpartEntry(TypedDict):
    """Module of PyTorch that the layer can replace, as its definition says.

    `attributes` maps each attribute of that module to an input, a Constant, a size, an axis or D; `conditions` are
    required values of other attributes. The module returns the outputs that are not its `statistics`.
    """

    name: str
    attributes: dict[str, str]
    conditions: dict[str, float | bool | None]
    statistics: NotRequired[dict[str, StatisticEntry]]
    reduction: NotRequired[ReductionEntry]


class SizeEntry(TypedDict):
    """A keyword of `forward` that is the size of an axis; one without a default has to be given."""

    name: str
    default: int | None


class LayoutEntry(TypedDict):
    """Axes of the rows of a layer whose axes have names: all, those that make up a row, and sizes to be given.

    `parts` are the sizes of axes that number parts of arrays, by name; no row has such an axis.
    """

    pattern: Pattern
    features: list[str]
    sizes: list[SizeEntry]
    parts: NotRequired[dict[str, int]]


class Interface(TypedDict):
    """A layer as its callers see it, each list in the order of signatures and of tuples."""

    name: str
    minimum_features: int
    inputs: list[InputEntry]
    constants: list[ConstantEntry]
    outputs: list[OutputEntry]
    saved: list[SavedField]
    gradients: list[Gradient]
    directions: list[Literal["forward", "backward", "jvp", "backward_backward"]]
    counterparts: list[CounterpartEntry]
    layout: NotRequired[LayoutEntry]


AXES: dict[Kind, Axes] = {
    "Row": ["...", "D"],
    "RowScalar": ["..."],
    "Feature": ["D"],
    "Scalar": [],
    "Data": ["...", "D"],
    'Data["..."]': ["..."],
    'Data["d"]': ["D"],
    "Int": ["...", "D"],
    'Int["..."]': ["..."],
    'Int["d"]': ["D"],
    'Int[""]': [],
}


Entry = TypeVar("Entry")


def given(
    name: str,
    kind: Kind,
    default: float | None = None,
    *,
    symbol: str | None = None,
    pattern: Pattern | None = None,
    parts: list[str] | None = None,
    draws: bool = False,
) -> InputEntry:
    """The entry of an input. A symbol that is not said is the name."""
    axes = list(AXES[kind])
    made: InputEntry = {"name": name, "kind": kind, "axes": axes, "default": default, "symbol": symbol or name}
    return _with(made, pattern=pattern, parts=parts, draws=draws or None)


def constant(
    name: str, default: float | None = None, sign: Sign = "any", *, symbol: str | None = None
) -> ConstantEntry:
    """The entry of a Constant."""
    return {"name": name, "default": default, "sign": sign, "symbol": symbol or name}


def output(
    name: str,
    kind: Kind,
    *,
    symbol: str | None = None,
    cast: str | None = None,
    pattern: Pattern | None = None,
    parts: list[str] | None = None,
) -> OutputEntry:
    """The entry of an output."""
    made: OutputEntry = {"name": name, "symbol": symbol or name, "kind": kind, "axes": list(AXES[kind])}
    return _with(made, cast=cast, pattern=pattern, parts=parts)


def saved(name: str, kind: Origin, axes: Axes, *, of: str | None = None, parts: list[str] | None = None) -> SavedField:
    """Return the entry of a field of `Saved`, which holds the value of the same name unless `of` is given."""
    made: SavedField = {"name": name, "kind": kind, "of": of or name, "axes": axes}
    return _with(made, parts=parts or None)


def gradient(of: str, *, may_be_none: bool = False) -> Gradient:
    """The entry of the gradient of an input."""
    return {"name": f"d{of}", "of": of, "may_be_none": may_be_none}


def counterpart(
    name: str,
    attributes: dict[str, str],
    conditions: dict[str, float | bool | None] | None = None,
    *,
    statistics: dict[str, StatisticEntry] | None = None,
    reduction: ReductionEntry | None = None,
) -> CounterpartEntry:
    """The entry of a module that the layer can stand for."""
    made: CounterpartEntry = {"name": name, "attributes": attributes, "conditions": conditions or {}}
    return _with(made, statistics=statistics or None, reduction=reduction)


def _with(entry: Entry, **optional: Any) -> Entry:
    """An entry with the further keys that have a value."""
    made: Any = entry
    found: Entry = made | {key: value for key, value in optional.items() if value is not None}
    return found
