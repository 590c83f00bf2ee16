"""Row programs as NumPy: a module with `forward` and `backward` that needs NumPy alone."""

from lngen.backends.numpy.emission import emit

__all__ = ["emit"]
