// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
// Evidence: 1 output, 37 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + scale)
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - xhat*mean(d2xhat_part*xhat))
//     d2scale = dg*dy
//     d2shift = 0
//     ddy = ddshift + ddscale*xhat + dg*(1 + scale)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* scale, const Row* x_dot, const Row* scale_dot, const Row* shift_dot,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row* out_y_dot, long long rows,
//         int D)
//     backward_backward_<type>(const Row* x, const Row* scale, const Row* dy, const Row* ddx, const Row* ddscale,
//         const Row* ddshift, const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row* out_dx,
//         Row* out_dscale, Row* out_dshift, Row* out_ddy, long long rows, int D)
//
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddscale  ddscale is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddshift  ddshift is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_scale_dot scale_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_shift_dot shift_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddscale
constexpr bool HAS_ddscale = false;
#else
constexpr bool HAS_ddscale = true;
#endif
#ifdef LNGEN_WITHOUT_ddshift
constexpr bool HAS_ddshift = false;
#else
constexpr bool HAS_ddshift = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_scale_dot
constexpr bool HAS_scale_dot = false;
#else
constexpr bool HAS_scale_dot = true;
#endif
#ifdef LNGEN_WITHOUT_shift_dot
constexpr bool HAS_shift_dot = false;
#else
constexpr bool HAS_shift_dot = true;
#endif
#ifdef LNGEN_WITHOUT_x_dot
constexpr bool HAS_x_dot = false;
#else
constexpr bool HAS_x_dot = true;
#endif

}  // namespace lngen

#ifdef LNGEN_JVP
// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_scale_dot || HAS_x_dot;
constexpr bool READS_scale = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_scale_dot = HAS_scale_dot;
constexpr bool READS_shift_dot = HAS_shift_dot;
constexpr int ROWS_READ = READS_x + READS_scale + READS_x_dot + READS_scale_dot + READS_shift_dot, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 2, 0, 5, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* x_dot;
  const T* scale_dot;
  const T* shift_dot;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_x_dot;
  A mean_x_dot_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_scale> scale;
  RowTile<G, READS_x_dot> x_dot;
  RowTile<G, READS_scale_dot> scale_dot;
  RowTile<G, READS_shift_dot> shift_dot;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> rstd;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(scale);
    visit(x_dot);
    visit(scale_dot);
    visit(shift_dot);
    visit(mu);
    visit(mu_residual);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_x_dot = mean(x_dot); mean_x_dot_xhat = mean(x_dot*xhat)
template <class A>
__device__ __forceinline__ void mean_x_dot_xhat(A x, A x_dot, const Scalars<A>& row, A (&sums)[2]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  if (HAS_x_dot) sums[0] += x_dot;  // step 37: mean_x_dot
  if (HAS_x_dot) sums[1] += x_dot*xhat;  // step 37: mean_x_dot_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_x_dot = math::quotient(sums[0], row.D);  // step 37: mean(x_dot)
  const A mean_x_dot_xhat = math::quotient(sums[1], row.D);  // step 37: mean(x_dot*xhat)
  row.mean_x_dot = mean_x_dot;
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A scale, A x_dot, A scale_dot, A shift_dot, const Scalars<A>& row, A& out_y_dot) {
  const A mean_x_dot = row.mean_x_dot, mean_x_dot_xhat = row.mean_x_dot_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A y_dot = (HAS_scale_dot || HAS_shift_dot || HAS_x_dot) ? shift_dot + (HAS_scale_dot ? scale_dot*xhat : A(0)) + (HAS_x_dot ? (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*(scale + A(1))*rstd : A(0)) : A(0);  // step 37
  out_y_dot = y_dot;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  return row;
}

template <class G, class T, class P, class A> __device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.begin<G>(to.D);
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  tile.x.array = to.x;
  tile.scale.array = to.scale;
  tile.x_dot.array = to.x_dot;
  tile.scale_dot.array = to.scale_dot;
  tile.shift_dot.array = to.shift_dot;
  tile.mu.array = to.mu;
  tile.mu_residual.array = to.mu_residual;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.mu = tile.mu.now;
    row.mu_residual = tile.mu_residual.now;
    row.rstd = tile.rstd.now;
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_x_dot_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot) | bit(1, HAS_x_dot), 0, 0>(sums, slots, turn);
      after_mean_x_dot_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto scale = tile.scale.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto scale_dot = tile.scale_dot.chunk(chunk, column);
        const auto shift_dot = tile.shift_dot.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_scale_dot ? widen<A>(scale_dot.entries[i]) : A(0),
              READS_shift_dot ? widen<A>(shift_dot.entries[i]) : A(0), row, out_y_dot);
          stored_y_dot.entries[i] = narrow<T>(out_y_dot);
        }
        if (here.live) store_once(to.out_y_dot + here.offset + column, stored_y_dot);
      });
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace jvp
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(jvp_##TYPE, lngen::jvp::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ x_dot, \
                const T* __restrict__ scale_dot, const T* __restrict__ shift_dot, \
                const lngen::Computed<T>* __restrict__ mu, const lngen::Computed<T>* __restrict__ mu_residual, \
                const lngen::Computed<T>* __restrict__ rstd, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, scale, x_dot, scale_dot, shift_dot, mu, mu_residual, rstd, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddscale || HAS_ddx;
constexpr bool READS_scale = HAS_ddx;
constexpr bool READS_dy = HAS_ddscale || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddscale = HAS_ddscale;
constexpr bool READS_ddshift = HAS_ddshift;
constexpr int ROWS_READ = READS_x + READS_scale + READS_dy + READS_ddx + READS_ddscale + READS_ddshift, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 5, 0, 13, 2>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* dy;
  const T* ddx;
  const T* ddscale;
  const T* ddshift;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_dx;
  T* out_dscale;
  T* out_dshift;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_g;
  A mean_g_xhat;
  A mean_ddx;
  A mean_ddx_xhat;
  A mean_ddx_g;
  A mean_g_xhat_scaled;
  A mean_g_xhat_scaled_2;
  A mean_ddx_scaled;
  A mean_d2xhat_part;
  A mean_d2xhat_part_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_scale> scale;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowTile<G, READS_ddscale> ddscale;
  RowTile<G, READS_ddshift> ddshift;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> rstd;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(scale);
    visit(dy);
    visit(ddx);
    visit(ddscale);
    visit(ddshift);
    visit(mu);
    visit(mu_residual);
    visit(rstd);
  }
};

// Stage 1 of 3: mean_g = mean(g); mean_g_xhat = mean(g*xhat); mean_ddx = mean(ddx); mean_ddx_xhat = mean(ddx*xhat); mean_ddx_g = mean(ddx*g)
template <class A>
__device__ __forceinline__ void mean_ddx_g(A x, A scale, A dy, A ddx, const Scalars<A>& row, A (&sums)[5], A& out_d2shift) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 38
  const A d2shift = A(0);  // step 72
  if (HAS_ddx) sums[0] += g;  // step 39: mean_g
  if (HAS_ddx) sums[1] += g*xhat;  // step 40: mean_g_xhat
  if (HAS_ddx) sums[2] += ddx;  // step 70: mean_ddx
  if (HAS_ddx) sums[3] += ddx*xhat;  // step 70: mean_ddx_xhat
  if (HAS_ddx) sums[4] += ddx*g;  // step 62: mean_ddx_g
  out_d2shift = d2shift;
}

template <class A>
__device__ __forceinline__ void after_mean_ddx_g(Scalars<A>& row, const A (&sums)[5]) {
  const A rstd = row.rstd;
  const A mean_g = math::quotient(sums[0], row.D);  // step 39: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 40: mean(g*xhat)
  const A mean_ddx = math::quotient(sums[2], row.D);  // step 70: mean(ddx)
  const A mean_ddx_xhat = math::quotient(sums[3], row.D);  // step 70: mean(ddx*xhat)
  const A mean_ddx_g = math::quotient(sums[4], row.D);  // step 62: mean(ddx*g)
  const A mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 43
  const A mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 62
  const A mean_ddx_scaled = HAS_ddx ? mean_ddx*mean_g : A(0);  // step 62
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddx = mean_ddx;
  row.mean_ddx_xhat = mean_ddx_xhat;
  row.mean_ddx_g = mean_ddx_g;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
  row.mean_g_xhat_scaled_2 = mean_g_xhat_scaled_2;
  row.mean_ddx_scaled = mean_ddx_scaled;
}

// Stage 2 of 3: mean_d2xhat_part = mean(d2xhat_part); mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
template <class A>
__device__ __forceinline__ void mean_d2xhat_part_xhat(A x, A scale, A dy, A ddx, A ddscale, A ddshift, const Scalars<A>& row, A (&sums)[2], A& out_d2scale, A& out_ddy) {
  const A mean_ddx = row.mean_ddx, mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A dg = HAS_ddx ? (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd : A(0);  // step 70
  const A d2xhat_part = (HAS_ddscale || HAS_ddx) ? (HAS_ddscale ? ddscale*dy : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 43
  const A d2scale = HAS_ddx ? dg*dy : A(0);  // step 71
  const A ddy = (HAS_ddscale || HAS_ddshift || HAS_ddx) ? ddshift + (HAS_ddscale ? ddscale*xhat : A(0)) + (HAS_ddx ? dg*(scale + A(1)) : A(0)) : A(0);  // step 76
  if (HAS_ddscale || HAS_ddx) sums[0] += d2xhat_part;  // step 62: mean_d2xhat_part
  if (HAS_ddscale || HAS_ddx) sums[1] += d2xhat_part*xhat;  // step 62: mean_d2xhat_part_xhat
  out_d2scale = d2scale;
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_mean_d2xhat_part_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_d2xhat_part = math::quotient(sums[0], row.D);  // step 62: mean(d2xhat_part)
  const A mean_d2xhat_part_xhat = math::quotient(sums[1], row.D);  // step 62: mean(d2xhat_part*xhat)
  row.mean_d2xhat_part = mean_d2xhat_part;
  row.mean_d2xhat_part_xhat = mean_d2xhat_part_xhat;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A scale, A dy, A ddx, A ddscale, const Scalars<A>& row, A& out_d2x) {
  const A mean_d2xhat_part = row.mean_d2xhat_part, mean_d2xhat_part_xhat = row.mean_d2xhat_part_xhat, mean_ddx_g = row.mean_ddx_g, mean_ddx_scaled = row.mean_ddx_scaled, mean_ddx_xhat = row.mean_ddx_xhat, mean_g = row.mean_g, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mean_g_xhat_scaled_2 = row.mean_g_xhat_scaled_2, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 38
  const A d2xhat_part = (HAS_ddscale || HAS_ddx) ? (HAS_ddscale ? ddscale*dy : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 43
  const A d2x = (HAS_ddscale || HAS_ddx) ? (d2xhat_part + (HAS_ddx ? (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd : A(0)) - mean_d2xhat_part - xhat*mean_d2xhat_part_xhat)*rstd : A(0);  // step 62
  out_d2x = d2x;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  return row;
}

template <class G, class T, class P, class A> __device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.begin<G>(to.D);
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  tile.x.array = to.x;
  tile.scale.array = to.scale;
  tile.dy.array = to.dy;
  tile.ddx.array = to.ddx;
  tile.ddscale.array = to.ddscale;
  tile.ddshift.array = to.ddshift;
  tile.mu.array = to.mu;
  tile.mu_residual.array = to.mu_residual;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.mu = tile.mu.now;
    row.mu_residual = tile.mu_residual.now;
    row.rstd = tile.rstd.now;
    {
      A sums[5] = {A(0), A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto scale = tile.scale.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2shift;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2shift;
          mean_ddx_g(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, sums, out_d2shift);
          stored_d2shift.entries[i] = narrow<T>(out_d2shift);
        }
        if (here.live) store_once(to.out_dshift + here.offset + column, stored_d2shift);
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx) | bit(2, HAS_ddx) | bit(3, HAS_ddx) | bit(4, HAS_ddx), 0, 0>(sums, slots, turn);
      after_mean_ddx_g(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto scale = tile.scale.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddscale = tile.ddscale.chunk(chunk, column);
        const auto ddshift = tile.ddshift.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2scale;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2scale;
          A out_ddy;
          mean_d2xhat_part_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddscale ? widen<A>(ddscale.entries[i]) : A(0),
              READS_ddshift ? widen<A>(ddshift.entries[i]) : A(0), row, sums, out_d2scale, out_ddy);
          stored_d2scale.entries[i] = narrow<T>(out_d2scale);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_dscale + here.offset + column, stored_d2scale);
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_ddscale || HAS_ddx) | bit(1, HAS_ddscale || HAS_ddx), 0, 0>(sums, slots, turn);
      after_mean_d2xhat_part_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto scale = tile.scale.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddscale = tile.ddscale.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2x;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddscale ? widen<A>(ddscale.entries[i]) : A(0), row, out_d2x);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
      });
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddscale, const T* __restrict__ ddshift, \
                const lngen::Computed<T>* __restrict__ mu, const lngen::Computed<T>* __restrict__ mu_residual, \
                const lngen::Computed<T>* __restrict__ rstd, T* __restrict__ out_dx, T* __restrict__ out_dscale, \
                T* __restrict__ out_dshift, T* __restrict__ out_ddy, long long rows, int D), \
               (x, scale, dy, ddx, ddscale, ddshift, mu, mu_residual, rstd, out_dx, out_dscale, out_dshift, out_ddy, \
                rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
