from lngen.language import D, Row, mean, minimum, softplus, sqrt, sum, where


def layer(s: Row):
    far = minimum(mean(s * D), 3 / (D - 1) + mean(s) / softplus(sum(s)))
    scale = where(far > s, sqrt(D), s)
    mu_residual = where(far > 3, (mean(scale**2) + 1e-05) ** 1.5 + 4 ** (-0.5) - far * (0.001 / D), 0.001)
    return (mu_residual, far, scale)
