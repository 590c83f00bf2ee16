// Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.
// Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
// Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
// Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
//
// forward:
//     u = x + bias
//     softplus_u = softplus(u)
//     exp_rate = exp(rate)
//     y = -exp_rate*softplus_u
// backward:
//     dx = -exp_rate*dy*sigmoid(u)
//     drate = sum(sum(dy*y), "b t")
//     dbias = sum(dx, "b t")
// jvp:
//     exp_rate_dot = exp_rate*rate_dot
//     y_dot = -exp_rate_dot*softplus_u - exp_rate*sigmoid(u)*(bias_dot + x_dot)
// backward_backward:
//     ddx_2 = ddbias + ddx
//     d2y = ddrate*dy
//     d2x = -exp_rate*sigmoid(u)*(d2y + ddx_2*dy*(1 - sigmoid(u)))
//     d2rate = sum(D*exp_rate*(mean(-d2y*softplus_u) + mean(-ddx_2*dy*sigmoid(u))), "b t")
//     d2bias = sum(d2x, "b t")
//     ddy = ddrate*y - exp_rate*ddx_2*sigmoid(u)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_bias = LNGEN_UNDEFINED(LNGEN_WITHOUT_bias);
constexpr bool HAS_bias_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_bias_dot);
constexpr bool HAS_ddbias = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbias);
constexpr bool HAS_ddrate = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddrate);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_rate = LNGEN_UNDEFINED(LNGEN_WITHOUT_rate);
constexpr bool HAS_rate_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_rate_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0, HAS_rate, Zero> RATE;
constexpr Name<ROWS, 1, HAS_bias, Zero> BIAS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> EXP_RATE;
using Given = decltype(names(X, RATE, BIAS, Y, EXP_RATE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto exp_rate = math::exp(A(row(RATE)));  // step 3
    row.each([&](auto at) {
      const auto x = at(X);
      const auto bias = at(BIAS);
      const auto u = bias + x;  // step 1
      const auto softplus_u = math::softplus(u);  // step 2
      at.store(Y, -softplus_u*exp_rate);  // step 4
    });
    row.save(EXP_RATE, exp_rate);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1, HAS_bias, Zero> BIAS;
constexpr Name<ROWS, 2> DY;
constexpr Name<SAVED, 0> EXP_RATE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1, HAS_bias> DBIAS;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_rate> DRATE;
using Given = decltype(names(X, BIAS, DY, EXP_RATE, DX, DBIAS, DRATE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 2, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto exp_rate = row(EXP_RATE);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto bias = at(BIAS);
      const auto dy = at(DY);
      const auto u = bias + x;  // step 1
      const auto softplus_u = math::softplus(u);  // step 2
      const auto y = -softplus_u*exp_rate;  // step 4
      const auto dx = -math::sigmoid(u)*dy*exp_rate;  // step 7
      at.store(DX, dx);
      at.store(DBIAS, dx);
      return terms(wanted<HAS_rate>(dy*y));
    });
    const auto drate = get<0>(stage_1);  // step 11: sum(dy*y)
    row.store(DRATE, drate);
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_bias_dot || HAS_rate_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, (HAS_bias && HAS_bias_dot) || (HAS_bias && HAS_rate_dot) || (HAS_bias && HAS_x_dot), Zero> BIAS;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROW_NUMBERS, 0, HAS_rate_dot, Zero> RATE_DOT;
constexpr Name<ROWS, 3, HAS_bias_dot, Zero> BIAS_DOT;
constexpr Name<SAVED, 0> EXP_RATE;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, BIAS, X_DOT, RATE_DOT, BIAS_DOT, EXP_RATE, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto exp_rate = row(EXP_RATE);
    const auto exp_rate_dot = exp_rate*row(RATE_DOT);  // step 15
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto bias = at(BIAS);
      const auto x_dot = at(X_DOT);
      const auto bias_dot = at(BIAS_DOT);
      const auto u = bias + x;  // step 1
      const auto softplus_u = math::softplus(A(u));  // step 2
      at.store(Y_DOT, -softplus_u*exp_rate_dot - math::sigmoid(A(u))*(bias_dot + x_dot)*exp_rate);  // step 18
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddbias || HAS_ddrate || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, (HAS_bias && HAS_ddbias) || (HAS_bias && HAS_ddrate) || (HAS_bias && HAS_ddx), Zero> BIAS;
constexpr Name<ROWS, 2, HAS_ddbias || HAS_ddrate || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROW_NUMBERS, 0, HAS_ddrate, Zero> DDRATE;
constexpr Name<ROWS, 4, HAS_ddbias, Zero> DDBIAS;
constexpr Name<SAVED, 0> EXP_RATE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1, HAS_bias> DBIAS;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_rate> DRATE;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(X, BIAS, DY, DDX, DDRATE, DDBIAS, EXP_RATE, DX, DBIAS, DRATE, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 4, 5, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto exp_rate = row(EXP_RATE);
    const auto ddrate = row(DDRATE);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto bias = at(BIAS);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddbias = at(DDBIAS);
      const auto u = bias + x;  // step 1
      const auto softplus_u = math::softplus(A(u));  // step 2
      const auto y = -softplus_u*exp_rate;  // step 4
      const auto ddx_2 = ddbias + ddx;  // step 21
      const auto d2y = dy*ddrate;  // step 26
      const auto d2x = (-d2y - (A(1) - math::sigmoid(A(u)))*ddx_2*dy)*math::sigmoid(A(u))*exp_rate;  // step 30
      at.store(DX, d2x);
      at.store(DBIAS, d2x);
      at.store(DDY, y*ddrate - math::sigmoid(A(u))*ddx_2*exp_rate);  // step 39
      return terms(wanted<(HAS_ddbias && HAS_rate) || (HAS_ddrate && HAS_rate) || (HAS_ddx && HAS_rate)>(-d2y*softplus_u), wanted<(HAS_ddbias && HAS_rate) || (HAS_ddrate && HAS_rate) || (HAS_ddx && HAS_rate)>(-math::sigmoid(A(u))*ddx_2*dy));
    });
    const auto mean_d2y_softplus_u = get<0>(stage_1);  // step 34: mean(-d2y*softplus_u)
    const auto mean_ddx_2_dy_u = get<1>(stage_1);  // step 34: mean(-ddx_2*dy*Sigmoid(u))
    const auto d2rate = exp_rate*(mean_d2y_softplus_u + mean_ddx_2_dy_u)*row.D;  // step 34
    row.store(DRATE, d2rate);
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
