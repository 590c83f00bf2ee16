// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
// Evidence: 1 output, 18 steps, 18 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
// templates sha256:8bbbc2ab837f16bde19a4863714ba763db23bb4e5b5a385b75bac1726cb164d5
//
// forward:
//     row_max = max(x)
//     e_shifted = exp(x - row_max)
//     sum_e_shifted = sum(e_shifted)
//     inv_sum_e_shifted = 1/sum_e_shifted
//     y = inv_sum_e_shifted*e_shifted
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

#include "../_runtime/host_rows.h"

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

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A row_max;
  A sum_e_shifted;
  A inv_sum_e_shifted;
};

// Stage 1 of 3: row_max = max(x)
template <class A, class S>
LNGEN_INLINE void row_max(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] = larger(sums[0], x);  // step 1: row_max
}

template <class A>
LNGEN_INLINE void after_row_max(Scalars<A>& row, const A (&sums)[1]) {
  const A row_max = finite(sums[0]);  // step 1: max(x)
  row.row_max = row_max;
}

// Stage 2 of 3: sum_e_shifted = sum(e_shifted)
template <class A, class S>
LNGEN_INLINE void sum_e_shifted(A x, const Scalars<S>& row, A (&sums)[1], A& kept_e_shifted) {
  const A row_max = row.row_max;
  const A x_shifted = x - row_max;  // step 2
  const A e_shifted = math::exp(x_shifted);  // step 3
  sums[0] += e_shifted;  // step 4: sum_e_shifted
  kept_e_shifted = e_shifted;
}

template <class A>
LNGEN_INLINE void after_sum_e_shifted(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_e_shifted = sums[0];  // step 4: sum(e_shifted)
  const A inv_sum_e_shifted = A(1) / sum_e_shifted;  // step 5
  row.sum_e_shifted = sum_e_shifted;
  row.inv_sum_e_shifted = inv_sum_e_shifted;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A e_shifted, const Scalars<S>& row, A& out_y) {
  const A inv_sum_e_shifted = row.inv_sum_e_shifted;
  const A y = e_shifted*inv_sum_e_shifted;  // step 6
  out_y = y;
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
          row_max(x, row, lanes);
        });
        after_row_max(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          A now_e_shifted;
          sum_e_shifted(x, row, lanes, now_e_shifted);
          write(kept_e_shifted + column, width, now_e_shifted);
        });
        after_sum_e_shifted(row, sums);
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

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A sum_dy_y;
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A, class S>
LNGEN_INLINE void sum_dy_y(A y, A dy, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] += dy*y;  // step 14: sum_dy_y
}

template <class A>
LNGEN_INLINE void after_sum_dy_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_dy_y = sums[0];  // step 14: sum(dy*y)
  row.sum_dy_y = sum_dy_y;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A y, A dy, const Scalars<S>& row, A& out_dx) {
  const A sum_dy_y = row.sum_dy_y;
  const A dx = (dy - sum_dy_y)*y;  // step 14
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
