"""The derivation as a document that another program can check: `tools/verify.py` does, and imports nothing of lngen.

It holds the definition, without its docstring, and every step of the four directions. What follows from the definition
is left out: kinds, constants, the smallest D, the names of cotangents,
tangents and results. So is what nobody can check: reasons, names of rules, grades of evidence. `docs/certificate.md`
has the format.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from lngen.algebra.notation import text
from lngen.derivation.derivation import Derivation, Step

FORMAT = "lngen certificate 4"


def certificate(derivation: Derivation) -> str:
    """The certificate of a derivation that has all four directions, as JSON."""
    document = {
        "format": FORMAT,
        "definition": _plain(derivation.definition.source),
        "names": {there: here for here, there in derivation.definition.renamed},
        "steps": [_step(step) for part in derivation.derivatives().values() for step in part.steps],
    }
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _plain(source: str) -> str:
    """Print the function of a definition as Python does, without comments and docstrings.

    >>> print(_plain("def f(x: Row, eps: Constant = 1e-5):\\n    '''A norm.'''\\n    return x/sqrt(mean(x**2)+eps)"))
    def f(x: Row, eps: Constant=1e-05):
        return x / sqrt(mean(x ** 2) + eps)
    """
    function = ast.parse(source).body[-1]
    assert isinstance(function, ast.FunctionDef)
    function.body = function.body[ast.get_docstring(function, clean=False) is not None :]
    return ast.unparse(function)


def _step(step: Step) -> dict[str, Any]:
    found: dict[str, Any] = {"target": step.target.name}
    if step.before is not None:
        found["before"] = text(step.before)
    found["after"] = text(step.after)
    if step.contributions:
        found["parts"] = [text(part.expression) for part in step.contributions]
    if step.uses:
        found["uses"] = [[text(left), text(right)] for left, right in step.uses]
    return found
