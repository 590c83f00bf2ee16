"""The GPU of this machine, as far as files tell of it."""

from __future__ import annotations

import os

NO_PYCUDA = "no PyCUDA: in a checkout run `make pycuda`, elsewhere build it as docs/pycuda.md says"

_DEVICE_FILES = ("/dev/nvidiactl", "/dev/dxg")


def has_device_files() -> bool:
    """Test whether the device files of a GPU's driver exist."""
    return any(map(os.path.exists, _DEVICE_FILES))
