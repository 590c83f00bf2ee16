// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
// Evidence: 1 output, 26 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     y_dot = w_dot*xhat + rstd*(1 + w)*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + w)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2x = rstd*(ddw*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddw*dy*xhat))
//     d2w = sum_rows(dg*dy)
//     ddy = ddw*xhat + dg*(1 + w)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* rstd, const Parameter* w, const Parameter* w_dot,
//         Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* rstd, const Parameter*
//         w, const Parameter* ddw, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* w, const Parameter* ddw,
//         Parameter* out_dw, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddw      ddw is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_w        w is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_w_dot    w_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddw
constexpr bool HAS_ddw = false;
#else
constexpr bool HAS_ddw = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_w
constexpr bool HAS_w = false;
#else
constexpr bool HAS_w = true;
#endif
#ifdef LNGEN_WITHOUT_w_dot
constexpr bool HAS_w_dot = false;
#else
constexpr bool HAS_w_dot = true;
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

constexpr bool READS_x = HAS_w_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_w = HAS_w && HAS_x_dot;
constexpr bool READS_w_dot = HAS_w_dot;
constexpr int ROWS_READ = READS_x + READS_x_dot, FEATURES_READ = READS_w + READS_w_dot;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* rstd;
  const P* w;
  const P* w_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_x_dot_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> w[G::HELD];
  Pack<typename G::P, G::VECTOR> w_dot[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_x_dot_xhat = mean(x_dot*xhat)
template <class A>
__device__ __forceinline__ void mean_x_dot_xhat(A x, A x_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  if (HAS_x_dot) sums[0] += x_dot*xhat;  // step 23: mean_x_dot_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_x_dot_xhat = math::quotient(sums[0], row.D);  // step 23: mean(x_dot*xhat)
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A x_dot, A w, A w_dot, const Scalars<A>& row, A& out_y_dot) {
  const A mean_x_dot_xhat = row.mean_x_dot_xhat, rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 23
  const A xhat = x*rstd;  // step 3
  const A y_dot = (HAS_w_dot || HAS_x_dot) ? (HAS_w_dot ? xhat*w_dot : A(0)) + (HAS_x_dot ? (x_dot - xhat*mean_x_dot_xhat)*rstd*w_shifted_2 : A(0)) : A(0);  // step 23
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
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_w) tile.w[chunk] = load<G::VECTOR>(to.w + column);
        if constexpr (READS_w_dot) tile.w_dot[chunk] = load<G::VECTOR>(to.w_dot + column);
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
        const auto w = read<READS_w, G::HOLDS_FEATURES>(tile.w, chunk, to.w, column);
        const auto w_dot = read<READS_w_dot, G::HOLDS_FEATURES>(tile.w_dot, chunk, to.w_dot, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_w ? widen<A>(w.entries[i]) : A(0),
              READS_w_dot ? widen<A>(w_dot.entries[i]) : A(0), row, out_y_dot);
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
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ w, const lngen::Parameter<T>* __restrict__ w_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, rstd, w, w_dot, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddw || HAS_ddx;
constexpr bool READS_dy = HAS_ddw || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_w = HAS_ddx && HAS_w;
constexpr bool READS_ddw = HAS_ddw;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = READS_w + READS_ddw;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_ddx && HAS_w);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 4, 0, 6, 2>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* rstd;
  const P* w;
  const P* ddw;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_xhat;
  A mean_ddx_xhat;
  A mean_ddx_g;
  A mean_ddw_dy_xhat;
  A mean_g_xhat_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> w[G::HELD];
  Pack<typename G::P, G::VECTOR> ddw[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(ddx);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat); mean_ddx_xhat = mean(ddx*xhat); mean_ddx_g = mean(ddx*g); mean_ddw_dy_xhat = mean(ddw*dy*xhat)
template <class A>
__device__ __forceinline__ void mean_ddw_dy_xhat(A x, A dy, A ddx, A w, A ddw, const Scalars<A>& row, A (&sums)[4]) {
  const A rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 24
  const A xhat = x*rstd;  // step 3
  const A g = dy*w_shifted_2;  // step 24
  if (HAS_ddx) sums[0] += g*xhat;  // step 25: mean_g_xhat
  if (HAS_ddx) sums[1] += ddx*xhat;  // step 49: mean_ddx_xhat
  if (HAS_ddx) sums[2] += ddx*g;  // step 43: mean_ddx_g
  if (HAS_ddw) sums[3] += dy*xhat*ddw;  // step 43: mean_ddw_dy_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_ddw_dy_xhat(Scalars<A>& row, const A (&sums)[4]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 25: mean(g*xhat)
  const A mean_ddx_xhat = math::quotient(sums[1], row.D);  // step 49: mean(ddx*xhat)
  const A mean_ddx_g = math::quotient(sums[2], row.D);  // step 43: mean(ddx*g)
  const A mean_ddw_dy_xhat = math::quotient(sums[3], row.D);  // step 43: mean(ddw*dy*xhat)
  const A mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 43
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddx_xhat = mean_ddx_xhat;
  row.mean_ddx_g = mean_ddx_g;
  row.mean_ddw_dy_xhat = mean_ddw_dy_xhat;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A dy, A ddx, A w, A ddw, const Scalars<A>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_ddy) {
  const A mean_ddw_dy_xhat = row.mean_ddw_dy_xhat, mean_ddx_g = row.mean_ddx_g, mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 24
  const A xhat = x*rstd;  // step 3
  const A g = dy*w_shifted_2;  // step 24
  const A dg = HAS_ddx ? (ddx - xhat*mean_ddx_xhat)*rstd : A(0);  // step 49
  const A d2x = (HAS_ddw || HAS_ddx) ? ((HAS_ddw ? dy*ddw : A(0)) + (HAS_ddx ? ((xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd : A(0)) - (HAS_ddw ? xhat*mean_ddw_dy_xhat : A(0)))*rstd : A(0);  // step 43
  const A ddy = (HAS_ddw || HAS_ddx) ? (HAS_ddw ? xhat*ddw : A(0)) + (HAS_ddx ? dg*w_shifted_2 : A(0)) : A(0);  // step 53
  if (HAS_ddx && HAS_w) over_rows[0] = dg*dy;  // step 50: d2w
  out_d2x = d2x;
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
  tile.dy.array = to.dy;
  tile.ddx.array = to.ddx;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_w) tile.w[chunk] = load<G::VECTOR>(to.w + column);
        if constexpr (READS_ddw) tile.ddw[chunk] = load<G::VECTOR>(to.ddw + column);
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
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto w = read<READS_w, G::HOLDS_FEATURES>(tile.w, chunk, to.w, column);
        const auto ddw = read<READS_ddw, G::HOLDS_FEATURES>(tile.ddw, chunk, to.ddw, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_ddw_dy_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_w ? widen<A>(w.entries[i]) : A(0),
              READS_ddw ? widen<A>(ddw.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx) | bit(2, HAS_ddx) | bit(3, HAS_ddw), 0, 0>(sums, slots, turn);
      after_mean_ddw_dy_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto w = read<READS_w, G::HOLDS_FEATURES>(tile.w, chunk, to.w, column);
        const auto ddw = read<READS_ddw, G::HOLDS_FEATURES>(tile.ddw, chunk, to.ddw, column);
        Pack<T, G::VECTOR> stored_d2x;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_d2x;
          A out_ddy;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_w ? widen<A>(w.entries[i]) : A(0),
              READS_ddw ? widen<A>(ddw.entries[i]) : A(0), row, over_rows, out_d2x, out_ddy);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
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
  const P* w;
  const P* ddw;
  P* out_dw;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A d2w, const Scalars<A>& row, A& out_d2w) {
  out_d2w = d2w;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_ddx && HAS_w);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_d2w;
      finish(totals[0], row, out_d2w);
      if (HAS_w) to.out_dw[column] = narrow<P>(out_d2w);
    });
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const lngen::Computed<T>* __restrict__ rstd, const lngen::Parameter<T>* __restrict__ w, \
                const lngen::Parameter<T>* __restrict__ ddw, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, ddx, rstd, w, ddw, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, const lngen::Parameter<T>* __restrict__ w, \
                const lngen::Parameter<T>* __restrict__ ddw, lngen::Parameter<T>* __restrict__ out_dw, int D), \
               (workspace, blocks, w, ddw, out_dw, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
