/* Steady motions of flexible bodies: a bar that turns about its end in closed form, and a cantilever under its weight and centrifugal forces; a boom on
 * a car, and its limit of a rigid one; a long simulation that ends there; frequencies about the motion; gradients in every coefficient; messages.
 * Equations: theory.md §5.8, §12. */
#include "base/random.h"
#include "la/dense.h"
#include "mbd/linearize.h"
#include "mbd/referee.h"
#include "model.h"
#include "opened_run.h"

#define AT_END(name, output) "[objective " name "]\nof = " output "\nform = terminal\n"
#define STEADY               "[case turn]\nanalysis = steady\nduration = 1\nstep = 1\n"

/* ---- on a turntable ---- */

/* A beam of the length 1 from the distance `hub` outwards, turned by a motor, with a weight at its tip. */
static const char turntable[] =
    "schema = 1\n[model]\ngravity = 0, 0, -gravity\njoints = named\n"
    "[scalars]\nhub = 0\nspeed = 0.3\nweight = 0.5\nstiffness = 1\ndensity = 1\ngravity = 0\n"
    "[body table]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[beam arm]\nfrom = A\nto = B\nup = up\nsection = given\narea = 1\nsecond_moment_up = 1\nsecond_moment_side = 1\n"
    "torsion_constant = 1\n"
    "E = stiffness\ndensity = density\nrotary_inertia = no\nrayleigh = 0.3, 0.01\nSHAPES\n"
    "[body bob]\nmass = weight\ncom = hub + 1, 0, 0\ninertia = 0, 0, 0\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, table\n[point A]\nat = hub, 0, 0\nbodies = table, arm\n"
    "[point B]\nat = hub + 1, 0, 0\nbodies = arm.tip, bob\n[vector up]\nalong = 0, 0, 1\nbodies = ground, table, arm\n"
    "[joint axis]\ntype = revolute\nbodies = ground, table\npoint = O\naxis = up\n"
    "[joint clamp]\ntype = weld\nbodies = table, arm\npoint = A\n"
    "[joint bolt]\ntype = weld\nbodies = arm.tip, bob\npoint = B\n"
    "[curve turning]\ntype = polynomial\ncoefficients = 0, speed\n"
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = axis.angle\nmotion = turning\n";

static opened_run open_turntable_of(const char *model, const char *shapes, const char *run, int n,
                                    const char *const *set) {
  char text[3000];
  edit(text, sizeof text, model, "SHAPES", shapes);
  return run_open_texts(text, run, n, set);
}

static opened_run open_turntable(const char *shapes, const char *run, int n, const char *const *set) {
  return open_turntable_of(turntable, shapes, run, n, set);
}

/* Place of the tip of a bar with E A = rho A = 1: r'' + k^2 r = 0, k = speed, r(0) = 0, r'(1) - 1 = weight speed^2 r(1). */
static double stretched(double k, double weight) {
  return sin(k) / (k * cos(k) - weight * k * k * sin(k));
}

static void test_extension(void) {
  static const char run[] = "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[design weight]\n" STEADY AT_END(
      "place", "B.position.norm") AT_END("rest", "arm.elastic.power") AT_END("motor", "motor.drive_force");
  mbd_error err = {0};
  opened_run r = open_turntable("shapes = 0, 0, 0\naxial = 5", run, 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "direct", &err), &err);
  const double k = 0.3, m = 0.5, h = 1e-3;
  CHECK_CLOSE("place", r.m->psi[0], stretched(k, m), 1e-12);
  CHECK_CLOSE(
      "by the speed", r.m->grad[0],
      (8 * (stretched(k + h, m) - stretched(k - h, m)) - stretched(k + 2 * h, m) + stretched(k - 2 * h, m)) / (12 * h),
      1e-10);
  CHECK_CLOSE(
      "by the weight", r.m->grad[1],
      (8 * (stretched(k, m + h) - stretched(k, m - h)) - stretched(k, m + 2 * h) + stretched(k, m - 2 * h)) / (12 * h),
      1e-10);
  CHECK_CLOSE("power of the damping", r.m->psi[1], 0, 1e-15);
  CHECK_CLOSE("torque of the motor", r.m->psi[2], 0, 1e-15);
  run_close(&r);
}

/* A beam without mass under the weight m g of its tip and the tension T = m speed^2 (hub + 1): E I w''' = T w' - m g, so that the tip sinks by
 * m g/T (1 - tanh(k)/k), k^2 = T/(E I); without tension by m g/(3 E I). Slopes are of 4e-4, whose squares are left out of this. */
static void test_stiffening(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n" STEADY AT_END("height", "B.position.z");
  static const char *const set[] = {"case.turn.scalar.hub=0.2",      "case.turn.scalar.stiffness=400",
                                    "case.turn.scalar.weight=0.1",   "case.turn.scalar.gravity=9.8",
                                    "case.turn.scalar.density=1e-9", "design.speed.start=100"};
  mbd_error err = {0};
  opened_run r = open_turntable("shapes = 6, 0, 0", run, 6, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double T = 0.1 * 1e4 * 1.2, k = sqrt(T / 400), sinks = 0.1 * 9.8 / T * (1 - tanh(k) / k);
  CHECK_CLOSE("height", -r.m->psi[0], sinks, 1e-6 * sinks);
  CU_ASSERT(sinks < 0.5 * 0.1 * 9.8 / (3 * 400)); /* tension holds more than half of it */
  run_close(&r);
}

/* Beside a beam of steel, in whose stiffness its weight would count as rounding, a pendulum still leans: tan q = speed^2 (d + l sin q)/g. */
static void test_beside_a_pendulum(void) {
  static const char pendulum[] =
      "[body light]\nmass = 1e-4\ncom = 0.1, 0.5, -0.2\ninertia = 0, 0, 0\n"
      "[point P]\nat = 0.1, 0.5, 0\nbodies = table, light\n"
      "[vector hinge]\nalong = 0, 1, 0\nbodies = table, light\n"
      "[joint swing]\ntype = revolute\nbodies = table, light\npoint = P\naxis = hinge\n";
  static const char run[] = "schema = 1\n[model]\nfile = MODEL\n[design speed]\n" STEADY AT_END("angle", "swing.angle");
  static const char *const set[] = {"case.turn.scalar.stiffness=2e11", "case.turn.scalar.gravity=9.8",
                                    "design.speed.start=5"};
  mbd_error err = {0};
  char text[3000], whole[4000];
  edit(text, sizeof text, turntable, "SHAPES", "shapes = 3, 0, 0\naxial = 1");
  snprintf(whole, sizeof whole, "%s%s", text, pendulum);
  opened_run r = run_open_texts(whole, run, 3, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double q = -r.m->psi[0]; /* outwards, which the axis turns back */
  CHECK_CLOSE("pendulum", 9.8 * tan(q), 25 * (0.1 + 0.2 * sin(q)), 1e-10);
  CU_ASSERT(q > 0.2);
  run_close(&r);
}

/* Frequencies of a uniform cantilever that turns, E I = rho A = 1: out of the plane those of test_beams.c at fixed rates (A. D. Wright et al., 1982),
 * in the plane w^2 less by that of the speed. */
static void test_frequencies(void) {
  static const double expected[][2] = {{1, 3.681646813958241}, {3, 4.797278532372764}, {12, 13.170151434236177}};
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[case turn]\nstart = steady\nduration = 1e-3\nstep = 1e-4\n"
      "scalar.weight = 1e-12\n[mode out]\nnear = 0.6\n[objective w]\nvalue = 2*pi*out.frequency\n";
  char text[3000];
  edit(text, sizeof text, turntable, "rayleigh = 0.3, 0.01\nSHAPES", "shapes = 8, 8, 0");
  for (int i = 0; i < 3; i++) {
    char speed[60];
    const char *const set[] = {speed};
    snprintf(speed, sizeof speed, "design.speed.start=%g", expected[i][0]);
    opened_run r = run_open_texts(text, run, 1, set);
    mbd_error err = {0};
    mbd_linear l;
    if (!run_evaluate_modes(&r, r.m->start, "none")) { return; }
    must(mbd_sim_linearize(r.m->cases[0].sim, r.m->cases[0].v->params, &l, &err), &err);
    double off[2] = {1, 1};
    for (int k = 0; k < 2 * l.n; k++) {
      const double out = expected[i][1], in = sqrt(out * out - expected[i][0] * expected[i][0]);
      off[0] = fmin(off[0], fabs(l.im[k] - out)), off[1] = fmin(off[1], fabs(l.im[k] - in));
    }
    CHECK_CLOSE("out of the plane", off[0], 0, 1e-6);
    CHECK_CLOSE("in the plane", off[1], 0, 1e-6);
    CU_ASSERT(l.acceleration < 1e-9 && l.jerk < 1e-9);
    mbd_linear_free(&l);
    run_close(&r);
  }
}

/* A beam that points inwards buckles at some speed, beyond which its motion is there, but unstable. */
static void test_inwards(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[case turn]\nstart = steady\nduration = 1e-3\nstep = 1e-4\n"
      "scalar.hub = -3\nscalar.weight = 1e-12\n[mode out]\nnear = 0.3\n[objective real]\nvalue = out.largest_real\n";
  static const char *const speed[] = {"design.speed.start=1.5", "design.speed.start=2"};
  char text[3000];
  double y[2];
  edit(text, sizeof text, turntable, "rayleigh = 0.3, 0.01\nSHAPES", "shapes = 4, 0, 0");
  for (int i = 0; i < 2; i++) {
    opened_run r = run_open_texts(text, run, 1, &speed[i]);
    if (!run_evaluate_modes(&r, r.m->start, "none")) { return; }
    y[i] = r.m->psi[0];
    run_close(&r);
  }
  CHECK_CLOSE("before", y[0], 0, 1e-6);
  CU_ASSERT(y[1] > 1);
}

/* By the speed: the complex step, and differences, extrapolated. */
static void test_frequency_slope(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[case turn]\nstart = steady\nduration = 1e-3\nstep = 1e-4\n"
      "scalar.gravity = 0.05\n[mode out]\nnear = 0.27\n[objective w]\nvalue = out.frequency\n";
  static const char *const method[] = {"auto", "complex_step"};
  double g[2], D[2];
  opened_run r = open_turntable("shapes = 4, 0, 0", run, 0, NULL);
  for (int k = 0; k < 2; k++) {
    if (!run_evaluate_modes(&r, r.m->start, method[k])) { return; }
    g[k] = r.m->grad[0];
  }
  CHECK_NEAR("complex step", g[1], g[0], fabs(g[0]), 1e-12);
  for (int k = 0; k < 2; k++) {
    double side[2], h = k == 0 ? 0.02 : 0.01;
    for (int i = 0; i < 2; i++) {
      const double x = r.m->start[0] + (i ? h : -h);
      if (!run_evaluate_modes(&r, &x, "none")) { return; }
      side[i] = r.m->psi[0];
    }
    D[k] = (side[1] - side[0]) / (2 * h);
  }
  CHECK_NEAR("differences", (4 * D[1] - D[0]) / 3, g[0], fabs(g[0]), 1e-6);
  run_close(&r);
}

/* ---- on a vehicle ---- */

static void text_of(const char *file, size_t size, char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  FILE *in = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, size - 1, in)] = '\0';
  CU_ASSERT_FATAL(feof(in));
  fclose(in);
}

/* The planar car with a boom of 3 m behind it, 1 kg/m, and 20 kg at its end; E I = 1000 stiff; 0: a rigid one. y [3]: steering, velocity of
 * the car along itself, deflection of the boom. */
static void turn_with_boom(double stiff, double y[3]) {
  static const char beam[] =
      "[vector left]\nalong = 0, 1, 0\nbodies = boom\n[beam boom]\nfrom = hitch\nto = end\nup = left\nsection = given\n"
      "area = 1e-3\nsecond_moment_up = 1e-6\nsecond_moment_side = 1e-6\ntorsion_constant = 1e-6\ndensity = 1000\n"
      "rotary_inertia = no\nshapes = 4, 0, 0\ndamping_ratio = 0.1\nE = %g\n";
  static const char body[] = "[body boom]\nmass = 3\ncom = -3, 0, 0\ninertia = 0, 0, 27/12\n";
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design v]\n" STEADY
      "steady.speed = v\nsteady.curvature = 0.25/20\nsteady.find = steer, drive\n" AT_END("steer", "wheel")
          AT_END("u", "C@car.local_velocity.x");
  char car[4000], bends[500], model[6000], whole[1000];
  const char *tip = stiff > 0 ? "boom.tip" : "boom";
  mbd_error err = {0};
  text_of("problems/planar_car/planar_car.ini", sizeof car, car);
  snprintf(bends, sizeof bends, beam, 1e9 * stiff);
  snprintf(model, sizeof model,
           "%s\n[body load]\nmass = 20\ncom = -4.5, 0, 0\ninertia = 0, 0, 0\n"
           "[point hitch]\nat = -1.5, 0, 0\nbodies = car, boom\n[point end]\nat = -4.5, 0, 0\nbodies = %s, load\n"
           "[joint hitch]\ntype = weld\nbodies = car, boom\npoint = hitch\n"
           "[joint end]\ntype = weld\nbodies = %s, load\npoint = end\n%s",
           car, tip, tip, stiff > 0 ? bends : body);
  snprintf(whole, sizeof whole, "%s%s", run, stiff > 0 ? AT_END("bends", "boom.tip.deflection_up") : "");
  opened_run r = run_open_texts(model, whole, 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  memcpy(y, r.m->psi, (size_t)r.m->nobjective * sizeof *y);
  run_close(&r);
}

/* A stiff boom bends by a load of m u r along it and of M u r at its end, u r the acceleration across the car; the steering comes to that with a
 * rigid one as 1/E. */
static void test_boom(void) {
  double y[4][3];
  for (int i = 0; i < 4; i++) { turn_with_boom(i == 0 ? 0 : pow(10, i + 1), y[i]); }
  const double across = y[3][1] * 0.25, bends = across * (20 * 27 / 3. + 81 / 8.) / 1e7;
  CHECK_NEAR("deflection", y[3][2], -bends, bends, 1e-4);
  const double off[] = {y[1][0] - y[0][0], y[2][0] - y[0][0], y[3][0] - y[0][0]};
  CHECK_CLOSE("order of 1/E", log10(off[0] / off[1]), 1, 0.05);
  CHECK_CLOSE("order of 1/E", log10(off[1] / off[2]), 1, 0.005);
  printf("(%.3g, %.3g, %.3g off) ", off[0], off[1], off[2]);
}

/* ---- in every coefficient ---- */

static const struct {
  const char *model, *speed, *curvature, *found[2], *output[8];
} models[] = {
    {"tests/conformance/models/carousel.ini",
     NULL,
     NULL,
     {NULL},
     {"blade.tip.deflection_up", "blade.largest_stress", "strut.tip.slope_up", "vane.twist", "flap.angle",
      "bearing.angle.rate", "ball.coincident.multiplier.norm", "T.acceleration.norm"}},
    {"tests/conformance/models/hovering.ini",
     "pace",
     "bend",
     {"drive", "rudder"},
     {"mast.tip.deflection_side", "mast.axial_force", "mast.mid.moment_up", "strut.moment_up", "hull.roll",
      "step.reaction_moment.x", "ring.coincident.multiplier.norm", "weight.com_acceleration.norm"}},
};
enum { OUTPUTS = 8, POSITIONS = 5 /* the first of them, of positions */, MODELS = sizeof models / sizeof models[0] };

/* A case about the motion, whose inputs are scalars of the model. */
typedef struct setup {
  test_model q;
  test_directions to;
  mbd_case c;
  int first[3], coef[8];
  double weight[8];
  mbd_term term[OUTPUTS];
} setup;

static void open_setup(setup *s, int k, int moves) {
  mbd_error err = {0};
  const int *start, *index;
  const double *value, zero[2] = {0, 0};
  s->q = model_open(models[k].model);
  s->to = directions_of_coefficients(&s->q);
  s->c = case_lasting(0.5, 0.25);
  if (moves) {
    s->c = case_lasting(6e-3, 2e-3);
    s->c.start = MBD_START_STEADY;
  } else {
    s->c.analysis = "steady";
  }
  s->c.steady_speed = models[k].speed, s->c.steady_curvature = models[k].curvature;
  for (int i = 0; i < OUTPUTS; i++) {
    s->term[i] = (mbd_term){.psi = i,
                            .output = model_output(&s->q, models[k].output[i]),
                            .form = i % 2 ? "integral_square" : "terminal",
                            .weight = 1};
  }
  if (!models[k].found[0]) { return; }
  double *theta = calloc((size_t)s->to.n + 1, sizeof *theta);
  must(mbo_model_file_vary(s->q.file, 2, models[k].found, &err), &err);
  must(mbo_model_file_eval(s->q.file, zero, theta, &start, &index, &value, &err), &err);
  CU_ASSERT_FATAL(start[2] <= 8);
  memcpy(s->first, start, sizeof s->first);
  memcpy(s->coef, index, (size_t)start[2] * sizeof *index);
  memcpy(s->weight, value, (size_t)start[2] * sizeof *value);
  s->c.nfound = 2, s->c.found_name = models[k].found;
  s->c.found_first = s->first, s->c.found_coef = s->coef, s->c.found_weight = s->weight;
  free(theta);
}

static void close_setup(setup *s) {
  directions_free(&s->to);
  model_close(&s->q);
}

/* Direct differentiation against the complex step, and the adjoint against it; in a motion without accelerations and reactions, of which rounding over
 * squares of the step is left. */
static void every_coefficient(int k, int moves) {
  setup s = {0};
  mbd_error err = {0};
  mbd_sim *sim;
  mbd_referee *r;
  const mbd_adjoint_options all = {0};
  open_setup(&s, k, moves);
  const int nc = s.to.n, nout = moves ? POSITIONS : OUTPUTS;
  double psi[OUTPUTS], dpsi[OUTPUTS], worst = 0, apart = 0;
  double *direct = calloc((size_t)(OUTPUTS * nc), sizeof *direct),
         *adjoint = calloc((size_t)(OUTPUTS * nc), sizeof *adjoint);
  mbd_dparams **d = calloc((size_t)nc, sizeof *d);
  const double one = 1;
  for (int j = 0; j < nc; j++) {
    must(mbd_dparams_create(s.q.m, &d[j], &err), &err);
    mbd_dparams_set(d[j], s.q.p, 1, &j, &one);
  }
  must(mbd_sim_create(s.q.m, &s.c, s.q.o, nout, s.term, nout, nc, &sim, &err), &err);
  must(mbd_sim_run(sim, s.q.p, nc, d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(sim, s.q.p, &all, psi, adjoint, NULL, NULL, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(s.q.file), &s.c, nout, models[k].output, nout, s.term, nout, &r, &err),
       &err);
  for (int j = 0; j < nc; j++) {
    const int compared = !moves || test_long() || j % 8 == 0; /* a motion is slow */
    if (compared) { must(mbd_referee_derivative(r, s.to.theta, 1, &j, &one, psi, dpsi, &err), &err); }
    for (int i = 0; i < nout; i++) {
      char name[300];
      double scale = 0;
      for (int a = 0; a < nc; a++) { scale = fmax(scale, fabs(adjoint[i * nc + a])); }
      CU_ASSERT(scale > 0);
      snprintf(name, sizeof name, "%s: %s by %s", models[k].model, models[k].output[i], s.to.name[j]);
      CHECK_NEAR(name, adjoint[i * nc + j], direct[i * nc + j], scale, 1e-10);
      if (compared) {
        CHECK_NEAR(name, direct[i * nc + j], dpsi[i], scale, 1e-9);
        worst = fmax(worst, fabs(direct[i * nc + j] - dpsi[i]) / scale);
      }
      apart = fmax(apart, fabs(adjoint[i * nc + j] - direct[i * nc + j]) / scale);
    }
    mbd_dparams_destroy(d[j]);
  }
  printf("\n  %s, %s: %d coefficients, direct to complex step %.2g, adjoint to direct %.2g ", models[k].model,
         moves ? "a motion" : "steady", nc, worst, apart);
  mbd_referee_destroy(r), mbd_sim_destroy(sim);
  free(direct), free(adjoint), free(d);
  close_setup(&s);
}

static void test_every_coefficient(void) {
  for (int k = 0; k < MODELS; k++) {
    for (int moves = 0; moves < 2; moves++) { every_coefficient(k, moves); }
  }
}

/* Second derivatives along the scalars, in every coefficient: the complex step of the adjoint against its differences of order four. */
static void second(int k) {
  static const double factor[] = {1, -8, 0, 8, -1}, h = 1e-4;
  setup s = {0};
  mbd_error err = {0};
  mbd_sim *sim;
  mbd_referee *r;
  const mbd_adjoint_options all = {0};
  uint64_t state = 1;
  open_setup(&s, k, 0);
  test_directions scalars = directions_of_scalars(&s.q);
  const int nc = s.to.n, size = OUTPUTS * nc;
  double psi[OUTPUTS], *u = calloc((size_t)(2 * nc), sizeof *u), *theta = u + nc;
  double *g = calloc((size_t)(3 * size), sizeof *g), *Hu = g + size, *expected = Hu + size;
  int *every = calloc((size_t)nc, sizeof *every);
  for (int j = 0; j < nc; j++) { every[j] = j; }
  for (int i = 0; i < scalars.n; i++) {
    const double change = (2 * random_unit(&state) - 1) * scalars.at[i];
    for (int a = scalars.start[i]; a < scalars.start[i + 1]; a++) { u[scalars.index[a]] += change * scalars.value[a]; }
  }
  must(mbd_sim_create(s.q.m, &s.c, s.q.o, OUTPUTS, s.term, OUTPUTS, 0, &sim, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(s.q.file), &s.c, OUTPUTS, models[k].output, OUTPUTS, s.term, OUTPUTS, &r,
                          &err),
       &err);
  must(mbd_referee_second(r, s.to.theta, &all, nc, every, u, psi, g, Hu, &err), &err);
  for (int side = -2; side <= 2; side++) {
    for (int j = 0; j < nc; j++) { theta[j] = s.to.theta[j] + side * h * u[j]; }
    must(mbd_params_set(s.q.p, theta, &err), &err);
    must(mbd_sim_adjoint(sim, s.q.p, &all, psi, g, NULL, NULL, &err), &err);
    for (int j = 0; j < size; j++) { expected[j] += factor[side + 2] * g[j] / (12 * h); }
  }
  double worst = 0;
  for (int i = 0; i < OUTPUTS; i++) {
    double scale = 0;
    for (int j = 0; j < nc; j++) { scale = fmax(scale, fabs(s.to.theta[j]) * fabs(expected[i * nc + j])); }
    CU_ASSERT(scale > 0);
    for (int j = 0; j < nc; j++) {
      const double unit = fabs(s.to.theta[j]), got = unit * Hu[i * nc + j], want = unit * expected[i * nc + j];
      CHECK_NEAR(s.to.name[j], got, want, scale, 1e-6);
      worst = fmax(worst, fabs(got - want) / scale);
    }
  }
  printf("(%.2g) ", worst);
  mbd_referee_destroy(r), mbd_sim_destroy(sim);
  directions_free(&scalars);
  free(u), free(g), free(every);
  close_setup(&s);
}

static void test_second(void) {
  for (int k = 0; k < MODELS; k++) { second(k); }
}

/* ---- a long simulation ---- */

/* From the start, undeformed, dampers lead to the same motion of the carousel. */
static void test_long_simulation(void) {
  static const char *const of[] = {"blade.tip.deflection_up", "strut.tip.slope_up", "vane.bend", "flap.angle"};
  test_model q = model_open(models[0].model);
  mbd_case c = case_lasting(40, 2e-2);
  double y[2][4];
  mbd_error err = {0};
  for (int k = 0; k < 2; k++) {
    mbd_sim *s;
    mbd_term t[4];
    for (int i = 0; i < 4; i++) {
      t[i] = (mbd_term){.psi = i, .output = model_output(&q, of[i]), .form = "terminal", .weight = 1};
    }
    if (k == 0) { c.analysis = "steady", c.duration = c.step = 1; }
    if (k == 1) { c = case_lasting(40, 2e-2), c.integrator = "generalized_alpha", c.rho_inf = 0.3; }
    must(mbd_sim_create(q.m, &c, q.o, 4, t, 4, 0, &s, &err), &err);
    must(mbd_sim_run(s, q.p, 0, NULL, y[k], NULL, NULL, NULL, NULL, &err), &err);
    mbd_sim_destroy(s);
  }
  for (int i = 0; i < 4; i++) {
    printf("(%.4g, %.2g off) ", y[0][i], y[1][i] - y[0][i]);
    CHECK_NEAR(of[i], y[1][i], y[0][i], fabs(y[0][i]), 1e-6);
  }
  model_close(&q);
}

/* ---- messages ---- */

/* A beam that the turntable carries at its tip has a body of its own that floats on the ground, which has no steady motion; with a joint of seven
 * coordinates on the turntable it is the beam that is clamped at its other end, but for squares of its slopes. */
static void test_held_at_its_tip(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n" STEADY AT_END("height", "B.position.z");
  static const char *const set[] = {"case.turn.scalar.stiffness=1e4", "case.turn.scalar.gravity=9.8"};
  static const char *const change[][2] = {{"from = A\nto = B", "from = B\nto = A"},
                                          {"bodies = table, arm\n[point B]", "bodies = table, arm.tip\n[point B]"},
                                          {"bodies = arm.tip, bob\n[vector", "bodies = arm, bob\n[vector"},
                                          {"bodies = table, arm\npoint = A", "bodies = table, arm.tip\npoint = A"},
                                          {"bodies = arm.tip, bob\npoint = B", "bodies = arm, bob\npoint = B"},
                                          {"bodies = ground, table, arm\n", "bodies = ground, table, arm, arm.tip\n"},
                                          {"", "[joint free]\ntype = floating\nbodies = table, arm\n"}};
  char text[2][4000];
  double y[2];
  mbd_error err = {0};
  edit(text[0], sizeof text[0], turntable, "SHAPES", "shapes = 3, 3, 1\nG = 1");
  for (int turns = 0; turns < 2; turns++) {
    for (int i = 0; turns && i < 7; i++) {
      edit(text[1], sizeof text[1], text[0], change[i][0], change[i][1]);
      if (i == 6) {
        opened_run r = run_open_texts(text[0], run, 2, set);
        CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_UNSUPPORTED);
        CHECK_CONTAINS(err.text,
                       "'bob' floats on the ground, and constraints keep it from moving; expected [joint NAME]");
        run_close(&r);
      }
      memcpy(text[0], text[1], sizeof text[0]);
    }
    opened_run r = run_open_texts(text[0], run, 2, set);
    must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
    y[turns] = r.m->psi[0];
    run_close(&r);
  }
  CHECK_NEAR("height", y[1], y[0], fabs(y[0]), 1e-5);
  CU_ASSERT(fabs(y[0]) > 1e-4);
}

/* About a horizontal axis weight bends it another way at every angle. */
static void test_horizontal_axis(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[case turn]\nstart = steady\nduration = 1e-3\nstep = "
      "1e-4\n" AT_END("bends", "arm.tip.deflection_up");
  char text[3000];
  mbd_error err = {0};
  edit(text, sizeof text, turntable, "gravity = 0, 0, -gravity", "gravity = 0, -9.8, 0");
  opened_run r = open_turntable_of(text, "shapes = 2, 2, 0", run, 0, NULL);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "'motor' moves at the start already, at a rate of 0.3, and what it moves is not the same");
  run_close(&r);
}

TEST_MAIN(TEST(test_extension), TEST(test_stiffening), TEST(test_beside_a_pendulum), TEST(test_frequencies),
          TEST(test_inwards), TEST(test_frequency_slope), TEST(test_boom), TEST(test_every_coefficient),
          TEST(test_second), TEST(test_long_simulation), TEST(test_held_at_its_tip), TEST(test_horizontal_axis))
