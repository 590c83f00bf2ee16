"""A softmax over the entries that a mask keeps; a row of which none is kept is 0/0."""

from lngen.language import Data, Row, exp, sum, where


def where_mask(x: Row, keep: Data):
    e = where(keep > 0, exp(x), 0)
    y = e / sum(e)
    return y
