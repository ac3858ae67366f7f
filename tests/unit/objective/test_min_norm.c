/* What redundant constraints exert, each of them: the shares of least norm (theory.md §6 (6.4), (6.5)), by hand. */
#include "model.h"
#include "opened_run.h"

/* ---- a weight on two rods of different lengths, one beside the other ---- */

/* It slides along z, and both rods are upright: their rows (z - l_i)^2 - l_i^2 have the slopes -2 l_i at z = 0, so multipliers of least
 * norm are in proportion to l_i, and forces, 2 l_i times those, to l_i^2. */
static const char weight[] =
    "schema = 1\n[model]\nname = weight\njoints = named\n"
    "[scalars]\nmass = 3\nl1 = 0.7\nl2 = 1.1\n"
    "[body weight]\nmass = mass\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[point P]\nat = 0, 0, 0\nbodies = ground, weight\n"
    "[point A1]\nat = 0, 0, l1\nbodies = ground\n"
    "[point A2]\nat = 0, 0, l2\nbodies = ground\n"
    "[vector up]\nalong = 0, 0, 1\nbodies = ground, weight\n"
    "[joint slide]\ntype = prismatic\nbodies = ground, weight\npoint = P\naxis = up\n"
    "[constraint rod1]\ntype = distance\npoints = A1@ground, P@weight\ndistance = l1\n"
    "[constraint rod2]\ntype = distance\npoints = A2@ground, P@weight\ndistance = l2\n";

static const char hanging[] =
    "schema = 1\n[model]\nfile = MODEL\n[design mass]\n[design l1]\n[design l2]\n"
    "[case c]\nduration = 0.1\nstep = 0.02\n"
    "[objective first]\nof = rod1.force.z\nform = terminal\n"
    "[constraint second]\nof = rod2.force.z\nform = terminal\nupper = 100\n"
    "[constraint mean]\nof = rod1.force.z\nform = mean_square\nupper = 1e4\n";

static void check_weight(int n, const char *const *set, const char *name) {
  enum { VARIABLES = 3, BOUNDS = 2 };
  const double m = 3, g = 9.81, a = 0.7 * 0.7, b = 1.1 * 1.1, sum = a + b;
  const double F = m * g * a / sum, by[VARIABLES] = {F / m, 2 * 0.7 * m * g * b / (sum * sum), -2 * 1.1 * F / sum};
  opened_run r = run_open_texts(weight, hanging, n, set);
  mbo_problem p;
  double grad[VARIABLES], c[BOUNDS], jac[BOUNDS * VARIABLES];
  mbo_eval v = {.c = c, .g = grad, .jac = jac};
  mechanism_problem(r.m, &p);
  CU_ASSERT_FATAL(p.n == VARIABLES && p.nc == BOUNDS);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &v);
  CHECK_NEAR(name, v.f, F, F, 1e-12);
  CHECK_NEAR(name, c[0], m * g - F, F, 1e-12);
  CHECK_NEAR(name, c[1], F * F, F * F, 1e-12);
  for (int i = 0; i < VARIABLES; i++) {
    CHECK_NEAR(name, grad[i], by[i], fabs(by[i]), 1e-11);
    CHECK_NEAR(name, jac[i], (i == 0) * g - by[i], fabs(by[i]), 1e-11);
    CHECK_NEAR(name, jac[VARIABLES + i], 2 * F * by[i], fabs(2 * F * by[i]), 1e-11);
  }
  run_close(&r);
}

static void test_rods(void) {
  static const char *const how[] = {"analysis=static", "formulation=ali3p", "formulation=semi_recursive",
                                    "formulation=fully_recursive"};
  static const char *const method[] = {"direct", "discrete_adjoint"};
  for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
    for (size_t k = 0; k < 2; k++) {
      char text[2][60];
      const char *const set[] = {text[0], text[1]};
      snprintf(text[0], sizeof text[0], "case.c.%s", how[i]);
      snprintf(text[1], sizeof text[1], "gradient.method=%s", method[k]);
      check_weight(2, set, how[i]);
    }
  }
}

/* ---- a parallelogram that starts flat ---- */

/* Both cranks point to x, and so does the rod between their ends: it holds nothing there, but does as soon as they turn. */
static const char flat[] =
    "schema = 1\n[model]\nname = flat\ngravity = 0, 0, -9.81\njoints = named\n[scalars]\nmass = 1\n"
    "[body a]\nmass = mass\ncom = 0.5, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
    "[body b]\nmass = mass\ncom = 2.5, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
    "[point OA]\nat = 0, 0, 0\nbodies = ground, a\n[point OB]\nat = 2, 0, 0\nbodies = ground, b\n"
    "[point A]\nat = 1, 0, 0\nbodies = a\n[point B]\nat = 3, 0, 0\nbodies = b\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, a, b\n"
    "[joint ja]\ntype = revolute\nbodies = ground, a\npoint = OA\naxis = y\n"
    "[joint jb]\ntype = revolute\nbodies = ground, b\npoint = OB\naxis = y\n"
    "[constraint rod]\ntype = distance\npoints = A, B\ndistance = 2\n";

static const char falling[] =
    "schema = 1\n[model]\nfile = MODEL\n[design mass]\n[case c]\nduration = 0.1\nstep = 0.02\n"
    "[objective o]\nof = rod.force.norm\nform = terminal\n";

/* The message; and no failure where no objective reads the reactions. */
static void test_lost(void) {
  static const char *const of_place[] = {"objective.o.of=A.position.z"};
  opened_run r = run_open_texts(flat, falling, 0, NULL);
  mbo_problem p;
  mbd_error err = {0};
  double g[1];
  mbo_eval v = {.g = g};
  mechanism_problem(r.m, &p);
  CU_ASSERT_EQUAL(p.eval(p.user, r.m->start, MBO_REQUEST_VALUE, &v, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "case 'c': reactions that an objective reads are not determined");
  CHECK_CONTAINS(err.text, "expected a motion that neither starts there nor passes it");
  run_close(&r);
  r = run_open_texts(flat, falling, 1, of_place);
  mechanism_problem(r.m, &p);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE, &v);
  CU_ASSERT(v.f < -0.01);
  run_close(&r);
}

/* ---- who is told ---- */

enum { SHOWN = 4 };

static int look(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  double *apart = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  *apart = fmax(*apart, fabs(sin(0.3) * (y[0] - y[2]) + cos(0.3) * (y[1] - y[3])));
  return 0;
}

/* Both hinges of a door that swings bear the same along their line (tests/values/test_kinematic.c), in outputs that no objective reads. */
static void test_observer(void) {
  static const char *const shown[SHOWN] = {"h1.reaction_force.x", "h1.reaction_force.z", "h2.reaction_force.x",
                                           "h2.reaction_force.z"};
  test_model q = model_open("tests/conformance/models/door.ini");
  mbd_sim *sim;
  mbd_error err = {0};
  mbd_case c;
  double psi, apart = 0;
  int first, count;
  for (int i = 0; i < SHOWN; i++) { must(mbd_outputs_add(q.o, shown[i], &first, &count, &err), &err); }
  must(mbd_outputs_add(q.o, "opening", &first, &count, &err), &err);
  const mbd_term term = {.output = first, .form = "terminal", .weight = 1};
  mbd_case_init(&c);
  c.duration = 0.2, c.step = 0.01;
  must(mbd_sim_create(q.m, &c, q.o, 1, &term, 1, 0, &sim, &err), &err);
  must(mbd_sim_run(sim, q.p, 0, NULL, &psi, NULL, NULL, look, &apart, &err), &err);
  CHECK_CLOSE("along the line of the hinges", apart, 0, 1e-9);
  mbd_sim_destroy(sim);
  model_close(&q);
}

/* ---- which outputs are undetermined ---- */

/* The ball joints of the door share what acts along their line, u = (sin 0.3, 0, cos 0.3), as they like; what they bear across it follows from
 * moments about the other one, and so does their sum from the acceleration. */
static const char shared[] =
    "schema = 1\n[model]\nfile = %s/tests/conformance/models/door.ini\n[case c]\nduration = 0.2\nstep = 0.02\n%s\n"
    "[quantity across]\nvalue = cos(0.3)*h1.reaction_force.x - sin(0.3)*h1.reaction_force.z\n"
    "[quantity both]\nvalue = h1.reaction_force.z + h2.reaction_force.z\n"
    "[quantity square]\nvalue = h1.reaction_force.x^2\n"
    "[objective o]\nof = %s\nform = terminal\n"
    "[output]\noutputs = h1.reaction_force, h1.reaction_force.norm, h2.reaction_force.y, h1.reaction_moment, across, "
    "both, square, opening\n";

static const mbd_warning *run_shared(const char *how, const char *of, int seen, opened_run *r) {
  char run[2000], path[] = "/tmp/mbopt_run_XXXXXX";
  mbd_error err = {0};
  double psi;
  snprintf(run, sizeof run, shared, MBOPT_SOURCE_DIR, how, of);
  write_file(path, run);
  *r = run_read(path, 0, NULL);
  unlink(path);
  mbd_sim *s = r->m->cases[0].sim;
  must(mbd_sim_run(s, r->m->variant[0].params, 0, NULL, &psi, NULL, NULL, seen ? observe : NULL, NULL, &err), &err);
  return warning_of(s, "undetermined");
}

static void test_undetermined(void) {
  static const char *const how[] = {"",
                                    "formulation = penalty",
                                    "formulation = matrix_r",
                                    "formulation = matrix_r\nintegrator = newmark",
                                    "coordinates = natural",
                                    "analysis = kinematic\ndrive.opening = 0.1"};
  static const char *const named[] = {"h1.reaction_force.x", "h1.reaction_force.z", "h1.reaction_force.norm", "square"};
  opened_run r;
  for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
    const mbd_warning *w = run_shared(how[i], "opening", 1, &r);
    const mechanism_case *q = &r.m->cases[0];
    int found = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    CU_ASSERT(w->time == 0);
    CHECK_CONTAINS(w->text, "h1.reaction_force.x/.z/.norm, square: these values are");
    for (int o = 0; o < mbd_outputs_count(q->outputs); o++) {
      int expected = 0;
      for (int k = 0; k < 4; k++) { expected |= strcmp(mbd_outputs_name(q->outputs, o), named[k]) == 0; }
      if (mbd_sim_undetermined(q->sim, o) != expected) {
        printf("\n  %s: %s\n", how[i], mbd_outputs_name(q->outputs, o));
      }
      CU_ASSERT_EQUAL(mbd_sim_undetermined(q->sim, o), expected);
      found += expected;
    }
    CU_ASSERT_EQUAL(found, 4);
    run_close(&r);
  }
}

/* Without an observer only objectives count; determined ones do not warn. */
static void test_objectives_alone(void) {
  static const char *const of[] = {
      "h1.reaction_force.norm", "square", "h1.reaction_force.y", "across", "both", "opening"};
  opened_run r;
  for (int i = 0; i < 6; i++) {
    const mbd_warning *w = run_shared("", of[i], 0, &r);
    CU_ASSERT_EQUAL(w != NULL, i < 2);
    if (w) { CHECK_CONTAINS(w->text, of[i]); }
    run_close(&r);
  }
}

TEST_MAIN(TEST(test_rods), TEST(test_lost), TEST(test_observer), TEST(test_undetermined), TEST(test_objectives_alone))
