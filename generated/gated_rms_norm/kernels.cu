// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 20 flops per row element.
// Evidence: 1 output, 39 steps, 34 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     sigmoid_z = sigmoid(z)
//     silu_z = sigmoid_z*z
//     y = gamma*silu_z*xhat
// backward:
//     g = gamma*dy*silu_z
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
//     dgamma = sum_rows(dy*silu_z*xhat)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y, Computed*
//         save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* z, const Row* dy, const Computed* rstd, const Parameter* gamma,
//         Row* out_dx, Row* out_dz, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma, int
//         D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif

}  // namespace lngen

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_z = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr int ROWS_READ = READS_x + READS_z, FEATURES_READ = READS_gamma;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 3, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const P* gamma;
  A eps;
  T* out_y;
  A* save_rstd;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A ms;
  A rstd;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_z> z;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(z);
  }
};

// Stage 1 of 2: ms = mean(x**2)
template <class A>
__device__ __forceinline__ void ms(A x, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] += x*x;  // step 1: ms
}

template <class A>
__device__ __forceinline__ void after_ms(Scalars<A>& row, const A (&sums)[1]) {
  const A eps = row.eps;
  const A ms = math::quotient(sums[0], row.D);  // step 1: mean(x**2)
  const A rstd = math::rsqrt(ms + eps);  // step 2
  row.ms = ms;
  row.rstd = rstd;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A gamma, const Scalars<A>& row, A& out_y) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A y = silu_z*xhat*gamma;  // step 6
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
  tile.z.array = to.z;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
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
          ms(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_ms(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, out_y);
          stored_y.entries[i] = narrow<T>(out_y);
        }
        if (here.live) store_once(to.out_y + here.offset + column, stored_y);
      });
    }
    if (SAVES && here.live && here.lane == 0) {
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
               (const T* __restrict__ x, const T* __restrict__ z, const lngen::Parameter<T>* __restrict__ gamma, \
                lngen::Computed<T> eps, T* __restrict__ out_y, lngen::Computed<T>* __restrict__ save_rstd, \
                long long rows, int D), \
               (x, z, gamma, eps, out_y, save_rstd, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_z = true;
constexpr bool READS_dy = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr int ROWS_READ = READS_x + READS_z + READS_dy, FEATURES_READ = READS_gamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 1, 1, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* dy;
  const A* rstd;
  const P* gamma;
  T* out_dx;
  T* out_dz;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_z> z;
  RowTile<G, READS_dy> dy;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(z);
    visit(dy);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat)
template <class A>
__device__ __forceinline__ void mean_g_xhat(A x, A z, A dy, A gamma, const Scalars<A>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_dz) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A g = dy*silu_z*gamma;  // step 7
  const A dz = dy*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1))*gamma;  // step 20
  sums[0] += g*xhat;  // step 14: mean_g_xhat
  if (HAS_gamma) over_rows[0] = dy*silu_z*xhat;  // step 21: dgamma
  out_dz = dz;
}

template <class A>
__device__ __forceinline__ void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 14: mean(g*xhat)
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A dy, A gamma, const Scalars<A>& row, A& out_dx) {
  const A mean_g_xhat = row.mean_g_xhat, rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A g = dy*silu_z*gamma;  // step 7
  const A dx = (g - xhat*mean_g_xhat)*rstd;  // step 14
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
  tile.z.array = to.z;
  tile.dy.array = to.dy;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
      }
    }
  }
  ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(to.workspace, slots + G::SLOTS, here);
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.rstd = tile.rstd.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        Pack<T, G::VECTOR> stored_dz;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_dz;
          mean_g_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums, over_rows, out_dz);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_dz.entries[i] = narrow<T>(out_dz);
        }
        if (here.live) store_once(to.out_dz + here.offset + column, stored_dz);
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_mean_g_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto z = tile.z.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_z ? widen<A>(z.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_dx);
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

// ---- backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  P* out_dgamma;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dgamma, const Scalars<A>& row, A& out_dgamma) {
  out_dgamma = dgamma;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_gamma);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_dgamma;
      finish(totals[0], row, out_dgamma);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
    });
  }
};

}  // namespace columns

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ z, const T* __restrict__ dy, \
                const lngen::Computed<T>* __restrict__ rstd, const lngen::Parameter<T>* __restrict__ gamma, \
                T* __restrict__ out_dx, T* __restrict__ out_dz, lngen::Computed<T>* __restrict__ workspace, \
                long long rows, int D), \
               (x, z, dy, rstd, gamma, out_dx, out_dz, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, lngen::Parameter<T>* __restrict__ out_dgamma, int D), \
               (workspace, blocks, gamma, out_dgamma, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
