"""Passes: rewrites of the formulas after the derivation, each into formulas that are equal for every D.

* `compensation`: a mean that is used as a shift is corrected by its residual.
* `balance`: products in an order in which no partial product leaves the range of a float.
* `scales`, for operations on whole arrays: factors of a row are multiplied where a row has become a number.
* `moments`, for loops over a row: second moments are sums of the sweep that measures a residual.
* `places`, for loops over a row: the first place of an extreme is a reduction of its own.
"""
