/* Second derivatives of whole simulations: the complex step of the adjoint against differences of the adjoint's
 * gradient, and its symmetry, for every form of objective, with models that hold every element. */
#include "base/random.h"
#include "gradient/driven.h"
#include "gradient/windows.h"
#include "mbd/referee.h"
#include "model.h"

static const struct {
  const char *model, *output[3];
  mbd_start start;
  int by_scalar; /* directions of the model file's scalars: hard points alone contradict redundant constraints */
  int rigid;     /* for the same reason no point and no vector moves */
  int moves; /* an output of the motion that constraints leave, which is undefined where drives leave none; or a state */
  int one_by_one; /* along each direction by itself, in a test of its own */
  double
      h; /* of differences of the motion; 0: 5e-6. Lateral forces are so small beside the smoothing of |s| that their forms bend fast */
} cases[] = {
    {.model = "tests/conformance/models/tree.ini", .output = {"T3.acceleration.x", "wheel.torque", "energy.kinetic"}},
    {.model = "tests/conformance/models/hinges.ini", .output = {"energy.total"}},
    {.model = "tests/conformance/models/uncut.ini", .output = {"T1.acceleration.x", "energy.potential"}},
    {.model = "tests/conformance/models/constraints.ini", .rigid = 1, .output = {"B.acceleration.x", "k1.multiplier"}},
    {.model = "tests/conformance/models/cuts.ini",
     .rigid = 1,
     .output = {"T3.acceleration.z", "j1.coincident.multiplier.norm"}},
    {.model = "tests/conformance/models/wheels.ini", .output = {"tyre_f.load", "tyre_l.lateral", "rider.torque"}},
    {.model = "tests/conformance/models/acting.ini", .output = {"T.acceleration.x", "wind.force_y", "link.power"}},
    {.model = "tests/conformance/models/states.ini", .moves = 1, .output = {"torque.rate", "work", "T.acceleration.x"}},
    {.model = "tests/conformance/models/axles.ini",
     .rigid = 1,
     .moves = 1,
     .output = {"roll_centre(r_L, r_R, chassis, chassis.x).z", "angle(a_L@low_L, arm_L.z)", "c_R.velocity@low_L.y"}},
    {.model = "problems/five_bar/five_bar_found.ini", .by_scalar = 1, .output = {"P2.acceleration.x", "s2.speed"}},
    {.model = "problems/bicycle/bicycle.ini", .h = 2e-7, .output = {"frame.roll", "tyre_F.lateral"}},
    {.model = "problems/bicycle/bicycle.ini",
     .h = 2e-7,
     .by_scalar = 1,
     .one_by_one = 1,
     .output = {"frame.roll", "tyre_F.lateral"}},
    {.model = "problems/buggy/buggy.ini", .by_scalar = 1, .output = {"P1.acceleration.z", "rear_right.s.rate"}},
    {.model = "problems/buggy/buggy.ini",
     .by_scalar = 1,
     .start = MBD_START_EQUILIBRIUM,
     .output = {"rear_left.tyre.load", "P1.acceleration.z"}},
    {.model = "tests/conformance/models/signals.ini", .moves = 1, .output = {"by_law", "load", "shaker.drive_force"}},
    {.model = "tests/conformance/models/beams.ini",
     .by_scalar = 1,
     .output = {"P.acceleration.x", "rod.elastic.energy", "strut.tension"}},
    {.model = "tests/conformance/models/relaxation.ini", .moves = 1, .by_scalar = 1, .output = {"brake.force"}},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* Directions x [n], each of them some coefficients: coefficients one by one, or the scalars of the model file. */
typedef struct setup {
  test_model base;
  mbd_sim *sim;
  mbd_referee *referee;
  mbd_case c;
  int nc, n, nterm, nname;
  mbd_term term[3 * MAX_FORMS];
  const char *name[3];
  test_directions to; /* what varies */
  double *size;       /* [n] */
  int *all;           /* [nc] 0, 1, 2, ... */
} setup;

static double *numbers(int n) {
  return calloc((size_t)n + 1, sizeof(double));
}

static void add_terms(setup *s, int of) {
  for (int form = 0; form < form_count(); form++, s->nterm++) {
    s->term[s->nterm] = (mbd_term){.psi = s->nterm,
                                   .output = of,
                                   .form = mbd_form_name(form),
                                   .weight = 1.3,
                                   .target = 0.2,
                                   .smoothing = 0.1,
                                   .sharpness = 0.05};
  }
}

static int begins(const char *name, const char *with) {
  return strncmp(name, with, strlen(with)) == 0;
}

static double size_of(double x) {
  return x != 0 ? fabs(x) : 0.1;
}

/* Of forces, 0 and 1 may be bounds. */
static int stays(const char *name, double value, int rigid) {
  if (rigid && (begins(name, "point.") || begins(name, "vector."))) { return 1; }
  return begins(name, "force.") && (value == 0 || fabs(value) == 1);
}

static void make_directions(setup *s, int by_scalar, int rigid) {
  s->to = (by_scalar ? directions_of_scalars : directions_of_coefficients)(&s->base);
  s->n = s->to.n, s->size = numbers(s->n);
  for (int k = 0; k < s->n; k++) {
    s->size[k] = size_of(s->to.at[k]);
    for (int a = s->to.start[k]; a < s->to.start[k + 1]; a++) {
      const int coef = s->to.index[a];
      if (stays(mbd_model_coef_name(s->base.m, coef), s->to.theta[coef], rigid)) { s->size[k] = 0; }
    }
  }
}

static test_model open_model(const char *file, const mbd_case *c) {
  char path[512];
  mbo_model_file *f;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  must(mbo_model_file_read(path, 0, NULL, NULL, &f, &err), &err);
  add_for_analysis(f, file, c);
  return model_from(f);
}

static void open_setup(setup *s, int q, const mbd_case *how) {
  mbd_error err = {0};
  pilot p;
  *s = (setup){.base = open_model(cases[q].model, how), .c = *how};
  s->c.start = cases[q].start;
  for (; s->nname < 3 && cases[q].output[s->nname]; s->nname++) {
    s->name[s->nname] = cases[q].output[s->nname];
    add_terms(s, model_output(&s->base, s->name[s->nname]));
  }
  CU_ASSERT_FATAL(pilot_run(&s->base, &s->c, &p));
  for (int i = 0; i < s->nterm; i++) { pilot_set(&p, i, &s->term[i]); }
  free(p.y);
  s->nc = mbd_model_ncoef(s->base.m);
  s->all = calloc((size_t)s->nc + 1, sizeof *s->all);
  for (int k = 0; k < s->nc; k++) { s->all[k] = k; }
  make_directions(s, cases[q].by_scalar, cases[q].rigid);
  must(mbd_sim_create(s->base.m, &s->c, s->base.o, s->nterm, s->term, s->nterm, 0, &s->sim, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(s->base.file), &s->c, s->nname, s->name, s->nterm, s->term, s->nterm,
                          &s->referee, &err),
       &err);
}

static void close_setup(setup *s) {
  mbd_referee_destroy(s->referee);
  mbd_sim_destroy(s->sim);
  directions_free(&s->to);
  model_close(&s->base);
  free(s->size), free(s->all);
}

/* theta [nc] along x [n] */
static void to_coefficients(const setup *s, const double *x, double *d) {
  memset(d, 0, (size_t)s->nc * sizeof *d);
  for (int k = 0; k < s->n; k++) {
    for (int a = s->to.start[k]; a < s->to.start[k + 1]; a++) { d[s->to.index[a]] += x[k] * s->to.value[a]; }
  }
}

/* [terms][n], in units of the sizes, of [terms][nc] */
static void to_directions(const setup *s, const double *by_theta, double *by_x) {
  for (int i = 0; i < s->nterm; i++) {
    for (int k = 0; k < s->n; k++) {
      double sum = 0;
      for (int a = s->to.start[k]; a < s->to.start[k + 1]; a++) {
        sum += by_theta[i * s->nc + s->to.index[a]] * s->to.value[a];
      }
      by_x[i * s->n + k] = sum * s->size[k];
    }
  }
}

/* g [terms][n], and with the complex library H u [terms][n] */
static void second(setup *s, const double *u, double *g, double *Hu) {
  mbd_error err = {0};
  const mbd_adjoint_options all = {0};
  double *x = numbers(s->n), *d = numbers(s->nc), psi[3 * MAX_FORMS];
  double *gtheta = numbers(s->nterm * s->nc), *dgtheta = numbers(s->nterm * s->nc);
  for (int k = 0; k < s->n; k++) { x[k] = s->size[k] * u[k]; }
  to_coefficients(s, x, d);
  must(mbd_referee_second(s->referee, s->to.theta, &all, s->nc, s->all, d, psi, gtheta, dgtheta, &err), &err);
  to_directions(s, gtheta, g);
  to_directions(s, dgtheta, Hu);
  free(x), free(d), free(gtheta), free(dgtheta);
}

static void add_gradient(setup *s, const double *u, double h, double factor, double *sum) {
  mbd_error err = {0};
  const mbd_adjoint_options all = {0};
  double *x = numbers(s->n), *d = numbers(s->nc), psi[3 * MAX_FORMS];
  double *gtheta = numbers(s->nterm * s->nc), *g = numbers(s->nterm * s->n);
  for (int k = 0; k < s->n; k++) { x[k] = h * s->size[k] * u[k]; }
  to_coefficients(s, x, d);
  for (int k = 0; k < s->nc; k++) { d[k] += s->to.theta[k]; }
  must(mbd_params_set(s->base.p, d, &err), &err);
  must(mbd_sim_adjoint(s->sim, s->base.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  to_directions(s, gtheta, g);
  for (int i = 0; i < s->nterm * s->n; i++) { sum[i] += factor * g[i]; }
  free(x), free(d), free(gtheta), free(g);
}

/* H u by differences of order four */
static void differences(setup *s, const double *u, double h, double *Hu) {
  add_gradient(s, u, h, 8 / (12 * h), Hu);
  add_gradient(s, u, -h, -8 / (12 * h), Hu);
  add_gradient(s, u, 2 * h, -1 / (12 * h), Hu);
  add_gradient(s, u, -2 * h, 1 / (12 * h), Hu);
}

static double largest(int n, const double *a) {
  double max = 0;
  for (int k = 0; k < n; k++) { max = fmax(max, fabs(a[k])); }
  return max;
}

/* a . b, and the largest of its parts, which rounding is measured against */
static double dot(int n, const double *a, const double *b, double *part) {
  double sum = 0;
  for (int k = 0; k < n; k++) { sum += a[k] * b[k], *part = fmax(*part, fabs(a[k] * b[k])); }
  return sum;
}

typedef struct residuals {
  double symmetry, differences, gradient;
} residuals;

static void compare(const char *name, int n, const double *u, const double *v, const double *Hu, const double *Hv,
                    const double *expected, const double *g, const double *g_real, residuals *r) {
  double part = 0;
  const double left = dot(n, Hu, v, &part), right = dot(n, Hv, u, &part);
  const double size = largest(n, Hu), slope = largest(n, g_real), rounding = 1e-9;
  if (size + slope < rounding) { return; } /* nothing changes it: accelerations at rest */
  /* A settling time is divided by the slope of its output, differences of nodes over the step: of the noise of accelerations, beside their
   * value at the end, it has 30 times as much in its gradient, and 100 times as much in the changes of that. */
  const int settles = strstr(name, "(settling_time)") != NULL;
  CHECK_NEAR(name, left, right, part + slope, settles ? 1e-7 : 1e-9);
  r->symmetry = fmax(r->symmetry, fabs(left - right) / (part + slope));
  for (int k = 0; k < n; k++) {
    CHECK_NEAR(name, Hu[k], expected[k], size + slope, settles ? 3e-5 : 1e-5);
    CHECK_NEAR(name, g[k], g_real[k], slope, 1e-7); /* two builds, two roundings of a motion */
    r->differences = fmax(r->differences, fabs(Hu[k] - expected[k]) / (size + slope));
    r->gradient = fmax(r->gradient, slope > 0 ? fabs(g[k] - g_real[k]) / slope : 0);
  }
}

/* Compares along u, in units of the sizes, with Hv, the change of the gradient along v. */
static void along(setup *s, int q, const mbd_case *how, const double *u, const double *v, const double *Hv,
                  residuals *r) {
  const int n = s->n, block = s->nterm * n;
  double *Hu = numbers(4 * block), *g = Hu + block, *expected = g + block, *g_real = expected + block;
  second(s, u, g, Hu);
  differences(s, u, !is_motion(how) ? 1e-6 : cases[q].h > 0 ? cases[q].h : 5e-6, expected);
  add_gradient(s, u, 0, 1, g_real);
  for (int i = 0; i < s->nterm; i++) {
    char name[200];
    const int at = i * n;
    snprintf(name, sizeof name, "%s: %s (%s)", cases[q].model, s->name[i / form_count()],
             mbd_form_name(i % form_count()));
    compare(name, n, u, v, Hu + at, Hv + at, expected + at, g + at, g_real + at, r);
  }
  CU_ASSERT(largest(block, Hu) > 0 || is_static(how) || cases[q].one_by_one); /* velocities and accelerations alone */
  free(Hu);
}

/* Directions are drawn, the same in every run. */
static void draw(int n, uint64_t *state, double *x) {
  for (int k = 0; k < n; k++) { x[k] = 2 * random_unit(state) - 1; }
}

static void one_case(int q, const mbd_case *how, residuals *r) {
  setup s;
  uint64_t state = 1;
  open_setup(&s, q, how);
  double *u = numbers(2 * s.n + 2 * s.nterm * s.n), *v = u + s.n, *Hv = v + s.n, *g = Hv + s.nterm * s.n;
  draw(s.n, &state, u), draw(s.n, &state, v);
  second(&s, v, g, Hv);
  if (!cases[q].one_by_one) { along(&s, q, how, u, v, Hv, r); }
  for (int k = 0; k < s.n && cases[q].one_by_one; k++) {
    if (s.size[k] == 0) { continue; }
    memset(u, 0, (size_t)s.n * sizeof *u);
    u[k] = 1;
    along(&s, q, how, u, v, Hv, r);
  }
  free(u);
  close_setup(&s);
}

/* Unless all is asked for, one model in `each`, the next ones the next time: every model moves by one of the three schemes, and is driven or
 * at rest. */
static void second_derivatives(const mbd_case *how, int one_by_one) {
  static int moved, held;
  residuals r = {0};
  const int each = test_long() || one_by_one ? 1 : is_motion(how) ? 3 : 2;
  const int turn = one_by_one ? 0 : is_motion(how) ? moved++ : held++;
  for (int q = 0; q < N_CASES; q++) {
    if (cases[q].one_by_one != one_by_one) { continue; }
    const int settles = cases[q].start != MBD_START_GIVEN;
    if (q % each != turn % each) { continue; }
    if (is_motion(how) || (!settles && !cases[q].moves)) { one_case(q, how, &r); }
  }
  printf("(symmetry %.2g, from differences %.2g, gradient %.2g) ", r.symmetry, r.differences, r.gradient);
}

static void test_newmark(void) {
  mbd_case c = case_lasting(0.05, 0.005);
  second_derivatives(&c, 0);
}

static void test_one_by_one(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  second_derivatives(&c, 1);
}

static void test_generalized_alpha(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.integrator = "generalized_alpha";
  c.reference = MBD_RTDYN0;
  second_derivatives(&c, 0);
}

static void test_projection_once(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.projection_iterations = 1, c.penalty = 1e9, c.projection_weight = 1e-8;
  second_derivatives(&c, 0);
}

static void test_kinematic(void) {
  mbd_case c = case_lasting(0.05, test_long() ? 0.005 : 0.025);
  c.analysis = "kinematic";
  second_derivatives(&c, 0);
}

static void test_static(void) {
  mbd_case c = case_lasting(0.05, test_long() ? 0.005 : 0.025);
  c.analysis = "static";
  second_derivatives(&c, 0);
}

TEST_MAIN(TEST(test_newmark), TEST(test_one_by_one), TEST(test_generalized_alpha), TEST(test_projection_once),
          TEST(test_kinematic), TEST(test_static))
