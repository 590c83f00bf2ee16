"""Files and folders as another user, or one who let others write, would have left them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lngen.runtime import trust

NOBODY = 65534


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a path be another user's: root gives it away, and for anybody else it is taken for another's."""
    if os.geteuid() == 0:
        os.lchown(path, NOBODY, NOBODY)
        return
    given, plain = path.lstat(), trust._is_own
    monkeypatch.setattr(trust, "_is_own", lambda status: not os.path.samestat(status, given) and plain(status))
