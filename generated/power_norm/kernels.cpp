// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 12 steps, 22 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     mean_x4 = mean(x**4)
//     scale = 1/(mean_x4 + eps)**(1/4)
//     xhat = scale*x
//     y = gamma*xhat
// backward:
//     g = gamma*dy
//     dx = scale*(g - xhat**3*mean(g*xhat))
//     dgamma = sum_rows(dy*xhat)
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Parameter* gamma, Computed eps, Row* out_y, Computed* save_scale, long
//         long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* scale, const Parameter* gamma, Row* out_dx,
//         Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

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

template <class T, class P, class A> struct Arguments {
  const T* x;
  const P* gamma;
  A eps;
  T* out_y;
  A* save_scale;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A mean_x4;
  A scale;
};

// Stage 1 of 2: mean_x4 = mean(x**4)
template <class A, class S>
LNGEN_INLINE void mean_x4(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] += math::power<4>(x);  // step 1: mean_x4
}

template <class A>
LNGEN_INLINE void after_mean_x4(Scalars<A>& row, const A (&sums)[1]) {
  const A eps = row.eps;
  const A mean_x4 = math::quotient(sums[0], row.D);  // step 1: mean(x**4)
  const A scale = A(1) / math::pow(mean_x4 + eps, A(0.25));  // step 2
  row.mean_x4 = mean_x4;
  row.scale = scale;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A gamma, const Scalars<S>& row, A& out_y) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A y = xhat*gamma;  // step 4
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
          mean_x4(x, row, lanes);
        });
        after_mean_x4(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          A out_y;
          stage_2(x, gamma, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
      to.save_scale[i] = row.scale;
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
       Computed(numbers[0]),
       static_cast<Row*>(arrays[2]),
       static_cast<Computed*>(arrays[3]),
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
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma);

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* scale;
  const P* gamma;
  T* out_dx;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_g_xhat;
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat)
template <class A, class S>
LNGEN_INLINE void mean_g_xhat(A x, A dy, A gamma, const Scalars<S>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 5
  sums[0] += g*xhat;  // step 12: mean_g_xhat
  if (HAS_gamma) over_rows[0] = dy*xhat;  // step 13: dgamma
}

template <class A>
LNGEN_INLINE void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 12: mean(g*xhat)
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A dy, A gamma, const Scalars<S>& row, A& out_dx) {
  const A mean_g_xhat = row.mean_g_xhat, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 5
  const A dx = (g - math::power<3>(xhat)*mean_g_xhat)*scale;  // step 12
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
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.scale = to.scale[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          A over_rows[SUMS_INTO_COLUMNS];
          mean_g_xhat(x, dy, gamma, row, lanes, over_rows);
          columns.template add<0x1>(D, column, width, over_rows);
        });
        after_mean_g_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          A out_dx;
          stage_2(x, dy, gamma, row, out_dx);
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
    const A dgamma = HAS_gamma ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
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
       static_cast<Computed*>(arrays[2]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
