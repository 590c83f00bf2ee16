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
from functools import cached_property
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


@dataclass
class Watch:
    """The lines of a file; `seen` is called for each that is done, and `entered` where a function begins."""

    path: Path
    seen: Seen
    entered: Callable[[FrameType], None]
    executed: set[int] = field(default_factory=set)

    @cached_property
    def lines(self) -> list[CommentedLine]:
        """All lines that have a comment, in order."""
        text = self.path.read_text(encoding="utf-8").splitlines()
        starts = [(number, found) for number, each in enumerate(text, 1) if (found := _COMMENT.match(each))]
        ends = _function_ends("\n".join(text))
        lines = []
        for (number, match), after in zip(starts, [*(number for number, _ in starts[1:]), len(text) + 1], strict=False):
            end = min(end for end in ends if end >= number)
            lines.append(CommentedLine(match[1], match[2], number + 1, min(after - 1, end)))
        return lines

    @cached_property
    def _assigned(self) -> dict[int, set[str]]:
        """The names that are assigned at each line."""
        found: dict[int, set[str]] = {}
        for each in ast.walk(ast.parse(self.path.read_text(encoding="utf-8"))):
            if isinstance(each, (ast.Assign, ast.AugAssign)):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
                for number in range(each.lineno, (each.end_lineno or each.lineno) + 1):
                    found.setdefault(number, set()).update(names)
        return found

    @cached_property
    def _of_number(self) -> dict[int, CommentedLine]:
        return {number: line for line in self.lines for number in range(line.first, line.last + 1)}

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
        if event != "call" or code.co_filename != str(self.path) or code.co_name.startswith("<"):
            return None
        self.entered(frame)
        current: list[CommentedLine | None] = [None]
        assigned: set[str] = set()

        def local(frame: FrameType, event: str, value: Any) -> Any:
            line = self._of_number.get(frame.f_lineno) if event == "line" else None
            if event in ("line", "return") and line is not current[0]:
                done = current[0]
                if done is not None and done.name in assigned and done.name in frame.f_locals:
                    self.seen(done, frame)
                current[0] = line
                assigned.clear()
            if event == "line":
                self.executed.add(frame.f_lineno)
                assigned.update(self._assigned.get(frame.f_lineno, ()))
            return local

        return local


def _function_ends(text: str) -> list[int]:
    """The last lines of functions."""
    functions = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)]
    return sorted(each.end_lineno or 0 for each in functions)
