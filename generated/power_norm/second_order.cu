// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
// templates sha256:409ccaacb0a57cc850482a94c2f972fd6c7b713d453fef8c57de22295f3f6580
//
// jvp:
//     dy = dgamma*xhat + scale*gamma*(dx - xhat*mean(dx*xhat**3))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g*xhat)
//     dmean_g = sum(-scale*ddx*xhat**3)
//     dg = scale*ddx + dmean_g*xhat/D
//     dxhat = ddgamma*dy + dmean_g*g/D - 3*mean_g*scale*ddx*xhat**2
//     dscale = sum(dxhat*x) + sum(ddx*(g - mean_g*xhat**3))
//     dmean_x4 = -dscale*scale**5/4
//     dx = scale*dxhat + 4*dmean_x4*x**3/D
//     dgamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*xhat
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* dx, const Computed* scale, const Parameter* gamma, const Parameter*
//         dgamma, Row* out_dy, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* scale, const
//         Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Computed* workspace, long long
//         rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// How they are launched, and macros that choose among them: rows.cuh.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dgamma   dgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dx       dx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/rows.cuh"
#include "../_runtime/geometry.cuh"
#include "../_runtime/reductions.cuh"
#include "../_runtime/kernels.cuh"

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
#ifdef LNGEN_WITHOUT_dgamma
constexpr bool HAS_dgamma = false;
#else
constexpr bool HAS_dgamma = true;
#endif
#ifdef LNGEN_WITHOUT_dx
constexpr bool HAS_dx = false;
#else
constexpr bool HAS_dx = true;
#endif
#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif

}  // namespace lngen

#ifdef LNGEN_JVP
// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_dgamma || HAS_dx;
constexpr bool READS_dx = HAS_dx;
constexpr bool READS_gamma = HAS_dx && HAS_gamma;
constexpr bool READS_dgamma = HAS_dgamma;
constexpr int ROWS_READ = READS_x + READS_dx, FEATURES_READ = READS_gamma + READS_dgamma;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dx;
  const A* scale;
  const P* gamma;
  const P* dgamma;
  T* out_dy;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_dx_xhat;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> dx[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> dgamma[G::HELD];
};

// Stage 1 of 2: mean_dx_xhat = mean(dx*xhat**3)
template <class A>
__device__ __forceinline__ void mean_dx_xhat(A x, A dx, const Scalars<A>& row, A (&sums)[1]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  if (HAS_dx) sums[0] += dx*math::power<3>(xhat);  // step 20: mean_dx_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_dx_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_dx_xhat = sums[0] / row.D;  // step 20: mean(dx*xhat**3)
  row.mean_dx_xhat = mean_dx_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A dx, A gamma, A dgamma, const Scalars<A>& row, A& out_dy) {
  const A mean_dx_xhat = row.mean_dx_xhat, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A dy = (HAS_dgamma || HAS_dx) ? (HAS_dgamma ? xhat*dgamma : A(0)) + (HAS_dx ? (dx - xhat*mean_dx_xhat)*scale*gamma : A(0)) : A(0);  // step 20
  out_dy = dy;
}

// What the call gives: everything that no row changes.
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_dgamma) tile.dgamma[chunk] = load<G::VECTOR>(to.dgamma + column);
      }
    }
  }
  // Every thread of a block makes the same trips, for the barriers' sake; rows past the last have no columns.
  for (long long first = (long long)blockIdx.x * G::ROWS; first < to.rows; first += (long long)gridDim.x * G::ROWS) {
    const bool live = here.enter<G>(first, to.rows);
    if constexpr (G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::KEPT; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (column < here.limit) {
          if constexpr (READS_x)
            tile.x[chunk] = load_once<G::VECTOR>(to.x + here.offset + column);
          if constexpr (READS_dx)
            tile.dx[chunk] = load_once<G::VECTOR>(to.dx + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    row.scale = live ? to.scale[here.row] : A(0);
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_dx_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_dx), 0, 0>(sums, slots, turn);
      after_mean_dx_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto dgamma = read<READS_dgamma, G::HOLDS_FEATURES>(tile.dgamma, chunk, to.dgamma, column);
        Pack<T, G::VECTOR> stored_dy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dy;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_dgamma ? widen<A>(dgamma.entries[i]) : A(0), row, out_dy);
          stored_dy.entries[i] = narrow<T>(out_dy);
        }
        store_once(to.out_dy + here.offset + column, stored_dy);
      });
    }
  }
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
               (const T* __restrict__ x, const T* __restrict__ dx, const lngen::Computed<T>* __restrict__ scale, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ dgamma, \
                T* __restrict__ out_dy, long long rows, int D), \
               (x, dx, scale, gamma, dgamma, out_dy, rows, D))

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

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_g;
  A dmean_g;
  A dmean_g_scaled;
  A mean_g_scaled;
  A sum_ddx_g_xhat;
  A sum_dxhat_x;
  A dscale;
  A dscale_scaled;
  A dmean_x4;
  A dmean_x4_scaled;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> dy[G::KEPT];
  Pack<typename G::T, G::VECTOR> ddx[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];
};

// Stage 1 of 3: mean_g = mean(g*xhat); dmean_g = sum(-scale*ddx*xhat**3)
template <class A>
__device__ __forceinline__ void dmean_g(A x, A dy, A ddx, A gamma, const Scalars<A>& row, A (&sums)[2]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 21
  if (HAS_ddx) sums[0] += g*xhat;  // step 22: mean_g
  if (HAS_ddx) sums[1] += -ddx*math::power<3>(xhat)*scale;  // step 25: dmean_g
}

template <class A>
__device__ __forceinline__ void after_dmean_g(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, scale = row.scale;
  const A mean_g = sums[0] / row.D;  // step 22: mean(g*xhat)
  const A dmean_g = sums[1];  // step 25: sum(-scale*ddx*xhat**3)
  const A dmean_g_scaled = HAS_ddx ? dmean_g / D : A(0);  // step 26
  const A mean_g_scaled = A(-3)*mean_g*scale;  // step 27
  row.mean_g = mean_g;
  row.dmean_g = dmean_g;
  row.dmean_g_scaled = dmean_g_scaled;
  row.mean_g_scaled = mean_g_scaled;
}

// Stage 2 of 3: sum_ddx_g_xhat = sum(ddx*(-mean_g*xhat**3 + g)); sum_dxhat_x = sum(dxhat*x)
template <class A>
__device__ __forceinline__ void sum_dxhat_x(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_g_scaled = row.dmean_g_scaled, mean_g = row.mean_g, mean_g_scaled = row.mean_g_scaled, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 21
  const A dg = HAS_ddx ? xhat*dmean_g_scaled + ddx*scale : A(0);  // step 26
  const A dxhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_scaled : A(0)) + (HAS_ddx ? ddx*(xhat*xhat)*mean_g_scaled : A(0)) : A(0);  // step 27
  const A ddy = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)) : A(0);  // step 32
  if (HAS_ddx) sums[0] += (g - math::power<3>(xhat)*mean_g)*ddx;  // step 28: sum_ddx_g_xhat
  if (HAS_ddgamma || HAS_ddx) sums[1] += dxhat*x;  // step 28: sum_dxhat_x
  if (HAS_ddx && HAS_gamma) over_rows[0] = dg*dy;  // step 31: dgamma
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_sum_dxhat_x(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, scale = row.scale;
  const A sum_ddx_g_xhat = sums[0];  // step 28: sum(ddx*(-mean_g*xhat**3 + g))
  const A sum_dxhat_x = sums[1];  // step 28: sum(dxhat*x)
  const A dscale = (HAS_ddgamma || HAS_ddx) ? sum_ddx_g_xhat + sum_dxhat_x : A(0);  // step 28
  const A dscale_scaled = (HAS_ddgamma || HAS_ddx) ? dscale*scale : A(0);  // step 33
  const A dmean_x4 = (HAS_ddgamma || HAS_ddx) ? A(-0.25)*dscale_scaled*math::power<4>(scale) : A(0);  // step 33
  const A dmean_x4_scaled = (HAS_ddgamma || HAS_ddx) ? A(4)*dmean_x4 / D : A(0);  // step 30
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.sum_dxhat_x = sum_dxhat_x;
  row.dscale = dscale;
  row.dscale_scaled = dscale_scaled;
  row.dmean_x4 = dmean_x4;
  row.dmean_x4_scaled = dmean_x4_scaled;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<A>& row, A& out_dx) {
  const A dmean_g_scaled = row.dmean_g_scaled, dmean_x4_scaled = row.dmean_x4_scaled, mean_g_scaled = row.mean_g_scaled, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 21
  const A dxhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_scaled : A(0)) + (HAS_ddx ? ddx*(xhat*xhat)*mean_g_scaled : A(0)) : A(0);  // step 27
  const A dx = (HAS_ddgamma || HAS_ddx) ? dxhat*scale + math::power<3>(x)*dmean_x4_scaled : A(0);  // step 30
  out_dx = dx;
}

// What the call gives: everything that no row changes.
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
  // Every thread of a block makes the same trips, for the barriers' sake; rows past the last have no columns.
  for (long long first = (long long)blockIdx.x * G::ROWS; first < to.rows; first += (long long)gridDim.x * G::ROWS) {
    const bool live = here.enter<G>(first, to.rows);
    if constexpr (G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::KEPT; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (column < here.limit) {
          if constexpr (READS_x)
            tile.x[chunk] = load_once<G::VECTOR>(to.x + here.offset + column);
          if constexpr (READS_dy)
            tile.dy[chunk] = load_once<G::VECTOR>(to.dy + here.offset + column);
          if constexpr (READS_ddx)
            tile.ddx[chunk] = load_once<G::VECTOR>(to.ddx + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    row.scale = live ? to.scale[here.row] : A(0);
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          dmean_g(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx), 0, 0>(sums, slots, turn);
      after_dmean_g(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_ddy;
          sum_dxhat_x(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, sums, over_rows, out_ddy);
          columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddgamma || HAS_ddx), 0, 0>(sums, slots, turn);
      after_sum_dxhat_x(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        store_once(to.out_dx + here.offset + column, stored_dx);
      });
    }
  }
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

// What does not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dgamma, const Scalars<A>& row, A& out_dgamma) {
  out_dgamma = dgamma;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 32> {
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
      A out_dgamma;
      finish(totals[0], row, out_dgamma);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
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
