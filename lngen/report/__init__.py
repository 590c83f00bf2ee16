"""Printed audit of a layer: the derivation, its proofs, its cost, and the places where digits can be lost.

Takes: a `Plan`.
Gives: text, Markdown, JSON, a certificate; where digits can be lost.
Knows nothing of: files and terminals other than their width.
"""

from lngen.report.costs import cost_entries, cost_report
from lngen.report.formulas import formulas
from lngen.report.output import report
from lngen.report.terminal import printed, to_console

__all__ = ["cost_entries", "cost_report", "formulas", "printed", "report", "to_console"]
