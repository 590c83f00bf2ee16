// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 35 steps, 30 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     m = max(scale*x)
//     e_shifted = exp(scale*x - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     y = inv_Z*e_shifted
// backward:
//     du = y*(dy - sum(dy*y))
//     dx = scale*du
//     dscale = sum_rows(sum(du*x))
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Parameter* scale, Row* out_y, Computed* save_m, Computed* save_inv_Z,
//         long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* m, const Computed* inv_Z, const Parameter*
//         scale, Row* out_dx, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, Parameter* out_dscale, int
//         D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (0*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_scale    scale is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

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
  A* save_m;
  A* save_inv_Z;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A m;
  A Z_;
  A inv_Z;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
  }
};

// Stage 1 of 3: m = max(x*scale)
template <class A>
__device__ __forceinline__ void m(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A scale = row.scale;
  sums[0] = larger(sums[0], x*scale);  // step 1: m
}

template <class A>
__device__ __forceinline__ void after_m(Scalars<A>& row, const A (&sums)[1]) {
  const A m = finite_or_zero(sums[0]);  // step 1: max(x*scale)
  row.m = m;
}

// Stage 2 of 3: Z_ = sum(e_shifted)
template <class A>
__device__ __forceinline__ void Z_(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  sums[0] += e_shifted;  // step 4: Z_
}

template <class A>
__device__ __forceinline__ void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = sums[0];  // step 4: sum(e_shifted)
  const A inv_Z = A(1) / Z_;  // step 5
  row.Z_ = Z_;
  row.inv_Z = inv_Z;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, const Scalars<A>& row, A& out_y) {
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  out_y = y;
}

// Returns the values of the call, which no row changes.
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
          m(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 1, 0>(sums, slots, turn);
      after_m(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          Z_(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_Z(row, sums);
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
      to.save_m[here.row] = row.m;
      to.save_inv_Z[here.row] = row.inv_Z;
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
                lngen::Computed<T>* __restrict__ save_m, lngen::Computed<T>* __restrict__ save_inv_Z, \
                long long rows, int D), \
               (x, scale, out_y, save_m, save_inv_Z, rows, D))

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
  const A* m;
  const A* inv_Z;
  const P* scale;
  T* out_dx;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A inv_Z;
  A scale;
  A sum_dy_y;
  A sum_du_x;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> inv_Z;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(m);
    visit(inv_Z);
  }
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A>
__device__ __forceinline__ void sum_dy_y(A x, A dy, const Scalars<A>& row, A (&sums)[1]) {
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
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
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale, sum_dy_y = row.sum_dy_y;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A du = (dy - sum_dy_y)*y;  // step 16
  const A dx = du*scale;  // step 21
  if (HAS_scale) sums[0] += du*x;  // step 22: sum_du_x
  out_dx = dx;
}

template <class A>
__device__ __forceinline__ void after_sum_du_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_du_x = sums[0];  // step 22: sum(du*x)
  over_all[0] = sum_du_x;  // step 22: dscale
  row.sum_du_x = sum_du_x;
}

// Returns the values of the call, which no row changes.
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
  tile.m.array = to.m;
  tile.inv_Z.array = to.inv_Z;
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
    row.m = tile.m.now;
    row.inv_Z = tile.inv_Z.now;
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

// Values that do not vary over the features.
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
               (const T* __restrict__ x, const T* __restrict__ dy, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ inv_Z, const lngen::Parameter<T>* __restrict__ scale, \
                T* __restrict__ out_dx, lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, m, inv_Z, scale, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ scale, lngen::Parameter<T>* __restrict__ out_dscale, int D), \
               (workspace, blocks, scale, out_dscale, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
