// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 20 flops per row element.
// Evidence: 1 output, 39 steps, 34 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 - sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = gamma*dy*silu_z
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2silu_z = dy*(gamma*dg + ddgamma*xhat)
//     d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
//     d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
//     d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
//     ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)))
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* z, const Row* x_dot, const Row* z_dot, const Computed* rstd, const
//         Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* z, const Row* dy, const Row* ddx, const Row* ddz, const
//         Computed* rstd, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_dz, Row*
//         out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddz      ddz is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_z_dot    z_dot is left out; it and its gradient are compiled away

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
#ifdef LNGEN_WITHOUT_ddz
constexpr bool HAS_ddz = false;
#else
constexpr bool HAS_ddz = true;
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
#ifdef LNGEN_WITHOUT_z_dot
constexpr bool HAS_z_dot = false;
#else
constexpr bool HAS_z_dot = true;
#endif

}  // namespace lngen

// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_gamma_dot || HAS_x_dot || HAS_z_dot;
constexpr bool READS_z = HAS_gamma_dot || HAS_x_dot || HAS_z_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_z_dot = HAS_z_dot;
constexpr bool READS_gamma = (HAS_gamma && HAS_x_dot) || (HAS_gamma && HAS_z_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* x_dot;
  const T* z_dot;
  const A* rstd;
  const P* gamma;
  const P* gamma_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_x_dot_xhat;
};

// Stage 1 of 2: mean_x_dot_xhat = mean(x_dot*xhat)
template <class A, class S>
LNGEN_INLINE void mean_x_dot_xhat(A x, A x_dot, const Scalars<S>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  if (HAS_x_dot) sums[0] += x_dot*xhat;  // step 36: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_x_dot_xhat = math::quotient(sums[0], row.D);  // step 36: mean(x_dot*xhat)
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A z, A x_dot, A z_dot, A gamma, A gamma_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot_xhat = row.mean_x_dot_xhat, rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A y_dot = (HAS_gamma_dot || HAS_x_dot || HAS_z_dot) ? (HAS_gamma_dot ? silu_z*xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot - xhat*mean_x_dot_xhat)*silu_z*rstd*gamma : A(0)) + (HAS_z_dot ? sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1))*z_dot*gamma : A(0)) : A(0);  // step 36
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
      row.rstd = to.rstd[i];
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
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A z_dot = READS_z_dot ? read<S>(to.z_dot + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_z && streams) prefetch(to.z + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          if (READS_z_dot && streams) prefetch(to.z_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, z, x_dot, z_dot, gamma, gamma_dot, row, out_y_dot);
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

constexpr bool READS_x = HAS_ddgamma || HAS_ddx || HAS_ddz;
constexpr bool READS_z = HAS_ddgamma || HAS_ddx || HAS_ddz;
constexpr bool READS_dy = HAS_ddgamma || HAS_ddx || HAS_ddz;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddz = HAS_ddz;
constexpr bool READS_gamma = (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma);
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma));

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* dy;
  const T* ddx;
  const T* ddz;
  const A* rstd;
  const P* gamma;
  const P* ddgamma;
  T* out_dx;
  T* out_dz;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_xhat;
  A mean_ddx_xhat;
  A mean_ddx_g;
  A mean_ddgamma_dy_silu_z;
  A mean_g_xhat_scaled;
  A mean_g_xhat_scaled_2;
  A mean_d2xhat_part_xhat;
};

// Stage 1 of 3: mean_g_xhat = mean(g*xhat); mean_ddx_xhat = mean(ddx*xhat); mean_ddx_g = mean(ddx*g); mean_ddgamma_dy_silu_z = mean(ddgamma*dy*silu_z*xhat)
template <class A, class S>
LNGEN_INLINE void mean_ddgamma_dy_silu_z(A x, A z, A dy, A ddx, A gamma, A ddgamma, const Scalars<S>& row, A (&sums)[4], A& kept_sigmoid_z, A& kept_silu_z, A& kept_g) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A g = dy*silu_z*gamma;  // step 37
  if (HAS_ddx) sums[0] += g*xhat;  // step 38: mean_g_xhat
  if (HAS_ddx) sums[1] += ddx*xhat;  // step 61: mean_ddx_xhat
  if (HAS_ddx) sums[2] += ddx*g;  // step 55: mean_ddx_g
  if (HAS_ddgamma) sums[3] += dy*silu_z*xhat*ddgamma;  // step 55: mean_ddgamma_dy_silu_z
  kept_sigmoid_z = sigmoid_z;
  kept_silu_z = silu_z;
  kept_g = g;
}

template <class A>
LNGEN_INLINE void after_mean_ddgamma_dy_silu_z(Scalars<A>& row, const A (&sums)[4]) {
  const A rstd = row.rstd;
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 38: mean(g*xhat)
  const A mean_ddx_xhat = math::quotient(sums[1], row.D);  // step 61: mean(ddx*xhat)
  const A mean_ddx_g = math::quotient(sums[2], row.D);  // step 55: mean(ddx*g)
  const A mean_ddgamma_dy_silu_z = math::quotient(sums[3], row.D);  // step 55: mean(ddgamma*dy*silu_z*xhat)
  const A mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 41
  const A mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 55
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddx_xhat = mean_ddx_xhat;
  row.mean_ddx_g = mean_ddx_g;
  row.mean_ddgamma_dy_silu_z = mean_ddgamma_dy_silu_z;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
  row.mean_g_xhat_scaled_2 = mean_g_xhat_scaled_2;
}

// Stage 2 of 3: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
template <class A, class S>
LNGEN_INLINE void mean_d2xhat_part_xhat(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, A sigmoid_z, A silu_z, const Scalars<S>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2z, A& out_ddy, A& kept_d2xhat_part) {
  const A mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A dg = HAS_ddx ? (ddx - xhat*mean_ddx_xhat)*rstd : A(0);  // step 61
  const A d2silu_z = (HAS_ddgamma || HAS_ddx) ? ((HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)))*dy : A(0);  // step 65
  const A d2xhat_part = (HAS_ddx || HAS_ddz) ? (HAS_ddz ? ddz*dy*sigmoid_z*((A(1) - sigmoid_z)*z + A(1))*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 41
  const A d2z = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (d2silu_z + (HAS_ddz ? (A(1) - sigmoid_z)*ddz*dy*xhat*gamma : A(0)) + (A(1) - sigmoid_z)*(((HAS_ddgamma || HAS_ddx) ? d2silu_z*z : A(0)) + (HAS_ddz ? ((A(1) - sigmoid_z)*z + A(1) - silu_z)*ddz*dy*xhat*gamma : A(0))))*sigmoid_z : A(0);  // step 71
  const A ddy = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (HAS_ddgamma ? silu_z*xhat*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? ((HAS_ddx ? dg*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1)) : A(0)))*gamma : A(0)) : A(0);  // step 77
  if (HAS_ddx || HAS_ddz) sums[0] += d2xhat_part*xhat;  // step 55: mean_d2xhat_part_xhat
  if ((HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma)) over_rows[0] = ((HAS_ddx ? dg*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1)) : A(0)))*dy;  // step 73: d2gamma
  out_d2z = d2z;
  out_ddy = ddy;
  kept_d2xhat_part = d2xhat_part;
}

template <class A>
LNGEN_INLINE void after_mean_d2xhat_part_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_d2xhat_part_xhat = math::quotient(sums[0], row.D);  // step 55: mean(d2xhat_part*xhat)
  row.mean_d2xhat_part_xhat = mean_d2xhat_part_xhat;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A dy, A ddgamma, A silu_z, A g, A d2xhat_part, const Scalars<S>& row, A& out_d2x) {
  const A mean_d2xhat_part_xhat = row.mean_d2xhat_part_xhat, mean_ddgamma_dy_silu_z = row.mean_ddgamma_dy_silu_z, mean_ddx_g = row.mean_ddx_g, mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat_scaled_2 = row.mean_g_xhat_scaled_2, rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A d2x = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (d2xhat_part + (HAS_ddgamma ? dy*silu_z*ddgamma : A(0)) + (HAS_ddx ? ((xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd : A(0)) - ((HAS_ddx || HAS_ddz) ? xhat*mean_d2xhat_part_xhat : A(0)) - (HAS_ddgamma ? xhat*mean_ddgamma_dy_silu_z : A(0)))*rstd : A(0);  // step 55
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
  const bool streams_dz = streams && is_even(to.out_dz, D);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  Scratch<S> kept(4ll * D);
  S* const kept_sigmoid_z = kept.entries + 0ll * D;
  S* const kept_silu_z = kept.entries + 1ll * D;
  S* const kept_g = kept.entries + 2ll * D;
  S* const kept_d2xhat_part = kept.entries + 3ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.rstd = to.rstd[i];
      {
        S sums[4];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          A now_sigmoid_z;
          A now_silu_z;
          A now_g;
          mean_ddgamma_dy_silu_z(x, z, dy, ddx, gamma, ddgamma, row, lanes, now_sigmoid_z, now_silu_z, now_g);
          write(kept_sigmoid_z + column, width, now_sigmoid_z);
          write(kept_silu_z + column, width, now_silu_z);
          write(kept_g + column, width, now_g);
        });
        after_mean_ddgamma_dy_silu_z(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddz = READS_ddz ? read<S>(to.ddz + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A sigmoid_z = read<S>(kept_sigmoid_z + column, width);
          const A silu_z = read<S>(kept_silu_z + column, width);
          A over_rows[SUMS_INTO_COLUMNS];
          A now_d2xhat_part;
          A out_d2z;
          A out_ddy;
          mean_d2xhat_part_xhat(x, z, dy, ddx, ddz, gamma, ddgamma, sigmoid_z, silu_z, row, lanes, over_rows, out_d2z, out_ddy, now_d2xhat_part);
          write(kept_d2xhat_part + column, width, now_d2xhat_part);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_dz + offset + column, width, out_d2z, streams_dz);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_mean_d2xhat_part_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_z && streams) prefetch(to.z + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          if (READS_ddz && streams) prefetch(to.ddz + offset + D + column);
          const A silu_z = read<S>(kept_silu_z + column, width);
          const A g = read<S>(kept_g + column, width);
          const A d2xhat_part = read<S>(kept_d2xhat_part + column, width);
          A out_d2x;
          stage_3(x, dy, ddgamma, silu_z, g, d2xhat_part, row, out_d2x);
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
    const A d2gamma = (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma) ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
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
       static_cast<const Row*>(arrays[3]),
       static_cast<const Row*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<Row*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       static_cast<Row*>(arrays[10]),
       static_cast<Computed*>(arrays[11]),
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
