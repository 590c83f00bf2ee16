// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 3 flops per row element; backward 3 row tensors (2 read, 1 written), 6 flops per row element.
// Evidence: 1 output, 24 steps, 15 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     sum_x2 = sum(x**2)
//     rstd = 1/sqrt(sum_x2 + eps)
//     y = rstd*x
// backward:
//     dx = rstd*(dy - y*sum(dy*y))
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, Computed eps, Row* out_y, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* rstd, Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.

#include "../_runtime/native/host_rows.h"

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
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
  A sum_x2;
  A rstd;
};

// Stage 1 of 2: sum_x2 = sum(x**2)
template <class A, class S>
LNGEN_INLINE void sum_x2(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] += x*x;  // step 1: sum_x2
}

template <class A>
LNGEN_INLINE void after_sum_x2(Scalars<A>& row, const A (&sums)[1]) {
  const A eps = row.eps;
  const A sum_x2 = sums[0];  // step 1: sum(x**2)
  const A rstd = math::rsqrt(sum_x2 + eps);  // step 2
  row.sum_x2 = sum_x2;
  row.rstd = rstd;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, const Scalars<S>& row, A& out_y) {
  const A rstd = row.rstd;
  const A y = x*rstd;  // step 3
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
          sum_x2(x, row, lanes);
        });
        after_sum_x2(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          A out_y;
          stage_2(x, row, out_y);
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
       Computed(numbers[0]),
       static_cast<Row*>(arrays[1]),
       static_cast<Computed*>(arrays[2]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* rstd;
  T* out_dx;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A sum_dy_y;
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A, class S>
LNGEN_INLINE void sum_dy_y(A x, A dy, const Scalars<S>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A y = x*rstd;  // step 3
  sums[0] += dy*y;  // step 10: sum_dy_y
}

template <class A>
LNGEN_INLINE void after_sum_dy_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_dy_y = sums[0];  // step 10: sum(dy*y)
  row.sum_dy_y = sum_dy_y;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A dy, const Scalars<S>& row, A& out_dx) {
  const A rstd = row.rstd, sum_dy_y = row.sum_dy_y;
  const A y = x*rstd;  // step 3
  const A dx = (dy - y*sum_dy_y)*rstd;  // step 10
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
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.rstd = to.rstd[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          sum_dy_y(x, dy, row, lanes);
        });
        after_sum_dy_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          A out_dx;
          stage_2(x, dy, row, out_dx);
          write_once(to.out_dx + offset + column, width, out_dx, streams_dx);
        });
      }
    }
  }
  fence();
}

}  // namespace backward
}  // namespace lngen

extern "C" void backward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<Row*>(arrays[3]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
