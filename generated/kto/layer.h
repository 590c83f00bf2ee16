// Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.
// Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
// Do not edit; edit kto.py and run: lngen derive kto.py
// definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
//
// forward:
//     reward = logp - reference - divergence
//     u = -beta*reward
//     sigmoid_u = sigmoid(u)
//     u_2 = beta*reward
//     sigmoid_u_2 = sigmoid(u_2)
//     y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)
// backward:
//     dlogp = beta*where(desirable > 0, -gain*dy*sigmoid_u*(1 - sigmoid_u), loss*dy*sigmoid_u_2*(1 - sigmoid_u_2))
// jvp:
//     y_dot = where(desirable > 0, -beta*gain*logp_dot*sigmoid_u*(1 - sigmoid_u), beta*loss*logp_dot*sigmoid_u_2*(1 - sigmoid_u_2))
// backward_backward:
//     d2logp = beta*where(desirable > 0, -beta*ddlogp*sigmoid_u*(1 - sigmoid_u)*(gain*dy*sigmoid_u - gain*dy*(1 - sigmoid_u)), beta*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2)*(loss*dy*(1 - sigmoid_u_2) - loss*dy*sigmoid_u_2))
//     ddy = where(desirable > 0, -beta*gain*ddlogp*sigmoid_u*(1 - sigmoid_u), beta*loss*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddlogp = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddlogp);
constexpr bool HAS_divergence = LNGEN_UNDEFINED(LNGEN_WITHOUT_divergence);
constexpr bool HAS_logp_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_logp_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> LOGP;
constexpr Name<ROWS, 1> REFERENCE;
constexpr Name<INTEGER_ROWS, 0> DESIRABLE;
constexpr Name<ROWS, 2, HAS_divergence, Zero> DIVERGENCE;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> GAIN;
constexpr Name<NUMBER, 2> LOSS;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(LOGP, REFERENCE, DESIRABLE, DIVERGENCE, BETA, GAIN, LOSS, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto gain = row(GAIN);
    const auto loss = row(LOSS);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto logp = at(LOGP);
      const auto reference = at(REFERENCE);
      const auto desirable = at(DESIRABLE);
      const auto divergence = at(DIVERGENCE);
      const auto total = logp - reference;  // step 1
      const auto reward = total - divergence;  // step 2
      const auto u = -reward*beta;  // step 3
      const auto sigmoid_u = math::sigmoid(u);  // step 4
      const auto u_2 = reward*beta;  // step 5
      const auto sigmoid_u_2 = math::sigmoid(u_2);  // step 6
      at.store(Y, choose<A>(desirable > 0, sigmoid_u*gain, sigmoid_u_2*loss));  // step 7
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> LOGP;
constexpr Name<ROWS, 1> REFERENCE;
constexpr Name<INTEGER_ROWS, 0> DESIRABLE;
constexpr Name<ROWS, 2, HAS_divergence, Zero> DIVERGENCE;
constexpr Name<ROWS, 3> DY;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> GAIN;
constexpr Name<NUMBER, 2> LOSS;
constexpr Name<ROWS_OUT, 0> DLOGP;
using Given = decltype(names(LOGP, REFERENCE, DESIRABLE, DIVERGENCE, DY, BETA, GAIN, LOSS, DLOGP, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto gain = row(GAIN);
    const auto loss = row(LOSS);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto logp = at(LOGP);
      const auto reference = at(REFERENCE);
      const auto desirable = at(DESIRABLE);
      const auto divergence = at(DIVERGENCE);
      const auto dy = at(DY);
      const auto total = logp - reference;  // step 1
      const auto reward = total - divergence;  // step 2
      const auto u = -reward*beta;  // step 3
      const auto sigmoid_u = math::sigmoid(u);  // step 4
      const auto u_2 = reward*beta;  // step 5
      const auto sigmoid_u_2 = math::sigmoid(u_2);  // step 6
      at.store(DLOGP, choose<A>(desirable > 0, -(A(1) - sigmoid_u)*dy*sigmoid_u*gain, (A(1) - sigmoid_u_2)*dy*sigmoid_u_2*loss)*beta);  // step 20
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_logp_dot, Zero> LOGP;
constexpr Name<ROWS, 1, HAS_logp_dot, Zero> REFERENCE;
constexpr Name<INTEGER_ROWS, 0, HAS_logp_dot, Zero> DESIRABLE;
constexpr Name<ROWS, 2, HAS_divergence && HAS_logp_dot, Zero> DIVERGENCE;
constexpr Name<ROWS, 3, HAS_logp_dot, Zero> LOGP_DOT;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> GAIN;
constexpr Name<NUMBER, 2> LOSS;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(LOGP, REFERENCE, DESIRABLE, DIVERGENCE, LOGP_DOT, BETA, GAIN, LOSS, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto gain = row(GAIN);
    const auto loss = row(LOSS);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto logp = at(LOGP);
      const auto reference = at(REFERENCE);
      const auto desirable = at(DESIRABLE);
      const auto divergence = at(DIVERGENCE);
      const auto logp_dot = at(LOGP_DOT);
      const auto total = logp - reference;  // step 1
      const auto reward = total - divergence;  // step 2
      const auto u = -reward*beta;  // step 3
      const auto sigmoid_u = math::sigmoid(A(u));  // step 4
      const auto u_2 = reward*beta;  // step 5
      const auto sigmoid_u_2 = math::sigmoid(A(u_2));  // step 6
      at.store(Y_DOT, choose<A>(integer(desirable) > 0, -(A(1) - sigmoid_u)*logp_dot*sigmoid_u*beta*gain, (A(1) - sigmoid_u_2)*logp_dot*sigmoid_u_2*beta*loss));  // step 30
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddlogp, Zero> LOGP;
constexpr Name<ROWS, 1, HAS_ddlogp, Zero> REFERENCE;
constexpr Name<INTEGER_ROWS, 0, HAS_ddlogp, Zero> DESIRABLE;
constexpr Name<ROWS, 2, HAS_ddlogp && HAS_divergence, Zero> DIVERGENCE;
constexpr Name<ROWS, 3, HAS_ddlogp, Zero> DY;
constexpr Name<ROWS, 4, HAS_ddlogp, Zero> DDLOGP;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> GAIN;
constexpr Name<NUMBER, 2> LOSS;
constexpr Name<ROWS_OUT, 0> DLOGP;
constexpr Name<ROWS_OUT, 1> DDY;
using Given = decltype(names(LOGP, REFERENCE, DESIRABLE, DIVERGENCE, DY, DDLOGP, BETA, GAIN, LOSS, DLOGP, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 3, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto gain = row(GAIN);
    const auto loss = row(LOSS);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto logp = at(LOGP);
      const auto reference = at(REFERENCE);
      const auto desirable = at(DESIRABLE);
      const auto divergence = at(DIVERGENCE);
      const auto dy = at(DY);
      const auto ddlogp = at(DDLOGP);
      const auto total = logp - reference;  // step 1
      const auto reward = total - divergence;  // step 2
      const auto u = -reward*beta;  // step 3
      const auto sigmoid_u = math::sigmoid(A(u));  // step 4
      const auto u_2 = reward*beta;  // step 5
      const auto sigmoid_u_2 = math::sigmoid(A(u_2));  // step 6
      at.store(DLOGP, choose<A>(integer(desirable) > 0, -(A(1) - sigmoid_u)*ddlogp*(dy*sigmoid_u*gain - (A(1) - sigmoid_u)*dy*gain)*sigmoid_u*beta, ((A(1) - sigmoid_u_2)*dy*loss - dy*sigmoid_u_2*loss)*(A(1) - sigmoid_u_2)*ddlogp*sigmoid_u_2*beta)*beta);  // step 42
      at.store(DDY, choose<A>(integer(desirable) > 0, -(A(1) - sigmoid_u)*ddlogp*sigmoid_u*beta*gain, (A(1) - sigmoid_u_2)*ddlogp*sigmoid_u_2*beta*loss));  // step 43
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
