/* Windows, moments and outputs in the place of time as run files say them: closed forms of a free fall whose duration and gravity vary,
 * by every method, and what is refused. */
#include "opened_run.h"
#include "slide.h"

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "g = 10\n"
    "T = 0.4\n"
    "depth = 0.2\n"
    "[model]\n"
    "gravity = 0, 0, -g\n" MASS_ON_A_SLIDE
    "[point P]\n"
    "at = 0, 0, 0\n"
    "bodies = mass\n"
    "[curve path]\n"
    "type = polynomial\n"
    "coefficients = 0.1, -0.2, 0.3\n";

/* z = -g t^2/2 reaches -depth at t = sqrt(2 depth/g) = 0.2. */
static const char run_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = MODEL\n"
    "[design T]\n"
    "[design g]\n"
    "[quantity height]\n"
    "value = 3*slide.distance\n"
    "[case fall]\n"
    "duration = T\n"
    "step = T/8\n"
    "formulation = matrix_r\n"
    "integrator = runge_kutta_4\n"
    "[objective speed]\nof = slide.distance.rate\nform = value_at\nat = slide.distance falls below -depth\n"
    "[objective same]\nof = slide.distance.rate\nform = value_at\nat = height  crosses -3*depth\n"
    "[objective sum]\nof = slide.distance\nform = integral\nfrom = depth/2\nuntil = slide.distance crosses -depth\n"
    "[objective rms]\nof = slide.distance.rate\nform = rms\n"
    "[objective at]\nof = slide.distance\nform = value_at\nat = 0.25\n"
    "[objective settling]\nof = slide.distance\nform = settling_time\ntarget = -0.8\ntolerance = 0.3\n"
    "[objective over]\nof = slide.distance.rate\nform = integral\nover = slide.distance\nfrom = 0.1\nuntil = 0.3\n"
    "[objective along]\nof = slide.distance\nform = terminal\ntarget_curve = path\nover = slide.distance.rate\n"
    "until = slide.distance crosses -depth\n"
    "[objective follow]\nof = slide.distance\nform = integral\ntarget_curve = path\n"
    "until = slide.distance crosses -depth\n"
    "[constraint whole]\nof = P.velocity\nform = rms\nupper = 9\n";
enum { N = 10, NP = 2 };

/* By T and g at T = 0.4, g = 10, with t = 0.2 and t' = -t/(2 g) by g; x = -g t = -2 the speed there. */
static const double expected[N][1 + NP] = {
    {-2, 0, -0.1},
    {-2, 0, -0.1},
    {-10.0 / 6 * (0.008 - 0.001), 0, -(0.008 - 0.001) / 6 + 0.008 / 4},
    {4 / 1.7320508075688772, 10 / 1.7320508075688772, 0.4 / 1.7320508075688772},
    {-0.3125, 0, -0.03125},
    {0.31622776601683794, 0, -0.31622776601683794 / 20},
    {100.0 / 3 * 0.026, 0, 20.0 / 3 * 0.026}, /* of x dz = x^2 dt: along the motion, though z falls */
    {-0.2 - (0.1 + 0.4 + 1.2), 0, -0.1 * (0.2 + 1.2)},
    {-0.08 / 6 - 0.0168, 0, -0.008 / 6 + 0.272 * 0.01}, /* of z less 0.1 - 0.2 t + 0.3 t^2, which is 0.072 at 0.2 */
    {4 / 1.7320508075688772, 10 / 1.7320508075688772, 0.4 / 1.7320508075688772},
};

static void test_closed_forms(void) {
  static const char *const methods[] = {"direct", "discrete_adjoint", "complex_step", "central_differences"};
  static const char *const integrators[] = {"runge_kutta_4", "dormand_prince"};
  for (int i = 0; i < 2; i++) {
    char set[64];
    const char *const sets[] = {set};
    snprintf(set, sizeof set, "case.fall.integrator=%s", integrators[i]);
    opened_run r = run_open_texts(model_text, run_text, 1, sets);
    mbd_error err = {0};
    for (int k = 0; k < 4; k++) {
      must(mechanism_evaluate(r.m, r.m->start, methods[k], &err), &err);
      for (int q = 0; q < N; q++) {
        CHECK_CLOSE(mechanism_quantity(r.m, q), r.m->psi[q], expected[q][0], 1e-11);
        for (int j = 0; j < NP; j++) {
          CHECK_CLOSE(mechanism_quantity(r.m, q), r.m->grad[NP * q + j], expected[q][1 + j], k == 3 ? 1e-6 : 1e-10);
        }
      }
    }
    run_close(&r);
  }
}

/* By adjoints in complex arithmetic: of the speed -sqrt(2 depth g), of the rms g T/sqrt(3), of the settling time sqrt(1/g). */
static void test_hessian(void) {
  static const char *const set[] = {"optimizer.hessian=exact"};
  opened_run r = run_open_texts(model_text, run_text, 1, set);
  const double gg[] = {0.005, 0, 0, 0.31622776601683794 * 0.0075}, Tg[] = {0, 0, 1 / 1.7320508075688772, 0};
  const int of[] = {0, 4, 3, 5};
  for (int k = 0; k < 4; k++) {
    mbo_problem p;
    double H[NP * NP * 2], G[NP], jac[NP];
    mbo_eval v = {.g = G, .hess = H, .jac = jac};
    mechanism_problem(r.m, &p);
    for (int i = 0; i < N - 1; i++) { r.config->objective[i].weight = i == of[k]; }
    run_evaluate(&p, r.m->start, MBO_REQUEST_HESSIAN, &v);
    CHECK_CLOSE("gg", H[3], gg[k], 1e-10);
    CHECK_CLOSE("Tg", H[1], Tg[k], 1e-10);
    CHECK_CLOSE("TT", H[0], 0, 1e-9);
  }
  run_close(&r);
}

/* By g of the square of the speed s = -g t, with s' = -t, from 0.1 until the crossing, and from there until 0.3. */
static void test_gauss_newton(void) {
  static const char squares[] =
      "schema = 1\n[model]\nfile = MODEL\n[design g]\n[case fall]\nduration = T\nstep = T/8\n"
      "formulation = matrix_r\nintegrator = runge_kutta_4\n[optimizer]\nhessian = gauss_newton\n"
      "[objective until]\nof = slide.distance.rate\nform = integral_square\nfrom = 0.1\n"
      "until = slide.distance falls below -depth\n"
      "[objective from]\nof = slide.distance.rate\nform = integral_square\nuntil = 0.3\n"
      "from = slide.distance falls below -depth\n";
  const double gn[] = {2 * (0.008 - 0.001) / 3, 2 * (0.027 - 0.008) / 3};
  opened_run r = run_open_texts(model_text, squares, 0, NULL);
  for (int k = 0; k < 2; k++) {
    mbo_problem p;
    double H[1], G[1];
    mbo_eval v = {.g = G, .H = H};
    mechanism_problem(r.m, &p);
    for (int i = 0; i < 2; i++) { r.config->objective[i].weight = i == k; }
    run_evaluate(&p, r.m->start, MBO_REQUEST_GAUSS_NEWTON, &v);
    CHECK_CLOSE(r.config->objective[k].name, H[0], gn[k], 1e-11);
  }
  run_close(&r);
}

static void test_refused(void) {
  static const broken_case bad[] = {
      {"at = 0.25", "at = soon",
       "[objective at] at = soon: expected a time, or a moment as OUTPUT crosses VALUE, OUTPUT rises above VALUE, "
       "OUTPUT "
       "falls below VALUE; scalar 'soon'"},
      {"at = 0.25", "at = slide.distance reaches 3", "at = slide.distance reaches 3: expected a time, or a moment as"},
      {"at = 0.25", "at = P.positon.x crosses 3", "[objective at] at: "},
      {"at = 0.25", "at = P.positon.x crosses 3",
       "point 'P' has no quantity 'positon', did you mean 'position'? Else expected one of: position"},
      {"at = 0.25", "at = P.position crosses 3",
       "at: output P.position has 3 components, expected one number, as P.position.norm or P.position.x"},
      {"at = 0.25", "at = slide.distance crosses dept", "did you mean 'depth'"},
      {"at = 0.25", "at = slide.distance crosses -g",
       "'-g' moves with a design variable; expected a value that none moves"},
      {"at = 0.25", "at = 0.5", "[objective at]: at = 0.5 s lies outside of the case, which lasts from 0 to 0.4 s"},
      {"at = 0.25", "", "[objective at]: form value_at needs a time, at"},
      {"at = 0.25", "at = 0.25\nfrom = 0.1",
       "[objective at]: form value_at is the value at one time: it has no key from"},
      {"at = 0.25", "at = 0.25\ntolerance = 0.1", "form = value_at takes no tolerance, which belongs to settling_time"},
      {"at = 0.25", "at = 0.25\nlevel = 0.1", "form = value_at takes no level, which belongs to quantile"},
      {"at = 0.25", "at = 0.25\nover = slide.distance",
       "[objective at]: form value_at is no integral or mean: over changes nothing without a target_curve"},
      {"tolerance = 0.3", "", "[objective settling]: form settling_time needs a tolerance > 0"},
      {"over = slide.distance\n", "over = slide.dist\n", "[objective over] over: "},
  };
  check_broken_runs(model_text, run_text, sizeof bad / sizeof bad[0], bad);
}

/* Designs at which a moment does not occur, or that end before a time that is asked for. */
static void test_designs_without(void) {
  opened_run r = run_open_texts(model_text, run_text, 0, NULL);
  const double slow[] = {0.4, 1}, brief[] = {0.27, 10};
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, slow, "direct", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(
      err.text,
      "case 'fall': [objective speed]: at: 'slide.distance' does not fall below -0.2 between t = 0 s and the "
      "end at 0.4 s, where it lies between -0.08 and 0 m; another value, or a longer duration");
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, brief, "discrete_adjoint", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "[objective settling]: 'slide.distance' has not settled: at t = 0.27 s");
  run_close(&r);
}

TEST_MAIN(TEST(test_closed_forms), TEST(test_hessian), TEST(test_gauss_newton), TEST(test_refused),
          TEST(test_designs_without))
