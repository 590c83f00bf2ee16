"""Which lngen this is, and when it was imported."""

import time

__version__ = "0.1.0"

DISTRIBUTION = "lngen-derive"
"""The name of lngen on the package index, where `lngen` is another project."""

STARTED = time.time_ns()
"""When lngen was imported, before the modules that derive. A source that changed later may not be what runs."""


def install(extra: str) -> str:
    """Return the command that installs lngen with one of its extras.

    >>> install("torch")
    "pip install 'lngen-derive[torch]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
