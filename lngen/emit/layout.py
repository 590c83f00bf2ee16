"""Emitted Python laid out as `ruff format` does, from statements and expressions on one line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

WIDTH = 88

_OPERATORS = [
    re.compile(rf" (?=(?:{signs}) )")
    for signs in ("if|else", "and|or", "is(?: not)?|(?:not )?in|[=!<>]=|[<>]", "[+-]", "[*/]")
]
"""Operators that are broken at, those that bind least first."""
_AT_BLANKS: Any = {"break_long_words": False, "break_on_hyphens": False}
_COMMAS = re.compile(r",(?: |$)")


def in_lines(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """A text on as many lines as it needs, broken at blanks; `first` begins the first line, and `rest` the others."""
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, **_AT_BLANKS)


def comment(text: str, indent: int) -> list[str]:
    """A comment, on as many lines as it needs."""
    prefix = " " * indent + "# "
    return in_lines(text, WIDTH, prefix, prefix + "  ")


def definition(name: str, arguments: Sequence[str], returned: str, indent: int = 0) -> list[str]:
    """The head of a function."""
    return statement(f"def {name}({', '.join(arguments)}) -> {returned}:", indent)


def argument(name: str, kind: str, required: bool = False) -> str:
    """Return an argument of a type, None if it is optional."""
    return f"{name}: {kind}" if required else f"{name}: {kind} | None = None"


def statement(text: str, indent: int = 0) -> list[str]:
    """Lay a statement out, or the head of a function or of an `if`.

    Brackets that do not fit on the line are broken. The arguments of a call or a signature go on one line, or on a line
    each; the entries of other brackets on a line each:

    >>> def shown(*parts):
    ...     print("\\n".join(statement("".join(parts))))
    >>> shown("if ", "a" * 40, " and (", "b" * 30, " or ", "c" * 30, "):")
    if aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa and (
        bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb or cccccccccccccccccccccccccccccc
    ):
    >>> shown("y = np.multiply(", "a" * 40, ", ", "b" * 40, ")")
    y = np.multiply(
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    )

    Otherwise a value has a line for each operand:

    >>> shown("v = (", "a" * 40, " - b) * (", "b" * 30, " + c) * d")
    v = (
        (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa - b)
        * (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + c)
        * d
    )
    >>> shown("a: ", "b" * 40, " = ", "c" * 30, "(", "d" * 30, ")")
    a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb = cccccccccccccccccccccccccccccc(
        dddddddddddddddddddddddddddddd
    )
    >>> shown("a: ", "b" * 60, " = ", "c" * 30, "(", "d" * 30, ")")
    a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb = (
        cccccccccccccccccccccccccccccc(dddddddddddddddddddddddddddddd)
    )
    """
    if len(text) + indent <= WIDTH:
        return [" " * indent + text]
    depths = _depths(text)
    if text.startswith("def "):
        end = depths.index(0, depths.index(1)) + 1
        return _laid("", text[:end], text[end:], indent)
    targets = [match.end() for match in re.finditer(" = ", text) if not depths[match.start()]]
    keyword = re.match("return |if |", text)
    start = max(targets) if targets else keyword.end() if keyword else 0
    before, after = text[:start], ":" if text.endswith(":") else ""
    value = text[start : len(text) - len(after)]
    names = _split(before.removesuffix(" = "), _COMMAS)
    if targets and len(names) > 1 and (len(before) + indent > WIDTH or not _brackets(value)):
        return [f"{' ' * indent}(", *_each(names, indent + 4), *_laid(") = ", value, "", indent)]
    lines = _laid(before, value, after, indent)
    if targets and len(lines[0]) > WIDTH and len(value) + indent + 4 <= WIDTH:
        return [f"{' ' * indent}{before}(", f"{' ' * (indent + 4)}{value}", f"{' ' * indent})"]
    return lines


def _laid(before: str, text: str, after: str, indent: int, in_brackets: bool = False) -> list[str]:
    """Lay an expression out, with the text `before` and `after` it."""
    pad = " " * indent
    if len(f"{pad}{before}{text}{after}") <= WIDTH:
        return [f"{pad}{before}{text}{after}"]
    entries = _split(text, _COMMAS)
    if len(entries) > 1:
        return [f"{pad}{before}(", *_each(entries, indent + 4), f"{pad}){after}"]
    operands = next((found for signs in _OPERATORS if len(found := _split(text, signs)) > 1), [text])
    brackets = _brackets(text)
    may_go_on = len(operands) == 2 and (text[0] == "(" or text[-1] == ")") and not in_brackets
    if brackets and (len(operands) == 1 or may_go_on):
        places = [(len(before) + start, len(before) + end) for start, end in brackets]
        lines = _in_brackets(f"{before}{text}{after}", places, indent)
        if len(operands) == 1 or max(map(len, lines)) <= WIDTH:
            return lines
    if len(operands) == 1:
        literal = re.fullmatch(r'(|\w+=|"[^"]*": )"([^"]*, [^"]*)"', text)
        if literal is None:
            return [f"{pad}{before}{text}{after}"]
        return [f"{pad}{before}{literal[1]}(", *_literal(literal[2], indent + 4), f"{pad}){after}"]
    if not in_brackets:
        return [f"{pad}{before}(", *_laid("", text, "", indent + 4, True), f"{pad}){after}"]
    ends = [""] * (len(operands) - 1) + [after]
    return [line for each, end in zip(operands, ends, strict=True) for line in _laid("", each, end, indent, True)]


def _in_brackets(text: str, brackets: Sequence[tuple[int, int]], indent: int) -> list[str]:
    """Break a text in each of its brackets that do not fit on their line."""
    lines, line, done = [], " " * indent, 0
    for (start, end), following in zip(brackets, [*(start + 1 for start, _ in brackets[1:]), len(text)], strict=True):
        line, done = line + text[done : start + 1], start + 1
        if len(line) + following - done > WIDTH and end > done:
            lines += [line, *_contents(text[:start], text[start : end + 1], indent + 4)]
            line, done = " " * indent, end
    return [*lines, line + text[done:]]


def _contents(owner: str, bracket: str, indent: int) -> list[str]:
    """The lines in a bracket: of a call or a signature, of a tuple, list or dict, or of an expression."""
    inside = bracket[1:-1]
    entries = _split(inside, _COMMAS)
    is_call = bracket[0] == "(" and re.search(r"[\w\])]$", owner)
    if is_call and len(inside) + indent <= WIDTH:
        return [" " * indent + inside]
    if len(entries) == 1 and (bracket[0] == "(" or (owner and bracket[0] == "[")) and not inside.endswith(","):
        return _laid("", inside, "", indent, in_brackets=True)
    return _each(entries, indent)


def _each(entries: Iterable[str], indent: int) -> list[str]:
    return [line for entry in entries for line in _laid("", entry, ",", indent, in_brackets=True)]


def _literal(text: str, indent: int) -> list[str]:
    """A text as several literals, each of which but the last ends with a comma and a blank.

    >>> _literal("a" * 50 + ", " + "b" * 40, 4) == ['    "' + "a" * 50 + ', "', '    "' + "b" * 40 + '"']
    True
    """
    lines = [""]
    for part in re.findall(r"(?:(?!, ).)+(?:, |$)", text):
        if len(lines[-1] + part) + indent + len('""') > WIDTH and lines[-1]:
            lines.append("")
        lines[-1] += part
    return [f'{" " * indent}"{line}"' for line in lines]


def _depths(text: str) -> list[int]:
    """The number of brackets and quotes that each character stands in; of a bracket or a quote, those around it.

    >>> _depths("f(a, [b])")
    [0, 0, 1, 1, 1, 1, 2, 1, 0]
    """
    found, depth, quote = [], 0, ""
    for character in text:
        ends = character == quote if quote else character in ")]}"
        depth -= ends
        found.append(depth)
        if ends or quote:
            quote = "" if ends else quote
        elif character in "([{\"'":
            depth += 1
            quote = character if character in "\"'" else ""
    return found


def _split(text: str, at: re.Pattern[str]) -> list[str]:
    """Split a text where a pattern is found in no bracket; what the pattern does not take stays with what follows.

    >>> _split("a - f(b - c) + d", _OPERATORS[3]), _split("a, (b, c),", _COMMAS)
    (['a', '- f(b - c)', '+ d'], ['a', '(b, c)'])
    """
    if not at.search(text):
        return [text]
    depths, start, found = _depths(text), 0, []
    for match in at.finditer(text):
        if not depths[match.start()]:
            found.append(text[start : match.start()])
            start = match.end()
    return [*found, text[start:]] if text[start:] else found


def _brackets(text: str) -> list[tuple[int, int]]:
    """The places of the brackets that stand in no other.

    >>> _brackets("f(a)[..., None]"), _brackets("a * b")
    ([(1, 3), (4, 14)], [])
    """
    depths = _depths(text)
    places = [place for place, character in enumerate(text) if depths[place] == 0 and character in "()[]{}"]
    return [*zip(places[::2], places[1::2], strict=True)]


def in_docstring(formulas: Iterable[str]) -> list[str]:
    """Formulas as lines of a docstring, long ones on several."""
    lines: list[str] = []
    for formula in formulas:
        lines += textwrap.wrap(formula, WIDTH - 8, subsequent_indent="    ", break_long_words=False)
    return lines


def tuple_of(expressions: Iterable[str]) -> str:
    """A tuple of expressions.

    >>> tuple_of(["x"]), tuple_of(["x", "y"])
    ('(x,)', '(x, y)')
    """
    entries = list(expressions)
    return f"({', '.join(entries)}{',' if len(entries) == 1 else ''})"


def listed(expressions: Sequence[str]) -> str:
    """Several expressions, or a tuple of one: what a tuple is assigned to, or returned.

    >>> listed(["x"]), listed(["x", "y"])
    ('(x,)', 'x, y')
    """
    return tuple_of(expressions) if len(expressions) == 1 else ", ".join(expressions)


def call(function: str, /, *arguments: str, **keywords: str) -> str:
    """A call, without keywords whose value is an empty text.

    >>> call("f", "x", wide="True", sums=""), call("f")
    ('f(x, wide=True)', 'f()')
    """
    given = [*arguments, *(f"{name}={value}" for name, value in keywords.items() if value)]
    return f"{function}({', '.join(given)})"


def table(entries: Mapping[str, str]) -> str:
    """A dict whose keys are texts.

    >>> table({"forward": "1", "jvp": "2"})
    '{"forward": 1, "jvp": 2}'
    """
    return "{" + ", ".join(f'"{key}": {value}' for key, value in entries.items()) + "}"


def quoted(names: Iterable[str]) -> str:
    """A tuple of texts.

    >>> quoted(["dx"]), quoted(["dx", "dr"])
    ('("dx",)', '("dx", "dr")')
    """
    return tuple_of(f'"{name}"' for name in names)


def in_order(names: Iterable[str]) -> list[str]:
    """Names of a module in the order that linters want: constants, classes, functions.

    >>> in_order(["forward", "Saved", "INTERFACE", "backward"])
    ['INTERFACE', 'Saved', 'backward', 'forward']
    """
    return sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))


def laid(lines: Iterable[str]) -> list[str]:
    """Lay the lines of a function out, with a comment beside its line where that is short."""
    found: list[str] = []
    for line in lines:
        bare = line.lstrip(" ")
        indent = 4 + len(line) - len(bare)
        code, sign, remark = bare.partition("  # ")
        if sign and indent + len(bare) <= WIDTH:
            found.append(" " * indent + bare)
            continue
        first, *others = statement(code.replace(" += ", " = ", 1), indent)
        first = first.replace(" = ", " += ", 1) if " += " in code else first
        short = f"{first}  # {remark.partition(':')[0]}"
        if sign and not others and len(short) <= WIDTH:
            found.append(short)
        else:
            found += [*[" " * indent + f"# {remark}"] * bool(sign), first, *others]
    return found
