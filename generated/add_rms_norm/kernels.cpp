// Residual addition, then root-mean-square normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_rms_norm.
// Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
// Cost: forward 4 row tensors (2 read, 2 written), 5 flops per row element; backward 5 row tensors (3 read, 2 written), 10 flops per row element.
// Evidence: 2 outputs, 26 steps, 31 first lines, 1 identity, 3 gradients, 2 tangents, 5 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     h = x + residual
//     ms = mean(h**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*h
//     y = gamma*xhat
// backward:
//     g = gamma*dy
//     dx = dh + rstd*(g - xhat*mean(g*xhat))
//     dresidual = dx
//     dgamma = sum_rows(dy*xhat)
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Row* residual, const Parameter* gamma, Computed eps, Row* out_y, Row*
//         out_h, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* h, const Row* dy, const Row* dh, const Computed* rstd, const Parameter* gamma,
//         Row* out_dx, Row* out_dresidual, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_dh       dh is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dy       dy is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

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

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_residual = true;
constexpr bool READS_gamma = HAS_gamma;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* residual;
  const P* gamma;
  A eps;
  T* out_y;
  T* out_h;
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

// Stage 1 of 2: ms = mean(h**2)
template <class A, class S>
LNGEN_INLINE void ms(A x, A residual, const Scalars<S>& row, A (&sums)[1], A& out_h) {
  const A h = residual + x;  // step 1
  sums[0] += h*h;  // step 2: ms
  out_h = h;
}

template <class A>
LNGEN_INLINE void after_ms(Scalars<A>& row, const A (&sums)[1]) {
  const A eps = row.eps;
  const A ms = math::quotient(sums[0], row.D);  // step 2: mean(h**2)
  const A rstd = math::rsqrt(ms + eps);  // step 3
  row.ms = ms;
  row.rstd = rstd;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A residual, A gamma, const Scalars<S>& row, A& out_y) {
  const A rstd = row.rstd;
  const A h = residual + x;  // step 1
  const A xhat = h*rstd;  // step 4
  const A y = xhat*gamma;  // step 5
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
  const bool streams_h = streams && is_even(to.out_h, D);
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
          const A residual = READS_residual ? read<S>(to.residual + offset + column, width) : A(0);
          A out_h;
          ms(x, residual, row, lanes, out_h);
          write_once(to.out_h + offset + column, width, out_h, streams_h);
        });
        after_ms(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A residual = READS_residual ? read<S>(to.residual + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_residual && streams) prefetch(to.residual + offset + D + column);
          A out_y;
          stage_2(x, residual, gamma, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
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
       static_cast<const Row*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       Computed(numbers[0]),
       static_cast<Row*>(arrays[3]),
       static_cast<Row*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_h = HAS_dy;
constexpr bool READS_dy = HAS_dy;
constexpr bool READS_dh = HAS_dh;
constexpr bool READS_gamma = HAS_dy && HAS_gamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_dy && HAS_gamma);

template <class T, class P, class A> struct Arguments {
  const T* h;
  const T* dy;
  const T* dh;
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
  A rstd;
  A mean_g_xhat;
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat)
template <class A, class S>
LNGEN_INLINE void mean_g_xhat(A h, A dy, A gamma, const Scalars<S>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A rstd = row.rstd;
  const A xhat = h*rstd;  // step 4
  const A g = HAS_dy ? dy*gamma : A(0);  // step 6
  if (HAS_dy) sums[0] += g*xhat;  // step 13: mean_g_xhat
  if (HAS_dy && HAS_gamma) over_rows[0] = dy*xhat;  // step 15: dgamma
}

template <class A>
LNGEN_INLINE void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 13: mean(g*xhat)
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A h, A dy, A dh, A gamma, const Scalars<S>& row, A& out_dx) {
  const A mean_g_xhat = row.mean_g_xhat, rstd = row.rstd;
  const A xhat = h*rstd;  // step 4
  const A g = HAS_dy ? dy*gamma : A(0);  // step 6
  const A dx = dh + (HAS_dy ? (g - xhat*mean_g_xhat)*rstd : A(0));  // step 13
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
  const bool streams_dresidual = streams && is_even(to.out_dresidual, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.rstd = to.rstd[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A h = READS_h ? read<S>(to.h + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          A over_rows[SUMS_INTO_COLUMNS];
          mean_g_xhat(h, dy, gamma, row, lanes, over_rows);
          columns.template add<0x1>(D, column, width, over_rows);
        });
        after_mean_g_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A h = READS_h ? read<S>(to.h + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A dh = READS_dh ? read<S>(to.dh + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_h && streams) prefetch(to.h + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_dh && streams) prefetch(to.dh + offset + D + column);
          A out_dx;
          stage_2(h, dy, dh, gamma, row, out_dx);
          write_once(to.out_dx + offset + column, width, out_dx, streams_dx);
          write_once(to.out_dresidual + offset + column, width, out_dx, streams_dresidual);
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
  P* out_dgamma;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A dgamma, const Scalars<S>& row, A& out_dgamma) {
  out_dgamma = dgamma;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(1, 0, D);
  Scalars<S> row;
  row.D = A(D);
  each_column<S>(D, [&](int column, auto width) {
    using A = Lanes<S>;
    const A dgamma = HAS_dy && HAS_gamma ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    A out_dgamma;
    finish(dgamma, row, out_dgamma);
    if (HAS_gamma) write(to.out_dgamma + column, width, out_dgamma);
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
       static_cast<const Row*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<Row*>(arrays[5]),
       static_cast<Row*>(arrays[6]),
       static_cast<Computed*>(arrays[7]),
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
       static_cast<Computed*>(arrays[2]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
