"""Command `lngen cache`: the caches that are kept between runs."""

from __future__ import annotations

from lngen.cli import console, layers
from lngen.pipeline.cache import entries, folders


def run(clear: bool) -> None:
    """Print where derivations are kept, how many and how large, after removing them if that was asked for."""
    if clear:
        entries.clear()
    found = entries.usage()
    size = f"{found.size / 2**20:.1f} of at most {entries.MAXIMUM_BYTES / 2**20:.0f} MiB"
    console.say(f"derivations: {found.count} files, {size}, in {layers.shown(found.place)}")
    if found.obstacle:
        console.say(f"  not used: {found.obstacle}; set LNGEN_CACHE to another folder")
    for what, kind in (("compiled for the emulator, and PyCUDA", "simt"), ("layers of lngen.derive", "layers")):
        console.say(f"{what}: in {layers.shown(folders.place(kind))}, kept until you remove it")
