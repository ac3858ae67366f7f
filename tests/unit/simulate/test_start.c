/* The start: held quantities that look at several joints, accelerations at the first node, guesses and derivatives by them,
 * and the messages about starts that do not exist. */
#include "model.h"
#include "simulate/start.h"

static const double g = 9.81;

/* Two bars in the x-z plane, both of length 1 along x where angles are 0; T at the end of the second. */
static const char bars[] =
    "[model]\ntitle = two bars\ngravity = 0, 0, -9.81\n"
    "[body upper]\nmass = 2\ncom = 0.5, 0, 0\ninertia = 0, 2/12, 2/12\n"
    "[body lower]\nmass = 1\ncom = 1.5, 0, 0\ninertia = 0, 1/12, 1/12\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, upper\n"
    "[point E]\nat = 1, 0, 0\nbodies = upper, lower\n"
    "[point T]\nat = 2, 0, 0\nbodies = lower\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, upper, lower\n";

static const char *const outputs[] = {"T.position.x", "T.position.z",     "T.velocity.x",
                                      "T.velocity.z", "T.acceleration.z", "ground-upper.angle"};
enum { N_OUTPUTS = sizeof outputs / sizeof outputs[0] };

static int first_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { memcpy(user, y, N_OUTPUTS * sizeof *y); }
  return 0;
}

typedef struct opened {
  test_model base;
  mbd_sim *s;
} opened;

/* A run of one step; its objective is the upper angle at the end. */
static opened open_bars(const char *start, int directions) {
  char text[2000];
  opened q;
  mbd_error err = {0};
  snprintf(text, sizeof text, "schema = 1\n%s[start]\n%s", bars, start);
  q.base = model_open_text(text);
  for (int i = 0; i < N_OUTPUTS; i++) { model_output(&q.base, outputs[i]); }
  const mbd_term angle = {.output = N_OUTPUTS - 1, .form = "terminal", .weight = 1};
  const mbd_case c = case_lasting(1e-3, 1e-3);
  CU_ASSERT_EQUAL_FATAL(mbd_sim_create(q.base.m, &c, q.base.o, 1, &angle, 1, directions, &q.s, &err), MBD_OK);
  return q;
}

static void close_bars(opened *q) {
  mbd_sim_destroy(q->s), model_close(&q->base);
}

/* y: the outputs at the first node. */
static mbd_status run(const char *start, double *y, mbd_error *err) {
  double psi[1];
  opened q = open_bars(start, 0);
  const mbd_status status = mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, first_node, y, err);
  close_bars(&q);
  return status;
}

static void test_several_joints(void) {
  double y[N_OUTPUTS];
  mbd_error err = {0};
  const char *start =
      "hold.T.x = 1.2\nrate.T.x = 0.3\nhold.T.z = -0.5\nrate.T.z = -0.7\n"
      "guess.ground-upper.angle = 1\nguess.upper-lower.angle = -1\n";
  const mbd_status status = run(start, y, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  CHECK_CLOSE("x", y[0], 1.2, 1e-14);
  CHECK_CLOSE("z", y[1], -0.5, 1e-14);
  CHECK_CLOSE("x rate", y[2], 0.3, 1e-14);
  CHECK_CLOSE("z rate", y[3], -0.7, 1e-14);
}

/* An observer is shown the outputs that it sees, with the values that they have among all, and those of objectives; no others are computed. */
static void test_outputs_seen(void) {
  const char *start = "hold.T.x = 1.2\nhold.T.z = -0.5\nguess.ground-upper.angle = 1\nguess.upper-lower.angle = -1\n";
  static const unsigned char seen[N_OUTPUTS] = {[1] = 1};
  double all[N_OUTPUTS], y[N_OUTPUTS], psi[1];
  mbd_error err = {0};
  opened q = open_bars(start, 0);
  mbd_sim_watch_outputs(q.s, seen);
  must(mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, first_node, y, &err), &err);
  mbd_sim_watch_outputs(q.s, NULL);
  must(mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, first_node, all, &err), &err);
  for (int o = 0; o < N_OUTPUTS; o++) {
    const int is_objective = o == N_OUTPUTS - 1;
    CU_ASSERT(all[o] != 0 || o == 2 || o == 3); /* at rest */
    CU_ASSERT_EQUAL(y[o], seen[o] || is_objective ? all[o] : 0);
  }
  close_bars(&q);
}

/* Both bars level and at rest: with J = m/3 of each about its end, from the equations of a double pendulum,
 *   (J1 + m2) a + m2/2 b = (m1/2 + m2) g,     m2/2 a + J2 b = m2/2 g,     T falls with a + b */
static void test_acceleration(void) {
  double y[N_OUTPUTS];
  mbd_error err = {0};
  const double a11 = 2.0 / 3 + 1, a12 = 0.5, a22 = 1.0 / 3, b1 = 2 * g, b2 = 0.5 * g;
  const double det = a11 * a22 - a12 * a12, a = (a22 * b1 - a12 * b2) / det, b = (a11 * b2 - a12 * b1) / det;
  CU_ASSERT_EQUAL_FATAL(run("", y, &err), MBD_OK);
  CHECK_CLOSE("T", y[4], -(a + b), 1e-13);
}

/* The first whose name has this part. */
static int coefficient(const mbd_model *m, const char *part) {
  int i = 0;
  while (i < mbd_model_ncoef(m) && !strstr(mbd_model_coef_name(m, i), part)) { i++; }
  CU_ASSERT_FATAL(i < mbd_model_ncoef(m));
  return i;
}

/* A coordinate that nothing fixes starts at its guess, and so do the derivatives by it. */
static void test_guess(void) {
  mbd_error err = {0};
  opened q = open_bars("guess.ground-upper.angle = 0.4\n", 1);
  const mbd_adjoint_options all = {0};
  const int nc = mbd_model_ncoef(q.base.m);
  const int guess = coefficient(q.base.m, "guess");
  double psi[1], direct[1], *gtheta = calloc((size_t)nc, sizeof *gtheta);
  const double one = 1;
  mbd_dparams *d;
  CU_ASSERT_EQUAL_FATAL(mbd_dparams_create(q.base.m, &d, &err), MBD_OK);
  mbd_dparams_set(d, q.base.p, 1, &guess, &one);
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, 1, &d, psi, direct, NULL, NULL, NULL, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q.s, q.base.p, &all, psi, gtheta, NULL, NULL, &err), MBD_OK);
  CHECK_CLOSE("direct", direct[0], 1, 1e-4); /* the motion of a millisecond */
  CHECK_CLOSE("adjoint", gtheta[guess], direct[0], 1e-14);
  mbd_dparams_destroy(d);
  free(gtheta);
  close_bars(&q);
}

/* A crank of length 1 and a rod of length 3 along x drive a slider, at x = cos a + sqrt(9 - sin^2 a) or cos a - sqrt(9 - sin^2 a). The position of the model file
 * is closed, and is moved to a = 3 without a change of side, also by a drive; a guess of the rod, for which it is not, is one of the rod at a = 3. */
static void test_side(void) {
  static const char crank[] =
      "[model]\ntitle = slider crank\ngravity = 0, 0, 0\n"
      "[body crank]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0, 1, 1\n[body rod]\nmass = 1\ncom = 2.5, 0, 0\ninertia = 0, "
      "1, 1\n"
      "[body slider]\nmass = 1\ncom = 4, 0, 0\ninertia = 1, 1, 1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, crank\n[point E]\nat = 1, 0, 0\nbodies = crank, rod\n"
      "[point S]\nat = 4, 0, 0\nbodies = rod, slider\n[vector y]\nalong = 0, 1, 0\nbodies = ground, crank, rod\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, slider\n"
      "[joint guide]\ntype = prismatic\nbodies = ground, slider\naxis = x\n";
  static const char drive[] =
      "[constraint turn]\ntype = driven_coordinate\ncoordinate = ground-crank.angle\nmotion = three\n"
      "[curve three]\ntype = polynomial\ncoefficients = 3\n";
  static const struct {
    const char *more, *analysis;
    int side;
  } rows[] = {{"", "motion", 1}, {"guess.crank-rod.angle = 0.1\n", "motion", -1}, {drive, "kinematic", 1}};
  mbd_case c = case_lasting(1e-3, 1e-3);
  for (int i = 0; i < 3; i++) {
    char text[2000];
    double psi[1];
    mbd_error err = {0};
    mbd_sim *s;
    snprintf(text, sizeof text, "schema = 1\n%s[start]\nhold.ground-crank.angle = 3\n%s", crank, rows[i].more);
    c.analysis = rows[i].analysis;
    test_model q = model_open_text(text);
    const mbd_term place = {.output = model_output(&q, "S.position.x"), .form = "terminal", .weight = 1};
    must(mbd_sim_create(q.m, &c, q.o, 1, &place, 1, 0, &s, &err), &err);
    must(mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
    CHECK_CLOSE("slider", psi[0], cos(3) + rows[i].side * sqrt(9 - sin(3) * sin(3)), 1e-14);
    mbd_sim_destroy(s), model_close(&q);
  }
}

/* Euler parameters that nothing fixes start along their guess, whatever its length: turned about x by 2 atan(4/3), T of this
 * ball is at y = sin, z = -cos of that, and stays there. */
static void test_euler_guess(void) {
  static const char ball[] =
      "schema = 1\n[model]\ntitle = ball\ngravity = 0, 0, 0\n"
      "[body ball]\nmass = 2\ncom = 0, 0, 0\ninertia = 0.3, 0.2, 0.1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, ball\n[point T]\nat = 0.5, 0, -1\nbodies = ball\n"
      "[start]\nguess.ground-ball.e0 = 3\nguess.ground-ball.e1 = 4\n";
  const double expected[2] = {0.96, 0.28}, slope[2][2] = {{0.0896, -0.0672}, {-0.3072, 0.2304}}; /* by e0, e1 */
  const mbd_case c = case_lasting(1e-3, 1e-3);
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_sim *s;
  mbd_dparams *d[2];
  test_model q = model_open_text(ball);
  const mbd_term place[2] = {{.psi = 0, .output = model_output(&q, "T.position.y"), .form = "terminal", .weight = 1},
                             {.psi = 1, .output = model_output(&q, "T.position.z"), .form = "terminal", .weight = 1}};
  const int nc = mbd_model_ncoef(q.m), guess = coefficient(q.m, "guess.ground-ball.e0");
  double psi[2], direct[4], *gtheta = calloc(2 * (size_t)nc, sizeof *gtheta);
  for (int k = 0; k < 2; k++) {
    const int index = guess + k;
    const double one = 1;
    must(mbd_dparams_create(q.m, &d[k], &err), &err);
    mbd_dparams_set(d[k], q.p, 1, &index, &one);
  }
  must(mbd_sim_create(q.m, &c, q.o, 2, place, 2, 2, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 2, d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  for (int i = 0; i < 2; i++) {
    CHECK_CLOSE("place", psi[i], expected[i], 1e-14);
    for (int k = 0; k < 2; k++) {
      CHECK_CLOSE("direct", direct[2 * i + k], slope[i][k], 1e-14);
      CHECK_CLOSE("adjoint", gtheta[i * nc + guess + k], slope[i][k], 1e-14);
    }
  }
  for (int k = 0; k < 2; k++) { mbd_dparams_destroy(d[k]); }
  free(gtheta);
  mbd_sim_destroy(s), model_close(&q);
}

static void test_messages(void) {
  double y[N_OUTPUTS];
  mbd_error err = {0};
  CU_ASSERT_EQUAL(run("hold.ground-upper.angle = 0\nrate.ground-upper.angle = 1\nhold.E.z = 0\n"
                      "rate.E.z = 1\n",
                      y, &err),
                  MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(err.text, "no velocities at the start satisfy all equations: '");
  CU_ASSERT_EQUAL(run("hold.ground-upper.angle = 0\nhold.T.x = 5\n", y, &err), MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(
      err.text,
      "the mechanism cannot be assembled from its guesses, nor from others: in the closest position equation "
      "'T.x' is left at ");
}

/* ---- what fails says what to do ---- */

/* A third bar without mass and inertia hangs on the second. */
static void test_without_mass(void) {
  static const char *const formulations[] = {"ali3p", "matrix_r", "semi_recursive"};
  char text[2000];
  snprintf(text, sizeof text,
           "schema = 1\n%s[body thread]\nmass = 0\ncom = 2.5, 0, 0\ninertia = 0, 0, 0\n[vector x]\nalong = 1, 0, 0\n"
           "bodies = lower, thread\n[joint knot]\ntype = cylindrical\nbodies = lower, thread\npoint = T\naxis = x\n",
           bars);
  char *shared = strstr(text, "bodies = lower\n"); /* T is a point of the thread, too */
  CU_ASSERT_FATAL(shared != NULL);
  memmove(shared + 22, shared + 14, strlen(shared + 14) + 1);
  memcpy(shared + 14, ", thread", 8);
  for (int i = 0; i < 3; i++) {
    test_model q = model_open_text(text);
    mbd_case c = case_lasting(1e-3, 1e-3);
    mbd_error err = {0};
    mbd_sim *s;
    c.formulation = formulations[i];
    c.integrator = i ? "runge_kutta_4" : "newmark";
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
    CU_ASSERT_EQUAL(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), MBD_SINGULAR);
    CHECK_CONTAINS(err.text, "knot.distance'");
    CHECK_CONTAINS(err.text, "knot.angle'");
    CHECK_CONTAINS(err.text, " have neither mass nor a constraint; expected a mass, or an inertia about the axis");
    mbd_sim_destroy(s), model_close(&q);
  }
}

/* T cannot be lowered from where both bars lie straight, where nothing moves it down and up alike, but from other guesses. */
static void test_other_guesses(void) {
  opened q = open_bars("hold.T.x = 1.2\nhold.T.z = 0\n", 0);
  mbd_error err = {0};
  double y[N_OUTPUTS], psi[1];
  must(mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, first_node, y, &err), &err);
  CHECK_CLOSE("x", y[0], 1.2, 1e-14);
  CHECK_CLOSE("z", y[1], 0, 1e-14);
  const mbd_warning *w = warning_of(q.s, "assembly");
  CU_ASSERT_FATAL(w != NULL);
  CHECK_CONTAINS(w->text, "the start was found from others");
  CHECK_CONTAINS(w->text, "guess.ground-upper.angle = ");
  close_bars(&q);
}

/* Bars of length 1 cannot reach 5 m: the closest position is that of both in line, and its picture can be drawn. */
static void test_closest(void) {
  opened q = open_bars("hold.T.x = 5\nhold.T.z = 0\nguess.upper-lower.angle = 1\n", 0);
  mbd_error err = {0};
  double o[3], A[9];
  CU_ASSERT_EQUAL(mbd_sim_start(q.s, q.base.p, NULL, NULL, NULL, NULL, &err), MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(err.text, "in the closest position equation 'T.x' is left at -3 m ");
  mbd_sim_pose(q.s, 2, o, A);
  CHECK_CLOSE("T.x", o[0] + 2 * A[0], 2, 1e-6);
  CHECK_CLOSE("T.z", o[2] + 2 * A[6], 0, 1e-3);
  close_bars(&q);
}

/* Three cranks on one coupler, all parallel: one of them is redundant, and its length alone cannot change. */
static const char cranks[] =
    "schema = 1\n[model]\ntitle = three cranks\njoints = found\n[scalars]\nall = 1\nlength = all\nthird = all\n"
    "[body a]\nmass = 1\ncom = 0, 0, 0.5\ninertia = 1, 1, 1\n[body b]\nmass = 1\ncom = 1, 0, 0.5\ninertia = 1, 1, 1\n"
    "[body c]\nmass = 1\ncom = 2, 0, 0.5\ninertia = 1, 1, 1\n[body bar]\nmass = 1\ncom = 1, 0, 1\ninertia = 1, 1, 1\n"
    "[point A0]\nat = 0, 0, 0\nbodies = ground, a\n[point B0]\nat = 1, 0, 0\nbodies = ground, b\n"
    "[point C0]\nat = 2, 0, 0\nbodies = ground, c\n"
    "[point A1]\nat.a = 0, 0, length\nat.bar = 0, 0, 1\n[point B1]\nat.b = 1, 0, length\nat.bar = 1, 0, 1\n"
    "[point C1]\nat.c = 2, 0, third\nat.bar = 2, 0, 1\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, a, b, c, bar\n[start]\nhold.a.angle.y = 0.3\n"
    "settle = a.angle.y\n[force rest]\ntype = torsion_spring\ncoordinate = ground-a.angle\nstiffness = 100\n";

static void check_contradiction(mbd_start from, const char *scalar, int contradicts) {
  mbd_case c = case_lasting(1e-2, 1e-2);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_dparams *d;
  double psi[1], grad[1];
  test_model q = model_open_text(cranks);
  const mbd_term end = {.output = model_output(&q, "B1@b.position.x"), .form = "terminal", .weight = 1};
  c.start = from;
  test_directions v = directions_of_scalars(&q);
  int k = 0;
  while (k < v.n && strcmp(v.name[k], scalar) != 0) { k++; }
  CU_ASSERT_FATAL(k < v.n);
  must(mbd_sim_create(q.m, &c, q.o, 1, &end, 1, 1, &s, &err), &err);
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, v.start[k + 1] - v.start[k], v.index + v.start[k], v.value + v.start[k]);
  must(mbd_sim_run(s, q.p, 1, &d, psi, grad, NULL, NULL, NULL, &err), &err);
  const mbd_warning *w = warning_of(s, "start derivative");
  CU_ASSERT_EQUAL(w != NULL, contradicts);
  if (w) {
    CHECK_CONTAINS(w->text, "as 'point.C1@c.z' varies, redundant constraints of the start contradict each other");
    CHECK_CONTAINS(w->text, "least squares");
  }
  const mbd_adjoint_options all = {0};
  const int *first = v.start + k;
  const int start[2] = {0, first[1] - first[0]};
  double *gtheta = calloc((size_t)mbd_model_ncoef(q.m), sizeof *gtheta);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  CU_ASSERT(warning_of(s, "start derivative") == NULL);
  mbd_sim_check_directions(s, 1, &scalar, start, v.index + first[0], v.value + first[0]);
  const mbd_warning *told = warning_of(s, "start derivative");
  CU_ASSERT_EQUAL(told != NULL, contradicts);
  if (told) {
    CHECK_CONTAINS(told->text, "as 'third' varies, redundant constraints of the start contradict each other");
  }
  free(gtheta);
  mbd_dparams_destroy(d);
  directions_free(&v);
  mbd_sim_destroy(s), model_close(&q);
}

/* All three cranks by one scalar agree. */
static void test_contradiction(void) {
  const mbd_start from[] = {MBD_START_GIVEN, MBD_START_EQUILIBRIUM};
  for (int i = 0; i < 2; i++) {
    check_contradiction(from[i], "third", 1);
    check_contradiction(from[i], "all", 0);
  }
}

/* The adjoint names the rows of the linkage that the scalar belongs to, and does not warn of scalars along which rows agree. */
static void check_named(test_model *q, const char *analysis, mbd_start from, const char *of, const char *scalar,
                        const char *row) {
  mbd_case c = case_lasting(1e-3, 1e-3);
  mbd_error err = {0};
  mbd_sim *s;
  double psi;
  const mbd_term end = {.output = model_output(q, of), .form = "terminal", .weight = 1};
  const mbd_adjoint_options all = {0};
  c.start = from, c.analysis = analysis;
  test_directions v = directions_of_scalars(q);
  int k = 0;
  while (k < v.n && strcmp(v.name[k], scalar) != 0) { k++; }
  CU_ASSERT_FATAL(k < v.n);
  double *gtheta = calloc((size_t)mbd_model_ncoef(q->m), sizeof *gtheta);
  must(mbd_sim_create(q->m, &c, q->o, 1, &end, 1, 0, &s, &err), &err);
  must(mbd_sim_adjoint(s, q->p, &all, &psi, gtheta, NULL, NULL, &err), &err);
  const int first = v.start[k], start[2] = {0, v.start[k + 1] - first};
  mbd_sim_check_directions(s, 1, &scalar, start, v.index + first, v.value + first);
  const mbd_warning *told = warning_of(s, "start derivative");
  CU_ASSERT_EQUAL(told != NULL, row != NULL);
  if (told && row) {
    CHECK_CONTAINS(told->text, scalar);
    CHECK_CONTAINS(told->text, row);
  }
  if ((told != NULL) != (row != NULL)) { printf("\n  %s: %s\n", scalar, told ? told->text : "no warning"); }
  free(gtheta);
  mbd_sim_destroy(s);
  directions_free(&v);
}

static const char two_linkages[] =
    "schema = 1\n[model]\ntitle = three cranks, twice\njoints = found\n[scalars]\nthird1 = 1\nthird2 = 1\n"
    "[body a{k}]\nrepeat = k from 1 to 2\nmass = 1\ncom = 0, 0, 0.5\ninertia = 1, 1, 1\n"
    "[body b{k}]\nrepeat = k from 1 to 2\nmass = 1\ncom = 1, 0, 0.5\ninertia = 1, 1, 1\n"
    "[body c{k}]\nrepeat = k from 1 to 2\nmass = 1\ncom = 2, 0, 0.5\ninertia = 1, 1, 1\n"
    "[body bar{k}]\nrepeat = k from 1 to 2\nmass = 1\ncom = 1, 0, 1\ninertia = 1, 1, 1\n"
    "[point A0_{k}]\nrepeat = k from 1 to 2\nat = 0, 0, 0\nbodies = ground, a{k}\n"
    "[point B0_{k}]\nrepeat = k from 1 to 2\nat = 1, 0, 0\nbodies = ground, b{k}\n"
    "[point C0_{k}]\nrepeat = k from 1 to 2\nat = 2, 0, 0\nbodies = ground, c{k}\n"
    "[point A1_{k}]\nrepeat = k from 1 to 2\nat = 0, 0, 1\nbodies = a{k}, bar{k}\n"
    "[point B1_{k}]\nrepeat = k from 1 to 2\nat = 1, 0, 1\nbodies = b{k}, bar{k}\n"
    "[point C1_{k}]\nrepeat = k from 1 to 2\nat.c{k} = 2, 0, third{k}\nat.bar{k} = 2, 0, 1\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, a1, b1, c1, bar1, a2, b2, c2, bar2\n"
    "[start]\nhold.a1.angle.y = 0.3\nhold.a2.angle.y = 0.3\nsettle = a1.angle.y, a2.angle.y\n"
    "[force rest{k}]\nrepeat = k from 1 to 2\ntype = torsion_spring\ncoordinate = ground-a{k}.angle\nstiffness = 100\n";

static const char driven_crank[] =
    "[constraint drive]\ntype = driven_coordinate\ncoordinate = ground-a.angle\nmotion = turn\n"
    "[curve turn]\ntype = polynomial\ncoefficients = 0.3, 1\n";

static void test_contradiction_named(void) {
  const mbd_start from[] = {MBD_START_GIVEN, MBD_START_EQUILIBRIUM};
  test_model two = model_open_text(two_linkages), buggy = model_open("problems/buggy/buggy.ini");
  for (int i = 0; i < 2; i++) {
    check_named(&two, "motion", from[i], "B1_1@b1.position.x", "third1", "'c1-bar1.coincident.z'");
    check_named(&two, "motion", from[i], "B1_1@b1.position.x", "third2", "'c2-bar2.coincident.z'");
    check_named(&buggy, "motion", from[i], "P1.position.z", "rod_y",
                NULL); /* moves all points of the rods, whose rows are redundant */
    check_named(&buggy, "motion", from[i], "P1.position.z", "Bx", NULL); /* of the front, whose rows are independent */
  }
  test_model driven = model_open_parts(cranks, driven_crank);
  check_named(&driven, "kinematic", MBD_START_GIVEN, "B1@b.position.x", "third", "'c-bar.coincident.z'");
  check_named(&driven, "kinematic", MBD_START_GIVEN, "B1@b.position.x", "all", NULL);
  model_close(&driven), model_close(&buggy), model_close(&two);
}

/* ---- singular positions ---- */

/* A parallelogram in the x-z plane, whose bars are in line where the angle a is 0. */
static const char flat[] =
    "schema = 1\n[model]\ntitle = parallelogram\njoints = found\n[scalars]\na = 0\nL = 1\n"
    "[body left]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 1, 1, 1\n[body bar]\nmass = 1\ncom = 2, 0, 0\ninertia = 1, 1, "
    "1\n"
    "[body right]\nmass = 1\ncom = 2.5, 0, 0\ninertia = 1, 1, 1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, left\n[point A]\nat = 1, 0, 0\nbodies = left, bar\n"
    "[point B]\nat.bar = 3, 0, 0\nat.right = 2 + L, 0, 0\n[point C]\nat = 2, 0, 0\nbodies = ground, right\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, left, bar, right\n[start]\nhold.ground-left.angle = a\n";

/* Runs twice, as an optimization does; the warning is the same. */
static void check_singular(const char *model, const char *row) {
  const mbd_case c = case_lasting(1e-3, 1e-3);
  mbd_error err = {0};
  mbd_sim *s;
  test_model q = model_open_text(model);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  for (int i = 0; i < 2; i++) {
    must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
    const mbd_warning *w = warning_of(s, "singular start");
    CU_ASSERT_EQUAL(w != NULL, row != NULL);
    if (!w) { continue; }
    CHECK_CONTAINS(w->text,
                   "the start is a singular position: beside it 1 more equation of constraints is independent");
    CHECK_CONTAINS(w->text, row);
    CHECK_CONTAINS(w->text, "1 degree of freedom more than it has");
  }
  mbd_sim_destroy(s), model_close(&q);
}

static void test_singular_start(void) {
  char beside[2000];
  edit(beside, sizeof beside, flat, "a = 0\n", "a = 0.01\n");
  check_singular(flat, "'bar-right.coincident.x'");
  check_singular(beside, NULL);
  check_singular(cranks, NULL); /* rows are redundant everywhere */
}

/* Between two fixed hinges, closed at the start alone: a beam that bends and does not stretch, of 1 m and of 5 mm, and two bars in line, which move to the
 * first order; none of them where the beam stretches. Without its shortening by slopes a beam in hinges grows longer, which they do not allow either. */
static void test_locked(void) {
  static const char ends[] =
      "schema = 1\n[model]\njoints = named\n[scalars]\nL = 1\n[point O]\nat = 0, 0, 0\nbodies = ground, rod\n"
      "[point A]\nat = L, 0, 0\nbodies = ground, %s\n[vector y]\nalong = 0, 1, 0\nbodies = ground, rod, %s\n"
      "[joint left]\ntype = revolute\nbodies = ground, rod\npoint = O\naxis = y\n"
      "[joint right]\ntype = revolute\nbodies = ground, %s\npoint = A\naxis = y\n";
  static const char beam[] =
      "[vector z]\nalong = 0, 0, 1\nbodies = rod\n[beam rod]\nfrom = O\nto = A\nup = z\nheight = L/50\nwidth = L/50\n"
      "E = 7e10\nG = 3e10\ndensity = 2700\nshapes = 3, 3, 1\n";
  static const char two_bars[] =
      "[body rod]\nmass = 1\ncom = 0.2, 0, 0\ninertia = 1, 1, 1\n[body bar]\nmass = 1\ncom = 0.7, 0, 0\ninertia = 1, "
      "1, 1\n"
      "[point M]\nat = 0.4, 0, 0\nbodies = rod, bar\n[vector n]\nalong = 0, 1, 0\nbodies = rod, bar\n"
      "[joint middle]\ntype = revolute\nbodies = rod, bar\npoint = M\naxis = n\n";
  const struct {
    const char *bodies, *end, *length, *also, *advice;
  } model[] = {{beam, "rod.tip", "L = 1\n", "", "Beam 'rod', held so that its ends cannot come closer"},
               {beam, "rod.tip", "L = 5e-3\n", "", "axial = 1"},
               {two_bars, "bar", "L = 1\n", "", "Expected constraints that leave it free"},
               {beam, "rod.tip", "L = 1\n", "axial = 1\n", NULL},
               {beam, "rod.tip", "L = 5e-3\n", "axial = 1\n", NULL},
               {beam, "rod.tip", "L = 1\n", "stiffening = no\n", "axial = 1"}};
  for (size_t i = 0; i < sizeof model / sizeof model[0]; i++) {
    char sized[2000], first[2000], text[3000];
    mbd_error err = {0};
    mbd_sim *s;
    edit(sized, sizeof sized, ends, "L = 1\n", model[i].length);
    snprintf(first, sizeof first, sized, model[i].end, model[i].end, model[i].end);
    snprintf(text, sizeof text, "%s%s%s", first, model[i].bodies, model[i].also);
    test_model q = model_open_text(text);
    for (int rests = 0; rests < 2; rests++) {
      mbd_case c = case_lasting(1e-6, 1e-6);
      if (rests) { c.analysis = "static"; }
      must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
      (void)mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err); /* some of them end there */
      const mbd_warning *w = warning_of(s, "singular start");
      CU_ASSERT_EQUAL(w != NULL, model[i].advice != NULL);
      if (w) { CHECK_CONTAINS(w->text, "coincident.x' follows from the others at the start alone"); }
      if (w) { CHECK_CONTAINS(w->text, model[i].advice); }
      mbd_sim_destroy(s);
    }
    model_close(&q);
  }
}

/* ---- held angles ---- */

/* A start alone; z [nz]. The status; y [n] outputs of the bodies' positions at the start, through a run of one step. */
typedef struct started {
  double y[3];
  double z[10];
} started;

static mbd_status start_text(const char *text, const char *const *shown, int n, started *out, mbd_error *err) {
  test_model q = model_open_text(text);
  mbd_sim *s;
  double psi[3];
  mbd_term t[3];
  for (int i = 0; i < n; i++) {
    t[i] = (mbd_term){.psi = i, .output = model_output(&q, shown[i]), .form = "terminal", .weight = 1};
  }
  const mbd_case c = case_lasting(1e-9, 1e-9);
  must(mbd_sim_create(q.m, &c, q.o, n, t, n, 0, &s, err), err);
  CU_ASSERT_FATAL(mbd_model_nz(q.m) <= 10);
  mbd_status status = mbd_sim_start(s, q.p, out->z, NULL, NULL, NULL, err);
  if (status == MBD_OK) { status = mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, err); }
  for (int i = 0; i < n && status == MBD_OK; i++) { out->y[i] = psi[i]; }
  mbd_sim_destroy(s), model_close(&q);
  return status;
}

/* The difference of two angles, within half a turn of zero. */
static double turned(double a, double b) {
  return remainder(a - b, 2 * acos(-1));
}

/* A wheel about a global axis: from every guess it starts at the held angle, by the nearest way. */
static void test_held_angle(void) {
  static const double value[] = {2, 3, -3, 3.5, 10, 3.14159265358979, 0}, guess[] = {0, 3.14159265358979, -2, 7};
  static const char *const axis[] = {"1, 0, 0", "0, 1, 0", "0, 0, 1"};
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
      for (size_t j = 0; j < sizeof guess / sizeof *guess; j++) {
        char text[1000], name[30];
        const char *shown[1] = {name};
        mbd_error err = {0};
        started got;
        snprintf(name, sizeof name, "wheel.angle.%c", 'x' + k);
        snprintf(text, sizeof text,
                 "schema = 1\n[model]\ntitle = wheel\n[body wheel]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
                 "[point O]\nat = 0, 0, 0\nbodies = ground, wheel\n[vector u]\nalong = %s\nbodies = ground, wheel\n"
                 "[start]\nhold.%s = %.15g\nrate.%s = 3\nguess.ground-wheel.angle = %.15g\n",
                 axis[k], name, value[i], name, guess[j]);
        CU_ASSERT_EQUAL_FATAL(start_text(text, shown, 1, &got, &err), MBD_OK);
        CHECK_CLOSE(name, turned(got.y[0], value[i]), 0, 1e-8); /* 3e-9 of motion */
        CHECK_CLOSE("coordinate", turned(got.z[0], value[i]), 0, 1e-13);
        CHECK_CLOSE("way", got.z[0], guess[j], acos(-1) + 1e-13);
      }
    }
  }
}

/* A body free in space whose three angles are held at those of some attitude: it has these, or the start is refused. */
static void test_held_attitude(void) {
  static const char *const shown[3] = {"ball.angle.x", "ball.angle.y", "ball.angle.z"};
  const int n = test_long() ? 2000 : 100;
  int reached = 0;
  for (int i = 0; i < n; i++) {
    double e[4], held[3], length = 0;
    char text[1000];
    mbd_error err = {0};
    started got;
    for (int k = 0; k < 4; k++) { e[k] = any(), length += e[k] * e[k]; }
    for (int k = 0; k < 4; k++) { e[k] /= sqrt(length); }
    /* angle k: body axis p = k + 1 in the plane of the global axes p, q = k + 2;  A = 1 + 2 e0 e~ + 2 e~ e~ */
    for (int k = 0; k < 3; k++) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      held[k] = atan2(2 * (e[1 + p] * e[1 + q] + e[0] * e[1 + k]), 2 * (e[0] * e[0] + e[1 + p] * e[1 + p]) - 1);
    }
    snprintf(text, sizeof text,
             "schema = 1\n[model]\ntitle = ball\n[body ball]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
             "[joint free]\ntype = floating\nbodies = ground, ball\n"
             "[start]\nhold.ball.angle.x = %.15g\nhold.ball.angle.y = %.15g\nhold.ball.angle.z = %.15g\n",
             held[0], held[1], held[2]);
    const mbd_status status = start_text(text, shown, 3, &got, &err);
    if (status != MBD_OK) {
      CU_ASSERT(status == MBD_NO_ASSEMBLY || status == MBD_SINGULAR || status == MBD_NOT_FINITE);
      continue;
    }
    reached++;
    for (int k = 0; k < 3; k++) { CHECK_CLOSE(shown[k], turned(got.y[k], held[k]), 0, 1e-7); }
  }
  printf("(%d of %d attitudes reached from no guess) ", reached, n);
  CU_ASSERT(reached > n / 2);
}

static const char ball_with[] =
    "schema = 1\n[model]\ntitle = ball\n[body ball]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[joint free]\ntype = floating\nbodies = ground, ball\n[start]\n%s";

/* Held quantities that say different things, among them angles half a turn apart; and an angle that does not exist. */
static void test_held_refused(void) {
  mbd_error err = {0};
  started got;
  char text[1000];
  snprintf(text, sizeof text, ball_with,
           "hold.ball.angle.z = 3\nhold.free.e1 = 0\nhold.free.e2 = 0\nhold.free.e3 = 0\n");
  CU_ASSERT_EQUAL(start_text(text, NULL, 0, &got, &err), MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(err.text, "the mechanism cannot be assembled ");
  snprintf(text, sizeof text, ball_with,
           "hold.ball.angle.z = 1\nhold.free.e0 = sqrt(0.5)\nhold.free.e2 = sqrt(0.5)\n"
           "guess.free.e0 = 1\nguess.free.e2 = 1\n");
  CU_ASSERT_EQUAL(start_text(text, NULL, 0, &got, &err), MBD_NOT_FINITE);
  CHECK_CONTAINS(err.text, "equation 'ball.angle.z' of the start is not finite (a body's angle is not defined where");
}

/* ---- what is redundant, and what is free, at the assembled position ---- */

/* The floating four-bars with some scalars replaced and lines added to [start]: starts and checks rank 1 + 2N, 6 + N degrees of freedom, of which nfree keep their guess; z [nz] is the start. */
static void check_four_bars(const char *const value[4], const char *lines, int N, int nfree, double *z) {
  static const char *const scalar[] = {"N", "a", "b", "c"};
  test_model q = model_open_more("tests/conformance/models/floating_four_bars.ini", 4, scalar, value, lines);
  mbd_sim *s;
  mbd_error err = {0};
  int rank, nheld;
  const int *row, *held;
  const mbd_case c = case_lasting(1e-3, 1e-3);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  const mbd_status status = mbd_sim_start(s, q.p, z, NULL, NULL, NULL, &err);
  if (status != MBD_OK) { printf("\n  N = %d: %s\n", N, err.text); }
  CU_ASSERT_EQUAL(status, MBD_OK);
  mbd_sim_rank(s, &rank, &row, &nheld, &held);
  CU_ASSERT_EQUAL(mbd_model_nz(q.m), 7 + 3 * N);
  CU_ASSERT_EQUAL(rank, 1 + 2 * N);
  CU_ASSERT_EQUAL(nheld, nfree);
  for (int i = rank; i < mbd_model_nphi(q.m); i++) { /* across the plane */
    CHECK_CONTAINS(mbd_model_phi_name(q.m, row[i]), ".coincident.x");
  }
  mbd_sim_destroy(s), model_close(&q);
}

static void test_open_guesses(void) {
  static const int loops[] = {1, 2, 5};
  for (int i = 0; i < 3; i++) {
    const int N = loops[i];
    char n[10], at[3][40];
    double z[22], closed[22];
    snprintf(n, sizeof n, "%d", N);
    const char *const open[4] = {n, "-0.2", "0.47", "-0.5"}, *const loose[4] = {n, "-0.2", "0.3", "-0.3"};
    const char *const shut[4] = {n, at[0], at[1], at[2]};
    static const char held[] =
        "hold.base.x = 0\nhold.base.y = 0\nhold.base.z = 0\nhold.base.e1 = 0\nhold.base.e2 = sin(0.1)\n"
        "hold.base.e3 = 0\nhold.A{i from 1 to N}.angle = -0.2\n";
    check_four_bars(open, held, N, 0, z);
    check_four_bars(loose, "", N, 6 + N, z);
    check_four_bars(open, "", N, 6 + N, z);
    /* the base has kept its guess, and the loops are closed where they are if they already are at the guesses */
    for (int j = 0; j < 7; j++) { CHECK_CLOSE("base", z[j], j == 3, 1e-15); }
    for (int k = 0; k < 3; k++) { snprintf(at[k], sizeof at[k], "%.17g", z[7 + k * N]); }
    check_four_bars(shut, "", N, 6 + N, closed);
    for (int j = 0; j < 7 + 3 * N; j++) { CHECK_CLOSE("as with closed guesses", z[j], closed[j], 1e-14); }
  }
}

/* Gaps of all sizes at the guesses: what is redundant is judged where they are closed, and the base stays where it is. */
static void test_gaps(void) {
  for (int i = 0; i < 60; i++) {
    const double size = pow(10, -i / 5.0);
    char b[40], c[40];
    double z[10];
    snprintf(b, sizeof b, "%.17g", 0.471682269 + size * any()),
        snprintf(c, sizeof c, "%.17g", -0.493902188 + size * any());
    const char *const value[4] = {"1", "-0.2", b, c};
    check_four_bars(value, "guess.base.e2 = 0.3\n", 1, 7, z);
    CHECK_CLOSE("base", z[5], 0.3 / sqrt(1.09), 1e-14);
  }
}

/* A loop whose rank at the guess is larger than where it is closed, on an arm that also carries a body on a hinge of its own, which is in no equation. */
static void test_coordinate_without_equation(void) {
  static const char text[] =
      "schema = 1\n[model]\nframe = body\njoints = named\n"
      "[body arm]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body bar]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[body puck]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body open]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, "
      "1\n"
      "[point A]\nat.ground = 0, 0, 1\nat.arm = 0, 0, 0\n[point F]\nat.arm = 0.6, 0, 0\nat.bar = 0, 0, 0\n"
      "[point G]\nat.bar = 0.2, 0, 0\nat.puck = 0, 0, 0\n[point H]\nat.arm = 0, 0.1, 0\n[point O]\nat.arm = 0.4, 0, 0\n"
      "at.open = 0, 0, 0\n[vector x]\nalong.ground = 1, 0, 0\nalong.arm = 1, 0, 0\n"
      "[vector z]\nalong.arm = 0, 0, 1\nalong.bar = 0, 0, 1\nalong.puck = 0, 0, 1\nalong.open = 0, 0, 1\n"
      "[joint a]\ntype = revolute\nbodies = ground, arm\npoint = A\naxis = x\n"
      "[joint b]\ntype = revolute\nbodies = arm, bar\npoint = F\naxis = z\n"
      "[joint p]\ntype = planar\nbodies = arm, puck\npoints = H, G\naxis = z\n"
      "[joint o]\ntype = revolute\nbodies = arm, open\npoint = O\naxis = z\n"
      "[joint cut]\ntype = revolute\nbodies = bar, puck\npoint = G\naxis = z\ncut = yes\n";
  const mbd_case c = case_lasting(1e-6, 1e-6);
  mbd_error err = {0};
  mbd_sim *s;
  test_model q = model_open_text(text);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.p, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s), model_close(&q);
}

/* A slider on a turning arm, held by both its coordinates: at the guess, in the hinge, these leave the arm's angle free, which
 * they determine where the slider is held. */
static void test_free_at_guess_only(void) {
  static const char arm[] =
      "schema = 1\n[model]\ntitle = slider on an arm\njoints = named\n"
      "[body arm]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body slider]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, "
      "1\n"
      "[point T]\nat = 0, 0, 0\nbodies = ground, arm, slider\n[vector y]\nalong = 0, 1, 0\nbodies = ground, arm\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = arm, slider\n"
      "[joint hinge]\ntype = revolute\nbodies = ground, arm\npoint = T\naxis = y\n"
      "[joint rail]\ntype = prismatic\nbodies = arm, slider\naxis = x\n"
      "[start]\nhold.T@slider.x = 1.5\nhold.T@slider.z = 0\n";
  mbd_error err = {0};
  mbd_sim *s;
  mbd_dparams *d;
  test_model q = model_open_text(arm);
  const mbd_term height = {.output = model_output(&q, "T@slider.position.z"), .form = "terminal", .weight = 1};
  const mbd_case c = case_lasting(1e-6, 1e-6);
  const mbd_adjoint_options all = {0};
  const int nc = mbd_model_ncoef(q.m), index = coefficient(q.m, "hold.T@slider.z");
  double psi[1], direct[1], *gtheta = calloc((size_t)nc, sizeof *gtheta);
  const double one = 1;
  int rank, nheld;
  const int *row, *held;
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, 1, &index, &one);
  must(mbd_sim_create(q.m, &c, q.o, 1, &height, 1, 1, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 1, &d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  CHECK_CLOSE("direct", direct[0], 1, 1e-9); /* the motion of a microsecond */
  CHECK_CLOSE("adjoint", gtheta[index], 1, 1e-9);
  mbd_sim_rank(s, &rank, &row, &nheld, &held);
  CU_ASSERT_EQUAL(nheld, 0);
  mbd_dparams_destroy(d), mbd_sim_destroy(s), model_close(&q);
  free(gtheta);
}

/* A cut joint whose bodies would be assembled half a turn off is refused; with guesses that are closer it is closed. */
static void test_cut_joint_turned(void) {
  static const struct {
    const char *type, *axis; /* about which the guess turns the body, across the joint's own */
  } joints[] = {{"revolute", "e1"}, {"cylindrical", "e1"}, {"planar", "e1"}, {"prismatic", "e1"}, {"prismatic", "e3"}};
  for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++) {
    static const char *const length[2] = {"0.1", "2"}; /* of the guess along it: the turn is small, or most of a half */
    for (int far = 0; far < 2; far++) {
      char text[1000];
      mbd_error err = {0};
      started got;
      snprintf(text, sizeof text,
               "schema = 1\n[model]\ntitle = cut\njoints = named\n"
               "[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
               "[point O]\nat = 0, 0, 0\nbodies = ground, b\n[vector u]\nalong = 0, 0, 1\nbodies = ground, b\n"
               "[joint free]\ntype = floating\nbodies = ground, b\n"
               "[joint loop]\ntype = %s\nbodies = ground, b\n%saxis = u\ncut = yes\n"
               "[start]\nguess.free.e0 = 0.2\nguess.free.%s = %s\n",
               joints[i].type, strcmp(joints[i].type, "prismatic") == 0 ? "" : "point = O\n", joints[i].axis,
               length[far]);
      const mbd_status status = start_text(text, NULL, 0, &got, &err);
      if (status != (far ? MBD_NO_ASSEMBLY : MBD_OK)) { printf("\n  %s (%d): %s\n", joints[i].type, far, err.text); }
      CU_ASSERT_EQUAL(status, far ? MBD_NO_ASSEMBLY : MBD_OK);
      if (far) { CHECK_CONTAINS(err.text, "the two bodies of the cut joint 'loop' half a turn off"); }
    }
  }
}

/* A spring between two points at one place is told by its name, not by the accelerations that it makes: for every formulation and
 * coordinates, in the start, in a start from equilibrium and in a static case. */
static void test_force_without_line(void) {
  test_model q = model_open_text(
      "schema = 1\n[model]\nname = p\njoints = named\n[body b]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, b\n[point T]\nat = 1, 0, 0\nbodies = b\n"
      "[point G]\nat = 1, 0, 0\nbodies = ground\n[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n"
      "[joint h]\ntype = revolute\nbodies = ground, b\npoint = O\naxis = y\n"
      "[force taut]\ntype = spring\npoints = T, O@ground\nstiffness = 5\n"
      "[force slack]\ntype = spring\npoints = T, G\nstiffness = 10\nfree_length = 0\n"
      "[start]\nhold.h.angle = 0\nsettle = h.angle\n");
  for (int i = 0; i < 4; i++) {
    mbd_case c = case_lasting(0.01, 0.01);
    mbd_sim *s;
    mbd_error err = {0};
    double z[1];
    if (i == 1) { c.coordinates = MBD_COORDINATES_NATURAL; }
    if (i == 2) { c.start = MBD_START_EQUILIBRIUM; }
    if (i == 3) { c.analysis = "static"; }
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
    CU_ASSERT_EQUAL(mbd_sim_start(s, q.p, z, NULL, NULL, NULL, &err), MBD_NOT_FINITE);
    CHECK_CONTAINS(err.text, "force 'slack' is not finite: its two points are at one place");
    mbd_sim_destroy(s);
  }
  model_close(&q);
}

/* A distance that is guessed to be zero has no slope there; the warning names its guess, and not those of coordinates that have stayed. */
static void test_guesses_named(void) {
  test_model q = model_open_text(
      "schema = 1\n[model]\nname = p\njoints = named\n[body b]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, b\n[point T]\nat = 1, 0, 0\nbodies = b\n"
      "[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n"
      "[joint h]\ntype = cylindrical\nbodies = ground, b\npoint = O\naxis = y\n"
      "[joint again]\ntype = revolute\nbodies = ground, b\npoint = O\naxis = y\n"
      "[coordinate reach]\nguess = 0\n"
      "[constraint length]\ntype = distance_coordinate\npoints = O@ground, T\ncoordinate = reach\n");
  const mbd_case c = case_lasting(0.01, 0.01);
  mbd_sim *s;
  mbd_error err = {0};
  double z[3];
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.p, z, NULL, NULL, NULL, &err), &err);
  CHECK_CLOSE("reach", fabs(z[1]), 1, 1e-12);
  const mbd_warning *w = warning_of(s, "assembly");
  CU_ASSERT_PTR_NOT_NULL_FATAL(w);
  CHECK_CONTAINS(w->text, "expected guesses closer to it, such as guess = ");
  CHECK_CONTAINS(w->text, " in [coordinate reach]");
  CU_ASSERT(!strstr(w->text, "guess.again"));
  mbd_sim_destroy(s), model_close(&q);
}

TEST_MAIN(TEST(test_without_mass), TEST(test_other_guesses), TEST(test_closest), TEST(test_contradiction),
          TEST(test_contradiction_named), TEST(test_singular_start), TEST(test_locked), TEST(test_several_joints),
          TEST(test_acceleration), TEST(test_outputs_seen), TEST(test_guess), TEST(test_side), TEST(test_euler_guess),
          TEST(test_messages), TEST(test_held_angle), TEST(test_held_attitude), TEST(test_held_refused),
          TEST(test_open_guesses), TEST(test_gaps), TEST(test_free_at_guess_only),
          TEST(test_coordinate_without_equation), TEST(test_cut_joint_turned), TEST(test_force_without_line),
          TEST(test_guesses_named))
