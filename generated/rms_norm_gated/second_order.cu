// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
// Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
// templates sha256:409ccaacb0a57cc850482a94c2f972fd6c7b713d453fef8c57de22295f3f6580
//
// jvp:
//     dh = dx*silu_z + dz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dy = dgamma*hhat + rstd*gamma*(dh - hhat*mean(dh*hhat))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g*hhat)
//     dh = rstd*(g - mean_g*hhat)
//     g_2 = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dg = rstd*(g_2 - hhat*mean(g_2*hhat))
//     dh_2 = rstd*(ddgamma*dy + rstd*(mean(g_2*hhat)*(3*mean_g*hhat - g) - mean_g*g_2 - hhat*mean(g*g_2)) - hhat*mean(ddgamma*dy*hhat))
//     g_5 = dh_2*x + ddx*dh
//     dx = dh_2*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
//     dz = sigmoid_z*(g_5 + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(g_5*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
//     dgamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*hhat
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* z, const Row* dx, const Row* dz, const Computed* rstd, const Parameter*
//         gamma, const Parameter* dgamma, Row* out_dy, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* z, const Row* dy, const Row* ddx, const Row* ddz, const
//         Computed* rstd, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_dz, Row*
//         out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// How they are launched, and macros that choose among them: rows.cuh.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddz      ddz is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dgamma   dgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dx       dx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dz       dz is left out; it and its gradient are compiled away
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
#ifdef LNGEN_WITHOUT_ddz
constexpr bool HAS_ddz = false;
#else
constexpr bool HAS_ddz = true;
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
#ifdef LNGEN_WITHOUT_dz
constexpr bool HAS_dz = false;
#else
constexpr bool HAS_dz = true;
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

constexpr bool READS_x = HAS_dgamma || HAS_dx || HAS_dz;
constexpr bool READS_z = HAS_dgamma || HAS_dx || HAS_dz;
constexpr bool READS_dx = HAS_dx;
constexpr bool READS_dz = HAS_dz;
constexpr bool READS_gamma = (HAS_dx && HAS_gamma) || (HAS_dz && HAS_gamma);
constexpr bool READS_dgamma = HAS_dgamma;
constexpr int ROWS_READ = READS_x + READS_z + READS_dx + READS_dz, FEATURES_READ = READS_gamma + READS_dgamma;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* dx;
  const T* dz;
  const A* rstd;
  const P* gamma;
  const P* dgamma;
  T* out_dy;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_dh_hhat;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> z[G::KEPT];
  Pack<typename G::T, G::VECTOR> dx[G::KEPT];
  Pack<typename G::T, G::VECTOR> dz[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> dgamma[G::HELD];
};

// Stage 1 of 2: mean_dh_hhat = mean(dh*hhat)
template <class A>
__device__ __forceinline__ void mean_dh_hhat(A x, A z, A dx, A dz, const Scalars<A>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A dh = (HAS_dx || HAS_dz) ? (HAS_dx ? dx*silu_z : A(0)) + (HAS_dz ? dz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 35
  if (HAS_dx || HAS_dz) sums[0] += dh*hhat;  // step 33: mean_dh_hhat
}

template <class A>
__device__ __forceinline__ void after_mean_dh_hhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_dh_hhat = sums[0] / row.D;  // step 33: mean(dh*hhat)
  row.mean_dh_hhat = mean_dh_hhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A dx, A dz, A gamma, A dgamma, const Scalars<A>& row, A& out_dy) {
  const A mean_dh_hhat = row.mean_dh_hhat, rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A dh = (HAS_dx || HAS_dz) ? (HAS_dx ? dx*silu_z : A(0)) + (HAS_dz ? dz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 35
  const A dy = (HAS_dgamma || HAS_dx || HAS_dz) ? (HAS_dgamma ? hhat*dgamma : A(0)) + ((HAS_dx || HAS_dz) ? (dh - hhat*mean_dh_hhat)*rstd*gamma : A(0)) : A(0);  // step 33
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
          if constexpr (READS_z)
            tile.z[chunk] = load_once<G::VECTOR>(to.z + here.offset + column);
          if constexpr (READS_dx)
            tile.dx[chunk] = load_once<G::VECTOR>(to.dx + here.offset + column);
          if constexpr (READS_dz)
            tile.dz[chunk] = load_once<G::VECTOR>(to.dz + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    row.rstd = live ? to.rstd[here.row] : A(0);
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto z = read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
        const auto dz = read<READS_dz, G::KEEPS_ROW>(tile.dz, chunk, to.dz, here.offset + column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_dh_hhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0),
              READS_dz ? widen<A>(dz.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_dx || HAS_dz), 0, 0>(sums, slots, turn);
      after_mean_dh_hhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto z = read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
        const auto dz = read<READS_dz, G::KEEPS_ROW>(tile.dz, chunk, to.dz, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto dgamma = read<READS_dgamma, G::HOLDS_FEATURES>(tile.dgamma, chunk, to.dgamma, column);
        Pack<T, G::VECTOR> stored_dy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dy;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0),
              READS_dz ? widen<A>(dz.entries[i]) : A(0),
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
               (const T* __restrict__ x, const T* __restrict__ z, const T* __restrict__ dx, \
                const T* __restrict__ dz, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ dgamma, \
                T* __restrict__ out_dy, long long rows, int D), \
               (x, z, dx, dz, rstd, gamma, dgamma, out_dy, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddgamma || HAS_ddx || HAS_ddz;
constexpr bool READS_z = HAS_ddgamma || HAS_ddx || HAS_ddz;
constexpr bool READS_dy = HAS_ddgamma || HAS_ddx || HAS_ddz;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddz = HAS_ddz;
constexpr bool READS_gamma = (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma);
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr int ROWS_READ = READS_x + READS_z + READS_dy + READS_ddx + READS_ddz, FEATURES_READ = READS_gamma + READS_ddgamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma));

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 4, 1, 6, 3>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* dy;
  const T* ddx;
  const T* ddz;
  const A* rstd;
  const P* gamma;
  const P* ddgamma;
  T* out_dx;
  T* out_dz;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g;
  A mean_g_2_hhat;
  A mean_g_g_2;
  A mean_ddgamma_dy_hhat;
  A mean_g_scaled;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> z[G::KEPT];
  Pack<typename G::T, G::VECTOR> dy[G::KEPT];
  Pack<typename G::T, G::VECTOR> ddx[G::KEPT];
  Pack<typename G::T, G::VECTOR> ddz[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];
};

// Stage 1 of 2: mean_g = mean(g*hhat); mean_g_2_hhat = mean(g_2*hhat); mean_g_g_2 = mean(g*g_2); mean_ddgamma_dy_hhat = mean(ddgamma*dy*hhat)
template <class A>
__device__ __forceinline__ void mean_ddgamma_dy_hhat(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[4]) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A g = dy*gamma;  // step 36
  const A g_2 = (HAS_ddx || HAS_ddz) ? (HAS_ddx ? ddx*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 42
  if (HAS_ddx || HAS_ddz) sums[0] += g*hhat;  // step 37: mean_g
  if (HAS_ddx || HAS_ddz) sums[1] += g_2*hhat;  // step 66: mean_g_2_hhat
  if (HAS_ddx || HAS_ddz) sums[2] += g*g_2;  // step 69: mean_g_g_2
  if (HAS_ddgamma) sums[3] += dy*hhat*ddgamma;  // step 69: mean_ddgamma_dy_hhat
}

template <class A>
__device__ __forceinline__ void after_mean_ddgamma_dy_hhat(Scalars<A>& row, const A (&sums)[4]) {
  const A mean_g = sums[0] / row.D;  // step 37: mean(g*hhat)
  const A mean_g_2_hhat = sums[1] / row.D;  // step 66: mean(g_2*hhat)
  const A mean_g_g_2 = sums[2] / row.D;  // step 69: mean(g*g_2)
  const A mean_ddgamma_dy_hhat = sums[3] / row.D;  // step 69: mean(ddgamma*dy*hhat)
  const A mean_g_scaled = A(3)*mean_g;  // step 69
  row.mean_g = mean_g;
  row.mean_g_2_hhat = mean_g_2_hhat;
  row.mean_g_g_2 = mean_g_g_2;
  row.mean_ddgamma_dy_hhat = mean_ddgamma_dy_hhat;
  row.mean_g_scaled = mean_g_scaled;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, const Scalars<A>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_dx, A& out_dz, A& out_ddy) {
  const A mean_ddgamma_dy_hhat = row.mean_ddgamma_dy_hhat, mean_g = row.mean_g, mean_g_2_hhat = row.mean_g_2_hhat, mean_g_g_2 = row.mean_g_g_2, mean_g_scaled = row.mean_g_scaled, rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A g = dy*gamma;  // step 36
  const A g_2 = (HAS_ddx || HAS_ddz) ? (HAS_ddx ? ddx*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 42
  const A dh = (g - hhat*mean_g)*rstd;  // step 38
  const A dg = (HAS_ddx || HAS_ddz) ? (g_2 - hhat*mean_g_2_hhat)*rstd : A(0);  // step 66
  const A dh_2 = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? ((HAS_ddgamma ? dy*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? ((hhat*mean_g_scaled - g)*mean_g_2_hhat - g_2*mean_g - hhat*mean_g_g_2)*rstd : A(0)) - (HAS_ddgamma ? hhat*mean_ddgamma_dy_hhat : A(0)))*rstd : A(0);  // step 69
  const A g_5 = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (HAS_ddx ? ddx*dh : A(0)) + dh_2*x : A(0);  // step 57
  const A dx = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? dh_2*silu_z + (HAS_ddz ? ddz*dh*sigmoid_z*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 60
  const A dz = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (g_5 + (HAS_ddz ? (A(1) - sigmoid_z)*ddz*dh*x : A(0)) + (A(1) - sigmoid_z)*(g_5*z + (HAS_ddz ? ((A(1) - sigmoid_z)*z + A(1) - silu_z)*ddz*dh*x : A(0))))*sigmoid_z : A(0);  // step 70
  const A ddy = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (HAS_ddgamma ? hhat*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? dg*gamma : A(0)) : A(0);  // step 68
  if ((HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma)) over_rows[0] = dg*dy;  // step 63: dgamma
  out_dx = dx;
  out_dz = dz;
  out_ddy = ddy;
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
          if constexpr (READS_z)
            tile.z[chunk] = load_once<G::VECTOR>(to.z + here.offset + column);
          if constexpr (READS_dy)
            tile.dy[chunk] = load_once<G::VECTOR>(to.dy + here.offset + column);
          if constexpr (READS_ddx)
            tile.ddx[chunk] = load_once<G::VECTOR>(to.ddx + here.offset + column);
          if constexpr (READS_ddz)
            tile.ddz[chunk] = load_once<G::VECTOR>(to.ddz + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    row.rstd = live ? to.rstd[here.row] : A(0);
    {
      A sums[4] = {A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto z = read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto ddz = read<READS_ddz, G::KEEPS_ROW>(tile.ddz, chunk, to.ddz, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_ddgamma_dy_hhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddz ? widen<A>(ddz.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx || HAS_ddz) | bit(1, HAS_ddx || HAS_ddz) | bit(2, HAS_ddx || HAS_ddz) | bit(3, HAS_ddgamma), 0, 0>(sums, slots, turn);
      after_mean_ddgamma_dy_hhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto z = read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto ddz = read<READS_ddz, G::KEEPS_ROW>(tile.ddz, chunk, to.ddz, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_dx;
        Pack<T, G::VECTOR> stored_dz;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_dx;
          A out_dz;
          A out_ddy;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddz ? widen<A>(ddz.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, over_rows, out_dx, out_dz, out_ddy);
          columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_dx.entries[i] = narrow<T>(out_dx);
          stored_dz.entries[i] = narrow<T>(out_dz);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        store_once(to.out_dx + here.offset + column, stored_dx);
        store_once(to.out_dz + here.offset + column, stored_dz);
        store_once(to.out_ddy + here.offset + column, stored_ddy);
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
    constexpr unsigned long long WANTED = bit(0, (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma));
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
               (const T* __restrict__ x, const T* __restrict__ z, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddz, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ ddgamma, \
                T* __restrict__ out_dx, T* __restrict__ out_dz, T* __restrict__ out_ddy, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, z, dy, ddx, ddz, rstd, gamma, ddgamma, out_dx, out_dz, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ ddgamma, \
                lngen::Parameter<T>* __restrict__ out_dgamma, int D), \
               (workspace, blocks, gamma, ddgamma, out_dgamma, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
