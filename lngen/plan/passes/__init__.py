"""Passes: rewrites of the formulas after the derivation, each into formulas that are equal for every D.

* `compensation`: a mean that is used as a shift is corrected by its residual.
* `balance`: products in an order in which no partial product leaves the range of a float.
* `scales`, for operations on whole arrays: factors of a row are multiplied where a row has become a number.
* `moments`, for loops over a row: second moments are sums of the sweep that measures a residual.
* `places`, for loops over a row: the first place of an extreme is a reduction of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

PASS_RULES: Mapping[str, str] = {
    "written out": "an equation with the values of names that the plan does not keep",
    "elementary functions": "a function by those that every backend has",
    "compensation": "the mean that a row is centred on is measured again on the centred row, and what is left of it "
    "is taken off: in exact arithmetic that is 0",
    "order in range": "a product in an order in which no partial product overflows or vanishes",
    "once a row": "a product of values that a row has one of is formed once a row, and a function of parameters once "
    "a call",
    "saved apart": "an output that backward reads is saved under a name of its own",
    "sums over rows": "a sum over rows by itself, where an equation has it in a formula",
    "late scales": "a factor of a row is multiplied where the row has become a number",
    "weights": "a factor that varies over features as the weights of a mean",
    "moments": "a second moment from sums of the shifted row, in the sweep that measures the residual",
    "first places": "the first place of an extreme is looked for by itself",
}
"""Words on each rule by its name, in the order of the passes."""
