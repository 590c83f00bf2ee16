"""Folders `derive/`, `templates/` and `generated/`.

In a checkout they stand beside the package, in an installed wheel inside it. A checkout is recognised by a
`pyproject.toml` of lngen's distribution beside the package that was imported, so `python -m lngen` in a checkout, and
an editable install of it from anywhere, use that checkout's folders.
"""

import keyword
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lngen.errors import LngenError
from lngen.version import DISTRIBUTION

_PACKAGE = Path(__file__).resolve().parent

RUNTIME = "_runtime"
"""Folder beside emitted layers with the shared runtime: the files of `lngen.runtime`, unchanged."""


@cache
def _project_of(folder: Path) -> Mapping[str, Any]:
    """The table in which `pyproject.toml` of a folder declares lngen's distribution; empty if it declares another."""
    try:
        project: Mapping[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return project if project["name"] == DISTRIBUTION else {}
    except (OSError, ValueError, KeyError, TypeError):
        # Whatever pyproject.toml stands beside an installed package, it is not this project.
        return {}


def _checkout_of(package: Path) -> Path | None:
    """The checkout that the package folder stands in, or None if it is installed."""
    return package.parent if _project_of(package.parent) else None


checkout: Path | None = _checkout_of(_PACKAGE)
"""The root of the checkout that lngen is imported from; None in an installed wheel."""

packaged: bool = checkout is None
"""True if lngen is installed, with its definitions, templates and emitted layers inside the package."""


def project_table() -> Mapping[str, Any]:
    """The table in which `pyproject.toml` of the checkout declares the distribution; empty in an installed wheel."""
    return {} if checkout is None else _project_of(checkout)


def derive_folder() -> Path:
    """The folder of the forward definitions, one file per layer."""
    return (checkout or _PACKAGE) / "derive"


def templates_folder() -> Path:
    """The folder of the templates, one folder per backend."""
    return (checkout or _PACKAGE) / "templates"


def generated_folder() -> Path:
    """The folder of the emitted layers, one folder per layer. It need not exist yet."""
    return (checkout or _PACKAGE) / "generated"


_IMPORTED = ("numpy", "torch", "jax", "jaxlib", "pycuda", "cuda", "ml_dtypes", "dask", "cupy")
"""Packages that emitted code imports, or that its arrays are of."""


def require_package(folder: Path) -> None:
    """Refuse a folder whose name cannot be imported, or hides a package that emitted code imports."""
    name = folder.resolve().name
    if name in _IMPORTED or name in sys.stdlib_module_names:
        raise LngenError(
            f"{folder} would hide the package {name} from programs beside it. "
            "Choose another folder, such as my_model/layers, for `from my_model.layers import NAME`."
        )
    if not folder.is_file() and (not name.isidentifier() or keyword.iskeyword(name)):
        raise LngenError(
            f"{folder} cannot be imported from: {name!r} is not the name of a Python package. "
            "Choose another folder, such as my_model/layers, for `from my_model.layers import NAME`."
        )
