"""Launch contracts of `kernels.cu`: the arguments of each kernel, its grid, its memory.

The signatures in the emitted files are printed from the same `LaunchContract`s.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol
from lngen.emit.cpp.presence import flags
from lngen.emit.spelling import belongs_to, reading
from lngen.plan.program import Parameter, RowProgram, Store

Role = Literal[
    "row",
    "row scalar",
    "saved",
    "Feature",
    "Scalar",
    "Constant",
    "result",
    "save",
    "workspace",
    "rows",
    "blocks",
    "D",
]
Element = Literal["row", "parameter", "compute", "integer", "one integer", "int64", "int32", "cast"]

DTYPES = ("f16", "bf16", "f32", "f64")

LAUNCH_FIELDS = (
    "threads_per_block",
    "rows_per_block",
    "shared_bytes",
    "vector",
    "threads_per_row",
    "entries_per_thread",
    "row_held",
    "sums_over_rows",
    "rows_copied",
    "blocks_per_row",
)
"""Entries of the array `<layer>_<kernel>_<dtype>_launch`, an int32 each, that every module has for its kernels.

`vector` is the number of entries of one access: pointers of rows, Features and row results have to be aligned to
`min(16, vector * itemsize)` bytes, or the module be compiled with `LNGEN_VECTOR=1`. `row_held` is the form of a row in
registers between the stages: 0 none, 1 entries as stored, 2 in the compute type. `sums_over_rows` is the place of sums
over rows: 0 registers, 1 shared memory, 2 the workspace. `rows_copied` is the number of rows in shared memory, which
are copied there before a thread works on them. If registers hold nothing, one of them is the row that is worked on.
`blocks_per_row` blocks share each row, as a cluster, of which a grid has whole ones.
"""


@dataclass(frozen=True)
class KernelArgument:
    """One argument of a kernel, in order.

    `name` is the argument's name in the emitted code. `element` is the type that is passed or pointed to: the storage
    type of rows, that of parameters, the compute type, that of integers, or the one that an output is `cast` to.
    `absent` is the macro that compiles the argument away; its pointer may then be null, and its value is ignored.

    `part` is the value that the launcher passes, by its name among a direction's `slots`. It is the name of an input, a
    cotangent or a Constant, `saved mu` for a saved row scalar, or `out dx` for a result. Otherwise it is one of `the
    rows`, `the features`, `the blocks` and `the workspace`. No name has a blank in it.
    """

    name: str
    part: str
    role: Role
    element: Element
    pointer: bool = True
    writes: bool = False
    absent: str | None = None
    cast: str = ""

    def declaration(self, row: str, parameter: str, compute: str, own: str = "", cast: str = "") -> str:
        """The declaration in C++, given the types of rows, parameters and arithmetic.

        `own` stands before the type of integers, and `cast` before one that an output is cast to.
        """
        kinds = {"row": row, "parameter": parameter, "compute": compute, "int64": "long long", "int32": "int"}
        kinds |= {"integer": f"{own}Integer", "one integer": f"{own}OneInteger", "cast": cast + self.cast}
        constant = "const " if self.pointer and not self.writes else ""
        return f"{constant}{kinds[self.element]}{'*' if self.pointer else ''} {self.name}"


@dataclass(frozen=True)
class LaunchContract:
    """Launch of the kernels `<layer>_<kernel>_<dtype>`.

    A direction works on rows. Any grid of one block or more is right, and more than `ceil(rows / rows_per_block)`
    blocks are useless. The best grid is the number of blocks that the device holds at a time.
    Block size and shared bytes are in the module's `<layer>_<kernel>_<dtype>_launch`.

    `<direction>_columns` adds up, in a fixed order, the partial sums that each block wrote into the workspace. Its
    `blocks` is the grid that wrote them. Its own launch array holds its grid: 8 columns per block, or a single block.

    The workspace needs no initial value and holds `blocks * (column_sums * D + scalar_sums)` entries of the compute
    type.
    """

    kernel: str
    arguments: tuple[KernelArgument, ...]
    column_sums: int = 0
    scalar_sums: int = 0

    def kernel_lines(self, space: str) -> list[str]:
        """The lines that declare the kernel for types T, P and A of rows, parameters and arithmetic; no arrays overlap.

        `space` is the namespace of the kernel's mathematics.
        """
        names = [argument.name for argument in self.arguments]
        first = f"  LNGEN_KERNEL({self.kernel}_##TYPE, T, {space}::Layer,"
        return [first, *in_lines(f"{' ' * 15}(", self.declared(), "),", 16), *in_lines(f"{' ' * 15}(", names, "))", 16)]

    def declared(self) -> list[str]:
        """The declarations of the arguments for types T, P and A."""
        types = ("T", "P", "A", "lngen::LNGEN_SPACE::", "lngen::cast::")
        return [a.declaration(*types).replace("* ", "* __restrict__ ") for a in self.arguments]

    def summary(self, layer: str) -> list[str]:
        """The kernel of a layer and its arguments in lines of text, for the head of the file."""
        listed = ", ".join(a.declaration("Row", "Parameter", "Computed") for a in self.arguments)
        return textwrap.wrap(f"{layer}_{self.kernel}_<type>({listed})", 108, subsequent_indent="    ")


def in_lines(before: str, items: Sequence[str], after: str, indent: int) -> list[str]:
    """Items on as few lines as hold them, none broken; all but the first are indented."""
    whole = before + ", ".join(item.replace(" ", "\0") for item in items) + after
    lines = textwrap.wrap(whole, 116, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def row_contract(program: RowProgram, sums: tuple[int, int]) -> LaunchContract:
    """The contract of the kernel that works on the rows."""
    arguments = [
        KernelArgument(
            argument.symbol.name,
            argument.name,
            "row" if isinstance(argument.symbol, RowSymbol) else "row scalar",
            "compute" if argument.origin == "computed" else "integer" if argument.symbol.is_integer else "row",
            absent=absence(argument.name, program),
        )
        for argument in program.rows
    ]
    if program.direction != "forward":
        arguments += [
            KernelArgument(symbol.name, f"saved {symbol.name}", "saved", "compute") for symbol in program.saved
        ]
    arguments += parameter_arguments(program)
    arguments += _results(row_results(program), "row", program)
    if program.direction == "forward":
        arguments += [
            KernelArgument(f"save_{s.name}", f"saved {s.name}", "save", "compute", writes=True, absent=_SAVE_NOTHING)
            for s in program.saved
        ]
    if any(sums):
        arguments.append(_WORKSPACE)
    rows = KernelArgument("rows", "the rows", "rows", "int64", pointer=False)
    return LaunchContract(program.direction, (*arguments, rows, _FEATURES), *sums)


def columns_contract(program: RowProgram, sums: tuple[int, int]) -> LaunchContract:
    """The contract of the kernel that ends the sums over rows."""
    results = _results(column_results(program), "parameter", program)
    blocks = KernelArgument("blocks", "the blocks", "blocks", "int32", pointer=False)
    arguments = (_WORKSPACE, blocks, *parameter_arguments(program), *results, _FEATURES)
    return LaunchContract(f"{program.direction}_columns", arguments, *sums)


_SAVE_NOTHING = "LNGEN_SAVE_NOTHING"
_WORKSPACE = KernelArgument("workspace", "the workspace", "workspace", "compute", writes=True)
_FEATURES = KernelArgument("D", "the features", "D", "int32", pointer=False)


def _results(stores: Sequence[Store], element: Element, program: RowProgram) -> list[KernelArgument]:
    casts = dict(program.casts)
    return [
        KernelArgument(
            f"out_{name}",
            f"out {name}",
            "result",
            "cast" if name in casts else element,
            writes=True,
            absent=result_absence(name, program),
            cast=casts.get(name, ""),
        )
        for store in stores
        for name in store.names
    ]


def parameter_arguments(program: RowProgram) -> list[KernelArgument]:
    """The parameters: Features and Scalars by pointer in the parameters' type, Constants by value."""
    return [
        KernelArgument(
            parameter.symbol.name,
            parameter.name,
            parameter.kind,
            _element_of(parameter),
            pointer=parameter.kind != "Constant",
            absent=absence(parameter.name, program),
        )
        for parameter in program.parameters
    ]


def _element_of(parameter: Parameter) -> Element:
    if parameter.symbol.is_integer:
        return "integer" if isinstance(parameter.symbol, FeatureSymbol) else "one integer"
    return "compute" if parameter.kind == "Constant" else "parameter"


def row_results(program: RowProgram) -> list[Store]:
    """The results that have a value per row."""
    return [store for store in program.results if isinstance(store.symbol, (RowSymbol, RowScalarSymbol))]


def column_results(program: RowProgram) -> list[Store]:
    """The results that are sums over rows, or made of them."""
    return [store for store in program.results if not isinstance(store.symbol, (RowSymbol, RowScalarSymbol))]


def absence(name: str, program: RowProgram) -> str | None:
    """Return the macro for the absence of an argument; None if it is required."""
    return without(name) if name in flags(program) else None


def without(name: str) -> str:
    """Return the macro that compiles an argument away; the launcher defines it by this name."""
    return f"LNGEN_WITHOUT_{reading(name)}"


def result_absence(name: str, program: RowProgram) -> str | None:
    """Return the macro that compiles a gradient away with its input; None if the input is required."""
    return absence(belongs_to(name), program) if program.direction.startswith("backward") else None
