// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
// Evidence: 1 output, 31 steps, 20 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     m = max(x)
//     e_shifted = exp(x - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     y = inv_Z*e_shifted
// backward:
//     dx = y*(dy - sum(dy*y))
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, Row* out_y, long long rows, int D)
//     backward_<type>(const Row* y, const Row* dy, Row* out_dx, long long rows, int D)
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
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A inv_Z;
};

// Stage 1 of 3: m = max(x)
template <class A, class S>
LNGEN_INLINE void m(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] = larger(sums[0], x);  // step 1: m
}

template <class A>
LNGEN_INLINE void after_m(Scalars<A>& row, const A (&sums)[1]) {
  const A m = finite_or_zero(sums[0]);  // step 1: max(x)
  row.m = m;
}

// Stage 2 of 3: Z_ = sum(e_shifted)
template <class A, class S>
LNGEN_INLINE void Z_(A x, const Scalars<S>& row, A (&sums)[1], A& kept_e_shifted) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A e_shifted = math::exp(x_shifted);  // step 3
  sums[0] += e_shifted;  // step 4: Z_
  kept_e_shifted = e_shifted;
}

template <class A>
LNGEN_INLINE void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = sums[0];  // step 4: sum(e_shifted)
  const A inv_Z = A(1) / Z_;  // step 5
  row.Z_ = Z_;
  row.inv_Z = inv_Z;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A e_shifted, const Scalars<S>& row, A& out_y) {
  const A inv_Z = row.inv_Z;
  const A y = e_shifted*inv_Z;  // step 6
  out_y = y;
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
  const bool streams_y = streams && is_even(to.out_y, D);
  Scratch<S> kept(1ll * D);
  S* const kept_e_shifted = kept.entries + 0ll * D;
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
          A now_e_shifted;
          Z_(x, row, lanes, now_e_shifted);
          write(kept_e_shifted + column, width, now_e_shifted);
        });
        after_Z(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          const A e_shifted = read<S>(kept_e_shifted + column, width);
          A out_y;
          stage_3(e_shifted, row, out_y);
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
       static_cast<Row*>(arrays[1]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_y = true;
constexpr bool READS_dy = true;

template <class T, class P, class A> struct Arguments {
  const T* y;
  const T* dy;
  T* out_dx;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A sum_dy_y;
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A, class S>
LNGEN_INLINE void sum_dy_y(A y, A dy, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] += dy*y;  // step 22: sum_dy_y
}

template <class A>
LNGEN_INLINE void after_sum_dy_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_dy_y = sums[0];  // step 22: sum(dy*y)
  row.sum_dy_y = sum_dy_y;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A y, A dy, const Scalars<S>& row, A& out_dx) {
  const A sum_dy_y = row.sum_dy_y;
  const A dx = (dy - sum_dy_y)*y;  // step 22
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
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          sum_dy_y(y, dy, row, lanes);
        });
        after_sum_dy_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          if (READS_y && streams) prefetch(to.y + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          A out_dx;
          stage_2(y, dy, row, out_dx);
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
       static_cast<Row*>(arrays[2]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
