"""The text of a definition, and errors that point into it."""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
import warnings
from dataclasses import dataclass
from typing import NoReturn, Protocol

from lngen.errors import DefinitionError
from lngen.language.parsing.refusals import REFUSALS, SPLIT
from lngen.language.syntax import SourceSpan

MAXIMUM_BYTES = 64 * 1024
"""The longest text that is read as a definition."""

_TYPE_COMMENT = re.compile(r"#\s*type:\s*(?!ignore\b)")
# To report a syntax error CPython opens the file of this name; its default is a file here that is called `<unknown>`.
NO_FILE = f"{os.devnull}/definition"
_LONG_NUMBER = re.compile(r"[0-9_]{1000,}")
_DEEP = re.compile(r"(?:(?:[-+~(\[{]|not\b)\s*){90,}")


class Located(Protocol):
    """A node of the syntax tree that has a place."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


@dataclass(frozen=True)
class Source:
    """A definition's text with one kind of line end."""

    text: str
    filename: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, text: str, filename: str) -> Source:
        """The source of a text; its byte order mark is dropped."""
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        return cls(text, filename, tuple(text.split("\n")))

    def span(self, node: Located) -> SourceSpan:
        """Return the span of a node, in characters."""
        end_line = node.lineno if node.end_lineno is None else node.end_lineno
        end_offset = node.col_offset if node.end_col_offset is None else node.end_col_offset
        return SourceSpan(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, end_offset),
        )

    def text_of(self, span: SourceSpan) -> str:
        """Return the characters of a span on one line; for a longer span, those of its first line."""
        line = self.lines[span.line - 1]
        return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]

    def error(self, line: int, column: int, code: str, remedy: str = "", **values: object) -> DefinitionError:
        """The refusal of a name at a place, its message with some values; `remedy` takes the place of the usual one."""
        message, usual = (text.format_map(values) for text in REFUSALS[code])
        return self.told(line, column, code, message, remedy or usual)

    def told(self, line: int, column: int, code: str, message: str, remedy: str) -> DefinitionError:
        """An error at a place, with its stable name; a place outside the text is moved to the nearest one inside."""
        line = min(max(line, 1), len(self.lines))
        shown = self.lines[line - 1]
        return DefinitionError(self.filename, line, min(max(column, 1), len(shown) + 1), message, remedy, shown, code)

    def refuse(self, place: SourceSpan | Located, code: str, remedy: str = "", **values: object) -> NoReturn:
        """Raise a refusal at the start of a node or a span."""
        span = place if isinstance(place, SourceSpan) else self.span(place)
        raise self.error(span.line, span.column, code, remedy, **values)

    def refuse_found(self, place: Located, found: str, remedy: str) -> NoReturn:
        """Refuse a part of Python's syntax that the language lacks; its stable name is made of what was found."""
        span = self.span(place)
        raise self.told(span.line, span.column, code_of(found), f"found {found}", remedy)

    def _column(self, line: int, offset: int) -> int:
        # `ast` counts bytes of UTF-8; a line of ASCII, however long, needs no conversion.
        if self.lines[line - 1].isascii():
            return offset + 1
        return len(self.lines[line - 1].encode()[:offset].decode(errors="ignore")) + 1


def code_of(found: str) -> str:
    """The stable name of a refusal that is told by what was found.

    >>> code_of("an if expression"), code_of("`and` or `or`")
    ('if-expression', 'and-or-or')
    """
    return "-".join(re.findall(r"\w+", re.sub("^(an?|the) ", "", found).lower()))


def syntax_tree(source: Source) -> ast.Module:
    """The text as Python syntax, in plain ASCII names; DefinitionError if it is not."""
    if len(source.text.encode(errors="surrogatepass")) > MAXIMUM_BYTES:
        raise source.error(1, 1, "text-size", most=MAXIMUM_BYTES // 1024)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text, NO_FILE)
    except SyntaxError as error:
        raise _syntax_error(source, error) from None
    except (MemoryError, RecursionError):
        raise _too_deep(source) from None
    except (ValueError, OverflowError, SystemError):
        raise _not_text(source) from None
    _check_tokens(source)
    return tree


def _syntax_error(source: Source, error: SyntaxError) -> DefinitionError:
    message = error.msg or "invalid syntax"
    remedy = "a definition is Python syntax: imports of lngen.language, then one def with assignments and a return"
    if "default" in message and "follows" in message:
        remedy = "put the inputs that have no default first"
    elif "nested parentheses" in message or "too many" in message:
        remedy = SPLIT
    elif "null byte" in message:
        return _not_text(source)
    elif "integer string conversion" in message:
        line = error.lineno or 1
        written = _LONG_NUMBER.search(source.lines[line - 1])
        column = written.start() + 1 if written else 1
        return source.error(line, column, "number-size", found="a number of thousands of digits")
    line, column = error.lineno or 1, error.offset or 1
    while line > 1 and not "".join(source.lines[line - 1 : line]).strip():
        line -= 1  # what a blank line lacks is missing behind the one before
        column = len(source.lines[line - 1]) + 1
    return source.error(line, column, "syntax", remedy, message=message)


def _too_deep(source: Source) -> DefinitionError:
    deep = _DEEP.search(source.text)
    start = deep.start() if deep else 0
    line = source.text.count("\n", 0, start) + 1
    return source.error(line, start - source.text.rfind("\n", 0, start), "depth", how="too deeply")


def _not_text(source: Source) -> DefinitionError:
    for number, line in enumerate(source.lines, start=1):
        for column, character in enumerate(line, start=1):
            if character == "\0" or "\ud800" <= character <= "\udfff":
                return source.error(number, column, "character", character=character)
    remedy = "write plain Python syntax, with one function"
    return source.error(1, 1, "unreadable", remedy, how="read as Python syntax")


def _check_tokens(source: Source) -> None:
    """Refuse text that the syntax tree no longer shows: names before their normalisation, and type comments."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            line, offset = token.start
            if token.type == tokenize.NAME and not token.string.isascii():
                remedy = "write names with the letters a to z, digits and underscores"
                fault = "has characters that are not ASCII"
                raise source.error(line, offset + 1, "name", remedy, name=token.string, fault=fault)
            if token.type == tokenize.COMMENT and _TYPE_COMMENT.match(token.string):
                raise source.error(line, offset + 1, "type-comment")
    except (tokenize.TokenError, SyntaxError, RecursionError):
        # The parser has accepted the text; what the tokenizer of some Python version still trips over is
        # unusual enough to be refused as a whole.
        remedy = "write plain Python syntax, in ASCII outside comments"
        raise source.error(1, 1, "unreadable", remedy, how="split into tokens") from None
