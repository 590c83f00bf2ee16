"""Which lngen this is, and when it was imported."""

import time

__version__ = "0.1.0"

STARTED = time.time_ns()
"""When lngen was imported, before the modules that derive. A source that changed later may not be what runs."""
