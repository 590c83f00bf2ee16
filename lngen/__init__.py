"""lngen: from the forward definition of a normalization layer to audited gradients, NumPy and CUDA.

`load` imports an emitted layer. Everything that derives one is imported on first use, so that a program
which only runs emitted code does not pay for SymPy:

>>> import lngen
>>> definition = lngen.parse('''
... from lngen.language import Row, mean
... def centred(x: Row):
...     return x - mean(x)
... ''')
>>> definition.name
'centred'
"""

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lngen.errors import LngenError
from lngen.files.loading import Layer, load

if TYPE_CHECKING:
    from lngen.language.definition import Definition as Definition
    from lngen.language.parsing import parse as parse

__version__ = "0.1.0"

STARTED = time.time_ns()
"""When lngen was imported, before the modules that derive. A source that changed later may not be what runs."""

# Public names that are imported on first use, and the module that has each.
_LAZY = {
    "Definition": "lngen.language.definition",
    "parse": "lngen.language.parsing",
}

__all__ = ["Definition", "Layer", "LngenError", "__version__", "load", "parse"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'lngen' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
