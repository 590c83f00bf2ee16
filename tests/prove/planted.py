"""Wrong gradients, each a small change of a right one: what evidence is worth is what it catches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import sympy

from lngen.algebra.symbols import D, Mean, SumRows, TypedSymbol
from lngen.derivation.derivation import Derivation
from tests.corpus import derivation

Change = Callable[[dict[str, TypedSymbol]], dict[str, sympy.Expr]]


def _norm(change: Callable[..., sympy.Expr]) -> tuple[str, Change]:
    """A change of dx of a layer norm."""
    return "layer_norm", _centred(change)


def _centred(change: Callable[..., sympy.Expr]) -> Change:
    """A change of dx, given g, xhat, rstd and what else the layer has."""
    return lambda s: {"dx": change(s["g"], s["xhat"], s["rstd"], s)}


PLANTED: dict[str, tuple[str, Change]] = {
    "mean term dropped": _norm(lambda g, h, r, s: r * (g - h * Mean(g * h))),
    "mean term twice": _norm(lambda g, h, r, s: r * (g - 2 * Mean(g) - h * Mean(g * h))),
    "xhat term dropped": _norm(lambda g, h, r, s: r * (g - Mean(g))),
    "xhat term with the wrong sign": _norm(lambda g, h, r, s: r * (g - Mean(g) + h * Mean(g * h))),
    "xhat for its square": _norm(lambda g, h, r, s: r * (g - Mean(g) - h**2 * Mean(g * h))),
    "means over D - 1": _norm(lambda g, h, r, s: r * (g - (Mean(g) + h * Mean(g * h)) * D / (D - 1))),
    "the second mean over D - 1": _norm(lambda g, h, r, s: r * (g - Mean(g) - h * Mean(g * h) * D / (D - 1))),
    "rstd forgotten": _norm(lambda g, h, r, s: g - Mean(g) - h * Mean(g * h)),
    "rstd cubed": _norm(lambda g, h, r, s: r**3 * (g - Mean(g) - h * Mean(g * h))),
    "gamma forgotten": ("layer_norm", lambda s: {"g": s["dy"]}),
    "gamma twice": ("layer_norm", lambda s: {"g": s["dy"] * s["gamma"] ** 2}),
    "eps left out of rstd": _norm(lambda g, h, r, s: (g - Mean(g) - h * Mean(g * h)) / sympy.sqrt(s["var"])),
    "eps outside the root": _norm(
        lambda g, h, r, s: (g - Mean(g) - h * Mean(g * h)) / (sympy.sqrt(s["var"]) + s["eps"])
    ),
    # A term that is zero for a row without eps: identities like sum(dx*xhat) = 0 would let it pass.
    "an eps term too many": _norm(lambda g, h, r, s: r * (g - Mean(g) - h * Mean(g * h) * (1 + s["eps"] * r**2))),
    "dgamma of the input": ("layer_norm", lambda s: {"dgamma": SumRows(s["dy"] * s["x"])}),
    "dgamma without xhat": ("layer_norm", lambda s: {"dgamma": SumRows(s["dy"])}),
    "dbeta a mean": ("layer_norm", lambda s: {"dbeta": SumRows(Mean(s["dy"]))}),
    "dbeta zero": ("layer_norm", lambda s: {"dbeta": sympy.Integer(0)}),
    # Right where a cotangent is 1 in one entry and 0 in all others, and not linear.
    "the cotangent squared": ("layer_norm", lambda s: {"dbeta": SumRows(s["dy"] ** 2)}),
    "a product of cotangents": ("residual_add", lambda s: {"dbeta": SumRows(s["dy"] + s["dy"] * s["dh"])}),
    "the second output forgotten": ("residual_add", _centred(lambda g, h, r, s: r * (g - Mean(g) - h * Mean(g * h)))),
    "a sum for a mean": ("rms_norm", _centred(lambda g, h, r, s: r * (g - h * D * Mean(g * h)))),
    "a mean for a sum": ("soft_max", lambda s: {"dx": s["y"] * (s["dy"] - Mean(s["dy"] * s["y"]))}),
    "the biased variance": (
        "unbiased",
        lambda s: {"dx": s["rstd"] * (s["dy"] - s["y"] * Mean(s["dy"] * s["y"]) - Mean(s["dy"]))},
    ),
    "the derivative of sigmoid left out": ("swish_scale", lambda s: {"dx": s["gamma"] * s["dy"] * s["sigmoid_x"]}),
    "the other branch": ("rectified", lambda s: {"dx": s["gamma"] * s["dy"]}),
    "a factor that is one at 0": ("tanh_scale", lambda s: {"du": s["gamma"] * s["dy"] * (1 - s["tanh_u"])}),
    "the largest entry for all": ("largest_entry", lambda s: {"first_row_max": sympy.Integer(1)}),
    "the smallest entry for the largest": ("range", lambda s: {"first_row_max": s["first_row_min"]}),
}


def planted(name: str) -> Derivation:
    """A derivation whose gradient is wrong in the way that `name` says."""
    layer, change = PLANTED[name]
    made = derivation(layer)
    symbols = {s.name: s for s in (*made.forward.symbols, *made.adjoint.cotangents)}
    symbols |= {q.symbol.name: q.symbol for q in (*made.forward.equations, *made.backward)}
    changed = change(symbols)
    assert changed.keys() <= {q.symbol.name for q in made.backward}
    backward = tuple(replace(q, expression=changed.get(q.symbol.name, q.expression)) for q in made.backward)
    assert backward != made.backward
    return replace(made, backward=backward)
