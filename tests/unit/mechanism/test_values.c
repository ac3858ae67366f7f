/* Objectives and constraints on scalars and on each other: values and derivatives by hand, all methods, messages. */
#include "opened_run.h"

static const char *const model =
    "schema = 1\n[model]\nname = drop\ngravity = 0, -g, 0\njoints = named\n[scalars]\ng = 10\nv = 2\nL = 3\nwidth = "
    "2*L\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n[body b]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[joint j]\ntype = prismatic\nbodies = ground, b\naxis = y\n[start]\nhold.j.distance = L\nrate.j.distance = v\n";

#define HEAD "schema = 1\n[model]\nfile = MODEL\n"

static const char *const mixed = HEAD
    "[design v]\n[design L]\n[case c]\nduration = 0.5\nstep = 0.01\n[case moon]\nduration = 0.5\nstep = 0.01\nscalar.g "
    "= 1.6\n"
    "[objective fall]\nof = j.distance\nform = terminal\ncase = c\nweight = 2\n"
    "[objective moonfall]\nof = j.distance\nform = terminal\ncase = moon\nweight = 0\n"
    "[objective both]\nvalue = (fall - moonfall)*width^2 + sin(v)\n"
    "[constraint room]\nvalue = width - v/2 + 1\nupper = 9\n[constraint twice]\nvalue = both*L + g\ncase = moon\nupper "
    "= 99\n";

static const double rho[] = {1.5, 4};

/* Values, and derivatives by v and L, of fall, moonfall, both, room, twice; the height after t = 0.5 s is L + v t - g t^2/2. */
static void by_hand(double psi[5], double grad[5][2]) {
  const double v = rho[0], L = rho[1], t = 0.5, gap = -(10 - 1.6) * t * t / 2;
  const double value[] = {L + v * t - 10 * t * t / 2, L + v * t - 1.6 * t * t / 2, gap * 4 * L * L + sin(v),
                          2 * L - v / 2 + 1};
  const double slope[][2] = {{t, 1}, {t, 1}, {cos(v), 8 * gap * L}, {-0.5, 2}};
  memcpy(psi, value, sizeof value), memcpy(grad, slope, sizeof slope);
  psi[4] = psi[2] * L + 1.6;
  grad[4][0] = grad[2][0] * L, grad[4][1] = grad[2][1] * L + psi[2];
}

static void test_methods(void) {
  static const char *const methods[] = {"direct",       "discrete_adjoint",    "continuous_adjoint",
                                        "complex_step", "central_differences", "auto"};
  opened_run r = run_open_texts(model, mixed, 0, NULL);
  double psi[5], grad[5][2];
  mbd_error err = {0};
  by_hand(psi, grad);
  for (int k = 0; k < 6; k++) {
    must(mechanism_evaluate(r.m, rho, methods[k], &err), &err);
    const double tol = k == 4 ? 1e-6 : 1e-9;
    for (int i = 0; i < 5; i++) {
      CU_ASSERT(test_close(mechanism_quantity(r.m, i), r.m->psi[i], psi[i], 1e-10));
      for (int j = 0; j < 2; j++) { CU_ASSERT(test_close(methods[k], r.m->grad[2 * i + j], grad[i][j], tol)); }
    }
  }
  CU_ASSERT(test_close("f", r.m->f, 2 * psi[0] + psi[2], 1e-10));
  run_close(&r);
}

/* What backends see: the sum, the constraints, which of them are linear; second derivatives by hand. */
static void test_problem(void) {
  opened_run r = run_open_texts(model, mixed, 0, NULL);
  double psi[5], grad[5][2], g[2], c[2], jac[2][2], hess[3][2][2];
  mbo_problem p;
  mbo_eval v = {.g = g, .c = c, .jac = &jac[0][0], .hess = &hess[0][0][0]};
  by_hand(psi, grad);
  mechanism_problem(r.m, &p);
  CU_ASSERT(p.c_linear[0] && !p.c_linear[1]);
  CU_ASSERT(!p.has_gauss_newton && p.has_hessian);
  run_evaluate(&p, rho, MBO_REQUEST_GRADIENT | MBO_REQUEST_HESSIAN, &v);
  for (int j = 0; j < 2; j++) {
    CU_ASSERT(test_close("g", g[j], 2 * grad[0][j] + grad[2][j], 1e-9));
    CU_ASSERT(test_close("room'", jac[0][j], grad[3][j], 1e-9));
    CU_ASSERT(test_close("twice'", jac[1][j], grad[4][j], 1e-9));
  }
  const double gap = -(10 - 1.6) * 0.125, both[2][2] = {{-sin(rho[0]), 0}, {0, 8 * gap}};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      const double twice = both[i][j] * rho[1] + (i == 1 ? grad[2][j] : 0) + (j == 1 ? grad[2][i] : 0);
      CU_ASSERT(test_close("both''", hess[0][i][j], both[i][j], 1e-8));
      CU_ASSERT(test_close("room''", hess[1][i][j], 0, 1e-12));
      CU_ASSERT(test_close("twice''", hess[2][i][j], twice, 1e-8));
    }
  }
  /* the same times (1, -2) */
  const double w[] = {1, -2}, along = grad[2][0] * w[0] + grad[2][1] * w[1];
  double Hw[3][2];
  mbd_error err = {0};
  must(mechanism_hessian_product(r.m, rho, w, &Hw[0][0], &err), &err);
  for (int i = 0; i < 2; i++) {
    const double product = both[i][i] * w[i];
    CU_ASSERT(test_close("both'' w", Hw[0][i], product, 1e-8));
    CU_ASSERT(test_close("room'' w", Hw[1][i], 0, 1e-12));
    CU_ASSERT(test_close("twice'' w", Hw[2][i], product * rho[1] + grad[2][i] * w[1] + (i == 1 ? along : 0), 1e-8));
  }
  run_close(&r);
}

/* Without a case, nothing is simulated; the sum of an adjoint run has scalars beside it. */
static void test_without_case(void) {
  opened_run r = run_open_texts(
      model,
      HEAD "[design L]\n[design v]\n[objective o]\nvalue = (L - 1)^2*v + g\n[constraint c]\nvalue = o/L\nlower = 1\n",
      0, NULL);
  double g[2], c[1], jac[2];
  const double x[] = {3, 2};
  mbo_problem p;
  mbo_eval v = {.g = g, .c = c, .jac = jac};
  mechanism_problem(r.m, &p);
  run_evaluate(&p, x, MBO_REQUEST_GRADIENT, &v);
  CU_ASSERT(test_close("o", v.f, 18, 1e-14) && test_close("o_L", g[0], 8, 1e-14) && test_close("o_v", g[1], 4, 1e-14));
  CU_ASSERT(test_close("c", c[0], 6, 1e-14) && test_close("c_L", jac[0], 8. / 3 - 2, 1e-14));
  run_close(&r);
}

/* An expression that cannot be evaluated is quoted once, by the message of the evaluation. */
static void test_out_of_domain(void) {
  opened_run r = run_open_texts(
      model, HEAD "[design L]\n[objective o]\nvalue = L^2\n[constraint c]\nvalue = acos(L - 1.5)\nupper = 1\n", 0,
      NULL);
  mbd_error err = {0};
  const double inside = 2, outside = 3;
  must(mechanism_evaluate(r.m, &inside, "none", &err), &err);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, &outside, "none", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "[constraint c] value: expression 'acos(L - 1.5)': 'acos' of 1.5 is nan");
  const char *first = strstr(err.text, "acos(L");
  CU_ASSERT(first && !strstr(first + 1, "acos(L"));
  run_close(&r);
}

static void test_sum(void) {
  opened_run r = run_open_texts(
      model,
      HEAD
      "[design v]\n[design L]\n[case c]\nduration = 0.5\nstep = 0.01\n[gradient]\nmethod = discrete_adjoint\n"
      "[objective fall]\nof = j.distance\nform = terminal\n[objective own]\nvalue = v^2*L\nweight = 3\n",
      0, NULL);
  double g[2];
  mbo_problem p;
  mbo_eval v = {.g = g};
  mechanism_problem(r.m, &p);
  run_evaluate(&p, rho, MBO_REQUEST_GRADIENT, &v);
  CU_ASSERT(test_close("g_v", g[0], 0.5 + 6 * rho[0] * rho[1], 1e-10));
  CU_ASSERT(test_close("g_L", g[1], 1 + 3 * rho[0] * rho[0], 1e-10));
  run_close(&r);
}

static void test_messages(void) {
  static const broken_case cases[] = {
      {"", "[objective o]\nweight = 1\n", "[objective o] expected 'of' (an output, with 'form') or 'value'"},
      {"", "[objective o]\nof = j.distance\n[case c]\nduration = 1\nstep = 0.1\n",
       "[objective o] key 'form' is missing"},
      {"", "[objective o]\nvalue = L\nform = terminal\n", "'form' does not go with 'value'"},
      {"", "[objective o]\nvalue = L + k\n", "[objective o] value = L + k: scalar 'k' is not known"},
      {"", "[objective o]\nvalue = L +\n", "found the end, expected a number, a name or '('"},
      {"", "[objective o]\nvalue = p*L\n[objective p]\nvalue = 2*o\n", "depends on itself, by way of what it names"},
      {"", "[objective o]\nvalue = p*L\n[objective p]\nvalue = 2*p\n", "[objective p] value = 2*p: depends on itself"},
      {"", "[objective L]\nvalue = v\n[objective o]\nvalue = 2*L\n",
       "'L' is a scalar of the model, and an objective or constraint"},
      {"", "[objective o]\nvalue = L\ncase = no\n", "case 'no' is not known"},
      {"", "[objective o]\nof = j.distance\nform = terminal\n", "no [case NAME]; expected at least one"},
  };
  check_broken_runs(model, HEAD, sizeof cases / sizeof cases[0], cases);
}

TEST_MAIN(TEST(test_methods), TEST(test_problem), TEST(test_without_case), TEST(test_sum), TEST(test_out_of_domain),
          TEST(test_messages))
