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
    given, plain = path.lstat(), trust.objection

    def objection(status: os.stat_result, closed: bool = False) -> str:
        return "belongs to another user" if os.path.samestat(status, given) else plain(status, closed)

    monkeypatch.setattr(trust, "objection", objection)
