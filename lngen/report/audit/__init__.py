"""Audit of lost digits: places, the protection in the emitted form, and the bits saved by rewrites."""

from lngen.report.audit.findings import Audit, Hazard, warning
from lngen.report.audit.hazards import audit, hazards
from lngen.report.audit.savings import Saving

__all__ = ["Audit", "Hazard", "Saving", "audit", "hazards", "warning"]
