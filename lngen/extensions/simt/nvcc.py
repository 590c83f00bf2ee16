"""Stand-in for nvcc: `python -m lngen.extensions.simt.nvcc --cubin -DLNGEN_D=1024 kernels.cu` writes `kernels.cubin`.

It takes the options that PyCUDA and its users give. The emulator compiles the source, so that its errors appear here,
and the file holds the image for the emulated driver.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from lngen.errors import LngenError
from lngen.extensions.simt.compile import worker
from lngen.extensions.simt.driver.image import Image
from lngen.runtime.includes import inlined

# Options that choose a GPU's code or tune it: the emulator has one kind of code.
_IGNORED = re.compile(
    r"-{1,2}(m64|w|g|G|O\d?|keep|lineinfo|generate-line-info|use_fast_math|ftz=.*|fmad=.*|prec-(div|sqrt)=.*|restrict"
    r"|expt-.*|extended-lambda|resource-usage|std=.*|Werror.*|diag-suppress=.*|split-compile=.*|time=.*)"
)
_IGNORED_WITH_VALUE = {
    "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code", "-std", "--std",
    "-maxrregcount", "--maxrregcount", "-Xptxas", "--ptxas-options", "-Xcompiler", "--compiler-options",
    "-ccbin", "--compiler-bindir", "-t", "--threads", "-diag-suppress", "--diag-suppress",
}  # fmt: skip
_OWN_INCLUDES = Path(__file__).parent / "driver" / "include"
_TARGETS = {"cubin": "cubin", "ptx": "ptx", "fatbin": "fatbin"}


@dataclass
class _Request:
    target: str = ""
    output: Path | None = None
    includes: list[Path] = field(default_factory=list)
    macros: dict[str, str | None] = field(default_factory=dict)
    sources: list[Path] = field(default_factory=list)
    preprocess: bool = False
    version: bool = False


def main(arguments: list[str]) -> int:
    """Run the stand-in for nvcc; return the exit status."""
    try:
        request = _read(arguments)
        if request.version:
            print(version())
            return 0
        if len(request.sources) != 1:
            raise LngenError("give one source file")
        _compile(request, request.sources[0])
    except (LngenError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def version() -> str:
    """Return the answer of `nvcc --version`, which differs for every version of the emulator."""
    return f"lngen emulator, a stand-in for nvcc\n{worker().parent.name}"


def _compile(request: _Request, path: Path) -> None:
    source = inlined(path, folders=(_OWN_INCLUDES, *request.includes))
    if request.preprocess:
        # PyCUDA asks for it only to see whether what a source includes has changed.
        print(source, end="")
        return
    if not request.target:
        raise LngenError("the emulator compiles to --cubin, --ptx or --fatbin")
    image = Image(source, tuple(request.macros.items()), path.name)
    image.compile(False)
    (request.output or path.with_suffix(f".{request.target}")).write_bytes(image.to_bytes())


def _read(arguments: list[str]) -> _Request:
    request = _Request()
    words = iter(arguments)

    def value(inline: str) -> str:
        given = inline or next(words, "")
        if not given:
            raise LngenError("an option has no value")
        return given

    for word in words:
        option, equals, inline = word.partition("=")
        if word in ("--version", "-V"):
            request.version = True
        elif word in ("--preprocess", "-E"):
            request.preprocess = True
        elif word.startswith("-") and word.lstrip("-") in _TARGETS:
            request.target = _TARGETS[word.lstrip("-")]
        elif word in ("-o", "--output-file"):
            request.output = Path(value(""))
        elif word.startswith("-D"):
            name, equals, definition = value(word[2:]).partition("=")
            request.macros[name] = definition if equals else None
        elif word.startswith("-I"):
            request.includes.append(Path(value(word[2:])))
        elif option in _IGNORED_WITH_VALUE:
            value(inline if equals else "")
        elif _IGNORED.fullmatch(word):
            continue
        elif word.startswith("-"):
            raise LngenError(f"the emulator's stand-in for nvcc does not know the option {word}")
        else:
            request.sources.append(Path(word))
    return request


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
