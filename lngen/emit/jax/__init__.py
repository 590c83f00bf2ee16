"""The backend for JAX: a layer as a function of its arrays, on the kernels of the other backends."""

from __future__ import annotations

from collections.abc import Sequence

from lngen.emit import Notes
from lngen.emit.functions import FrameworkFunction
from lngen.emit.interface import interface
from lngen.emit.layout import statement
from lngen.emit.render import module
from lngen.emit.spelling import marked_program, plain_errors
from lngen.plan.program import RowProgram


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The file of a layer for JAX by its name; `programs` has forward first.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        forward = marked_program(programs[0])
        function = FrameworkFunction(interface(forward, notes), notes, "_jax.Array", "an array")
        kind = "_axes.JaxAxes" if notes.layout else "_jax.JaxLayer"
        layer = statement(f"_LAYER: {kind}[{function.result}] = {kind}(_numpy, _cpu)")
        text = module("jax/backend.py.jinja", **function.fields(), layer=layer, named_axes=bool(notes.layout))
        return {"jax_backend.py": text}
