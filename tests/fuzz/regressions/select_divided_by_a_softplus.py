from lngen.language import Row, exp, relu, softplus, sum, where


def layer(gamma: Row):
    asks = sum(gamma)
    works = exp(gamma) ** (-0.5)
    upper = where(asks <= -1, works, asks) / softplus(gamma)
    visit = where(relu(gamma) > asks + asks, asks, works)
    return (visit, asks, upper)
