// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
// Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     p = exp_shifted/Z
//     log_Z_dot = sum(p*x_dot)
//     y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))
// backward_backward:
//     mean_target = mean(target)
//     d2logp = -dy*ddtarget
//     p = exp_shifted/Z
//     d2x = d2logp + D*p*(dy*mean_target*(ddx - sum(ddx*p)) - mean(d2logp))
//     d2target = dy*(sum(ddx*p) - ddx)
//     ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* target, const Row* x_dot, const Row* target_dot, const Computed* m,
//         const Computed* Z_, const Computed* log_Z, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* target, const Row* dy, const Row* ddx, const Row*
//         ddtarget, const Computed* m, const Computed* Z_, const Computed* log_Z, Row* out_dx, Row* out_dtarget,
//         Row* out_ddy, long long rows, int D)
//
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddtarget ddtarget is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_target_dot target_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddtarget
constexpr bool HAS_ddtarget = false;
#else
constexpr bool HAS_ddtarget = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_target_dot
constexpr bool HAS_target_dot = false;
#else
constexpr bool HAS_target_dot = true;
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

constexpr bool READS_x = HAS_target_dot || HAS_x_dot;
constexpr bool READS_target = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_target_dot = HAS_target_dot;
constexpr int ROWS_READ = READS_x + READS_target + READS_x_dot + READS_target_dot, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 7, 0>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  const T* x_dot;
  const T* target_dot;
  const A* m;
  const A* Z_;
  const A* log_Z;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A log_Z;
  A sum_exp_shifted_x_dot;
  A log_Z_dot;
  A sum_logp_target_target_dot;
  A y_dot;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_target> target;
  RowTile<G, READS_x_dot> x_dot;
  RowTile<G, READS_target_dot> target_dot;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> Z_;
  RowValue<G, true, typename G::A> log_Z;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(target);
    visit(x_dot);
    visit(target_dot);
    visit(m);
    visit(Z_);
    visit(log_Z);
  }
};

// Stage 1 of 2: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
template <class A>
__device__ __forceinline__ void sum_exp_shifted_x_dot(A x, A x_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  if (HAS_x_dot) sums[0] += exp_shifted*x_dot;  // step 40: sum_exp_shifted_x_dot
}

template <class A>
__device__ __forceinline__ void after_sum_exp_shifted_x_dot(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_exp_shifted_x_dot = sums[0];  // step 40: sum(exp_shifted*x_dot)
  const A log_Z_dot = HAS_x_dot ? sum_exp_shifted_x_dot / Z_ : A(0);  // step 40
  row.sum_exp_shifted_x_dot = sum_exp_shifted_x_dot;
  row.log_Z_dot = log_Z_dot;
}

// Stage 2 of 2: sum_logp_target_target_dot = sum(logp*target_dot + target*(-log_Z_dot + x_dot))
template <class A>
__device__ __forceinline__ void sum_logp_target_target_dot(A x, A target, A x_dot, A target_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A log_Z = row.log_Z, log_Z_dot = row.log_Z_dot, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A logp = x_shifted - log_Z;  // step 6
  if (HAS_target_dot || HAS_x_dot) sums[0] += (HAS_target_dot ? logp*target_dot : A(0)) + (HAS_x_dot ? (x_dot - log_Z_dot)*target : A(0));  // step 46: sum_logp_target_target_dot
}

template <class A>
__device__ __forceinline__ void after_sum_logp_target_target_dot(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_logp_target_target_dot = sums[0];  // step 46: sum(logp*target_dot + target*(-log_Z_dot + x_dot))
  const A y_dot = (HAS_target_dot || HAS_x_dot) ? -sum_logp_target_target_dot : A(0);  // step 46
  row.sum_logp_target_target_dot = sum_logp_target_target_dot;
  row.y_dot = y_dot;
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
  tile.target.array = to.target;
  tile.x_dot.array = to.x_dot;
  tile.target_dot.array = to.target_dot;
  tile.m.array = to.m;
  tile.Z_.array = to.Z_;
  tile.log_Z.array = to.log_Z;
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
    row.m = tile.m.now;
    row.Z_ = tile.Z_.now;
    row.log_Z = tile.log_Z.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_exp_shifted_x_dot(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot), 0, 0>(sums, slots, turn);
      after_sum_exp_shifted_x_dot(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto target = tile.target.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto target_dot = tile.target_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_logp_target_target_dot(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_target ? widen<A>(target.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_target_dot ? widen<A>(target_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_target_dot || HAS_x_dot), 0, 0>(sums, slots, turn);
      after_sum_logp_target_target_dot(row, sums);
      if (here.live && here.lane == 0) to.out_y_dot[here.row] = narrow<T>(row.y_dot);
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
               (const T* __restrict__ x, const T* __restrict__ target, const T* __restrict__ x_dot, \
                const T* __restrict__ target_dot, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ Z_, const lngen::Computed<T>* __restrict__ log_Z, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, target, x_dot, target_dot, m, Z_, log_Z, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddtarget || HAS_ddx;
constexpr bool READS_target = HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddtarget = HAS_ddtarget;
constexpr bool READS_dy = HAS_ddtarget || HAS_ddx;
constexpr int ROWS_READ = READS_x + READS_target + READS_ddx + READS_ddtarget, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 4, 1, 14, 2>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  const T* dy;
  const T* ddx;
  const T* ddtarget;
  const A* m;
  const A* Z_;
  const A* log_Z;
  T* out_dx;
  T* out_dtarget;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A m;
  A Z_;
  A log_Z;
  A Z_scaled;
  A mean_target;
  A mean_d2logp;
  A sum_ddx_exp_shifted;
  A mean_ddtarget_logp;
  A mean_target_scaled;
  A sum_ddx_exp_shifted_scaled;
  A mean_target_scaled_2;
  A mean_ddx_exp_shifted_target;
  A ddy;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_target> target;
  RowTile<G, READS_ddx> ddx;
  RowTile<G, READS_ddtarget> ddtarget;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> Z_;
  RowValue<G, true, typename G::A> log_Z;
  RowValue<G, READS_dy, typename G::T> dy;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(target);
    visit(ddx);
    visit(ddtarget);
    visit(m);
    visit(Z_);
    visit(log_Z);
    visit(dy);
  }
};

// Stage 1 of 3
template <class A>
__device__ __forceinline__ void after_stage_1(Scalars<A>& row) {
  const A D = row.D, Z_ = row.Z_;
  const A Z_scaled = D / Z_;  // step 68
  row.Z_scaled = Z_scaled;
}

// Stage 2 of 3: mean_target = mean(target); mean_d2logp = mean(d2logp); sum_ddx_exp_shifted = sum(ddx*exp_shifted); mean_ddtarget_logp = mean(ddtarget*logp)
template <class A>
__device__ __forceinline__ void mean_ddtarget_logp(A x, A target, A ddx, A ddtarget, const Scalars<A>& row, A (&sums)[4]) {
  const A dy = row.dy, log_Z = row.log_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A logp = x_shifted - log_Z;  // step 6
  const A d2logp = HAS_ddtarget ? -ddtarget*dy : A(0);  // step 49
  if (HAS_ddx) sums[0] += target;  // step 47: mean_target
  if (HAS_ddtarget) sums[1] += d2logp;  // step 68: mean_d2logp
  if (HAS_ddx) sums[2] += ddx*exp_shifted;  // step 68: sum_ddx_exp_shifted
  if (HAS_ddtarget) sums[3] += ddtarget*logp;  // step 80: mean_ddtarget_logp
}

template <class A>
__device__ __forceinline__ void after_mean_ddtarget_logp(Scalars<A>& row, const A (&sums)[4]) {
  const A D = row.D, Z_ = row.Z_, dy = row.dy;
  const A mean_target = math::quotient(sums[0], row.D);  // step 47: mean(target)
  const A mean_d2logp = math::quotient(sums[1], row.D);  // step 68: mean(d2logp)
  const A sum_ddx_exp_shifted = sums[2];  // step 68: sum(ddx*exp_shifted)
  const A mean_ddtarget_logp = math::quotient(sums[3], row.D);  // step 80: mean(ddtarget*logp)
  const A mean_target_scaled = dy*mean_target;  // step 68
  const A sum_ddx_exp_shifted_scaled = HAS_ddx ? sum_ddx_exp_shifted / Z_ : A(0);  // step 68
  const A mean_target_scaled_2 = mean_target*D / Z_;  // step 80
  row.mean_target = mean_target;
  row.mean_d2logp = mean_d2logp;
  row.sum_ddx_exp_shifted = sum_ddx_exp_shifted;
  row.mean_ddtarget_logp = mean_ddtarget_logp;
  row.mean_target_scaled = mean_target_scaled;
  row.sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted_scaled;
  row.mean_target_scaled_2 = mean_target_scaled_2;
}

// Stage 3 of 3: mean_ddx_exp_shifted_target = mean(ddx*(mean_target_scaled_2*exp_shifted - target))
template <class A>
__device__ __forceinline__ void mean_ddx_exp_shifted_target(A x, A target, A ddx, A ddtarget, const Scalars<A>& row, A (&sums)[1], A& out_d2x, A& out_d2target) {
  const A Z_scaled = row.Z_scaled, dy = row.dy, m = row.m, mean_d2logp = row.mean_d2logp, mean_target_scaled = row.mean_target_scaled, mean_target_scaled_2 = row.mean_target_scaled_2, sum_ddx_exp_shifted_scaled = row.sum_ddx_exp_shifted_scaled;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A d2logp = HAS_ddtarget ? -ddtarget*dy : A(0);  // step 49
  const A d2x = (HAS_ddtarget || HAS_ddx) ? d2logp + ((HAS_ddx ? (ddx - sum_ddx_exp_shifted_scaled)*mean_target_scaled : A(0)) - mean_d2logp)*exp_shifted*Z_scaled : A(0);  // step 68
  const A d2target = HAS_ddx ? (sum_ddx_exp_shifted_scaled - ddx)*dy : A(0);  // step 76
  if (HAS_ddx) sums[0] += ddx*(exp_shifted*mean_target_scaled_2 - target);  // step 80: mean_ddx_exp_shifted_target
  out_d2x = d2x;
  out_d2target = d2target;
}

template <class A>
__device__ __forceinline__ void after_mean_ddx_exp_shifted_target(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D, mean_ddtarget_logp = row.mean_ddtarget_logp;
  const A mean_ddx_exp_shifted_target = math::quotient(sums[0], row.D);  // step 80: mean(ddx*(mean_target_scaled_2*exp_shifted - target))
  const A ddy = (HAS_ddtarget || HAS_ddx) ? (mean_ddx_exp_shifted_target - mean_ddtarget_logp)*D : A(0);  // step 80
  row.mean_ddx_exp_shifted_target = mean_ddx_exp_shifted_target;
  row.ddy = ddy;
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
  tile.target.array = to.target;
  tile.ddx.array = to.ddx;
  tile.ddtarget.array = to.ddtarget;
  tile.m.array = to.m;
  tile.Z_.array = to.Z_;
  tile.log_Z.array = to.log_Z;
  tile.dy.array = to.dy;
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
    row.m = tile.m.now;
    row.Z_ = tile.Z_.now;
    row.log_Z = tile.log_Z.now;
    row.dy = READS_dy ? widen<A>(tile.dy.now) : A(0);
    {
      after_stage_1(row);
    }
    {
      A sums[4] = {A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto target = tile.target.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddtarget = tile.ddtarget.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_ddtarget_logp(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_target ? widen<A>(target.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddtarget ? widen<A>(ddtarget.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddtarget) | bit(2, HAS_ddx) | bit(3, HAS_ddtarget), 0, 0>(sums, slots, turn);
      after_mean_ddtarget_logp(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto target = tile.target.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddtarget = tile.ddtarget.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2x;
        Pack<T, G::VECTOR> stored_d2target;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          A out_d2target;
          mean_ddx_exp_shifted_target(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_target ? widen<A>(target.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddtarget ? widen<A>(ddtarget.entries[i]) : A(0), row, sums, out_d2x, out_d2target);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
          stored_d2target.entries[i] = narrow<T>(out_d2target);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
        if (here.live) store_once(to.out_dtarget + here.offset + column, stored_d2target);
      });
      reduce_row<G, bit(0, HAS_ddx), 0, 0>(sums, slots, turn);
      after_mean_ddx_exp_shifted_target(row, sums);
      if (here.live && here.lane == 0) to.out_ddy[here.row] = narrow<T>(row.ddy);
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ target, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddtarget, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ Z_, const lngen::Computed<T>* __restrict__ log_Z, \
                T* __restrict__ out_dx, T* __restrict__ out_dtarget, T* __restrict__ out_ddy, long long rows, \
                int D), \
               (x, target, dy, ddx, ddtarget, m, Z_, log_Z, out_dx, out_dtarget, out_ddy, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
