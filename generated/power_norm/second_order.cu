// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 12 steps, 22 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))
// backward_backward:
//     g = gamma*dy
//     mean_g_xhat = mean(g*xhat)
//     dmean_g_xhat = sum(-scale*ddx*xhat**3)
//     dg = scale*ddx + dmean_g_xhat*xhat/D
//     d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
//     d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
//     d2mean_x4 = -d2scale*scale**5/4
//     d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*xhat
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* scale, const Parameter* gamma, const Parameter*
//         gamma_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* scale, const
//         Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Computed* workspace, long long
//         rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddgamma
constexpr bool HAS_ddgamma = false;
#else
constexpr bool HAS_ddgamma = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif
#ifdef LNGEN_WITHOUT_gamma_dot
constexpr bool HAS_gamma_dot = false;
#else
constexpr bool HAS_gamma_dot = true;
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

constexpr bool READS_x = HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = HAS_gamma && HAS_x_dot;
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr int ROWS_READ = READS_x + READS_x_dot, FEATURES_READ = READS_gamma + READS_gamma_dot;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* scale;
  const P* gamma;
  const P* gamma_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_x_dot_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  RowValue<G, true, typename G::A> scale;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> gamma_dot[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
    visit(scale);
  }
};

// Stage 1 of 2: mean_x_dot_xhat = mean(x_dot*xhat**3)
template <class A>
__device__ __forceinline__ void mean_x_dot_xhat(A x, A x_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  if (HAS_x_dot) sums[0] += x_dot*math::power<3>(xhat);  // step 23: mean_x_dot_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_x_dot_xhat = math::quotient(sums[0], row.D);  // step 23: mean(x_dot*xhat**3)
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A x_dot, A gamma, A gamma_dot, const Scalars<A>& row, A& out_y_dot) {
  const A mean_x_dot_xhat = row.mean_x_dot_xhat, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A y_dot = (HAS_gamma_dot || HAS_x_dot) ? (HAS_gamma_dot ? xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot - xhat*mean_x_dot_xhat)*scale*gamma : A(0)) : A(0);  // step 23
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
  tile.x_dot.array = to.x_dot;
  tile.scale.array = to.scale;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_gamma_dot) tile.gamma_dot[chunk] = load<G::VECTOR>(to.gamma_dot + column);
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.scale = tile.scale.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_x_dot_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot), 0, 0>(sums, slots, turn);
      after_mean_x_dot_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto gamma_dot = read<READS_gamma_dot, G::HOLDS_FEATURES>(tile.gamma_dot, chunk, to.gamma_dot, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_gamma_dot ? widen<A>(gamma_dot.entries[i]) : A(0), row, out_y_dot);
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
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ scale, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ gamma_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, scale, gamma, gamma_dot, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = HAS_ddx && HAS_gamma;
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = READS_gamma + READS_ddgamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_ddx && HAS_gamma);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 2, 0, 11, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* scale;
  const P* gamma;
  const P* ddgamma;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_g_xhat;
  A dmean_g_xhat;
  A dmean_g_xhat_scaled;
  A mean_g_xhat_scaled;
  A sum_ddx_g_xhat;
  A sum_d2xhat_x;
  A d2scale;
  A d2scale_scaled;
  A d2mean_x4;
  A d2mean_x4_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowValue<G, true, typename G::A> scale;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(ddx);
    visit(scale);
  }
};

// Stage 1 of 3: mean_g_xhat = mean(g*xhat); dmean_g_xhat = sum(-scale*ddx*xhat**3)
template <class A>
__device__ __forceinline__ void dmean_g_xhat(A x, A dy, A ddx, A gamma, const Scalars<A>& row, A (&sums)[2]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 24
  if (HAS_ddx) sums[0] += g*xhat;  // step 25: mean_g_xhat
  if (HAS_ddx) sums[1] += -ddx*math::power<3>(xhat)*scale;  // step 28: dmean_g_xhat
}

template <class A>
__device__ __forceinline__ void after_dmean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, scale = row.scale;
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 25: mean(g*xhat)
  const A dmean_g_xhat = sums[1];  // step 28: sum(-scale*ddx*xhat**3)
  const A dmean_g_xhat_scaled = HAS_ddx ? math::quotient(dmean_g_xhat, D) : A(0);  // step 34
  const A mean_g_xhat_scaled = A(-3)*mean_g_xhat*scale;  // step 29
  row.mean_g_xhat = mean_g_xhat;
  row.dmean_g_xhat = dmean_g_xhat;
  row.dmean_g_xhat_scaled = dmean_g_xhat_scaled;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
}

// Stage 2 of 3: sum_ddx_g_xhat = sum(ddx*(-mean_g_xhat*xhat**3 + g)); sum_d2xhat_x = sum(d2xhat*x)
template <class A>
__device__ __forceinline__ void sum_d2xhat_x(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 24
  const A dg = HAS_ddx ? xhat*dmean_g_xhat_scaled + ddx*scale : A(0);  // step 34
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddx ? ddx*(xhat*xhat)*mean_g_xhat_scaled : A(0)) : A(0);  // step 29
  const A ddy = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)) : A(0);  // step 36
  if (HAS_ddx) sums[0] += (g - math::power<3>(xhat)*mean_g_xhat)*ddx;  // step 30: sum_ddx_g_xhat
  if (HAS_ddgamma || HAS_ddx) sums[1] += d2xhat*x;  // step 30: sum_d2xhat_x
  if (HAS_ddx && HAS_gamma) over_rows[0] = dg*dy;  // step 35: d2gamma
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_sum_d2xhat_x(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, scale = row.scale;
  const A sum_ddx_g_xhat = sums[0];  // step 30: sum(ddx*(-mean_g_xhat*xhat**3 + g))
  const A sum_d2xhat_x = sums[1];  // step 30: sum(d2xhat*x)
  const A d2scale = (HAS_ddgamma || HAS_ddx) ? sum_d2xhat_x + sum_ddx_g_xhat : A(0);  // step 30
  const A d2scale_scaled = (HAS_ddgamma || HAS_ddx) ? d2scale*scale : A(0);  // step 32
  const A d2mean_x4 = (HAS_ddgamma || HAS_ddx) ? A(-0.25)*d2scale_scaled*math::power<4>(scale) : A(0);  // step 32
  const A d2mean_x4_scaled = (HAS_ddgamma || HAS_ddx) ? math::quotient(A(4)*d2mean_x4, D) : A(0);  // step 33
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.sum_d2xhat_x = sum_d2xhat_x;
  row.d2scale = d2scale;
  row.d2scale_scaled = d2scale_scaled;
  row.d2mean_x4 = d2mean_x4;
  row.d2mean_x4_scaled = d2mean_x4_scaled;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<A>& row, A& out_d2x) {
  const A d2mean_x4_scaled = row.d2mean_x4_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mean_g_xhat_scaled = row.mean_g_xhat_scaled, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 24
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddx ? ddx*(xhat*xhat)*mean_g_xhat_scaled : A(0)) : A(0);  // step 29
  const A d2x = (HAS_ddgamma || HAS_ddx) ? d2xhat*scale + math::power<3>(x)*d2mean_x4_scaled : A(0);  // step 33
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
  tile.dy.array = to.dy;
  tile.ddx.array = to.ddx;
  tile.scale.array = to.scale;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_ddgamma) tile.ddgamma[chunk] = load<G::VECTOR>(to.ddgamma + column);
      }
    }
  }
  ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(to.workspace, slots + G::SLOTS, here);
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.scale = tile.scale.now;
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          dmean_g_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx), 0, 0>(sums, slots, turn);
      after_dmean_g_xhat(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_ddy;
          sum_d2xhat_x(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, sums, over_rows, out_ddy);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddgamma || HAS_ddx), 0, 0>(sums, slots, turn);
      after_sum_d2xhat_x(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_d2x;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, out_d2x);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
      });
    }
  });
  columns.finish(slots + G::SLOTS, here);
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  const P* ddgamma;
  P* out_dgamma;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A d2gamma, const Scalars<A>& row, A& out_d2gamma) {
  out_d2gamma = d2gamma;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_ddx && HAS_gamma);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_d2gamma;
      finish(totals[0], row, out_d2gamma);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_d2gamma);
    });
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const lngen::Computed<T>* __restrict__ scale, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ ddgamma, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, ddx, scale, gamma, ddgamma, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ ddgamma, \
                lngen::Parameter<T>* __restrict__ out_dgamma, int D), \
               (workspace, blocks, gamma, ddgamma, out_dgamma, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
