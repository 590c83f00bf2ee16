from lngen.language import Row, exp, max, softplus, stop_gradient, sum, where


def layer(rstd: Row):
    return where(softplus(stop_gradient(exp(rstd - max(rstd)) / sum(exp(rstd - max(rstd))))) <= 0.1, rstd, 2)
