// InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.
// Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
// Do not edit; edit info_nce.py and run: lngen derive info_nce.py
// definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
//
// forward:
//     z = scale*similarity
//     sum_where_z = sum(where(index() == positive, z, 0))
//     m = max(z)
//     exp_shifted = exp(z - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     y = m + log_Z - sum_where_z
// backward:
//     p = exp_shifted/Z
//     dz = dy*p + where(index() == positive, -dy, 0)
//     dsimilarity = scale*dz
//     dscale = sum_rows(sum(dz*similarity))
// jvp:
//     z_dot = scale_dot*similarity + scale*similarity_dot
//     p = exp_shifted/Z
//     y_dot = D*(mean(p*z_dot) - mean(where(index() == positive, z_dot, 0)))
// backward_backward:
//     p = exp_shifted/Z
//     dz = dy*p + where(index() == positive, -dy, 0)
//     ddz = ddscale*similarity + scale*ddsimilarity
//     d2similarity_shifted = dy*p*(ddz - sum(ddz*p))
//     d2similarity = scale*d2similarity_shifted + ddscale*dz
//     d2scale = sum_rows(D*(mean(d2similarity_shifted*similarity) + mean(ddsimilarity*dz)))
//     ddy = sum(ddz*p) + sum(where(index() == positive, -ddz, 0))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddscale = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddscale);
constexpr bool HAS_ddsimilarity = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddsimilarity);
constexpr bool HAS_scale = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale);
constexpr bool HAS_scale_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale_dot);
constexpr bool HAS_similarity_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_similarity_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> SIMILARITY;
constexpr Name<ROW_INTEGERS, 0> POSITIVE;
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
using Given = decltype(names(SIMILARITY, POSITIVE, SCALE, Y, M, Z_2, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 8, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto positive = row(POSITIVE);
    const auto scale = row(SCALE);
    const auto [stage_1, stage_2] = row.template max_and_sums<1, 1>(
        [&](auto at) {
          using A = typename decltype(at)::A;
          const auto z = at(SIMILARITY)*scale;  // step 1
          return terms(choose<A>(at.index() == positive, z, A(0)), max_of(z));
        },
        [&](auto at, auto m) {
          using A = typename decltype(at)::A;
          const auto z = at(SIMILARITY)*scale;  // step 1
          const auto similarity_shifted = math::difference(z, A(m));  // step 4
          const auto exp_shifted = math::exp(similarity_shifted);  // step 5
          return terms(exp_shifted);
        });
    const auto sum_where_z = get<0>(stage_1);  // step 2: sum(Where(Eq(index(), positive), z, 0))
    const auto m = finite_or_zero(get<1>(stage_1));  // step 3: max(z)
    const auto sum_where_z_shifted = sum_where_z - m;  // step 2, pass 1
    const auto Z = get<0>(stage_2);  // step 6: sum(exp_shifted)
    const auto log_Z = math::log(Z);  // step 7
    const auto y = log_Z - sum_where_z_shifted;  // step 8, pass 2
    row.store(Y, y);
    row.save(M, m);
    row.save(Z_2, Z);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> SIMILARITY;
constexpr Name<ROW_INTEGERS, 0> POSITIVE;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<ROWS_OUT, 0> DSIMILARITY;
constexpr Name<OVER_ALL, 0, HAS_scale> DSCALE;
using Given = decltype(names(SIMILARITY, POSITIVE, DY, M, Z_2, SCALE, DSIMILARITY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DSCALE)), 1, 1, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M);
    const auto positive = row(POSITIVE);
    const auto dy = row(DY);
    const auto scale = row(SCALE);
    const auto dy_scaled = dy / row(Z_2);  // step 21, pass 3
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto similarity = at(SIMILARITY);
      const auto z = similarity*scale;  // step 1
      const auto similarity_shifted = z - m;  // step 4
      const auto exp_shifted = math::exp(similarity_shifted);  // step 5
      const auto dz = exp_shifted*dy_scaled + choose<A>(at.index() == positive, -A(dy), A(0));  // step 21, pass 4
      at.store(DSIMILARITY, dz*scale);  // step 22
      return terms(wanted<HAS_scale>(dz*similarity));
    });
    const auto sum_dz_similarity = get<0>(stage_2);  // step 23: sum(dz*similarity)
    row.over_rows(DSCALE, sum_dz_similarity);  // step 23: dscale
  }
};

namespace columns {

constexpr Name<SCALAR, 0, false, One> SCALE;
constexpr Name<SCALARS_OUT, 0, HAS_scale> OUT_DSCALE;
using Given = decltype(names(WORKSPACE, BLOCKS, SCALE, OUT_DSCALE, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.store(OUT_DSCALE, call(DSCALE));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_scale_dot || HAS_similarity_dot, Zero> SIMILARITY;
constexpr Name<ROW_INTEGERS, 0, HAS_scale_dot || HAS_similarity_dot, Zero> POSITIVE;
constexpr Name<ROWS, 1, HAS_similarity_dot, Zero> SIMILARITY_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SCALAR, 0, (HAS_scale && HAS_scale_dot) || (HAS_scale && HAS_similarity_dot), One> SCALE;
constexpr Name<SCALAR, 1, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(SIMILARITY, POSITIVE, SIMILARITY_DOT, M, Z_2, SCALE, SCALE_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 8, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M);
    const auto positive = row(POSITIVE);
    const auto scale = row(SCALE);
    const auto scale_dot = row(SCALE_DOT);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto similarity = at(SIMILARITY);
      const auto similarity_dot = at(SIMILARITY_DOT);
      const auto z = similarity*scale;  // step 1
      const auto similarity_shifted = z - m;  // step 4
      const auto exp_shifted = math::exp(similarity_shifted);  // step 5
      const auto z_dot = similarity*scale_dot + similarity_dot*scale;  // step 24
      return terms(choose<A>(at.index() == integer(positive), z_dot, A(0)), exp_shifted*z_dot);
    });
    const auto mean_index_z_dot = get<0>(stage_1);  // step 34, pass 5: mean(Where(Eq(index(), positive), z_dot, 0))
    const auto mean_exp_shifted_z_dot = get<1>(stage_1);  // step 34, pass 6: mean(exp_shifted*z_dot)
    const auto y_dot = (mean_exp_shifted_z_dot / row(Z_2) - mean_index_z_dot)*row.D;  // step 34, pass 7
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddscale || HAS_ddsimilarity, Zero> SIMILARITY;
constexpr Name<ROW_INTEGERS, 0, HAS_ddscale || HAS_ddsimilarity, Zero> POSITIVE;
constexpr Name<ROW_NUMBERS, 0, HAS_ddscale || HAS_ddsimilarity, Zero> DY;
constexpr Name<ROWS, 1, HAS_ddsimilarity, Zero> DDSIMILARITY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SCALAR, 0, (HAS_ddscale && HAS_scale) || (HAS_ddsimilarity && HAS_scale), One> SCALE;
constexpr Name<SCALAR, 1, HAS_ddscale, Zero> DDSCALE;
constexpr Name<ROWS_OUT, 0> DSIMILARITY;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<OVER_ALL, 0, (HAS_ddscale && HAS_scale) || (HAS_ddsimilarity && HAS_scale)> D2SCALE;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
constexpr Name<KEPT, 1> KEPT_DZ;
using Given = decltype(names(SIMILARITY, POSITIVE, DY, DDSIMILARITY, M, Z_2, SCALE, DDSCALE, DSIMILARITY, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2SCALE)), 3, 1, 14, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), Z = row(Z_2);
    const auto positive = row(POSITIVE);
    const auto dy = row(DY);
    const auto scale = row(SCALE);
    const auto ddscale = row(DDSCALE);
    const auto dy_scaled = dy / Z;  // step 37, pass 8
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto similarity = at(SIMILARITY);
      const auto ddsimilarity = at(DDSIMILARITY);
      const auto z = similarity*scale;  // step 1
      const auto similarity_shifted = z - m;  // step 4
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(similarity_shifted));  // step 5
      const auto dz = at.keep(KEPT_DZ, exp_shifted*dy_scaled + choose<A>(at.index() == integer(positive), -A(dy), A(0)));  // step 37, pass 9
      const auto ddz = ddsimilarity*scale + similarity*ddscale;  // step 45
      return terms(ddz*exp_shifted, wanted<(HAS_ddscale && HAS_scale) || (HAS_ddsimilarity && HAS_scale)>(ddsimilarity*dz), choose<A>(at.index() == integer(positive), -ddz, A(0)));
    });
    const auto sum_ddz_exp_shifted = get<0>(stage_2);  // step 54, pass 10: sum(ddz*exp_shifted)
    const auto mean_ddsimilarity_dz = math::quotient(get<1>(stage_2), row.D);  // step 63: mean(ddsimilarity*dz)
    const auto sum_ddz_index = get<2>(stage_2);  // step 65, pass 11: sum(Where(Eq(index(), positive), -ddz, 0))
    const auto sum_ddz_exp_shifted_scaled = sum_ddz_exp_shifted / Z;  // step 54, pass 12
    const auto ddy = sum_ddz_index + sum_ddz_exp_shifted / Z;  // step 65, pass 13
    row.store(DDY, ddy);
    const auto stage_3 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto similarity = at(SIMILARITY);
      const auto ddsimilarity = at(DDSIMILARITY);
      const auto z = similarity*scale;  // step 1
      const auto similarity_shifted = z - m;  // step 4
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(similarity_shifted); });  // step 5
      const auto dz = at.recall(KEPT_DZ, [&] { return exp_shifted*dy_scaled + choose<A>(at.index() == integer(positive), -A(dy), A(0)); });  // step 37, pass 9
      const auto ddz = ddsimilarity*scale + similarity*ddscale;  // step 45
      const auto d2similarity_shifted = (ddz - sum_ddz_exp_shifted_scaled)*exp_shifted*dy_scaled;  // step 54, pass 14
      at.store(DSIMILARITY, d2similarity_shifted*scale + dz*ddscale);  // step 60
      return terms(wanted<(HAS_ddscale && HAS_scale) || (HAS_ddsimilarity && HAS_scale)>(d2similarity_shifted*similarity));
    });
    const auto mean_d2similarity_shifted_simila = get<0>(stage_3);  // step 63: mean(d2similarity_shifted*similarity)
    const auto mean_d2similarity_shifted_simila_2 = (mean_d2similarity_shifted_simila + mean_ddsimilarity_dz)*row.D;  // step 63, pass 15
    row.over_rows(D2SCALE, mean_d2similarity_shifted_simila_2);  // step 63, pass 16: d2scale
  }
};

namespace columns {

constexpr Name<SCALAR, 0, false, One> SCALE;
constexpr Name<SCALAR, 1, false, Zero> DDSCALE;
constexpr Name<SCALARS_OUT, 0, HAS_scale> OUT_DSCALE;
using Given = decltype(names(WORKSPACE, BLOCKS, SCALE, DDSCALE, OUT_DSCALE, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.store(OUT_DSCALE, call(D2SCALE));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
