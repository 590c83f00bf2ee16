"""Item that a machine may have, and the remedy where it has not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """Item that a machine may have.

    `detail` is its version or name, or else why it is missing; `purpose` is its use; `remedy` is what to install, empty
    if it is found.
    """

    name: str
    found: bool
    detail: str
    purpose: str
    remedy: str = ""
