"""The text of headers with symbolic integers in the place of its own, line by line.

Types of integers and pointers are replaced by those of symbolic.h, and loops by loops of which one trip stands for all.
What is a constant to the compiler stays as it is. Nothing else of a header is changed, and no line moves. A replacement
that does not find its text is an error: then the header has changed, and nothing is claimed of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

COUNTED = ("i", "k", "axis", "offset", "which", "set", "part", "attempt", "without", "widened")
"""Integers that stay as they are: they count what a compiler counts."""

_COMMENT = re.compile(r"//[^\n]*")
_UNROLL = re.compile(r"^#pragma[^\n]*", re.MULTILINE)
_CONSTANT = re.compile(r"(?:static |inline )*\bconstexpr\b(?! *\()")
_FUNCTION = re.compile(r"[^;{}]*\)\s*(?:const\s*)?\{")
_LOOP = re.compile(r"\b(?:for|while) \(")
_POINTER = re.compile(
    r"(?:\bconst )?\b((?:typename )?(?:unsigned char|[A-Za-z_]\w*(?:::\w+)*(?:<[^<>;(){}]*>)?))"
    r"\*(?=[ ),>&;])(?! values\b)"
)
_CAST = re.compile(r"reinterpret_cast<(?:const )?([\w:<> ]+?)\*>\(")
_TYPES = (
    (re.compile(r"\bunsigned long long\b"), "symbolic::U64"),
    (re.compile(r"\blong long\b"), "symbolic::I64"),
    (re.compile(r"\bunsigned\b(?! (?:char|short|int|long))"), "symbolic::U32"),
    (re.compile(rf"\bint (?!(?:{'|'.join(COUNTED)})\b)(?=\w)"), "symbolic::I32 "),
    (re.compile(r"(?<!unsigned )\bint(?=[(,)&;])"), "symbolic::I32"),
)


class Changed(Exception):
    """A header lacks what a replacement replaces."""


@dataclass(frozen=True)
class Carried:
    """Numbers that the trips of a loop take over from each other, and the condition that holds before each trip.

    `loop` is the head of the loop as the header has it.
    """

    loop: str
    numbers: Sequence[str]
    holds: Sequence[str]
    also: str = ""


@dataclass(frozen=True)
class HeaderReading:
    """Rules by which a header is read: texts for others, loops that carry numbers, constants that are functions."""

    instead: Mapping[str, str] = field(default_factory=dict)
    carried: Sequence[Carried] = ()
    symbolic_functions: bool = False


def closing(text: str, start: int, pair: str = "()") -> int:
    """Return the place behind the bracket that closes the one at `start`.

    >>> closing("f(a, g(b)) + c", 1)
    10
    """
    depth = 0
    for place in range(start, len(text)):
        depth += {pair[0]: 1, pair[1]: -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise Changed(f"a bracket is not closed: {text[start : start + 40]!r}")


def replaced(text: str, instead: Mapping[str, str]) -> str:
    """Replace texts, of which each is there.

    >>> replaced("a b", {"b": "c"})
    'a c'
    """
    for was, becomes in instead.items():
        if was not in text:
            raise Changed(f"the header has no {was!r}")
        lines = was.count("\n") - becomes.count("\n")
        text = text.replace(was, becomes + "\n" * lines)
    return text


def symbolic(name: str, text: str, reading: HeaderReading = HeaderReading()) -> str:
    """Return the text of a header that computes with symbolic integers."""
    text = _UNROLL.sub("", _COMMENT.sub("", text))
    text = replaced(text, reading.instead)
    text = _loops(name, text, reading.carried)
    text = _CAST.sub(r"symbolic::recast<\1>(", text)
    parts = []
    for is_kept, part in _parts(text, reading.symbolic_functions):
        if not is_kept:
            for pattern, becomes in _TYPES:
                part = pattern.sub(becomes, part)
            part = _POINTER.sub(r"symbolic::Pointer<\1>", part)
        parts.append(part)
    return f'#line 1 "{name}"\n' + "".join(parts)


def _parts(text: str, symbolic_functions: bool) -> Iterator[tuple[bool, str]]:
    """Split a text into what stays as it is, such as constants and the heads of templates, and what does not."""
    kept = re.compile(
        r"\btemplate <|^[ \t]*#[^\n]*|\bLNGEN_CONSTANT\b|\bconstexpr\b(?! *\()|\basm volatile\(|\benum\b", re.MULTILINE
    )
    place = 0
    while found := kept.search(text, place):
        start = found.start()
        word = found[0]
        if word == "template <":
            end = closing(text, found.end() - 1, "<>")
        elif word.lstrip().startswith("#"):
            end = found.end()
        elif word == "LNGEN_CONSTANT" or (word == "constexpr" and _FUNCTION.match(text, found.end())):
            if word == "constexpr" and symbolic_functions:
                yield False, text[place:start]
                place = found.end()
                continue
            end = closing(text, text.index("{", start), "{}")
        else:
            end = text.index(";", start) + 1
        yield False, text[place:start]
        yield True, text[start:end]
        place = end
    yield False, text[place:]


def _statement(text: str, start: int) -> int:
    """Return the place behind the statement that begins at `start`."""
    while text[start].isspace():
        start += 1
    if text[start] == "{":
        return closing(text, start, "{}")
    if head := re.compile(r"(?:for|if|while) (?:constexpr )?\(").match(text, start):
        end = _statement(text, closing(text, head.end() - 1))
        after = re.compile(r"\s*else\b").match(text, end)
        return _statement(text, after.end()) if after else end
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(text[place], 0)
        if text[place] == ";" and depth == 0:
            return place + 1
    raise Changed("a statement has no end")


def _loops(name: str, text: str, carried: Sequence[Carried]) -> str:
    """Let each loop make one trip that stands for all."""
    of, found = {each.loop: each for each in carried}, set()
    place = 0
    while head := _LOOP.search(text, place):
        end = closing(text, head.end() - 1)
        inside = text[head.end() : end - 1].strip()
        line = f"{name}:{text.count(chr(10), 0, head.start()) + 1}"
        if " : " in inside and ";" not in inside:
            place = end
            continue
        is_while = head[0] == "while ("
        first, condition, step = ("", inside, "") if is_while else (part.strip() for part in inside.split(";"))
        if inside in of:
            each = of[inside]
            found.add(inside)
            after = _statement(text, end)
            made = _carrying(line, each, first, condition, step, text[end:after])
            made += "\n" * (text.count("\n", head.start(), after) - made.count("\n"))
            text, place = text[: head.start()] + made + text[after:], head.start() + made.rindex(text[end:after])
            continue
        if is_while:
            place = end
            continue
        declared = re.fullmatch(r"(int|long long) (\w+) = (.*)", first, re.DOTALL)
        rises = re.fullmatch(r"\+\+\w+|\w+ \+= .*", step, re.DOTALL)
        if declared and rises and (declared[1] == "long long" or declared[2] not in COUNTED or "G::ROWS" in condition):
            kind = "symbolic::I32" if declared[1] == "int" else "symbolic::I64"
            head_text = (
                f'for (symbolic::Trip<{kind}> {declared[2]}("{line}", {declared[3]}); '
                f"{declared[2]}.enters([&] {{ return {condition}; }}); {step})"
            )
            text, place = text[: head.start()] + head_text + text[end:], head.start() + len(head_text)
        elif declared and declared[2] in COUNTED:
            place = end
        else:
            raise Changed(f"the loop at {line} has no counter of its own, and is not told: {inside!r}")
    if missing := of.keys() - found:
        raise Changed(f"{name} has no loop {min(missing)!r}")
    return text


def _label(holds: str) -> str:
    return holds.rpartition(" : ")[2].replace("symbolic::", "").replace(" ", "_")


def _carrying(line: str, each: Carried, first: str, condition: str, step: str, body: str) -> str:
    words = " ".join
    claims = words(f'symbolic::claimed("{_label(holds)}", [&] {{ return {holds}; }});' for holds in each.holds)
    anything = words(f'trip_.any({number}, "{number}");' for number in each.numbers)
    known = words(f"symbolic::assumed([&] {{ return {holds}; }});" for holds in each.holds)
    begins = f"{first}; " if first else ""
    after = f"{step}, " if step else ""
    return (
        f'{{ {begins}symbolic::place = "{line}"; {claims} symbolic::Carrying trip_; {anything} {each.also} {known} '
        f"for (; trip_.enters([&] {{ return bool({condition or 'true'}); }}); {after}trip_.ends([&] {{ {claims} }})) "
        f"{body} }}"
    )
