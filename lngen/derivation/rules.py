"""The rules of a derivation, all in one place: what each says, when it may be used, and why it holds.

A step names its rule. `docs/rules.md` is made from this table, with a step of a derivation as an example of each.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A lemma: what it says in a line, when, and why; `example` is a definition whose derivation uses it."""

    name: str
    statement: str
    example: str
    proof: str = "It is what the definition says, with earlier values by their names."
    condition: str = "None."

    @property
    def anchor(self) -> str:
        """Return the anchor of the rule on a page.

        >>> RULES["change of basis"].anchor
        'rule-change-of-basis'
        """
        return "rule-" + self.name.replace(" ", "-")


_NORM = "x*rsqrt(mean(x**2) + 1)"
_CENTRED = "(x - mean(x))*rsqrt(mean((x - mean(x))**2) + 1)"

_EVERY = (
    # ---- the forward
    Rule("definition", "A value of the definition under its name.", "def f(x: Row, gamma: Feature): return gamma*x"),
    Rule("reduction", "A mean, a sum, the largest or the smallest entry of a row.", f"def f(x: Row): return {_NORM}"),
    Rule("centred row", "A row minus one number per row, such as its mean.", f"def f(x: Row): return {_CENTRED}"),
    Rule(
        "scaled row",
        "A row times one number per row that is never zero.",
        f"def f(x: Row): return {_NORM}",
        condition="The number is a root or a reciprocal of something finite, so that it can be divided by.",
    ),
    Rule(
        "row-scalar factor",
        "A root, a reciprocal or another function of one number per row.",
        f"def f(x: Row): return {_NORM}",
    ),
    Rule("function", "A function of a row, under a name.", "def f(x: Row): return tanh(x)*x"),
    Rule(
        "largest exponent taken out",
        "exp(u) = exp(m)*exp(u - m); where exp(m) cancels in every output, exp(u - m) is computed in its place.",
        "def f(x: Row): return exp(x)/(1 + sum(exp(x)))",
        "exp(a + b) = exp(a)*exp(b). No output depends on m: its derivative is zero and no gradient flows through it, "
        "and u - m <= 0, so that the exponential is at most 1.",
        "m is the largest exponent of those that are added up, over the entries that a select lets through; what is no "
        "exponential has the exponent 0. The factor exp(m) is followed through the definition: a mean lets it out, a "
        "quotient cancels it, a logarithm turns it into + m, of a sum of unlike powers the highest is taken. No output "
        "keeps a power of it, but for exp(-m) where m >= 0; what is divided by holds the largest of each.",
    ),
    Rule(
        "a shift that cancels",
        "A number that no result depends on has gradient zero.",
        "def f(x: Row): return exp(x - max(x))/sum(exp(x - max(x)))",
        "A value that does not depend on a number has derivative zero with respect to it.",
        "The number cancels from every output, or the gradients that reach it add up to zero.",
    ),
    Rule(
        "exponential of a logarithm",
        "exp(u - log(s)) = exp(u)/s.",
        "def f(x: Row):\n    s = log(sum(exp(x)))\n    return exp(x - s)",
        "exp(a + b) = exp(a)*exp(b), and exp and log are inverse.",
        "No logarithm is left in the exponent, and all powers are rational.",
    ),
    Rule(
        "logarithm of an exponential",
        "log(a*exp(u)/b) = u + log(a) - log(b).",
        "def f(x: Row): return sum(exp(x)/sum(exp(x))*log(exp(x)/sum(exp(x))))",
        "exp and log are inverse, log(a*b) = log(a) + log(b) for a, b > 0; where the product has a logarithm and all "
        "factors but one are positive, so is that one.",
        "Of a, b and so on, the sign of one at most is not known.",
    ),
    Rule(
        "centred statistic",
        "A statistic that a shift of its row leaves alone is computed from the row less its mean. One of several rows "
        "takes each less its own mean, and one with weights takes the row less its weighted mean.",
        "def f(x: Row): return x*rsqrt(mean(x**2) - mean(x)**2 + 1)",
        "x = c + mean(x) and mean(c) = 0; what is left is the same statistic of c. So it is with x = c + m, for "
        "sum(w*c) = 0.",
        "Written in c = x - mean(x) and multiplied out, mean(x) is gone from it, and there are fewer terms; with "
        "weights, what is gone is m = sum(w*x)/sum(w).",
    ),
    Rule(
        "tail of a function",
        "1 - tanh(u) = 2*sigmoid(-2*u), 1 + tanh(u) = 2*sigmoid(2*u), 1 - tanh(u)**2 = 4*sigmoid(2*u)*sigmoid(-2*u).",
        "def f(x: Row): return 1 - tanh(x)",
        "tanh(u) = 1 - 2/(exp(2*u) + 1), and sigmoid(-u) = 1/(exp(u) + 1) = 1 - sigmoid(u).",
        "None. Derivatives of a forward write 1 - sigmoid(u) = sigmoid(-u) where it is a factor.",
    ),
    Rule(
        "softplus reflected",
        "softplus(u) - u = softplus(-u).",
        "def f(x: Row): return softplus(x) - x",
        "log(1 + exp(u)) - u = log((1 + exp(u))*exp(-u)).",
    ),
    Rule(
        "conjugate",
        "sqrt(a) - b = (a - b**2)/(sqrt(a) + b).",
        "def f(x: Row): return sqrt(x**2 + 1) - abs(x)",
        "(sqrt(a) - b)*(sqrt(a) + b) = a - b**2, and sqrt(a) + b > 0.",
        "a is positive and b is not negative by its form, and a - b**2 is a constant.",
    ),
    Rule(
        "one apart",
        "log(1 + u) = log1p(u) and exp(u) - 1 = expm1(u).",
        "def f(x: Row): return log(1 + x**2)",
        "They are the definitions of log1p and expm1.",
        "u has no exponential: of a sum of these the largest exponent is taken out.",
    ),
    Rule(
        "normal distribution",
        "(1 + erf(u/sqrt(2)))/2 is Phi(u), the distribution function of the standard normal, and "
        "exp(-u**2/2)/sqrt(2*pi) is phi(u), its density.",
        "def f(x: Row): return gelu(x)",
        "They are the definitions of Phi and phi, erf being odd. Phi' = phi and phi'(u) = -u*phi(u).",
        "The two terms have one coefficient, or opposite ones.",
    ),
    # ---- derivatives
    Rule(
        "chain rule",
        "The gradient of a value is the sum of the gradients from every equation that uses it. A tangent is "
        "the sum over the operands.",
        f"def f(x: Row): return {_NORM}",
        "For s = e(v, ...), dL/dv gets dL/ds * de/dv. It is summed over the features where v is one number a row, and "
        "over the rows where all rows share v. m = mean(b) sends dL/dm * db/dv / D to each feature. Forward, ds is "
        "the sum of de/dv * dv.",
        "The outputs are differentiable functions of the value, kinks aside.",
    ),
    Rule(
        "subgradient",
        "The gradient of a largest or smallest entry goes to the first feature that attains it.",
        "def f(x: Row): return x*max(x)",
        "Near a row without ties max(x) is that entry, whose derivative is 1 by itself and 0 by all others.",
        "None; on a tie this is a choice, one of the subgradients.",
    ),
    Rule(
        "gradient",
        "The gradients are values too: their equations, taken for a forward, have an adjoint.",
        "def f(x: Row): return x**3",
        "They are the last lines of the derivation above, under names of their own.",
    ),
    Rule(
        "name",
        "A part of a line under a name.",
        f"def f(x: Row): return {_NORM}",
        "A name stands for what it is given to.",
    ),
    # ---- rewriting
    Rule(
        "written out",
        "A name is replaced by what it stands for, and terms are collected.",
        f"def f(x: Row): return {_CENTRED}",
        "Earlier steps define each name. Addition and multiplication are associative, commutative and "
        "distributive. Means are linear: mean(s*u + v) = s*mean(u) + mean(v) for a number s of the row.",
    ),
    Rule(
        "linearity",
        "The mean of a sum is the sum of the means; a number of the row stands before a mean or a sum.",
        f"def f(x: Row): return {_CENTRED}",
        "mean(s*u + v) = s*mean(u) + mean(v) for a number s of the row.",
        "The number is one for all features of a row.",
    ),
    Rule(
        "change of basis",
        "Values of one row that differ by a factor and a shift (x, x - mu, xhat) are written in one of them.",
        f"def f(x: Row): return {_NORM}",
        "t = r*(x - m) says x = t/r + m; put in and multiplied out, with means linear, the value is the same.",
        "The factor is never zero. A number under a root or a reciprocal is written by that: var = 1/r**2 - eps.",
    ),
    Rule(
        "identities",
        "Facts that follow from the definition, such as mean(xhat) = 0.",
        f"def f(x: Row): return {_CENTRED}",
        "m = mean(x) with x = m + t/r says m = m + mean(t)/r, so mean(t) = 0. And var = mean((x - m)**2) with "
        "var = 1/r**2 - eps says mean(t**2) = 1 - eps*r**2. The mean of a row less its mean "
        "is zero in any basis.",
        "The identity is an equation of the definition with the change of basis put in, solved for one mean.",
    ),
    Rule(
        "common factors",
        "A factor that all terms share is taken out of the sum.",
        f"def f(x: Row): return {_NORM}",
        "a*b + a*c = a*(b + c), and mean(s*u) = s*mean(u) for a number s of the row.",
    ),
    Rule(
        "names of the row",
        "A part that is a named value of the same row is written by that name.",
        "def f(x: Row):\n    v = mean(x**2)\n    y = x*rsqrt(v + 1)\n    return y, v",
        "The change of basis read the other way.",
        "It is shorter.",
    ),
    Rule(
        "sums over rows",
        "A sum over the rows of several terms is one sum, or one sum for each term, whichever is shorter.",
        "def f(x: Row, w: Feature): return x*w/sum(w)",
        "sum_rows(u) + sum_rows(v) = sum_rows(u + v), and what all rows share stands before the sum.",
    ),
    Rule(
        "collected",
        "A sum of means is the mean of the sum, and selects on one condition are one select.",
        "",
        "Means are linear, and where(c, a, 0) + where(c, b, 0) = where(c, a + b, 0) in both cases of c.",
    ),
    Rule(
        "value of a function",
        "A derivative is written with the value of the function: exp(u) by its name, 1 - tanh(u)**2 as 1 - t**2.",
        "def f(x: Row): return silu(mean(max(x)*x*x**2))",
        "The name stands for the function of that argument.",
        "The forward has the value under a name.",
    ),
    Rule(
        "unsimplified",
        "The formula of the chain rule stays as it is: right, but longer.",
        "",
        "Nothing is changed but names put in.",
        "A shorter form would take more work than a definition may.",
    ),
    Rule(
        "known product",
        "A product or quotient that the forward has named is written by that name.",
        "def f(x: Row): return silu(x)",
        "The name stands for the product.",
        "It is shorter.",
    ),
    Rule(
        "known scaled row",
        "A row times its scale is written by the name that the forward has for it: r*e is p.",
        "def f(x: Row): return exp(x)/sum(exp(x))",
        "The name stands for the product, and mean(r*u) = r*mean(u).",
        "The forward has p = r*e.",
    ),
    Rule(
        "known mean",
        "A mean that has a name is written by that name.",
        f"def f(x: Row): return tanh({_CENTRED})",
        "The name stands for the mean.",
    ),
    Rule(
        "normalized exponentials",
        "Exponentials over their sum are normalized exponentials p, and sum(p) = 1.",
        "def f(x: Row): return x - log(sum(exp(x)))",
        "p = e/s says e = p*s, and s, one number a row, leaves every mean; sum(p) = sum(e)/s = 1. exp(u - log(s)) is "
        "p again.",
        "e = exp(u) and s = sum(e) have names, and with p*s in the place of e, s cancels wherever it stands.",
    ),
    # ---- digits
    Rule(
        "difference of squares",
        "1 - t**2 = (1 - t)*(1 + t).",
        "def f(x: Row): return tanh(x)",
        "(1 - t)*(1 + t) = 1 + t - t - t**2.",
        "t is a tanh: near 1 its square has lost the digits that the difference needs.",
    ),
    Rule(
        "complement",
        "1 - sigmoid(u) has a name of its own and is not multiplied out; 1 - (1 - u) is u.",
        "def f(x: Row): return sqrt(softplus(softplus(x)))",
        "A name stands for what it is given to. Of sigmoid(u) and sigmoid(-u) each is what the other leaves to 1, and "
        "sigmoid(u) - sigmoid(-u) = tanh(u/2).",
        "It is a term of a longer sum.",
    ),
    Rule(
        "whole select",
        "A product with a select is a select of products.",
        "def f(x: Row): return relu(x)**2/(1 + mean(x**2))",
        "In both cases of c, a*where(c, u, v) = where(c, a*u, a*v); where u is 0 so is a*u for finite a.",
        "None; 0 times what is not chosen may be NaN, so it is not multiplied by.",
    ),
    Rule(
        "guarded pole",
        "1/s is replaced by 0 where s = 0; everything that it multiplies is 0 there.",
        "def f(x: Row): return x/(sqrt(mean(x**2)) + 1)",
        "Where s is zero the whole row is; shrunk by k, each such term shrinks by a positive power of k, so its limit, "
        "which is the value of the gradient there, is 0.",
        "s is the root of a mean of even powers of a row, and every term with 1/s vanishes faster than s.",
    ),
)

RULES: dict[str, Rule] = {rule.name: rule for rule in _EVERY}
