// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
// Evidence: 1 output, 37 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     y = shift + xhat*(1 + scale)
// backward:
//     g = dy*(1 + scale)
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dscale = dy*xhat
//     dshift = dy
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Row* scale, const Row* shift, Computed eps, Row* out_y, Computed*
//         save_mu, Computed* save_mu_residual, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* scale, const Row* dy, const Computed* mu, const Computed*
//         mu_residual, const Computed* rstd, Row* out_dx, Row* out_dscale, Row* out_dshift, long long rows, int D)
//
// Launches, and the macros that choose among kernels: rows.cuh.

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_scale = true;
constexpr bool READS_shift = true;
constexpr int ROWS_READ = READS_x + READS_scale + READS_shift, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 2, 0, 7, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* shift;
  A eps;
  T* out_y;
  A* save_mu;
  A* save_mu_residual;
  A* save_rstd;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A mu;
  A sum_x_shifted;
  A squares_x_shifted;
  A mu_residual;
  A var;
  A rstd;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_scale> scale;
  RowTile<G, READS_shift> shift;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(scale);
    visit(shift);
  }
};

// Stage 1 of 3: mu = mean(x)
template <class A>
__device__ __forceinline__ void mu(A x, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] += x;  // step 1: mu
}

template <class A>
__device__ __forceinline__ void after_mu(Scalars<A>& row, const A (&sums)[1]) {
  const A mu = math::quotient(sums[0], row.D);  // step 1: mean(x)
  row.mu = mu;
}

// Stage 2 of 3: sum_x_shifted = sum(x_shifted); squares_x_shifted = sum(x_shifted**2)
template <class A>
__device__ __forceinline__ void squares_x_shifted(A x, const Scalars<A>& row, A (&sums)[2]) {
  const A mu = row.mu;
  const A x_shifted = x - mu;  // step 2
  sums[0] += x_shifted;  // step 2: sum_x_shifted
  sums[1] += x_shifted*x_shifted;  // step 3: squares_x_shifted
}

template <class A>
__device__ __forceinline__ void after_squares_x_shifted(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, eps = row.eps;
  const A sum_x_shifted = sums[0];  // step 2: sum(x_shifted)
  const A squares_x_shifted = sums[1];  // step 3: sum(x_shifted**2)
  const A mu_residual = math::quotient(sum_x_shifted, D);  // step 2
  const A var = math::quotient(corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, D), D);  // step 3
  const A rstd = math::rsqrt(var + eps);  // step 4
  row.sum_x_shifted = sum_x_shifted;
  row.squares_x_shifted = squares_x_shifted;
  row.mu_residual = mu_residual;
  row.var = var;
  row.rstd = rstd;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A scale, A shift, const Scalars<A>& row, A& out_y) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A y = shift + (scale + A(1))*xhat;  // step 6
  out_y = y;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.eps = to.eps;
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
  tile.shift.array = to.shift;
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
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mu(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_mu(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          squares_x_shifted(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true) | bit(1, true), 0, 0>(sums, slots, turn);
      after_squares_x_shifted(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto scale = tile.scale.chunk(chunk, column);
        const auto shift = tile.shift.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_shift ? widen<A>(shift.entries[i]) : A(0), row, out_y);
          stored_y.entries[i] = narrow<T>(out_y);
        }
        if (here.live) store_once(to.out_y + here.offset + column, stored_y);
      });
    }
    if (SAVES && here.live && here.lane == 0) {
      to.save_mu[here.row] = row.mu;
      to.save_mu_residual[here.row] = row.mu_residual;
      to.save_rstd[here.row] = row.rstd;
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace forward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(forward_##TYPE, lngen::forward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ shift, \
                lngen::Computed<T> eps, T* __restrict__ out_y, lngen::Computed<T>* __restrict__ save_mu, \
                lngen::Computed<T>* __restrict__ save_mu_residual, lngen::Computed<T>* __restrict__ save_rstd, \
                long long rows, int D), \
               (x, scale, shift, eps, out_y, save_mu, save_mu_residual, save_rstd, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_scale = true;
constexpr bool READS_dy = true;
constexpr int ROWS_READ = READS_x + READS_scale + READS_dy, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 2, 0, 5, 2>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* dy;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_dx;
  T* out_dscale;
  T* out_dshift;
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
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_scale> scale;
  RowTile<G, READS_dy> dy;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> rstd;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(scale);
    visit(dy);
    visit(mu);
    visit(mu_residual);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g = mean(g); mean_g_xhat = mean(g*xhat)
template <class A>
__device__ __forceinline__ void mean_g_xhat(A x, A scale, A dy, const Scalars<A>& row, A (&sums)[2], A& out_dscale, A& out_dshift) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 7
  const A dscale = dy*xhat;  // step 21
  const A dshift = dy;  // step 22
  sums[0] += g;  // step 20: mean_g
  sums[1] += g*xhat;  // step 20: mean_g_xhat
  out_dscale = dscale;
  out_dshift = dshift;
}

template <class A>
__device__ __forceinline__ void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_g = math::quotient(sums[0], row.D);  // step 20: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 20: mean(g*xhat)
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A scale, A dy, const Scalars<A>& row, A& out_dx) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 7
  const A dx = (g - mean_g - xhat*mean_g_xhat)*rstd;  // step 20
  out_dx = dx;
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
        const auto scale = tile.scale.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dscale;
        Pack<T, G::VECTOR> stored_dshift;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dscale;
          A out_dshift;
          mean_g_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0), row, sums, out_dscale, out_dshift);
          stored_dscale.entries[i] = narrow<T>(out_dscale);
          stored_dshift.entries[i] = narrow<T>(out_dshift);
        }
        if (here.live) store_once(to.out_dscale + here.offset + column, stored_dscale);
        if (here.live) store_once(to.out_dshift + here.offset + column, stored_dshift);
      });
      reduce_row<G, bit(0, true) | bit(1, true), 0, 0>(sums, slots, turn);
      after_mean_g_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto scale = tile.scale.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_scale ? widen<A>(scale.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0), row, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_dx);
      });
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ dy, \
                const lngen::Computed<T>* __restrict__ mu, const lngen::Computed<T>* __restrict__ mu_residual, \
                const lngen::Computed<T>* __restrict__ rstd, T* __restrict__ out_dx, T* __restrict__ out_dscale, \
                T* __restrict__ out_dshift, long long rows, int D), \
               (x, scale, dy, mu, mu_residual, rstd, out_dx, out_dscale, out_dshift, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
