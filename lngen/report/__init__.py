"""Printed audit of a layer: the derivation, its proofs, its cost, and the places where digits can be lost."""

from lngen.report.costs import cost_entries, cost_line, cost_report
from lngen.report.formulas import formulas
from lngen.report.output import report, to_console

__all__ = ["cost_entries", "cost_line", "cost_report", "formulas", "report", "to_console"]
