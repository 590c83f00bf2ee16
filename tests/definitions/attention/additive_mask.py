"""A softmax whose mask is added to the logits: 0 to keep one, -inf to leave it out."""

from lngen.language import Data, Row, exp, sum


def additive_mask(x: Row, mask: Data):
    e = exp(x + mask)
    y = e / sum(e)
    return y
