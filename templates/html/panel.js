"use strict";
// What the emitted formulas call: reductions over the features of one row, and what Math lacks.
const f = {
  each: (n, at) => Float64Array.from({ length: n }, (_, i) => at(i)),
  sum: (n, at) => {
    let total = 0;
    for (let i = 0; i < n; i += 1) total += at(i);
    return total;
  },
  mean: (n, at) => f.sum(n, at) / n,
  max: (n, at) => Math.max(...f.each(n, at)),
  min: (n, at) => Math.min(...f.each(n, at)),
  first: (n, at, value) => f.each(n, at).indexOf(value),
  exp: Math.exp,
  log: Math.log,
  log1p: Math.log1p,
  expm1: Math.expm1,
  sin: Math.sin,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  cos: Math.cos,
  tanh: Math.tanh,
  abs: Math.abs,
  sign: Math.sign,
  sigmoid: (u) => (u < 0 ? Math.exp(u) / (1 + Math.exp(u)) : 1 / (1 + Math.exp(-u))),
  softplus: (u) => Math.max(u, 0) + Math.log1p(Math.exp(-Math.abs(u))),
  // A series of positive terms near 0, a continued fraction of the complement beyond.
  erf: (u) => {
    const x = Math.abs(u);
    if (x >= 2.5) return Math.sign(u) * (1 - f.erfcBeyond(x));
    let term = x;
    let total = x;
    for (let n = 1; term > 1e-18 * total; n += 1) total += term *= (2 * x * x) / (2 * n + 1);
    return (Math.sign(u) * 2 * Math.exp(-x * x) * total) / Math.sqrt(Math.PI);
  },
  erfcBeyond: (x) => {
    let below = x;
    for (let n = 80; n > 0; n -= 1) below = x + n / 2 / below;
    return Math.exp(-x * x) / below / Math.sqrt(Math.PI);
  },
};

const evaluate = (given) => {
  const v = Object.assign(Object.create(null), given);
  forward(v, f);
  backward(v, f);
  return v;
};
