"""Emitted Python laid out as a formatter would."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable

WIDTH = 88


def comment(text: str, indent: int) -> list[str]:
    """A comment, on as many lines as it needs."""
    prefix = " " * indent + "# "
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=prefix,
        subsequent_indent=prefix + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def condition(text: str, indent: int) -> list[str]:
    """The head of an `if`; where it is too long it is broken in the brackets that its second operand ends with, or
    before its operators.

    >>> print("\\n".join(condition("a" * 40 + " and (" + "b" * 30 + " or " + "c" * 30 + ")", 0)))
    if aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa and (
        bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb or cccccccccccccccccccccccccccccc
    ):
    >>> print("\\n".join(condition("a" * 40 + " and " + "b" * 30 + " and " + "c" * 30, 0)))
    if (
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        and bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        and cccccccccccccccccccccccccccccc
    ):
    """
    return _around("if ", text, ":", indent)


def truth(name: str, text: str, indent: int) -> list[str]:
    """The assignment of a condition to a name, broken as the head of an `if` is.

    >>> truth("needs_mu", "dy is not None or dh is not None", 4)
    ['    needs_mu = dy is not None or dh is not None']
    """
    return _around(f"{name} = ", text, "", indent)


def _around(before: str, text: str, after: str, indent: int) -> list[str]:
    pad = " " * indent
    if len(f"{pad}{before}{text}{after}") <= WIDTH:
        return [f"{pad}{before}{text}{after}"]
    if bracketed := _in_last_brackets(before, text, after, indent):
        return bracketed
    return [f"{pad}{before}(", *_inside(f"({text})", 1, indent + 4), f"{pad}){after}"]


def _in_last_brackets(before: str, text: str, after: str, indent: int) -> list[str]:
    """Two operands, broken in the brackets that the second ends with, or that both are; nothing where that does not
    do."""
    operands, pad = _operands(text), " " * indent
    if len(operands) != 2 or not text.endswith(")"):
        return []
    start = _opening(text) + 1
    lines = [f"{pad}{before}{text[:start]}", *_inside(text, start, indent + 4), f"{pad}){after}"]
    first, second = operands
    if len(lines[0]) > WIDTH and first.startswith("(") and second.endswith(f" ({text[start:]}"):
        joint = f"{pad}) {second[: second.index('(') + 1]}"
        lines[:1] = [f"{pad}{before}(", *_inside(first, 1, indent + 4), joint]
    return lines if max(map(len, lines)) <= WIDTH else []


def _broken(text: str, indent: int) -> list[str]:
    pad = " " * indent
    lines: list[str] = []
    for part in _operands(text):
        if len(pad + part) <= WIDTH or not part.endswith(")"):
            lines.append(pad + part)
        else:
            start = part.index("(") + 1
            lines += [pad + part[:start], *_inside(part, start, indent + 4), f"{pad})"]
    return lines


def _inside(text: str, start: int, indent: int) -> list[str]:
    """Return the lines between the brackets that open before `start` and end a text.

    They hold a condition, or arguments.
    """
    pad, inside = " " * indent, text[start:-1]
    if len(pad + inside) <= WIDTH:
        return [pad + inside]
    is_call = start > 1 and text[start - 2] != " "
    return [f"{pad}{argument}," for argument in _arguments(inside)] if is_call else _broken(inside, indent)


def _opening(text: str) -> int:
    """Return the place of the opening bracket of those that end a text."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if not depth:
            return place
    return 0


def _operands(text: str) -> list[str]:
    """The operands of the operator that binds least, each but the first after the operator."""
    found = _terms(text, ("or",))
    return found if len(found) > 1 else _terms(text, ("and",))


def wrapped(text: str, indent: int) -> list[str]:
    """A statement; a call that is too long has its arguments on a line of their own, or on one each, as a
    dict has.

    >>> print("\\n".join(wrapped("y = np.multiply(" + "a" * 40 + ", " + "b" * 30 + ")", 0)))
    y = np.multiply(
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    )

    Brackets that are not a call's hold one thing, which stays without a comma:

    >>> print("\\n".join(wrapped("m = (vecdot(" + "a" * 40 + ", " + "b" * 40 + ") / D)[..., None]", 0)))
    m = (
        vecdot(
            aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
            bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
        ) / D
    )[..., None]

    A value of several brackets is broken at its operators:

    >>> print("\\n".join(wrapped("v = (" + "a" * 40 + " - b) / (" + "c" * 40 + " + d)", 0)))
    v = (
        (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa - b)
        / (cccccccccccccccccccccccccccccccccccccccc + d)
    )
    """
    pad = " " * indent
    opening = next((character for character in text if character in "({"), "")
    if len(pad + text) <= WIDTH or not opening:
        return [pad + text]
    targets, unpacked, value = text.partition(") = ")
    if unpacked and text.startswith("(") and max(len(targets) + 5, 4 + len(value)) <= WIDTH - indent:
        return [f"{pad}{targets}) = (", f"{pad}    {value}", f"{pad})"]
    # Targets are broken only if the right-hand side cannot be.
    begin = len(targets) if unpacked and text.startswith("(") and opening in value else 0
    start = text.index(opening, begin)
    end = text.rindex({"(": ")", "{": "}"}[opening])
    if opening == "(" and _closing(text, start) != end:
        return _at_operators(text, indent)
    head, inside, tail = text[: start + 1], text[start + 1 : end], text[end:]
    if len(pad) + 4 + len(inside) <= WIDTH and opening == "(":
        return [pad + head, pad + "    " + inside, pad + tail]
    arguments = _arguments(inside)
    is_call = start and (text[start - 1].isalnum() or text[start - 1] in "_]")
    if opening == "(" and not is_call and len(arguments) == 1 and not inside.endswith(","):
        return [pad + head, *wrapped(inside, indent + 4), pad + tail]
    return [pad + head, *(f"{pad}    {argument}," for argument in arguments), pad + tail]


def _closing(text: str, start: int) -> int:
    """Return the place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    return len(text)


def _at_operators(text: str, indent: int) -> list[str]:
    """A statement, or an expression in brackets, with a line for each operand of its value."""
    pad = " " * indent
    before, equals, value = text.partition(" = ")
    if text.startswith("return "):
        before, equals, value = "return", " ", text.removeprefix("return ")
    if equals:
        return [f"{pad}{before}{equals}(", *_at_operators(value, indent + 4), f"{pad})"]
    if len(pad + text) <= WIDTH:
        return [pad + text]
    terms = next((found for signs in (("+", "-"), ("*", "/")) if len(found := _terms(text, signs)) > 1), [])
    return [line for term in terms for line in wrapped(term, indent)] or [pad + text]


def _terms(text: str, signs: Collection[str]) -> list[str]:
    """The operands of operators that stand in no bracket; each but the first after its operator.

    >>> _terms("a - f(b + c) + d", ("+", "-")), _terms("- a * b", ("+", "-"))
    (['a', '- f(b + c)', '+ d'], ['- a * b'])
    """
    words, depth, found = text.split(" "), 0, [""]
    for place, word in enumerate(words):
        if place and word in signs and not depth:
            found.append("")
        found[-1] = f"{found[-1]} {word}".strip()
        depth += sum((c in "([{") - (c in ")]}") for c in word)
    return found


def _arguments(inside: str) -> list[str]:
    arguments, depth = [""], 0
    for character in inside:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            arguments.append("")
        else:
            arguments[-1] += character
    return [argument.strip() for argument in arguments if argument.strip()]


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


def call(before: str, function: str, arguments: Iterable[str], indent: int) -> list[str]:
    """Return a call that is assigned to the text `before`, on one line or with a line for each argument.

    >>> call("y = ", "f", ["x", "by=2"], 0)
    ['y = f(x, by=2)']
    """
    entries, pad = list(arguments), " " * indent
    line = f"{pad}{before}{function}({', '.join(entries)})"
    if len(line) <= WIDTH:
        return [line]
    inside = ", ".join(entries)
    if len(f"{pad}    {inside}") <= WIDTH:
        return [f"{pad}{before}{function}(", f"{pad}    {inside}", f"{pad})"]
    lines = [line for entry in entries for line in listed(entry, indent + 4)]
    return [f"{pad}{before}{function}(", *lines, f"{pad})"]


def listed(text: str, indent: int) -> list[str]:
    """An argument or an entry on a line of its own; a call or a tuple that is too long has a line for each in it."""
    pad = " " * indent
    if len(f"{pad}{text},") <= WIDTH or "(" not in text or _closing(text, text.index("(")) != len(text) - 1:
        return [f"{pad}{text},"]
    name, inside = text[:-1].split("(", 1)
    return [
        f"{pad}{name}(",
        *(line for entry in _arguments(inside) for line in listed(entry, indent + 4)),
        f"{pad}),",
    ]


def assigned_tuple(name: str, expressions: Iterable[str], indent: int) -> list[str]:
    """The statement that names a tuple, on one line or with a line for each entry.

    >>> assigned_tuple("values_", ["x", "y"], 4)
    ['    values_ = (x, y)']
    """
    entries, pad = list(expressions), " " * indent
    line = f"{pad}{name} = {tuple_of(entries)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{pad}{name} = (", *(f"{pad}    {entry}," for entry in entries), f"{pad})"]


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


def invocation(before: str, arguments: Iterable[str], indent: int) -> list[str]:
    """A call on one line, or with its arguments on a line of their own, or on one each."""
    given, pad = list(arguments), " " * indent
    inside = ", ".join(given)
    if len(f"{pad}{before}({inside})") <= WIDTH:
        return [f"{pad}{before}({inside})"]
    if len(f"{pad}    {inside}") <= WIDTH:
        return [f"{pad}{before}(", f"{pad}    {inside}", f"{pad})"]
    return [f"{pad}{before}(", *(f"{pad}    {each}," for each in given), f"{pad})"]
