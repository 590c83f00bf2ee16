"""Where digits can be lost, what the emitted form does about it, and how many bits its rewrites save."""

from lngen.report.audit.hazards import Audit, Hazard, audit
from lngen.report.audit.savings import Saving

__all__ = ["Audit", "Hazard", "Saving", "audit"]
