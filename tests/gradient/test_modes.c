/* Derivatives of eigenvalues by reverse passes: against the exact change of the matrix along every coefficient, at any motion, with all elements; and
 * against extrapolated differences, which share no code with either. */
#include <complex.h>

#include "base/random.h"
#include "mbd/linearize.h"
#include "mbd/referee.h"
#include "model.h"

typedef struct probe {
  test_model q;
  mbd_sim *sim;
  mbd_referee *referee;
  mbd_modes *modes;
  const mbd_linear *l;
  double *theta; /* [nc] */
  int nc, order;
} probe;

static mbd_modes *modes_at(const probe *p, const double *theta) {
  mbd_error err = {0};
  mbd_params *params;
  mbd_modes *m;
  must(mbd_params_create(p->q.m, theta, &params, &err), &err);
  must(mbd_sim_modes(p->sim, params, &m, &err), &err);
  mbd_params_destroy(params);
  return m;
}

/* 0: built without LAPACK. */
static int open_model(probe *p, test_model q, mbd_start start) {
  mbd_error err = {0};
  mbd_case c;
  *p = (probe){.q = q};
  mbd_case_init(&c);
  c.start = start;
  must(mbd_sim_create(p->q.m, &c, p->q.o, 0, NULL, 0, 0, &p->sim, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(p->q.file), &c, 0, NULL, 0, NULL, 2, &p->referee, &err), &err);
  p->nc = mbd_model_ncoef(p->q.m);
  p->theta = calloc((size_t)p->nc + 1, sizeof *p->theta);
  CU_ASSERT_FATAL(p->theta != NULL);
  for (int i = 0; i < p->nc; i++) { p->theta[i] = mbd_model_nominal(p->q.m, i); }
  const mbd_status status = mbd_sim_modes(p->sim, p->q.p, &p->modes, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
    return 0;
  }
  must(status, &err);
  p->l = mbd_modes_linear(p->modes);
  p->order = p->l->n + p->l->nrate + p->l->nstate;
  return 1;
}

static int open_probe(probe *p, const char *file, mbd_start start) {
  return open_model(p, model_open(file), start);
}

static int open_text(probe *p, const char *text) {
  return open_model(p, model_open_text(text), MBD_START_GIVEN);
}

static void close_probe(probe *p) {
  mbd_modes_free(p->modes), mbd_referee_destroy(p->referee), mbd_sim_destroy(p->sim), model_close(&p->q);
  free(p->theta);
}

/* Has mode i derivatives? */
static int has_vectors(const probe *p, int i) {
  return mbd_modes_vectors(p->modes, i) != NULL;
}

/* The derivatives of mode i: g [2][nc], real parts, then imaginary parts. */
static void derive(const probe *p, int i, double *g) {
  const double weight[] = {1, 0, 0, -1};
  const double *vectors = mbd_modes_vectors(p->modes, i);
  mbd_error err = {0};
  must(mbd_referee_modes(p->referee, p->theta, 2, 1, &vectors, weight, NULL, g, &err), &err);
}

static const struct {
  const char *model;
  int rigid;    /* redundant constraints, which hard points alone contradict */
  double loose; /* what derivatives may be off, relative to their parts; 0: 1e-12 */
} models[] = {
    {"tests/conformance/models/tree.ini", 0, 0},       {"tests/conformance/models/hinges.ini", 0, 0},
    {"tests/conformance/models/uncut.ini", 0, 0},      {"tests/conformance/models/constraints.ini", 1, 0},
    {"tests/conformance/models/cuts.ini", 1, 0},       {"tests/conformance/models/wheels.ini", 0, 0},
    {"tests/conformance/models/acting.ini", 0, 0},     {"tests/conformance/models/states.ini", 0, 0},
    {"tests/conformance/models/rolling.ini", 0, 0},    {"tests/conformance/models/velocities.ini", 0, 0},
    {"tests/conformance/models/relaxation.ini", 0, 0}, {"tests/conformance/models/measuring.ini", 0, 0},
    {"tests/conformance/models/beams.ini", 0, 2e-10}, /* rounding of a matrix of 1e6, of which parts of 10 are left: 2.4e-11 */
};

static double within(int k) {
  return models[k].rigid ? 1e-9 : models[k].loose > 0 ? models[k].loose : 1e-12;
}

static int is_geometry(const char *name) {
  return strncmp(name, "point.", 6) == 0 || strncmp(name, "vector.", 7) == 0;
}

/* A random direction of all coefficients, or of those that keep redundant constraints consistent. */
static void draw(const probe *p, int k, uint64_t *state, int *index, double *d) {
  for (int j = 0; j < p->nc; j++) {
    const int held = models[k].rigid && is_geometry(mbd_model_coef_name(p->q.m, j));
    index[j] = j, d[j] = held ? 0 : (2 * random_unit(state) - 1) * fmax(fabs(p->theta[j]), 1e-3);
  }
}

/* w'dA v along random directions. The motion is no steady one, which the derivatives need not. */
static void against_matrix(const probe *p, int k) {
  mbd_error err = {0};
  const size_t nc = (size_t)p->nc;
  double *g = calloc((size_t)p->order * 2 * nc + 1, sizeof *g), *d = calloc(nc + 1, sizeof *d), worst = 0, largest = 0;
  int *index = calloc(nc + 1, sizeof *index);
  uint64_t state = 1;
  CU_ASSERT_FATAL(g && d && index);
  for (int i = 0; i < p->order; i++) {
    if (has_vectors(p, i)) { derive(p, i, g + (size_t)i * 2 * nc); }
  }
  for (int draws = 0; draws < 3; draws++) {
    double *A, *dA;
    int order;
    draw(p, k, &state, index, d);
    must(mbd_referee_linearize(p->referee, p->theta, p->nc, index, d, &order, &A, &dA, &err), &err);
    CU_ASSERT_EQUAL_FATAL(order, p->order);
    for (int i = 0; i < p->order; i++) {
      const double *by = g + (size_t)i * 2 * nc;
      double change[2], sum[2] = {0, 0}, size = 0;
      if (!has_vectors(p, i)) { continue; }
      mbd_modes_along(p->modes, i, dA, change);
      for (size_t j = 0; j < nc; j++) {
        sum[0] += by[j] * d[j], sum[1] += by[nc + j] * d[j];
        size = fmax(size, hypot(by[j] * d[j], by[nc + j] * d[j]));
      }
      largest = fmax(largest, size);
      if (size > 0) { worst = fmax(worst, hypot(sum[0] - change[0], sum[1] - change[1]) / size); }
    }
    free(A), free(dA);
  }
  CHECK_CLOSE(models[k].model, worst, 0, within(k));
  CU_ASSERT(largest > 1);
  free(g), free(d), free(index);
}

static void test_against_matrix(void) {
  for (int k = 0; k < (int)(sizeof models / sizeof models[0]); k++) {
    probe p;
    if (!open_probe(&p, models[k].model, MBD_START_GIVEN)) { return; }
    against_matrix(&p, k);
    close_probe(&p);
  }
}

/* ---- against differences ---- */

/* The eigenvalue that belongs to mode i, with the other numbers. */
static double complex follow(const probe *p, int i, const double *theta) {
  mbd_modes *m = modes_at(p, theta);
  const mbd_linear *l = mbd_modes_linear(m);
  double most = -1;
  double complex found = NAN;
  for (int j = 0; j < p->order; j++) {
    const double alike = l->im[j] >= 0 ? mbd_modes_likeness(p->modes, i, m, j) : NAN;
    if (alike > most) { most = alike, found = l->re[j] + l->im[j] * I; }
  }
  CHECK_CLOSE("likeness of neighbours", most, 1, 0.1);
  mbd_modes_free(m);
  return found;
}

/* Central differences along d of the steps h, h/2, h/4, extrapolated twice [Richardson]. */
static double complex difference(const probe *p, int i, const double *d, double h) {
  double *theta = calloc((size_t)p->nc + 1, sizeof *theta);
  double complex D[3];
  CU_ASSERT_PTR_NOT_NULL_FATAL(theta);
  for (int k = 0; k < 3; k++, h /= 2) {
    double complex side[2];
    for (int s = 0; s < 2; s++) {
      for (int j = 0; j < p->nc; j++) { theta[j] = p->theta[j] + (s ? h : -h) * d[j]; }
      side[s] = follow(p, i, theta);
    }
    D[k] = (side[1] - side[0]) / (2 * h);
  }
  free(theta);
  for (int k = 0; k < 2; k++) { D[k] = (4 * D[k + 1] - D[k]) / 3; }
  return (16 * D[1] - D[0]) / 15;
}

/* From static equilibrium, rolling straight, with redundant constraints and with states: eight modes (three unless all is asked for), along a random direction. */
static void test_against_differences(void) {
  static const struct {
    const char *model;
    mbd_start start;
    double tol;
  } starts[] = {{"problems/buggy/buggy.ini", MBD_START_EQUILIBRIUM, 1e-7},
                {"problems/bicycle/rolling_bicycle.ini", MBD_START_GIVEN, 1e-7},
                {"tests/conformance/models/states.ini", MBD_START_GIVEN, 1e-7}};
  for (int k = 0; k < 3; k++) {
    probe p;
    uint64_t state = 3;
    if (!open_probe(&p, starts[k].model, starts[k].start)) { return; }
    double *d = calloc((size_t)p.nc + 1, sizeof *d), *g = calloc(2 * (size_t)p.nc + 1, sizeof *g), worst = 0;
    CU_ASSERT_FATAL(d && g);
    for (int j = 0; j < p.nc; j++) { /* places would contradict redundant constraints */
      const double size = is_geometry(mbd_model_coef_name(p.q.m, j)) ? 0 : 0.1 * p.theta[j];
      d[j] = (2 * random_unit(&state) - 1) * size;
    }
    for (int i = 0, n = 0; i < p.order && n < (test_long() ? 8 : 3); i++) {
      double complex sum = 0;
      if (!has_vectors(&p, i) || hypot(p.l->re[i], p.l->im[i]) < 0.1) { continue; } /* slow ones are beside others */
      derive(&p, i, g);
      for (int j = 0; j < p.nc; j++) { sum += (g[j] + g[p.nc + j] * I) * d[j]; }
      const double off = cabs(difference(&p, i, d, 0.004) - sum) / fmax(cabs(sum), 1e-3);
      worst = fmax(worst, off), n++;
    }
    CHECK_CLOSE(starts[k].model, worst, 0, starts[k].tol);
    free(d), free(g), close_probe(&p);
  }
}

/* ---- by hand ---- */

/* A mass on a spring and a damper: lam = -c/(2m) + i sqrt(k/m - c^2/(4m^2)). */
static void test_oscillator(void) {
  static const char text[] =
      "schema = 1\n[model]\ntitle = mass\ngravity = 0, 0, 0\njoints = named\n"
      "[body a]\nmass = 2\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, a\n"
      "[joint j]\ntype = prismatic\nbodies = ground, a\naxis = x\n"
      "[point L]\nat = 0, 0, 0\nbodies = ground\n[point A]\nat = 1, 0, 0\nbodies = a\n"
      "[force s]\ntype = spring\npoints = L, A\nstiffness = 50\ndamping = 3\nfree_length = 1\n";
  const double m = 2, k = 50, c = 3, w = sqrt(k / m - c * c / (4 * m * m));
  probe p;
  if (!open_text(&p, text)) { return; }
  double *g = calloc(2 * (size_t)p.nc + 1, sizeof *g);
  CU_ASSERT_PTR_NOT_NULL_FATAL(g);
  derive(&p, 0, g);
  CHECK_CLOSE("real", p.l->re[0], -c / (2 * m), 1e-14);
  CHECK_CLOSE("imaginary", p.l->im[0], w, 1e-14);
  for (int j = 0; j < p.nc; j++) {
    const char *name = mbd_model_coef_name(p.q.m, j);
    const double re = strstr(name, "mass") ? c / (2 * m * m) : strstr(name, "damping") ? -1 / (2 * m) : 0;
    const double im = strstr(name, "mass")        ? (-k / (m * m) + c * c / (2 * m * m * m)) / (2 * w)
                      : strstr(name, "damping")   ? -c / (4 * m * m) / w
                      : strstr(name, "stiffness") ? 1 / (2 * m * w)
                                                  : 0;
    /* The rest length and the places move the mass, not its eigenvalue. */
    CHECK_CLOSE(name, g[j], re, 1e-14);
    CHECK_CLOSE(name, g[p.nc + j], im, 1e-14);
  }
  CHECK_CLOSE("condition", mbd_modes_condition(p.modes, 0), k / m / (w * w) < 2 ? sqrt(k / m) / w : NAN, 1e-13);
  free(g), close_probe(&p);
}

TEST_MAIN(TEST(test_against_matrix), TEST(test_against_differences), TEST(test_oscillator))
