"""Functions of `cpu_backend.py` that call the kernels of a direction with arrays of any layout, on rows.

`numpy_backend` has them called with arguments, what `Saved` holds and results. Arguments have the names of the
interface, a saved value begins with `_saved_`, and a result ends with an underscore.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from lngen.emit.cpp.contract import KernelArgument, LaunchContract
from lngen.emit.cpp.kernels import KernelPair
from lngen.emit.layout import call, definition, laid, listed, tuple_of
from lngen.emit.spelling import reading
from lngen.runtime.protocol.directions import ROW, DirectionProtocol, Entry

_ENDS = ("the rows", "the features", "the blocks", "the workspace")


def long_call(takes: DirectionProtocol, kernels: KernelPair) -> list[str]:
    """Return the lines of `_forward_on_kernels` or that of another direction."""
    given = _names(takes)
    arguments = [given[each.symbol] for each in takes.arguments]
    makes = [given[place] for place in takes.slots[len(takes.reads) :]]
    groups = {"_values": arguments} if takes.is_forward else {"_arguments": arguments}
    if not takes.is_forward:
        groups["_fields"] = [given[each.symbol] for each in takes.fields]
    groups["_results"] = makes
    lines = [f"{listed(names)} = {group}" for group, names in groups.items() if names]
    entries = dict(zip(takes.slots, (*takes.reads, *takes.makes), strict=True))
    of_rows, *of_ends = (_passed(contract) for contract in kernels.contracts)
    written = {reading(argument.part) for contract in kernels.contracts for argument in contract.arguments}
    for each in takes.results:
        name = given[f"out {each.symbol}"]
        if f"out {each.symbol}" not in written:  # no kernel writes what is always zero
            lines += [f"if {name} is not None:", f"    {name}.fill(0.0)"]
    stored = [each for each in of_rows if each.element == "row"]
    read, made = ([given[reading(each.part)] for each in stored if each.writes == writes] for writes in (False, True))
    numbers = [given[reading(each.part)] for each in kernels.contract.arguments if each.role == "Constant"]
    gradients = {each.owner.symbol: given[f"out {each.symbol}"] for each in takes.results if each.owner}
    flags = [f"{given.get(name) or gradients[name]} is None" for name in kernels.optional]
    operands = [_operands(own, entries, given) for own in (of_rows, *of_ends)]
    passed = [f"_{takes.name.upper()}", tuple_of(flags), tuple_of(numbers)]
    lines += [
        f"_operands = _long.RowOperands(_call, {tuple_of(read)}, {tuple_of(made)})",
        call("_operands.call", *passed, *operands),
    ]
    function = f"_{takes.name}_on_kernels"
    return [
        f"@_long.function(_numpy._{takes.name.upper()})",
        *definition(function, [f"{name}: Any" for name in (*groups, "_call")], "None"),
        '    """Pass arrays of any type and layout to the kernels, each as an operand."""',
        *laid(lines),
    ]


def _names(takes: DirectionProtocol) -> dict[str, str]:
    """Return the names of all values by their symbols, a result's behind `out `."""
    names = {each.symbol: each.name for each in takes.arguments}
    names |= {each.symbol: f"_saved_{each.name}" for each in takes.fields}
    makes = takes.slots[len(takes.reads) :]
    return names | {place: f"{each.name}_" for place, each in zip(makes, takes.makes, strict=True)}


def _passed(contract: LaunchContract) -> list[KernelArgument]:
    """Return the arguments of a kernel that are arrays of the caller."""
    return [each for each in contract.arguments if each.part not in _ENDS and each.role != "Constant"]


def _operands(taken: Iterable[KernelArgument], entries: dict[str, Entry], given: dict[str, str]) -> str:
    """Return the operands of a kernel; those of one kind that stand side by side are one call."""
    calls = []
    for (kind, option), group in groupby(taken, key=lambda each: _kind(each, entries[reading(each.part)])):
        names = [given[reading(each.part)] for each in group]
        if kind == "cast":
            calls += [call("_operands.cast", name, *option) for name in names]
        else:
            calls.append(f"*{call(f'_operands.{kind}', *names, *option)}")
    return tuple_of(calls)


def _kind(argument: KernelArgument, each: Entry) -> tuple[str, tuple[str, ...]]:
    """Return the method that takes an array as the kernel wants it, and its arguments behind arrays."""
    if not each.is_per_row:
        shared = "shared_integers" if each.is_integer else "shared"
        return "summed" if argument.writes else shared, ()
    axes = () if each.part == ROW else ("axes=0",)
    if argument.cast:
        return "cast", (f'"{argument.cast}"', *axes)
    if argument.role == "save":
        return "made_once", ()
    if argument.writes:
        return "made", axes
    if argument.element == "compute":
        return "computed_before", ("axes=1",) if each.part == ROW else ()
    return "integers" if each.is_integer else "read", axes
