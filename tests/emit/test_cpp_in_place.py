"""Rows that results may be written over: those that no later sweep reads."""

from lngen.emit.cpp.in_place import in_place
from lngen.emit.cpp.kernels import handed
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned

TEXT = """
def f(x: Row, r: Row, z: Row):
    h = x + r
    y = h/(1 + mean(h**2))
    w = 2*z
    return y, h, w
"""


def test_a_row_that_is_read_after_a_store_is_not_written_over() -> None:
    """The first sweep stores h and w, and the second reads again what h is made of."""
    forward, backward, *_ = (handed(program) for program in planned(parse(TEXT), proved=False).programs())
    assert in_place(forward) == {"y": ["x", "r", "z"], "h": ["z"], "w": ["z"]}
    assert in_place(backward)["dx"] == ["y", "dy", "dh", "dw"]
    assert in_place(backward)["dz"] == ["dw"]  # stored before the sweep of dx
