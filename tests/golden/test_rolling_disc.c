/* Constraints of velocities against closed forms. A disc in a steady turn, with the lean q, the rate W of its direction, and the angular velocity w
 * about its axle (problems/rolling_disc): with e the direction of travel, a the axle, k up in the disc, z = sin q a + cos q k upwards,
 *   angular velocity  w a + W cos q k,   velocity of the centre  w R e,   its acceleration  W w R z x e
 *   moment of momentum about the centre  m R^2/2 w a + m R^2/4 W cos q k,  which changes by W z x itself
 * and moments about the contact,  W (-m R^2/2 w cos q + m R^2/4 W sin q cos q) - m R^2 W w cos q = m g R sin q.
 *
 * A sleigh on an incline of the angle p, which turns at the rate W, is a skate on ice: along it u' = g sin p cos W t, across it no velocity, so that
 *   x = c sin^2 W t,   y = c (W t - sin(2 W t)/2),   c = g sin p/(2 W^2),      force on the blade  2 m g sin p sin W t */
#include <complex.h>
#include <math.h>
#include <stddef.h>

#include "mbd/linearize.h"
#include "opened_run.h"
#include "model.h"

static const double g = 9.81;

/* Outputs at the end of a run, with an integrator. */
static void at_end(const test_model *q, const mbd_case *c, int n, const char *const *name, double *y) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_term t[16];
  for (int i = 0; i < n; i++) {
    t[i] = (mbd_term){.psi = i, .output = model_output(q, name[i]), .form = "terminal", .weight = 1};
  }
  must(mbd_sim_create(q->m, c, q->o, n, t, n, 0, &s, &err), &err);
  must(mbd_sim_run(s, q->p, 0, NULL, y, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s);
}

/* The error of every output is small, and falls by four as the step is halved. */
static void check_order(const test_model *q, mbd_case c, int n, const char *const *name, const double *exact,
                        double tol) {
  double y[2][16];
  for (int k = 0; k < 2; k++, c.step /= 2) { at_end(q, &c, n, name, y[k]); }
  for (int i = 0; i < n; i++) {
    const double coarse = y[0][i] - exact[i], fine = y[1][i] - exact[i];
    CHECK_NEAR(name[i], y[1][i], exact[i], 1 + fabs(exact[i]), tol);
    CHECK_CLOSE(name[i], coarse / fine, 4, 0.35);
  }
}

static void test_steady_turn(void) {
  static const char *const name[] = {"contact.angle",  "lean.angle",      "contact.y",
                                     "contact.x",      "axle.angle",      "contact.x.rate",
                                     "contact.y.rate", "axle.angle.rate", "rolls.multiplier.y"};
  const double R = 0.1, m = 0.5, q = -0.4, W = 4, T = 1;
  const double w = (W * W / 4 * sin(q) * cos(q) - g / R * sin(q)) / (1.5 * W * cos(q)), s = w - W * sin(q);
  const double r = R * s / W, angle = W * T;
  const double exact[] = {
      angle, q, r * (1 - cos(angle)), r * sin(angle), s * T, R * s * cos(angle), R * s * sin(angle), s, -m * W * w * R};
  test_model model = model_open("problems/rolling_disc/rolling_disc.ini");
  const char *const scheme[] = {"newmark", "generalized_alpha"};
  for (int k = 0; k < 2; k++) {
    mbd_case c = case_lasting(T, 2.5e-3);
    c.integrator = scheme[k];
    check_order(&model, c, sizeof name / sizeof name[0], name, exact, 2e-5);
  }
  /* In natural coordinates too; there the error of the first one changes its sign at such steps. */
  mbd_case c = case_lasting(T, 6.25e-4);
  c.coordinates = MBD_COORDINATES_NATURAL;
  check_order(&model, c, sizeof name / sizeof name[0] - 1, name + 1, exact + 1, 2e-5);
  model_close(&model);
}

/* In independent coordinates the rates of the steady turn are constant, and so exact; the place is of the order of the scheme. */
static void test_steady_turn_in_independent_coordinates(void) {
  static const char *const name[] = {"contact.x",  "contact.y",       "lean.angle",        "contact.angle",
                                     "axle.angle", "axle.angle.rate", "rolls.multiplier.y"};
  enum { N = sizeof name / sizeof name[0] };
  const double R = 0.1, m = 0.5, q = -0.4, W = 4, T = 1;
  const double w = (W * W / 4 * sin(q) * cos(q) - g / R * sin(q)) / (1.5 * W * cos(q)), s = w - W * sin(q),
               r = R * s / W;
  const double exact[] = {r * sin(W * T), r * (1 - cos(W * T)), q, W * T, s * T, s, -m * W * w * R};
  static const char *const scheme[] = {"newmark", "generalized_alpha", "runge_kutta_4"}, *const formulation[] = {
                                                                                             "matrix_r",
                                                                                             "fully_recursive"};
  test_model model = model_open("problems/rolling_disc/rolling_disc.ini");
  for (int k = 0; k < 6; k++) {
    double y[2][N];
    mbd_case c = case_lasting(T, 0.01);
    c.formulation = formulation[k / 3], c.integrator = scheme[k % 3];
    for (int i = 0; i < 2; i++, c.step /= 2) { at_end(&model, &c, N, name, y[i]); }
    for (int i = 0; i < 2; i++) {
      CHECK_CLOSE(name[i], log2((y[0][i] - exact[i]) / (y[1][i] - exact[i])), k % 3 < 2 ? 2 : 4, 0.02);
    }
    for (int i = 2; i < N; i++) { CHECK_NEAR(name[i], y[1][i], exact[i], 1 + fabs(exact[i]), 1e-10); }
  }
  model_close(&model);
}

/* A disc that wobbles keeps its energy: the error falls by eight. */
static void test_energy(void) {
  static const char *const name[] = {"energy.total", "lean.angle"}, *const scalar[] = {"turn"}, *const value[] = {"-3"};
  test_model q = model_open_with("problems/rolling_disc/rolling_disc.ini", 1, scalar, value);
  double start[2], y[2][2];
  mbd_case c = case_lasting(1e-6, 1e-6);
  at_end(&q, &c, 2, name, start);
  for (int k = 0; k < 2; k++) { c = case_lasting(0.8, 4e-3 / (1 << k)), at_end(&q, &c, 2, name, y[k]); }
  CU_ASSERT(fabs(y[1][1] - start[1]) < 1e-3 || fabs(y[1][1] - start[1]) > 0.1);
  CHECK_NEAR("energy of the disc", y[1][0], start[0], start[0], 1e-6);
  CU_ASSERT(fabs(y[1][0] - start[0]) < fabs(y[0][0] - start[0]) / 3.5);
  model_close(&q);
}

/* The constraints of a model by expression are the same as those of the program, with their gradients. */
static void test_by_expression(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[case c]\nduration = 0.1\nstep = 0.01\n[design size]\nlower = 0.1\nupper = "
      "0.5\n[objective place]\nof = D.position.y\nform = terminal\n[objective force]\nof = blade.multiplier\nform = "
      "mean_square\n[objective drive]\nof = speed.multiplier\nform = mean_square\n[objective bend]\nof = "
      "steer.angle.rate\nform = mean_square\n";
  static const char *const model[] = {MBOPT_SOURCE_DIR "/tests/conformance/models/velocities.ini",
                                      MBOPT_SOURCE_DIR "/tests/conformance/models/velocities_expression.ini"};
  static const char *const set[][3] = {
      {"case.c.coordinates=joint", "case.c.formulation=ali3p", "scalars.more=0"},
      {"case.c.coordinates=natural", "case.c.formulation=ali3p", "scalars.more=0"},
      {"case.c.coordinates=joint", "case.c.formulation=matrix_r", "scalars.more=0"},
      {"case.c.coordinates=natural", "case.c.formulation=matrix_r", "scalars.more=0"},
      {"case.c.coordinates=joint", "case.c.formulation=fully_recursive", "scalars.more=0"}};
  for (int k = 0; k < 10; k++) {
    opened_run r[2];
    mbd_error err = {0};
    for (int i = 0; i < 2; i++) {
      char text[2000], path[] = "/tmp/mbopt_run_XXXXXX";
      edit(text, sizeof text, run, "MODEL", model[i]);
      write_file(path, text);
      r[i] = run_read(path, 2 + i, set[k / 2]);
      unlink(path);
      must(mechanism_evaluate(r[i].m, r[i].m->start, k % 2 ? "direct" : "discrete_adjoint", &err), &err);
    }
    for (int i = 0; i < 4; i++) {
      const double psi = r[0].m->psi[i], slope = r[0].m->grad[i];
      CU_ASSERT(fabs(slope) > 1e-3);
      CHECK_NEAR(set[k / 2][1], r[1].m->psi[i], psi, 1 + fabs(psi), 1e-12);
      CHECK_NEAR(set[k / 2][1], r[1].m->grad[i], slope, 1 + fabs(slope), 1e-11);
    }
    for (int i = 0; i < 2; i++) { run_close(&r[i]); }
  }
}

/* The optimum of the run file: w = W (2 + sin q) for a circle of 0.4 m, of four radii, at the bound of the lean. */
static void test_run_file(void) {
  const double m = 0.5, R = 0.1, q = -0.2, ratio = 2 + sin(q);
  const double W = sqrt(-g / R * sin(q) / ((1.5 * ratio - sin(q) / 4) * cos(q)));
  static const char *const set[] = {"case.half_turn.step=1.25e-3"};
  opened_run r = run_open("configs/rolling_disc.ini", 1, set);
  mbd_error err = {0};
  const double x[] = {q, W};
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  CHECK_CLOSE("friction", r.m->psi[0], m * W * W * ratio * R, 1e-3);
  CHECK_CLOSE("across", r.m->psi[1], 0, 1e-5);
  run_close(&r);
}

#define SLEIGH(JOINT, SIDE)                                                                                     \
  "schema = 1\n[model]\nname = sleigh\njoints = named\ngravity = 9.81*sin(0.3), 0, -9.81*cos(0.3)\n"            \
  "[body sleigh]\nmass = 3\ncom = 0, 0, 0\ninertia = 0.1, 0.1, 0.2\n[point O]\nat = 0, 0, 0\nbodies = ground, " \
  "sleigh\n"                                                                                                    \
  "[vector up]\nalong = 0, 0, 1\nbodies = ground, sleigh\n[vector side]\nalong = 0, " SIDE                      \
  ", 0\nbodies = sleigh\n"                                                                                      \
  "[joint j]\nbodies = ground, sleigh\n" JOINT                                                                  \
  "[constraint blade]\ntype = knife_edge\npoint = O@sleigh\nvector = side\n"
#define PLANAR "type = planar\npoint = O\naxis = up\n"
#define START  "[start]\nhold.sleigh.angle.z = 0\nrate.sleigh.angle.z = 2\nhold.j.x = 0\nrate.j.x = 0\nhold.j.y = 0\n"

static void check_sleigh(const test_model *q, const char *formulation, mbd_coordinates coordinates, double share,
                         double T) {
  static const char *const name[] = {"j.y", "j.x.rate", "j.y.rate", "blade.multiplier"};
  const double W = 2, m = 3, slope = g * sin(0.3), c = slope / (2 * W * W), u = slope / W * sin(W * T);
  const double exact[] = {c * (W * T - sin(2 * W * T) / 2), u * cos(W * T), u * sin(W * T),
                          -share * 2 * m * slope * sin(W * T)};
  mbd_case how = case_lasting(T, coordinates == MBD_COORDINATES_JOINT ? 0.01 : 0.005);
  how.coordinates = coordinates, how.formulation = formulation;
  if (strcmp(formulation, "ali3p") == 0) {
    check_order(q, how, sizeof name / sizeof name[0], name, exact, 1e-4);
    return;
  }
  /* Where other rates become independent, at different nodes with other steps, the error changes its course: over three halvings. */
  double y[2][4];
  for (int k = 0; k < 2; k++, how.step /= 8) { at_end(q, &how, 4, name, y[k]); }
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(name[i], y[1][i], exact[i], 1 + fabs(exact[i]), 1e-5);
    CHECK_CLOSE(name[i], log2((y[0][i] - exact[i]) / (y[1][i] - exact[i])) / 3, 2, 0.25);
  }
}

static const char *const formulations[] = {"ali3p", "matrix_r", "semi_recursive", "fully_recursive"};

static void test_sleigh(void) {
  test_model q = model_open_text(SLEIGH(PLANAR, "1") START);
  CU_ASSERT_EQUAL(mbd_model_nvelocity(q.m), 1);
  for (int i = 0; i < 4; i++) {
    check_sleigh(&q, formulations[i], MBD_COORDINATES_JOINT, 1, 1.5);
    if (i < 2) { check_sleigh(&q, formulations[i], MBD_COORDINATES_NATURAL, 1, 1.5); }
  }
  model_close(&q);
}

/* Returns 0 where the program was built without LAPACK. */
static int linearized(const test_model *q, mbd_linear *l) {
  const mbd_case c = case_lasting(0.1, 0.01);
  mbd_error err = {0};
  mbd_sim *s;
  must(mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 0, &s, &err), &err);
  const mbd_status status = mbd_sim_linearize(s, q->p, l, &err);
  mbd_sim_destroy(s);
  if (status != MBD_NOT_BUILT_IN) { must(status, &err); }
  return status == MBD_OK;
}

/* The number of eigenvalues near zero. */
static int zeros(const mbd_linear *l) {
  int n = 0;
  for (int i = 0; i < l->n + l->nrate; i++) { n += hypot(l->re[i], l->im[i]) < 1e-6; }
  return n;
}

static double complex nearest(const mbd_linear *l, double complex expected) {
  double complex best = l->re[0] + l->im[0] * I;
  for (int i = 1; i < l->n + l->nrate; i++) {
    const double complex lam = l->re[i] + l->im[i] * I;
    best = cabs(lam - expected) < cabs(best - expected) ? lam : best;
  }
  return best;
}

/* The same on three points that stay in the plane: a row along its normal follows from those and is left out; a second blade there shares the force. */
static const char on_points[] =
    "[point A]\nat = 0.3, 0.1, 0\nbodies = sleigh\n[point B]\nat = -0.1, 0.2, 0\nbodies = sleigh\n"
    "[point C]\nat = 0, -0.3, 0\nbodies = sleigh\n"
    "[constraint lift]\ntype = knife_edge\npoint = C\nvector = up@ground\n"
    "[constraint second]\ntype = knife_edge\npoint = O@sleigh\nvector = side\n"
    "[constraint a]\ntype = in_plane\npoints = O@ground, A\nnormal = up@ground\n"
    "[constraint b]\ntype = in_plane\npoints = O@ground, B\nnormal = up@ground\n"
    "[constraint c]\ntype = in_plane\npoints = O@ground, C\nnormal = up@ground\n" START;

static void test_rows_that_follow(void) {
  mbd_error err = {0};
  mbd_sim *s;
  const int *row, *held;
  int rank, nheld;
  test_model q = model_open_parts(SLEIGH("type = floating\n", "1"), on_points);
  const mbd_case c = case_lasting(0.1, 0.01);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.p, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_rank(s, &rank, &row, &nheld, &held);
  CU_ASSERT_EQUAL(mbd_model_nvelocity(q.m), 3);
  CU_ASSERT_EQUAL(mbd_model_nz(q.m) - mbd_sim_position_rank(s), 3);
  CU_ASSERT_EQUAL(mbd_model_nz(q.m) - rank, 2);
  CU_ASSERT_STRING_EQUAL(mbd_model_phi_name(q.m, mbd_sim_left_out(s, 0)), "lift");
  CU_ASSERT_EQUAL(mbd_sim_left_out(s, 1), -1);
  mbd_sim_destroy(s);
  mbd_linear l;
  if (linearized(&q, &l)) {
    CU_ASSERT_EQUAL(l.n, 3);
    CU_ASSERT_EQUAL(l.nrate, 2);
    CU_ASSERT_EQUAL(zeros(&l), 3);
    CHECK_CLOSE("half angle of a turn at 2 rad/s", cabs(nearest(&l, I) - I), 0, 1e-12);
    mbd_linear_free(&l);
  }
  for (int i = 0; i < 4; i++) {
    check_sleigh(&q, formulations[i], MBD_COORDINATES_JOINT, 0.5, 1);
    if (i < 2) { check_sleigh(&q, formulations[i], MBD_COORDINATES_NATURAL, 0.5, 1); }
  }
  model_close(&q);
}

static mbd_status run(const test_model *q, const char *formulation, mbd_error *err) {
  mbd_case c = case_lasting(0.1, 0.01);
  c.formulation = formulation;
  mbd_sim *s;
  must(mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 0, &s, err), err);
  const mbd_status status = mbd_sim_run(s, q->p, 0, NULL, NULL, NULL, NULL, NULL, NULL, err);
  mbd_sim_destroy(s);
  return status;
}

/* The blade is along the guide of its point at the start alone. */
static void test_row_follows_no_longer(void) {
  mbd_error err = {0};
  test_model q =
      model_open_parts(SLEIGH(PLANAR, "1"),
                       "[vector across]\nalong = 0, 1, 0\nbodies = ground\n[constraint guide]\ntype = in_plane\n"
                       "points = O@ground, O@sleigh\nnormal = across\n[start]\nhold.j.angle = 0\nrate.j.angle = 2\n"
                       "hold.j.x = 0\nrate.j.x = 1\n");
  CU_ASSERT_EQUAL(run(&q, "ali3p", &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text,
                 "velocity constraint 'blade' follows from other constraints at the start, but no longer here");
  CU_ASSERT_EQUAL(run(&q, "matrix_r", &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "velocity constraint 'blade', which follows from other constraints where");
  model_close(&q);
}

/* A window that begins where a reaction crosses a value, t = T/2 as sin W t is: the reaction is there in natural coordinates too, although no objective
 * reads it. The integral of x' = u sin(2 W t)/2 until T. */
static void test_window_by_reaction(void) {
  const double W = 2, T = 1, u = g * sin(0.3) / W, level = -2 * 3 * g * sin(0.3) * sin(W * T / 2);
  const double integral = u * (cos(W * T) - cos(2 * W * T)) / (4 * W);
  test_model q = model_open_text(SLEIGH(PLANAR, "1") START);
  const mbd_moment from = {MBD_MOMENT_FALLS, model_output(&q, "blade.multiplier"), level};
  const mbd_term t = {.output = model_output(&q, "j.x.rate"), .form = "integral", .weight = 1, .from = from};
  for (int natural = 0; natural < 2; natural++) {
    mbd_case c = case_lasting(T, 2e-3);
    mbd_error err = {0};
    mbd_sim *s;
    double psi;
    c.coordinates = natural ? MBD_COORDINATES_NATURAL : MBD_COORDINATES_JOINT;
    must(mbd_sim_create(q.m, &c, q.o, 1, &t, 1, 0, &s, &err), &err);
    must(mbd_sim_run(s, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
    CHECK_CLOSE("integral from the crossing on", psi, integral, 1e-5);
    mbd_sim_destroy(s);
  }
  model_close(&q);
}

/* Rates that are given stay, those that are not follow; given ones can contradict each other. */
static void test_start(void) {
  static const char *const name[] = {"j.y.rate", "j.x.rate"};
  mbd_error err = {0};
  double y[2];
  const mbd_case c = case_lasting(1e-9, 1e-9);
  test_model q =
      model_open_parts(SLEIGH(PLANAR, "1"), "[start]\nhold.j.angle = 0.5\nhold.j.x = 0\nrate.j.x = 2\nhold.j.y = 0\n");
  at_end(&q, &c, 2, name, y);
  CHECK_CLOSE("rate that follows", y[0], 2 * tan(0.5), 1e-7);
  CHECK_CLOSE("rate that is given", y[1], 2, 1e-7);
  model_close(&q);
  q = model_open_parts(SLEIGH(PLANAR, "1"),
                       "[start]\nhold.j.angle = 0.5\nhold.j.x = 0\nrate.j.x = 2\nhold.j.y = 0\nrate.j.y = 2\n");
  CU_ASSERT_EQUAL(run(&q, "ali3p", &err), MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(err.text, "no velocities at the start satisfy all equations: 'blade'");
  model_close(&q);
}

static void check_unsupported(const test_model *q, const mbd_case *c, const char *message) {
  mbd_error err = {0};
  mbd_sim *s = NULL;
  CU_ASSERT_EQUAL(mbd_sim_create(q->m, c, q->o, 0, NULL, 0, 0, &s, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, message);
  mbd_sim_destroy(s);
}

/* The mirror image of a part moves as the image of its motion. */
static void test_mirrored(void) {
  static const struct {
    const char *of;
    double sign;
  } seen[] = {{"C.position.x", 1},   {"C.position.y", -1}, {"S.position.x", 1},     {"S.position.y", -1},
              {"blade.force.y", -1}, {"ring.rate.z", -1},  {"speed.multiplier", 1}, {"rolls.multiplier.norm", 1}};
  enum { SEEN = sizeof seen / sizeof seen[0] };
  static const char part[] = "file = " MBOPT_SOURCE_DIR "/tests/conformance/models/parts/skates.ini\n";
  char text[1200], names[2 * SEEN][60];
  const char *name[2 * SEEN];
  double y[2 * SEEN];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nname = image\njoints = named\ngravity = 0.8, 0, -9.6\n[part left]\n%s[part right]\n%s"
           "mirror = y\n",
           part, part);
  test_model q = model_open_text(text);
  for (int i = 0; i < 2 * SEEN; i++) {
    snprintf(names[i], sizeof names[i], "%s.%s", i % 2 ? "right" : "left", seen[i / 2].of);
    name[i] = names[i];
  }
  const mbd_case c = case_lasting(0.3, 0.01);
  at_end(&q, &c, 2 * SEEN, name, y);
  for (int i = 0; i < SEEN; i++) {
    CU_ASSERT(fabs(y[2 * i]) > 1e-2);
    CHECK_NEAR(seen[i].of, y[2 * i + 1], seen[i].sign * y[2 * i], fabs(y[2 * i]), 1e-11);
  }
  model_close(&q);
}

static void test_plane_at_rest(void) {
  mbd_error err = {0};
  CU_ASSERT_EQUAL(
      model_compile(
          SLEIGH(PLANAR, "1"),
          "[constraint c]\ntype = rolling\ndisc = sleigh\ncentre = O@sleigh\naxle = side\nnormal = up@sleigh\n"
          "radius = 1\n" START,
          &err),
      MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "constraint 'c': key 'normal' is a vector of body 'sleigh', expected one of the ground");
}

/* ---- small motions ---- */

/* A disc in a steady turn, with s = sin q, c = cos q, divided by m R^2:
 *   5/4 qdd = F = -W^2 s c/4 + 3/2 W w c + g/R s,    wd = -2/3 W c qd,    Wd c = 2 (W s - w) qd
 * so that the wobble has  5/4 lambda^2 = F_q + 2 F_W (W s - w)/c - 2/3 F_w W c; upright, 5/4 lambda^2 = g/R - 3 w^2. All others are zero. */
static void check_disc(double q, double W, double spin, const test_model *model) {
  const double R = 0.1, s = sin(q), c = cos(q), w = spin + W * s;
  const double F_q = -W * W / 4 * (c * c - s * s) - 1.5 * W * w * s + g / R * c;
  const double F_W = -W * s * c / 2 + 1.5 * w * c, F_w = 1.5 * W * c;
  const double complex lam = csqrt(0.8 * (F_q + 2 * F_W * (W * s - w) / c - F_w * W * c / 1.5));
  mbd_linear l;
  if (!linearized(model, &l)) { return; }
  CU_ASSERT_EQUAL_FATAL(l.n, 5);
  CU_ASSERT_EQUAL_FATAL(l.nrate, 3);
  CHECK_CLOSE("disc", cabs(nearest(&l, lam) - lam), 0, 1e-10 * cabs(lam));
  CHECK_CLOSE("disc", cabs(nearest(&l, -lam) + lam), 0, 1e-10 * cabs(lam));
  CU_ASSERT_EQUAL(zeros(&l), 6);
  for (int i = 0; i < l.n + l.nrate; i++) { CU_ASSERT_EQUAL(l.rigid[i], hypot(l.re[i], l.im[i]) < 1e-6); }
  CU_ASSERT(l.acceleration < 1e-12 && l.jerk < 1e-10);
  mbd_linear_free(&l);
}

static void test_small_motions_of_a_disc(void) {
  static const char *const scalar[] = {"lean", "turn", "about", "spin"}, *const slow[] = {"0", "0", "0", "5"},
                           *const fast[] = {"0", "0", "0", "20"};
  test_model q = model_open("problems/rolling_disc/rolling_disc.ini");
  const double lean = -0.4, W = 4,
               w = (W * W / 4 * sin(lean) * cos(lean) - g / 0.1 * sin(lean)) / (1.5 * W * cos(lean));
  check_disc(lean, W, w - W * sin(lean), &q);
  model_close(&q);
  q = model_open_with("problems/rolling_disc/rolling_disc.ini", 4, scalar, slow);
  check_disc(0, 0, 5, &q);
  model_close(&q);
  q = model_open_with("problems/rolling_disc/rolling_disc.ini", 4, scalar, fast);
  check_disc(0, 0, 20, &q);
  model_close(&q);
}

/* A skate at the speed u with a torque -K y - D angle.rate, J = 0.2:  y' = u angle, so that  J l^3 + D l^2 + K u = 0, whether the speed is free,
 * with two more zeros, or driven; and ahead of the blade by a, the mass damps the turn: (J + m a^2) l + m a u = 0. */
#define SKATE(A)                                                                                        \
  "schema = 1\n[model]\nname = skate\njoints = named\ngravity = 0, 0, -9.81\n[body sleigh]\nmass = 3\n" \
  "com = " A                                                                                            \
  ", 0, 0\ninertia = 0.1, 0.1, 0.2\n[point O]\nat = 0, 0, 0\nbodies = ground, sleigh\n"                 \
  "[vector up]\nalong = 0, 0, 1\nbodies = ground, sleigh\n[vector side]\nalong = 0, 1, 0\n"             \
  "bodies = sleigh\n[vector ahead]\nalong = 1, 0, 0\nbodies = sleigh\n[joint j]\n"                      \
  "bodies = ground, sleigh\n" PLANAR "[constraint blade]\ntype = knife_edge\npoint = O@sleigh\nvector = side\n"
#define STEERED "[force steer]\ntype = expression\ncoordinate = j.angle\nvalue = -0.7*j.y - 0.9*j.angle.rate\n"
#define DRIVEN                                                                                                   \
  "[constraint speed]\ntype = driven_velocity\npoint = O@sleigh\nvector = ahead\nspeed = keeps\n[curve keeps]\n" \
  "type = polynomial\ncoefficients = 2\n"
#define AHEAD "[start]\nhold.j.angle = 0\nrate.j.angle = 0\nhold.j.x = 0\nhold.j.y = 0\n"

static void test_small_motions_of_a_skate(void) {
  static const char *const more[] = {STEERED AHEAD "rate.j.x = 2\n", STEERED DRIVEN AHEAD};
  const double u = 2, J = 0.2, m = 3, a = 0.3;
  mbd_linear l;
  for (int driven = 0; driven < 2; driven++) {
    test_model q = model_open_parts(SKATE("0"), more[driven]);
    if (linearized(&q, &l)) {
      CU_ASSERT_EQUAL(l.n, 3);
      CU_ASSERT_EQUAL(l.nrate, 2 - driven);
      CU_ASSERT_EQUAL(zeros(&l), 2 - driven);
      for (int i = 0; i < l.n + l.nrate; i++) {
        const double complex lam = l.re[i] + l.im[i] * I;
        if (cabs(lam) > 1e-6) {
          CHECK_CLOSE("steered skate", cabs(J * cpow(lam, 3) + 0.9 * lam * lam + 0.7 * u), 0, 1e-12);
        }
      }
      mbd_linear_free(&l);
    }
    model_close(&q);
  }
  test_model q = model_open_parts(SKATE("0.3"), AHEAD "rate.j.x = 2\n");
  if (linearized(&q, &l)) {
    CU_ASSERT_EQUAL(zeros(&l), 4);
    CHECK_CLOSE("mass ahead of the blade", l.re[4], -m * a * u / (J + m * a * a), 1e-12);
    /* Programs that were compiled before there were velocity constraints get no matrix of another size. */
    const mbd_case c = case_lasting(0.1, 0.01);
    mbd_error err = {0};
    mbd_sim *s;
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
    mbd_linear_free(&l);
    CU_ASSERT_EQUAL(mbd_sim_linearize_sized(s, q.p, &l, offsetof(mbd_linear, nrate), &err), MBD_UNSUPPORTED);
    CHECK_CONTAINS(err.text, "the model has velocity constraints");
    mbd_sim_destroy(s);
  }
  model_close(&q);
}

/* ---- at rest ---- */

/* A sleigh on springs on the incline rests where it would without its blade, which does not act there. From there it starts with its rates: the
 * blade holds the centre on its curve, u W to the left. */
#define SPRINGS                                                                                                     \
  "[force along]\ntype = torsion_spring\ncoordinate = j.x\nstiffness = 40\n[force across]\ntype = torsion_spring\n" \
  "coordinate = j.y\nstiffness = 50\nfree_angle = 0.2\n"                                                            \
  "[force turns]\ntype = torsion_spring\ncoordinate = j.angle\nstiffness = 2\n"

static void test_rest(void) {
  static const char *const name[] = {"j.x", "j.y", "j.angle", "blade.multiplier", "j.x.rate"};
  const double x = 3 * g * sin(0.3) / 40, exact[] = {x, 0.2, 0, 0, 0};
  double y[5];
  test_model q = model_open_parts(SLEIGH(PLANAR, "1"), SPRINGS
                                  "[start]\nhold.j.x = 0.1\nhold.j.y = 0.1\nhold.j.angle = 0.1\n"
                                  "rate.j.angle = 1.5\nrate.j.x = 2\nsettle = j.x, j.y, j.angle\n");
  mbd_case c = case_lasting(0.2, 0.1);
  c.analysis = "static";
  at_end(&q, &c, 5, name, y);
  for (int i = 0; i < 5; i++) { CHECK_CLOSE(name[i], y[i], exact[i], 1e-12); }
  c = case_lasting(1e-7, 1e-7), c.start = MBD_START_EQUILIBRIUM;
  at_end(&q, &c, 5, name, y);
  CHECK_CLOSE("starts at rest of the springs", y[0], x, 1e-6);
  CHECK_CLOSE("with its rate", y[4], 2, 1e-6);
  CHECK_CLOSE("multiplier", y[3], -3 * 1.5 * 2, 1e-5);
  model_close(&q);
}

static void test_refusals(void) {
  test_model q = model_open_text(SLEIGH(PLANAR, "1") START);
  mbd_case c = case_lasting(0.1, 0.01);
  c.formulation = "penalty";
  check_unsupported(&q, &c, "velocity constraint 'blade' is not available there; expected formulation = ali3p");
  c = case_lasting(0.1, 0.01), c.analysis = "kinematic";
  check_unsupported(&q, &c, "analysis = kinematic: with velocity constraint 'blade' positions follow");
  model_close(&q);
  q = model_open_parts(SKATE("0"), DRIVEN AHEAD);
  c = case_lasting(0.1, 0.01), c.analysis = "static";
  check_unsupported(&q, &c, "analysis = static: velocity constraint 'speed' keeps a velocity");
  model_close(&q);
}

TEST_MAIN(TEST(test_steady_turn), TEST(test_steady_turn_in_independent_coordinates), TEST(test_energy),
          TEST(test_run_file), TEST(test_by_expression), TEST(test_sleigh), TEST(test_rows_that_follow),
          TEST(test_window_by_reaction), TEST(test_row_follows_no_longer), TEST(test_start), TEST(test_mirrored),
          TEST(test_plane_at_rest), TEST(test_small_motions_of_a_disc), TEST(test_small_motions_of_a_skate),
          TEST(test_rest), TEST(test_refusals))
