from lngen.language import D, Data, Feature, Int, Row, abs, mean, sum


def layer(plan: Row, ms: Data["d"], key: Feature, w: Feature, i: Int["..."]):
    kind = abs(plan + 0.1 * i)
    return sum(((ms - w / D) ** 2 - -ms) / (abs(kind / (mean(abs(kind)) + 0.01)) + 1) * (key * 2))
