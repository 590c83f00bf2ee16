"""The texts of `layer.hpp` and `layer.cuh`: functions of C++ that call the kernels of each direction on all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lngen.emit import Notes
from lngen.emit.cpp.contract import KernelArgument, LaunchContract, in_lines
from lngen.emit.cpp.kernels import KernelPair, Lowered, head, source_of
from lngen.emit.cpp.reserved import CPP
from lngen.emit.render import render
from lngen.emit.spelling import spelled

_TYPES = ("Row", "Parameter", "Computed", "", "lngen::cast::")
_OF_CALL = ("workspace", "rows", "blocks", "D")
_SAVED = ("save", "saved")


@dataclass(frozen=True)
class TypedFunction:
    """Function of a direction in lines of C++: the formulas that it computes, its signature, and its body."""

    name: str
    formulas: Sequence[str]
    signature: Sequence[str]
    body: Sequence[str]


def typed_text(
    template: str, made: Callable[[KernelPair], TypedFunction], directions: Sequence[Lowered], notes: Notes
) -> str:
    """Return the text of a template that has a function of each direction."""
    kernels = [pair for _, pair in directions]
    files = list(dict.fromkeys(source_of(each.name) for each in kernels))
    every = (argument for each in kernels for argument in each.contract.arguments)
    saved = [f"Computed* {_saved(each)}" for each in every if each.role == "save"]
    fields = {"files": files, "saved": saved, "functions": list(map(made, kernels))}
    return spelled(render(template, **head(kernels, notes) | fields), CPP)


def on_processor(kernels: KernelPair) -> TypedFunction:
    """Return the function of a direction for arrays in memory."""
    own, ends = _own(kernels.contract), _own(kernels.columns)
    names = [*(f"LNGEN_OWN({contract.kernel})" for contract in kernels.contracts), "nullptr"]
    sums = kernels.contract.column_sums, kernels.contract.scalar_sums
    numbers = [each.name for each in own if not each.pointer]
    arrays = ([_passed(each) for each in given if each.pointer] for given in (own, ends))
    passed = [f"{{{', '.join(each)}}}" for each in (next(arrays), numbers, next(arrays))]
    return TypedFunction(
        kernels.name,
        kernels.formulas,
        _signature("inline void", [], kernels, ["long long rows", "int D", "int threads = 1"]),
        [
            f"  const lngen::LNGEN_SPACE::Kernels kernels{{{names[0]}, {names[1]}, {sums[0]}, {sums[1]}}};",
            *in_lines("  kernels.call(", [*passed, "rows", "D", "threads"], ");", 4),
        ],
    )


def on_gpu(kernels: KernelPair) -> TypedFunction:
    """Return the function of a direction for arrays in device memory, which launches its kernels on a stream."""
    contract, columns = kernels.contract, kernels.columns
    sums = f"{contract.column_sums}ll*D + {contract.scalar_sums}"
    has_sums = contract.column_sums + contract.scalar_sums > 0

    def launched(of: LaunchContract, grid: str) -> list[str]:
        return in_lines(f"  LNGEN_LAUNCH_ON(on, {of.kernel}, {grid}, ", [*map(_passed, of.arguments)], ");", 4)

    body = [
        "  constexpr int D = LNGEN_D;",
        "  lngen::OnStream on{stream};",
        f"  const int blocks = LNGEN_BLOCKS_ON(on, {contract.kernel}, rows, {str(has_sums).lower()});",
    ]
    if has_sums:
        body.append(f"  Computed* const workspace = on.memory<Computed>(blocks * ({sums}));")
    body += launched(contract, "blocks")
    if columns:
        body += launched(columns, f"LNGEN_COLUMNS_ON({columns.kernel}, D)")
    body += ["  on.free(workspace);"] * has_sums + ["  return on.error;"]
    given = ["cudaStream_t stream"]
    return TypedFunction(
        kernels.name, kernels.formulas, _signature("inline cudaError_t", given, kernels, ["long long rows"]), body
    )


def _own(contract: LaunchContract | None) -> list[KernelArgument]:
    """The arguments of a kernel that callers know."""
    return [each for each in contract.arguments if each.role not in _OF_CALL] if contract else []


def _signature(returns: str, first: Sequence[str], kernels: KernelPair, sizes: Sequence[str]) -> list[str]:
    """Row scalars that forward saves are one argument, the last but sizes."""
    own = _own(kernels.contract)
    given = [*own, *(each for each in _own(kernels.columns) if each.role == "result")]
    declared = [each.declaration(*_TYPES) for each in given if each.role not in _SAVED]
    declared += ["const Saved& saved"] * any(each.role in _SAVED for each in own)
    return in_lines(f"{returns} {kernels.name}(", [*first, *declared, *sizes], ") {", 4)


def _saved(argument: KernelArgument) -> str:
    return argument.name.removeprefix("save_") if argument.role == "save" else argument.name


def _passed(argument: KernelArgument) -> str:
    return f"saved.{_saved(argument)}" if argument.role in _SAVED else argument.name
