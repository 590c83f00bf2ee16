"""Names that a definition may use, and their names in its derivation.

Any identifier of ASCII letters, digits and underscores may name an input, a statement, an output, a Constant or the
layer. Refused are words that a definition or the signature of an emitted function already uses. A name begins and ends
with a letter or a digit. Names with an outer underscore are reserved for emitted code, so the two never clash.

Words that a backend's language reserves (`half`, `std`, `blockIdx` in C++) are renamed in that backend automatically,
and so are clashes with the names of emitted code.

>>> fault("gamma") is None, fault("blockDim") is None
(True, True)
>>> fault("lambda")
'is reserved in Python'
>>> fault("out")
'is an argument of the emitted functions'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from lngen import language

MAXIMUM_LENGTH = 40

RULE = (
    "a name is a letter followed by letters, digits and underscores, ASCII only, "
    f"at most {MAXIMUM_LENGTH} characters, and does not end with an underscore"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHAPE = re.compile(r"[A-Za-z](?:\w*[A-Za-z0-9])?", re.ASCII)

# Written out, not taken from the running interpreter: which definitions are legal must not depend on it.
KEYWORDS = _words(
    """
    False None True and as assert async await break class continue def del elif else except finally for from
    global if import in is lambda nonlocal not or pass raise return try while with yield
    """
)

BUILTINS = _words(
    """
    aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex
    copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr
    globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map
    memoryview next object oct open ord pow print property quit range repr reversed round set setattr slice
    sorted staticmethod str super tuple type vars zip Ellipsis NotImplemented ArithmeticError AssertionError
    AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning
    ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
    DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError
    FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
    MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError
    ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError
    SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError
    UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
    ZeroDivisionError
    """
)

_ALSO_BUILTINS = _words("abs max min sum")
"""Builtins of Python that are functions of the language, too."""

SIGNATURE = _words("saved save out threads stream workspace cotangents like")
"""Arguments of emitted functions, of every backend that there is or will be."""

# Names of devices, which some file systems do not give to a folder.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))]
)

_LONGEST_STEM = 32


def fault(name: str) -> str | None:
    """Return the fault of a name as the end of a sentence that starts with the name; None if there is no fault."""
    if len(name) > MAXIMUM_LENGTH:
        return f"is longer than {MAXIMUM_LENGTH} characters"
    if not name.isascii():
        return "has characters that are not ASCII"
    if not _SHAPE.fullmatch(name):
        return "begins or ends with an underscore"
    return next((reason for names, reason in refused() if name in names), None)


def value_fault(name: str) -> str | None:
    """Return the fault of a name of an input or a statement; unlike a layer, it may be called as a function is.

    As in Python, the name then is the value's in all of the function.

    >>> value_fault("clip") is None, value_fault("max")
    (True, 'is a function of the language')
    """
    is_free = name in {"pi", *language.FUNCTIONS} and name not in _ALSO_BUILTINS
    return None if is_free else fault(name)


def remedy(name: str) -> str:
    """Name a replacement for a refused name of a value or a layer.

    >>> remedy("out")
    'call it h, or any other name'
    >>> remedy("lambda_").partition(":")[0]
    'call it lam, or any other name'
    """
    bare = name.strip("_")
    free = (each for each in (bare, bare[:3] if bare in KEYWORDS else "h", "h", "g") if each != name)
    another = f"call it {next(each for each in free if fault(each) is None)}, or any other name"
    return another if _SHAPE.fullmatch(name) and len(name) <= MAXIMUM_LENGTH else f"{another}: {RULE}"


def folder_fault(name: str) -> str | None:
    """Return a further fault of a name that is to name a folder; None if there is none."""
    return "is the name of a device on some systems" if name.lower() in _DEVICES else None


def refused() -> Iterator[tuple[frozenset[str], str]]:
    """The words that no definition may use, and why, as the end of a sentence that starts with one."""
    yield frozenset({"D"}), "is the number of features"
    yield frozenset({"pi"}), "is a number of the language"
    yield frozenset({*language.FUNCTIONS, *language.STATEMENTS}), "is a function of the language"
    yield frozenset(language.ANNOTATIONS), "is a kind of the language"
    yield KEYWORDS, "is reserved in Python"
    yield BUILTINS, "is a builtin of Python"
    yield SIGNATURE, "is an argument of the emitted functions"


def tangent(name: str) -> str:
    """Return the name of a value's tangent in formulas.

    >>> tangent("x")
    'x_dot'
    """
    return f"{name}_dot"


def cotangent(name: str, *, again: bool = False) -> str:
    """Return the name of a value's gradient in formulas; `again` gives that of a second gradient.

    >>> cotangent("x"), cotangent("dx"), cotangent("x", again=True)
    ('dx', 'ddx', 'd2x')
    """
    return f"d2{name}" if again else f"d{name}"


def derived(name: str) -> frozenset[str]:
    """Return the names that a derivation derives from an input or an output.

    They are its gradient or cotangent, the cotangent of that, its second gradient, and its tangent.

    >>> sorted(derived("x"))
    ['d2x', 'ddx', 'dx', 'x_dot']
    """
    return frozenset([cotangent(name), cotangent(cotangent(name)), cotangent(name, again=True), tangent(name)])


def numbered(wanted: str, taken: Callable[[str], bool]) -> str:
    """`wanted`, or `wanted_2`, `wanted_3`, ... where that is taken; a long one is cut.

    >>> numbered("mu", {"mu", "mu_2"}.__contains__)
    'mu_3'
    """
    # A cut name keeps the suffix that marks a tangent.
    sign = tangent("") if wanted.endswith(tangent("")) else ""
    stem = wanted.removesuffix(sign)[: _LONGEST_STEM - len(sign)].rstrip("_") + sign
    name, count = stem, 1
    while taken(name):
        count += 1
        name = f"{stem}_{count}"
    return name


def apart(names: Collection[str], ends: Collection[str]) -> dict[str, str]:
    """Choose the names of a definition's variables in its derivation, so that none is `derived` from another.

    `ends` are the inputs and outputs. A name gets a number if it is derived from one of them, if it is one of them
    and shares a derived name with another, or if it is that of a function. It keeps its own name in the emitted
    signatures.

    >>> apart(["x", "gamma", "dx", "gamma_dot", "dx_2"], ["x", "gamma"])
    {'x': 'x', 'gamma': 'gamma', 'dx': 'dx_3', 'gamma_dot': 'gamma_dot_2', 'dx_2': 'dx_2'}

    The gradient of `v_dot` and the tangent of `dv` would have the same name:

    >>> apart(["dv", "v_dot"], ["dv", "v_dot"])
    {'dv': 'dv', 'v_dot': 'v_dot_2'}
    """
    reserved: set[str] = set().union(*map(derived, ends))
    found: dict[str, str] = {}
    kept: set[str] = set()
    for name in names:
        own = derived(name) if name in ends else frozenset()
        if name not in reserved and not own & kept and fault(name) is None:
            found[name] = name
            kept |= own

    def taken(name: str) -> bool:
        own = {*names, *found.values()}
        return name in own | reserved or bool(derived(name) & (own | reserved)) or fault(name) is not None

    for name in names:
        if name not in found:
            found[name] = numbered(name, taken)
            reserved |= derived(found[name])
    return {name: found[name] for name in names}
