"""lngen: from the forward definition of a normalization layer to audited gradients, NumPy and CUDA.

`derive` derives a layer from its definition, `load` imports an emitted one, `run` gives the values of a definition, and
`check` holds a function of anybody's to one. Everything that derives is imported on
first use, so that a program which only runs emitted code does not pay for SymPy:

>>> import numpy as np
>>> import lngen
>>> layer = lngen.derive('''
... from lngen.language import Row, mean
... def centred(x: Row):
...     return x - mean(x)
... ''')
>>> layer.gradients
{'dx': 'dy - mean(dy)'}
>>> y, saved = layer.load().forward(np.ones((2, 3)))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lngen.errors import LngenError
from lngen.pipeline.files.loading import Layer, load
from lngen.version import __version__

if TYPE_CHECKING:
    from lngen.checked import check as check
    from lngen.checked import claims as claims
    from lngen.definitions import run as run
    from lngen.derived import DerivedLayer as DerivedLayer
    from lngen.derived import derive as derive
    from lngen.language.definition import Definition as Definition
    from lngen.language.parsing import parse as parse

# Public names that are imported on first use, and the module that has each.
_LAZY = {
    "DerivedLayer": "lngen.derived",
    "derive": "lngen.derived",
    "check": "lngen.checked",
    "claims": "lngen.checked",
    "run": "lngen.definitions",
    "Definition": "lngen.language.definition",
    "parse": "lngen.language.parsing",
}

__all__ = [
    "Definition",
    "DerivedLayer",
    "Layer",
    "LngenError",
    "__version__",
    "check",
    "claims",
    "derive",
    "load",
    "parse",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'lngen' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
