// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
// Evidence: 1 output, 18 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
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
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Parameter* alpha, const Parameter* gamma, const Parameter* beta, Row*
//         out_y, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Parameter* alpha, const Parameter* gamma, Row* out_dx,
//         Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const Parameter* gamma,
//         Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_alpha    alpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

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

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr bool READS_beta = HAS_beta;
constexpr bool READS_alpha = HAS_alpha;

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

// Stage 1 of 1
template <class A, class S>
LNGEN_INLINE void stage_1(A x, A gamma, A beta, const Scalars<S>& row, A& out_y) {
  const A alpha = row.alpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A y = t*gamma + beta;  // step 3
  out_y = y;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.alpha = READS_alpha ? *to.alpha : A(0.5);
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
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          A out_y;
          stage_1(x, gamma, beta, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<Row*>(arrays[4]),
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
constexpr bool READS_alpha = HAS_alpha;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma) | bit(1, HAS_beta);
constexpr int SUMS_INTO_SCALARS = 1;

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

// Stage 1 of 1: sum_du_x = sum(du*x)
template <class A, class S>
LNGEN_INLINE void sum_du_x(A x, A dy, A gamma, const Scalars<S>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_dx) {
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
LNGEN_INLINE void after_sum_du_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_du_x = sums[0];  // step 9: sum(du*x)
  over_all[0] = sum_du_x;  // step 9: dalpha
  row.sum_du_x = sum_du_x;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.alpha = READS_alpha ? *to.alpha : A(0.5);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(2, 1, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    double over_rows_and_columns[SUMS_INTO_SCALARS] = {};
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_dx;
          sum_du_x(x, dy, gamma, row, lanes, over_rows, out_dx);
          columns.template add<0x3>(D, column, width, over_rows);
          write_once(to.out_dx + offset + column, width, out_dx, streams_dx);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_sum_du_x(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
      columns.end_row();
    }
    columns.end();
    for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
      workspace[chunk_entries(2, 0, D) + k] = S(over_rows_and_columns[k]);
  }
  fence();
}

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
template <class A, class S>
LNGEN_INLINE void finish(A dgamma, A dbeta, const Scalars<S>& row, A& out_dgamma, A& out_dbeta) {
  out_dgamma = dgamma;
  out_dbeta = dbeta;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(2, 1, D);
  Scalars<S> row;
  row.D = A(D);
  row.alpha = READS_alpha ? *to.alpha : A(0.5);
  row.dalpha = HAS_alpha ? scalar_total(workspace, on.chunks, entries, chunk_entries(2, 0, D) + 0) : A(0);
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
  if (HAS_alpha) *to.out_dalpha = row.dalpha;
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
       static_cast<Row*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
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
       static_cast<Computed*>(arrays[5]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
