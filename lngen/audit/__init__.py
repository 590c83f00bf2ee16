"""Where digits can be lost, what the emitted form does about it, and how many bits its rewrites save."""

from lngen.audit.hazards import STABILITY_RULES, Audit, Hazard, Place, Rewrite, audit
from lngen.audit.savings import Saving, savings

__all__ = ["STABILITY_RULES", "Audit", "Hazard", "Place", "Rewrite", "Saving", "audit", "savings"]
