"""Real PyCUDA on the CPU: a `libcuda.so.1` whose device is the emulator, and a stand-in for nvcc.

Call `enable()` before `pycuda.driver` is imported:

    from lngen.extensions.simt import driver
    driver.enable()
    import pycuda.driver as cuda

Everything is done when it is asked for. A launch that does what it must not fails with a CUDA error whose
message says what and in which line; `findings()` has the same as values.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lngen.errors import LngenError
from lngen.extensions.simt.compile import worker
from lngen.extensions.simt.driver import faults, script
from lngen.extensions.simt.driver.image import from_payload
from lngen.extensions.simt.driver.library import build, wrapper
from lngen.extensions.simt.report import Finding
from lngen.extensions.simt.schedule import SCHEDULES, Schedule
from lngen.pipeline.cache import folders
from lngen.pipeline.files.gpu import has_device_files

__all__ = [
    "Settings",
    "configure",
    "enable",
    "enabled",
    "findings",
    "forget",
    "has_device_files",
    "settings",
    "using",
]


@dataclass(frozen=True)
class Settings:
    """Settings by which kernels are run.

    `schedule` orders blocks, warps and lanes, as for `simt.Schedule`; "random" draws by `seed`. `check` watches every
    access to memory, which takes two to ten times as long; loaded modules are compiled once more for it. A kernel may
    take at most `seconds`. If `run` is false, a launch does nothing and returns at once, so that the time of a call is
    its caller's.
    """

    schedule: Schedule = "forward"
    seed: int = 0
    check: bool = False
    seconds: float = 60.0
    run: bool = True

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise LngenError(f"schedule {self.schedule!r}; choose one of {', '.join(SCHEDULES)}")
        if not 0 <= self.seed < 2**31 or not 0 < self.seconds < 1e6:
            raise LngenError("seed counts from 0 to 2**31 - 1, and seconds is a positive number")


_library: ctypes.CDLL | None = None
_settings = Settings()
_callbacks: tuple[object, ...] = ()
_environment: dict[str, str] = {}
"""First entry of PATH, and the folder in which PyCUDA keeps the images of the stand-in for nvcc."""


def enable(*, force: bool = False) -> None:
    """Make the emulator PyCUDA's driver, in this process and those that it starts.

    The first call on a machine compiles the library. Later calls only restore the stand-in for nvcc in PATH.
    LNGEN_COMPILER names it, unless it names another: machine code is none for the emulator. Raises
    LngenError if PyCUDA is missing, if a GPU's driver exists (unless `force`), and if a driver is loaded already.
    Raises ToolchainMissing if g++ or CUDA's headers are missing.
    """
    if _library is None:
        _load(force)
    path = os.environ.get("PATH", os.defpath)
    if not path.startswith(_environment["PATH"] + os.pathsep):
        os.environ["PATH"] = f"{_environment['PATH']}{os.pathsep}{path}"
    os.environ["PYCUDA_CACHE_DIR"] = _environment["PYCUDA_CACHE_DIR"]
    os.environ.setdefault("LNGEN_COMPILER", "nvcc")


def _load(force: bool) -> None:
    global _library, _callbacks
    wrapper()
    if has_device_files() and not force:
        raise LngenError(
            "this machine has a GPU's driver, so PyCUDA runs on it; the emulator is for machines without a GPU"
        )
    if "pycuda._driver" in sys.modules or _driver_is_loaded():
        raise LngenError("a CUDA driver is loaded already: enable the emulator before pycuda.driver is imported")
    library = ctypes.CDLL(str(build()), mode=ctypes.RTLD_GLOBAL)
    library.lngen_driver_set.argtypes = [*[ctypes.c_int] * 3, ctypes.c_double, ctypes.c_int]
    _callbacks = (_BUILD(_build), _DESCRIBE(_describe))
    library.lngen_driver_connect(os.fsencode(worker()), *_callbacks)
    _library = library
    configure(_settings)
    # Images of the stand-in are useless to a GPU, so they stay apart from those that PyCUDA keeps for one.
    images = folders.own("pycuda")
    _environment.update({"PATH": str(script.write().parent), "PYCUDA_CACHE_DIR": str(images)})


def enabled() -> bool:
    """Test whether PyCUDA in this process runs on the emulator."""
    return _library is not None


def settings() -> Settings:
    """Return the settings by which kernels are run now."""
    return _settings


def configure(new: Settings) -> None:
    """Run kernels so from now on."""
    global _settings
    _settings = new
    if _library is not None:
        order = SCHEDULES.index(new.schedule)
        _library.lngen_driver_set(order, new.seed, new.check, new.seconds, new.run)


@contextlib.contextmanager
def using(
    *,
    schedule: Schedule | None = None,
    seed: int | None = None,
    check: bool | None = None,
    seconds: float | None = None,
    run: bool | None = None,
) -> Iterator[None]:
    """Run kernels with some settings changed, within a `with` statement."""
    before = _settings
    changes = {"schedule": schedule, "seed": seed, "check": check, "seconds": seconds, "run": run}
    configure(replace(before, **{name: value for name, value in changes.items() if value is not None}))  # type: ignore[arg-type]
    try:
        yield
    finally:
        configure(before)


def findings() -> tuple[Finding, ...]:
    """Return the findings of the last failed launch; none if no launch has failed since `forget`."""
    return faults.latest()


def forget() -> None:
    """Drop the findings."""
    faults.clear()


_BUILD = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_char),
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_char),
    ctypes.c_size_t,
)
_DESCRIBE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


def _build(image: object, size: int, checked: int, text: object, room: int) -> int:
    """Compile an image for the library; every error becomes text, since an exception in a callback is lost."""
    try:
        found = from_payload(ctypes.string_at(image, size))  # type: ignore[arg-type]
        module = found.compile(bool(checked))
        kernels = (f"{kernel.kernel} {' '.join(kernel.parameters)}" for kernel in module.kernels)
        _answer("\n".join([str(module.path), found.name, *kernels]), text, room)
    except Exception as error:
        _answer(str(error), text, room)
        return 1
    return 0


def _describe(fault: bytes, text: object, room: int) -> int:
    try:
        _answer(faults.note(fault.decode(errors="replace")), text, room)
    except Exception as error:
        _answer(f"{fault!r} ({error!r})", text, room)
    return 0


def _answer(message: str, text: object, room: int) -> None:
    content = message.encode(errors="replace")[: room - 1] + b"\0"
    ctypes.memmove(text, content, len(content))  # type: ignore[arg-type]


def _driver_is_loaded() -> bool:
    try:
        return "/libcuda.so" in Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return False
