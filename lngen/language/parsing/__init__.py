"""Text to a definition: syntax tree, expressions, constant folding, the smallest legal D.

The text is read as syntax and never executed.
"""

from lngen.language.parsing.files import load
from lngen.language.parsing.parser import parse

__all__ = ["load", "parse"]
