// Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.
// Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
// definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
//
// forward:
//     a = at(x, s=0)
//     b = at(x, s=1)
//     weight_0 = at(weight, s=0)
//     weight_1 = at(weight, s=1)
//     mu = mean(a**2 + b**2)
//     rstd = 1/sqrt(mu/2 + eps)
//     ahat = rstd*a
//     u = weight_0*ahat
//     bhat = rstd*b
//     v = weight_1*bhat
//     y_0 = cosine*u - sine*v
//     y_1 = cosine*v + sine*u
//     y = join(y_0, y_1)
// backward:
//     dy_0 = at(dy, s=0)
//     dy_1 = at(dy, s=1)
//     dv = cosine*dy_1 - dy_0*sine
//     dbhat = weight_1*dv
//     du = cosine*dy_0 + dy_1*sine
//     dahat = weight_0*du
//     dtotal = -rstd**3*(mean(a*dahat) + mean(b*dbhat))/4
//     da = rstd*dahat + 2*a*dtotal
//     db = rstd*dbhat + 2*b*dtotal
//     dweight_0 = sum_rows(ahat*du)
//     dweight_1 = sum_rows(bhat*dv)
//     dx = join(da, db)
//     dweight = join(dweight_0, dweight_1)
// jvp:
//     a_dot = at(x_dot, s=0)
//     b_dot = at(x_dot, s=1)
//     weight_0_dot = at(weight_dot, s=0)
//     weight_1_dot = at(weight_dot, s=1)
//     rstd_dot = -rstd**3*mean(2*a*a_dot + 2*b*b_dot)/4
//     u_dot = weight_0_dot*ahat + weight_0*(rstd_dot*a + rstd*a_dot)
//     v_dot = weight_1_dot*bhat + weight_1*(rstd_dot*b + rstd*b_dot)
//     y_0_dot = cosine*u_dot - sine*v_dot
//     y_1_dot = cosine*v_dot + sine*u_dot
//     y_dot = join(y_0_dot, y_1_dot)
// backward_backward:
//     dy_0 = at(dy, s=0)
//     dy_1 = at(dy, s=1)
//     dda = at(ddx, s=0)
//     ddb = at(ddx, s=1)
//     ddweight_0 = at(ddweight, s=0)
//     ddweight_1 = at(ddweight, s=1)
//     dv = cosine*dy_1 - dy_0*sine
//     dbhat = weight_1*dv
//     du = cosine*dy_0 + dy_1*sine
//     dahat = weight_0*du
//     mean_a_dahat = mean(a*dahat)
//     mean_b_dbhat = mean(b*dbhat)
//     dtotal = -rstd**3*(mean_a_dahat + mean_b_dbhat)/4
//     ddtotal = 2*a*dda + 2*b*ddb
//     ddahat = rstd*dda - rstd**2*ahat*mean(ddtotal)/4
//     ddu = weight_0*ddahat + ddweight_0*ahat
//     ddbhat = rstd*ddb - rstd**2*bhat*mean(ddtotal)/4
//     ddv = weight_1*ddbhat + ddweight_1*bhat
//     d2total = -0.0625*rstd**3*(4*mean(dahat*dda) + 4*mean(dbhat*ddb) + 4*mean(ddweight_0*a*du) + 4*mean(ddweight_1*b*dv) - 3*rstd**2*mean(ddtotal)*(mean_a_dahat + mean_b_dbhat))
//     d2a = 2*a*d2total + rstd*ddweight_0*du + 2*dda*dtotal - rstd**3*dahat*mean(ddtotal)/4
//     d2b = 2*b*d2total + rstd*ddweight_1*dv + 2*ddb*dtotal - rstd**3*dbhat*mean(ddtotal)/4
//     d2weight_0 = sum_rows(ddahat*du)
//     d2weight_1 = sum_rows(ddbhat*dv)
//     ddy_0 = cosine*ddu - ddv*sine
//     ddy_1 = cosine*ddv + ddu*sine
//     d2x = join(d2a, d2b)
//     d2weight = join(d2weight_0, d2weight_1)
//     ddy = join(ddy_0, ddy_1)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_a_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_a_dot);
constexpr bool HAS_b_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_b_dot);
constexpr bool HAS_dda = LNGEN_UNDEFINED(LNGEN_WITHOUT_dda);
constexpr bool HAS_ddb = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddb);
constexpr bool HAS_ddweight_0 = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddweight_0);
constexpr bool HAS_ddweight_1 = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddweight_1);
constexpr bool HAS_dy_0 = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy_0);
constexpr bool HAS_dy_1 = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy_1);
constexpr bool HAS_weight_0 = LNGEN_UNDEFINED(LNGEN_WITHOUT_weight_0);
constexpr bool HAS_weight_0_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_weight_0_dot);
constexpr bool HAS_weight_1 = LNGEN_UNDEFINED(LNGEN_WITHOUT_weight_1);
constexpr bool HAS_weight_1_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_weight_1_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> A_;
constexpr Name<ROWS, 1> B;
constexpr Name<ROWS, 2> COSINE;
constexpr Name<ROWS, 3> SINE;
constexpr Name<FEATURES, 0, HAS_weight_0, One> WEIGHT_0;
constexpr Name<FEATURES, 1, HAS_weight_1, One> WEIGHT_1;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y_0;
constexpr Name<ROWS_OUT, 1> Y_1;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(A_, B, COSINE, SINE, WEIGHT_0, WEIGHT_1, EPS, Y_0, Y_1, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto stage_1 = row.means([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto total = a*a + b*b;  // step 1
      return terms(total);
    });
    const auto mu = get<0>(stage_1);  // step 2: mean(total)
    const auto rstd = math::rsqrt(A(0.5)*mu + row(EPS));  // step 3
    row.each([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto weight_0 = at(WEIGHT_0);
      const auto weight_1 = at(WEIGHT_1);
      const auto ahat = a*rstd;  // step 4
      const auto u = ahat*weight_0;  // step 5
      const auto bhat = b*rstd;  // step 6
      const auto v = bhat*weight_1;  // step 7
      at.store(Y_0, cosine*u - sine*v);  // step 8
      at.store(Y_1, cosine*v + sine*u);  // step 9
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> A_;
constexpr Name<ROWS, 1> B;
constexpr Name<ROWS, 2> COSINE;
constexpr Name<ROWS, 3> SINE;
constexpr Name<ROWS, 4, HAS_dy_0, Zero> DY_0;
constexpr Name<ROWS, 5, HAS_dy_1, Zero> DY_1;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_weight_0, One> WEIGHT_0;
constexpr Name<FEATURES, 1, HAS_weight_1, One> WEIGHT_1;
constexpr Name<ROWS_OUT, 0> DA;
constexpr Name<ROWS_OUT, 1> DB;
constexpr Name<OVER_ROWS, 0, HAS_weight_0> DWEIGHT_0;
constexpr Name<OVER_ROWS, 1, HAS_weight_1> DWEIGHT_1;
using Given = decltype(names(A_, B, COSINE, SINE, DY_0, DY_1, RSTD, WEIGHT_0, WEIGHT_1, DA, DB, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DWEIGHT_0, DWEIGHT_1)), 2, 0, 4, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto dy_0 = at(DY_0);
      const auto dy_1 = at(DY_1);
      const auto weight_0 = at(WEIGHT_0);
      const auto weight_1 = at(WEIGHT_1);
      const auto ahat = a*rstd;  // step 4
      const auto bhat = b*rstd;  // step 6
      const auto dv = cosine*dy_1 - dy_0*sine;  // step 12
      const auto dbhat = dv*weight_1;  // step 13
      const auto du = cosine*dy_0 + dy_1*sine;  // step 10
      const auto dahat = du*weight_0;  // step 11
      at.over_rows(DWEIGHT_0, ahat*du);  // step 25: dweight_0
      at.over_rows(DWEIGHT_1, bhat*dv);  // step 26: dweight_1
      return terms(a*dahat, b*dbhat);
    });
    const auto mean_a_dahat = get<0>(stage_1);  // step 18: mean(a*dahat)
    const auto mean_b_dbhat = get<1>(stage_1);  // step 18: mean(b*dbhat)
    const auto mean_b_dbhat_scaled = A(-0.25)*(mean_a_dahat + mean_b_dbhat)*math::power<3>(rstd);  // step 18, pass 3
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto dy_0 = at(DY_0);
      const auto dy_1 = at(DY_1);
      const auto weight_0 = at(WEIGHT_0);
      const auto weight_1 = at(WEIGHT_1);
      const auto dv = cosine*dy_1 - dy_0*sine;  // step 12
      const auto dbhat = dv*weight_1;  // step 13
      const auto du = cosine*dy_0 + dy_1*sine;  // step 10
      const auto dahat = du*weight_0;  // step 11
      const auto dtotal = A(mean_b_dbhat_scaled);  // step 18, pass 6
      at.store(DA, dahat*rstd + A(2)*a*dtotal);  // step 21
      at.store(DB, dbhat*rstd + A(2)*b*dtotal);  // step 24
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> WEIGHT_0;
constexpr Name<FEATURES, 1, false, One> WEIGHT_1;
constexpr Name<FEATURES_OUT, 0, HAS_weight_0> OUT_DWEIGHT_0;
constexpr Name<FEATURES_OUT, 1, HAS_weight_1> OUT_DWEIGHT_1;
using Given = decltype(names(WORKSPACE, BLOCKS, WEIGHT_0, WEIGHT_1, OUT_DWEIGHT_0, OUT_DWEIGHT_1, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      at.store(OUT_DWEIGHT_0, at(DWEIGHT_0));
      at.store(OUT_DWEIGHT_1, at(DWEIGHT_1));
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_a_dot || HAS_b_dot || HAS_weight_0_dot, Zero> A_;
constexpr Name<ROWS, 1, HAS_a_dot || HAS_b_dot || HAS_weight_1_dot, Zero> B;
constexpr Name<ROWS, 2, HAS_a_dot || HAS_b_dot || HAS_weight_0_dot || HAS_weight_1_dot, Zero> COSINE;
constexpr Name<ROWS, 3, HAS_a_dot || HAS_b_dot || HAS_weight_0_dot || HAS_weight_1_dot, Zero> SINE;
constexpr Name<ROWS, 4, HAS_a_dot, Zero> A_DOT;
constexpr Name<ROWS, 5, HAS_b_dot, Zero> B_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_a_dot && HAS_weight_0) || (HAS_b_dot && HAS_weight_0), One> WEIGHT_0;
constexpr Name<FEATURES, 1, (HAS_a_dot && HAS_weight_1) || (HAS_b_dot && HAS_weight_1), One> WEIGHT_1;
constexpr Name<FEATURES, 2, HAS_weight_0_dot, Zero> WEIGHT_0_DOT;
constexpr Name<FEATURES, 3, HAS_weight_1_dot, Zero> WEIGHT_1_DOT;
constexpr Name<ROWS_OUT, 0> Y_0_DOT;
constexpr Name<ROWS_OUT, 1> Y_1_DOT;
using Given = decltype(names(A_, B, COSINE, SINE, A_DOT, B_DOT, RSTD, WEIGHT_0, WEIGHT_1, WEIGHT_0_DOT, WEIGHT_1_DOT, Y_0_DOT, Y_1_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto a_dot = at(A_DOT);
      const auto b_dot = at(B_DOT);
      return terms(A(2)*a*a_dot + A(2)*b*b_dot);
    });
    const auto mean_a_a_dot_b = get<0>(stage_1);  // step 31: mean(2*a*a_dot + 2*b*b_dot)
    const auto rstd_dot = A(-0.25)*mean_a_a_dot_b*math::power<3>(rstd);  // step 31
    row.each([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto a_dot = at(A_DOT);
      const auto b_dot = at(B_DOT);
      const auto weight_0 = at(WEIGHT_0);
      const auto weight_1 = at(WEIGHT_1);
      const auto weight_0_dot = at(WEIGHT_0_DOT);
      const auto weight_1_dot = at(WEIGHT_1_DOT);
      const auto ahat = a*rstd;  // step 4
      const auto bhat = b*rstd;  // step 6
      const auto u_dot = ahat*weight_0_dot + (a_dot*rstd + a*rstd_dot)*weight_0;  // step 34
      const auto v_dot = bhat*weight_1_dot + (b_dot*rstd + b*rstd_dot)*weight_1;  // step 37
      at.store(Y_0_DOT, cosine*u_dot - sine*v_dot);  // step 38
      at.store(Y_1_DOT, cosine*v_dot + sine*u_dot);  // step 39
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_dda || HAS_ddb || HAS_ddweight_0 || HAS_ddweight_1, Zero> A_;
constexpr Name<ROWS, 1, HAS_dda || HAS_ddb || HAS_ddweight_0 || HAS_ddweight_1, Zero> B;
constexpr Name<ROWS, 2, HAS_dda || HAS_ddb || (HAS_ddweight_0 && HAS_dy_0) || (HAS_ddweight_1 && HAS_dy_1), Zero> COSINE;
constexpr Name<ROWS, 3, HAS_dda || HAS_ddb || (HAS_ddweight_0 && HAS_dy_1) || (HAS_ddweight_1 && HAS_dy_0), Zero> SINE;
constexpr Name<ROWS, 4, (HAS_dda && HAS_dy_0) || (HAS_ddb && HAS_dy_0) || (HAS_ddweight_0 && HAS_dy_0) || (HAS_ddweight_1 && HAS_dy_0), Zero> DY_0;
constexpr Name<ROWS, 5, (HAS_dda && HAS_dy_1) || (HAS_ddb && HAS_dy_1) || (HAS_ddweight_0 && HAS_dy_1) || (HAS_ddweight_1 && HAS_dy_1), Zero> DY_1;
constexpr Name<ROWS, 6, HAS_dda, Zero> DDA;
constexpr Name<ROWS, 7, HAS_ddb, Zero> DDB;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_dda && HAS_weight_0) || (HAS_ddb && HAS_weight_0), One> WEIGHT_0;
constexpr Name<FEATURES, 1, (HAS_dda && HAS_weight_1) || (HAS_ddb && HAS_weight_1), One> WEIGHT_1;
constexpr Name<FEATURES, 2, HAS_ddweight_0, Zero> DDWEIGHT_0;
constexpr Name<FEATURES, 3, HAS_ddweight_1, Zero> DDWEIGHT_1;
constexpr Name<ROWS_OUT, 0> DA;
constexpr Name<ROWS_OUT, 1> DB;
constexpr Name<ROWS_OUT, 2, HAS_dy_0> DDY_0;
constexpr Name<ROWS_OUT, 3, HAS_dy_1> DDY_1;
constexpr Name<OVER_ROWS, 0, (HAS_dda && HAS_weight_0) || (HAS_ddb && HAS_weight_0)> D2WEIGHT_0;
constexpr Name<OVER_ROWS, 1, (HAS_dda && HAS_weight_1) || (HAS_ddb && HAS_weight_1)> D2WEIGHT_1;
using Given = decltype(names(A_, B, COSINE, SINE, DY_0, DY_1, DDA, DDB, RSTD, WEIGHT_0, WEIGHT_1, DDWEIGHT_0, DDWEIGHT_1, DA, DB, DDY_0, DDY_1, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2WEIGHT_0, D2WEIGHT_1)), 7, 0, 12, 4> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto dy_0 = at(DY_0);
      const auto dy_1 = at(DY_1);
      const auto dda = at(DDA);
      const auto ddb = at(DDB);
      const auto weight_0 = at(WEIGHT_0);
      const auto weight_1 = at(WEIGHT_1);
      const auto ddweight_0 = at(DDWEIGHT_0);
      const auto ddweight_1 = at(DDWEIGHT_1);
      const auto dv = cosine*dy_1 - dy_0*sine;  // step 43
      const auto dbhat = dv*weight_1;  // step 44
      const auto du = cosine*dy_0 + dy_1*sine;  // step 40
      const auto dahat = du*weight_0;  // step 41
      const auto ddtotal = A(2)*a*dda + A(2)*b*ddb;  // step 49
      return terms(wanted<HAS_dda || HAS_ddb>(a*dahat), wanted<HAS_dda || HAS_ddb>(b*dbhat), ddtotal, dahat*dda, dbhat*ddb, a*du*ddweight_0, b*dv*ddweight_1);
    });
    const auto mean_a_dahat = get<0>(stage_1);  // step 42: mean(a*dahat)
    const auto mean_b_dbhat = get<1>(stage_1);  // step 45: mean(b*dbhat)
    const auto mean_ddtotal = get<2>(stage_1);  // step 76: mean(ddtotal)
    const auto mean_dahat_dda = get<3>(stage_1);  // step 59: mean(dahat*dda)
    const auto mean_dbhat_ddb = get<4>(stage_1);  // step 59: mean(dbhat*ddb)
    const auto mean_a_ddweight_0_du = get<5>(stage_1);  // step 59: mean(ddweight_0*a*du)
    const auto mean_b_ddweight_1_dv = get<6>(stage_1);  // step 59: mean(ddweight_1*b*dv)
    const auto mean_b_dbhat_scaled = A(-0.25)*(mean_a_dahat + mean_b_dbhat)*math::power<3>(rstd);  // step 46, pass 7
    const auto mean_ddtotal_scaled = A(-0.25)*mean_ddtotal*(rstd*rstd);  // step 76, pass 8
    const auto mean_b_ddweight_1_dv_scaled = A(-0.25)*(mean_a_ddweight_0_du + mean_b_ddweight_1_dv + mean_dahat_dda + mean_dbhat_ddb - A(0.75)*(mean_a_dahat + mean_b_dbhat)*mean_ddtotal*(rstd*rstd))*math::power<3>(rstd);  // step 59, pass 9
    const auto mean_ddtotal_scaled_2 = A(-0.25)*mean_ddtotal*math::power<3>(rstd);  // step 64, pass 10
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto dy_0 = at(DY_0);
      const auto dy_1 = at(DY_1);
      const auto dda = at(DDA);
      const auto ddb = at(DDB);
      const auto weight_0 = at(WEIGHT_0);
      const auto weight_1 = at(WEIGHT_1);
      const auto ddweight_0 = at(DDWEIGHT_0);
      const auto ddweight_1 = at(DDWEIGHT_1);
      const auto dv = cosine*dy_1 - dy_0*sine;  // step 43
      const auto dbhat = dv*weight_1;  // step 44
      const auto du = cosine*dy_0 + dy_1*sine;  // step 40
      const auto dahat = du*weight_0;  // step 41
      const auto ahat = a*rstd;  // step 4
      const auto bhat = b*rstd;  // step 6
      const auto dtotal = A(mean_b_dbhat_scaled);  // step 46, pass 11
      const auto ddahat = ahat*mean_ddtotal_scaled + dda*rstd;  // step 76, pass 12
      const auto ddu = ahat*ddweight_0 + ddahat*weight_0;  // step 87
      const auto ddbhat = bhat*mean_ddtotal_scaled + ddb*rstd;  // step 83, pass 13
      const auto ddv = bhat*ddweight_1 + ddbhat*weight_1;  // step 90
      const auto d2total = A(mean_b_ddweight_1_dv_scaled);  // step 59, pass 14
      at.over_rows(D2WEIGHT_0, ddahat*du);  // step 77: d2weight_0
      at.over_rows(D2WEIGHT_1, ddbhat*dv);  // step 84: d2weight_1
      at.store(DA, dahat*mean_ddtotal_scaled_2 + A(2)*a*d2total + A(2)*dda*dtotal + du*rstd*ddweight_0);  // step 64, pass 15
      at.store(DB, dbhat*mean_ddtotal_scaled_2 + A(2)*b*d2total + A(2)*ddb*dtotal + dv*rstd*ddweight_1);  // step 70, pass 16
      at.store(DDY_0, cosine*ddu - ddv*sine);  // step 91
      at.store(DDY_1, cosine*ddv + ddu*sine);  // step 92
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> WEIGHT_0;
constexpr Name<FEATURES, 1, false, One> WEIGHT_1;
constexpr Name<FEATURES, 2, false, Zero> DDWEIGHT_0;
constexpr Name<FEATURES, 3, false, Zero> DDWEIGHT_1;
constexpr Name<FEATURES_OUT, 0, HAS_weight_0> OUT_DWEIGHT_0;
constexpr Name<FEATURES_OUT, 1, HAS_weight_1> OUT_DWEIGHT_1;
using Given = decltype(names(WORKSPACE, BLOCKS, WEIGHT_0, WEIGHT_1, DDWEIGHT_0, DDWEIGHT_1, OUT_DWEIGHT_0, OUT_DWEIGHT_1, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      at.store(OUT_DWEIGHT_0, at(D2WEIGHT_0));
      at.store(OUT_DWEIGHT_1, at(D2WEIGHT_1));
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
