"""Importing an emitted layer, from a checkout, from a wheel, or from any folder it was written to."""

import importlib
import importlib.util
import keyword
import os
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol, cast, overload

from lngen import paths, runtime
from lngen.errors import LngenError, nearest
from lngen.paths import RUNTIME
from lngen.pipeline.files import processor
from lngen.runtime import emitted
from lngen.runtime.protocol.interface import Interface

NUMPY = "numpy_backend.py"
"""The file with the functions of NumPy that callers have."""

HOST_BACKENDS = ("numpy", "cpu")
"""Backends that compute on the processor."""

FRAMEWORKS = {"torch": "PyTorch", "jax": "JAX"}
"""Names of the frameworks that have a backend each."""

_TEXTS = count()


class Layer(Protocol):
    """Module of a layer that is not known before it is loaded; `INTERFACE` describes its functions.

    A known layer is imported, `from generated import NAME`, and has its own types.
    """

    __name__: str
    __file__: str | None
    INTERFACE: Interface
    Saved: type[Any]
    Gradients: type[Any]
    forward: Callable[..., tuple[Any, Any]]
    backward: Callable[..., Any]
    jvp: Callable[..., Any]
    backward_backward: Callable[..., Any]


@overload
def load(layer: str | os.PathLike[str], backend: Literal["torch", "jax"]) -> ModuleType: ...


@overload
def load(layer: str | os.PathLike[str], backend: str = "numpy") -> Layer: ...


def load(layer: str | os.PathLike[str], backend: str = "numpy") -> Layer | ModuleType:
    """Return the emitted module of a layer; it has `forward`, `backward` and the rest.

    `layer` is the name of a layer that comes with lngen, or the folder of an emitted one as a `pathlib.Path`.
    A name is never taken for a path. `backend` is "numpy", "cpu" for compiled kernels, which need a C++ compiler where
    they are first called, or "auto": compiled where there is a compiler or `lngen build` was, else NumPy. "torch" is
    the layer in PyTorch, a module with a function and a class that have its name, and "jax" one with a function of
    arrays of JAX's. The backend of an extension is its module `NAME_backend.py`.

    The module of a named layer is the one that `import` finds: `generated.NAME` in a checkout whose root is
    on `sys.path`, else `lngen.generated.NAME`. A folder is imported under a name made from where it is and
    from its manifest, so the same folder gives the same module until it is emitted anew.

    Raises LngenError if there is no such layer, or no such backend; the message lists those there are. It does for
    "torch" and "jax" where these are not installed.
    """
    there = (*HOST_BACKENDS, "auto", *FRAMEWORKS)
    if is_extra := backend not in there:
        from lngen import entry_points  # which lngen's own backends do without

        there += tuple(name for name in entry_points.extensions(entry_points.BACKENDS) if name not in emitted.BACKENDS)
    if backend not in there:
        raise LngenError(f"there is no backend {backend!r} for arrays of the processor; there are {_listed(there)}.")
    if backend in FRAMEWORKS and not is_installed(backend):
        needed = f"{FRAMEWORKS[backend]}, which is not installed: pip install {backend}"
        raise LngenError(f"the backend {backend} needs {needed}")
    module = _load_name(layer) if isinstance(layer, str) else _load_folder(Path(layer))
    folder = Path(next(iter(module.__path__)))
    if backend == "auto":
        backend = processor.chosen(folder).backend if emitted.is_emitted(folder, "cpu") else "numpy"
    elif not emitted.is_emitted(folder, backend):
        raise LngenError(f"{emitted.left_out(folder, backend)}.")
    if is_extra or backend in FRAMEWORKS:
        return importlib.import_module(f"{module.__name__}.{backend}_backend")
    return cast(Layer, importlib.import_module(f"{module.__name__}.cpu_backend") if backend == "cpu" else module)


def is_installed(package: str) -> bool:
    """Test whether a package can be imported, without importing it."""
    return importlib.util.find_spec(package) is not None


def available() -> tuple[str, ...]:
    """The names of the emitted layers that `load` finds, sorted."""
    folder = paths.generated_folder()
    if not folder.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in folder.iterdir() if _is_emitted(entry)))


def _is_emitted(folder: Path) -> bool:
    return folder.name.isidentifier() and folder.name != RUNTIME and bool(emitted.backends_in(folder))


def _load_name(name: str) -> ModuleType:
    names = available()
    if not name.isidentifier() or keyword.iskeyword(name):
        raise LngenError(
            f"{name!r} is not a layer's name; lngen has {_listed(names)}. To load a folder, pass it as a pathlib.Path."
        )
    if name not in names:
        own = f"For a layer of your own, pass its folder, as Path('my_layers/{name}')."
        raise LngenError(f"there is no emitted layer {name!r}; lngen has {_listed(names)}.{nearest(name, names)} {own}")
    folder = paths.generated_folder()
    package = "generated" if _finds("generated", folder) else "lngen.generated"
    if package == "lngen.generated":
        _ensure_package(package, folder)
    return importlib.import_module(f"{package}.{name}")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else "none yet: run `lngen derive`"


def _finds(package: str, folder: Path) -> bool:
    """Test whether `import package` would take its modules from the folder."""
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # a module of that name without a spec, such as one that a program made itself
        return False
    places = spec.submodule_search_locations if spec else None
    return places is not None and Path(next(iter(places), "")).resolve() == folder.resolve()


def _ensure_package(package: str, folder: Path) -> None:
    # In a wheel the import system would find the folder by itself. In a checkout that is not on sys.path it
    # would not, and a package of the user's that is called `generated` must be left alone.
    if package not in sys.modules:
        module = ModuleType(package, "The emitted layers that come with lngen.")
        module.__path__ = [str(folder)]
        sys.modules[package] = module


def _load_folder(folder: Path) -> ModuleType:
    if not _is_emitted(folder):
        what = "it has no code of a backend or its name is not an identifier" if folder.is_dir() else "it is no folder"
        raise LngenError(
            f"{folder} is not the folder of an emitted layer: {what}. "
            "Pass DIR/NAME of what `lngen derive --out DIR` wrote."
        )
    folder = folder.resolve()
    if folder.parent == paths.generated_folder().resolve():
        return _load_name(folder.name)
    if (folder / "__init__.py").is_file() and not (folder.parent / RUNTIME / "__init__.py").is_file():
        raise LngenError(
            f"{folder.parent} has no {RUNTIME}/, which its layers share. Copy it there too, or write the layer anew "
            f"with `lngen derive --out`."
        )
    package = f"_lngen_{_fingerprint(folder)}"
    _ensure_package(package, folder.parent)
    importlib.invalidate_caches()
    return importlib.import_module(f"{package}.{folder.name}")


def module_from_files(files: Mapping[str, str], name: str) -> ModuleType:
    """Run the emitted file of NumPy as a module with a runtime of its own.

    Settings of that runtime affect this module alone.
    """
    package = f"_lngen_text_{next(_TEXTS)}"
    layer = f"{package}.{name}"
    _ensure_package(package, Path())
    _ensure_package(f"{package}.{RUNTIME}", Path(next(iter(runtime.__path__))))
    _ensure_package(layer, Path())
    try:
        module = ModuleType(f"{layer}.{NUMPY[:-3]}")
        module.__package__ = layer
        exec(compile(files[NUMPY], f"<{name}/{NUMPY}>", "exec"), module.__dict__)
        return module
    finally:
        for entry in [entry for entry in sys.modules if entry == package or entry.startswith(f"{package}.")]:
            del sys.modules[entry]


def _fingerprint(folder: Path) -> str:
    manifest = folder / "manifest.json"
    content = manifest.read_bytes() if manifest.is_file() else b""
    return sha256(os.fsencode(folder) + b"\0" + content).hexdigest()[:16]
