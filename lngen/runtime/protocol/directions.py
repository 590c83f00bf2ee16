# SPDX-License-Identifier: MIT
"""Protocol of a layer's calls: arguments and results of each direction, made from the layer's `INTERFACE`.

The emitters of code read it, kernels that take arrays of any layout, and the operators of PyTorch.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from .interface import DATA, INTEGERS, InputEntry, Interface, Kind, OutputEntry

ROW, ROW_SCALAR, FEATURE, NUMBER, CONSTANT = range(5)
PARTS = {"Row": ROW, "Data": ROW, "RowScalar": ROW_SCALAR, "Computed": ROW_SCALAR, "Feature": FEATURE}
PARTS |= {"Scalar": NUMBER, "Constant": CONSTANT, 'Data["..."]': ROW_SCALAR, 'Data["d"]': FEATURE}
PARTS |= {"Int": ROW, 'Int["..."]': ROW_SCALAR, 'Int["d"]': FEATURE, 'Int[""]': NUMBER}
"""Number of the shape of a value, by its kind."""

_MEANINGS = ("the shape of {rows}", "the shape of {rows} without its last axis", "(D,)", "a number or a 0-d array")


# ---- arguments and results


def shapes(shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The shapes of a row, a row scalar, a feature and a number, where the rows have this shape."""
    return shape, shape[:-1], shape[-1:], ()


@dataclass(frozen=True, eq=False)
class Entry:
    """Value that a direction takes or makes, by its name for callers and its symbol in kernels.

    Its kind is that of an input, or `Constant`, or `Computed`: a row scalar in the compute type. `owner` is the value
    that it belongs to: a gradient or a tangent belongs to an input, a cotangent to an output, and a field of `Saved` to
    the value that it holds. A value of forward has no owner. `follows` is the place of an input: if that is absent, the
    value has to be None. Otherwise it may be None only if it `may_be_none`. An output may be rounded to a type, its
    `cast`. The `parts` of an array are places of those that the layer on rows takes or makes, each as a value.
    """

    name: str
    symbol: str
    kind: Kind | Literal["Constant", "Computed"]
    may_be_none: bool = False
    owner: "Entry | None" = None
    follows: int | None = None
    cast: str | None = None
    parts: tuple[int, ...] = ()

    @cached_property
    def part(self) -> int:
        """Number of the shape: ROW, ROW_SCALAR, FEATURE or NUMBER, or CONSTANT."""
        return PARTS[self.kind]

    @cached_property
    def variable(self) -> str:
        """Name in functions, which know a row scalar by its own name."""
        return self.symbol.removeprefix("saved ")

    @cached_property
    def is_integer(self) -> bool:
        """Test whether the value is of integers."""
        return self.kind in INTEGERS

    @cached_property
    def is_per_row(self) -> bool:
        """Test whether each row has a value, or values, of its own."""
        return self.part in (ROW, ROW_SCALAR)

    def meaning(self, rows: str) -> str:
        """Describe the shape that the value has to have; `rows` is the name of the rows of forward."""
        return _MEANINGS[self.part].format(rows=rows) if self.owner is None else f"the shape of {self.owner.name}"

    def derivative(self, name: str, **changes: Any) -> "Entry":
        """Return an entry of the same kind that belongs to this one, such as its gradient `d{}`."""
        made = name.format(self.name), name.format(self.symbol), self.kind
        return Entry(*made, owner=self, parts=self.parts, **changes)


Entries = tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class DirectionProtocol:
    """Direction of a layer: the groups of its arguments, in their order, and its results.

    Forward takes inputs and Constants, and makes `row_scalars` besides its results. Any other direction takes
    cotangents and tangents, and then the fields of `Saved`. The tangents of `backward_backward` are the cotangents of
    gradients.
    """

    name: str
    results: Entries
    inputs: Entries = ()
    constants: Entries = ()
    cotangents: Entries = ()
    tangents: Entries = ()
    fields: Entries = ()
    row_scalars: Entries = ()

    @cached_property
    def is_forward(self) -> bool:
        """Test whether other directions follow this one."""
        return bool(self.inputs)

    @cached_property
    def arguments(self) -> Entries:
        """Arguments of a call besides the saved values."""
        return (*self.inputs, *self.constants, *self.cotangents, *self.tangents)

    @cached_property
    def reads(self) -> Entries:
        """All values that are read."""
        return (*self.arguments, *self.fields)

    @cached_property
    def makes(self) -> Entries:
        """All values that are made."""
        return (*self.results, *self.row_scalars)

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """Names of all values as kernels name what they take."""
        results = (f"out {each.symbol}" for each in self.results)
        return (*(each.symbol for each in self.reads), *results, *(each.symbol for each in self.row_scalars))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the results."""
        return tuple(each.name for each in self.results)

    @cached_property
    def returned(self) -> str:
        """Class of the returned results, or "" for a single array."""
        classes = {"backward": "Gradients", "backward_backward": "SecondGradients"}
        return classes.get(self.name, "Outputs" if len(self.results) > 1 else "")

    def labels(self) -> list[str]:
        """Names of all values that are read, as messages write them.

        A cotangent of `backward_backward` is known by its place: its name may be that of a gradient's cotangent.
        """
        is_last = bool(self.cotangents and self.tangents)
        cotangents = [f"cotangents[{place}]" if is_last else each.name for place, each in enumerate(self.cotangents)]
        others = [each.name for each in (*self.inputs, *self.constants, *self.tangents)]
        return [*cotangents, *others, *(f"saved.{each.name}" for each in self.fields)]

    def passed(self, arguments: Sequence[Any]) -> list[Any]:
        """Return the positional arguments of the public function, in which cotangents may be one."""
        count = len(self.cotangents) if self.tangents else 0
        return [arguments[:count], *arguments[count:]] if count else [*arguments]

    def several(self, returned: Any) -> Sequence[Any]:
        """Return the results of the public function one by one."""
        found: Sequence[Any] = returned if self.returned else (returned,)
        return found


class LayerProtocol:
    """Values of a layer, and its directions by name, those too that it may not have.

    >>> from lngen.runtime.protocol.interface import constant, given, output, saved
    >>> x, y, c = given("x", "Row"), output("y", "Row"), constant("c")
    >>> lists = {"inputs": [x], "constants": [c], "outputs": [y], "saved": [saved("x", "input", ["...", "D"])]}
    >>> layer = LayerProtocol({"name": "f", "minimum_features": 1, "gradients": [], "directions": [], **lists})
    >>> for name, direction in layer.directions.items():
    ...     print(name, [each.name for each in direction.reads], [each.name for each in direction.makes])
    forward ['x', 'c'] ['y']
    backward ['dy', 'x'] ['dx']
    jvp ['x_dot', 'x'] ['y_dot']
    backward_backward ['dy', 'ddx', 'x'] ['dx', 'ddy']
    """

    def __init__(self, interface: Interface) -> None:
        self.inputs = inputs = tuple(
            Entry(each["name"], each["symbol"], each["kind"], each["default"] is not None, parts=_places(each))
            for each in interface["inputs"]
        )
        self.constants = tuple(Entry(each["name"], each["symbol"], "Constant") for each in interface["constants"])
        self.outputs = outputs = tuple(
            Entry(each["name"], each["symbol"], each["kind"], cast=each.get("cast"), parts=_places(each))
            for each in interface["outputs"]
        )
        # A kernel may have an input of that name too.
        self.row_scalars = tuple(
            Entry(each["name"], f"saved {each['of']}", "Computed")
            for each in interface["saved"]
            if each["kind"] == "row scalar"
        )
        known = {("input", each.name): each for each in inputs}
        known |= {("constant", each.name): each for each in self.constants}
        known |= {("output", each.name): each for each in outputs}
        known |= {("row scalar", each.name): each for each in self.row_scalars}
        parts = {each["name"]: each.get("parts", []) for each in (*interface["inputs"], *interface["outputs"])}
        self.fields = tuple(
            self._field(
                each["name"],
                known[each["kind"], each["of"]],
                tuple(parts[each["of"]].index(part) for part in each.get("parts", ())),
            )
            for each in interface["saved"]
        )
        self.differentiable = tuple(place for place, each in enumerate(inputs) if each.kind not in DATA)
        needed = {each.owner for each in self.fields}
        self.kept = tuple(place for place, each in enumerate(outputs) if each in needed)
        """Places of the outputs that other directions read."""
        self.directions = self._directions()

    def _field(self, name: str, of: Entry, parts: tuple[int, ...]) -> Entry:
        follows = self.inputs.index(of) if of.may_be_none else None
        return Entry(name, of.symbol, of.kind, owner=of, follows=follows, parts=parts)

    def _directions(self) -> dict[str, DirectionProtocol]:
        of_inputs = {
            name: tuple(
                self.inputs[place].derivative(name, may_be_none=True, follows=place) for place in self.differentiable
            )
            for name in ("d{}", "{}_dot", "dd{}")
        }
        is_one = len(self.outputs) == 1
        cotangents = tuple(each.derivative("d{}", may_be_none=not is_one) for each in self.outputs)
        tangents = tuple(each.derivative("{}_dot") for each in self.outputs)
        gradients = of_inputs["d{}"]
        of_cotangents = tuple(each.derivative("d{}", may_be_none=not is_one) for each in cotangents)
        found = (
            DirectionProtocol("forward", self.outputs, self.inputs, self.constants, row_scalars=self.row_scalars),
            DirectionProtocol("backward", gradients, cotangents=cotangents, fields=self.fields),
            DirectionProtocol("jvp", tangents, tangents=of_inputs["{}_dot"], fields=self.fields),
            DirectionProtocol(
                "backward_backward",
                (*gradients, *of_cotangents),
                cotangents=cotangents,
                tangents=of_inputs["dd{}"],
                fields=self.fields,
            ),
        )
        return {each.name: each for each in found}

    def classes(self, directions: Iterable[str]) -> list[str]:
        """Return the names of the classes that some directions return."""
        return list(dict.fromkeys(name for each in directions if (name := self.directions[each].returned)))


def _places(entry: InputEntry | OutputEntry) -> tuple[int, ...]:
    """The places of the parts that are values of the layer on rows."""
    return tuple(place for place, part in enumerate(entry.get("parts", ())) if part)


def leading(inputs: Entries, values: Sequence[Any]) -> int:
    """Return the place of the first row that is present. Raises TypeError if every row is None."""
    rows = [place for place, each in enumerate(inputs) if each.kind == "Row"]
    for place in rows:
        if values[place] is not None:
            return place
    names = ", ".join(inputs[place].name for place in rows)
    raise TypeError(f"each of {names} is None; pass one of them")
