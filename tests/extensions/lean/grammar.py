"""The grammar of terms and statements in exported files, with Lean's precedences; anything else is refused."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_NAME = r"(?:«\w+»|[^\W\d][\w']*)"
_NUMBER = r"\d+(?:\.\d+)?(?:e-?\d+)?"
_SIGN = r":=|=>|[()+\-*/^,:=≠<≤∑⨆⨅∀→]"
_TOKEN = re.compile(rf"\s*(?:(?P<word>{_NAME}(?:\.{_NAME})*)|(?P<number>{_NUMBER})|(?P<sign>{_SIGN}))")
_OF_REALS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "arctan", "arcsin", "arccos")
FUNCTIONS = {"abs", *(f"Real.{name}" for name in _OF_REALS)}
"""Functions of one number."""


class NotReadError(Exception):
    """A text that is not in the grammar, or a term without a type."""


class Term(NamedTuple):
    """A term: a head, and its parts."""

    head: str
    parts: tuple[Any, ...]


class Parser:
    """Reads one term or statement, by precedence."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if not found or found.lastgroup is None:
                raise NotReadError(f"no token: {text[place : place + 30]!r}")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            place = found.end()
        self.place = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        found = self.next
        if not found or (wanted and found not in wanted):
            raise NotReadError(f"{found!r} where one of {wanted} was due")
        self.place += 1
        return found

    def whole(self) -> Term:
        found = self.statement()
        if self.next:
            raise NotReadError(f"{self.next!r} after the end")
        return found

    def statement(self) -> Term:
        if self.next == "∀":
            self.take()
            bound = []
            while self.next == "(":
                bound.append(self.binder())
            self.take(",")
            return Term("∀", (tuple(bound), self.statement()))
        if self.next == "HasDerivAt":
            self.take()
            self.take("(")
            self.take("fun")
            name = self.take()
            for each in (":", "ℝ", "=>"):
                self.take(each)
            body = self.at(0)
            self.take(")")
            return Term("HasDerivAt", (name, body, self.argument(), self.argument()))
        left = self.at(51)
        return Term(self.take("=", "≠", "<", "≤"), (left, self.at(51)))

    def binder(self) -> tuple[str, str]:
        self.take("(")
        name = self.take()
        self.take(":")
        self.take("Fin")
        of = self.take()
        self.take(")")
        return name, of

    def at(self, least: int) -> Term:
        if self.next in ("∑", "⨆", "⨅"):
            head, name = self.take(), self.take()
            self.take(",")
            return Term(head, (name, self.at(67 if head == "∑" else 0)))
        if self.next == "-" and least <= 75:
            self.take()
            left = Term("neg", (self.at(75),))
        else:
            left = self.application()
        while True:
            sign = self.next
            if sign == "^" and least <= 75:
                self.take()
                left = Term("^", (left, self.at(75)))
            elif sign in ("*", "/") and least <= 70:
                left = Term(self.take(), (left, self.at(71)))
            elif sign in ("+", "-") and least <= 65:
                left = Term(self.take(), (left, self.at(66)))
            else:
                return left

    def application(self) -> Term:
        kind, head = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        if kind == "number" or head == "(":
            return self.argument()
        if kind != "word":
            raise NotReadError(f"{head!r} where a term was due")
        self.take()
        if head in FUNCTIONS:
            return Term("call", (head, self.argument()))
        if head == "Real.pi":
            return Term("pi", ())
        if not head.startswith("s."):
            return Term("name", (head,))
        indices = []
        while self.place < len(self.tokens) and self.tokens[self.place][0] == "word":
            indices.append(self.take())
        return Term("value", (head[2:], tuple(indices)))

    def argument(self) -> Term:
        kind, head = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        if kind == "number":
            return Term("number", (self.take(),))
        if kind == "word":
            self.take()
            return Term("name", (head,))
        self.take("(")
        inner = self.at(0)
        if self.next == ":":
            self.take()
            self.take("ℝ")
        self.take(")")
        return inner
