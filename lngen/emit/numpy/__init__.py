"""Row programs as NumPy: a module with `forward` and `backward` that needs NumPy alone."""

from lngen.emit.numpy.emission import emit
from lngen.emit.numpy.lowering import handed, passes

__all__ = ["emit", "handed", "passes"]
