"""Kernels of shards, in C++ and in CUDA, and the table of their arguments."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lngen.algebra.symbols import RowScalarSymbol, RowSymbol, TypedSymbol, axes, is_row
from lngen.emit import Notes, cpu, layout
from lngen.emit.cpp import layer
from lngen.emit.cpp.kernels import KernelPair, handed, kernels_of
from lngen.emit.cuda import kernels_text
from lngen.emit.spelling import belongs_to, marked_program, reading
from lngen.plan.program import RowArgument, RowProgram
from lngen.runtime.sharded.layers import LARGEST, WHOLE

TEMPLATES = Path(__file__).parents[1]
"""The folder below which the templates are, as those of lngen's own backends are below `templates/`."""

SOURCE = "sharded"
"""Name of the files of kernels, without a suffix."""


@dataclass(frozen=True)
class ShardKernel:
    """A part, whose kernels have its `name`: its program, marked, and its lines."""

    name: str
    program: RowProgram
    pair: KernelPair


def kernel(name: str, part: RowProgram, direction: str) -> ShardKernel:
    """Return the kernel of a direction's part for the processor; raises LngenError if it cannot be printed."""
    program = _as_called(marked_program(handed(part)), direction)
    return _named(name, program, kernels_of(program, ()))


def cuda_kernel(name: str, part: RowProgram, direction: str, public: Collection[str]) -> ShardKernel:
    """Return the kernel of a direction's part for a GPU; row scalars that are not `public` stay in the compute type.

    Raises LngenError if it cannot be printed.
    """
    rows = tuple(
        replace(row, origin="computed") if isinstance(row.symbol, RowScalarSymbol) and row.name not in public else row
        for row in part.rows
    )
    # By value, for the type of parameters need not hold so large a number.
    parameters = tuple(
        replace(each, kind="Constant") if each.name in (WHOLE, LARGEST) else each for each in part.parameters
    )
    program = _as_called(marked_program(handed(replace(part, rows=rows, parameters=parameters))), direction)
    return _named(name, program, kernels_of(program, ()))


def _as_called(program: RowProgram, direction: str) -> RowProgram:
    """The program in the words that kernels are called by."""
    # An absent cotangent among several comes as zeros, since a shard may read only one of them.
    rows = tuple(replace(row, origin="saved output") if row.origin == "cotangent" else row for row in program.rows)
    program = replace(program, rows=rows)
    return replace(program, direction="backward") if direction != "forward" and program.results else program


def _named(name: str, program: RowProgram, pair: KernelPair) -> ShardKernel:
    columns = pair.columns and replace(pair.columns, kernel=f"{name}_columns")
    renamed = replace(pair, name=name, contract=replace(pair.contract, kernel=name), columns=columns)
    return ShardKernel(name, program, renamed)


def source(kernels: Sequence[ShardKernel], notes: Notes) -> str:
    """The text of `sharded.cpp`."""
    text = layer([(each.program, each.pair) for each in kernels], notes)
    return cpu.kernels_text([each.pair for each in kernels], notes, text)


def cuda_source(kernels: Sequence[ShardKernel], notes: Notes, *, is_wide: bool) -> str:
    """The text of `sharded.cu`."""
    text = layer([(each.program, each.pair) for each in kernels], notes)
    return kernels_text([each.pair for each in kernels], is_wide, notes, text)


def statement(kernel: ShardKernel, cotangents: Sequence[str]) -> list[str]:
    """The statement that makes of a kernel for the processor a function such as those for NumPy."""
    first = "_host_parts.HostPart", "__file__", f'"{SOURCE}"', f"_kernels.{kernel.name}"
    return layout.statement(reading(f"_{kernel.name} = {layout.call(*first, **_tables(kernel, cotangents))}"))


def cuda_statement(kernel: ShardKernel, cotangents: Sequence[str]) -> list[str]:
    """The statement that makes of a kernel for a GPU such a function of arrays in its memory."""
    first = "_device_parts.DevicePart", "__file__", f'"{SOURCE}"'
    tables = _tables(kernel, cotangents) | {"is_wide": "True" if kernel.program.is_wide else ""}
    return layout.statement(reading(f"_{kernel.name} = {layout.call(*first, **tables)}"))


def _tables(kernel: ShardKernel, cotangents: Sequence[str]) -> dict[str, str]:
    """Return the kinds of a part's arguments and results, and the arguments of its kernels."""
    program, pair = kernel.program, kernel.pair
    kinds = {row.name: _kind(row) for row in program.rows}
    kinds |= {each.name: _integers(each.symbol) if each.symbol.is_integer else each.kind for each in program.parameters}
    of_result: dict[type, str] = {RowSymbol: "Row", RowScalarSymbol: "RowScalar"}
    made = {name: of_result.get(type(store.symbol), "Computed") for store in program.results for name in store.names}
    made |= {symbol.name: "Computed" for symbol in program.saved}
    passed = {
        contract.kernel: ", ".join(re.sub("^saved ", "out ", argument.part) for argument in contract.arguments)
        for contract in pair.contracts
    }
    sums = pair.contract.column_sums, pair.contract.scalar_sums
    optional = [name for name in dict(program.optional) if name in kinds or name in map(belongs_to, made)]
    zeros = [name for name in cotangents if name in kinds]
    texts = {"values": kinds, "results": made, "kernels": passed}
    casts = {name: target for name, target in program.casts if name in made}
    texts |= {"casts": casts} if casts else {}
    return {name: layout.table({k: _quoted(v) for k, v in entries.items()}) for name, entries in texts.items()} | {
        "sums": str(sums) if any(sums) else "",
        "optional": layout.quoted(optional) if optional else "",
        "zeros": layout.quoted(zeros) if len(cotangents) > 1 and zeros else "",
    }


_INTEGERS = {(True, True): "Int", (True, False): 'Int["..."]', (False, True): 'Int["d"]', (False, False): 'Int[""]'}


def _integers(symbol: TypedSymbol) -> str:
    """The kind of integers with these axes."""
    return _INTEGERS[axes(symbol)]


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


def _kind(row: RowArgument) -> str:
    if row.symbol.is_integer:
        return _integers(row.symbol)
    if is_row(row.symbol):
        return "Row"
    return "Computed" if row.origin == "computed" else "RowScalar"
