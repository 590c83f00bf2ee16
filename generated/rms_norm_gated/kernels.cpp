// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
// Evidence: 1 output, 37 steps, 39 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     sigmoid_z = sigmoid(z)
//     silu_z = sigmoid_z*z
//     h = silu_z*x
//     ms = mean(h**2)
//     rstd = 1/sqrt(ms + eps)
//     hhat = rstd*h
//     y = gamma*hhat
// backward:
//     g = gamma*dy
//     dh = rstd*(g - hhat*mean(g*hhat))
//     dx = dh*silu_z
//     dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dgamma = sum_rows(dy*hhat)
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y, Computed*
//         save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* z, const Row* dy, const Computed* rstd, const Parameter* gamma,
//         Row* out_dx, Row* out_dz, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif

}  // namespace lngen

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_z = true;
constexpr bool READS_gamma = HAS_gamma;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const P* gamma;
  A eps;
  T* out_y;
  A* save_rstd;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A ms;
  A rstd;
};

// Stage 1 of 2: ms = mean(h**2)
template <class A, class S>
LNGEN_INLINE void ms(A x, A z, const Scalars<S>& row, A (&sums)[1], A& kept_h) {
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  sums[0] += h*h;  // step 4: ms
  kept_h = h;
}

template <class A>
LNGEN_INLINE void after_ms(Scalars<A>& row, const A (&sums)[1]) {
  const A eps = row.eps;
  const A ms = math::quotient(sums[0], row.D);  // step 4: mean(h**2)
  const A rstd = math::rsqrt(ms + eps);  // step 5
  row.ms = ms;
  row.rstd = rstd;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A gamma, A h, const Scalars<S>& row, A& out_y) {
  const A rstd = row.rstd;
  const A hhat = h*rstd;  // step 6
  const A y = hhat*gamma;  // step 7
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
  Scratch<S> kept(1ll * D);
  S* const kept_h = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          A now_h;
          ms(x, z, row, lanes, now_h);
          write(kept_h + column, width, now_h);
        });
        after_ms(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_z && streams) prefetch(to.z + offset + D + column);
          const A h = read<S>(kept_h + column, width);
          A out_y;
          stage_2(gamma, h, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
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
       static_cast<const Computed*>(arrays[2]),
       Computed(numbers[0]),
       static_cast<Row*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_z = true;
constexpr bool READS_dy = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma);

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* dy;
  const A* rstd;
  const P* gamma;
  T* out_dx;
  T* out_dz;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_hhat;
};

// Stage 1 of 2: mean_g_hhat = mean(g*hhat)
template <class A, class S>
LNGEN_INLINE void mean_g_hhat(A x, A z, A dy, A gamma, const Scalars<S>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& kept_sigmoid_z, A& kept_silu_z, A& kept_hhat) {
  const A rstd = row.rstd;
  const A sigmoid_z = math::sigmoid(z);  // step 1
  const A silu_z = sigmoid_z*z;  // step 2
  const A h = silu_z*x;  // step 3
  const A hhat = h*rstd;  // step 6
  const A g = dy*gamma;  // step 8
  sums[0] += g*hhat;  // step 15: mean_g_hhat
  if (HAS_gamma) over_rows[0] = dy*hhat;  // step 23: dgamma
  kept_sigmoid_z = sigmoid_z;
  kept_silu_z = silu_z;
  kept_hhat = hhat;
}

template <class A>
LNGEN_INLINE void after_mean_g_hhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_g_hhat = math::quotient(sums[0], row.D);  // step 15: mean(g*hhat)
  row.mean_g_hhat = mean_g_hhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A z, A dy, A gamma, A sigmoid_z, A silu_z, A hhat, const Scalars<S>& row, A& out_dx, A& out_dz) {
  const A mean_g_hhat = row.mean_g_hhat, rstd = row.rstd;
  const A g = dy*gamma;  // step 8
  const A dh = (g - hhat*mean_g_hhat)*rstd;  // step 15
  const A dx = dh*silu_z;  // step 16
  const A dz = dh*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1));  // step 22
  out_dx = dx;
  out_dz = dz;
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
  Scratch<S> kept(3ll * D);
  S* const kept_sigmoid_z = kept.entries + 0ll * D;
  S* const kept_silu_z = kept.entries + 1ll * D;
  S* const kept_hhat = kept.entries + 2ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
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
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          A over_rows[SUMS_INTO_COLUMNS];
          A now_sigmoid_z;
          A now_silu_z;
          A now_hhat;
          mean_g_hhat(x, z, dy, gamma, row, lanes, over_rows, now_sigmoid_z, now_silu_z, now_hhat);
          write(kept_sigmoid_z + column, width, now_sigmoid_z);
          write(kept_silu_z + column, width, now_silu_z);
          write(kept_hhat + column, width, now_hhat);
          columns.template add<0x1>(D, column, width, over_rows);
        });
        after_mean_g_hhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A z = READS_z ? read<S>(to.z + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_z && streams) prefetch(to.z + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          const A sigmoid_z = read<S>(kept_sigmoid_z + column, width);
          const A silu_z = read<S>(kept_silu_z + column, width);
          const A hhat = read<S>(kept_hhat + column, width);
          A out_dx;
          A out_dz;
          stage_2(x, z, dy, gamma, sigmoid_z, silu_z, hhat, row, out_dx, out_dz);
          write_once(to.out_dx + offset + column, width, out_dx, streams_dx);
          write_once(to.out_dz + offset + column, width, out_dz, streams_dz);
        });
      }
      columns.end_row();
    }
    columns.end();
  }
  fence();
}

// ---- backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  P* out_dgamma;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A dgamma, const Scalars<S>& row, A& out_dgamma) {
  out_dgamma = dgamma;
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
    const A dgamma = HAS_gamma ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    A out_dgamma;
    finish(dgamma, row, out_dgamma);
    if (HAS_gamma) write(to.out_dgamma + column, width, out_dgamma);
  });
}

}  // namespace columns

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
       static_cast<Row*>(arrays[5]),
       static_cast<Row*>(arrays[6]),
       static_cast<Computed*>(arrays[7]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

extern "C" void backward_columns(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward::columns::work<Row, Computed>(
      {static_cast<Computed*>(arrays[0]),
       int(sizes[2]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<Computed*>(arrays[2]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}
