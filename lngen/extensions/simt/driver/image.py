"""Image that the stand-in for nvcc writes instead of machine code: the source, compiled when loaded.

Modules stay in the emulator's cache. An image that PyCUDA has kept stays valid when that cache is emptied, and when the
emulator changes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from lngen.errors import LngenError
from lngen.extensions.simt.compile import CompiledModule, compile_module

_MAGIC = "lngen-simt-image"


@dataclass(frozen=True)
class Image:
    """Source of kernels, its macros as name and value, and its name in messages."""

    source: str
    macros: tuple[tuple[str, str | None], ...]
    name: str

    def compile(self, checked: bool) -> CompiledModule:
        """The module. Raises ToolchainMissing, CompileError, and LngenError if there is no kernel."""
        return compile_module(self.source, dict(self.macros), self.name, checked)

    def to_bytes(self) -> bytes:
        r"""Return the content of a file: a line with the length of the JSON after it.

        >>> Image("", (), "a.cu").to_bytes()
        b'lngen-simt-image 44\n{"source": "", "macros": [], "name": "a.cu"}'
        """
        payload = json.dumps(asdict(self)).encode()
        return f"{_MAGIC} {len(payload)}\n".encode() + payload


def from_payload(payload: bytes) -> Image:
    """The image whose JSON this is. Raises LngenError if it is none."""
    try:
        fields = json.loads(payload)
        return Image(fields["source"], tuple((name, value) for name, value in fields["macros"]), fields["name"])
    except (ValueError, KeyError, TypeError) as error:
        raise LngenError(f"not an image of the emulator: {error}") from error
