"""Row programs as plain code of an array library, a line of text for each line of a program.

A value is an array that broadcasts with the rows: axes that it lacks have size 1, a reduction keeps its axes, and a
parameter of rows whose axes have no names has the shape (D,). `dialects` has the words of each library, `expressions`
prints expressions, `lines` the lines of a program with the axes of each value, `tangents` those of a program that is
linear in tangents, and `arrays` the shapes that callers have.
"""

from lngen.emit.array.dialects import JNP, NUMPY, TORCH, Dialect
from lngen.emit.array.lines import ArrayText

__all__ = ["JNP", "NUMPY", "TORCH", "ArrayText", "Dialect"]
