// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
// Evidence: 1 output, 37 steps, 39 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
//     y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))
// backward_backward:
//     g = gamma*dy
//     mean_g_hhat = mean(g*hhat)
//     dh = rstd*(g - mean_g_hhat*hhat)
//     ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dg = rstd*(ddh - hhat*mean(ddh*hhat))
//     d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) - mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
//     d2silu_z = d2h*x + ddx*dh
//     d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
//     d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*hhat
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* z, const Row* x_dot, const Row* z_dot, const Computed* rstd, const
//         Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* z, const Row* dy, const Row* ddx, const Row* ddz, const
//         Computed* rstd, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_dz, Row*
//         out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddz      ddz is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_z_dot    z_dot is left out; it and its gradient are compiled away

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
#ifdef LNGEN_WITHOUT_ddz
constexpr bool HAS_ddz = false;
#else
constexpr bool HAS_ddz = true;
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
#ifdef LNGEN_WITHOUT_z_dot
constexpr bool HAS_z_dot = false;
#else
constexpr bool HAS_z_dot = true;
#endif

}  // namespace lngen

#ifdef LNGEN_JVP
// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_gamma_dot || HAS_x_dot || HAS_z_dot;
constexpr bool READS_z = HAS_gamma_dot || HAS_x_dot || HAS_z_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_z_dot = HAS_z_dot;
constexpr bool READS_gamma = (HAS_gamma && HAS_x_dot) || (HAS_gamma && HAS_z_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr int ROWS_READ = READS_x + READS_z + READS_x_dot + READS_z_dot, FEATURES_READ = READS_gamma + READS_gamma_dot;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* x_dot;
  const T* z_dot;
  const A* rstd;
  const P* gamma;
  const P* gamma_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_h_dot_hhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_z> z;
  RowTile<G, READS_x_dot> x_dot;
  RowTile<G, READS_z_dot> z_dot;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> gamma_dot[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(z);
    visit(x_dot);
    visit(z_dot);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_h_dot_hhat = mean(h_dot*hhat)
template <class A>
__device__ __forceinline__ void mean_h_dot_hhat(A x, A z, A x_dot, A z_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A h_dot = (HAS_x_dot || HAS_z_dot) ? (HAS_x_dot ? silu_z*x_dot : A(0)) + (HAS_z_dot ? sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1))*z_dot : A(0)) : A(0);  // step 29
  if (HAS_x_dot || HAS_z_dot) sums[0] += h_dot*hhat;  // step 39: mean_h_dot_hhat
}

template <class A>
__device__ __forceinline__ void after_mean_h_dot_hhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_h_dot_hhat = math::quotient(sums[0], row.D);  // step 39: mean(h_dot*hhat)
  row.mean_h_dot_hhat = mean_h_dot_hhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A x_dot, A z_dot, A gamma, A gamma_dot, const Scalars<A>& row, A& out_y_dot) {
  const A mean_h_dot_hhat = row.mean_h_dot_hhat, rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A h_dot = (HAS_x_dot || HAS_z_dot) ? (HAS_x_dot ? silu_z*x_dot : A(0)) + (HAS_z_dot ? sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1))*z_dot : A(0)) : A(0);  // step 29
  const A y_dot = (HAS_gamma_dot || HAS_x_dot || HAS_z_dot) ? (HAS_gamma_dot ? hhat*gamma_dot : A(0)) + ((HAS_x_dot || HAS_z_dot) ? (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma : A(0)) : A(0);  // step 39
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
  tile.z.array = to.z;
  tile.x_dot.array = to.x_dot;
  tile.z_dot.array = to.z_dot;
  tile.rstd.array = to.rstd;
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
    row.rstd = tile.rstd.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto z_dot = tile.z_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_h_dot_hhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_z_dot ? widen<A>(z_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot || HAS_z_dot), 0, 0>(sums, slots, turn);
      after_mean_h_dot_hhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto z_dot = tile.z_dot.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto gamma_dot = read<READS_gamma_dot, G::HOLDS_FEATURES>(tile.gamma_dot, chunk, to.gamma_dot, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_z_dot ? widen<A>(z_dot.entries[i]) : A(0),
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
               (const T* __restrict__ x, const T* __restrict__ z, const T* __restrict__ x_dot, \
                const T* __restrict__ z_dot, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ gamma_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, z, x_dot, z_dot, rstd, gamma, gamma_dot, out_y_dot, rows, D))

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

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_hhat;
  A mean_ddh_hhat;
  A mean_ddh_g;
  A mean_ddgamma_dy_hhat;
  A mean_g_hhat_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_z> z;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowTile<G, READS_ddz> ddz;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(z);
    visit(dy);
    visit(ddx);
    visit(ddz);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g_hhat = mean(g*hhat); mean_ddh_hhat = mean(ddh*hhat); mean_ddh_g = mean(ddh*g); mean_ddgamma_dy_hhat = mean(ddgamma*dy*hhat)
template <class A>
__device__ __forceinline__ void mean_ddgamma_dy_hhat(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[4]) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A g = dy*gamma;  // step 40
  const A ddh = (HAS_ddx || HAS_ddz) ? (HAS_ddx ? ddx*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 45
  if (HAS_ddx || HAS_ddz) sums[0] += g*hhat;  // step 41: mean_g_hhat
  if (HAS_ddx || HAS_ddz) sums[1] += ddh*hhat;  // step 76: mean_ddh_hhat
  if (HAS_ddx || HAS_ddz) sums[2] += ddh*g;  // step 62: mean_ddh_g
  if (HAS_ddgamma) sums[3] += dy*hhat*ddgamma;  // step 62: mean_ddgamma_dy_hhat
}

template <class A>
__device__ __forceinline__ void after_mean_ddgamma_dy_hhat(Scalars<A>& row, const A (&sums)[4]) {
  const A mean_g_hhat = math::quotient(sums[0], row.D);  // step 41: mean(g*hhat)
  const A mean_ddh_hhat = math::quotient(sums[1], row.D);  // step 76: mean(ddh*hhat)
  const A mean_ddh_g = math::quotient(sums[2], row.D);  // step 62: mean(ddh*g)
  const A mean_ddgamma_dy_hhat = math::quotient(sums[3], row.D);  // step 62: mean(ddgamma*dy*hhat)
  const A mean_g_hhat_scaled = A(3)*mean_g_hhat;  // step 62
  row.mean_g_hhat = mean_g_hhat;
  row.mean_ddh_hhat = mean_ddh_hhat;
  row.mean_ddh_g = mean_ddh_g;
  row.mean_ddgamma_dy_hhat = mean_ddgamma_dy_hhat;
  row.mean_g_hhat_scaled = mean_g_hhat_scaled;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, const Scalars<A>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_d2z, A& out_ddy) {
  const A mean_ddgamma_dy_hhat = row.mean_ddgamma_dy_hhat, mean_ddh_g = row.mean_ddh_g, mean_ddh_hhat = row.mean_ddh_hhat, mean_g_hhat = row.mean_g_hhat, mean_g_hhat_scaled = row.mean_g_hhat_scaled, rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A g = dy*gamma;  // step 40
  const A ddh = (HAS_ddx || HAS_ddz) ? (HAS_ddx ? ddx*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 45
  const A dh = (g - hhat*mean_g_hhat)*rstd;  // step 42
  const A dg = (HAS_ddx || HAS_ddz) ? (ddh - hhat*mean_ddh_hhat)*rstd : A(0);  // step 76
  const A d2h = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? ((HAS_ddgamma ? dy*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? ((hhat*mean_g_hhat_scaled - g)*mean_ddh_hhat - hhat*mean_ddh_g - ddh*mean_g_hhat)*rstd : A(0)) - (HAS_ddgamma ? hhat*mean_ddgamma_dy_hhat : A(0)))*rstd : A(0);  // step 62
  const A d2silu_z = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h*x + (HAS_ddx ? ddx*dh : A(0)) : A(0);  // step 64
  const A d2x = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h*silu_z + (HAS_ddz ? ddz*dh*sigmoid_z*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 63
  const A d2h_scaled = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h*x : A(0);  // step 70
  const A d2h_scaled_scaled = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h_scaled*z : A(0);  // step 70
  const A d2silu_z_scaled_scaled = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h_scaled_scaled*sigmoid_z + (HAS_ddx ? ddx*dh*sigmoid_z*z : A(0)) : A(0);  // step 70
  const A d2z = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2silu_z*sigmoid_z + (HAS_ddz ? (A(1) - sigmoid_z)*ddz*dh*sigmoid_z*x : A(0)) + (A(1) - sigmoid_z)*(d2silu_z_scaled_scaled + (HAS_ddz ? ((A(1) - sigmoid_z)*z + A(1) - silu_z)*ddz*dh*sigmoid_z*x : A(0))) : A(0);  // step 70
  const A ddy = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (HAS_ddgamma ? hhat*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? dg*gamma : A(0)) : A(0);  // step 80
  if ((HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma)) over_rows[0] = dg*dy;  // step 77: d2gamma
  out_d2x = d2x;
  out_d2z = d2z;
  out_ddy = ddy;
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
  tile.z.array = to.z;
  tile.dy.array = to.dy;
  tile.ddx.array = to.ddx;
  tile.ddz.array = to.ddz;
  tile.rstd.array = to.rstd;
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
    row.rstd = tile.rstd.now;
    {
      A sums[4] = {A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddz = tile.ddz.chunk(chunk, column);
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
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddz = tile.ddz.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_d2x;
        Pack<T, G::VECTOR> stored_d2z;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_d2x;
          A out_d2z;
          A out_ddy;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddz ? widen<A>(ddz.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, over_rows, out_d2x, out_d2z, out_ddy);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
          stored_d2z.entries[i] = narrow<T>(out_d2z);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
        if (here.live) store_once(to.out_dz + here.offset + column, stored_d2z);
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
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
    constexpr unsigned long long WANTED = bit(0, (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma));
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
