// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
// Evidence: 1 output, 35 steps, 23 first lines, 2 identities, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4, 5; derivation.md says of what.
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = rstd*(x_dot - mean(x_dot) - y*sum(x_dot*y)/(D - 1))
// backward_backward:
//     mean_dy = mean(dy)
//     mean_dy_y = mean(dy*y)
//     d2x = D*rstd**2*(mean_dy*y*mean(ddx) + mean(ddx*y)*(3*D*mean_dy_y*y/(D - 1) + mean_dy - dy) - y*mean(ddx*dy) - mean_dy_y*(ddx - mean(ddx)))/(D - 1)
//     ddy = rstd*(ddx - mean(ddx) - y*sum(ddx*y)/(D - 1))
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* mu, const Computed* mu_residual, const Computed*
//         rstd, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* mu, const Computed*
//         mu_residual, const Computed* rstd, Row* out_dx, Row* out_ddy, long long rows, int D)
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
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_x_dot;
  A sum_x_dot_y;
  A sum_x_dot_y_scaled;
};

// Stage 1 of 2: mean_x_dot = mean(x_dot); sum_x_dot_y = sum(x_dot*y)
template <class A, class S>
LNGEN_INLINE void sum_x_dot_y(A x, A x_dot, const Scalars<S>& row, A (&sums)[2]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
  if (HAS_x_dot) sums[0] += x_dot;  // step 31: mean_x_dot
  if (HAS_x_dot) sums[1] += x_dot*y;  // step 31: sum_x_dot_y
}

template <class A>
LNGEN_INLINE void after_sum_x_dot_y(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D;
  const A mean_x_dot = math::quotient(sums[0], row.D);  // step 31: mean(x_dot)
  const A sum_x_dot_y = sums[1];  // step 31: sum(x_dot*y)
  const A sum_x_dot_y_scaled = HAS_x_dot ? sum_x_dot_y / (D - A(1)) : A(0);  // step 31
  row.mean_x_dot = mean_x_dot;
  row.sum_x_dot_y = sum_x_dot_y;
  row.sum_x_dot_y_scaled = sum_x_dot_y_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot = row.mean_x_dot, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd, sum_x_dot_y_scaled = row.sum_x_dot_y_scaled;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
  const A y_dot = HAS_x_dot ? (x_dot - mean_x_dot - y*sum_x_dot_y_scaled)*rstd : A(0);  // step 31
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
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          sum_x_dot_y(x, x_dot, row, lanes);
        });
        after_sum_x_dot_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, x_dot, row, out_y_dot);
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
       static_cast<const Computed*>(arrays[4]),
       static_cast<Row*>(arrays[5]),
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
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_dx;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A rstd_scaled;
  A mean_dy;
  A mean_dy_y;
  A mean_ddx_y;
  A mean_ddx;
  A mean_ddx_dy;
  A sum_ddx_y;
  A mean_dy_y_scaled;
  A mean_ddx_scaled;
  A sum_ddx_y_scaled;
};

// Stage 1 of 3
template <class A>
LNGEN_INLINE void after_stage_1(Scalars<A>& row) {
  const A D = row.D, rstd = row.rstd;
  const A rstd_scaled = (rstd*rstd)*D / (D - A(1));  // step 55
  row.rstd_scaled = rstd_scaled;
}

// Stage 2 of 3: mean_dy = mean(dy); mean_dy_y = mean(dy*y); mean_ddx_y = mean(ddx*y); mean_ddx = mean(ddx); mean_ddx_dy = mean(ddx*dy); sum_ddx_y = sum(ddx*y)
template <class A, class S>
LNGEN_INLINE void sum_ddx_y(A x, A dy, A ddx, const Scalars<S>& row, A (&sums)[6]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
  if (HAS_ddx) sums[0] += dy;  // step 32: mean_dy
  if (HAS_ddx) sums[1] += dy*y;  // step 33: mean_dy_y
  if (HAS_ddx) sums[2] += ddx*y;  // step 55: mean_ddx_y
  if (HAS_ddx) sums[3] += ddx;  // step 55: mean_ddx
  if (HAS_ddx) sums[4] += ddx*dy;  // step 55: mean_ddx_dy
  if (HAS_ddx) sums[5] += ddx*y;  // step 63: sum_ddx_y
}

template <class A>
LNGEN_INLINE void after_sum_ddx_y(Scalars<A>& row, const A (&sums)[6]) {
  const A D = row.D;
  const A mean_dy = math::quotient(sums[0], row.D);  // step 32: mean(dy)
  const A mean_dy_y = math::quotient(sums[1], row.D);  // step 33: mean(dy*y)
  const A mean_ddx_y = math::quotient(sums[2], row.D);  // step 55: mean(ddx*y)
  const A mean_ddx = math::quotient(sums[3], row.D);  // step 55: mean(ddx)
  const A mean_ddx_dy = math::quotient(sums[4], row.D);  // step 55: mean(ddx*dy)
  const A sum_ddx_y = sums[5];  // step 63: sum(ddx*y)
  const A mean_dy_y_scaled = A(3)*mean_dy_y*D / (D - A(1));  // step 55
  const A mean_ddx_scaled = HAS_ddx ? mean_ddx*mean_dy : A(0);  // step 55
  const A sum_ddx_y_scaled = HAS_ddx ? sum_ddx_y / (D - A(1)) : A(0);  // step 63
  row.mean_dy = mean_dy;
  row.mean_dy_y = mean_dy_y;
  row.mean_ddx_y = mean_ddx_y;
  row.mean_ddx = mean_ddx;
  row.mean_ddx_dy = mean_ddx_dy;
  row.sum_ddx_y = sum_ddx_y;
  row.mean_dy_y_scaled = mean_dy_y_scaled;
  row.mean_ddx_scaled = mean_ddx_scaled;
  row.sum_ddx_y_scaled = sum_ddx_y_scaled;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A dy, A ddx, const Scalars<S>& row, A& out_d2x, A& out_ddy) {
  const A mean_ddx = row.mean_ddx, mean_ddx_dy = row.mean_ddx_dy, mean_ddx_scaled = row.mean_ddx_scaled, mean_ddx_y = row.mean_ddx_y, mean_dy = row.mean_dy, mean_dy_y = row.mean_dy_y, mean_dy_y_scaled = row.mean_dy_y_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd, rstd_scaled = row.rstd_scaled, sum_ddx_y_scaled = row.sum_ddx_y_scaled;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A y = x_centred*rstd;  // step 5
  const A d2x = HAS_ddx ? (y*mean_ddx_scaled + (y*mean_dy_y_scaled + mean_dy - dy)*mean_ddx_y - y*mean_ddx_dy - (ddx - mean_ddx)*mean_dy_y)*rstd_scaled : A(0);  // step 55
  const A ddy = HAS_ddx ? (ddx - mean_ddx - y*sum_ddx_y_scaled)*rstd : A(0);  // step 63
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
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        after_stage_1(row);
      }
      {
        S sums[6];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          sum_ddx_y(x, dy, ddx, row, lanes);
        });
        after_sum_ddx_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A out_d2x;
          A out_ddy;
          stage_3(x, dy, ddx, row, out_d2x, out_ddy);
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
       static_cast<const Computed*>(arrays[5]),
       static_cast<Row*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
