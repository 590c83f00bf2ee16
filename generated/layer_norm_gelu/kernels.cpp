// Layer normalization, then the Gaussian error linear unit.
// Made by lngen 0.1.0 from the definition of layer_norm_gelu.
// Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
// Cost: forward 2 row tensors (1 read, 1 written), 15 flops per row element; backward 3 row tensors (2 read, 1 written), 30 flops per row element.
// Evidence: 1 output, 47 steps, 43 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     u = gamma*xhat + beta
//     Phi_u = Phi(u)
//     y = Phi_u*u
// backward:
//     du = dy*(Phi_u + u*phi(u))
//     g = gamma*du
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dgamma = sum_rows(du*xhat)
//     dbeta = sum_rows(du)
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Parameter* gamma, const Parameter* beta, Computed eps, Row* out_y,
//         Computed* save_mu, Computed* save_mu_residual, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* mu, const Computed* mu_residual, const
//         Computed* rstd, const Parameter* gamma, const Parameter* beta, Row* out_dx, Computed* workspace, long
//         long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter* beta,
//         Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

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

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr bool READS_beta = HAS_beta;

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

// Stage 1 of 3: mu = mean(x)
template <class A, class S>
LNGEN_INLINE void mu(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] += x;  // step 1: mu
}

template <class A>
LNGEN_INLINE void after_mu(Scalars<A>& row, const A (&sums)[1]) {
  const A mu = math::quotient(sums[0], row.D);  // step 1: mean(x)
  row.mu = mu;
}

// Stage 2 of 3: sum_x_shifted = sum(x_shifted); squares_x_shifted = sum(x_shifted**2)
template <class A, class S>
LNGEN_INLINE void squares_x_shifted(A x, const Scalars<S>& row, A (&sums)[2]) {
  const A mu = row.mu;
  const A x_shifted = x - mu;  // step 2
  sums[0] += x_shifted;  // step 2: sum_x_shifted
  sums[1] += x_shifted*x_shifted;  // step 3: squares_x_shifted
}

template <class A>
LNGEN_INLINE void after_squares_x_shifted(Scalars<A>& row, const A (&sums)[2]) {
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
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A gamma, A beta, const Scalars<S>& row, A& out_y) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A u = xhat*gamma + beta;  // step 6
  const A Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7
  const A y = Phi_u*u;  // step 9
  out_y = y;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.eps = to.eps;
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_y = streams && is_even(to.out_y, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          mu(x, row, lanes);
        });
        after_mu(row, sums);
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          squares_x_shifted(x, row, lanes);
        });
        after_squares_x_shifted(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          A out_y;
          stage_3(x, gamma, beta, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
      to.save_mu[i] = row.mu;
      to.save_mu_residual[i] = row.mu_residual;
      to.save_rstd[i] = row.rstd;
    }
  }
  fence();
}

}  // namespace forward
}  // namespace lngen

extern "C" void forward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::forward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       Computed(numbers[0]),
       static_cast<Row*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
       static_cast<Computed*>(arrays[6]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr bool READS_beta = HAS_beta;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma) | bit(1, HAS_beta);

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* beta;
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

// Stage 1 of 2: mean_g = mean(g); mean_g_xhat = mean(g*xhat)
template <class A, class S>
LNGEN_INLINE void mean_g_xhat(A x, A dy, A gamma, A beta, const Scalars<S>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& kept_g) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A u = xhat*gamma + beta;  // step 6
  const A Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7
  const A du = (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy;  // step 13
  const A g = du*gamma;  // step 14
  sums[0] += g;  // step 27: mean_g
  sums[1] += g*xhat;  // step 27: mean_g_xhat
  if (HAS_gamma) over_rows[0] = du*xhat;  // step 28: dgamma
  if (HAS_beta) over_rows[1] = du;  // step 29: dbeta
  kept_g = g;
}

template <class A>
LNGEN_INLINE void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_g = math::quotient(sums[0], row.D);  // step 27: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 27: mean(g*xhat)
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A g, const Scalars<S>& row, A& out_dx) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A dx = (g - mean_g - xhat*mean_g_xhat)*rstd;  // step 27
  out_dx = dx;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  Scratch<S> kept(1ll * D);
  S* const kept_g = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(2, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          A over_rows[SUMS_INTO_COLUMNS];
          A now_g;
          mean_g_xhat(x, dy, gamma, beta, row, lanes, over_rows, now_g);
          write(kept_g + column, width, now_g);
          columns.template add<0x3>(D, column, width, over_rows);
        });
        after_mean_g_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          const A g = read<S>(kept_g + column, width);
          A out_dx;
          stage_2(x, g, row, out_dx);
          write_once(to.out_dx + offset + column, width, out_dx, streams_dx);
        });
      }
      columns.end_row();
    }
    columns.end();
  }
  fence();
}

// ---- backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  const P* beta;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A dgamma, A dbeta, const Scalars<S>& row, A& out_dgamma, A& out_dbeta) {
  out_dgamma = dgamma;
  out_dbeta = dbeta;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(2, 0, D);
  Scalars<S> row;
  row.D = A(D);
  each_column<S>(D, [&](int column, auto width) {
    using A = Lanes<S>;
    const A dgamma = HAS_gamma ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    const A dbeta = HAS_beta ? column_total(workspace, on.chunks, entries, 1 * column_entries(D) + column, width) : A(0);
    A out_dgamma;
    A out_dbeta;
    finish(dgamma, dbeta, row, out_dgamma, out_dbeta);
    if (HAS_gamma) write(to.out_dgamma + column, width, out_dgamma);
    if (HAS_beta) write(to.out_dbeta + column, width, out_dbeta);
  });
}

}  // namespace columns

}  // namespace backward
}  // namespace lngen

extern "C" void backward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       static_cast<Computed*>(arrays[8]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

extern "C" void backward_columns(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward::columns::work<Row, Computed>(
      {static_cast<Computed*>(arrays[0]),
       int(sizes[2]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<Computed*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
