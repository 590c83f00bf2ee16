"""Text that comes from a user, made harmless in what it is put into."""

from __future__ import annotations

import re

from lngen.errors import printable


def markdown(text: str) -> str:
    r"""Prose in Markdown: no character of it makes a heading, a link, HTML, a formula or a table.

    >>> print(markdown("# a_b & <c> | [d](e) `f` $g$"))
    \# a\_b \& \<c> \| \[d\](e) \`f\` \$g\$
    """
    escaped = re.sub(r"([\\`*_\[\]<|&$~#])", r"\\\1", printable(text).strip())
    return re.sub(r"^([0-9]*)([-+=>:]|(?<=[0-9])[.)](?= |$))", r"\1\\\2", escaped)


def markup(text: str) -> str:
    r"""Text in rich's markup, where brackets are tags.

    >>> print(markup("[bold]a[/bold] \\"))
    \[bold]a\[/bold] \\
    """

    # Before a tag rich halves the backslashes, before another bracket it takes off one; and those at the end of a field
    # may meet the bracket of a tag.
    def escaped_bracket(found: re.Match[str]) -> str:
        backslashes, tag = found[1], found[2]
        return (backslashes * 2 if tag else backslashes) + "\\[" + (tag or "")

    escaped = re.sub(r"(\\*)\[([a-z#/@][^[]*?])?", escaped_bracket, printable(text))
    tail = re.search(r"\\*$", escaped)
    return escaped + (tail[0] if tail else "")


def fence(text: str) -> str:
    """A fence for a block of code: longer than any run of backticks in the text.

    >>> fence("a ``` b")
    '````'
    """
    return "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
