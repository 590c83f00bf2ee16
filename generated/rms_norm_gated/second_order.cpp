// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
// Evidence: 1 output, 37 steps, 39 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
//     y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))
// backward_backward:
//     g = gamma*dy
//     mean_g_hhat = mean(g*hhat)
//     dh = rstd*(g - mean_g_hhat*hhat)
//     ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dg = rstd*(ddh - hhat*mean(ddh*hhat))
//     d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) - mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
//     d2silu_z = d2h*x + ddx*dh
//     d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
//     d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*hhat
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
  A mean_h_dot_hhat;
};

// Stage 1 of 2: mean_h_dot_hhat = mean(h_dot*hhat)
template <class A, class S>
LNGEN_INLINE void mean_h_dot_hhat(A x, A z, A x_dot, A z_dot, const Scalars<S>& row, A (&sums)[1], A& kept_hhat, A& kept_h_dot) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A h_dot = (HAS_x_dot || HAS_z_dot) ? (HAS_x_dot ? silu_z*x_dot : A(0)) + (HAS_z_dot ? sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1))*z_dot : A(0)) : A(0);  // step 29
  if (HAS_x_dot || HAS_z_dot) sums[0] += h_dot*hhat;  // step 39: mean_h_dot_hhat
  kept_hhat = hhat;
  kept_h_dot = h_dot;
}

template <class A>
LNGEN_INLINE void after_mean_h_dot_hhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_h_dot_hhat = math::quotient(sums[0], row.D);  // step 39: mean(h_dot*hhat)
  row.mean_h_dot_hhat = mean_h_dot_hhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A gamma, A gamma_dot, A hhat, A h_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_h_dot_hhat = row.mean_h_dot_hhat, rstd = row.rstd;
  const A y_dot = (HAS_gamma_dot || HAS_x_dot || HAS_z_dot) ? (HAS_gamma_dot ? hhat*gamma_dot : A(0)) + ((HAS_x_dot || HAS_z_dot) ? (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma : A(0)) : A(0);  // step 39
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
  Scratch<S> kept(2ll * D);
  S* const kept_hhat = kept.entries + 0ll * D;
  S* const kept_h_dot = kept.entries + 1ll * D;
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
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A z_dot = READS_z_dot ? read<S>(to.z_dot + offset + column, width) : A(0);
          A now_hhat;
          A now_h_dot;
          mean_h_dot_hhat(x, z, x_dot, z_dot, row, lanes, now_hhat, now_h_dot);
          write(kept_hhat + column, width, now_hhat);
          write(kept_h_dot + column, width, now_h_dot);
        });
        after_mean_h_dot_hhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_z && streams) prefetch(to.z + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          if (READS_z_dot && streams) prefetch(to.z_dot + offset + D + column);
          const A hhat = read<S>(kept_hhat + column, width);
          const A h_dot = read<S>(kept_h_dot + column, width);
          A out_y_dot;
          stage_2(gamma, gamma_dot, hhat, h_dot, row, out_y_dot);
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
  A mean_g_hhat;
  A mean_ddh_hhat;
  A mean_ddh_g;
  A mean_ddgamma_dy_hhat;
  A mean_g_hhat_scaled;
};

// Stage 1 of 2: mean_g_hhat = mean(g*hhat); mean_ddh_hhat = mean(ddh*hhat); mean_ddh_g = mean(ddh*g); mean_ddgamma_dy_hhat = mean(ddgamma*dy*hhat)
template <class A, class S>
LNGEN_INLINE void mean_ddgamma_dy_hhat(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, const Scalars<S>& row, A (&sums)[4], A& kept_sigmoid_z, A& kept_silu_z, A& kept_hhat, A& kept_ddh) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A g = dy*gamma;  // step 40
  const A ddh = (HAS_ddx || HAS_ddz) ? (HAS_ddx ? ddx*silu_z : A(0)) + (HAS_ddz ? ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 45
  if (HAS_ddx || HAS_ddz) sums[0] += g*hhat;  // step 41: mean_g_hhat
  if (HAS_ddx || HAS_ddz) sums[1] += ddh*hhat;  // step 76: mean_ddh_hhat
  if (HAS_ddx || HAS_ddz) sums[2] += ddh*g;  // step 62: mean_ddh_g
  if (HAS_ddgamma) sums[3] += dy*hhat*ddgamma;  // step 62: mean_ddgamma_dy_hhat
  kept_sigmoid_z = sigmoid_z;
  kept_silu_z = silu_z;
  kept_hhat = hhat;
  kept_ddh = ddh;
}

template <class A>
LNGEN_INLINE void after_mean_ddgamma_dy_hhat(Scalars<A>& row, const A (&sums)[4]) {
  const A mean_g_hhat = math::quotient(sums[0], row.D);  // step 41: mean(g*hhat)
  const A mean_ddh_hhat = math::quotient(sums[1], row.D);  // step 76: mean(ddh*hhat)
  const A mean_ddh_g = math::quotient(sums[2], row.D);  // step 62: mean(ddh*g)
  const A mean_ddgamma_dy_hhat = math::quotient(sums[3], row.D);  // step 62: mean(ddgamma*dy*hhat)
  const A mean_g_hhat_scaled = A(3)*mean_g_hhat;  // step 62
  row.mean_g_hhat = mean_g_hhat;
  row.mean_ddh_hhat = mean_ddh_hhat;
  row.mean_ddh_g = mean_ddh_g;
  row.mean_ddgamma_dy_hhat = mean_ddgamma_dy_hhat;
  row.mean_g_hhat_scaled = mean_g_hhat_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A z, A dy, A ddx, A ddz, A gamma, A ddgamma, A sigmoid_z, A silu_z, A hhat, A ddh, const Scalars<S>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_d2z, A& out_ddy) {
  const A mean_ddgamma_dy_hhat = row.mean_ddgamma_dy_hhat, mean_ddh_g = row.mean_ddh_g, mean_ddh_hhat = row.mean_ddh_hhat, mean_g_hhat = row.mean_g_hhat, mean_g_hhat_scaled = row.mean_g_hhat_scaled, rstd = row.rstd;
  const A g = dy*gamma;  // step 40
  const A dh = (g - hhat*mean_g_hhat)*rstd;  // step 42
  const A dg = (HAS_ddx || HAS_ddz) ? (ddh - hhat*mean_ddh_hhat)*rstd : A(0);  // step 76
  const A d2h = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? ((HAS_ddgamma ? dy*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? ((hhat*mean_g_hhat_scaled - g)*mean_ddh_hhat - hhat*mean_ddh_g - ddh*mean_g_hhat)*rstd : A(0)) - (HAS_ddgamma ? hhat*mean_ddgamma_dy_hhat : A(0)))*rstd : A(0);  // step 62
  const A d2silu_z = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h*x + (HAS_ddx ? ddx*dh : A(0)) : A(0);  // step 64
  const A d2x = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h*silu_z + (HAS_ddz ? ddz*dh*sigmoid_z*((A(1) - sigmoid_z)*z + A(1)) : A(0)) : A(0);  // step 63
  const A d2h_scaled = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h*x : A(0);  // step 70
  const A d2h_scaled_scaled = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h_scaled*z : A(0);  // step 70
  const A d2silu_z_scaled_scaled = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2h_scaled_scaled*sigmoid_z + (HAS_ddx ? ddx*dh*sigmoid_z*z : A(0)) : A(0);  // step 70
  const A d2z = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? d2silu_z*sigmoid_z + (HAS_ddz ? (A(1) - sigmoid_z)*ddz*dh*sigmoid_z*x : A(0)) + (A(1) - sigmoid_z)*(d2silu_z_scaled_scaled + (HAS_ddz ? ((A(1) - sigmoid_z)*z + A(1) - silu_z)*ddz*dh*sigmoid_z*x : A(0))) : A(0);  // step 70
  const A ddy = (HAS_ddgamma || HAS_ddx || HAS_ddz) ? (HAS_ddgamma ? hhat*ddgamma : A(0)) + ((HAS_ddx || HAS_ddz) ? dg*gamma : A(0)) : A(0);  // step 80
  if ((HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma)) over_rows[0] = dg*dy;  // step 77: d2gamma
  out_d2x = d2x;
  out_d2z = d2z;
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
  const bool streams_dz = streams && is_even(to.out_dz, D);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  Scratch<S> kept(4ll * D);
  S* const kept_sigmoid_z = kept.entries + 0ll * D;
  S* const kept_silu_z = kept.entries + 1ll * D;
  S* const kept_hhat = kept.entries + 2ll * D;
  S* const kept_ddh = kept.entries + 3ll * D;
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
          const A ddz = READS_ddz ? read<S>(to.ddz + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          A now_sigmoid_z;
          A now_silu_z;
          A now_hhat;
          A now_ddh;
          mean_ddgamma_dy_hhat(x, z, dy, ddx, ddz, gamma, ddgamma, row, lanes, now_sigmoid_z, now_silu_z, now_hhat, now_ddh);
          write(kept_sigmoid_z + column, width, now_sigmoid_z);
          write(kept_silu_z + column, width, now_silu_z);
          write(kept_hhat + column, width, now_hhat);
          write(kept_ddh + column, width, now_ddh);
        });
        after_mean_ddgamma_dy_hhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddz = READS_ddz ? read<S>(to.ddz + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_z && streams) prefetch(to.z + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          if (READS_ddz && streams) prefetch(to.ddz + offset + D + column);
          const A sigmoid_z = read<S>(kept_sigmoid_z + column, width);
          const A silu_z = read<S>(kept_silu_z + column, width);
          const A hhat = read<S>(kept_hhat + column, width);
          const A ddh = read<S>(kept_ddh + column, width);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_d2x;
          A out_d2z;
          A out_ddy;
          stage_2(x, z, dy, ddx, ddz, gamma, ddgamma, sigmoid_z, silu_z, hhat, ddh, row, over_rows, out_d2x, out_d2z, out_ddy);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
          write_once(to.out_dz + offset + column, width, out_d2z, streams_dz);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
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
