// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
// Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     p = exp_shifted/Z
//     log_Z_dot = sum(p*x_dot)
//     y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))
// backward_backward:
//     mean_target = mean(target)
//     d2logp = -dy*ddtarget
//     p = exp_shifted/Z
//     d2x = d2logp + D*p*(dy*mean_target*(ddx - sum(ddx*p)) - mean(d2logp))
//     d2target = dy*(sum(ddx*p) - ddx)
//     ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* target, const Row* x_dot, const Row* target_dot, const Computed* m,
//         const Computed* Z_, const Computed* log_Z, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* target, const Row* dy, const Row* ddx, const Row*
//         ddtarget, const Computed* m, const Computed* Z_, const Computed* log_Z, Row* out_dx, Row* out_dtarget,
//         Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddtarget ddtarget is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_target_dot target_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddtarget
constexpr bool HAS_ddtarget = false;
#else
constexpr bool HAS_ddtarget = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_target_dot
constexpr bool HAS_target_dot = false;
#else
constexpr bool HAS_target_dot = true;
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

constexpr bool READS_x = HAS_target_dot || HAS_x_dot;
constexpr bool READS_target = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_target_dot = HAS_target_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  const T* x_dot;
  const T* target_dot;
  const A* m;
  const A* Z_;
  const A* log_Z;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A log_Z;
  A sum_exp_shifted_x_dot;
  A log_Z_dot;
  A sum_logp_target_target_dot;
  A y_dot;
};

// Stage 1 of 2: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
template <class A, class S>
LNGEN_INLINE void sum_exp_shifted_x_dot(A x, A x_dot, const Scalars<S>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  if (HAS_x_dot) sums[0] += exp_shifted*x_dot;  // step 40: sum_exp_shifted_x_dot
}

template <class A>
LNGEN_INLINE void after_sum_exp_shifted_x_dot(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_exp_shifted_x_dot = sums[0];  // step 40: sum(exp_shifted*x_dot)
  const A log_Z_dot = HAS_x_dot ? sum_exp_shifted_x_dot / Z_ : A(0);  // step 40
  row.sum_exp_shifted_x_dot = sum_exp_shifted_x_dot;
  row.log_Z_dot = log_Z_dot;
}

// Stage 2 of 2: sum_logp_target_target_dot = sum(logp*target_dot + target*(-log_Z_dot + x_dot))
template <class A, class S>
LNGEN_INLINE void sum_logp_target_target_dot(A x, A target, A x_dot, A target_dot, const Scalars<S>& row, A (&sums)[1]) {
  const A log_Z = row.log_Z, log_Z_dot = row.log_Z_dot, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A logp = x_shifted - log_Z;  // step 6
  if (HAS_target_dot || HAS_x_dot) sums[0] += (HAS_target_dot ? logp*target_dot : A(0)) + (HAS_x_dot ? (x_dot - log_Z_dot)*target : A(0));  // step 46: sum_logp_target_target_dot
}

template <class A>
LNGEN_INLINE void after_sum_logp_target_target_dot(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_logp_target_target_dot = sums[0];  // step 46: sum(logp*target_dot + target*(-log_Z_dot + x_dot))
  const A y_dot = (HAS_target_dot || HAS_x_dot) ? -sum_logp_target_target_dot : A(0);  // step 46
  row.sum_logp_target_target_dot = sum_logp_target_target_dot;
  row.y_dot = y_dot;
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
      row.m = to.m[i];
      row.Z_ = to.Z_[i];
      row.log_Z = to.log_Z[i];
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
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A target = READS_target ? read<S>(to.target + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A target_dot = READS_target_dot ? read<S>(to.target_dot + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_target && streams) prefetch(to.target + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          if (READS_target_dot && streams) prefetch(to.target_dot + offset + D + column);
          sum_logp_target_target_dot(x, target, x_dot, target_dot, row, lanes);
        });
        after_sum_logp_target_target_dot(row, sums);
        to.out_y_dot[i] = narrow<T>(row.y_dot);
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
       static_cast<const Row*>(arrays[2]),
       static_cast<const Row*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddtarget || HAS_ddx;
constexpr bool READS_target = HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddtarget = HAS_ddtarget;
constexpr bool READS_dy = HAS_ddtarget || HAS_ddx;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  const T* dy;
  const T* ddx;
  const T* ddtarget;
  const A* m;
  const A* Z_;
  const A* log_Z;
  T* out_dx;
  T* out_dtarget;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A m;
  A Z_;
  A log_Z;
  A Z_scaled;
  A mean_target;
  A mean_d2logp;
  A sum_ddx_exp_shifted;
  A mean_ddtarget_logp;
  A mean_target_scaled;
  A sum_ddx_exp_shifted_scaled;
  A mean_target_scaled_2;
  A mean_ddx_exp_shifted_target;
  A ddy;
};

// Stage 1 of 3
template <class A>
LNGEN_INLINE void after_stage_1(Scalars<A>& row) {
  const A D = row.D, Z_ = row.Z_;
  const A Z_scaled = D / Z_;  // step 68
  row.Z_scaled = Z_scaled;
}

// Stage 2 of 3: mean_target = mean(target); mean_d2logp = mean(d2logp); sum_ddx_exp_shifted = sum(ddx*exp_shifted); mean_ddtarget_logp = mean(ddtarget*logp)
template <class A, class S>
LNGEN_INLINE void mean_ddtarget_logp(A x, A target, A ddx, A ddtarget, const Scalars<S>& row, A (&sums)[4], A& kept_exp_shifted) {
  const A dy = row.dy, log_Z = row.log_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A logp = x_shifted - log_Z;  // step 6
  const A d2logp = HAS_ddtarget ? -ddtarget*dy : A(0);  // step 49
  if (HAS_ddx) sums[0] += target;  // step 47: mean_target
  if (HAS_ddtarget) sums[1] += d2logp;  // step 68: mean_d2logp
  if (HAS_ddx) sums[2] += ddx*exp_shifted;  // step 68: sum_ddx_exp_shifted
  if (HAS_ddtarget) sums[3] += ddtarget*logp;  // step 80: mean_ddtarget_logp
  kept_exp_shifted = exp_shifted;
}

template <class A>
LNGEN_INLINE void after_mean_ddtarget_logp(Scalars<A>& row, const A (&sums)[4]) {
  const A D = row.D, Z_ = row.Z_, dy = row.dy;
  const A mean_target = math::quotient(sums[0], row.D);  // step 47: mean(target)
  const A mean_d2logp = math::quotient(sums[1], row.D);  // step 68: mean(d2logp)
  const A sum_ddx_exp_shifted = sums[2];  // step 68: sum(ddx*exp_shifted)
  const A mean_ddtarget_logp = math::quotient(sums[3], row.D);  // step 80: mean(ddtarget*logp)
  const A mean_target_scaled = dy*mean_target;  // step 68
  const A sum_ddx_exp_shifted_scaled = HAS_ddx ? sum_ddx_exp_shifted / Z_ : A(0);  // step 68
  const A mean_target_scaled_2 = mean_target*D / Z_;  // step 80
  row.mean_target = mean_target;
  row.mean_d2logp = mean_d2logp;
  row.sum_ddx_exp_shifted = sum_ddx_exp_shifted;
  row.mean_ddtarget_logp = mean_ddtarget_logp;
  row.mean_target_scaled = mean_target_scaled;
  row.sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted_scaled;
  row.mean_target_scaled_2 = mean_target_scaled_2;
}

// Stage 3 of 3: mean_ddx_exp_shifted_target = mean(ddx*(mean_target_scaled_2*exp_shifted - target))
template <class A, class S>
LNGEN_INLINE void mean_ddx_exp_shifted_target(A target, A ddx, A ddtarget, A exp_shifted, const Scalars<S>& row, A (&sums)[1], A& out_d2x, A& out_d2target) {
  const A Z_scaled = row.Z_scaled, dy = row.dy, mean_d2logp = row.mean_d2logp, mean_target_scaled = row.mean_target_scaled, mean_target_scaled_2 = row.mean_target_scaled_2, sum_ddx_exp_shifted_scaled = row.sum_ddx_exp_shifted_scaled;
  const A d2logp = HAS_ddtarget ? -ddtarget*dy : A(0);  // step 49
  const A d2x = (HAS_ddtarget || HAS_ddx) ? d2logp + ((HAS_ddx ? (ddx - sum_ddx_exp_shifted_scaled)*mean_target_scaled : A(0)) - mean_d2logp)*exp_shifted*Z_scaled : A(0);  // step 68
  const A d2target = HAS_ddx ? (sum_ddx_exp_shifted_scaled - ddx)*dy : A(0);  // step 76
  if (HAS_ddx) sums[0] += ddx*(exp_shifted*mean_target_scaled_2 - target);  // step 80: mean_ddx_exp_shifted_target
  out_d2x = d2x;
  out_d2target = d2target;
}

template <class A>
LNGEN_INLINE void after_mean_ddx_exp_shifted_target(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D, mean_ddtarget_logp = row.mean_ddtarget_logp;
  const A mean_ddx_exp_shifted_target = math::quotient(sums[0], row.D);  // step 80: mean(ddx*(mean_target_scaled_2*exp_shifted - target))
  const A ddy = (HAS_ddtarget || HAS_ddx) ? (mean_ddx_exp_shifted_target - mean_ddtarget_logp)*D : A(0);  // step 80
  row.mean_ddx_exp_shifted_target = mean_ddx_exp_shifted_target;
  row.ddy = ddy;
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
  const bool streams_dtarget = streams && is_even(to.out_dtarget, D);
  Scratch<S> kept(1ll * D);
  S* const kept_exp_shifted = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.m = to.m[i];
      row.Z_ = to.Z_[i];
      row.log_Z = to.log_Z[i];
      row.dy = READS_dy ? widen<S>(to.dy[i]) : A(0);
      {
        after_stage_1(row);
      }
      {
        S sums[4];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A target = READS_target ? read<S>(to.target + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddtarget = READS_ddtarget ? read<S>(to.ddtarget + offset + column, width) : A(0);
          A now_exp_shifted;
          mean_ddtarget_logp(x, target, ddx, ddtarget, row, lanes, now_exp_shifted);
          write(kept_exp_shifted + column, width, now_exp_shifted);
        });
        after_mean_ddtarget_logp(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A target = READS_target ? read<S>(to.target + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddtarget = READS_ddtarget ? read<S>(to.ddtarget + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_target && streams) prefetch(to.target + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          if (READS_ddtarget && streams) prefetch(to.ddtarget + offset + D + column);
          const A exp_shifted = read<S>(kept_exp_shifted + column, width);
          A out_d2x;
          A out_d2target;
          mean_ddx_exp_shifted_target(target, ddx, ddtarget, exp_shifted, row, lanes, out_d2x, out_d2target);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
          write_once(to.out_dtarget + offset + column, width, out_d2target, streams_dtarget);
        });
        after_mean_ddx_exp_shifted_target(row, sums);
        to.out_ddy[i] = narrow<T>(row.ddy);
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
       static_cast<const Row*>(arrays[3]),
       static_cast<const Row*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<Row*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       static_cast<Row*>(arrays[10]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
