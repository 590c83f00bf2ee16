"""C++ backend: the mathematics of row programs as one text for GPUs and for processors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lngen.emit import Notes
from lngen.emit.cpp.kernels import KernelPair, Lowered, handed, head, kernels_of, passes, source_of
from lngen.emit.cpp.layer import direction_text
from lngen.emit.cpp.tags import TEXT
from lngen.emit.render import render
from lngen.emit.spelling import marked_program, spelled
from lngen.plan.program import RowProgram

__all__ = ["Lowered", "handed", "layer", "lowered", "passes", "sources"]


def lowered(programs: Sequence[RowProgram], notes: Notes) -> list[Lowered]:
    """Return the programs that are printed, their names marked, each with its kernels."""
    marked = [marked_program(handed(program)) for program in programs]
    return [
        (program, kernels_of(program, notes.layer, notes.formulas.get(program.direction, ()))) for program in marked
    ]


def sources(
    directions: Sequence[Lowered], notes: Notes, suffix: str, text: Callable[[Sequence[KernelPair]], str]
) -> dict[str, str]:
    """Return the files of a layer's kernels for one kind of device, and those that every kind shares, by name.

    `text` returns the content of a file with this suffix for the kernels in it.
    """
    files = {"layer.h": layer(directions, notes)}
    for name in dict.fromkeys(source_of(program.direction) for program, _ in directions):
        files[name + suffix] = text(
            [kernels for program, kernels in directions if source_of(program.direction) == name]
        )
    return files


def layer(directions: Sequence[Lowered], notes: Notes) -> str:
    """The text of `layer.h`: the mathematics of some directions, whose programs are `handed` over and marked."""
    texts = [direction_text(kernels.name, program) for program, kernels in directions]
    fields = head([kernels for _, kernels in directions], notes)
    return spelled(render("cpp/layer.h.jinja", **fields, texts=texts), TEXT)
