// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
// Evidence: 1 output, 37 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + scale)
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - xhat*mean(d2xhat_part*xhat))
//     d2scale = dg*dy
//     d2shift = 0
//     ddy = ddshift + ddscale*xhat + dg*(1 + scale)
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* scale, const Row* x_dot, const Row* scale_dot, const Row* shift_dot,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row* out_y_dot, long long rows,
//         int D)
//     backward_backward_<type>(const Row* x, const Row* scale, const Row* dy, const Row* ddx, const Row* ddscale,
//         const Row* ddshift, const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row* out_dx,
//         Row* out_dscale, Row* out_dshift, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddscale  ddscale is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddshift  ddshift is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_scale_dot scale_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_shift_dot shift_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddscale
constexpr bool HAS_ddscale = false;
#else
constexpr bool HAS_ddscale = true;
#endif
#ifdef LNGEN_WITHOUT_ddshift
constexpr bool HAS_ddshift = false;
#else
constexpr bool HAS_ddshift = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_scale_dot
constexpr bool HAS_scale_dot = false;
#else
constexpr bool HAS_scale_dot = true;
#endif
#ifdef LNGEN_WITHOUT_shift_dot
constexpr bool HAS_shift_dot = false;
#else
constexpr bool HAS_shift_dot = true;
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

constexpr bool READS_x = HAS_scale_dot || HAS_x_dot;
constexpr bool READS_scale = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_scale_dot = HAS_scale_dot;
constexpr bool READS_shift_dot = HAS_shift_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* x_dot;
  const T* scale_dot;
  const T* shift_dot;
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
  A mean_x_dot_xhat;
};

// Stage 1 of 2: mean_x_dot = mean(x_dot); mean_x_dot_xhat = mean(x_dot*xhat)
template <class A, class S>
LNGEN_INLINE void mean_x_dot_xhat(A x, A x_dot, const Scalars<S>& row, A (&sums)[2]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  if (HAS_x_dot) sums[0] += x_dot;  // step 37: mean_x_dot
  if (HAS_x_dot) sums[1] += x_dot*xhat;  // step 37: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_x_dot = math::quotient(sums[0], row.D);  // step 37: mean(x_dot)
  const A mean_x_dot_xhat = math::quotient(sums[1], row.D);  // step 37: mean(x_dot*xhat)
  row.mean_x_dot = mean_x_dot;
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A scale, A x_dot, A scale_dot, A shift_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot = row.mean_x_dot, mean_x_dot_xhat = row.mean_x_dot_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A y_dot = (HAS_scale_dot || HAS_shift_dot || HAS_x_dot) ? shift_dot + (HAS_scale_dot ? scale_dot*xhat : A(0)) + (HAS_x_dot ? (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*(scale + A(1))*rstd : A(0)) : A(0);  // step 37
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
          mean_x_dot_xhat(x, x_dot, row, lanes);
        });
        after_mean_x_dot_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A scale_dot = READS_scale_dot ? read<S>(to.scale_dot + offset + column, width) : A(0);
          const A shift_dot = READS_shift_dot ? read<S>(to.shift_dot + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_scale && streams) prefetch(to.scale + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          if (READS_scale_dot && streams) prefetch(to.scale_dot + offset + D + column);
          if (READS_shift_dot && streams) prefetch(to.shift_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, scale, x_dot, scale_dot, shift_dot, row, out_y_dot);
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
       static_cast<const Row*>(arrays[2]),
       static_cast<const Row*>(arrays[3]),
       static_cast<const Row*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<Row*>(arrays[8]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddscale || HAS_ddx;
constexpr bool READS_scale = HAS_ddx;
constexpr bool READS_dy = HAS_ddscale || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddscale = HAS_ddscale;
constexpr bool READS_ddshift = HAS_ddshift;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* scale;
  const T* dy;
  const T* ddx;
  const T* ddscale;
  const T* ddshift;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  T* out_dx;
  T* out_dscale;
  T* out_dshift;
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
  A mean_g;
  A mean_g_xhat;
  A mean_ddx;
  A mean_ddx_xhat;
  A mean_ddx_g;
  A mean_g_xhat_scaled;
  A mean_g_xhat_scaled_2;
  A mean_ddx_scaled;
  A mean_d2xhat_part;
  A mean_d2xhat_part_xhat;
};

// Stage 1 of 3: mean_g = mean(g); mean_g_xhat = mean(g*xhat); mean_ddx = mean(ddx); mean_ddx_xhat = mean(ddx*xhat); mean_ddx_g = mean(ddx*g)
template <class A, class S>
LNGEN_INLINE void mean_ddx_g(A x, A scale, A dy, A ddx, const Scalars<S>& row, A (&sums)[5], A& out_d2shift) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 38
  const A d2shift = A(0);  // step 72
  if (HAS_ddx) sums[0] += g;  // step 39: mean_g
  if (HAS_ddx) sums[1] += g*xhat;  // step 40: mean_g_xhat
  if (HAS_ddx) sums[2] += ddx;  // step 70: mean_ddx
  if (HAS_ddx) sums[3] += ddx*xhat;  // step 70: mean_ddx_xhat
  if (HAS_ddx) sums[4] += ddx*g;  // step 62: mean_ddx_g
  out_d2shift = d2shift;
}

template <class A>
LNGEN_INLINE void after_mean_ddx_g(Scalars<A>& row, const A (&sums)[5]) {
  const A rstd = row.rstd;
  const A mean_g = math::quotient(sums[0], row.D);  // step 39: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 40: mean(g*xhat)
  const A mean_ddx = math::quotient(sums[2], row.D);  // step 70: mean(ddx)
  const A mean_ddx_xhat = math::quotient(sums[3], row.D);  // step 70: mean(ddx*xhat)
  const A mean_ddx_g = math::quotient(sums[4], row.D);  // step 62: mean(ddx*g)
  const A mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 43
  const A mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 62
  const A mean_ddx_scaled = HAS_ddx ? mean_ddx*mean_g : A(0);  // step 62
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddx = mean_ddx;
  row.mean_ddx_xhat = mean_ddx_xhat;
  row.mean_ddx_g = mean_ddx_g;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
  row.mean_g_xhat_scaled_2 = mean_g_xhat_scaled_2;
  row.mean_ddx_scaled = mean_ddx_scaled;
}

// Stage 2 of 3: mean_d2xhat_part = mean(d2xhat_part); mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
template <class A, class S>
LNGEN_INLINE void mean_d2xhat_part_xhat(A x, A scale, A dy, A ddx, A ddscale, A ddshift, const Scalars<S>& row, A (&sums)[2], A& out_d2scale, A& out_ddy) {
  const A mean_ddx = row.mean_ddx, mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A dg = HAS_ddx ? (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd : A(0);  // step 70
  const A d2xhat_part = (HAS_ddscale || HAS_ddx) ? (HAS_ddscale ? ddscale*dy : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 43
  const A d2scale = HAS_ddx ? dg*dy : A(0);  // step 71
  const A ddy = (HAS_ddscale || HAS_ddshift || HAS_ddx) ? ddshift + (HAS_ddscale ? ddscale*xhat : A(0)) + (HAS_ddx ? dg*(scale + A(1)) : A(0)) : A(0);  // step 76
  if (HAS_ddscale || HAS_ddx) sums[0] += d2xhat_part;  // step 62: mean_d2xhat_part
  if (HAS_ddscale || HAS_ddx) sums[1] += d2xhat_part*xhat;  // step 62: mean_d2xhat_part_xhat
  out_d2scale = d2scale;
  out_ddy = ddy;
}

template <class A>
LNGEN_INLINE void after_mean_d2xhat_part_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_d2xhat_part = math::quotient(sums[0], row.D);  // step 62: mean(d2xhat_part)
  const A mean_d2xhat_part_xhat = math::quotient(sums[1], row.D);  // step 62: mean(d2xhat_part*xhat)
  row.mean_d2xhat_part = mean_d2xhat_part;
  row.mean_d2xhat_part_xhat = mean_d2xhat_part_xhat;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A scale, A dy, A ddx, A ddscale, const Scalars<S>& row, A& out_d2x) {
  const A mean_d2xhat_part = row.mean_d2xhat_part, mean_d2xhat_part_xhat = row.mean_d2xhat_part_xhat, mean_ddx_g = row.mean_ddx_g, mean_ddx_scaled = row.mean_ddx_scaled, mean_ddx_xhat = row.mean_ddx_xhat, mean_g = row.mean_g, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mean_g_xhat_scaled_2 = row.mean_g_xhat_scaled_2, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*(scale + A(1));  // step 38
  const A d2xhat_part = (HAS_ddscale || HAS_ddx) ? (HAS_ddscale ? ddscale*dy : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 43
  const A d2x = (HAS_ddscale || HAS_ddx) ? (d2xhat_part + (HAS_ddx ? (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd : A(0)) - mean_d2xhat_part - xhat*mean_d2xhat_part_xhat)*rstd : A(0);  // step 62
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
  const bool streams_dshift = streams && is_even(to.out_dshift, D);
  const bool streams_dscale = streams && is_even(to.out_dscale, D);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[5];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          A out_d2shift;
          mean_ddx_g(x, scale, dy, ddx, row, lanes, out_d2shift);
          write_once(to.out_dshift + offset + column, width, out_d2shift, streams_dshift);
        });
        after_mean_ddx_g(row, sums);
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddscale = READS_ddscale ? read<S>(to.ddscale + offset + column, width) : A(0);
          const A ddshift = READS_ddshift ? read<S>(to.ddshift + offset + column, width) : A(0);
          A out_d2scale;
          A out_ddy;
          mean_d2xhat_part_xhat(x, scale, dy, ddx, ddscale, ddshift, row, lanes, out_d2scale, out_ddy);
          write_once(to.out_dscale + offset + column, width, out_d2scale, streams_dscale);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_mean_d2xhat_part_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A scale = READS_scale ? read<S>(to.scale + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddscale = READS_ddscale ? read<S>(to.ddscale + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_scale && streams) prefetch(to.scale + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          if (READS_ddscale && streams) prefetch(to.ddscale + offset + D + column);
          if (READS_ddshift && streams) prefetch(to.ddshift + offset + D + column);
          A out_d2x;
          stage_3(x, scale, dy, ddx, ddscale, row, out_d2x);
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
       static_cast<const Row*>(arrays[3]),
       static_cast<const Row*>(arrays[4]),
       static_cast<const Row*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       static_cast<Row*>(arrays[10]),
       static_cast<Row*>(arrays[11]),
       static_cast<Row*>(arrays[12]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
