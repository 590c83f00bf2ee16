"""Terms of exported files without notation, for a Lean that has no library."""

from __future__ import annotations

from typing import Any

from tests.extensions.lean.grammar import Term
from tests.extensions.lean.reader import LeanFile

OPERATIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}
_RELATIONS = {"=": "Eq", "≠": "ne", "<": "lt", "≤": "le"}
_REDUCTIONS = {"∑": "sum", "⨆": "sup", "⨅": "inf"}


class Bare:
    """Writes terms without notation, for a file without a library."""

    def __init__(self, file: LeanFile) -> None:
        self.file, self.literals = file, set[str]()

    def space(self, of: str) -> str:
        """The axis of an index: features, or rows."""
        return "D" if of == "D" else "N"

    def literal(self, text: str) -> str:
        """The name of a number; 0 and 1 have axioms of their own."""
        if text in ("0", "1"):
            return ("zero", "one")[int(text)]
        name = f"lit_{text.replace('.', '_').replace('-', 'm')}"
        self.literals.add(name)
        return name

    def __call__(self, term: Term) -> str:
        match term:
            case ("number", (text,)):
                return self.literal(text)
            case ("pi", ()):
                return "pi"
            case ("name", (name,)):
                return "features" if name == "D" else name
            case ("value", (name, indices)):
                return value(name, indices)
            case ("call", (name, inner)):
                return f"({name.removeprefix('Real.')} {self(inner)})"
            case ("neg", (inner,)):
                return f"(neg {self(inner)})"
            case ("∑" | "⨆" | "⨅", (name, body)):
                return f"({_REDUCTIONS[term.head]}{self.space(self.file.types[id(term)])} (fun {name} => {self(body)}))"
            case ("∀", (bound, body)):
                return f"({''.join(f'∀ ({name} : Fin{self.space(of)}), ' for name, of in bound)}{self(body)})"
            case ("HasDerivAt", (name, body, slope, at)):
                return f"(HasDerivAt (fun {name} => {self(body)}) {self(slope)} {self(at)})"
        word = {**OPERATIONS, **_RELATIONS}[term.head]
        return f"({word} {self(term.parts[0])} {self(term.parts[1])})"


def value(name: str, indices: Any) -> str:
    """A value at indices."""
    return f"({' '.join([f'Values.{name} s', *indices])})"
