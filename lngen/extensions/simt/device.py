"""The emulator as a device that runs CUDA without a GPU: what `lngen.checks.emulator` asks of one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from lngen.checks.emulator import PURPOSE
from lngen.checks.toolchain.device import shown
from lngen.checks.toolchain.item import Item
from lngen.errors import LngenError
from lngen.extensions.simt import toolchain
from lngen.extensions.simt.driver import enable, enabled, using
from lngen.extensions.simt.driver.script import write as stand_in
from lngen.extensions.simt.launch import build
from lngen.extensions.simt.schedule import SCHEDULES

__all__ = ["SCHEDULES", "build", "enable", "enabled", "items", "stand_in", "using"]


def items() -> tuple[Item, Item]:
    """The headers of CUDA, and the emulator that is compiled with them."""
    return _headers(), _emulator()


def _headers() -> Item:
    purpose = "cuda_fp16.h and the like, for the emulator and PyCUDA"
    remedy = "pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"
    try:
        return Item("CUDA headers", True, _headers_version(toolchain.find().headers[0]), purpose)
    except LngenError:
        detail = "none" if shutil.which("g++") else "not looked for without g++"
        return Item("CUDA headers", False, detail, purpose, remedy)


def _emulator() -> Item:
    try:
        toolchain.find()
    except LngenError as error:
        reason, _, remedy = str(error).partition(": ")
        return Item("emulator", False, reason, PURPOSE, remedy)
    return Item("emulator", True, "ready", PURPOSE)


def _headers_version(folder: Path) -> str:
    try:
        text = (folder / "cuda_runtime_api.h").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "unknown version"
    version = re.search(r"#define\s+CUDART_VERSION\s+(\d+)", text)
    return shown(int(version[1])) if version else "unknown version"
