// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 23 steps, 29 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:a6fa389b017093e698671db7b23dc4ae3379f5ce734d243ee674c17ce2b51213
//
// forward:
//     row_max = max(scale*x)
//     e_shifted = exp(scale*x - row_max)
//     sum_e_shifted = sum(e_shifted)
//     inv_sum_e_shifted = 1/sum_e_shifted
//     y = inv_sum_e_shifted*e_shifted
// backward:
//     du = y*(dy - sum(dy*y))
//     dx = scale*du
//     dscale = sum_rows(sum(du*x))
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Parameter* scale, Row* out_y, Computed* save_row_max, Computed*
//         save_inv_sum_e_shifted, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* row_max, const Computed* inv_sum_e_shifted,
//         const Parameter* scale, Row* out_dx, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, Parameter* out_dscale, int
//         D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (0*D + 1).
// How they are launched, and macros that choose among them: rows.cuh.
//     LNGEN_WITHOUT_scale    scale is left out; it and its gradient are compiled away

#include "../_runtime/rows.cuh"
#include "../_runtime/geometry.cuh"
#include "../_runtime/reductions.cuh"
#include "../_runtime/row_loop.cuh"
#include "../_runtime/moments.cuh"
#include "../_runtime/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_scale
constexpr bool HAS_scale = false;
#else
constexpr bool HAS_scale = true;
#endif

}  // namespace lngen

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_scale = HAS_scale;
constexpr int ROWS_READ = READS_x, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 4, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const P* scale;
  T* out_y;
  A* save_row_max;
  A* save_inv_sum_e_shifted;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A row_max;
  A sum_e_shifted;
  A inv_sum_e_shifted;
};

// What a thread has of a row, and of the Features.
template <class G> struct Tile {
  RowTile<G, READS_x> x;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
  }
};

// Stage 1 of 3: row_max = max(x*scale)
template <class A>
__device__ __forceinline__ void row_max(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A scale = row.scale;
  sums[0] = larger(sums[0], x*scale);  // step 1: row_max
}

template <class A>
__device__ __forceinline__ void after_row_max(Scalars<A>& row, const A (&sums)[1]) {
  const A row_max = finite(sums[0]);  // step 1: max(x*scale)
  row.row_max = row_max;
}

// Stage 2 of 3: sum_e_shifted = sum(e_shifted)
template <class A>
__device__ __forceinline__ void sum_e_shifted(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A row_max = row.row_max, scale = row.scale;
  const A u = x*scale - row_max;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  sums[0] += e_shifted;  // step 4: sum_e_shifted
}

template <class A>
__device__ __forceinline__ void after_sum_e_shifted(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_e_shifted = sums[0];  // step 4: sum(e_shifted)
  const A inv_sum_e_shifted = A(1) / sum_e_shifted;  // step 5
  row.sum_e_shifted = sum_e_shifted;
  row.inv_sum_e_shifted = inv_sum_e_shifted;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, const Scalars<A>& row, A& out_y) {
  const A inv_sum_e_shifted = row.inv_sum_e_shifted, row_max = row.row_max, scale = row.scale;
  const A u = x*scale - row_max;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_sum_e_shifted;  // step 6
  out_y = y;
}

// What the call gives: everything that no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.scale = READS_scale ? widen<A>(*to.scale) : A(1);
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
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      A sums[1] = {-infinity<A>()};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          row_max(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 1, 0>(sums, slots, turn);
      after_row_max(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_e_shifted(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_sum_e_shifted(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0), row, out_y);
          stored_y.entries[i] = narrow<T>(out_y);
        }
        if (here.live) store_once(to.out_y + here.offset + column, stored_y);
      });
    }
    if (SAVES && here.live && here.lane == 0) {
      to.save_row_max[here.row] = row.row_max;
      to.save_inv_sum_e_shifted[here.row] = row.inv_sum_e_shifted;
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
               (const T* __restrict__ x, const lngen::Parameter<T>* __restrict__ scale, T* __restrict__ out_y, \
                lngen::Computed<T>* __restrict__ save_row_max, \
                lngen::Computed<T>* __restrict__ save_inv_sum_e_shifted, long long rows, int D), \
               (x, scale, out_y, save_row_max, save_inv_sum_e_shifted, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;
constexpr bool READS_scale = HAS_scale;
constexpr int ROWS_READ = READS_x + READS_dy, FEATURES_READ = 0;
constexpr int SUMS_INTO_SCALARS = 1;
constexpr unsigned long long SCALARS_WANTED = bit(0, HAS_scale);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 1, 1, 1, 5, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* row_max;
  const A* inv_sum_e_shifted;
  const P* scale;
  T* out_dx;
  A* workspace;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A row_max;
  A inv_sum_e_shifted;
  A scale;
  A sum_dy_y;
  A sum_du_x;
};

// What a thread has of a row, and of the Features.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowValue<G, true, typename G::A> row_max;
  RowValue<G, true, typename G::A> inv_sum_e_shifted;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(row_max);
    visit(inv_sum_e_shifted);
  }
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A>
__device__ __forceinline__ void sum_dy_y(A x, A dy, const Scalars<A>& row, A (&sums)[1]) {
  const A inv_sum_e_shifted = row.inv_sum_e_shifted, row_max = row.row_max, scale = row.scale;
  const A u = x*scale - row_max;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_sum_e_shifted;  // step 6
  sums[0] += dy*y;  // step 16: sum_dy_y
}

template <class A>
__device__ __forceinline__ void after_sum_dy_y(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_dy_y = sums[0];  // step 16: sum(dy*y)
  row.sum_dy_y = sum_dy_y;
}

// Stage 2 of 2: sum_du_x = sum(du*x)
template <class A>
__device__ __forceinline__ void sum_du_x(A x, A dy, const Scalars<A>& row, A (&sums)[1], A& out_dx) {
  const A inv_sum_e_shifted = row.inv_sum_e_shifted, row_max = row.row_max, scale = row.scale, sum_dy_y = row.sum_dy_y;
  const A u = x*scale - row_max;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_sum_e_shifted;  // step 6
  const A du = (dy - sum_dy_y)*y;  // step 16
  const A dx = du*scale;  // step 14
  if (HAS_scale) sums[0] += du*x;  // step 15: sum_du_x
  out_dx = dx;
}

template <class A>
__device__ __forceinline__ void after_sum_du_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_du_x = sums[0];  // step 15: sum(du*x)
  over_all[0] = sum_du_x;  // step 15: dscale
  row.sum_du_x = sum_du_x;
}

// What the call gives: everything that no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.scale = READS_scale ? widen<A>(*to.scale) : A(1);
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
  tile.row_max.array = to.row_max;
  tile.inv_sum_e_shifted.array = to.inv_sum_e_shifted;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
      }
    }
  }
  A over_rows_and_columns[SUMS_INTO_SCALARS] = {};
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.row_max = tile.row_max.now;
    row.inv_sum_e_shifted = tile.inv_sum_e_shifted.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_dy_y(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_sum_dy_y(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          sum_du_x(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0), row, sums, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_dx);
      });
      reduce_row<G, bit(0, HAS_scale), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_sum_du_x(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
  });
  finish_scalars<G, SCALARS_WANTED>(over_rows_and_columns, slots, to.workspace, 0, here);
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

// ---- backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_scale = HAS_scale;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* scale;
  P* out_dscale;
  int D;
};

// What does not vary over the features.
template <class A> struct Scalars {
  A D;
  A scale;
  A dscale;
};

// One column of the gradients

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 0, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    const long long blocks = to.blocks;
    Scalars<A> row;
    row.D = A(D);
    row.scale = READS_scale ? widen<A>(*to.scale) : A(1);
    int turn = 0;
    row.dscale = A(0);
    if constexpr (HAS_scale) {
      const A* parts = to.workspace + blocks * (0 * (long long)D + 0);
      row.dscale = add_parts<Launch>(parts, to.blocks, slots, turn);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      if (HAS_scale) *to.out_dscale = narrow<P>(row.dscale);
    }
  }
};

}  // namespace columns

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const lngen::Computed<T>* __restrict__ row_max, \
                const lngen::Computed<T>* __restrict__ inv_sum_e_shifted, \
                const lngen::Parameter<T>* __restrict__ scale, T* __restrict__ out_dx, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, row_max, inv_sum_e_shifted, scale, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ scale, lngen::Parameter<T>* __restrict__ out_dscale, int D), \
               (workspace, blocks, scale, out_dscale, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
