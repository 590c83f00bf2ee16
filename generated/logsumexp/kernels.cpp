// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
// Evidence: 1 output, 21 steps, 15 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     y = m + log_Z
// backward:
//     p = exp_shifted/Z
//     dx = dy*p
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, Row* out_y, Computed* save_m, Computed* save_Z, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* m, const Computed* Z_, Row* out_dx, long long
//         rows, int D)
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
  T* out_y;
  A* save_m;
  A* save_Z;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A log_Z;
  A y;
};

// Stage 1 of 2: m = max(x)
template <class A, class S>
LNGEN_INLINE void m(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] = larger(sums[0], x);  // step 1: m
}

template <class A>
LNGEN_INLINE void after_m(Scalars<A>& row, const A (&sums)[1]) {
  const A m = finite_or_zero(sums[0]);  // step 1: max(x)
  row.m = m;
}

// Stage 2 of 2: Z_ = sum(exp_shifted)
template <class A, class S>
LNGEN_INLINE void Z_(A x, const Scalars<S>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  sums[0] += exp_shifted;  // step 4: Z_
}

template <class A>
LNGEN_INLINE void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A m = row.m;
  const A Z_ = sums[0];  // step 4: sum(exp_shifted)
  const A log_Z = math::log(Z_);  // step 5
  const A y = log_Z + m;  // step 6
  row.Z_ = Z_;
  row.log_Z = log_Z;
  row.y = y;
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
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<1, 0>(D, sums, {-infinity<A>()}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          m(x, row, lanes);
        });
        after_m(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          Z_(x, row, lanes);
        });
        after_Z(row, sums);
        to.out_y[i] = narrow<T>(row.y);
      }
      to.save_m[i] = row.m;
      to.save_Z[i] = row.Z_;
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
  const A* m;
  const A* Z_;
  T* out_dx;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A m;
  A Z_;
  A dy_scaled;
};

// Stage 1 of 2
template <class A>
LNGEN_INLINE void after_stage_1(Scalars<A>& row) {
  const A Z_ = row.Z_, dy = row.dy;
  const A dy_scaled = dy / Z_;  // step 19
  row.dy_scaled = dy_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, const Scalars<S>& row, A& out_dx) {
  const A dy_scaled = row.dy_scaled, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A dx = exp_shifted*dy_scaled;  // step 19
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
      row.m = to.m[i];
      row.Z_ = to.Z_[i];
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
