# SPDX-License-Identifier: MIT
"""A source of CUDA C++ with the files that it includes in their places, for compilers that are given one text."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

_GUARD = re.compile(r"^\s*#\s*(?:pragma\s+once\b|ifndef\s+(\w+)\s*#\s*define\s+\1[ \t]*$)", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>).*$', re.MULTILINE)


def inlined(path: Path, source: str | None = None, folders: Sequence[Path] = ()) -> str:
    """Return the text of a file with its includes in place; missing ones, such as CUDA's own, stay.

    A file with a guard is there once, and one without as often as it is included, as to a compiler.
    `source` replaces the file's text. A name in quotes is searched beside the including file, then, as one in `<>`, in
    the `folders`. By `#line`, a compiler's messages name the real files.

    >>> inlined(Path("kernels.cu"), "#include <cuda_fp16.h>")
    '#include <cuda_fp16.h>'
    """
    done: set[str] = set()

    def expanded(text: str, path: Path) -> str:
        def replacement(found: re.Match[str]) -> str:
            places = (path.parent, *folders) if found[1] else folders
            # The folder of a source that was not written need not exist, so `..` is taken off it first.
            names = [os.path.normpath(place / (found[1] or found[2])) for place in places]
            file = next(filter(os.path.isfile, names), None)
            if file is None:
                return found[0]
            if file in done:
                return ""
            content = Path(file).read_text(encoding="utf-8")
            if _GUARD.search(content):
                done.add(file)
            content = expanded(content, Path(file))
            following = text.count("\n", 0, found.end()) + 2
            return f'#line 1 "{os.path.basename(file)}"\n{content}\n#line {following} "{path.name}"'

        return _INCLUDE.sub(replacement, text)

    return expanded(path.read_text(encoding="utf-8") if source is None else source, path)
