from lngen.language import Feature, Row, Scalar, expm1, maximum, mean, softplus, sqrt, sum


def layer(dgamma: Row, column: Scalar, a: Feature = 0):
    suppress = expm1(mean(dgamma / softplus(maximum(column, a))))
    behind = -(dgamma / sqrt(sum(dgamma**2) + 0.001))
    return (behind, suppress)
