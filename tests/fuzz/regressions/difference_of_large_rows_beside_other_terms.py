from lngen.language import Feature, Row, abs, erf, exp, mean, sin, sum


def layer(gain: Row, query: Row = 0, x: Feature = 0.5):
    last = exp(x / (sum(abs(x)) + 0.001))
    k = -(gain - query) + (sin(last) + query / (mean(abs(query)) + 0.01))
    q = mean(k - mean(k))
    outer = erf(k)
    return (outer, k, q)
