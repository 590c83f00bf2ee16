"""A plugin of pytest, `-p tests.pretended_gpu`, with which a machine seems to have a GPU.

The files that its driver is reached through seem to be there, and its driver is the emulator's, loaded before any test.
Who then asks for the emulator is refused, as on a machine that has a GPU.
"""

import os

import pytest

from lngen.errors import LngenError
from lngen.extensions.simt import driver

_exists = os.path.exists


def pytest_configure(config: pytest.Config) -> None:
    """Pretend from now on: before any module of tests asks what there is, and only where this is a plugin."""
    driver.enable(force=True)
    os.path.exists = _seems_to_exist
    driver.enable = _refused


def _seems_to_exist(path: str) -> bool:
    return path == "/dev/nvidiactl" or _exists(path)


def _refused(*, force: bool = False) -> None:
    raise LngenError("this machine has a GPU's driver, and a test asks for the emulator")
