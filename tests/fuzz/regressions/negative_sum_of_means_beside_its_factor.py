from lngen.language import Feature, Row, abs, exp, max, maximum, sqrt, sum, where


def layer(replace: Row, query: Feature):
    after_var = abs(1.5 / (abs(-1) + 1) * where(query < 0.1, query, 0.5))
    D_1 = maximum(after_var, replace / sum(exp(replace)) * (replace * after_var))
    dx_unscaled = sqrt(maximum(replace * (exp(D_1 - max(D_1)) / sum(exp(D_1 - max(D_1)))), 0.1))
    laid = 0.001 + dx_unscaled
    return laid
