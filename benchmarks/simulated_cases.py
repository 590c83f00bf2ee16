"""Kernels of shipped layers as cases of the timing simulator: arrays, launches, and what the results have to be.

What is launched and what it is passed comes from the tables that the launcher has, block sizes from the compiled
module; inputs are drawn here, and the results are those of the NumPy module in float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.layers import backend, numpy_dtype
from lngen.checks.on_rows import on_rows
from lngen.checks.toolchain import nvrtc
from lngen.emit import cpp
from lngen.emit.cpp.contract import LAUNCH_FIELDS
from lngen.emit.cpp.kernels import source_of
from lngen.emit.spelling import reading
from lngen.language.parsing import load
from lngen.paths import derive_folder
from lngen.pipeline import stages
from lngen.report.heading import notes
from lngen.runtime.cuda.arrays import BYTES, computed
from lngen.runtime.cuda.macros import macros
from lngen.runtime.includes import inlined
from lngen.runtime.protocol.casts import itemsize
from lngen.runtime.protocol.directions import FEATURE, NUMBER, ROW, ROW_SCALAR, Entries, Entry, LayerProtocol
from lngen.runtime.protocol.interface import Interface

Array = np.ndarray[Any, np.dtype[Any]]

DIRECTIONS = ("forward", "backward", "jvp", "backward_backward")
_ARCHITECTURE = "sm_90"
SHARED = 227 * 1024
"""Bytes of shared memory that a block of an H200 may take."""
TENSOR_BYTES = 2 << 20
"""The size of a tensor of rows, at which the simulator's roofs and its figures of others were taken."""

_MANY = (256, 768, 1024, 2048, 4096, 8192), ("bf16", "f32")
_FEW = (1024, 4096), ("bf16",)
_USUAL = {
    64: ("rotary",),
    128: ("head_rms_norm",),
    1024: ("ada_layer_norm", "ada_layer_norm_zero", "alibi_softmax", "causal_softmax", "focal_loss"),
    4096: (
        *("add_rms_norm_fp8", "dropout_add_layer_norm", "info_nce"),
        *("instance_norm", "layer_norm_hw", "packed_swiglu"),
    ),
    8192: ("group_norm",),
    16384: ("batch_norm",),
    32000: ("label_cross_entropy",),
}
_RECORDED = {
    "layer_norm": _MANY,
    "rms_norm": _MANY,
    "softmax": _FEW,
    "add_rms_norm": _FEW,
    "layer_norm_gelu": _FEW,
    **{name: ((length,), ("bf16",)) for length, names in _USUAL.items() for name in names},
}
"""Row lengths and types of the layers in the record: of two norms those at which there are others' kernels.

Layers with named axes, labels and casts have the one that is usual in models.
"""

_FEATURES_AHEAD = 2
"""Number of vectors of features for which there is room behind the rows, whether they exist or not."""
_CONSTANT = 0.5
"""The value of a Constant without a default."""
_SEED = 1
_EXTENTS = {ROW: ["rows", "D"], ROW_SCALAR: ["rows"], FEATURE: ["D"], NUMBER: ["1"]}
_INTEGER = "i32"
_CAST_TOLERANCE = 1 / 128
"""Casts are compared by their codes, of which two that are next to each other may be right."""


@dataclass(frozen=True)
class Case:
    """A direction of a layer for a row length and a type; inputs may be left out, and forward save nothing.

    >>> print(Case("layer_norm", "forward", 1024, "bf16", 64, ("gamma", "beta")))
    layer_norm forward 1024 bf16 64 rows without gamma beta
    """

    layer: str
    direction: str
    features: int
    dtype: str
    rows: int
    without: tuple[str, ...] = ()
    saves: bool = True

    def __str__(self) -> str:
        rows = "" if self.is_usual else f" {self.rows} rows"
        left_out = f" without {' '.join(self.without)}" if self.without else ""
        saving = "" if self.saves else " saving nothing"
        return f"{self.layer} {self.direction} {self.features} {self.dtype}{rows}{left_out}{saving}"

    @property
    def is_usual(self) -> bool:
        """Test whether a tensor of rows has the size that the simulator's own figures are for."""
        return self.rows == usual_rows(self.features, self.dtype)

    def check(self) -> None:
        """Raises ValueError for a direction, a row length or an input that the layer does not have."""
        layer = LayerTable(self.layer)
        if self.direction not in layer.directions:
            raise ValueError(f"{self.layer} has no {self.direction}; it has {', '.join(layer.directions)}")
        if self.features < layer.minimum_features:
            raise ValueError(f"{self.layer} takes D >= {layer.minimum_features}, not {self.features}")
        optional = [each.symbol for each in layer.inputs if each.may_be_none]
        if strangers := [name for name in self.without if name not in optional]:
            may = ", ".join(optional) or "nothing"
            raise ValueError(f"{self.layer} cannot do without {', '.join(strangers)}; {may} can be left out")
        if not self.saves and self.direction != "forward":
            raise ValueError(f"{self.direction} saves nothing anyway; say so of forward alone")


def cases(
    layers: Sequence[str] | None = None,
    directions: Sequence[str] | None = None,
    features: Sequence[int] | None = None,
    dtypes: Sequence[str] | None = None,
    *,
    rows: int | None = None,
    least_rows: int = 1,
    without: Sequence[str] = (),
    saves: bool = True,
) -> list[Case]:
    """Cases of these layers, directions, row lengths and types; what is not said is as in the record."""
    return [
        Case(layer, direction, length, dtype, number, tuple(without), saves)
        for layer in layers or _RECORDED
        for lengths, types in [_RECORDED.get(layer, _FEW)]
        for direction in directions or DIRECTIONS[:2]
        for dtype in dtypes or types
        for length in features or lengths
        for number in [rows or usual_rows(length, dtype, least_rows)]
    ]


def usual_rows(features: int, dtype: str, least: int = 1) -> int:
    """Return the rows that make `TENSOR_BYTES`, but at least `least`.

    >>> usual_rows(1024, "bf16"), usual_rows(8192, "f32"), usual_rows(8192, "f32", 1024)
    (1024, 64, 1024)
    """
    return max(least, TENSOR_BYTES // (features * BYTES[dtype]))


def grid(leaves_sums: bool) -> str:
    """Return the number of blocks of a direction, as an expression for the simulator: that of `cuda.grids`."""
    needed, held = "ceil(rows / rows_per_block)", "sms * resident()"
    return f"ceil({needed} / ceil({needed} / ({held})))" if leaves_sums else f"min({needed}, {held})"


def columns_grid() -> str:
    """The same of the kernel that ends sums over rows: `lngen.runtime.cuda.grids.columns_grid`."""
    return "ceil(D / rows_per_block) if rows_per_block else 1"


class LayerTable:
    """A layer's protocol and the values that its kernels take, in the folder of its code."""

    def __init__(self, layer: str) -> None:
        module = backend(layer, "cuda")
        self.folder = Path(str(module.__file__)).parent
        self.minimum_features = module.INTERFACE["minimum_features"]
        self.takes = LayerProtocol(module.INTERFACE).directions
        self.inputs = self.takes["forward"].inputs
        found = stages.planned(load(derive_folder() / f"{layer}.py"), proved=False)
        of_rows = notes(found, "cuda").of_rows()
        self.directions = {reading(pair.name): pair for _, pair in cpp.lowered(found.programs(), of_rows)}


def written(case: Case, folder: Path) -> dict[str, Any]:
    """The case in the simulator's form; the numbers of its arrays are put into a folder.

    Raises ValueError for what the layer does not have, as `Case.check`.
    """
    work = _Work(case, folder)
    launches = [work.launch(name, passed) for name, passed in work.kernels.items()]
    tensors = {name: entry for name, entry in work.arrays.items() if entry["shape"] == ["rows", "D"]}
    moved = [entry for name, entry in tensors.items() if name not in work.smaller]
    stores = sum(entry["fill"] == "zeros" for entry in moved)
    casts = any(each.cast for each in work.takes.results)
    return {
        "name": str(case),
        "reference": str(case),
        "source": str(work.layer.folder / f"{source_of(case.direction)}.cu"),
        "defines": [f"-D{macro}" for macro in work.macros()],
        "values": {"rows": case.rows, "D": case.features},
        "arrays": _placed(work.arrays, case.dtype),
        "launches": launches,
        "check": work.check(),
        "elements": case.rows * case.features,
        "bytes": sum(BYTES[entry["dtype"]] for entry in moved) * case.rows * case.features,
        "roof": "copy" if 2 * stores >= len(moved) else "triad",
        **({"tolerance": _CAST_TOLERANCE} if casts else {}),
    }


def as_launched(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case with the macros of the variant that the launcher takes: the first that spills no register.

    Raises NvrtcMissing and CompileError.
    """
    text = inlined(Path(case["source"]))
    return {**case, "defines": [*nvrtc.compile_as_launched(text, _ARCHITECTURE, case["defines"]).options]}


def _smaller(interface: Interface) -> set[str]:
    """Return the inputs that lack an axis of the rows: kernels take them as rows, which need not move."""
    layout = interface.get("layout")
    every = {name for axis in layout["pattern"] for name in axis} if layout else set()
    return {
        each["symbol"]
        for each in interface["inputs"]
        if "pattern" in each and not every <= {name for axis in each["pattern"] for name in axis}
    }


def _placed(arrays: dict[str, dict[str, Any]], dtype: str) -> dict[str, dict[str, Any]]:
    """Arrays in the order in which they lie in memory, which moves the time by some per cent.

    Rows and features that are read come first, then those that are written, then what has a number a row. Behind what
    is read there is room for the features of any norm, so that the rows of all layers lie as far apart.
    """

    def place(entry: dict[str, Any]) -> int:
        return 2 if entry["shape"] == ["rows"] else int(entry["fill"] == "zeros")

    def group(number: int) -> dict[str, dict[str, Any]]:
        return {name: entry for name, entry in arrays.items() if place(entry) == number}

    features = sum(entry["shape"] == ["D"] for entry in group(0).values())
    holes = {f"room {n}": _array(dtype, ["D"]) for n in range(_FEATURES_AHEAD - features)}
    return {**group(0), **holes, **group(1), **group(2)}


def _array(dtype: str, shape: list[str], fill: str = "zeros") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "fill": fill}


class _Work:
    """A case in the making: the arrays of its launches, drawn once."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder = case, folder
        case.check()
        self.layer = layer = LayerTable(case.layer)
        self.direction = layer.directions[case.direction]
        self.takes = takes = layer.takes[case.direction]
        absent = [each.symbol for each in takes.arguments if each.owner and each.owner.symbol in case.without]
        self.absent = {*case.without, *absent}
        if not case.saves:
            self.absent |= {each.symbol for each in takes.row_scalars}
        self.absent |= {
            f"out {each.symbol}" for each in takes.results if each.owner and each.owner.symbol in self.absent
        }
        self.without = (*case.without, *absent)
        self.computed = computed(case.dtype)
        every = {
            f"{self.direction.layer}_{each.kernel}": [reading(argument.part) for argument in each.arguments]
            for each in self.direction.contracts
        }
        self.of_rows = next(iter(every))
        self.kernels = {name: passed for name, passed in every.items() if self._is_wanted(name, passed)}
        self.slots = dict(zip(takes.slots, (*takes.reads, *takes.makes), strict=True))
        own = _smaller(backend(case.layer, "numpy").INTERFACE)
        self.smaller = {self._name(part) for part, each in self.slots.items() if _root(each).symbol in own}
        """Arrays of rows whose values are fewer than their entries."""
        self.values, self.constants, self.results = self._numbers()
        self.arrays: dict[str, dict[str, Any]] = {}

    def _is_wanted(self, name: str, passed: Sequence[str]) -> bool:
        """Test whether a kernel writes a result: all sums over rows may belong to absent inputs."""
        results = [part for part in passed if part.startswith("out ")]
        return self._works_on_rows(name) or any(part not in self.absent for part in results)

    def macros(self) -> list[str]:
        """Return the macros with which the launcher compiles the kernels."""
        case = self.case
        return macros(case.direction, case.dtype, case.dtype, case.features, self.without, case.saves, SHARED)

    def _grid(self, name: str) -> str:
        """Return the number of blocks of a kernel, as an expression for the simulator."""
        return grid(len(self.kernels) > 1) if self._works_on_rows(name) else columns_grid()

    def _works_on_rows(self, name: str) -> bool:
        """Test whether a kernel is the first of its direction; another one ends the sums over rows."""
        return name == self.of_rows

    def launch(self, name: str, parts: Sequence[str]) -> dict[str, Any]:
        """A launch of a kernel; its arrays are added to those of the case."""
        kernel = f"{name}_{self.case.dtype}"
        return {
            "entry": kernel,
            "launch_array": f"{kernel}_launch",
            "launch_names": list(LAUNCH_FIELDS),
            "grid": self._grid(name),
            "block": "threads_per_block",
            "shared": "shared_bytes",
            "arguments": [self._argument(part) for part in parts],
        }

    def _argument(self, part: str) -> str | dict[str, Any]:
        if part in self.slots and self.slots[part].kind == "Constant":
            return {self.computed: self.constants[part]}
        if part in _COUNTS:
            return dict([_COUNTS[part]])
        if part in self.absent or (part == "the workspace" and len(self.kernels) == 1):
            return "null"
        name = self._name(part)
        if name not in self.arrays:
            self.arrays[name] = self._declared(part)
        return name

    def _declared(self, part: str) -> dict[str, Any]:
        if part == "the workspace":
            columns, scalars = self.direction.contract.column_sums, self.direction.contract.scalar_sums
            return _array(self.computed, [f"grid0 * ({columns} * D + {scalars})"])
        each = self.slots[part]
        dtype, extents = self._dtype(each), _EXTENTS[each.part]
        if part not in self.values:
            return _array(dtype, extents)
        return _array(dtype, extents, self._kept(part, self.values[part]))

    @staticmethod
    def _name(part: str) -> str:
        """The name of an array: one of one word could be one that the simulator's expressions use."""
        return part if " " in part else f"in {part}"

    def _dtype(self, each: Entry) -> str:
        if each.is_integer:
            return _INTEGER
        if each.cast:
            return f"u{8 * itemsize(each.cast)}"
        return self.computed if each.kind == "Computed" else self.case.dtype

    def check(self) -> dict[str, str]:
        """Return the expected results, as expressions."""
        return {name: self._kept(f"right {name}", self.results[name]) for name in self.arrays if name in self.results}

    def _kept(self, name: str, value: Array) -> str:
        """The expression for numbers, which it puts into a file."""
        path = self.folder / f"{name.replace(' ', '_')}.npy"
        np.save(path, value)
        return f"np.load({str(path)!r})"

    def _numbers(self) -> tuple[dict[str, Array], dict[str, float], dict[str, Array]]:
        """Return the values that kernels read, by their names; the Constants; and the expected results."""
        case, layer = self.case, self.layer
        rng = np.random.default_rng(_SEED)
        exact: Any = on_rows(backend(case.layer, "numpy"))

        def drawn(values: Entries) -> dict[str, Array | None]:
            return {e.symbol: None if e.symbol in self.absent else self._drawn(rng, e) for e in values}

        defaults = {entry["symbol"]: entry["default"] for entry in exact.INTERFACE["constants"]}
        constants = {name: _CONSTANT if value is None else value for name, value in defaults.items()}
        keywords = {entry["name"]: constants[entry["symbol"]] for entry in exact.INTERFACE["constants"]}
        inputs = drawn(layer.inputs)
        outputs, saved = exact.forward(*inputs.values(), **keywords)
        if case.direction == "forward":
            values, found = inputs, outputs
        else:
            takes = self.takes
            arguments = drawn(takes.arguments)
            kept = [
                value if value is None or each.kind == "Constant" else self._rounded(value, each)
                for each, value in zip(takes.fields, saved[3:], strict=True)
            ]
            saved = saved._replace(**dict(zip(saved._fields[3:], kept, strict=True)))
            found = getattr(exact, case.direction)(saved, *takes.passed(list(arguments.values())))
            values = {**arguments, **{each.symbol: value for each, value in zip(takes.fields, kept, strict=True)}}
        names = [each.symbol for each in self.takes.results]
        results = dict(zip(names, self.takes.several(found), strict=True))
        written = {reading(argument.part) for each in self.direction.contracts for argument in each.arguments}
        made = {f"out {name}": _codes(value) for name, value in results.items()}
        right = {part: value for part, value in made.items() if part in written}
        return _there(values), constants, _there(right)

    def _drawn(self, rng: np.random.Generator, each: Entry) -> Array:
        """Normal deviates that the kernels can hold: rows off zero, and what has a number a row or is one positive.

        Integers are places in a row.
        """
        case = self.case
        extents = {FEATURE: (case.features,), NUMBER: (), ROW_SCALAR: (case.rows,), ROW: (case.rows, case.features)}
        shape = extents[each.part]
        if each.is_integer:
            return np.asarray(rng.integers(case.features, size=shape))
        value = rng.standard_normal(shape, np.float32)
        if each.part != FEATURE:
            value = np.asarray((np.abs(value) if each.part in (ROW_SCALAR, NUMBER) else value) + 0.5)
        return self._rounded(value, each)

    def _rounded(self, value: Array, each: Entry) -> Array:
        """A value as a kernel is passed it, in float64; an integer as it is."""
        return value if each.is_integer else np.asarray(value).astype(numpy_dtype(self._dtype(each))).astype(np.float64)


def _root(each: Entry) -> Entry:
    """The value of forward that another belongs to, by gradients and tangents."""
    while each.owner is not None:
        each = each.owner
    return each


def _codes(value: Any) -> Any:
    """The bits of numbers of one byte, as integers; others as they are."""
    return value.view(np.uint8) if value is not None and value.dtype.itemsize == 1 else value


_COUNTS = {"the rows": ("i64", "rows"), "the features": ("i32", "D"), "the blocks": ("i32", "grid0")}


def _there(values: dict[str, Array | None]) -> dict[str, Array]:
    """Return the values that are present."""
    return {name: value for name, value in values.items() if value is not None}
