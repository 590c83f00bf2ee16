"""Changes to a source of kernels for a C++ compiler, and the signatures read from it.

The compiler's preprocessor has resolved the macros before, so that only the selected kernels remain. Lines keep their
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lngen.errors import LngenError

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_SET_ASIDE = "#pragma simt_include"

_DYNAMIC_SHARED = re.compile(
    r"\bextern\s+__shared__\s+(?:(?:__align__|alignas)\s*\([^()]*\)\s*)?(?P<type>[\w:<>\s]+?)\s*\b(?P<name>\w+)\s*\[\s*\]\s*;"
)
_TOKENS = re.compile(r'extern\s*"C"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\b__global__\b|[{};]')
_WORD = re.compile(r"\w+")
_MACRO = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Signature:
    """Signature of a kernel: its name and the names of its parameters."""

    kernel: str
    parameters: tuple[str, ...]


def with_includes_set_aside(source: str) -> str:
    """The source with its includes as pragmas, which a preprocessor passes on.

    >>> with_includes_set_aside("# include <cuda_fp16.h>")
    '#pragma simt_include <cuda_fp16.h>'
    """
    return _INCLUDE.sub(_SET_ASIDE, source)


def for_compiler(preprocessed: str) -> str:
    """The preprocessed source as C++: includes are back, the block's shared memory is asked for.

    >>> for_compiler("extern __shared__ __align__(16) float tile[];")
    'float* tile = reinterpret_cast<float*>(simt_shared_memory());'
    """
    return _DYNAMIC_SHARED.sub(_shared_pointer, preprocessed.replace(_SET_ASIDE, "#include"))


def macro_options(macros: Mapping[str, object]) -> tuple[str, ...]:
    """Macros as options of a compiler, in the order of their names. A value None or True defines the name alone.

    >>> macro_options({"LNGEN_FORWARD": None, "LNGEN_D": 1024})
    ('-DLNGEN_D=1024', '-DLNGEN_FORWARD')
    """
    for name in macros:
        if not _MACRO.fullmatch(name):
            raise LngenError(f"{name!r} is not the name of a macro; use letters, digits and underscores")
    named = sorted(macros.items())
    return tuple(f"-D{name}" if value in (None, True) else f"-D{name}={value}" for name, value in named)


def signatures(preprocessed: str) -> tuple[Signature, ...]:
    """The kernels that are `extern "C"`, in order, once each.

    >>> signatures('extern "C" { __global__ void __launch_bounds__(F<8>::N) scale(const float* x, long long rows) {} }')
    (Signature(kernel='scale', parameters=('x', 'rows')),)
    >>> signatures('template <class T> __global__ void scale(T* x) {}')
    ()
    """
    found: dict[str, Signature] = {}
    blocks: list[bool] = []  # for each open brace, whether it is one of `extern "C" {`
    linkage = False
    for token in _TOKENS.finditer(preprocessed):
        text = token[0]
        if text.startswith("extern"):
            linkage = True
        elif text == "__global__":
            if (linkage or blocks) and all(blocks):
                signature = _signature(preprocessed, token.end())
                found.setdefault(signature.kernel, signature)
        elif text == "{":
            blocks.append(linkage and preprocessed[: token.start()].rstrip().endswith('"C"'))
            linkage = False
        elif text == "}":
            if blocks:
                blocks.pop()
            linkage = False
        elif text == ";":
            linkage = False
    return tuple(found.values())


def _shared_pointer(declaration: re.Match[str]) -> str:
    kind, name = declaration["type"], declaration["name"]
    newlines = "\n" * (declaration[0].count("\n") - kind.count("\n"))
    return f"{kind}* {name} = reinterpret_cast<{' '.join(kind.split())}*>(simt_shared_memory());{newlines}"


def _signature(text: str, start: int) -> Signature:
    """The name and parameters that follow `__global__`: the first parentheses after a name that is not an attribute."""
    while word := _WORD.search(text, start):
        start = word.end()
        opening = re.compile(r"\s*\(").match(text, start)
        if not opening:
            continue
        inside, start = _parenthesized(text, opening.end())
        if not word[0].startswith("__"):
            return Signature(word[0], tuple(_parameter_names(inside)))
    raise LngenError("a kernel has no name: expected `__global__ void name(...)`")


def _parenthesized(text: str, start: int) -> tuple[str, int]:
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place], place + 1
    raise LngenError("a kernel's parentheses are not closed")


def _parameter_names(parameters: str) -> Iterator[str]:
    depth, part = 0, ""
    for character in parameters + ",":
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            words = _WORD.findall(part.split("=")[0])
            if words and words != ["void"]:
                yield words[-1]
            part = ""
        else:
            part += character
