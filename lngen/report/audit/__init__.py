"""Where digits can be lost, what the emitted form does about it, and how many bits its rewrites save."""

from lngen.report.audit.findings import Audit, Hazard, warning
from lngen.report.audit.hazards import audit, hazards
from lngen.report.audit.savings import Saving

__all__ = ["Audit", "Hazard", "Saving", "audit", "hazards", "warning"]
