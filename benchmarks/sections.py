"""Names of a round's parts in a record: the roofs, lngen's directions, and `<peer> <direction>`."""

from __future__ import annotations

COPIES = ("copy by the driver", "copy by a kernel")
TRIAD = "triad"
ROOFS = (*COPIES, TRIAD)

OWN = "lngen"
COMPARED = ("forward", "backward")
"""The directions that peers have."""


def who_and_direction(section: str) -> tuple[str, str]:
    """A section's name, of those that are no roof, taken apart.

    >>> who_and_direction("torch compiled backward"), who_and_direction("jvp")
    (('torch compiled', 'backward'), ('lngen', 'jvp'))
    """
    who, _, direction = section.rpartition(" ")
    return who or OWN, direction
