"""The rules of a derivation: one table, what each does, and the driver that tries them."""

from lngen.derivation.rules.driver import Rule
from lngen.derivation.rules.table import RULE_OF, RULES

__all__ = ["RULES", "RULE_OF", "Rule"]
