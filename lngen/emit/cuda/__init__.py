"""CUDA backend: the kernels of `layer.h`'s mathematics for nvcc, NVRTC and a plain C++ compiler.

The loops over rows and columns are those of `layer_rows.cuh`; a `LaunchContract` lists the arguments of each kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from lngen.emit import Notes, cpp
from lngen.emit.cpp.kernels import KernelPair, head
from lngen.emit.cpp.reserved import CPP
from lngen.emit.cpp.typed import on_gpu, typed_text
from lngen.emit.cuda.launcher import launcher
from lngen.emit.render import render
from lngen.emit.spelling import plain_errors, spelled
from lngen.plan.program import RowProgram


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the CUDA files of a layer by name: its mathematics, its kernels, those of second order, their callers.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    notes = notes.of_rows()
    with plain_errors():
        directions = cpp.lowered(programs, notes)
        files = cpp.sources(directions, notes, ".cu", lambda kernels: _kernels_text(kernels, notes))
        # The page says which values its kernels take.
        return {
            "cuda_backend.py": launcher(directions, notes),
            "layer.cuh": typed_text("cuda/layer.cuh.jinja", on_gpu, directions, notes),
            **files,
        }


def _kernels_text(directions: Sequence[KernelPair], notes: Notes) -> str:
    """The text of a file of the kernels of some directions."""
    return spelled(render("cuda/kernels.cu.jinja", **head(directions, notes)), CPP)
