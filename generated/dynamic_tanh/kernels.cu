// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
// Evidence: 1 output, 18 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     u = alpha*x
//     t = tanh(u)
//     y = gamma*t + beta
// backward:
//     du = gamma*dy*(1 - t)*(1 + t)
//     dx = alpha*du
//     dalpha = sum_rows(sum(du*x))
//     dgamma = sum_rows(dy*t)
//     dbeta = sum_rows(dy)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Parameter* alpha, const Parameter* gamma, const Parameter* beta, Row*
//         out_y, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Parameter* alpha, const Parameter* gamma, Row* out_dx,
//         Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const Parameter* gamma,
//         Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (2*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_alpha    alpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_alpha
constexpr bool HAS_alpha = false;
#else
constexpr bool HAS_alpha = true;
#endif
#ifdef LNGEN_WITHOUT_beta
constexpr bool HAS_beta = false;
#else
constexpr bool HAS_beta = true;
#endif
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
constexpr bool READS_gamma = HAS_gamma;
constexpr bool READS_beta = HAS_beta;
constexpr bool READS_alpha = HAS_alpha;
constexpr int ROWS_READ = READS_x, FEATURES_READ = READS_gamma + READS_beta;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 0, 1, 1, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const P* alpha;
  const P* gamma;
  const P* beta;
  T* out_y;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> beta[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
  }
};

// Stage 1 of 1
template <class A>
__device__ __forceinline__ void stage_1(A x, A gamma, A beta, const Scalars<A>& row, A& out_y) {
  const A alpha = row.alpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A y = t*gamma + beta;  // step 3
  out_y = y;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_beta) tile.beta[chunk] = load<G::VECTOR>(to.beta + column);
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto beta = read<READS_beta, G::HOLDS_FEATURES>(tile.beta, chunk, to.beta, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_1(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_beta ? widen<A>(beta.entries[i]) : A(0), row, out_y);
          stored_y.entries[i] = narrow<T>(out_y);
        }
        if (here.live) store_once(to.out_y + here.offset + column, stored_y);
      });
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
               (const T* __restrict__ x, const lngen::Parameter<T>* __restrict__ alpha, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                T* __restrict__ out_y, long long rows, int D), \
               (x, alpha, gamma, beta, out_y, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr bool READS_alpha = HAS_alpha;
constexpr int ROWS_READ = READS_x + READS_dy, FEATURES_READ = READS_gamma;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma) | bit(1, HAS_beta);
constexpr int SUMS_INTO_SCALARS = 1;
constexpr unsigned long long SCALARS_WANTED = bit(0, HAS_alpha);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 1, 1, 1, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const P* alpha;
  const P* gamma;
  T* out_dx;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A sum_du_x;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
  }
};

// Stage 1 of 1: sum_du_x = sum(du*x)
template <class A>
__device__ __forceinline__ void sum_du_x(A x, A dy, A gamma, const Scalars<A>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_dx) {
  const A alpha = row.alpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A du = (A(1) - t)*dy*(t + A(1))*gamma;  // step 7
  const A dx = du*alpha;  // step 8
  if (HAS_alpha) sums[0] += du*x;  // step 9: sum_du_x
  if (HAS_gamma) over_rows[0] = dy*t;  // step 10: dgamma
  if (HAS_beta) over_rows[1] = dy;  // step 11: dbeta
  out_dx = dx;
}

template <class A>
__device__ __forceinline__ void after_sum_du_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_du_x = sums[0];  // step 9: sum(du*x)
  over_all[0] = sum_du_x;  // step 9: dalpha
  row.sum_du_x = sum_du_x;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
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
  A over_rows_and_columns[SUMS_INTO_SCALARS] = {};
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_dx;
          sum_du_x(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums, over_rows, out_dx);
          if (here.live) columns.template add<0x3>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_dx);
      });
      reduce_row<G, bit(0, HAS_alpha), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_sum_du_x(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
  });
  columns.finish(slots + G::SLOTS, here);
  finish_scalars<G, SCALARS_WANTED>(over_rows_and_columns, slots, to.workspace, 2, here);
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

// ---- backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_alpha = HAS_alpha;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* alpha;
  const P* gamma;
  P* out_dalpha;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
  A alpha;
  A dalpha;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dgamma, A dbeta, const Scalars<A>& row, A& out_dgamma, A& out_dbeta) {
  out_dgamma = dgamma;
  out_dbeta = dbeta;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 2, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    const long long blocks = to.blocks;
    Scalars<A> row;
    row.D = A(D);
    row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
    int turn = 0;
    row.dalpha = A(0);
    if constexpr (HAS_alpha) {
      const A* parts = to.workspace + blocks * (2 * (long long)D + 0);
      row.dalpha = add_parts<Launch>(parts, to.blocks, slots, turn);
    }
    constexpr unsigned long long WANTED = bit(0, HAS_gamma) | bit(1, HAS_beta);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[2]) {
      A out_dgamma;
      A out_dbeta;
      finish(totals[0], totals[1], row, out_dgamma, out_dbeta);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
      if (HAS_beta) to.out_dbeta[column] = narrow<P>(out_dbeta);
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      if (HAS_alpha) *to.out_dalpha = narrow<P>(row.dalpha);
    }
  }
};

}  // namespace columns

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const lngen::Parameter<T>* __restrict__ alpha, \
                const lngen::Parameter<T>* __restrict__ gamma, T* __restrict__ out_dx, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, alpha, gamma, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ alpha, const lngen::Parameter<T>* __restrict__ gamma, \
                lngen::Parameter<T>* __restrict__ out_dalpha, lngen::Parameter<T>* __restrict__ out_dgamma, \
                lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, alpha, gamma, out_dalpha, out_dgamma, out_dbeta, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
