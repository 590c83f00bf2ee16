// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
// Evidence: 1 output, 37 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     y = shift + xhat*(1 + scale)
// backward:
//     g = dy*(1 + scale)
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dscale = dy*xhat
//     dshift = dy
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Row* scale, const Row* shift, Computed eps, Row* out_y, Computed*
//         save_mu, Computed* save_mu_residual, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* scale, const Row* dy, const Computed* mu, const Computed*
//         mu_residual, const Computed* rstd, Row* out_dx, Row* out_dscale, Row* out_dshift, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.

#include "../_runtime/native/host_rows.h"

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_scale = true;
constexpr bool READS_shift = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* shift;
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
  A var;
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
  const A var = math::quotient(corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, D), D);  // step 3
  const A rstd = math::rsqrt(var + eps);  // step 4
  row.sum_x_shifted = sum_x_shifted;
  row.squares_x_shifted = squares_x_shifted;
  row.mu_residual = mu_residual;
  row.var = var;
  row.rstd = rstd;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A scale, A shift, const Scalars<S>& row, A& out_y) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A y = shift + (scale + A(1))*xhat;  // step 6
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
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A shift = READS_shift ? read<S>(to.shift + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_scale && streams) prefetch(to.scale + offset + D + column);
          if (READS_shift && streams) prefetch(to.shift + offset + D + column);
          A out_y;
          stage_3(x, scale, shift, row, out_y);
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
       static_cast<const Row*>(arrays[1]),
       static_cast<const Row*>(arrays[2]),
       Computed(numbers[0]),
       static_cast<Row*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
       static_cast<Computed*>(arrays[6]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_scale = true;
constexpr bool READS_dy = true;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* dy;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_dx;
  T* out_dscale;
  T* out_dshift;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_g;
  A mean_g_xhat;
};

// Stage 1 of 2: mean_g = mean(g); mean_g_xhat = mean(g*xhat)
template <class A, class S>
LNGEN_INLINE void mean_g_xhat(A x, A scale, A dy, const Scalars<S>& row, A (&sums)[2], A& out_dscale, A& out_dshift) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 7
  const A dscale = dy*xhat;  // step 21
  const A dshift = dy;  // step 22
  sums[0] += g;  // step 20: mean_g
  sums[1] += g*xhat;  // step 20: mean_g_xhat
  out_dscale = dscale;
  out_dshift = dshift;
}

template <class A>
LNGEN_INLINE void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_g = math::quotient(sums[0], row.D);  // step 20: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 20: mean(g*xhat)
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A scale, A dy, const Scalars<S>& row, A& out_dx) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 7
  const A dx = (g - mean_g - xhat*mean_g_xhat)*rstd;  // step 20
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
  const bool streams_dscale = streams && is_even(to.out_dscale, D);
  const bool streams_dshift = streams && is_even(to.out_dshift, D);
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
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          A out_dscale;
          A out_dshift;
          mean_g_xhat(x, scale, dy, row, lanes, out_dscale, out_dshift);
          write_once(to.out_dscale + offset + column, width, out_dscale, streams_dscale);
          write_once(to.out_dshift + offset + column, width, out_dshift, streams_dshift);
        });
        after_mean_g_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_scale && streams) prefetch(to.scale + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          A out_dx;
          stage_2(x, scale, dy, row, out_dx);
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
       static_cast<Row*>(arrays[8]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
