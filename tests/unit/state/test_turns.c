/* Turns of angles along a run. A wheel turns about an axis by a given acceleration,
 *   y = x0 + w t + a t^2/2,
 * several turns from the start to the end, and all schemes integrate it exactly. What is read of its angle outputs is compared with this
 * formula, and in every form with what is read of the joint's coordinate, which knows no turns; gradients, with the complex step. Forces that read
 * the angle act as those of the coordinate. */
#include "mbd/referee.h"
#include "model.h"

#define WHEEL(W, AXIS)                                                                                               \
  "schema = 1\n[model]\nname = wheel\ngravity = 0, 0, 0\n[scalars]\nx0 = 0.3\nw = " W                                \
  "\na = 0.5\nI = 2\n[body wheel]\nmass = 1\ncom = 0, 0, 0\ninertia = I, I, I\n"                                     \
  "[point O]\nat = 0, 0, 0\nbodies = ground, wheel\n[vector axis]\nalong = " AXIS                                    \
  "\nbodies = ground, wheel\n[vector across]\nalong = 0, 1, 0\nbodies = ground\n"                                    \
  "[vector spoke]\nalong = 0, 1, 0\nbodies = wheel\n"                                                                \
  "[joint J]\ntype = revolute\nbodies = ground, wheel\npoint = O\naxis = axis\n"                                     \
  "[quantity seen]\nvalue = turned - 1\n[quantity turned]\nvalue = angle(across, spoke, axis) + 2*P.position.norm\n" \
  "[point P]\nat = 0.5, 0, 0\nbodies = wheel\n"
/* A force that reads the angle; it is zero where the turns are right. */
#define HELD(ANGLE) "[force held]\ntype = expression\ncoordinate = J.angle\nvalue = 3*(" ANGLE " - J.angle)\n"
#define DRIVEN                                                   \
  "[curve path]\ntype = polynomial\ncoefficients = x0, w, a/2\n" \
  "[constraint drive]\ntype = driven_coordinate\ncoordinate = J.angle\nmotion = path\n"
#define FREE                                                                       \
  "[curve torque]\ntype = polynomial\ncoefficients = a*I\n"                        \
  "[force motor]\ntype = coordinate_force\ncoordinate = J.angle\nforce = torque\n" \
  "[start]\nhold.J.angle = x0\nrate.J.angle = w\n"

static const double duration = 4, x0 = 0.3, a = 0.5;
enum { OUTPUTS = 4 }; /* the coordinate, then the outputs that are the same angle */
static const char *const about_z[OUTPUTS] = {"J.angle", "wheel.angle.z", "wheel.yaw", "seen"},
                         *const about_x[OUTPUTS] = {"J.angle", "wheel.angle.x", "wheel.roll", "seen"};

#define TIME(t) \
  { .kind = MBD_MOMENT_TIME, .value = (t) }

/* Samples of y - 0.1, as an instrument shows them that knows no turns. */
static const double sampled[] = {0.2, 1.234, 1.51, 3.77};
static double shown[4];
static const mbd_samples series = {.n = 4, .time = sampled, .value = shown, .sigma = 1};

static const mbd_term forms[] = {
    {.form = "value_at", .at = TIME(1.57)},
    {.form = "terminal"},
    {.form = "integral"},
    {.form = "integral_square", .target = 1},
    {.form = "integral", .from = TIME(0.05), .until = TIME(3.11)},
    {.form = "rms", .from = TIME(1.21), .until = TIME(2.39)},
    {.form = "peak", .sharpness = 0.7},
    {.form = "range", .sharpness = 0.7},
    {.form = "quantile", .level = 0.6, .width = 0.3},
    {.form = "settling_time", .target = 12, .tolerance = 3},
    {.form = "integral", .until = {MBD_MOMENT_RISES, 0, 7}},
    {.form = "measured", .samples = &series},
};
enum { FORMS = sizeof forms / sizeof forms[0], N = FORMS * OUTPUTS };

typedef struct wheel {
  test_model base;
  const char *const *output;
  mbd_term term[N];
  int n; /* terms */
} wheel;

static double turned(double w, double t) {
  return x0 + w * t + a * t * t / 2;
}

static wheel open_wheel(const char *text, const char *const *output, double w) {
  wheel q = {.base = model_open_text(text), .output = output};
  for (int i = 0; i < OUTPUTS; i++) { CU_ASSERT_EQUAL(model_output(&q.base, output[i]), i); }
  for (int k = 0; k < FORMS; k++) {
    for (int o = 0; o < OUTPUTS; o++) {
      mbd_term *t = &q.term[q.n];
      *t = forms[k];
      t->psi = q.n++, t->weight = 1.5, t->output = o;
      if (t->until.kind == MBD_MOMENT_RISES) { t->until.output = o; }
    }
  }
  for (int i = 0; i < 4; i++) { shown[i] = remainder(turned(w, sampled[i]) - 0.1, 2 * acos(-1)); }
  return q;
}

/* Values or derivatives: all outputs have what the coordinate has; of measured series, what the first of the angles has. */
static void check_equal(const wheel *q, const double *psi) {
  for (int i = 0; i < q->n; i++) {
    const int measured = i >= (FORMS - 1) * OUTPUTS, first = i / OUTPUTS * OUTPUTS + measured;
    const int other_turns = measured && (i < first || i == N - 1); /* of the coordinate and of a quantity */
    if (!other_turns) { CHECK_NEAR(q->term[i].form, psi[i], psi[first], 1 + fabs(psi[first]), 1e-11); }
  }
}

static void by_adjoint(const wheel *q, mbd_sim *s, mbd_adjoint_options o, const double *dtheta, double *g,
                       double *along) {
  const int nc = mbd_model_ncoef(q->base.m);
  double psi[N];
  mbd_error err = {0};
  must(mbd_sim_adjoint(s, q->base.p, &o, psi, g, NULL, NULL, &err), &err);
  for (int i = 0; i < q->n; i++) {
    along[i] = 0;
    for (int k = 0; k < nc; k++) { along[i] += g[i * nc + k] * dtheta[k]; }
  }
}

/* exact_to: the error of the scheme; continuous: 1: there is a continuous adjoint */
static void check(wheel *q, const mbd_case *c, double w, double exact_to, int continuous) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_referee *r;
  double psi[N], direct[N], adjoint[N], same[N], exact[N];
  const int nc = mbd_model_ncoef(q->base.m);
  const size_t size = (size_t)q->n * (size_t)nc;
  double *g = calloc(2 * size, sizeof *g), *again = g + size, *dtheta = calloc((size_t)nc, sizeof *dtheta);
  test_directions all = directions_of_scalars(&q->base);
  directions_any(&all, dtheta);
  mbd_dparams *d = direction_along(&q->base, dtheta);
  must(mbd_sim_create(q->base.m, c, q->base.o, q->n, q->term, q->n, 1, &s, &err), &err);
  for (int run = 0; run < 2; run++) { /* nothing is left of an earlier run */
    must(mbd_sim_run(s, q->base.p, 1, &d, psi, direct, NULL, NULL, NULL, &err), &err);
    by_adjoint(q, s, (mbd_adjoint_options){0}, dtheta, g, adjoint);
  }
  CU_ASSERT_PTR_NULL(warning_of(s, "turns"));
  /* By hand. */
  CHECK_CLOSE("value_at", psi[1], 1.5 * turned(w, 1.57), exact_to);
  CHECK_CLOSE("terminal", psi[OUTPUTS + 1], 1.5 * turned(w, duration), exact_to);
  CHECK_CLOSE("measured", psi[N - 2], 1.5 * 4 * 0.1 * 0.1, exact_to);
  check_equal(q, psi);
  /* The turns at recomputed nodes are those of the run. */
  by_adjoint(q, s, (mbd_adjoint_options){.memory_limit = mbd_sim_stats(s)->memory / 3}, dtheta, again, same);
  CU_ASSERT(mbd_sim_stats(s)->recomputed > 0);
  CU_ASSERT(memcmp(g, again, size * sizeof *g) == 0);
  must(mbd_referee_create(mbo_model_file_spec(q->base.file), c, OUTPUTS, q->output, q->n, q->term, q->n, &r, &err),
       &err);
  int *index = calloc((size_t)nc, sizeof *index);
  for (int k = 0; k < nc; k++) { index[k] = k; }
  must(mbd_referee_derivative(r, all.theta, nc, index, dtheta, same, exact, &err), &err);
  for (int i = 0; i < q->n; i++) {
    CHECK_NEAR(q->term[i].form, same[i], psi[i], 1 + fabs(psi[i]), 1e-11);
    CHECK_NEAR(q->term[i].form, direct[i], exact[i], 1 + fabs(exact[i]), 1e-10);
    CHECK_NEAR(q->term[i].form, adjoint[i], direct[i], 1 + fabs(exact[i]), 1e-10);
  }
  if (continuous) {
    by_adjoint(q, s, (mbd_adjoint_options){.continuous = 1}, dtheta, g, same);
    check_equal(q, same);
  }
  mbd_referee_destroy(r), mbd_sim_destroy(s), mbd_dparams_destroy(d), directions_free(&all), free(g), free(dtheta);
  free(index);
}

static mbd_case case_of(const char *integrator, const char *formulation, int natural) {
  mbd_case c = case_lasting(duration, 0.2);
  c.integrator = integrator, c.formulation = formulation;
  c.coordinates = natural ? MBD_COORDINATES_NATURAL : MBD_COORDINATES_JOINT;
  return c;
}

/* All formulations and kinds of coordinates. */
static void test_motions(void) {
  static const struct {
    const char *integrator, *formulation;
    int natural;
    double exact_to;
    int continuous;
  } how[] = {{"newmark", "ali3p", 0, 1e-8, 1},
             {"generalized_alpha", "ali3p", 0, 1e-8, 1},
             {"newmark", "penalty", 0, 1e-8, 0},
             {"newmark", "ali3p", 1, 2, 1},
             {"runge_kutta_4", "matrix_r", 0, 1e-8, 1},
             {"runge_kutta_4", "matrix_r", 1, 1e-8, 1},
             {"runge_kutta_4", "semi_recursive", 0, 1e-8, 1},
             {"newmark", "fully_recursive", 0, 1e-8, 1},
             {"dormand_prince", "matrix_r", 0, 1e-8, 0},
             {"dormand_prince", "matrix_r", 1, 1e-8, 0}};
  for (size_t k = 0; k < sizeof how / sizeof how[0]; k++) {
    wheel q = open_wheel(WHEEL("2", "0, 0, 1") FREE HELD("wheel.yaw"), about_z, 2);
    const mbd_case c = case_of(how[k].integrator, how[k].formulation, how[k].natural);
    check(&q, &c, 2, how[k].exact_to, how[k].continuous);
    model_close(&q.base);
  }
}

/* Given motions; and another axis. */
static void test_nodes_without_integration(void) {
  static const char *const analysis[] = {"kinematic", "static"};
  for (int k = 0; k < 2; k++) {
    wheel q = open_wheel(WHEEL("2", "1, 0, 0") DRIVEN HELD("wheel.roll"), about_x, 2);
    mbd_case c = case_lasting(duration, 0.2);
    c.analysis = analysis[k];
    check(&q, &c, 2, 1e-8, 0);
    model_close(&q.base);
  }
}

/* Nearly a turn and more between nodes, which the rates decide. */
static void test_fast(void) {
  static const char *const integrator[] = {"newmark", "dormand_prince"}, *const formulation[] = {"ali3p", "matrix_r"};
  for (int k = 0; k < 2; k++) {
    wheel q = open_wheel(WHEEL("27", "1, 0, 0") FREE HELD("wheel.angle.x"), about_x, 27);
    const mbd_case c = case_of(integrator[k], formulation[k], 0);
    for (int i = 0; i < q.n; i++) {
      mbd_term *t = &q.term[i]; /* none that does not happen, or is lost in rounding */
      if (strcmp(t->form, "settling_time") == 0) { t->target = 112; }
      if (t->sharpness > 0) { t->sharpness = 0.05; }
    }
    check(&q, &c, 27, 1e-6, 0);
    model_close(&q.base);
  }
}

/* ---- a force of an angle ---- */

/* What is told of the turns of an output in a run, at whose end it is *last. */
static mbd_warning told(const char *text, const char *output, const mbd_case *c, double *last) {
  test_model q = model_open_text(text);
  mbd_error err = {0};
  mbd_sim *s;
  const mbd_term t = {.output = model_output(&q, output), .form = "terminal", .weight = 1};
  must(mbd_sim_create(q.m, c, q.o, 1, &t, 1, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, last, NULL, NULL, NULL, NULL, &err), &err);
  const mbd_warning *w = warning_of(s, "turns");
  const mbd_warning found = w ? *w : (mbd_warning){0};
  mbd_sim_destroy(s), model_close(&q);
  return found;
}

/* A torsion spring winds three turns and more and unwinds, y = x0 cos n t + w/n sin n t, n^2 = k/I: of a body's angle and of the coordinate, which
 * knows no turns, with the same motions and gradients. The idle force makes the coordinate one of the natural ones in both models. */
#define SPRING(ANGLE)                                                                         \
  WHEEL("12\nk = 0.72", "0, 0, 1")                                                            \
  "[force spring]\ntype = expression\nbodies = ground, wheel\naxis = axis\nvalue = -k*" ANGLE \
  "\n"                                                                                        \
  "[force idle]\ntype = expression\ncoordinate = J.angle\nvalue = 0\n[state work]\nrate = "   \
  "spring.power\n[start]\nhold.J.angle = x0\nrate.J.angle = w\n"
static const char *const wound[] = {"J.angle", "wheel.angle.z", "work"};
enum { WOUND = 3 };

/* Values at the end and their derivatives along a direction: direct, adjoint with little memory, complex step. */
typedef struct ends {
  double psi[WOUND], by[3][WOUND];
} ends;

static ends spring_ends(const char *text, const mbd_case *c) {
  test_model q = model_open_text(text);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_referee *r;
  mbd_term term[WOUND];
  ends e = {0};
  const int nc = mbd_model_ncoef(q.m);
  double *g = calloc((size_t)(WOUND * nc), sizeof *g), *dtheta = calloc((size_t)nc, sizeof *dtheta), same[WOUND];
  int *index = calloc((size_t)nc, sizeof *index);
  for (int i = 0; i < WOUND; i++) {
    term[i] = (mbd_term){.psi = i, .output = model_output(&q, wound[i]), .form = "terminal", .weight = 1};
  }
  for (int k = 0; k < nc; k++) { index[k] = k; }
  test_directions all = directions_of_scalars(&q);
  for (int i = 0; i < all.start[all.n]; i++) { dtheta[all.index[i]] += (0.5 + 0.1 * i) * all.value[i]; }
  mbd_dparams *d = direction_along(&q, dtheta);
  must(mbd_sim_create(q.m, c, q.o, WOUND, term, WOUND, 1, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 1, &d, e.psi, e.by[0], NULL, NULL, NULL, &err), &err);
  CU_ASSERT_PTR_NULL(warning_of(s, "turns"));
  must(mbd_sim_adjoint(s, q.p, &(mbd_adjoint_options){0}, same, g, NULL, NULL, &err), &err);
  const mbd_adjoint_options little = {.memory_limit = mbd_sim_stats(s)->memory / 3};
  must(mbd_sim_adjoint(s, q.p, &little, same, g, NULL, NULL, &err), &err);
  CU_ASSERT(mbd_sim_stats(s)->recomputed > 0);
  for (int i = 0; i < WOUND * nc; i++) { e.by[1][i / nc] += g[i] * dtheta[i % nc]; }
  must(mbd_referee_create(mbo_model_file_spec(q.file), c, WOUND, wound, WOUND, term, WOUND, &r, &err), &err);
  must(mbd_referee_derivative(r, all.theta, nc, index, dtheta, same, e.by[2], &err), &err);
  mbd_referee_destroy(r), mbd_sim_destroy(s), mbd_dparams_destroy(d), directions_free(&all), model_close(&q);
  free(g), free(dtheta), free(index);
  return e;
}

static void check_spring(const mbd_case *c, double exact_to) {
  const double n = sqrt(0.72 / 2), t = c->duration, y = x0 * cos(n * t) + 12 / n * sin(n * t);
  const ends by_angle = spring_ends(SPRING("wheel.angle.z"), c), by_coordinate = spring_ends(SPRING("J.angle"), c);
  CHECK_CLOSE("closed form", by_angle.psi[0], y, exact_to);
  CHECK_CLOSE("work", by_angle.psi[2], 0.36 * (x0 * x0 - y * y), 40 * exact_to);
  for (int i = 0; i < WOUND; i++) {
    CHECK_NEAR(wound[i], by_angle.psi[i], by_coordinate.psi[i], fabs(y), 1e-10);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(wound[i], by_angle.by[k][i], by_coordinate.by[2][i], fabs(by_coordinate.by[2][i]), 1e-9);
    }
    CU_ASSERT(fabs(by_angle.by[2][i]) > 0.1);
  }
}

static void test_torsion_spring(void) {
  static const struct {
    const char *integrator, *formulation;
    int natural;
    double exact_to;
  } how[] = {{"runge_kutta_4", "matrix_r", 0, 1e-6},
             {"runge_kutta_4", "matrix_r", 1, 1e-6},
             {"dormand_prince", "matrix_r", 0, 1e-4},
             {"newmark", "ali3p", 0, 5e-3},
             {"newmark", "ali3p", 1, 0.2},
             {"generalized_alpha", "ali3p", 0, 0.02},
             {"newmark", "fully_recursive", 0, 5e-3},
             {"newmark", "penalty", 0, 5e-3}};
  for (size_t k = 0; k < sizeof how / sizeof how[0]; k++) {
    mbd_case c = case_of(how[k].integrator, how[k].formulation, how[k].natural);
    c.step = 0.02, c.duration = 2.5, c.tolerance = 1e-12;
    check_spring(&c, how[k].exact_to);
  }
}

/* Where the motion is given: the drive holds the spring. A state that reads the angle is the sum of trapezoids over a parabola, and one that settles
 * is the angle. */
#define WOUND_BY_DRIVE(RATE)                                                                                 \
  WHEEL("2", "0, 0, 1")                                                                                      \
  DRIVEN                                                                                                     \
  "[force spring]\ntype = expression\nbodies = ground, wheel\naxis = axis\nvalue = -0.7*turned\n[state s]\n" \
  "rate = " RATE "\n"

static void test_spring_of_given_motion(void) {
  static const char *const analysis[] = {"kinematic", "static"}, *const text[] = {WOUND_BY_DRIVE("wheel.yaw"),
                                                                                  WOUND_BY_DRIVE("wheel.yaw - s")};
  const double t = duration, h = 0.2, y = turned(2, t);
  const double state[] = {x0 * t + t * t + a * t * t * t / 6 + h * h / 12 * a * t, y}, inertia[] = {a * 2, 0};
  for (int k = 0; k < 2; k++) {
    double force, s;
    mbd_case c = case_lasting(t, h);
    c.analysis = analysis[k];
    CU_ASSERT_STRING_EQUAL(told(text[k], "drive.drive_force", &c, &force).text, "");
    told(text[k], "s", &c, &s);
    CHECK_CLOSE(analysis[k], force, 0.7 * (y + 1) + inertia[k], 1e-10);
    CHECK_CLOSE(analysis[k], s, state[k], 1e-10);
  }
}

/* ---- where the number of turns is uncertain ---- */

/* Beyond a pitch of 90 degrees roll and yaw jump by half a turn. */
static void test_singular(void) {
  const mbd_case c = case_lasting(1, 0.1);
  double y;
  const mbd_warning w = told(WHEEL("2", "0, 1, 0") FREE, "wheel.yaw", &c, &y);
  CHECK_CONTAINS(w.text, "the number of turns of 'wheel.yaw' is uncertain from t = 0.6 s on");
  CHECK_CONTAINS(w.text, "at a pitch of 90 degrees");
  CU_ASSERT_STRING_EQUAL(told(WHEEL("2", "0, 1, 0") FREE, "wheel.pitch", &c, &y).text, "");
  CHECK_CLOSE("pitch", y, acos(-1) - (x0 + 2 + a / 2), 1e-8);
}

/* A static case has no rates: a step of nearly half a turn is told. */
static void test_no_rates(void) {
  mbd_case c = case_lasting(duration, 1);
  double y;
  c.analysis = "static";
  const mbd_warning w = told(WHEEL("2", "0, 0, 1") DRIVEN, "seen", &c, &y);
  CHECK_CONTAINS(w.text, "'angle(across, spoke, axis)' is uncertain");
  CHECK_CLOSE("time", w.time, 2, 1e-12);
  CHECK_CLOSE("last", y, x0 + 2 * duration + a * duration * duration / 2 - 4 * acos(-1), 1e-8);
}

TEST_MAIN(TEST(test_motions), TEST(test_nodes_without_integration), TEST(test_fast), TEST(test_torsion_spring),
          TEST(test_spring_of_given_motion), TEST(test_singular), TEST(test_no_rates))
