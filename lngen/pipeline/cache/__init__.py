"""Cache of derivations and of the emulator's modules, kept between runs.

The cache is optional: a missing entry is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def key(parts: Iterable[str | bytes]) -> str:
    """Return a name for the result that is made from these parts, in this order.

    >>> key(["ab", "c"]) == key(["a", "bc"])
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()[:32]
