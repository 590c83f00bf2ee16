"""Lines of an emitted function as they run: the value of each name, once the lines under its comment are done.

A comment of emitted code, `# step 4: rstd = 1/sqrt(var + eps)`, says what the lines under it compute. They may assign
the name several times, or in one of two branches; the value is there when the next comment's lines begin.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_COMMENT = re.compile(r"\s*# (step \d+(?:, pass \d+)?): (\w+) =(?: |$)")

Seen = Callable[["CommentedLine", FrameType], None]
"""A function of a line that is done, and of the frame that has its value."""


@dataclass(frozen=True)
class CommentedLine:
    """Lines under a comment: their step, the name that they compute, the first of them and the last."""

    step: str
    name: str
    first: int
    last: int

    @property
    def words(self) -> str:
        """The step and the name."""
        return f"{self.step}: {self.name}"


class CommentedText:
    """An emitted file: the lines under each comment, the names that they assign, and its statements."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_text(encoding="utf-8")
        self._tree = ast.parse(text)
        self.lines = self._commented(text.splitlines())
        """All lines that have a comment, in order."""
        self.line_of = {number: line for line in self.lines for number in range(line.first, line.last + 1)}
        """The line that each number of the file belongs to."""
        self.assigned: dict[int, set[str]] = {}
        """The names that are assigned at each number."""
        for each in ast.walk(self._tree):
            if isinstance(each, (ast.Assign, ast.AugAssign)):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
                for number in _numbers_of(each):
                    self.assigned.setdefault(number, set()).update(names)

    def _commented(self, text: list[str]) -> list[CommentedLine]:
        starts = [(number, found) for number, each in enumerate(text, 1) if (found := _COMMENT.match(each))]
        functions = [each for each in ast.walk(self._tree) if isinstance(each, ast.FunctionDef)]
        ends = [_numbers_of(each)[-1] for each in functions]
        after = [*(number for number, _ in starts[1:]), len(text) + 1]
        return [
            CommentedLine(match[1], match[2], number + 1, min(following - 1, *(end for end in ends if end >= number)))
            for (number, match), following in zip(starts, after, strict=False)
        ]

    def idle(self, function: str, executed: set[int]) -> list[int]:
        """Return where statements of a function begin of which no number is among those executed."""
        (found,) = (each for each in self._tree.body if isinstance(each, ast.FunctionDef) and each.name == function)
        return sorted(
            each.lineno
            for each in ast.walk(found)
            if isinstance(each, ast.stmt)
            and not isinstance(each, ast.FunctionDef)
            and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            and executed.isdisjoint(_numbers_of(each))
        )


def _numbers_of(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


@dataclass
class Watch:
    """The lines of a file; `seen` is called for each that is done, and `entered` where a function begins."""

    text: CommentedText
    seen: Seen
    entered: Callable[[FrameType], None]
    executed: set[int] = field(default_factory=set)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what runs inside a `with` statement."""
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(before)

    def _call(self, frame: FrameType, event: str, _: Any) -> Any:
        code: CodeType = frame.f_code
        if event != "call" or code.co_filename != str(self.text.path) or code.co_name.startswith("<"):
            return None
        self.entered(frame)
        current: list[CommentedLine | None] = [None]
        assigned: set[str] = set()

        def local(frame: FrameType, event: str, value: Any) -> Any:
            line = self.text.line_of.get(frame.f_lineno) if event == "line" else None
            if event in ("line", "return") and line is not current[0]:
                done = current[0]
                if done is not None and done.name in assigned and done.name in frame.f_locals:
                    self.seen(done, frame)
                current[0] = line
                assigned.clear()
            if event == "line":
                self.executed.add(frame.f_lineno)
                assigned.update(self.text.assigned.get(frame.f_lineno, ()))
            return local

        return local
