// Polynomial of a row whose powers are each scaled to root mean square 1.
// Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
// definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
//
// forward:
//     mean_x6 = mean(x**6)
//     rstd = 1/sqrt(mean_x6 + eps)
//     mean_x4 = mean(x**4)
//     rstd_2 = 1/sqrt(mean_x4 + eps)
//     ms = mean(x**2)
//     rstd_3 = 1/sqrt(ms + eps)
//     first = rstd_3*x
//     y = linear*first + cubic*rstd*x**3 + square*rstd_2*x**2 + bias
// backward:
//     g = linear*dy
//     dx = rstd_3*g + dy*x*(3*cubic*rstd*x + 2*square*rstd_2) - rstd_3*first*mean(first*g) - 3*rstd**3*x**5*mean(cubic*dy*x**3) - 2*rstd_2**3*x**3*mean(square*dy*x**2)
//     dcubic = sum_rows(rstd*sum(dy*x**3))
//     dsquare = sum_rows(rstd_2*sum(dy*x**2))
//     dlinear = sum_rows(sum(dy*first))
//     dbias = sum_rows(sum(dy))
// jvp:
//     rstd_dot = -3*rstd**3*mean(x**5*x_dot)
//     rstd_2_dot = -2*rstd_2**3*mean(x**3*x_dot)
//     y_dot = linear_dot*first + cubic*rstd_dot*x**3 + square*rstd_2_dot*x**2 + cubic_dot*rstd*x**3 + square_dot*rstd_2*x**2 + x*x_dot*(3*cubic*rstd*x + 2*square*rstd_2) + linear*rstd_3*(x_dot - first*mean(first*x_dot)) + bias_dot
// backward_backward:
//     g = linear*dy
//     mean_first_g = mean(first*g)
//     mean_dy_x3 = mean(cubic*dy*x**3)
//     mean_dy_x2 = mean(square*dy*x**2)
//     mean_dy_x3_2 = mean(dy*x**3)
//     mean_dy_x2_2 = mean(dy*x**2)
//     dmean_dy = D*ddbias
//     dmean_dy_first = D*ddlinear
//     dmean_dy_x2_2 = D*ddsquare*rstd_2
//     dmean_dy_x3_2 = D*ddcubic*rstd
//     dmean_dy_x2 = sum(-2*rstd_2**3*ddx*x**3)
//     dmean_dy_x3 = sum(-3*rstd**3*ddx*x**5)
//     dmean_first_g = sum(-rstd_3*ddx*first)
//     dg = rstd_3*ddx + dmean_first_g*first/D
//     d2first = dmean_dy_first*dy/D + dmean_first_g*g/D - mean_first_g*rstd_3*ddx
//     d2rstd_3 = sum(d2first*x) + sum(ddx*(g - mean_first_g*first))
//     d2ms = -d2rstd_3*rstd_3**3/2
//     d2rstd_2 = D*ddsquare*mean_dy_x2_2 + sum(2*ddx*(square*dy*x - 3*mean_dy_x2*rstd_2**2*x**3))
//     d2mean_x4 = -d2rstd_2*rstd_2**3/2
//     d2rstd = D*ddcubic*mean_dy_x3_2 + sum(3*ddx*(cubic*dy*x**2 - 3*mean_dy_x3*rstd**2*x**5))
//     d2mean_x6 = -d2rstd*rstd**3/2
//     d2x = rstd_3*d2first + 2*d2ms*x/D + 4*d2mean_x4*x**3/D + 6*d2mean_x6*x**5/D + 2*dmean_dy_x2_2*dy*x/D + 2*square*dmean_dy_x2*dy*x/D + 3*dmean_dy_x3_2*dy*x**2/D + 3*cubic*dmean_dy_x3*dy*x**2/D + ddx*(3*cubic*rstd*dy*x + dy*(3*cubic*rstd*x + 2*square*rstd_2) - 15*mean_dy_x3*rstd**3*x**4 - 6*mean_dy_x2*rstd_2**3*x**2)
//     d2cubic = sum_rows(dmean_dy_x3*mean_dy_x3_2 + 3*rstd*sum(ddx*dy*x**2))
//     d2square = sum_rows(dmean_dy_x2*mean_dy_x2_2 + 2*rstd_2*sum(ddx*dy*x))
//     d2linear = sum_rows(sum(dg*dy))
//     d2bias = 0
//     ddy = linear*dg + dmean_dy_first*first/D + dmean_dy_x2_2*x**2/D + dmean_dy_x3_2*x**3/D + cubic*dmean_dy_x3*x**3/D + square*dmean_dy_x2*x**2/D + ddx*x*(3*cubic*rstd*x + 2*square*rstd_2) + dmean_dy/D

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_bias = LNGEN_UNDEFINED(LNGEN_WITHOUT_bias);
constexpr bool HAS_bias_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_bias_dot);
constexpr bool HAS_cubic = LNGEN_UNDEFINED(LNGEN_WITHOUT_cubic);
constexpr bool HAS_cubic_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_cubic_dot);
constexpr bool HAS_ddbias = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbias);
constexpr bool HAS_ddcubic = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddcubic);
constexpr bool HAS_ddlinear = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddlinear);
constexpr bool HAS_ddsquare = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddsquare);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_linear = LNGEN_UNDEFINED(LNGEN_WITHOUT_linear);
constexpr bool HAS_linear_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_linear_dot);
constexpr bool HAS_square = LNGEN_UNDEFINED(LNGEN_WITHOUT_square);
constexpr bool HAS_square_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_square_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
struct Absent_CUBIC { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 0, HAS_cubic, Absent_CUBIC> CUBIC;
struct Absent_SQUARE { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 1, HAS_square, Absent_SQUARE> SQUARE;
struct Absent_LINEAR { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 2, HAS_linear, Absent_LINEAR> LINEAR;
constexpr Name<SCALAR, 3, HAS_bias, Zero> BIAS;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> RSTD;
constexpr Name<SAVED_OUT, 1> RSTD_2;
constexpr Name<SAVED_OUT, 2> RSTD_3;
using Given = decltype(names(X, CUBIC, SQUARE, LINEAR, BIAS, EPS, Y, RSTD, RSTD_2, RSTD_3, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 0, 13, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto linear = row(LINEAR);
    const auto bias = row(BIAS);
    const auto eps = row(EPS);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      return terms(math::power<6>(x), math::power<4>(x), x*x);
    });
    const auto mean_x6 = get<0>(stage_1);  // step 1: mean(x**6)
    const auto mean_x4 = get<1>(stage_1);  // step 3: mean(x**4)
    const auto ms = get<2>(stage_1);  // step 5: mean(x**2)
    const auto rstd = math::rsqrt(mean_x6 + eps);  // step 2
    const auto rstd_2 = math::rsqrt(mean_x4 + eps);  // step 4
    const auto rstd_3 = math::rsqrt(ms + eps);  // step 6
    const auto square_scaled = rstd_2*row(SQUARE);  // step 8, pass 1
    const auto cubic_scaled = rstd*row(CUBIC);  // step 8, pass 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto first = x*rstd_3;  // step 7
      at.store(Y, first*linear + math::power<3>(x)*cubic_scaled + (x*x)*square_scaled + bias);  // step 8, pass 4
    });
    row.save(RSTD, rstd);
    row.save(RSTD_2, rstd_2);
    row.save(RSTD_3, rstd_3);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<SAVED, 1> RSTD_2;
constexpr Name<SAVED, 2> RSTD_3;
struct Absent_CUBIC { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 0, HAS_cubic, Absent_CUBIC> CUBIC;
struct Absent_SQUARE { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 1, HAS_square, Absent_SQUARE> SQUARE;
struct Absent_LINEAR { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 2, HAS_linear, Absent_LINEAR> LINEAR;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ALL, 0, HAS_cubic> DCUBIC;
constexpr Name<OVER_ALL, 1, HAS_square> DSQUARE;
constexpr Name<OVER_ALL, 2, HAS_linear> DLINEAR;
constexpr Name<OVER_ALL, 3, HAS_bias> DBIAS;
using Given = decltype(names(X, DY, RSTD, RSTD_2, RSTD_3, CUBIC, SQUARE, LINEAR, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DCUBIC, DSQUARE, DLINEAR, DBIAS)), 7, 0, 20, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD), rstd_2 = row(RSTD_2), rstd_3 = row(RSTD_3);
    const auto cubic = row(CUBIC);
    const auto square = row(SQUARE);
    const auto linear = row(LINEAR);
    const auto square_scaled_2 = A(2)*rstd_2*square;  // step 21, pass 5
    const auto cubic_scaled_2 = A(3)*rstd*cubic;  // step 21, pass 6
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto first = x*rstd_3;  // step 7
      const auto g = dy*linear;  // step 9
      return terms(first*g, dy*math::power<3>(x)*cubic, dy*(x*x)*square, wanted<HAS_cubic>(dy*math::power<3>(x)), wanted<HAS_square>(dy*(x*x)), wanted<HAS_linear>(dy*first), wanted<HAS_bias>(dy));
    });
    const auto mean_first_g = math::quotient(get<0>(stage_2), row.D);  // step 21: mean(first*g)
    const auto mean_dy_x = math::quotient(get<1>(stage_2), row.D);  // step 21: mean(dy*x**3*cubic)
    const auto mean_dy_x_2 = math::quotient(get<2>(stage_2), row.D);  // step 21: mean(dy*x**2*square)
    const auto sum_dy_x = get<3>(stage_2);  // step 23: sum(dy*x**3)
    const auto sum_dy_x_2 = get<4>(stage_2);  // step 25: sum(dy*x**2)
    const auto sum_dy_first = get<5>(stage_2);  // step 26: sum(dy*first)
    const auto sum_dy = get<6>(stage_2);  // step 27: sum(dy)
    const auto mean_first_g_scaled = mean_first_g*rstd_3;  // step 21, pass 11
    const auto mean_dy_x_scaled = A(-3)*mean_dy_x*math::power<3>(rstd);  // step 21, pass 12
    const auto mean_dy_x_2_scaled = A(-2)*mean_dy_x_2*math::power<3>(rstd_2);  // step 21, pass 13
    const auto sum_dy_x_scaled = rstd*sum_dy_x;  // step 23, pass 14
    const auto sum_dy_x_2_scaled = rstd_2*sum_dy_x_2;  // step 25, pass 15
    row.over_rows(DCUBIC, sum_dy_x_scaled);  // step 23, pass 16: dcubic
    row.over_rows(DSQUARE, sum_dy_x_2_scaled);  // step 25, pass 17: dsquare
    row.over_rows(DLINEAR, sum_dy_first);  // step 26: dlinear
    row.over_rows(DBIAS, sum_dy);  // step 27: dbias
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto first = x*rstd_3;  // step 7
      const auto g = dy*linear;  // step 9
      at.store(DX, g*rstd_3 + math::power<3>(x)*mean_dy_x_2_scaled + math::power<5>(x)*mean_dy_x_scaled + (x*cubic_scaled_2 + square_scaled_2)*dy*x - first*mean_first_g_scaled);  // step 21, pass 19
    });
  }
};

namespace columns {

struct Absent_CUBIC { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 0, false, Absent_CUBIC> CUBIC;
struct Absent_SQUARE { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 1, false, Absent_SQUARE> SQUARE;
struct Absent_LINEAR { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 2, false, Absent_LINEAR> LINEAR;
constexpr Name<SCALARS_OUT, 0, HAS_cubic> OUT_DCUBIC;
constexpr Name<SCALARS_OUT, 1, HAS_square> OUT_DSQUARE;
constexpr Name<SCALARS_OUT, 2, HAS_linear> OUT_DLINEAR;
constexpr Name<SCALARS_OUT, 3, HAS_bias> OUT_DBIAS;
using Given = decltype(names(WORKSPACE, BLOCKS, CUBIC, SQUARE, LINEAR, OUT_DCUBIC, OUT_DSQUARE, OUT_DLINEAR, OUT_DBIAS, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.store(OUT_DCUBIC, call(DCUBIC));
    call.store(OUT_DSQUARE, call(DSQUARE));
    call.store(OUT_DLINEAR, call(DLINEAR));
    call.store(OUT_DBIAS, call(DBIAS));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_cubic_dot || HAS_linear_dot || HAS_square_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<SAVED, 1> RSTD_2;
constexpr Name<SAVED, 2> RSTD_3;
struct Absent_CUBIC { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 0, HAS_cubic && HAS_x_dot, Absent_CUBIC> CUBIC;
struct Absent_SQUARE { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 1, HAS_square && HAS_x_dot, Absent_SQUARE> SQUARE;
struct Absent_LINEAR { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 2, HAS_linear && HAS_x_dot, Absent_LINEAR> LINEAR;
constexpr Name<SCALAR, 3, HAS_cubic_dot, Zero> CUBIC_DOT;
constexpr Name<SCALAR, 4, HAS_square_dot, Zero> SQUARE_DOT;
constexpr Name<SCALAR, 5, HAS_linear_dot, Zero> LINEAR_DOT;
constexpr Name<SCALAR, 6, HAS_bias_dot, Zero> BIAS_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, RSTD, RSTD_2, RSTD_3, CUBIC, SQUARE, LINEAR, CUBIC_DOT, SQUARE_DOT, LINEAR_DOT, BIAS_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 0, 22, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD), rstd_2 = row(RSTD_2), rstd_3 = row(RSTD_3);
    const auto cubic = row(CUBIC);
    const auto square = row(SQUARE);
    const auto linear_dot = row(LINEAR_DOT);
    const auto bias_dot = row(BIAS_DOT);
    const auto square_dot_scaled = rstd_2*row(SQUARE_DOT);  // step 43, pass 20
    const auto cubic_dot_scaled = rstd*row(CUBIC_DOT);  // step 43, pass 21
    const auto rstd_3_scaled = rstd_3*row(LINEAR);  // step 43, pass 22
    const auto square_scaled_2 = A(2)*rstd_2*square;  // step 43, pass 23
    const auto cubic_scaled_2 = A(3)*rstd*cubic;  // step 43, pass 24
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto first = x*rstd_3;  // step 7
      return terms(math::power<5>(x)*x_dot, math::power<3>(x)*x_dot, first*x_dot);
    });
    const auto mean_x_x_dot = get<0>(stage_2);  // step 31: mean(x**5*x_dot)
    const auto mean_x_x_dot_2 = get<1>(stage_2);  // step 35: mean(x**3*x_dot)
    const auto mean_first_x_dot = get<2>(stage_2);  // step 43: mean(first*x_dot)
    const auto rstd_dot = A(-3)*mean_x_x_dot*math::power<3>(rstd);  // step 31
    const auto rstd_2_dot = A(-2)*mean_x_x_dot_2*math::power<3>(rstd_2);  // step 35
    const auto rstd_2_dot_scaled = rstd_2_dot*square;  // step 43, pass 27
    const auto rstd_dot_scaled = rstd_dot*cubic;  // step 43, pass 28
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto first = x*rstd_3;  // step 7
      at.store(Y_DOT, first*linear_dot + math::power<3>(x)*cubic_dot_scaled + (x*x)*rstd_2_dot_scaled + math::power<3>(x)*rstd_dot_scaled + (x*x)*square_dot_scaled + (x_dot - first*mean_first_x_dot)*rstd_3_scaled + (x*cubic_scaled_2 + square_scaled_2)*x*x_dot + bias_dot);  // step 43, pass 30
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddcubic || HAS_ddlinear || HAS_ddsquare || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddcubic || HAS_ddlinear || HAS_ddsquare || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<SAVED, 1> RSTD_2;
constexpr Name<SAVED, 2> RSTD_3;
struct Absent_CUBIC { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 0, HAS_cubic && HAS_ddx, Absent_CUBIC> CUBIC;
struct Absent_SQUARE { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 1, HAS_ddx && HAS_square, Absent_SQUARE> SQUARE;
struct Absent_LINEAR { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 2, HAS_ddx && HAS_linear, Absent_LINEAR> LINEAR;
constexpr Name<SCALAR, 3, HAS_ddcubic, Zero> DDCUBIC;
constexpr Name<SCALAR, 4, HAS_ddsquare, Zero> DDSQUARE;
constexpr Name<SCALAR, 5, HAS_ddlinear, Zero> DDLINEAR;
constexpr Name<SCALAR, 6, HAS_ddbias, Zero> DDBIAS;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ALL, 0, HAS_cubic && HAS_ddx> D2CUBIC;
constexpr Name<OVER_ALL, 1, HAS_ddx && HAS_square> D2SQUARE;
constexpr Name<OVER_ALL, 2, HAS_ddx && HAS_linear> D2LINEAR;
using Given = decltype(names(X, DY, DDX, RSTD, RSTD_2, RSTD_3, CUBIC, SQUARE, LINEAR, DDCUBIC, DDSQUARE, DDLINEAR, DDBIAS, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2CUBIC, D2SQUARE, D2LINEAR)), 10, 0, 61, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD), rstd_2 = row(RSTD_2), rstd_3 = row(RSTD_3);
    const auto cubic = row(CUBIC);
    const auto square = row(SQUARE);
    const auto linear = row(LINEAR);
    const auto ddcubic = row(DDCUBIC);
    const auto ddsquare = row(DDSQUARE);
    const auto dmean_dy = row.D*row(DDBIAS);  // step 83
    const auto dmean_dy_first = row.D*row(DDLINEAR);  // step 59
    const auto dmean_dy_x2_2 = rstd_2*row.D*ddsquare;  // step 52
    const auto dmean_dy_x3_2 = rstd*row.D*ddcubic;  // step 54
    const auto rstd_2_scaled = A(-2)*math::power<3>(rstd_2);  // step 55, pass 31
    const auto rstd_scaled = A(-3)*math::power<3>(rstd);  // step 56, pass 32
    const auto dmean_dy_first_scaled = math::quotient(dmean_dy_first, row.D);  // step 61, pass 33
    const auto square_scaled_2 = A(2)*rstd_2*square;  // step 71, pass 34
    const auto cubic_scaled_2 = A(3)*rstd*cubic;  // step 71, pass 35
    const auto dmean_dy_x2_2_scaled = math::quotient(A(2)*dmean_dy_x2_2, row.D);  // step 71, pass 36
    const auto dmean_dy_x3_2_scaled = math::quotient(A(3)*dmean_dy_x3_2, row.D);  // step 71, pass 37
    const auto dmean_dy_scaled = math::quotient(dmean_dy, row.D);  // step 84, pass 38
    const auto dmean_dy_x2_2_scaled_2 = math::quotient(dmean_dy_x2_2, row.D);  // step 84, pass 39
    const auto dmean_dy_x3_2_scaled_2 = math::quotient(dmean_dy_x3_2, row.D);  // step 84, pass 40
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto first = x*rstd_3;  // step 7
      const auto g = dy*linear;  // step 46
      return terms(wanted<HAS_ddx>(first*g), wanted<HAS_ddx>(dy*math::power<3>(x)*cubic), wanted<HAS_ddx>(dy*(x*x)*square), wanted<(HAS_cubic && HAS_ddx) || HAS_ddcubic>(dy*math::power<3>(x)), wanted<HAS_ddsquare || (HAS_ddx && HAS_square)>(dy*(x*x)), ddx*math::power<3>(x)*rstd_2_scaled, ddx*math::power<5>(x)*rstd_scaled, -ddx*first*rstd_3, wanted<HAS_cubic && HAS_ddx>(ddx*dy*(x*x)), wanted<HAS_ddx && HAS_square>(ddx*dy*x));
    });
    const auto mean_first_g = math::quotient(get<0>(stage_2), row.D);  // step 47: mean(first*g)
    const auto mean_dy_x3 = math::quotient(get<1>(stage_2), row.D);  // step 44: mean(dy*x**3*cubic)
    const auto mean_dy_x2 = math::quotient(get<2>(stage_2), row.D);  // step 45: mean(dy*x**2*square)
    const auto mean_dy_x3_2 = math::quotient(get<3>(stage_2), row.D);  // step 49: mean(dy*x**3)
    const auto mean_dy_x2_2 = math::quotient(get<4>(stage_2), row.D);  // step 50: mean(dy*x**2)
    const auto dmean_dy_x2 = get<5>(stage_2);  // step 55, pass 42: sum(rstd_2_scaled*ddx*x**3)
    const auto dmean_dy_x3 = get<6>(stage_2);  // step 56, pass 43: sum(rstd_scaled*ddx*x**5)
    const auto dmean_first_g = get<7>(stage_2);  // step 60: sum(-rstd_3*ddx*first)
    const auto sum_ddx_dy_x_3 = get<8>(stage_2);  // step 74: sum(ddx*dy*x**2)
    const auto sum_ddx_dy_x_4 = get<9>(stage_2);  // step 77: sum(ddx*dy*x)
    const auto dmean_first_g_scaled = math::quotient(dmean_first_g, row.D);  // step 78, pass 47
    const auto mean_first_g_scaled = mean_first_g*rstd_3;  // step 61, pass 48
    const auto mean_dy_x2_scaled = A(-6)*mean_dy_x2*(rstd_2*rstd_2);  // step 65, pass 49
    const auto mean_dy_x3_scaled = A(-9)*mean_dy_x3*(rstd*rstd);  // step 68, pass 50
    const auto mean_dy_x3_scaled_2 = A(-15)*mean_dy_x3*math::power<3>(rstd);  // step 71, pass 51
    const auto mean_dy_x2_scaled_2 = A(-6)*mean_dy_x2*math::power<3>(rstd_2);  // step 71, pass 52
    const auto dmean_dy_x2_scaled = math::quotient(A(2)*dmean_dy_x2*square, row.D);  // step 71, pass 53
    const auto dmean_dy_x3_scaled = math::quotient(A(3)*dmean_dy_x3*cubic, row.D);  // step 71, pass 54
    const auto sum_ddx_dy_x_3_shifted = dmean_dy_x3*mean_dy_x3_2 + A(3)*rstd*sum_ddx_dy_x_3;  // step 74, pass 55
    const auto sum_ddx_dy_x_4_shifted = dmean_dy_x2*mean_dy_x2_2 + A(2)*rstd_2*sum_ddx_dy_x_4;  // step 77, pass 56
    const auto dmean_dy_x2_scaled_2 = math::quotient(dmean_dy_x2*square, row.D);  // step 84, pass 57
    const auto dmean_dy_x3_scaled_2 = math::quotient(dmean_dy_x3*cubic, row.D);  // step 84, pass 58
    row.over_rows(D2CUBIC, sum_ddx_dy_x_3_shifted);  // step 74, pass 59: d2cubic
    row.over_rows(D2SQUARE, sum_ddx_dy_x_4_shifted);  // step 77, pass 60: d2square
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto first = x*rstd_3;  // step 7
      const auto g = dy*linear;  // step 46
      const auto dg = first*dmean_first_g_scaled + ddx*rstd_3;  // step 78, pass 71
      const auto d2first = dy*dmean_dy_first_scaled + g*dmean_first_g_scaled - ddx*mean_first_g_scaled;  // step 61, pass 62
      at.store(DDY, dg*linear + first*dmean_dy_first_scaled + (x*x)*dmean_dy_x2_2_scaled_2 + (x*x)*dmean_dy_x2_scaled_2 + math::power<3>(x)*dmean_dy_x3_2_scaled_2 + math::power<3>(x)*dmean_dy_x3_scaled_2 + (x*cubic_scaled_2 + square_scaled_2)*ddx*x + dmean_dy_scaled);  // step 84, pass 72
      return terms((g - first*mean_first_g)*ddx, d2first*x, ddx*(math::power<3>(x)*mean_dy_x2_scaled + A(2)*dy*x*square), ddx*(math::power<5>(x)*mean_dy_x3_scaled + A(3)*dy*(x*x)*cubic), wanted<HAS_linear>(dg*dy));
    });
    const auto sum_ddx_first_g = get<0>(stage_3);  // step 62: sum(ddx*(-mean_first_g*first + g))
    const auto sum_d2first_x = get<1>(stage_3);  // step 62: sum(d2first*x)
    const auto sum_ddx_dy_x = get<2>(stage_3);  // step 65, pass 65: sum(ddx*(mean_dy_x2_scaled*x**3 + 2*dy*x*square))
    const auto sum_ddx_dy_x_2 = get<3>(stage_3);  // step 68, pass 66: sum(ddx*(mean_dy_x3_scaled*x**5 + 3*dy*x**2*cubic))
    const auto sum_dg_dy = get<4>(stage_3);  // step 79: sum(dg*dy)
    const auto d2rstd_3 = sum_d2first_x + sum_ddx_first_g;  // step 62
    const auto d2ms = A(-0.5)*d2rstd_3*math::power<3>(rstd_3);  // step 64
    const auto d2rstd_2 = sum_ddx_dy_x + mean_dy_x2_2*row.D*ddsquare;  // step 65
    const auto d2mean_x4 = A(-0.5)*d2rstd_2*math::power<3>(rstd_2);  // step 67
    const auto d2rstd = sum_ddx_dy_x_2 + mean_dy_x3_2*row.D*ddcubic;  // step 68
    const auto d2mean_x6 = A(-0.5)*d2rstd*math::power<3>(rstd);  // step 70
    const auto d2ms_scaled = math::quotient(A(2)*d2ms, row.D);  // step 71, pass 67
    const auto d2mean_x4_scaled = math::quotient(A(4)*d2mean_x4, row.D);  // step 71, pass 68
    const auto d2mean_x6_scaled = math::quotient(A(6)*d2mean_x6, row.D);  // step 71, pass 69
    row.over_rows(D2LINEAR, sum_dg_dy);  // step 79: d2linear
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto g = dy*linear;  // step 46
      const auto d2first = dy*dmean_dy_first_scaled + g*dmean_first_g_scaled - ddx*mean_first_g_scaled;  // step 61, pass 62
      at.store(DX, x*d2ms_scaled + d2first*rstd_3 + math::power<3>(x)*d2mean_x4_scaled + math::power<5>(x)*d2mean_x6_scaled + dy*x*dmean_dy_x2_2_scaled + dy*x*dmean_dy_x2_scaled + dy*(x*x)*dmean_dy_x3_2_scaled + dy*(x*x)*dmean_dy_x3_scaled + (dy*x*cubic_scaled_2 + (x*x)*mean_dy_x2_scaled_2 + math::power<4>(x)*mean_dy_x3_scaled_2 + (x*cubic_scaled_2 + square_scaled_2)*dy)*ddx);  // step 71, pass 70
    });
  }
};

namespace columns {

struct Absent_CUBIC { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 0, false, Absent_CUBIC> CUBIC;
struct Absent_SQUARE { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 1, false, Absent_SQUARE> SQUARE;
struct Absent_LINEAR { static constexpr double VALUE = 0.3333333333333333; };
constexpr Name<SCALAR, 2, false, Absent_LINEAR> LINEAR;
constexpr Name<SCALAR, 3, false, Zero> DDCUBIC;
constexpr Name<SCALAR, 4, false, Zero> DDSQUARE;
constexpr Name<SCALAR, 5, false, Zero> DDLINEAR;
constexpr Name<SCALAR, 6, false, Zero> DDBIAS;
constexpr Name<SCALARS_OUT, 0, HAS_cubic> OUT_DCUBIC;
constexpr Name<SCALARS_OUT, 1, HAS_square> OUT_DSQUARE;
constexpr Name<SCALARS_OUT, 2, HAS_linear> OUT_DLINEAR;
constexpr Name<SCALARS_OUT, 3, HAS_bias> OUT_DBIAS;
using Given = decltype(names(WORKSPACE, BLOCKS, CUBIC, SQUARE, LINEAR, DDCUBIC, DDSQUARE, DDLINEAR, DDBIAS, OUT_DCUBIC, OUT_DSQUARE, OUT_DLINEAR, OUT_DBIAS, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    using A = typename Call::A;
    const auto d2bias = A(0);  // step 80
    call.store(OUT_DCUBIC, call(D2CUBIC));
    call.store(OUT_DSQUARE, call(D2SQUARE));
    call.store(OUT_DLINEAR, call(D2LINEAR));
    call.store(OUT_DBIAS, d2bias);
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
