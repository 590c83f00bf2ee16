// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
// Evidence: 1 output, 15 steps, 13 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
// templates sha256:8bbbc2ab837f16bde19a4863714ba763db23bb4e5b5a385b75bac1726cb164d5
//
// forward:
//     row_max = max(x)
//     exp_shifted = exp(x - row_max)
//     sum_exp = sum(exp_shifted)
//     log_sum_exp = log(sum_exp)
//     y = row_max + log_sum_exp
// backward:
//     p = exp_shifted/sum_exp
//     dx = dy*p
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, Row* out_y, Computed* save_row_max, Computed* save_sum_exp, long long rows, int
//         D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* row_max, const Computed* sum_exp, Row* out_dx,
//         long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.

#include "../_runtime/host_rows.h"

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
  T* out_y;
  A* save_row_max;
  A* save_sum_exp;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A row_max;
  A sum_exp;
  A log_sum_exp;
  A y;
};

// Stage 1 of 2: row_max = max(x)
template <class A, class S>
LNGEN_INLINE void row_max(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] = larger(sums[0], x);  // step 1: row_max
}

template <class A>
LNGEN_INLINE void after_row_max(Scalars<A>& row, const A (&sums)[1]) {
  const A row_max = finite_or_zero(sums[0]);  // step 1: max(x)
  row.row_max = row_max;
}

// Stage 2 of 2: sum_exp = sum(exp_shifted)
template <class A, class S>
LNGEN_INLINE void sum_exp(A x, const Scalars<S>& row, A (&sums)[1]) {
  const A row_max = row.row_max;
  const A x_shifted = x - row_max;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  sums[0] += exp_shifted;  // step 4: sum_exp
}

template <class A>
LNGEN_INLINE void after_sum_exp(Scalars<A>& row, const A (&sums)[1]) {
  const A row_max = row.row_max;
  const A sum_exp = sums[0];  // step 4: sum(exp_shifted)
  const A log_sum_exp = math::log(sum_exp);  // step 5
  const A y = log_sum_exp + row_max;  // step 6
  row.sum_exp = sum_exp;
  row.log_sum_exp = log_sum_exp;
  row.y = y;
}

// What the call gives: everything that no row changes.
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
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<1, 0>(D, sums, {-infinity<A>()}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          row_max(x, row, lanes);
        });
        after_row_max(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          sum_exp(x, row, lanes);
        });
        after_sum_exp(row, sums);
        to.out_y[i] = narrow<T>(row.y);
      }
      to.save_row_max[i] = row.row_max;
      to.save_sum_exp[i] = row.sum_exp;
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
       static_cast<Row*>(arrays[1]),
       static_cast<Computed*>(arrays[2]),
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

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* row_max;
  const A* sum_exp;
  T* out_dx;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A row_max;
  A sum_exp;
  A sum_exp_scaled;
};

// Stage 1 of 2
template <class A>
LNGEN_INLINE void after_stage_1(Scalars<A>& row) {
  const A dy = row.dy, sum_exp = row.sum_exp;
  const A sum_exp_scaled = dy / sum_exp;  // step 13
  row.sum_exp_scaled = sum_exp_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, const Scalars<S>& row, A& out_dx) {
  const A row_max = row.row_max, sum_exp_scaled = row.sum_exp_scaled;
  const A x_shifted = x - row_max;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A dx = exp_shifted*sum_exp_scaled;  // step 13
  out_dx = dx;
}

// What the call gives: everything that no row changes.
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
      row.row_max = to.row_max[i];
      row.sum_exp = to.sum_exp[i];
      row.dy = READS_dy ? widen<S>(to.dy[i]) : A(0);
      {
        after_stage_1(row);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          A out_dx;
          stage_2(x, row, out_dx);
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<Row*>(arrays[4]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
