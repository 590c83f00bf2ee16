"""The lines of the two functions around the loops of the JVP and of the double backward.

As in all public functions, arguments have the names of the interface, and whatever else stands there ends or begins
with an underscore, which those never do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lngen.backends.interface import Interface, OwnFields
from lngen.backends.layout import quoted, tuple_of
from lngen.backends.numpy.secondary import Linear, Secondary
from lngen.backends.numpy.text import SHAPES, given_by_name, indented
from lngen.backends.saved import Field


def jvp_fields(jvp: Secondary, layer: Interface, saved: Sequence[Field], own: OwnFields) -> dict[str, list[str]]:
    """The lines of `jvp`. `saved` is what forward keeps."""
    results = [output.derivative for output in layer.outputs]
    rows = layer.rows
    arguments = {argument.name: argument.public for argument in jvp.arguments}
    kept = {field.place: field.place for field in saved if field.is_array}
    lines = ["_check_saved(saved)", f"shape_ = saved.{own.shape}", *_checked(jvp.arguments, "tangent", own)]
    given = {name: name for name in arguments.values()}
    lines += ["threads = _calls.thread_count(threads)", given_by_name(given | kept)]
    lines += [f"dtype_ = _calls.types(given_, saved.{own.dtype})[1]", *_filled(jvp.arguments)]
    if rows[0].required:
        lines.append(f'stored_ = saved.{own.dtypes}["{rows[0].public}"]')
    else:
        present = f"name_ for name_ in {quoted(row.public for row in rows)} if name_ in saved.{own.dtypes}"
        lines.append(f"stored_ = saved.{own.dtypes}[next({present})]")
    several = len(results) > 1
    if several:
        lines.append(f"out = _calls.several(out, {quoted(result.public for result in results)})")
    for number, (result, output) in enumerate(zip(results, layer.outputs, strict=True)):
        out = f"out[{number}]" if several else "out"
        target = result.local if several else f"{result.local}: _calls.Array"
        lines.append(f'{target} = _calls.result("{result.public}", {out}, {SHAPES[output.kind]}, stored_, given_)')
    lines += _zeroed(jvp, {result.name: result.local for result in results})
    lines.append(_call("_jvp", jvp, arguments, saved))
    returned = ", ".join(result.local for result in results)
    lines.append(f"return _Outputs({returned})" if several else f"return {returned}")
    return {"lines": indented(lines)}


def second_fields(second: Secondary, layer: Interface, saved: Sequence[Field], own: OwnFields) -> dict[str, list[str]]:
    """The lines of `backward_backward`."""
    cotangents = [output.derivative for output in layer.outputs]
    several = len(cotangents) > 1
    lines = ["_check_saved(saved)", f"shape_ = saved.{own.shape}"]
    lines.append(
        f"cotangents = _calls.each_cotangent(cotangents, {quoted(cotangent.public for cotangent in cotangents)})"
    )
    for number, (cotangent, output) in enumerate(zip(cotangents, layer.outputs, strict=True)):
        name, local = cotangent.public, cotangent.local
        lines.append(f'{local} = _calls.array("{name}", cotangents[{number}], required={not several})')
        lines.append(f'_calls.check_shape("{name}", {local}, {SHAPES[output.kind]}, "the shape of {output.public}")')
    if several:
        nothing = " and ".join(f"{cotangent.local} is None" for cotangent in cotangents)
        lines += [f"if {nothing}:", '    raise ValueError("every cotangent is None; pass at least one")']
    lines += [*_checked(second.arguments, "cotangent of a gradient", own), "threads = _calls.thread_count(threads)"]
    # Not by its name: the cotangent of an output `dx` is called as that of the gradient of an input `x`.
    given = {f"cotangents[{number}]": cotangent.local for number, cotangent in enumerate(cotangents)}
    given |= {argument.public: argument.public for argument in second.arguments}
    given |= {field.place: field.place for field in saved if field.is_array}
    lines.append(given_by_name(given))
    lines += [f"dtype_ = _calls.types(given_, saved.{own.dtype})[1]", *_filled(second.arguments)]
    results = [given.derivative for given in layer.inputs] + [cotangent.derivative for cotangent in cotangents]
    lines.append(f"out = _calls.several(out, {quoted(result.public for result in results)})")
    groups = second.program.groups()
    done: dict[str, str] = {}
    kinds = [given.kind for given in layer.inputs] + [output.kind for output in layer.outputs]
    dtypes = [f'saved.{own.dtypes}.get("{given.public}")' for given in layer.inputs]
    for cotangent in cotangents:
        dtype = f"{cotangent.local}.dtype"
        dtypes.append(f"None if {cotangent.local} is None else {dtype}" if several else dtype)
    for number, (result, kind, dtype) in enumerate(zip(results, kinds, dtypes, strict=True)):
        like = [done[other] for other in groups.get(result.name, ()) if other in done]
        last = f", like={tuple_of(like)}" if like else ""
        arguments = f'"{result.public}", out[{number}], {SHAPES[kind]}, {dtype}, given_{last}'
        lines.append(f"{result.local} = _calls.result({arguments})")
        done[result.name] = result.local
    lines += _zeroed(second, done)
    own_arguments = {cotangent.name: cotangent.local for cotangent in cotangents}
    own_arguments |= {argument.name: argument.public for argument in second.arguments}
    lines.append(_call("_backward_backward", second, own_arguments, saved))
    lines.append(f"return _SecondGradients({', '.join(done.values())})")
    return {"lines": indented(lines)}


def _zeroed(direction: Secondary, results: Mapping[str, str]) -> list[str]:
    computed = {name for store in direction.program.results for name in store.names}
    lines = []
    for name, local in results.items():
        if name not in computed:
            lines += [f"if {local} is not None:", f"    {local}[...] = 0.0"]
    return lines


def _call(function: str, direction: Secondary, own: Mapping[str, str], saved: Sequence[Field]) -> str:
    known = {field.source.name: field.place for field in saved} | dict(own)
    arguments = [known[name] for name in direction.body.arguments]
    results = [f"{name}_" for store in direction.program.results for name in store.names]
    return f"{function}({', '.join([*arguments, *results, 'shape_', 'dtype_', 'threads'])})"


def _checked(arguments: Sequence[Linear], what: str, own: OwnFields) -> list[str]:
    """The lines that look at the arguments, and fill in those that are to be."""
    lines = []
    for argument in arguments:
        function = "_calls.scalar" if argument.of.kind == "Scalar" else "_calls.array"
        lines.append(f'{argument.public} = {function}("{argument.public}", {argument.public}, required=False)')
    nothing = " and ".join(f"{argument.public} is None" for argument in arguments)
    lines += [f"if {nothing}:", f'    raise ValueError("every {what} is None; pass at least one")']
    for argument in arguments:
        if not argument.of.required:
            name = argument.public
            lines.append(f'_calls.check_left_out("{name}", {name}, "{argument.of.public}", saved.{own.dtypes})')
    for argument in arguments:
        if argument.of.kind != "Scalar":
            shape = f'{SHAPES[argument.of.kind]}, "the shape of {argument.of.public}"'
            lines.append(f'_calls.check_shape("{argument.public}", {argument.public}, {shape})')
    return lines


def _filled(arguments: Sequence[Linear]) -> list[str]:
    """The lines that put zeros in the place of None."""
    lines = []
    for argument in arguments:
        if argument.filled:
            zeros = f"_calls.zeros({SHAPES[argument.of.kind]}, dtype_)"
            lines += [f"if {argument.public} is None:", f"    {argument.public} = {zeros}"]
    return lines
