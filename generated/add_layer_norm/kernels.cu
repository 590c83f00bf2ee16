// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
// Evidence: 2 outputs, 38 steps, 41 first lines, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     h = x + residual
//     mu = mean(h)
//     var = mean((h - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(h - mu)
//     y = gamma*xhat + beta
// backward:
//     g = gamma*dy
//     dx = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dresidual = dx
//     dgamma = sum_rows(dy*xhat)
//     dbeta = sum_rows(dy)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Row* residual, const Parameter* gamma, const Parameter* beta, Computed
//         eps, Row* out_y, Row* out_h, Computed* save_mu, Computed* save_mu_residual, Computed* save_rstd, long
//         long rows, int D)
//     backward_<type>(const Row* h, const Row* dy, const Row* dh, const Computed* mu, const Computed* mu_residual,
//         const Computed* rstd, const Parameter* gamma, Row* out_dx, Row* out_dresidual, Computed* workspace, long
//         long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma,
//         Parameter* out_dbeta, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dh       dh is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dy       dy is left out; it and its gradient are compiled away
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
#ifdef LNGEN_WITHOUT_dh
constexpr bool HAS_dh = false;
#else
constexpr bool HAS_dh = true;
#endif
#ifdef LNGEN_WITHOUT_dy
constexpr bool HAS_dy = false;
#else
constexpr bool HAS_dy = true;
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
constexpr bool READS_residual = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr bool READS_beta = HAS_beta;
constexpr int ROWS_READ = READS_x + READS_residual, FEATURES_READ = READS_gamma + READS_beta;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 2, 0, 7, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* residual;
  const P* gamma;
  const P* beta;
  A eps;
  T* out_y;
  T* out_h;
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
  A sum_h_shifted;
  A squares_h_shifted;
  A mu_residual;
  A var;
  A rstd;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_residual> residual;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> beta[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(residual);
  }
};

// Stage 1 of 3: mu = mean(h)
template <class A>
__device__ __forceinline__ void mu(A x, A residual, const Scalars<A>& row, A (&sums)[1], A& out_h) {
  const A h = residual + x;  // step 1
  sums[0] += h;  // step 2: mu
  out_h = h;
}

template <class A>
__device__ __forceinline__ void after_mu(Scalars<A>& row, const A (&sums)[1]) {
  const A mu = math::quotient(sums[0], row.D);  // step 2: mean(h)
  row.mu = mu;
}

// Stage 2 of 3: sum_h_shifted = sum(h_shifted); squares_h_shifted = sum(h_shifted**2)
template <class A>
__device__ __forceinline__ void squares_h_shifted(A x, A residual, const Scalars<A>& row, A (&sums)[2]) {
  const A mu = row.mu;
  const A h = residual + x;  // step 1
  const A h_shifted = h - mu;  // step 3
  sums[0] += h_shifted;  // step 3: sum_h_shifted
  sums[1] += h_shifted*h_shifted;  // step 4: squares_h_shifted
}

template <class A>
__device__ __forceinline__ void after_squares_h_shifted(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, eps = row.eps;
  const A sum_h_shifted = sums[0];  // step 3: sum(h_shifted)
  const A squares_h_shifted = sums[1];  // step 4: sum(h_shifted**2)
  const A mu_residual = math::quotient(sum_h_shifted, D);  // step 3
  const A var = math::quotient(corrected_squares(squares_h_shifted, sum_h_shifted, mu_residual, D), D);  // step 4
  const A rstd = math::rsqrt(var + eps);  // step 5
  row.sum_h_shifted = sum_h_shifted;
  row.squares_h_shifted = squares_h_shifted;
  row.mu_residual = mu_residual;
  row.var = var;
  row.rstd = rstd;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A residual, A gamma, A beta, const Scalars<A>& row, A& out_y) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h = residual + x;  // step 1
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A y = xhat*gamma + beta;  // step 7
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
  tile.residual.array = to.residual;
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
        const auto residual = tile.residual.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_h;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_h;
          mu(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_residual ? widen<A>(residual.entries[i]) : A(0), row, sums, out_h);
          stored_h.entries[i] = narrow<T>(out_h);
        }
        if (here.live) store_once(to.out_h + here.offset + column, stored_h);
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_mu(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto residual = tile.residual.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          squares_h_shifted(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_residual ? widen<A>(residual.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true) | bit(1, true), 0, 0>(sums, slots, turn);
      after_squares_h_shifted(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto residual = tile.residual.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto beta = read<READS_beta, G::HOLDS_FEATURES>(tile.beta, chunk, to.beta, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_residual ? widen<A>(residual.entries[i]) : A(0),
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
               (const T* __restrict__ x, const T* __restrict__ residual, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                lngen::Computed<T> eps, T* __restrict__ out_y, T* __restrict__ out_h, \
                lngen::Computed<T>* __restrict__ save_mu, lngen::Computed<T>* __restrict__ save_mu_residual, \
                lngen::Computed<T>* __restrict__ save_rstd, long long rows, int D), \
               (x, residual, gamma, beta, eps, out_y, out_h, save_mu, save_mu_residual, save_rstd, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_h = HAS_dy;
constexpr bool READS_dy = HAS_dy;
constexpr bool READS_dh = HAS_dh;
constexpr bool READS_gamma = HAS_dy && HAS_gamma;
constexpr int ROWS_READ = READS_h + READS_dy + READS_dh, FEATURES_READ = READS_gamma;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_dy && HAS_gamma) | bit(1, HAS_beta && HAS_dy);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 2, 0, 5, 1>;

template <class T, class P, class A> struct Arguments {
  const T* h;
  const T* dy;
  const T* dh;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  T* out_dx;
  T* out_dresidual;
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
  RowTile<G, READS_h> h;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_dh> dh;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(h);
    visit(dy);
    visit(dh);
    visit(mu);
    visit(mu_residual);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g = mean(g); mean_g_xhat = mean(g*xhat)
template <class A>
__device__ __forceinline__ void mean_g_xhat(A h, A dy, A gamma, const Scalars<A>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A g = HAS_dy ? dy*gamma : A(0);  // step 8
  if (HAS_dy) sums[0] += g;  // step 21: mean_g
  if (HAS_dy) sums[1] += g*xhat;  // step 21: mean_g_xhat
  if (HAS_dy && HAS_gamma) over_rows[0] = dy*xhat;  // step 23: dgamma
  if (HAS_beta && HAS_dy) over_rows[1] = dy;  // step 24: dbeta
}

template <class A>
__device__ __forceinline__ void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_g = math::quotient(sums[0], row.D);  // step 21: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 21: mean(g*xhat)
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A h, A dy, A dh, A gamma, const Scalars<A>& row, A& out_dx) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A g = HAS_dy ? dy*gamma : A(0);  // step 8
  const A dx = dh + (HAS_dy ? (g - mean_g - xhat*mean_g_xhat)*rstd : A(0));  // step 21
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
  tile.h.array = to.h;
  tile.dy.array = to.dy;
  tile.dh.array = to.dh;
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
        const auto h = tile.h.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          mean_g_xhat(READS_h ? widen<A>(h.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums, over_rows);
          if (here.live) columns.template add<0x3>(chunk * G::VECTOR + i, column + i, over_rows);
        }
      });
      reduce_row<G, bit(0, HAS_dy) | bit(1, HAS_dy), 0, 0>(sums, slots, turn);
      after_mean_g_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto h = tile.h.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto dh = tile.dh.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_h ? widen<A>(h.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_dh ? widen<A>(dh.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_dx);
        if (here.live) store_once(to.out_dresidual + here.offset + column, stored_dx);
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
    constexpr unsigned long long WANTED = bit(0, HAS_dy && HAS_gamma) | bit(1, HAS_beta && HAS_dy);
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
               (const T* __restrict__ h, const T* __restrict__ dy, const T* __restrict__ dh, \
                const lngen::Computed<T>* __restrict__ mu, const lngen::Computed<T>* __restrict__ mu_residual, \
                const lngen::Computed<T>* __restrict__ rstd, const lngen::Parameter<T>* __restrict__ gamma, \
                T* __restrict__ out_dx, T* __restrict__ out_dresidual, lngen::Computed<T>* __restrict__ workspace, \
                long long rows, int D), \
               (h, dy, dh, mu, mu_residual, rstd, gamma, out_dx, out_dresidual, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, lngen::backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, lngen::Parameter<T>* __restrict__ out_dgamma, \
                lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, gamma, out_dgamma, out_dbeta, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
