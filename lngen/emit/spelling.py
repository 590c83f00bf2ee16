"""Identifiers of emitted code for the names of a derivation, without clashes.

While a text is built, a name of the derivation is written in a second alphabet (`marked`). It cannot clash with a name
of the emitted code, and a composed word such as `x_rows` is a third kind of word. When the text is whole, `spelled`
gives each of these words a plain spelling. It is the word's own spelling if nothing in the text has it, else one with
an underscore at its end, which no name of a definition has.

>>> x, rows = marked("x"), marked("rows")
>>> print(spelled(f"def block({x}_rows, {rows}, {marked('x_rows')}):  # of {rows}\\n    rows = 1", PYTHON))
def block(x_rows_, rows_, x_rows):  # of rows_
    rows = 1
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sympy import Expr

from lngen.algebra.symbols import PLACE, D, TypedSymbol, renamed
from lngen.errors import LngenError
from lngen.language import names
from lngen.plan.program import RowProgram, Store

_FIRST = 0x4E00
"""First character of the second alphabet: letters to Python and `re`, in the order of ASCII and one column wide."""

_READING = {_FIRST + code: chr(code) for code in range(128)}
_WORD = re.compile(r"[^\W\d]\w*")


def marked(name: str) -> str:
    """A name of the derivation in the second alphabet."""
    return "".join(chr(_FIRST + ord(character)) for character in name)


def reading(text: str) -> str:
    """A text with marked names in plain letters.

    >>> reading(f"d{marked('x')}_out")
    'dx_out'
    """
    return text.translate(_READING)


def gradient(name: str) -> str:
    """`dx` for `x`, in the alphabet that the name is in.

    >>> reading(gradient(marked("x"))), gradient("x")
    ('dx', 'dx')
    """
    return names.cotangent(name) if name.isascii() else marked(names.cotangent(reading(name)))


def tangent(name: str) -> str:
    """`x_dot` for `x`, in the alphabet that the name is in.

    >>> reading(tangent(marked("x"))), tangent("x")
    ('x_dot', 'x_dot')
    """
    return names.tangent(name) if name.isascii() else marked(names.tangent(reading(name)))


def belongs_to(name: str) -> str:
    """`x` for `dx`, in the alphabet that the name is in."""
    return name[1:]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Translate marked names in the messages of errors."""
    try:
        yield
    except LngenError as error:
        raise LngenError(reading(str(error))) from error


# ---- from marked text to plain text


@dataclass(frozen=True)
class Language:
    """Language of an emitted text: the places where names do not count, and the words that it reserves."""

    silent: re.Pattern[str]
    legal: Callable[[str], bool] = lambda name: True


STRING_OR_MEMBER = r'"(?:\\.|[^"\\\n])*"|\.[A-Za-z_]\w*'
"""Pattern of a string or a member; the name after a dot is not a variable."""

PYTHON = Language(re.compile(rf'"""[\s\S]*?"""|#.*|{STRING_OR_MEMBER}'))
"""Python reserves nothing that a definition may use."""


def spelled(text: str, language: Language) -> str:
    """A text with every marked name and every word that has one in it spelled plainly, no two words alike.

    The text has to be a whole scope: a function, or a file.
    """
    if text.isascii():
        return text
    found = spellings(text, language)
    return _WORD.sub(lambda word: found.get(word[0], word[0]), text)


def spellings(text: str, language: Language) -> Mapping[str, str]:
    """The plain spelling of each word of a text that has a marked name in it."""
    taken = {word for word in _WORD.findall(language.silent.sub(" ", text)) if word.isascii()}
    words = sorted({word for word in _WORD.findall(text) if not word.isascii()}, key=_pure_first)
    found: dict[str, str] = {}
    for word in words:
        if (plain := reading(word)) not in taken and language.legal(plain):
            found[word] = plain
            taken.add(plain)
    for word in words:
        if word not in found:
            found[word] = next(name for name in _others(reading(word)) if name not in taken)
            taken.add(found[word])
    return found


def _pure_first(word: str) -> tuple[bool, str]:
    return any(character.isascii() for character in word), word


def _others(plain: str) -> Iterator[str]:
    # C++ reserves every name with two underscores in a row.
    stem = re.sub("__+", "_", plain)
    yield f"{stem}_"
    number = 1
    while True:
        number += 1
        yield f"{stem}_{number}_"


# ---- programs


def marked_program(program: RowProgram) -> RowProgram:
    """Return the same program with all its names marked except `D` and `PLACE`; it computes the same in the same order.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> from lngen.plan.program import Assignment, Stage
    >>> x, y = RowSymbol("x"), RowSymbol("y")
    >>> stage = Stage(temps=(Assignment(y, 2*x, 1),), stores=(Store(("y",), y),))
    >>> program = RowProgram("f", "forward", 1, (), (), (), (stage,), (), (), (Store(("y",), y),), ())
    >>> temp = marked_program(program).stages[0].temps[0]
    >>> temp.symbol.name == marked("y"), reading(str(temp.expression))
    (True, '2*x')
    """

    def new(expression: Expr) -> Expr:
        if isinstance(expression, TypedSymbol):
            return expression if expression in (D, PLACE) else renamed(expression, marked(expression.name))
        if not expression.args:
            return expression
        arguments = [new(argument) for argument in expression.args]
        made = expression.func(*arguments)
        same = made.func is expression.func and len(made.args) == len(arguments)
        # Expressions such as 2*(x + y) are not multiplied out on purpose.
        return made if same else expression.func(*arguments, evaluate=False)

    def stores(given: tuple[Store, ...]) -> tuple[Store, ...]:
        return tuple(Store(tuple(map(marked, store.names)), new(store.symbol)) for store in given)

    renamed_lines = program.mapped(
        lambda line: replace(line.with_body(new(line.body)), symbol=new(line.symbol), stops=tuple(map(new, line.stops)))
    )
    return replace(
        renamed_lines,
        rows=tuple(replace(row, name=marked(row.name), symbol=new(row.symbol)) for row in program.rows),
        parameters=tuple(replace(p, name=marked(p.name), symbol=new(p.symbol)) for p in program.parameters),
        stages=tuple(replace(stage, stores=stores(stage.stores)) for stage in renamed_lines.stages),
        saved=tuple(map(new, program.saved)),
        results=stores(program.results),
        optional=tuple((marked(name), value) for name, value in program.optional),
        casts=tuple((marked(name), target) for name, target in program.casts),
        random=tuple(replace(row, symbol=new(row.symbol), seed=new(row.seed)) for row in program.random),
    )
