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


@dataclass(frozen=True)
class TypedFunction:
    """Function of a direction in lines of C++: the formulas that it computes, its signature, and its body."""

    formulas: Sequence[str]
    signature: Sequence[str]
    body: Sequence[str]


def typed_text(directions: Sequence[KernelPair], notes: Notes) -> str:
    """Return the text of `layer.hpp`."""
    files = list(dict.fromkeys(source_of(each.name) for each in directions))
    saved = [f"Computed* {_saved(each)}" for kernels in directions for each in _own(kernels) if each.role == "save"]
    made = {"files": files, "saved": saved, "functions": [*map(typed, directions)]}
    return spelled(render("cpu/layer.hpp.jinja", **head(directions, notes) | made), CPP)


def typed(kernels: KernelPair) -> TypedFunction:
    """Return the function of a direction. Row scalars that forward saves are one argument of it, the last but sizes."""
    own, ends = _own(kernels), [each for each in _ends(kernels) if each.role not in _OF_CALL]
    declared = [
        each.declaration(*_TYPES)
        for each in (*own, *(each for each in ends if each.role == "result"))
        if each.role not in ("save", "saved")
    ]
    declared += ["const Saved& saved"] if any(each.role in ("save", "saved") for each in own) else []
    sizes = ["long long rows", "int D", "int threads = 1"]
    sums = f"{kernels.contract.column_sums}, {kernels.contract.scalar_sums}"
    names = [f"LNGEN_OWN({contract.kernel})" for contract in kernels.contracts]
    arrays = [_passed(each) for each in own if each.pointer]
    numbers = [each.name for each in own if not each.pointer]
    passed = [f"{{{', '.join(arrays)}}}", f"{{{', '.join(numbers)}}}"]
    passed += [f"{{{', '.join(_passed(each) for each in ends if each.pointer)}}}"] if ends else []
    body = [
        f"  const lngen::Kernels<Computed> kernels{{{', '.join([*names, 'nullptr'][:2])}, {sums}}};",
        *in_lines("  kernels.call(", [*passed, "rows", "D", "threads"], ");", 4),
    ]
    return TypedFunction(
        kernels.formulas, in_lines(f"inline void {kernels.name}(", [*declared, *sizes], ") {", 4), body
    )


def _own(kernels: KernelPair) -> list[KernelArgument]:
    return [each for each in kernels.contract.arguments if each.role not in _OF_CALL]


def _ends(kernels: KernelPair) -> Sequence[KernelArgument]:
    return kernels.columns.arguments if kernels.columns else ()


def _saved(argument: KernelArgument) -> str:
    return argument.name.removeprefix("save_") if argument.role == "save" else argument.name


def _passed(argument: KernelArgument) -> str:
    return f"saved.{_saved(argument)}" if argument.role in ("save", "saved") else argument.name
