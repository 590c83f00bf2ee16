from lngen.language import D, Feature, Row, abs, exp, mean, minimum, rsqrt, sqrt, sum


def layer(z: Row, key: Feature = 0):
    right = minimum(z, 0.25 / (mean(sqrt(key**2 + 0.5) ** 4) + 0.1) - (abs(z) + 1) ** (-0.5) * exp(z))
    last = key * 1 / (D - 1)
    h = sum(right)
    f = exp(0.001) ** (-2)
    k = ((right - mean(right)) * rsqrt(mean(right**2) - mean(right) ** 2 + 0.01)) ** 3 / (
        sum(abs(abs(last) - f**2)) + 0.001
    )
    return (k, h)
