"""What the emitted launcher passes to a kernel, in the words of its own tables.

A contract names arguments as the kernel does. The launcher knows values by where they come from, so each
argument is *a part*: the name of an input, a cotangent or a Constant, `saved mu` for a row scalar that
forward saves, `out dx` for a result, `out dx dr` for one that several names share, or one of `the rows`,
`the features`, `the blocks` and `the workspace`. A name has no blank in it, so parts cannot be taken for one
another.
"""

from __future__ import annotations

from collections.abc import Iterator

from lngen.backends.cuda.contract import KernelArgument, LaunchContract
from lngen.plan.program import RowProgram

_COUNTS = {"workspace": "the workspace", "rows": "the rows", "blocks": "the blocks", "D": "the features"}


def parts(contract: LaunchContract, program: RowProgram) -> list[str]:
    """The part that each argument of a kernel is, in order.

    `contract` is that of a direction or of the kernel that ends its sums over rows, `program` the direction.
    """
    names = _names(program)
    return [_part(argument, names) for argument in contract.arguments]


def letters(contract: LaunchContract) -> str:
    """The types of the arguments as `struct` writes them; `A` stands for the compute type."""
    numbers = {"int64": "q", "int32": "i", "compute": "A"}
    return "".join("P" if a.pointer else numbers[a.element] for a in contract.arguments)


def _names(program: RowProgram) -> dict[str, Iterator[str]]:
    """What fills the arguments of each role: a contract has them in the program's order."""
    rows = [argument.name for argument in program.rows]
    saved = [f"saved {symbol.name}" for symbol in program.saved]
    given = iter(rows)
    found = {"row": given, "row scalar": given, "saved": iter(saved), "save": iter(saved)}
    for kind in ("Feature", "Scalar", "Constant"):
        found[kind] = iter([p.name for p in program.parameters if p.kind == kind])
    return found


def _part(argument: KernelArgument, names: dict[str, Iterator[str]]) -> str:
    if argument.role in _COUNTS:
        return _COUNTS[argument.role]
    if argument.role == "result":
        return " ".join(("out", *argument.results))
    return next(names[argument.role])
