"""Audit of lost digits: places, and the protection in the emitted form."""

from lngen.report.audit.findings import Audit, Hazard, warning
from lngen.report.audit.hazards import audit, hazards

__all__ = ["Audit", "Hazard", "audit", "hazards", "warning"]
