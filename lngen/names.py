"""Which names a definition may use.

A name of a definition becomes a name in Python and in CUDA C++, a field of a NamedTuple and, for the layer
itself, a folder and a package. So it is plain ASCII and it is nothing that one of these already means.

>>> fault("gamma") is None
True
>>> fault("lambda")
'is reserved in Python'
>>> fault("blockDim")
'is reserved in CUDA'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lngen import language

MAXIMUM_LENGTH = 40

RULE = (
    "a name is a letter followed by letters, digits and single underscores, ASCII only, "
    f"at most {MAXIMUM_LENGTH} characters, and does not end with an underscore"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHAPE = re.compile(r"[A-Za-z](?:_?[A-Za-z0-9])*")

# Written out, not taken from the running interpreter: which definitions are legal must not depend on it.
_PYTHON = _words(
    """
    False None True and as assert async await break class continue def del elif else except finally for from
    global if import in is lambda nonlocal not or pass raise return try while with yield match case type
    """
)

_PYTHON_BUILTINS = _words(
    """
    aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex
    copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr
    globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map
    memoryview next object oct open ord pow print property quit range repr reversed round set setattr slice
    sorted staticmethod str super tuple vars zip Ellipsis NotImplemented ArithmeticError AssertionError
    AttributeError BaseException Exception IndexError KeyError LookupError MemoryError NameError
    NotImplementedError OSError OverflowError RuntimeError RuntimeWarning StopIteration TypeError
    UserWarning ValueError Warning ZeroDivisionError """
)

_CPP = _words(
    """
    alignas alignof and_eq asm auto bitand bitor bool catch char char8_t char16_t char32_t co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit decltype default delete
    do double dynamic_cast enum explicit export extern false float friend goto inline int long mutable
    namespace new noexcept not_eq nullptr operator or_eq private protected public reflexpr register
    reinterpret_cast requires restrict short signed sizeof static static_assert static_cast struct switch
    synchronized template this thread_local throw true typedef typeid typename typeof union unsigned using
    virtual void volatile wchar_t xor xor_eq final override module main std int8_t int16_t int32_t int64_t
    uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t size_t ssize_t ptrdiff_t intmax_t uintmax_t
    max_align_t nullptr_t clock_t time_t """
)

_CPP_MACROS = _words(
    """
    NULL NAN INFINITY HUGE_VAL HUGE_VALF EOF RAND_MAX BUFSIZ CHAR_BIT CHAR_MIN CHAR_MAX SHRT_MIN SHRT_MAX
    INT_MIN INT_MAX UINT_MAX LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX SIZE_MAX FLT_MIN
    FLT_MAX FLT_EPSILON DBL_MIN DBL_MAX DBL_EPSILON assert errno stdin stdout stderr offsetof linux unix
    major minor isnan isinf isfinite signbit fpclassify """
)

_CUDA = _words(
    """
    threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 nv_half nv_half2 nv_bfloat16 nv_bfloat162
    bfloat16 cudaStream_t cudaError_t cudaGetLastError cooperative_groups cuda atomicAdd atomicExch atomicCAS
    atomicMax atomicMin atomicInc uchar ushort uint ulong
    """
)

_CUDA_VECTOR = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4](?:_(?:16|32)a)?")

# Mathematics that emitted code may call by name. To hide any other function of C (y1, gamma) does no harm.
_MATH = _words(
    """
    fabs fma fmax fmin fmod hypot cbrt rcbrt erfc erfinv exp2 exp10 log2 log10 pow powi sinpi cospi sincos
    asin acos atan atan2 sinh cosh ceil floor rint trunc round ldexp frexp copysign isnan isinf """
)

_EMITTED = _words(
    """
    saved out threads stream workspace np numpy rows self forward backward jvp dtype backward_backward
    tangents cotangents grad_cotangents cls Saved Gradients SecondGradients Outputs Tangents numpy_backend cuda_backend
    kernels math pycuda drv driver functools """
)

# Names of devices, which some file systems do not give to a folder.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))]
)


def fault(name: str) -> str | None:
    """What is wrong with a name, as the end of a sentence that starts with it; None if nothing is."""
    if len(name) > MAXIMUM_LENGTH:
        return f"is longer than {MAXIMUM_LENGTH} characters"
    if not name.isascii():
        return "has characters that are not ASCII"
    if not _SHAPE.fullmatch(name):
        return "starts or ends with an underscore or has two in a row"
    for names, reason in _reserved():
        if name in names:
            return reason
    if _CUDA_VECTOR.fullmatch(name):
        return "is reserved in CUDA"
    if name.removesuffix("f") in _MATH | language.FUNCTIONS.keys():
        return "is a function of CUDA's mathematics"
    return None


def folder_fault(name: str) -> str | None:
    """What is wrong with a name for a folder besides what `fault` finds; None if nothing is."""
    return "is the name of a device on some systems" if name.lower() in _DEVICES else None


def _reserved() -> Iterator[tuple[frozenset[str], str]]:
    yield frozenset({"D"}), "is the number of features"
    yield frozenset(language.FUNCTIONS), "is a function of the language"
    yield frozenset(language.KIND_NAMES), "is a kind of the language"
    yield _PYTHON, "is reserved in Python"
    yield _PYTHON_BUILTINS, "is a builtin of Python"
    yield _CPP, "is reserved in C++"
    yield _CPP_MACROS, "is a macro of C++"
    yield _CUDA, "is reserved in CUDA"
    yield _MATH, "is a function of CUDA's mathematics"
    yield _EMITTED, "is used by emitted code"


def derived(inputs_and_outputs: list[str]) -> dict[str, str]:
    """The names that emitted code derives: of each gradient or cotangent, what it belongs to.

    >>> derived(["x", "y"])
    {'dx': 'x', 'dy': 'y'}
    """
    return {f"d{name}": name for name in inputs_and_outputs}
