"""Docstrings on the documentation site, with their examples shown as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?=\S).*)*", re.MULTILINE)


def fenced(docstring: str) -> str:
    """The docstring with each run of examples in a block of code.

    >>> print(fenced("One:\\n\\n>>> 1\\n1\\n\\nAnd so on.").replace("`", "'"))
    One:
    <BLANKLINE>
    '''pycon
    >>> 1
    1
    '''
    <BLANKLINE>
    And so on.
    """
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", docstring)


class Doctests(griffe.Extension):
    """Fences the examples of every docstring that is shown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
