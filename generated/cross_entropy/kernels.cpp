// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
// Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     logp = x - m - log_Z
//     sum_logp_target = sum(logp*target)
//     y = -sum_logp_target
// backward:
//     p = exp_shifted/Z
//     dx = dy*(p*sum(target) - target)
//     dtarget = -dy*logp
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Row* target, Row* out_y, Computed* save_m, Computed* save_Z, Computed*
//         save_log_Z, long long rows, int D)
//     backward_<type>(const Row* x, const Row* target, const Row* dy, const Computed* m, const Computed* Z_, const
//         Computed* log_Z, Row* out_dx, Row* out_dtarget, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.

#include "../_runtime/native/host_rows.h"

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_target = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  T* out_y;
  A* save_m;
  A* save_Z;
  A* save_log_Z;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A log_Z;
  A sum_logp_target;
  A y;
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

// Stage 2 of 3: Z_ = sum(exp_shifted)
template <class A, class S>
LNGEN_INLINE void Z_(A x, const Scalars<S>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  sums[0] += exp_shifted;  // step 4: Z_
}

template <class A>
LNGEN_INLINE void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = sums[0];  // step 4: sum(exp_shifted)
  const A log_Z = math::log(Z_);  // step 5
  row.Z_ = Z_;
  row.log_Z = log_Z;
}

// Stage 3 of 3: sum_logp_target = sum(logp*target)
template <class A, class S>
LNGEN_INLINE void sum_logp_target(A x, A target, const Scalars<S>& row, A (&sums)[1]) {
  const A log_Z = row.log_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A logp = x_shifted - log_Z;  // step 6
  sums[0] += logp*target;  // step 7: sum_logp_target
}

template <class A>
LNGEN_INLINE void after_sum_logp_target(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_logp_target = sums[0];  // step 7: sum(logp*target)
  const A y = -sum_logp_target;  // step 8
  row.sum_logp_target = sum_logp_target;
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
          Z_(x, row, lanes);
        });
        after_Z(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A target = READS_target ? read<S>(to.target + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_target && streams) prefetch(to.target + offset + D + column);
          sum_logp_target(x, target, row, lanes);
        });
        after_sum_logp_target(row, sums);
        to.out_y[i] = narrow<T>(row.y);
      }
      to.save_m[i] = row.m;
      to.save_Z[i] = row.Z_;
      to.save_log_Z[i] = row.log_Z;
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
       static_cast<Row*>(arrays[2]),
       static_cast<Computed*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_target = true;
constexpr bool READS_dy = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  const T* dy;
  const A* m;
  const A* Z_;
  const A* log_Z;
  T* out_dx;
  T* out_dtarget;
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
  A sum_target;
  A sum_target_scaled;
};

// Stage 1 of 2: sum_target = sum(target)
template <class A, class S>
LNGEN_INLINE void sum_target(A x, A target, const Scalars<S>& row, A (&sums)[1], A& out_dtarget) {
  const A dy = row.dy, log_Z = row.log_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A logp = x_shifted - log_Z;  // step 6
  const A dtarget = -logp*dy;  // step 33
  sums[0] += target;  // step 31: sum_target
  out_dtarget = dtarget;
}

template <class A>
LNGEN_INLINE void after_sum_target(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_target = sums[0];  // step 31: sum(target)
  const A sum_target_scaled = sum_target / Z_;  // step 31
  row.sum_target = sum_target;
  row.sum_target_scaled = sum_target_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A target, const Scalars<S>& row, A& out_dx) {
  const A dy = row.dy, m = row.m, sum_target_scaled = row.sum_target_scaled;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A dx = (exp_shifted*sum_target_scaled - target)*dy;  // step 31
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
  const bool streams_dtarget = streams && is_even(to.out_dtarget, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.m = to.m[i];
      row.Z_ = to.Z_[i];
      row.log_Z = to.log_Z[i];
      row.dy = READS_dy ? widen<S>(to.dy[i]) : A(0);
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A target = READS_target ? read<S>(to.target + offset + column, width) : A(0);
          A out_dtarget;
          sum_target(x, target, row, lanes, out_dtarget);
          write_once(to.out_dtarget + offset + column, width, out_dtarget, streams_dtarget);
        });
        after_sum_target(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A target = READS_target ? read<S>(to.target + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_target && streams) prefetch(to.target + offset + D + column);
          A out_dx;
          stage_2(x, target, row, out_dx);
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
       static_cast<const Row*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<Row*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
