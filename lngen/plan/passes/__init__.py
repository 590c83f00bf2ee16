"""Passes: rewrites of the formulas after the derivation, each into formulas that are equal for every D.

* `compensation`: a mean that is used as a shift is corrected by its residual.
* `offsets`: differences of entries and the mean of a row are taken less the row's largest entry.
* `shared`: means and sums of a row that differ by row scalars are made of one.
* `scales`, for operations on whole arrays: a row scalar multiplies the result of a reduction, not each entry before it.
* `moments`, for loops over a row: the sweep that measures the residual of a mean also takes the second moments.
* `places`, for loops over a row: the position of an extreme is a reduction of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

PASS_RULES: Mapping[str, str] = {
    "written out": "a name that the plan does not keep is replaced by its value",
    "elementary functions": "a function is written with the functions that every backend has",
    "compensation": "the mean of a centred row, which is 0 in exact arithmetic, is measured and subtracted",
    "offsets": "log_Z + m - x_i is log_Z - (x_i - m), where m is the row's largest entry: m takes no digit of log_Z",
    "shared reductions": "means and sums that differ by row scalars are made of one: mean(r*u) = r*mean(u)",
    "once a row": "a product of row scalars is computed once per row, and a function of parameters once per call",
    "saved apart": "an output that backward reads is saved under a name of its own",
    "sums over rows": "a sum over rows inside a formula gets a line of its own",
    "late scales": "a row is read without its row scalar r, which multiplies later: mean(r*u) = r*mean(u)",
    "weights": "a Feature w becomes the weights of a mean: mean(w*u) is the dot product of u with w/D",
    "moments": "a second moment is computed from sums over the shifted row, in the sweep that measures its mean",
    "first places": "the position of a row's extreme is a reduction of its own",
}
"""Explanation of each pass by its name, in the order of the passes; reports print it."""
