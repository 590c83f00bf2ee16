"""The text of `layer.hpp`: functions of C++ that call the kernels of each direction on all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit import Notes
from lngen.emit.cpp.contract import KernelArgument, in_lines
from lngen.emit.cpp.kernels import KernelPair, head, source_of
from lngen.emit.cpp.reserved import CPP
from lngen.emit.render import render
from lngen.emit.spelling import spelled

_TYPES = ("Row", "Parameter", "Computed", "", "lngen::cast::")
_OF_CALL = ("workspace", "rows", "blocks", "D")
_SAVED = ("save", "saved")
_SIZES = ("long long rows", "int D", "int threads = 1")


@dataclass(frozen=True)
class TypedFunction:
    """Function of a direction in lines of C++: the formulas that it computes, its signature, and its body."""

    formulas: Sequence[str]
    signature: Sequence[str]
    body: Sequence[str]


def typed_text(directions: Sequence[KernelPair], notes: Notes) -> str:
    """Return the text of `layer.hpp`."""
    files = list(dict.fromkeys(source_of(each.name) for each in directions))
    every = (each for kernels in directions for each in kernels.contract.arguments)
    saved = [f"Computed* {_saved(each)}" for each in every if each.role == "save"]
    made = {"files": files, "saved": saved, "functions": [*map(typed, directions)]}
    return spelled(render("cpu/layer.hpp.jinja", **head(directions, notes) | made), CPP)


def typed(kernels: KernelPair) -> TypedFunction:
    """Return the function of a direction. Row scalars that forward saves are one argument of it, the last but sizes."""
    own, ends = (
        [each for each in contract.arguments if each.role not in _OF_CALL] if contract else []
        for contract in (kernels.contract, kernels.columns)
    )
    given = [*own, *(each for each in ends if each.role == "result")]
    declared = [each.declaration(*_TYPES) for each in given if each.role not in _SAVED]
    declared += ["const Saved& saved"] * any(each.role in _SAVED for each in own)
    names = [*(f"LNGEN_OWN({contract.kernel})" for contract in kernels.contracts), "nullptr"]
    sums = kernels.contract.column_sums, kernels.contract.scalar_sums
    numbers = [each.name for each in own if not each.pointer]
    passed = (map(_passed, own), numbers, map(_passed, ends))
    arguments = [f"{{{', '.join(filter(None, each))}}}" for each in passed]
    return TypedFunction(
        kernels.formulas,
        in_lines(f"inline void {kernels.name}(", [*declared, *_SIZES], ") {", 4),
        [
            f"  const lngen::LNGEN_SPACE::Kernels kernels{{{names[0]}, {names[1]}, {sums[0]}, {sums[1]}}};",
            *in_lines("  kernels.call(", [*arguments, "rows", "D", "threads"], ");", 4),
        ],
    )


def _saved(argument: KernelArgument) -> str:
    return argument.name.removeprefix("save_") if argument.role == "save" else argument.name


def _passed(argument: KernelArgument) -> str:
    """The array that is passed for an argument; nothing for a number."""
    if not argument.pointer:
        return ""
    return f"saved.{_saved(argument)}" if argument.role in _SAVED else argument.name
