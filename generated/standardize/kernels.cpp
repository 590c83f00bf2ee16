// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
// Evidence: 1 output, 35 steps, 23 first lines, 2 identities, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4, 5; derivation.md says of what.
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     mu = mean(x)
//     sum_x2 = sum((x - mu)**2)
//     rstd = 1/sqrt(sum_x2/(D - 1) + eps)
//     y = rstd*(x - mu)
// backward:
//     dx = rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, Computed eps, Row* out_y, Computed* save_mu, Computed* save_mu_residual,
//         Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* mu, const Computed* mu_residual, const
//         Computed* rstd, Row* out_dx, long long rows, int D)
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
  A* save_mu;
  A* save_mu_residual;
  A* save_rstd;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A mu;
  A sum_x_shifted;
  A squares_x_shifted;
  A mu_residual;
  A sum_x2;
  A rstd;
};

// Stage 1 of 3: mu = mean(x)
template <class A, class S>
LNGEN_INLINE void mu(A x, const Scalars<S>& row, A (&sums)[1]) {
  sums[0] += x;  // step 1: mu
}

template <class A>
LNGEN_INLINE void after_mu(Scalars<A>& row, const A (&sums)[1]) {
  const A mu = math::quotient(sums[0], row.D);  // step 1: mean(x)
  row.mu = mu;
}

// Stage 2 of 3: sum_x_shifted = sum(x_shifted); squares_x_shifted = sum(x_shifted**2)
template <class A, class S>
LNGEN_INLINE void squares_x_shifted(A x, const Scalars<S>& row, A (&sums)[2]) {
  const A mu = row.mu;
  const A x_shifted = x - mu;  // step 2
  sums[0] += x_shifted;  // step 2: sum_x_shifted
  sums[1] += x_shifted*x_shifted;  // step 3: squares_x_shifted
}

template <class A>
LNGEN_INLINE void after_squares_x_shifted(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, eps = row.eps;
  const A sum_x_shifted = sums[0];  // step 2: sum(x_shifted)
  const A squares_x_shifted = sums[1];  // step 3: sum(x_shifted**2)
  const A mu_residual = math::quotient(sum_x_shifted, D);  // step 2
  const A sum_x2 = corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, D);  // step 3
  const A rstd = math::rsqrt(sum_x2 / (D - A(1)) + eps);  // step 4
  row.sum_x_shifted = sum_x_shifted;
  row.squares_x_shifted = squares_x_shifted;
  row.mu_residual = mu_residual;
  row.sum_x2 = sum_x2;
  row.rstd = rstd;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, const Scalars<S>& row, A& out_y) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
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
          mu(x, row, lanes);
        });
        after_mu(row, sums);
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          squares_x_shifted(x, row, lanes);
        });
        after_squares_x_shifted(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          A out_y;
          stage_3(x, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
      to.save_mu[i] = row.mu;
      to.save_mu_residual[i] = row.mu_residual;
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
       static_cast<Computed*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
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
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_dx;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_dy;
  A sum_dy_y;
  A sum_dy_y_scaled;
};

// Stage 1 of 2: mean_dy = mean(dy); sum_dy_y = sum(dy*y)
template <class A, class S>
LNGEN_INLINE void sum_dy_y(A x, A dy, const Scalars<S>& row, A (&sums)[2]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
  sums[0] += dy;  // step 18: mean_dy
  sums[1] += dy*y;  // step 18: sum_dy_y
}

template <class A>
LNGEN_INLINE void after_sum_dy_y(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D;
  const A mean_dy = math::quotient(sums[0], row.D);  // step 18: mean(dy)
  const A sum_dy_y = sums[1];  // step 18: sum(dy*y)
  const A sum_dy_y_scaled = sum_dy_y / (D - A(1));  // step 18
  row.mean_dy = mean_dy;
  row.sum_dy_y = sum_dy_y;
  row.sum_dy_y_scaled = sum_dy_y_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A dy, const Scalars<S>& row, A& out_dx) {
  const A mean_dy = row.mean_dy, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd, sum_dy_y_scaled = row.sum_dy_y_scaled;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
  const A dx = (dy - mean_dy - y*sum_dy_y_scaled)*rstd;  // step 18
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
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<Row*>(arrays[5]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
