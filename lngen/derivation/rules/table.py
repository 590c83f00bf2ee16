"""All rules of a derivation, in the order in which they are tried: first on the definition, last on the gradients.

A step names its rule. `docs/rules.md` is made from this table. `tests/derivation/rules/test_table.py` derives each
example and finds the step.
"""

from __future__ import annotations

from lngen.algebra.reductions import split_reductions
from lngen.algebra.symbols import AttainsFirst
from lngen.derivation.differential import merged
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.rules.basis import Basis
from lngen.derivation.rules.driver import Example, Rule, in_passes, of_values, on_expressions, on_forwards, on_lines
from lngen.derivation.rules.exponentials import normalized_exponentials, shift_exponentials
from lngen.derivation.rules.factors import common_factors
from lngen.derivation.rules.homogeneity import stop_at_cancelling_extremes
from lngen.derivation.rules.known_values import known_means, known_products, known_scaled_rows, with_value
from lngen.derivation.rules.linearity import split_means, split_rows_sum
from lngen.derivation.rules.row_classes import (
    is_centred_row,
    is_factor_of_row,
    is_function_of_row,
    is_scaled_row,
    is_statistic,
    is_value,
)
from lngen.derivation.rules.selects import guarded_poles, whole_selects
from lngen.derivation.rules.stability import (
    beside_one,
    centred_moment,
    complement_under_a_name,
    conjugate_of_root,
    difference_of_squares,
    exponential_of_logarithm,
    logarithm_of_exponential,
    normal_distribution,
    reflected_softplus,
    sigmoid_of_complement,
    tail_of_tanh,
    zero_means,
)
from lngen.derivation.trail import Trail
from lngen.derivation.vjp import contributions, summed

_NORM = "x*rsqrt(mean(x**2) + 1)"
_CENTRED = "(x - mean(x))*rsqrt(mean((x - mean(x))**2) + 1)"

RULES: tuple[Rule, ...] = (
    # ---- the definition: each sum, logarithm and exponential of it
    on_expressions(
        "normal distribution",
        "(1 + erf(u/sqrt(2)))/2 is Phi(u), the distribution function of the standard normal, and "
        "exp(-u**2/2)/sqrt(2*pi) is phi(u), its density.",
        normal_distribution,
        Example("gelu(x)", "x*(1 + erf(sqrt(2)*x/2))/2", "x*Phi(x)"),
        "the distribution function or the density of a standard normal",
        proof="They are the definitions of Phi and phi, erf being odd. Phi' = phi and phi'(u) = -u*phi(u).",
        condition="The two terms have one coefficient, or opposite ones.",
    ),
    on_expressions(
        "tail of a function",
        "1 - tanh(u) = 2*sigmoid(-2*u), 1 + tanh(u) = 2*sigmoid(2*u), 1 - tanh(u)**2 = 4*sigmoid(2*u)*sigmoid(-2*u).",
        tail_of_tanh,
        Example("1 - tanh(x)", "1 - tanh(x)", "2*sigmoid(-2*x)"),
        "near its limit the difference has no digits, and this form has all",
        proof="tanh(u) = 1 - 2/(exp(2*u) + 1), and sigmoid(-u) = 1/(exp(u) + 1) = 1 - sigmoid(u).",
    ),
    on_expressions(
        "softplus reflected",
        "softplus(u) - u = softplus(-u).",
        reflected_softplus,
        Example("softplus(x) - x", "softplus(x) - x", "softplus(-x)"),
        "where it is large the difference has no digits, and this form has all",
        proof="log(1 + exp(u)) - u = log((1 + exp(u))*exp(-u)).",
    ),
    on_expressions(
        "conjugate",
        "sqrt(a) - b = (a - b**2)/(sqrt(a) + b).",
        conjugate_of_root,
        Example("sqrt(x**2 + 1) - abs(x)", "sqrt(1 + x**2) - abs(x)", "1/(abs(x) + sqrt(1 + x**2))"),
        "where both are close the difference has no digits, and their sum has all",
        proof="(sqrt(a) - b)*(sqrt(a) + b) = a - b**2, and sqrt(a) + b > 0.",
        condition="a is positive and b is not negative by its form, and a - b**2 is a constant.",
    ),
    on_expressions(
        "centred statistic",
        "A statistic that a shift of its row leaves alone is computed from the row less its mean. One of several "
        "rows takes each less its own mean, and one with weights takes the row less its weighted mean.",
        centred_moment,
        Example(
            "x*rsqrt(mean(x**2) - mean(x)**2 + 1)",
            "x/sqrt(1 + mean(x**2) - mean(x)**2)",
            "x/sqrt(1 + mean((x - mean(x))**2))",
        ),
        "a shift of its row does not change it: computed from the centred row it needs no subtraction",
        proof="x = c + mean(x) and mean(c) = 0; what is left is the same statistic of c. So it is with x = c + m,"
        " for sum(w*c) = 0.",
        condition="Written in c = x - mean(x) and multiplied out, mean(x) is gone from it, and there are fewer "
        "terms; with weights, what is gone is m = sum(w*x)/sum(w).",
    ),
    on_expressions(
        "exponential of a logarithm",
        "exp(u - log(s)) = exp(u)/s.",
        exponential_of_logarithm,
        Example(
            "def f(x: Row):\n    s = log(sum(exp(x)))\n    return exp(x - s)", "exp(x - m)/Z", "exp(x)/sum(exp(x))"
        ),
        "exp(log(u)) is u: one exponential less, and no digits lost in its exponent",
        proof="exp(a + b) = exp(a)*exp(b), and exp and log are inverse.",
        condition="No logarithm is left in the exponent, and all powers are rational.",
    ),
    on_expressions(
        "logarithm of an exponential",
        "log(a*exp(u)/b) = u + log(a) - log(b).",
        logarithm_of_exponential,
        Example(
            "sum(exp(x)/sum(exp(x))*log(exp(x)/sum(exp(x))))",
            "sum(exp(x)*log(exp(x)/sum(exp(x)))/sum(exp(x)))",
            "sum(exp(x)*(x - log(sum(exp(x))))/sum(exp(x)))",
        ),
        "an exponential that is 0 in floats has no logarithm, but its exponent is a number",
        proof="exp and log are inverse, log(a*b) = log(a) + log(b) for a, b > 0; where the product has a "
        "logarithm and all factors but one are positive, so is that one.",
        condition="Of a, b and so on, the sign of one at most is not known.",
    ),
    # ---- the definition as a whole
    on_forwards(
        "a shift that cancels",
        "A number that no result depends on has gradient zero.",
        stop_at_cancelling_extremes,
        Example("exp(x - max(x))/sum(exp(x - max(x)))", "", "max(x)"),
        "no gradient flows through the number, and none is computed",
        proof="A value that does not depend on a number has derivative zero with respect to it.",
        condition="The number cancels from every output, or the gradients that reach it add up to zero.",
    ),
    on_forwards(
        "largest exponent taken out",
        "exp(u) = exp(m)*exp(u - m); where exp(m) cancels in every output, exp(u - m) is computed in its place.",
        shift_exponentials,
        Example("exp(x)/(1 + sum(exp(x)))", "", "max(x)"),
        "exp never overflows",
        proof="exp(a + b) = exp(a)*exp(b). No output depends on m: its derivative is zero and no gradient flows "
        "through it, and u - m <= 0, so that the exponential is at most 1.",
        condition="m is the largest exponent of those that are added up, over the entries that a select lets "
        "through; what is no exponential has the exponent 0. The factor exp(m) is followed through the "
        "definition: a mean lets it out, a quotient cancels it, a logarithm turns it into + m, of a sum"
        " of unlike powers the highest is taken. No output keeps a power of it, but for exp(-m) where m"
        " >= 0; what is divided by holds the largest of each. A number of the row that is exp(u) takes powers of a"
        " sum that is left into its exponent: exp(u)/s = exp(u - log(s)).",
    ),
    on_expressions(
        "one apart",
        "log(1 + u) = log1p(u) and exp(u) - 1 = expm1(u).",
        beside_one,
        Example("log(1 + x**2)", "log(1 + x**2)", "log1p(x**2)"),
        "beside 1 a small number loses its digits",
        proof="They are the definitions of log1p and expm1.",
        condition="u has no exponential: of a sum of these the largest exponent is taken out.",
    ),
    # ---- values that have a line of their own
    of_values(
        "reduction",
        "A mean, a sum, the largest or the smallest entry of a row.",
        is_statistic,
        Example(_NORM, "", "mean(x**2)"),
        "one number per row, computed once",
    ),
    of_values(
        "centred row",
        "A row minus one number per row, such as its mean.",
        is_centred_row,
        Example(_CENTRED, "", "x - mu"),
        "gradients are often shortest when written in it",
    ),
    of_values(
        "scaled row",
        "A row times one number per row that is never zero.",
        is_scaled_row,
        Example(_NORM, "x/sqrt(1 + mean(x**2))", "rstd*x"),
        "gradients are often shortest when written in it",
        condition="The number is a root or a reciprocal of something finite, so that it can be divided by.",
    ),
    of_values(
        "row-scalar factor",
        "A root, a reciprocal or another function of one number per row.",
        is_factor_of_row,
        Example(_NORM, "", "1/sqrt(1 + ms)"),
        "computed once per row",
    ),
    of_values(
        "function",
        "A function of a row, under a name.",
        is_function_of_row,
        Example("tanh(x)*x", "", "tanh(x)"),
        "named, so that its derivative can be written with its value",
    ),
    of_values(
        "definition",
        "A value of the definition under its name.",
        is_value,
        Example("def f(x: Row, gamma: Feature): return gamma*x", "", "gamma*x"),
        "as written",
    ),
    # ---- derivatives
    in_passes(
        "chain rule",
        "The gradient of a value is the sum of the gradients from every equation that uses it. A tangent is the "
        "sum over the operands.",
        contributions,
        Example(_NORM, "", "rstd*dy + 2*dms*x/D"),
        "each equation is differentiated once",
        proof="For s = e(v, ...), dL/dv gets dL/ds * de/dv. It is summed over the features where v is one number "
        "a row, and over the rows where all rows share v. m = mean(b) sends dL/dm * db/dv / D to each "
        "feature. Forward, ds is the sum of de/dv * dv.",
        condition="The outputs are differentiable functions of the value, kinks aside.",
    ),
    in_passes(
        "subgradient",
        "The gradient of a largest or smallest entry goes to the first feature that attains it.",
        AttainsFirst,
        Example("x*max(x)", "", "attains_first(x, row_max)"),
        "a largest entry has a gradient on a tie, too",
        proof="Near a row without ties max(x) is that entry, whose derivative is 1 by itself and 0 by all others.",
        condition="None; on a tie this is a choice, one of the subgradients.",
    ),
    in_passes(
        "gradient",
        "The gradients are values too: their equations, taken for a forward, have an adjoint.",
        backward_as_forward,
        Example("x**3", "", "3*dy*x**2"),
        "the double backward needs no rules of its own",
        proof="They are the last lines of the derivation above, under names of their own.",
    ),
    in_passes(
        "name",
        "A part of a line under a name.",
        split_reductions,
        Example(_NORM, "", "mean(dy*y)"),
        "a part that stands more than once is computed once",
        proof="A name stands for what it is given to.",
    ),
    in_passes(
        "unsimplified",
        "The formula of the chain rule stays as it is: right, but longer.",
        summed,
        None,
        "a definition of any length is derived in bounded time",
        proof="Nothing is changed but names put in.",
        condition="A shorter form would take more work than a definition may.",
    ),
    in_passes(
        "collected",
        "A sum of means is the mean of the sum, and selects on one condition are one select.",
        merged,
        Example(
            "def f(x: Row, t: Row):\n"
            "    p = exp(x)/sum(exp(x))\n"
            "    m = 0.5*(p + t)\n"
            "    return 0.5*sum(p*(log(p) - log(m))) + 0.5*sum(t*(log(t) - log(m)))",
            "sum(log_t_dot*t) + sum(-log_m_dot*t) + sum(t_dot*(log_t - log_m))",
            "sum(log_t_dot*t + t_dot*(log_t - log_m) - log_m_dot*t)",
        ),
        "one mean in the place of several, and what is not chosen is not added",
        proof="Means are linear, and where(c, a, 0) + where(c, b, 0) = where(c, a + b, 0) in both cases of c.",
    ),
    in_passes(
        "written out",
        "A name is replaced by what it stands for, and terms are collected.",
        Trail.written_out,
        Example("x*mean(x)", "dx_part + dmu/D", "dx_part + mean(dy*x)"),
        "terms of different paths can be collected",
        proof="Earlier steps define each name. Addition and multiplication are associative, commutative and "
        "distributive. Means are linear: mean(s*u + v) = s*mean(u) + mean(v) for a number s of the row.",
    ),
    in_passes(
        "value of a function",
        "A derivative is written with the value of the function: exp(u) by its name, 1 - tanh(u)**2 as 1 - t**2.",
        with_value,
        Example(
            "x*max(x)",
            "d2row_max*attains_first(x, row_max) + dmean_dy_x*dy/D",
            "d2row_max*first_row_max + dmean_dy_x*dy/D",
        ),
        "the value is not computed again",
        proof="The name stands for the function of that argument.",
        condition="The forward has the value under a name.",
    ),
    in_passes(
        "linearity",
        "The mean of a sum is the sum of the means; a number of the row stands before a mean or a sum.",
        split_means,
        Example(
            _CENTRED,
            "rstd*dy + mean(rstd**3*x_centred*mean(dy*x_centred) - rstd*dy) - rstd**3*x_centred*mean(dy*x_centred)",
            "rstd*dy + rstd**3*mean(x_centred)*mean(dy*x_centred) - rstd*mean(dy) - "
            "rstd**3*x_centred*mean(dy*x_centred)",
        ),
        "a mean of few factors may be known",
        proof="mean(s*u + v) = s*mean(u) + mean(v) for a number s of the row.",
        condition="The number is one for all features of a row.",
    ),
    in_passes(
        "change of basis",
        "Values of one row that differ by a factor and a shift (x, x - mu, xhat) are written in one of them.",
        Basis.rewrite,
        Example(_NORM, "rstd*dy - rstd**3*x*mean(dy*x)", "rstd*dy - rstd*y*mean(dy*y)"),
        "the means of the definition become identities",
        proof="t = r*(x - m) says x = t/r + m; put in and multiplied out, with means linear, the value is the same.",
        condition="The factor is never zero. A number under a root or a reciprocal is written by that: var = "
        "1/r**2 - eps.",
    ),
    in_passes(
        "identities",
        "Facts that follow from the definition, such as mean(xhat) = 0.",
        Basis.reduced,
        Example(
            _CENTRED,
            "rstd*dy + rstd*mean(y)*mean(dy*y) - rstd*mean(dy) - rstd*y*mean(dy*y)",
            "rstd*dy - rstd*mean(dy) - rstd*y*mean(dy*y)",
        ),
        "a mean less for each",
        proof="m = mean(x) with x = m + t/r says m = m + mean(t)/r, so mean(t) = 0. And var = mean((x - m)**2) "
        "with var = 1/r**2 - eps says mean(t**2) = 1 - eps*r**2. The mean of a row less its mean is zero in"
        " any basis.",
        condition="The identity is an equation of the definition with the change of basis put in, solved for one mean.",
    ),
    in_passes(
        "common factors",
        "A factor that all terms share is taken out of the sum.",
        common_factors,
        Example(_NORM, "rstd*dy - rstd*y*mean(dy*y)", "rstd*(dy - y*mean(dy*y))"),
        "fewer operations",
        proof="a*b + a*c = a*(b + c), and mean(s*u) = s*mean(u) for a number s of the row.",
    ),
    in_passes(
        "names of the row",
        "A part that is a named value of the same row is written by that name.",
        Basis.in_members,
        Example(
            "def f(x: Row):\n    v = mean(x**2)\n    y = x*rsqrt(v + 1)\n    return y, v",
            "2*dv*y/(D*rstd) + rstd*(dy - y*mean(dy*y))",
            "2*dv*x/D + rstd*(dy - y*mean(dy*y))",
        ),
        "fewer operations, and a small row is not computed from large ones",
        proof="The change of basis read the other way.",
        condition="It is shorter.",
    ),
    in_passes(
        "sums over rows",
        "A sum over the rows of several terms is one sum, or one sum for each term, whichever is shorter.",
        split_rows_sum,
        Example(
            "def f(x: Row, w: Feature): return x*w/sum(w)",
            "sum_rows(dy*x/sum_w) + sum_rows(sum(-w*dy*x/sum_w**2))",
            "(sum_rows(dy*x) - sum_rows(sum(w*dy*x))/sum_w)/sum_w",
        ),
        "in as few sums as need no more operations",
        proof="sum_rows(u) + sum_rows(v) = sum_rows(u + v), and what all rows share stands before the sum.",
    ),
    # ---- lines of the gradients, the tangents and the double backward
    on_lines(
        "mean of a centred row",
        "The mean of a row less its mean is 0, and so is its weighted mean if that is less its weighted mean.",
        zero_means,
        Example(
            "def f(x: Row):\n    c = x - mean(x)\n    return mean(c**2)",
            "2*mean(c*x_dot) - 2*mean(c)*mean(x_dot)",
            "2*mean(c*x_dot)",
        ),
        "the mean of a centred row is zero",
        proof="mean(x - mean(x)) = mean(x) - mean(x), for means are linear.",
        condition="The row and the mean that it is less have names in the forward.",
    ),
    on_lines(
        "tail of a sigmoid",
        "1 - sigmoid(u) = sigmoid(-u), where it is a factor.",
        sigmoid_of_complement,
        Example("x*sigmoid(mean(x))", "sigmoid_mu*mean(x_dot)*(1 - sigmoid_mu)", "sigmoid_mu*sigmoid(-mu)*mean(x_dot)"),
        "near its limit the difference has no digits, and this form has all",
        proof="sigmoid(-u) = 1/(exp(u) + 1) = 1 - sigmoid(u).",
        condition="The forward has the sigmoid under a name, and the difference is a factor: among the terms of a"
        " sum it is a complement.",
    ),
    on_lines(
        "difference of squares",
        "1 - t**2 = (1 - t)*(1 + t).",
        difference_of_squares,
        Example("tanh(x)", "dy*(1 - y**2)", "dy*(1 - y)*(1 + y)"),
        "near 1 the square has lost the digits that the difference needs",
        proof="(1 - t)*(1 + t) = 1 + t - t - t**2.",
        condition="t is a tanh: near 1 its square has lost the digits that the difference needs.",
    ),
    on_lines(
        "complement",
        "1 - sigmoid(u) has a name of its own and is not multiplied out; 1 - (1 - u) is u.",
        complement_under_a_name,
        Example("sqrt(softplus(softplus(x)))", "", "1 - sigmoid(x)"),
        "among the terms of a sum its digits would be lost",
        proof="A name stands for what it is given to. Of sigmoid(u) and sigmoid(-u) each is what the other leaves"
        " to 1, and sigmoid(u) - sigmoid(-u) = tanh(u/2).",
        condition="It is a term of a longer sum.",
    ),
    on_lines(
        "known product",
        "A product or quotient that the forward has named is written by that name.",
        known_products,
        Example("exp(x)/(1 + x**2)", "dy*exp_x*(1 - 2*x/(1 + x**2))/(1 + x**2)", "dy*y*(1 - 2*x/(1 + x**2))"),
        "it is computed once",
        proof="The name stands for the product.",
        condition="It is shorter.",
    ),
    on_lines(
        "known scaled row",
        "A row times its scale is written by the name that the forward has for it: r*e is p.",
        known_scaled_rows,
        Example(
            "x*exp(x)/sum(exp(x))",
            "inv_Z*g + exp_shifted*(dy*xhat - inv_Z**2*sum(g*x))",
            "inv_Z*g + exp_shifted*(dy*xhat - inv_Z*sum(g*xhat))",
        ),
        "the product is neither too large nor too small for a float",
        proof="The name stands for the product, and mean(r*u) = r*mean(u).",
        condition="The forward has p = r*e.",
    ),
    on_lines(
        "normalized exponentials",
        "Exponentials over their sum are normalized exponentials p, and sum(p) = 1.",
        normalized_exponentials,
        Example("x - log(sum(exp(x)))", "", "exp_shifted/Z"),
        "p is at most 1, and s may be larger than any float",
        proof="p = e/s says e = p*s, and s, one number a row, leaves every mean; sum(p) = sum(e)/s = 1. exp(u - "
        "log(s)) is p again.",
        condition="e = exp(u) and s = sum(e) have names, and with p*s in the place of e, s cancels wherever it stands.",
    ),
    on_lines(
        "whole select",
        "A product with a select is a select of products.",
        whole_selects,
        Example(
            "relu(x)*mean(x)",
            "where(x <= 0, 0, mu*ddx) + where(x <= 0, 0, x*mean(ddx))",
            "where(x <= 0, 0, mu*ddx + x*mean(ddx))",
        ),
        "0 times what is not chosen may be NaN",
        proof="In both cases of c, a*where(c, u, v) = where(c, a*u, a*v); where u is 0 so is a*u for finite a.",
        condition="None; 0 times what is not chosen may be NaN, so it is not multiplied by.",
    ),
    on_lines(
        "guarded pole",
        "1/s is replaced by 0 where s = 0; everything that it multiplies is 0 there.",
        guarded_poles,
        Example("x/(sqrt(mean(x**2)) + 1)", "", "where(root > 0, 1/root, 0)"),
        "the gradient at the pole is its limit, and not 0/0",
        proof="Where s is zero the whole row is; shrunk by k, each such term shrinks by a positive power of k, so"
        " its limit, which is the value of the gradient there, is 0.",
        condition="s is the root of a mean of even powers of a row, and every term with 1/s vanishes faster than s.",
    ),
    on_lines(
        "known mean",
        "A mean that has a name is written by that name.",
        known_means,
        Example(
            "def f(x: Row):\n    y = x*rsqrt(mean(x**2) + 1)\n    m = mean(y**2)\n    return y, m",
            "2*rstd*(mean(x_dot*y) - mean(x_dot*y)*mean(y**2))",
            "2*rstd*(mean(x_dot*y) - m*mean(x_dot*y))",
        ),
        "a mean that has a name",
        proof="The name stands for the mean.",
    ),
)

DEFINITION_RULES = tuple(rule for rule in RULES if rule.place in ("expression", "forward"))
LINE_RULES = tuple(rule for rule in RULES if rule.place == "lines")
VALUE_RULES = tuple(rule for rule in RULES if rule.place == "value")
RULE_OF = {rule.name: rule for rule in RULES}
