"""Root mean square norm for NumPy as people write it, right, and with one mistake each."""

from __future__ import annotations

import numpy as np


def rms_norm(x, gamma=None, eps=1e-6):
    wide = x.astype(np.float64)
    y = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + eps)
    return (y if gamma is None else y * gamma).astype(x.dtype)


def rms_norm_backward(dy, x, gamma=None, eps=1e-6):
    wide, slope = x.astype(np.float64), dy.astype(np.float64)
    r = 1 / np.sqrt((wide**2).mean(-1, keepdims=True) + eps)
    xhat, g = wide * r, slope if gamma is None else slope * gamma
    dx = r * (g - xhat * (g * xhat).mean(-1, keepdims=True))
    dgamma = None if gamma is None else (slope * xhat).reshape(-1, x.shape[-1]).sum(0).astype(gamma.dtype)
    return dx.astype(x.dtype), dgamma


def without_mean_term(dy, x, gamma=None, eps=1e-6):
    _, dgamma = rms_norm_backward(dy, x, gamma, eps)
    r = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + eps)
    return (r * (dy if gamma is None else dy * gamma)).astype(x.dtype), dgamma


def writes_to_the_cotangent(dy, x, gamma=None, eps=1e-6):
    found = rms_norm_backward(dy, x, gamma, eps)
    dy *= 1
    return found
