// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
// Evidence: 1 output, 26 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     y = xhat*(1 + w)
// backward:
//     g = dy*(1 + w)
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dw = sum_rows(dy*xhat)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Parameter* w, Computed eps, Row* out_y, Computed* save_rstd, long long
//         rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* rstd, const Parameter* w, Row* out_dx,
//         Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* w, Parameter* out_dw, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_w        w is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_w
constexpr bool HAS_w = false;
#else
constexpr bool HAS_w = true;
#endif

}  // namespace lngen

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_w = HAS_w;
constexpr int ROWS_READ = READS_x, FEATURES_READ = READS_w;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 3, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const P* w;
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
  Pack<typename G::P, G::VECTOR> w[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
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
__device__ __forceinline__ void stage_2(A x, A w, const Scalars<A>& row, A& out_y) {
  const A rstd = row.rstd;
  const A w_shifted = w + A(1);  // step 4
  const A xhat = x*rstd;  // step 3
  const A y = xhat*w_shifted;  // step 4
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_w) tile.w[chunk] = load<G::VECTOR>(to.w + column);
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
        const auto w = read<READS_w, G::HOLDS_FEATURES>(tile.w, chunk, to.w, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_w ? widen<A>(w.entries[i]) : A(0), row, out_y);
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
               (const T* __restrict__ x, const lngen::Parameter<T>* __restrict__ w, lngen::Computed<T> eps, \
                T* __restrict__ out_y, lngen::Computed<T>* __restrict__ save_rstd, long long rows, int D), \
               (x, w, eps, out_y, save_rstd, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;
constexpr bool READS_w = HAS_w;
constexpr int ROWS_READ = READS_x + READS_dy, FEATURES_READ = READS_w;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_w);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 1, 0, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* rstd;
  const P* w;
  T* out_dx;
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
  RowTile<G, READS_dy> dy;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> w[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat)
template <class A>
__device__ __forceinline__ void mean_g_xhat(A x, A dy, A w, const Scalars<A>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 5
  const A xhat = x*rstd;  // step 3
  const A g = dy*w_shifted_2;  // step 5
  sums[0] += g*xhat;  // step 12: mean_g_xhat
  if (HAS_w) over_rows[0] = dy*xhat;  // step 13: dw
}

template <class A>
__device__ __forceinline__ void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 12: mean(g*xhat)
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A dy, A w, const Scalars<A>& row, A& out_dx) {
  const A mean_g_xhat = row.mean_g_xhat, rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 5
  const A xhat = x*rstd;  // step 3
  const A g = dy*w_shifted_2;  // step 5
  const A dx = (g - xhat*mean_g_xhat)*rstd;  // step 12
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
  tile.dy.array = to.dy;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_w) tile.w[chunk] = load<G::VECTOR>(to.w + column);
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
        const auto dy = tile.dy.chunk(chunk, column);
        const auto w = read<READS_w, G::HOLDS_FEATURES>(tile.w, chunk, to.w, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          mean_g_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_w ? widen<A>(w.entries[i]) : A(0), row, sums, over_rows);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_mean_g_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto w = read<READS_w, G::HOLDS_FEATURES>(tile.w, chunk, to.w, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_w ? widen<A>(w.entries[i]) : A(0), row, out_dx);
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
  const P* w;
  P* out_dw;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dw, const Scalars<A>& row, A& out_dw) {
  out_dw = dw;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_w);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_dw;
      finish(totals[0], row, out_dw);
      if (HAS_w) to.out_dw[column] = narrow<P>(out_dw);
    });
  }
};

}  // namespace columns

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ w, T* __restrict__ out_dx, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, rstd, w, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, const lngen::Parameter<T>* __restrict__ w, \
                lngen::Parameter<T>* __restrict__ out_dw, int D), \
               (workspace, blocks, w, out_dw, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
