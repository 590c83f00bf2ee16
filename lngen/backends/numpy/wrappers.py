"""The lines of the two functions around the loops of the JVP and of the double backward."""

from __future__ import annotations

from collections.abc import Sequence

from lngen.backends.interface import Interface
from lngen.backends.numpy.secondary import Linear, Secondary
from lngen.backends.numpy.text import SHAPES, definition, given_by_name, indented, quoted, tuple_of


def jvp_fields(jvp: Secondary, layer: Interface, saved: Sequence[str]) -> dict[str, list[str]]:
    """The signature and the lines of `jvp`. `saved` names the arrays that forward keeps."""
    names = [argument.name for argument in jvp.arguments]
    results = [f"d{output.name}" for output in layer.outputs]
    rows = layer.rows
    lines = ["_check_saved(saved)", "shape = saved.shape", *_checked(jvp.arguments, "tangent")]
    lines += ["threads = _thread_count(threads)", given_by_name([*names, *(f"saved.{name}" for name in saved)])]
    lines += ["dtype = _types(given, saved.dtype)[1]", *_filled(jvp.arguments)]
    if rows[0].required:
        lines.append(f'stored = saved.dtypes["{rows[0].name}"]')
    else:
        present = f"name for name in {quoted(row.name for row in rows)} if name in saved.dtypes"
        lines.append(f"stored = saved.dtypes[next({present})]")
    several = len(results) > 1
    if several:
        lines.append(f"out = _several(out, {quoted(results)})")
    for number, (name, output) in enumerate(zip(results, layer.outputs, strict=True)):
        out = f"out[{number}]" if several else "out"
        lines.append(f'{name} = _result("{name}", {out}, {SHAPES[output.kind]}, stored, given)')
    lines += _zeroed(jvp, results)
    lines.append(_call("_jvp", jvp, names))
    lines.append(f"return Outputs({', '.join(results)})" if several else f"return {results[0]}")
    return {"signature": _signature("jvp", ["saved"], names), "lines": indented(lines)}


def second_fields(second: Secondary, layer: Interface, saved: Sequence[str]) -> dict[str, list[str]]:
    """The signature and the lines of `backward_backward`."""
    names = [argument.name for argument in second.arguments]
    cotangents = [f"d{output.name}" for output in layer.outputs]
    several = len(cotangents) > 1
    lines = ["_check_saved(saved)", "shape = saved.shape"]
    lines.append(f"cotangents = _each_cotangent(cotangents, {quoted(cotangents)})")
    for number, (name, output) in enumerate(zip(cotangents, layer.outputs, strict=True)):
        lines.append(f'{name} = _array("{name}", cotangents[{number}], required={not several})')
        lines.append(f'_check_shape("{name}", {name}, {SHAPES[output.kind]}, "the shape of {output.name}")')
    if several:
        nothing = " and ".join(f"{name} is None" for name in cotangents)
        lines += [f"if {nothing}:", '    raise ValueError("every cotangent is None; pass at least one")']
    lines += [*_checked(second.arguments, "cotangent of a gradient"), "threads = _thread_count(threads)"]
    lines.append(given_by_name([*cotangents, *names, *(f"saved.{name}" for name in saved)]))
    lines += ["dtype = _types(given, saved.dtype)[1]", *_filled(second.arguments)]
    fields = [f"d{given.name}" for given in layer.inputs] + [f"d{name}" for name in cotangents]
    lines.append(f"out = _several(out, {quoted(fields)})")
    groups = second.program.groups()
    done: list[str] = []
    kinds = [given.kind for given in layer.inputs] + [output.kind for output in layer.outputs]
    dtypes = [f'saved.dtypes.get("{given.name}")' for given in layer.inputs]
    dtypes += [f"None if {name} is None else {name}.dtype" if several else f"{name}.dtype" for name in cotangents]
    for number, (name, kind, dtype) in enumerate(zip(fields, kinds, dtypes, strict=True)):
        like = [other for other in groups.get(name, ()) if other in done]
        last = f", like={tuple_of(like)}" if like else ""
        lines.append(f'{name} = _result("{name}", out[{number}], {SHAPES[kind]}, {dtype}, given{last})')
        done.append(name)
    lines += _zeroed(second, fields)
    lines.append(_call("_backward_backward", second, [*cotangents, *names]))
    lines.append(f"return SecondGradients({', '.join(fields)})")
    return {
        "signature": _signature("backward_backward", ["saved", "cotangents"], names),
        "lines": indented(lines),
    }


def _signature(name: str, first: list[str], arguments: Sequence[str]) -> list[str]:
    # The first has no default: with none of them there is nothing to compute.
    rest = [f"{argument}=None" for argument in arguments[1:]]
    return definition(name, [*first, *arguments[:1], *rest, "*", "out=None", "threads=1"])


def _zeroed(direction: Secondary, results: Sequence[str]) -> list[str]:
    computed = {name for store in direction.program.results for name in store.names}
    lines = []
    for name in results:
        if name not in computed:
            lines += [f"if {name} is not None:", f"    {name}[...] = 0.0"]
    return lines


def _call(function: str, direction: Secondary, own: Sequence[str]) -> str:
    arguments = [name if name in own else f"saved.{name}" for name in direction.body.arguments]
    results = [name for store in direction.program.results for name in store.names]
    return f"{function}({', '.join([*arguments, *results, 'shape', 'dtype', 'threads'])})"


def _checked(arguments: Sequence[Linear], what: str) -> list[str]:
    """The lines that look at the arguments, and fill in those that are to be."""
    lines = []
    for argument in arguments:
        function = "_scalar" if argument.of.kind == "Scalar" else "_array"
        lines.append(f'{argument.name} = {function}("{argument.name}", {argument.name}, required=False)')
    nothing = " and ".join(f"{argument.name} is None" for argument in arguments)
    lines += [f"if {nothing}:", f'    raise ValueError("every {what} is None; pass at least one")']
    for argument in arguments:
        if not argument.of.required:
            lines.append(f'_check_left_out("{argument.name}", {argument.name}, "{argument.of.name}", saved)')
    for argument in arguments:
        if argument.of.kind != "Scalar":
            shape = f'{SHAPES[argument.of.kind]}, "the shape of {argument.of.name}"'
            lines.append(f'_check_shape("{argument.name}", {argument.name}, {shape})')
    return lines


def _filled(arguments: Sequence[Linear]) -> list[str]:
    """The lines that put zeros in the place of None."""
    lines = []
    for argument in arguments:
        if argument.filled:
            zeros = f"np.broadcast_to(dtype.type(0), {SHAPES[argument.of.kind]})"
            lines += [f"if {argument.name} is None:", f"    {argument.name} = {zeros}"]
    return lines
