// Layer normalization over the feature axis.
// Made by lngen 0.1.0 from the definition of layer_norm.
// Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 9 flops per row element; backward 3 row tensors (2 read, 1 written), 14 flops per row element.
// Evidence: 1 output, 38 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     y = gamma*xhat + beta
// backward:
//     g = gamma*dy
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dgamma = sum_rows(dy*xhat)
//     dbeta = sum_rows(dy)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Parameter* gamma, const Parameter* beta, Computed eps, Row* out_y,
//         Computed* save_mu, Computed* save_mu_residual, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* mu, const Computed* mu_residual, const
//         Computed* rstd, const Parameter* gamma, Row* out_dx, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma,
//         Parameter* out_dbeta, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

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
constexpr int ROWS_READ = READS_x, FEATURES_READ = READS_gamma + READS_beta;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 2, 0, 7, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const P* gamma;
  const P* beta;
  A eps;
  T* out_y;
  A* save_mu;
  A* save_mu_residual;
  A* save_rstd;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A mu;
  A sum_x_shifted;
  A squares_x_shifted;
  A mu_residual;
  A var;
  A rstd;
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

// Stage 1 of 3: mu = mean(x)
template <class A>
__device__ __forceinline__ void mu(A x, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] += x;  // step 1: mu
}

template <class A>
__device__ __forceinline__ void after_mu(Scalars<A>& row, const A (&sums)[1]) {
  const A mu = math::quotient(sums[0], row.D);  // step 1: mean(x)
  row.mu = mu;
}

// Stage 2 of 3: sum_x_shifted = sum(x_shifted); squares_x_shifted = sum(x_shifted**2)
template <class A>
__device__ __forceinline__ void squares_x_shifted(A x, const Scalars<A>& row, A (&sums)[2]) {
  const A mu = row.mu;
  const A x_shifted = x - mu;  // step 2
  sums[0] += x_shifted;  // step 2: sum_x_shifted
  sums[1] += x_shifted*x_shifted;  // step 3: squares_x_shifted
}

template <class A>
__device__ __forceinline__ void after_squares_x_shifted(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, eps = row.eps;
  const A sum_x_shifted = sums[0];  // step 2: sum(x_shifted)
  const A squares_x_shifted = sums[1];  // step 3: sum(x_shifted**2)
  const A mu_residual = math::quotient(sum_x_shifted, D);  // step 2
  const A var = math::quotient(corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, D), D);  // step 3
  const A rstd = math::rsqrt(var + eps);  // step 4
  row.sum_x_shifted = sum_x_shifted;
  row.squares_x_shifted = squares_x_shifted;
  row.mu_residual = mu_residual;
  row.var = var;
  row.rstd = rstd;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A gamma, A beta, const Scalars<A>& row, A& out_y) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A y = xhat*gamma + beta;  // step 6
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
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_beta) tile.beta[chunk] = load<G::VECTOR>(to.beta + column);
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
          mu(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_mu(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          squares_x_shifted(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true) | bit(1, true), 0, 0>(sums, slots, turn);
      after_squares_x_shifted(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto beta = read<READS_beta, G::HOLDS_FEATURES>(tile.beta, chunk, to.beta, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_beta ? widen<A>(beta.entries[i]) : A(0), row, out_y);
          stored_y.entries[i] = narrow<T>(out_y);
        }
        if (here.live) store_once(to.out_y + here.offset + column, stored_y);
      });
    }
    if (SAVES && here.live && here.lane == 0) {
      to.save_mu[here.row] = row.mu;
      to.save_mu_residual[here.row] = row.mu_residual;
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
               (const T* __restrict__ x, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ beta, lngen::Computed<T> eps, T* __restrict__ out_y, \
                lngen::Computed<T>* __restrict__ save_mu, lngen::Computed<T>* __restrict__ save_mu_residual, \
                lngen::Computed<T>* __restrict__ save_rstd, long long rows, int D), \
               (x, gamma, beta, eps, out_y, save_mu, save_mu_residual, save_rstd, rows, D))

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
constexpr int ROWS_READ = READS_x + READS_dy, FEATURES_READ = READS_gamma;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma) | bit(1, HAS_beta);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 2, 0, 5, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  T* out_dx;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_g;
  A mean_g_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(mu);
    visit(mu_residual);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g = mean(g); mean_g_xhat = mean(g*xhat)
template <class A>
__device__ __forceinline__ void mean_g_xhat(A x, A dy, A gamma, const Scalars<A>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*gamma;  // step 7
  sums[0] += g;  // step 20: mean_g
  sums[1] += g*xhat;  // step 20: mean_g_xhat
  if (HAS_gamma) over_rows[0] = dy*xhat;  // step 21: dgamma
  if (HAS_beta) over_rows[1] = dy;  // step 22: dbeta
}

template <class A>
__device__ __forceinline__ void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_g = math::quotient(sums[0], row.D);  // step 20: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 20: mean(g*xhat)
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A dy, A gamma, const Scalars<A>& row, A& out_dx) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*gamma;  // step 7
  const A dx = (g - mean_g - xhat*mean_g_xhat)*rstd;  // step 20
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
  tile.mu.array = to.mu;
  tile.mu_residual.array = to.mu_residual;
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
    row.mu = tile.mu.now;
    row.mu_residual = tile.mu_residual.now;
    row.rstd = tile.rstd.now;
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          mean_g_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums, over_rows);
          if (here.live) columns.template add<0x3>(chunk * G::VECTOR + i, column + i, over_rows);
        }
      });
      reduce_row<G, bit(0, true) | bit(1, true), 0, 0>(sums, slots, turn);
      after_mean_g_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
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
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
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
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_gamma) | bit(1, HAS_beta);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[2]) {
      A out_dgamma;
      A out_dbeta;
      finish(totals[0], totals[1], row, out_dgamma, out_dbeta);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
      if (HAS_beta) to.out_dbeta[column] = narrow<P>(out_dbeta);
    });
  }
};

}  // namespace columns

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const lngen::Computed<T>* __restrict__ mu, \
                const lngen::Computed<T>* __restrict__ mu_residual, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, T* __restrict__ out_dx, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, mu, mu_residual, rstd, gamma, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, lngen::Parameter<T>* __restrict__ out_dgamma, \
                lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, gamma, out_dgamma, out_dbeta, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
