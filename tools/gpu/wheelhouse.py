"""Collect the wheels that `make gpu` needs on a machine without network: `python -m tools.gpu.wheelhouse FOLDER`.

They are for the Python of that machine, which need not be the one that runs this. PyCUDA has no wheels, so its own is
given (--pycuda-wheel), or built here by an interpreter of that version.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.gpu.packages import ROOT, PackagesMissing, requirements

LIMIT_MIB = 64
"""The folder is kept smaller than this, so that it can be carried along with the checkout."""

# pip takes these as they stand, and knows nothing of one being newer than another.
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in (34, 31, 28, 27, 26, 24, 17)),
    "manylinux2014_x86_64", "manylinux1_x86_64", "linux_x86_64",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Collect, and say how large the folder is. The exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.gpu.wheelhouse", description=(__doc__ or "").partition(":")[0]
    )
    parser.add_argument("folder", type=Path, help="where the wheels go; other wheels there are removed")
    parser.add_argument("--python-version", default="3.12", help="of the machine with the GPU (%(default)s)")
    parser.add_argument("--pycuda-wheel", type=Path, help="PyCUDA's wheel for it; built here if left out")
    options = parser.parse_args(arguments)
    try:
        size = collect(options.folder, options.python_version, options.pycuda_wheel)
    except PackagesMissing as error:
        print(error, file=sys.stderr)
        return 1
    count = len(list(options.folder.glob("*.whl")))
    print(f"{options.folder}: {count} wheels for Python {options.python_version}, {size / 2**20:.1f} MiB")
    return 0


def collect(folder: Path, version: str, pycuda: Path | None) -> int:
    """Fill the folder; its size in bytes. Raises PackagesMissing, and then leaves the folder as it was."""
    if not re.fullmatch(r"3\.\d{1,2}", version) or tuple(map(int, version.split("."))) < (3, 11):
        raise PackagesMissing(f"the Python version is {version!r}; lngen needs 3.11 or newer, such as 3.12")
    if pycuda is not None and not (pycuda.is_file() and pycuda.suffix == ".whl"):
        raise PackagesMissing(f"{pycuda} is no wheel; PYCUDA_WHEEL names a file pycuda-*.whl")
    with tempfile.TemporaryDirectory() as scratch:
        new = Path(scratch) / "wheels"
        others = [requirement for requirement in requirements() if not requirement.startswith("pycuda")]
        _download(new, version, others)
        _download(new, version, [str(pycuda or _built_pycuda(new, version, Path(scratch)))])
        wheels = sorted(new.glob("*.whl"))
        size = sum(wheel.stat().st_size for wheel in wheels)
        if size > LIMIT_MIB * 2**20:
            raise PackagesMissing(f"the wheels take {size / 2**20:.1f} MiB, more than {LIMIT_MIB}")
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.whl"):
            old.unlink()
        for wheel in wheels:
            shutil.copy2(wheel, folder)
    return size


def _download(folder: Path, version: str, wanted: Sequence[str]) -> None:
    platforms = [word for name in _PLATFORMS for word in ("--platform", name)]
    target = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", version, *platforms]
    # Wheels in the folder count, so that no second version of them is downloaded.
    _run([sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", *target,
          "--find-links", str(folder), "--dest", str(folder), *wanted])  # fmt: skip


def _built_pycuda(wheels: Path, version: str, scratch: Path) -> Path:
    """PyCUDA's wheel, built by an interpreter of the wanted version in an environment of its own."""
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}" == version
    interpreter = sys.executable if ours else shutil.which(f"python{version}")
    # A launcher of that name may be there without what it launches.
    if interpreter is None or subprocess.run([interpreter, "--version"], capture_output=True, check=False).returncode:
        raise PackagesMissing(
            f"PyCUDA's wheel for Python {version} has to be built by one, and there is no python{version} here; "
            "PYCUDA_WHEEL=file names a wheel that is there"
        )
    python = scratch / "venv" / "bin" / "python"
    _run([interpreter, "-m", "venv", str(python.parents[1])])
    names = [requirement for requirement in requirements() if not requirement.startswith("pycuda")]
    _run([str(python), "-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(wheels), *names])
    script = "from tools.build_pycuda import VERSION, wheelhouse; print(wheelhouse(VERSION))"
    built = Path(_run([str(python), "-c", script]).strip().splitlines()[-1])
    return next(built.glob("pycuda-*.whl"))


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        end = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise PackagesMissing(f"{end}\nthe command that failed is\n  {' '.join(map(str, command))}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
