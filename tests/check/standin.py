"""A centred norm as emission would give it, written by hand: the checks are tested on it before they test
emission."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

DEFINITION = '''
"""A centred norm.

In PyTorch: torch.nn.LayerNorm(normalized_shape=D, weight=gamma, bias=beta, eps=eps)
"""
from lngen.language import Constant, Feature, Row, mean, sqrt


def demo_centred(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y
'''


class Gradients(NamedTuple):
    dx: np.ndarray
    dgamma: np.ndarray | None
    dbeta: np.ndarray | None


class Saved(NamedTuple):
    x: np.ndarray
    gamma: np.ndarray | None
    beta: np.ndarray | None
    mu: np.ndarray
    mu_residual: np.ndarray
    rstd: np.ndarray


def _wide(*arrays):
    dtype = np.result_type(np.float32, *(a.dtype for a in arrays if a is not None))
    return tuple(None if a is None else a.astype(dtype) for a in arrays)


def _mean(a):
    return np.add.reduce(np.ascontiguousarray(a), -1, keepdims=True) / np.float32(a.shape[-1])


def forward(x, gamma=None, beta=None, *, eps=1e-5, out=None):
    wx, wg, wb = _wide(x, gamma, beta)
    mu = _mean(wx)
    centred = wx - mu
    residual = _mean(centred)
    centred = centred - residual
    rstd = 1 / np.sqrt(_mean(centred * centred) + wx.dtype.type(eps))
    y = centred * rstd
    y = y if wg is None else wg * y
    y = y if wb is None else y + wb
    y = y.astype(x.dtype)
    if out is not None:
        out[...] = y
        y = out
    return y, Saved(x, gamma, beta, mu, residual, rstd)


def backward(saved, dy, *, out=None):
    wx, wg, wdy = _wide(saved.x, saved.gamma, dy)
    xhat = ((wx - saved.mu) - saved.mu_residual) * saved.rstd
    g = wdy if wg is None else wdy * wg
    dx = saved.rstd * (g - _mean(g) - xhat * _mean(g * xhat))
    rows = tuple(range(dx.ndim - 1))
    results = [dx.astype(saved.x.dtype), None, None]
    if saved.gamma is not None:
        results[1] = (wdy * xhat).sum(rows).astype(saved.gamma.dtype)
    if saved.beta is not None:
        results[2] = wdy.sum(rows).astype(saved.beta.dtype)
    if out is not None:
        for place, given in enumerate(out):
            if given is not None:
                given[...] = results[place]
                results[place] = given
    return Gradients(*results)


MODULE = SimpleNamespace(forward=forward, backward=backward)
