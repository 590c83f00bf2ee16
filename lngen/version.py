"""Version of lngen, and the time of its import."""

import time

__version__ = "0.1.0"

DISTRIBUTION = "lngen-derive"
"""The name of lngen on the package index, where `lngen` is another project."""

STARTED = time.time_ns()
"""Time at which lngen was imported, before the modules that derive; a source that changed later may not be the code
that runs.
"""
