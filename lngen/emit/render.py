"""Rendering of templates; no other module imports jinja2. `Markup` is text that is HTML already.

A template places text that the plan's printer finished. It may loop, branch on a field, import macros
relative to `templates/`; it may not compute. A name or an attribute that was not given is an error, never an
empty string.
"""

import functools
import re
import traceback
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup as Markup

from lngen import paths
from lngen.emit.spelling import reading
from lngen.errors import LngenError


def render(template: str, /, folder: Path | None = None, **fields: Any) -> str:
    """The text of a template with its fields put in.

    `template` is a path below the templates folder, such as `numpy/module.py.jinja`; in `folder` it is looked for
    before. Raises LngenError with the template and the line if the template is missing, cannot
    be parsed, or uses a name it was not given.
    """
    folders = _folders(folder)
    try:
        return _environment(folders).get_template(template).render(fields)
    except jinja2.TemplateSyntaxError as error:
        raise LngenError(f"template {error.name or template}, line {error.lineno}: {error.message}") from error
    except jinja2.TemplateNotFound as error:
        asked = "" if error.name == template else f", which {template} asks for"
        raise LngenError(f"there is no template {error.name}{asked}") from error
    except Exception as error:
        message = str(error) if isinstance(error, jinja2.TemplateError) else f"{type(error).__name__}: {error}"
        raise LngenError(f"template {_place(error, folders, template)}: {message}") from error


def module(template: str, /, **fields: Any) -> str:
    """The text of a module of Python, with names in plain letters and no more than two empty lines in a row."""
    return reading(re.sub(r"\n{4,}", "\n\n\n", render(template, **fields)))


def sources(*prefixes: str, folder: Path | None = None) -> dict[str, str]:
    """The text of every template below the folders named, by its path below the templates folder.

    A manifest hashes these: an emission depends on each of them, on the macros that are imported too. `folder` is as
    for `render`.
    """
    found = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for root in reversed(_folders(folder))
        for prefix in prefixes
        for path in (root / prefix).rglob("*.jinja")
    }
    return dict(sorted(found.items()))


def _folders(first: Path | None) -> tuple[Path, ...]:
    own = paths.templates_folder().resolve()
    return (own,) if first is None else (first.resolve(), own)


@functools.cache
def _environment(folders: tuple[Path, ...]) -> jinja2.Environment:
    # In a page everything is escaped but a Markup. Code has no other reader than a compiler: &lt; would be wrong in it.
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(".html.jinja"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _place(error: Exception, folders: tuple[Path, ...], template: str) -> str:
    # Jinja rewrites tracebacks, so that a template's frames carry its own file and line.
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        for folder in filter(path.is_relative_to, folders):
            return f"{path.relative_to(folder).as_posix()}, line {frame.lineno}"
    return template
