"""Reserved words of CUDA C++, which no name of a derivation keeps there.

The names of the emitted text itself are not listed here: `lngen.emit.spelling` reads them from the text.
"""

from __future__ import annotations

import re

from lngen.emit.spelling import STRING_OR_MEMBER, Language

_KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue contract_assert decltype
    default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if import
    inline int long main module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private
    protected public reflexpr register reinterpret_cast requires restrict return short signed sizeof static
    static_assert static_cast std struct switch synchronized template this thread_local throw true try typedef typeid
    typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
    """.split()  # noqa: SIM905
)

# Macros in small letters that a compiler or a header of it may bring.
_MACROS = frozenset(
    """
    alloca assert cdecl errno far fpclassify huge i386 interface isfinite isgreater isinf isless isnan isnormal
    isunordered linux major makedev math_errhandling minor near noinline noreturn offsetof pascal setjmp signbit small
    stderr stdin stdout unix va_arg va_end va_start
    """.split()  # noqa: SIM905
)

_CUDA = frozenset(
    """
    threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 nv_half nv_half2 nv_bfloat16 nv_bfloat162 bfloat16
    cooperative_groups cuda nvcuda uchar uint ulong ushort size_t ptrdiff_t
    """.split()  # noqa: SIM905
)

_VECTORS = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4](?:_(?:16|32)a)?")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]*")


def _is_legal(name: str) -> bool:
    """Test whether a name is legal in CUDA C++ as it is; a name in capitals may be a macro of any header.

    >>> [_is_legal(name) for name in ("gamma", "half", "float4", "NULL", "a__b")]
    [True, False, False, False, False]
    """
    reserved = name in _KEYWORDS | _MACROS | _CUDA or "__" in name
    return not (reserved or _VECTORS.fullmatch(name) or _CAPITALS.fullmatch(name))


CPP = Language(re.compile(rf"//.*|/\*[\s\S]*?\*/|{STRING_OR_MEMBER}"), _is_legal)
"""CUDA C++."""
