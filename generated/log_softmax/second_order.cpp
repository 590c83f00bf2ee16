// The logarithm of softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of log_softmax.
// Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 5 flops per row element.
// Evidence: 1 output, 23 steps, 18 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     p = exp_shifted/Z
//     log_Z_dot = sum(p*x_dot)
//     y_dot = x_dot - log_Z_dot
// backward_backward:
//     mean_dy = mean(dy)
//     p = exp_shifted/Z
//     d2x = D*mean_dy*p*(sum(ddx*p) - ddx)
//     ddy = ddx - sum(ddx*p)
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* m, const Computed* Z_, Row* out_y_dot, long long
//         rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* m, const Computed* Z_,
//         Row* out_dx, Row* out_ddy, long long rows, int D)
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

constexpr bool READS_x = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* m;
  const A* Z_;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A sum_exp_shifted_x_dot;
  A log_Z_dot;
};

// Stage 1 of 2: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
template <class A, class S>
LNGEN_INLINE void sum_exp_shifted_x_dot(A x, A x_dot, const Scalars<S>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  if (HAS_x_dot) sums[0] += exp_shifted*x_dot;  // step 30: sum_exp_shifted_x_dot
}

template <class A>
LNGEN_INLINE void after_sum_exp_shifted_x_dot(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_exp_shifted_x_dot = sums[0];  // step 30: sum(exp_shifted*x_dot)
  const A log_Z_dot = HAS_x_dot ? sum_exp_shifted_x_dot / Z_ : A(0);  // step 30
  row.sum_exp_shifted_x_dot = sum_exp_shifted_x_dot;
  row.log_Z_dot = log_Z_dot;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x_dot, const Scalars<S>& row, A& out_y_dot) {
  const A log_Z_dot = row.log_Z_dot;
  const A y_dot = HAS_x_dot ? x_dot - log_Z_dot : A(0);  // step 31
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
      row.m = to.m[i];
      row.Z_ = to.Z_[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          sum_exp_shifted_x_dot(x, x_dot, row, lanes);
        });
        after_sum_exp_shifted_x_dot(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(x_dot, row, out_y_dot);
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
       static_cast<const Computed*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<Row*>(arrays[4]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddx;
constexpr bool READS_dy = HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* m;
  const A* Z_;
  T* out_dx;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A mean_dy;
  A sum_ddx_exp_shifted;
  A mean_dy_scaled;
  A sum_ddx_exp_shifted_scaled;
};

// Stage 1 of 2: mean_dy = mean(dy); sum_ddx_exp_shifted = sum(ddx*exp_shifted)
template <class A, class S>
LNGEN_INLINE void sum_ddx_exp_shifted(A x, A dy, A ddx, const Scalars<S>& row, A (&sums)[2], A& kept_exp_shifted) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  if (HAS_ddx) sums[0] += dy;  // step 32: mean_dy
  if (HAS_ddx) sums[1] += ddx*exp_shifted;  // step 45: sum_ddx_exp_shifted
  kept_exp_shifted = exp_shifted;
}

template <class A>
LNGEN_INLINE void after_sum_ddx_exp_shifted(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, Z_ = row.Z_;
  const A mean_dy = math::quotient(sums[0], row.D);  // step 32: mean(dy)
  const A sum_ddx_exp_shifted = sums[1];  // step 45: sum(ddx*exp_shifted)
  const A mean_dy_scaled = mean_dy*D / Z_;  // step 45
  const A sum_ddx_exp_shifted_scaled = HAS_ddx ? sum_ddx_exp_shifted / Z_ : A(0);  // step 45
  row.mean_dy = mean_dy;
  row.sum_ddx_exp_shifted = sum_ddx_exp_shifted;
  row.mean_dy_scaled = mean_dy_scaled;
  row.sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A ddx, A exp_shifted, const Scalars<S>& row, A& out_d2x, A& out_ddy) {
  const A mean_dy_scaled = row.mean_dy_scaled, sum_ddx_exp_shifted_scaled = row.sum_ddx_exp_shifted_scaled;
  const A d2x = HAS_ddx ? exp_shifted*(sum_ddx_exp_shifted_scaled - ddx)*mean_dy_scaled : A(0);  // step 45
  const A ddy = HAS_ddx ? ddx - sum_ddx_exp_shifted_scaled : A(0);  // step 50
  out_d2x = d2x;
  out_ddy = ddy;
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
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  Scratch<S> kept(1ll * D);
  S* const kept_exp_shifted = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.m = to.m[i];
      row.Z_ = to.Z_[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          A now_exp_shifted;
          sum_ddx_exp_shifted(x, dy, ddx, row, lanes, now_exp_shifted);
          write(kept_exp_shifted + column, width, now_exp_shifted);
        });
        after_sum_ddx_exp_shifted(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          const A exp_shifted = read<S>(kept_exp_shifted + column, width);
          A out_d2x;
          A out_ddy;
          stage_2(ddx, exp_shifted, row, out_d2x, out_ddy);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<Row*>(arrays[5]),
       static_cast<Row*>(arrays[6]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
