"""SymPy expressions as C++ in a type `A` that is a number or a vector of them, whose choices are a function."""

from __future__ import annotations

from lngen.backends.cuda.expressions import Printer


class LanesPrinter(Printer):
    """Prints the expressions of one program for lanes; a condition on values holds for some of them."""

    select = "select({}, {}, {})"
