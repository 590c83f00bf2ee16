// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
// Evidence: 1 output, 31 steps, 20 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = y*(x_dot - sum(x_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     d2y_part = ddx*(dy - D*mean_dy_y)
//     d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
//     ddy = y*(ddx - sum(ddx*y))
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* y, const Row* x_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* y, const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy, long long
//         rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_x_dot
constexpr bool HAS_x_dot = false;
#else
constexpr bool HAS_x_dot = true;
#endif

}  // namespace lngen

// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_y = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;

template <class T, class P, class A> struct Arguments {
  const T* y;
  const T* x_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A sum_x_dot_y;
};

// Stage 1 of 2: sum_x_dot_y = sum(x_dot*y)
template <class A, class S>
LNGEN_INLINE void sum_x_dot_y(A y, A x_dot, const Scalars<S>& row, A (&sums)[1]) {
  if (HAS_x_dot) sums[0] += x_dot*y;  // step 31: sum_x_dot_y
}

template <class A>
LNGEN_INLINE void after_sum_x_dot_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_x_dot_y = sums[0];  // step 31: sum(x_dot*y)
  row.sum_x_dot_y = sum_x_dot_y;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A y, A x_dot, const Scalars<S>& row, A& out_y_dot) {
  const A sum_x_dot_y = row.sum_x_dot_y;
  const A y_dot = HAS_x_dot ? (x_dot - sum_x_dot_y)*y : A(0);  // step 31
  out_y_dot = y_dot;
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
  const bool streams_y_dot = streams && is_even(to.out_y_dot, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          sum_x_dot_y(y, x_dot, row, lanes);
        });
        after_sum_x_dot_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          if (READS_y && streams) prefetch(to.y + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(y, x_dot, row, out_y_dot);
          write_once(to.out_y_dot + offset + column, width, out_y_dot, streams_y_dot);
        });
      }
    }
  }
  fence();
}

}  // namespace jvp
}  // namespace lngen

extern "C" void jvp(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::jvp::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<Row*>(arrays[2]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_y = HAS_ddx;
constexpr bool READS_dy = HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;

template <class T, class P, class A> struct Arguments {
  const T* y;
  const T* dy;
  const T* ddx;
  T* out_dx;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mean_dy_y;
  A mean_ddx_y;
  A sum_ddx_y;
  A mean_dy_y_scaled;
  A mean_d2y_part_y;
};

// Stage 1 of 3: mean_dy_y = mean(dy*y); mean_ddx_y = mean(ddx*y); sum_ddx_y = sum(ddx*y)
template <class A, class S>
LNGEN_INLINE void sum_ddx_y(A y, A dy, A ddx, const Scalars<S>& row, A (&sums)[3]) {
  if (HAS_ddx) sums[0] += dy*y;  // step 32: mean_dy_y
  if (HAS_ddx) sums[1] += ddx*y;  // step 51: mean_ddx_y
  if (HAS_ddx) sums[2] += ddx*y;  // step 57: sum_ddx_y
}

template <class A>
LNGEN_INLINE void after_sum_ddx_y(Scalars<A>& row, const A (&sums)[3]) {
  const A D = row.D;
  const A mean_dy_y = math::quotient(sums[0], row.D);  // step 32: mean(dy*y)
  const A mean_ddx_y = math::quotient(sums[1], row.D);  // step 51: mean(ddx*y)
  const A sum_ddx_y = sums[2];  // step 57: sum(ddx*y)
  const A mean_dy_y_scaled = mean_dy_y*D;  // step 34
  row.mean_dy_y = mean_dy_y;
  row.mean_ddx_y = mean_ddx_y;
  row.sum_ddx_y = sum_ddx_y;
  row.mean_dy_y_scaled = mean_dy_y_scaled;
}

// Stage 2 of 3: mean_d2y_part_y = mean(d2y_part*y)
template <class A, class S>
LNGEN_INLINE void mean_d2y_part_y(A y, A dy, A ddx, const Scalars<S>& row, A (&sums)[1], A& out_ddy) {
  const A mean_dy_y_scaled = row.mean_dy_y_scaled, sum_ddx_y = row.sum_ddx_y;
  const A d2y_part = HAS_ddx ? (dy - mean_dy_y_scaled)*ddx : A(0);  // step 34
  const A ddy = HAS_ddx ? (ddx - sum_ddx_y)*y : A(0);  // step 57
  if (HAS_ddx) sums[0] += d2y_part*y;  // step 51: mean_d2y_part_y
  out_ddy = ddy;
}

template <class A>
LNGEN_INLINE void after_mean_d2y_part_y(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_d2y_part_y = math::quotient(sums[0], row.D);  // step 51: mean(d2y_part*y)
  row.mean_d2y_part_y = mean_d2y_part_y;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A y, A dy, A ddx, const Scalars<S>& row, A& out_d2x) {
  const A D = row.D, mean_d2y_part_y = row.mean_d2y_part_y, mean_ddx_y = row.mean_ddx_y, mean_dy_y_scaled = row.mean_dy_y_scaled;
  const A d2y_part = HAS_ddx ? (dy - mean_dy_y_scaled)*ddx : A(0);  // step 34
  const A d2x = HAS_ddx ? (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddx_y - mean_d2y_part_y)*D)*y : A(0);  // step 51
  out_d2x = d2x;
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
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[3];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          sum_ddx_y(y, dy, ddx, row, lanes);
        });
        after_sum_ddx_y(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          A out_ddy;
          mean_d2y_part_y(y, dy, ddx, row, lanes, out_ddy);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_mean_d2y_part_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A y = READS_y ? read<S>(to.y + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          if (READS_y && streams) prefetch(to.y + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A out_d2x;
          stage_3(y, dy, ddx, row, out_d2x);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
        });
      }
    }
  }
  fence();
}

}  // namespace backward_backward
}  // namespace lngen

extern "C" void backward_backward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward_backward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<const Row*>(arrays[2]),
       static_cast<Row*>(arrays[3]),
       static_cast<Row*>(arrays[4]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
