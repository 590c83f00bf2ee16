"""Style, font and script of a page, as they stand in it."""

from __future__ import annotations

import base64
import functools
import hashlib
import re

from lngen import paths
from lngen.emit import render
from lngen.emit.render import Markup


@functools.cache
def style() -> Markup:
    """Return the style sheet of every page, with the font of formulas in it."""
    font = base64.b64encode((paths.templates_folder() / "html" / "maths.woff2").read_bytes()).decode()
    face = f'@font-face {{ font-family: "lngen maths"; src: url(data:font/woff2;base64,{font}) format("woff2"); }}'
    return Markup(f"{face}\n{dense(render.render('html/page.css'))}")


def dense(text: str) -> str:
    """Return a script or a style sheet without indentation, comments and empty lines.

    >>> dense("a;\\n\\n  // why\\n  b;\\n/* what */\\nc;")
    'a;\\nb;\\nc;'
    """
    return re.sub(r"\n(\s*(//.*|/\*.*\*/)?\n)*\s*", "\n", text)


def script_hash(script: str) -> str:
    """Return the hash of a script for a Content-Security-Policy, so that no other script runs."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
