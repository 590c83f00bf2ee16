// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 12 steps, 22 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))
// backward_backward:
//     g = gamma*dy
//     mean_g_xhat = mean(g*xhat)
//     dmean_g_xhat = sum(-scale*ddx*xhat**3)
//     dg = scale*ddx + dmean_g_xhat*xhat/D
//     d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
//     d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
//     d2mean_x4 = -d2scale*scale**5/4
//     d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*xhat
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* scale, const Parameter* gamma, const Parameter*
//         gamma_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* scale, const
//         Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Computed* workspace, long long
//         rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddgamma
constexpr bool HAS_ddgamma = false;
#else
constexpr bool HAS_ddgamma = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif
#ifdef LNGEN_WITHOUT_gamma_dot
constexpr bool HAS_gamma_dot = false;
#else
constexpr bool HAS_gamma_dot = true;
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

constexpr bool READS_x = HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = HAS_gamma && HAS_x_dot;
constexpr bool READS_gamma_dot = HAS_gamma_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* scale;
  const P* gamma;
  const P* gamma_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_x_dot_xhat;
};

// Stage 1 of 2: mean_x_dot_xhat = mean(x_dot*xhat**3)
template <class A, class S>
LNGEN_INLINE void mean_x_dot_xhat(A x, A x_dot, const Scalars<S>& row, A (&sums)[1]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  if (HAS_x_dot) sums[0] += x_dot*math::power<3>(xhat);  // step 23: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_x_dot_xhat = math::quotient(sums[0], row.D);  // step 23: mean(x_dot*xhat**3)
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, A gamma, A gamma_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot_xhat = row.mean_x_dot_xhat, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A y_dot = (HAS_gamma_dot || HAS_x_dot) ? (HAS_gamma_dot ? xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot - xhat*mean_x_dot_xhat)*scale*gamma : A(0)) : A(0);  // step 23
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
      row.scale = to.scale[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
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
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, x_dot, gamma, gamma_dot, row, out_y_dot);
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

constexpr bool READS_x = HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = HAS_ddx && HAS_gamma;
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_ddx && HAS_gamma);

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* scale;
  const P* gamma;
  const P* ddgamma;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A mean_g_xhat;
  A dmean_g_xhat;
  A dmean_g_xhat_scaled;
  A mean_g_xhat_scaled;
  A sum_ddx_g_xhat;
  A sum_d2xhat_x;
  A d2scale;
  A d2scale_scaled;
  A d2mean_x4;
  A d2mean_x4_scaled;
};

// Stage 1 of 3: mean_g_xhat = mean(g*xhat); dmean_g_xhat = sum(-scale*ddx*xhat**3)
template <class A, class S>
LNGEN_INLINE void dmean_g_xhat(A x, A dy, A ddx, A gamma, const Scalars<S>& row, A (&sums)[2]) {
  const A scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 24
  if (HAS_ddx) sums[0] += g*xhat;  // step 25: mean_g_xhat
  if (HAS_ddx) sums[1] += -ddx*math::power<3>(xhat)*scale;  // step 28: dmean_g_xhat
}

template <class A>
LNGEN_INLINE void after_dmean_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, scale = row.scale;
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 25: mean(g*xhat)
  const A dmean_g_xhat = sums[1];  // step 28: sum(-scale*ddx*xhat**3)
  const A dmean_g_xhat_scaled = HAS_ddx ? math::quotient(dmean_g_xhat, D) : A(0);  // step 34
  const A mean_g_xhat_scaled = A(-3)*mean_g_xhat*scale;  // step 29
  row.mean_g_xhat = mean_g_xhat;
  row.dmean_g_xhat = dmean_g_xhat;
  row.dmean_g_xhat_scaled = dmean_g_xhat_scaled;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
}

// Stage 2 of 3: sum_ddx_g_xhat = sum(ddx*(-mean_g_xhat*xhat**3 + g)); sum_d2xhat_x = sum(d2xhat*x)
template <class A, class S>
LNGEN_INLINE void sum_d2xhat_x(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<S>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 24
  const A dg = HAS_ddx ? xhat*dmean_g_xhat_scaled + ddx*scale : A(0);  // step 34
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddx ? ddx*(xhat*xhat)*mean_g_xhat_scaled : A(0)) : A(0);  // step 29
  const A ddy = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)) : A(0);  // step 36
  if (HAS_ddx) sums[0] += (g - math::power<3>(xhat)*mean_g_xhat)*ddx;  // step 30: sum_ddx_g_xhat
  if (HAS_ddgamma || HAS_ddx) sums[1] += d2xhat*x;  // step 30: sum_d2xhat_x
  if (HAS_ddx && HAS_gamma) over_rows[0] = dg*dy;  // step 35: d2gamma
  out_ddy = ddy;
}

template <class A>
LNGEN_INLINE void after_sum_d2xhat_x(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D, scale = row.scale;
  const A sum_ddx_g_xhat = sums[0];  // step 30: sum(ddx*(-mean_g_xhat*xhat**3 + g))
  const A sum_d2xhat_x = sums[1];  // step 30: sum(d2xhat*x)
  const A d2scale = (HAS_ddgamma || HAS_ddx) ? sum_d2xhat_x + sum_ddx_g_xhat : A(0);  // step 30
  const A d2scale_scaled = (HAS_ddgamma || HAS_ddx) ? d2scale*scale : A(0);  // step 32
  const A d2mean_x4 = (HAS_ddgamma || HAS_ddx) ? A(-0.25)*d2scale_scaled*math::power<4>(scale) : A(0);  // step 32
  const A d2mean_x4_scaled = (HAS_ddgamma || HAS_ddx) ? math::quotient(A(4)*d2mean_x4, D) : A(0);  // step 33
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.sum_d2xhat_x = sum_d2xhat_x;
  row.d2scale = d2scale;
  row.d2scale_scaled = d2scale_scaled;
  row.d2mean_x4 = d2mean_x4;
  row.d2mean_x4_scaled = d2mean_x4_scaled;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<S>& row, A& out_d2x) {
  const A d2mean_x4_scaled = row.d2mean_x4_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mean_g_xhat_scaled = row.mean_g_xhat_scaled, scale = row.scale;
  const A xhat = x*scale;  // step 3
  const A g = dy*gamma;  // step 24
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddx ? ddx*(xhat*xhat)*mean_g_xhat_scaled : A(0)) : A(0);  // step 29
  const A d2x = (HAS_ddgamma || HAS_ddx) ? d2xhat*scale + math::power<3>(x)*d2mean_x4_scaled : A(0);  // step 33
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
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.scale = to.scale[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          dmean_g_xhat(x, dy, ddx, gamma, row, lanes);
        });
        after_dmean_g_xhat(row, sums);
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_ddy;
          sum_d2xhat_x(x, dy, ddx, gamma, ddgamma, row, lanes, over_rows, out_ddy);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_sum_d2xhat_x(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A out_d2x;
          stage_3(x, dy, ddx, gamma, ddgamma, row, out_d2x);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
        });
      }
      columns.end_row();
    }
    columns.end();
  }
  fence();
}

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  const P* ddgamma;
  P* out_dgamma;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A d2gamma, const Scalars<S>& row, A& out_d2gamma) {
  out_d2gamma = d2gamma;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(1, 0, D);
  Scalars<S> row;
  row.D = A(D);
  each_column<S>(D, [&](int column, auto width) {
    using A = Lanes<S>;
    const A d2gamma = HAS_ddx && HAS_gamma ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    A out_d2gamma;
    finish(d2gamma, row, out_d2gamma);
    if (HAS_gamma) write(to.out_dgamma + column, width, out_d2gamma);
  });
}

}  // namespace columns

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
       static_cast<Computed*>(arrays[8]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

extern "C" void backward_backward_columns(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward_backward::columns::work<Row, Computed>(
      {static_cast<Computed*>(arrays[0]),
       int(sizes[2]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<Computed*>(arrays[3]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
