"""C++ backend: the mathematics of row programs as one text for GPUs and for processors."""

from __future__ import annotations

from collections.abc import Sequence

from lngen.backends import Notes
from lngen.backends.cpp.kernels import KernelPair, handed, head, passes
from lngen.backends.cpp.layer import direction_text
from lngen.backends.cpp.tags import TEXT
from lngen.backends.spelling import spelled
from lngen.files.render import render
from lngen.plan.program import RowProgram

__all__ = ["handed", "layer", "passes"]


def layer(directions: Sequence[tuple[RowProgram, KernelPair]], notes: Notes) -> str:
    """The text of `layer.h`: the mathematics of some directions, whose programs are `handed` over and marked."""
    texts = [direction_text(kernels.name, program) for program, kernels in directions]
    fields = head([kernels for _, kernels in directions], notes)
    # More than one backend includes the text, so the hash of the templates of one is not for its head.
    fields["header"] = [line for line in fields["header"] if not line.startswith("templates")]
    return spelled(render("cpp/layer.h.jinja", **fields, texts=texts), TEXT)
