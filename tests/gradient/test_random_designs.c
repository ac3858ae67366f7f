/* Random designs: springs, dampers and masses by a factor of ten up or down, hard points by 30 %. Many of them are such as
 * nobody would build, with forces and multipliers far apart in size: a system that is solved badly, without a word, shows
 * here as a gradient that differs from the transposed way to it, or from the complex step of the whole simulation. */
#include "mechanism/numerical.h"
#include "opened_run.h"

enum { MOST_SCALARS = 64, SET = 64, ALL = 500, SAMPLE = 15, COMPLEX_STEPS = 25, COMPLEX_SAMPLE = 2 };

typedef struct scalar {
  const char *name;
  double value; /* of the model file */
  int kind;
} scalar;
enum { TENFOLD = 1, PLACE }; /* 0: the end of a list */

static const scalar buggy[] = {{"k_f", 2e4, TENFOLD},
                               {"c_f", 1500, TENFOLD},
                               {"k_r", 1.5e4, TENFOLD},
                               {"c_r", 1000, TENFOLD},
                               {"m_c", 387, TENFOLD},
                               {"k_t", 1.65e5, TENFOLD},
                               {"c_t", 400, TENFOLD},
                               {"l_f", 0.4245, PLACE},
                               {"l_r", 0.404, PLACE},
                               {"x_c", -1.52, PLACE},
                               {"z_c", 0.48, PLACE},
                               {"x_f", -0.5, PLACE},
                               {"x_r", -2.5, PLACE},
                               {"Ax", 0, PLACE},
                               {"Ay", 0.25, PLACE},
                               {"Az", 0.2, PLACE},
                               {"Bx", 0, PLACE},
                               {"By", 0.55, PLACE},
                               {"Bz", 0.18, PLACE},
                               {"Ux", 0, PLACE},
                               {"Uy", 0.3, PLACE},
                               {"Uz", 0.36, PLACE},
                               {"Vx", -0.02, PLACE},
                               {"Vy", 0.52, PLACE},
                               {"Vz", 0.38, PLACE},
                               {"Ix", -0.12, PLACE},
                               {"Iy", 0.261, PLACE},
                               {"Iz", 0.235, PLACE},
                               {"Ox", -0.12, PLACE},
                               {"Oy", 0.544, PLACE},
                               {"Oz", 0.22, PLACE},
                               {"Dx", 0, PLACE},
                               {"Dy", 0.42, PLACE},
                               {"Dz", 0.2, PLACE},
                               {"Tx", 0, PLACE},
                               {"Ty", 0.33, PLACE},
                               {"Tz", 0.52, PLACE},
                               {"Px", 0.45, PLACE},
                               {"Py", 0.5, PLACE},
                               {"rod_y", 0.5, PLACE},
                               {"Pz", 0.3, PLACE},
                               {"Qx", 0.08, PLACE},
                               {"Qz", 0.3, PLACE},
                               {"Sx", 0.1, PLACE},
                               {"Sz", 0.62, PLACE},
                               {"Ex", 0.09, PLACE},
                               {"Ez", 0.46, PLACE},
                               {"t_y", 0.65, PLACE},
                               {0}};
static const scalar five_bar[] = {{"k1", 100, TENFOLD},  {"c1", 1, TENFOLD},   {"k2", 100, TENFOLD},
                                  {"c2", 1, TENFOLD},    {"mA1", 1, TENFOLD},  {"m12", 1.5, TENFOLD},
                                  {"m23", 1.5, TENFOLD}, {"mB3", 1, TENFOLD},  {"xB", 1, PLACE},
                                  {"x1", -1, PLACE},     {"y1", -1, PLACE},    {"x2", 0.5, PLACE},
                                  {"y2", -2, PLACE},     {"x3", 2, PLACE},     {"y3", -1, PLACE},
                                  {"Ls1", 2.236, PLACE}, {"Ls2", 2.06, PLACE}, {0}};
static const scalar spatial_four_bar[] = {{"L_c", 1.5, PLACE},
                                          {"L_r", 4, PLACE},
                                          {"L_f", 2, PLACE},
                                          {"L_g", 5, PLACE},
                                          {"tilt", 0.5, PLACE},
                                          {"rate", -1, TENFOLD},
                                          {0}};
static const scalar bicycle[] = {{"w", 1.02, PLACE},
                                 {"c", 0.08, PLACE},
                                 {"tilt", 0.314, PLACE},
                                 {"r_R", 0.3, PLACE},
                                 {"r_F", 0.35, PLACE},
                                 {"m_R", 2, TENFOLD},
                                 {"m_B", 85, TENFOLD},
                                 {"m_H", 4, TENFOLD},
                                 {"m_F", 3, TENFOLD},
                                 {"v", 5, PLACE},
                                 {"k_tyre", 2e5, TENFOLD},
                                 {"c_tyre", 500, TENFOLD},
                                 {0}};

/* Of how many designs, of the first SAMPLE and of all 500, the program returned both gradients at commit 89cbfb7 (this test,
 * linked against it). The last number: a design, compared with the complex step in any case, that comes to its equilibrium on
 * a long way along which imaginary parts would grow without bound; 0: none. */
static const struct {
  const char *file;
  const scalar *scalars;
  int of_sample, of_all, long_way;
} mechanisms[] = {
    {"tests/gradient/designs/buggy.ini", buggy, 10, 306, 37},
    {"tests/gradient/designs/five_bar.ini", five_bar, 15, 496, 0},
    {"tests/gradient/designs/spatial_four_bar.ini", spatial_four_bar, 10, 366, 0},
    {"tests/gradient/designs/bicycle.ini", bicycle, 15, 500, 0},
};
enum { N_MECHANISMS = sizeof mechanisms / sizeof mechanisms[0] };

static unsigned long long seed;

/* Uniform in -1 .. 1; the same sequence everywhere. */
static double any(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) / (double)(1ULL << 52) - 1;
}

/* Design `number` of a mechanism: settings of its scalars; returns how many. */
static int draw(int which, int number, char text[][SET], const char **set) {
  const scalar *s = mechanisms[which].scalars;
  int n = 0;
  seed = 1000003ULL * (unsigned)which + (unsigned)number;
  for (int i = 0; i < 20; i++) { any(); }
  for (; s[n].kind; n++) {
    const double u = any(), factor = s[n].kind == TENFOLD ? pow(10, u) : 1 + 0.3 * u;
    snprintf(text[n], SET, "scalars.%s=%.17g", s[n].name, s[n].value == 0 ? 0.03 * u : s[n].value * factor);
    set[n] = text[n];
  }
  return n;
}

/* Derivatives by the scaled variables into grad [quantities][variables]; whether there are any. */
static int gradient_by(mechanism *m, const char *method, double *grad) {
  mbd_error err = {0};
  const mbd_status status = mechanism_evaluate(m, m->start, method, &err);
  CU_ASSERT(status >= 0); /* a design that cannot be evaluated, no wrong request */
  for (int i = 0; status == MBD_OK && i < (m->nobjective + m->nconstraint) * m->n; i++) {
    grad[i] = m->grad[i] * m->scale[i % m->n];
  }
  return status == MBD_OK;
}

typedef struct count {
  int returned, complex_steps;
  double adjoint, complex_step; /* worst differences */
} count;

static double size_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) { most = fmax(most, fabs(x[i])); }
  return most;
}

/* Along all variables at once, to the sum of the sizes of the parts. */
static void check_complex_step(mechanism *m, const char *name, count *c) {
  double direct[16], along[8], exact[8];
  mbd_error err = {0};
  for (int j = 0; j < m->n; j++) { along[j] = m->scale[j] * cos(1.7 * j); }
  if (!gradient_by(m, "direct", direct)) { return; }
  if (numerical_derivative(m, m->start, GRADIENT_COMPLEX_STEP, along, exact, &err) != MBD_OK) { return; }
  c->complex_steps++;
  for (int k = 0; k < m->nobjective; k++) {
    double slope = 0, size = 0;
    for (int j = 0; j < m->n; j++) { slope += direct[k * m->n + j] * cos(1.7 * j), size += fabs(direct[k * m->n + j]); }
    CHECK_NEAR(name, slope, exact[k], size, 1e-9);
    c->complex_step = fmax(c->complex_step, fabs(slope - exact[k]) / size);
  }
}

static void check_adjoint(mechanism *m, const char *name, count *c) {
  double direct[16], adjoint[16];
  if (!gradient_by(m, "direct", direct) || !gradient_by(m, "discrete_adjoint", adjoint)) { return; }
  c->returned++;
  for (int k = 0; k < m->nobjective; k++) {
    const double size = size_of(m->n, direct + k * m->n);
    for (int j = 0; j < m->n; j++) {
      const int i = k * m->n + j;
      CHECK_NEAR(name, adjoint[i], direct[i], size, 1e-9);
      c->adjoint = fmax(c->adjoint, fabs(adjoint[i] - direct[i]) / size);
    }
  }
}

/* Relative to the largest component of each quantity's gradient by the scaled variables. */
static void check_design(int which, int number, int complex_step, count *c) {
  char text[MOST_SCALARS][SET], name[128], path[512];
  const char *set[MOST_SCALARS];
  const int n = draw(which, number, text, set);
  snprintf(name, sizeof name, "%s, design %d", mechanisms[which].file, number);
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, mechanisms[which].file);
  opened_run q = {0};
  mbd_error err = {0};
  must(mbo_run_config_read(path, n, set, &q.config, &err), &err);
  /* Of some four-bars the coupler is too short or too long: an expression of the model file outside of its domain. */
  if (mechanism_create(q.config, &q.m, &err) == MBD_OK) {
    (complex_step ? check_complex_step : check_adjoint)(q.m, name, c);
    mechanism_destroy(q.m);
  }
  mbo_run_config_destroy(q.config);
}

static void test_random_designs(void) {
  const int designs = test_long() ? ALL : SAMPLE, complex_steps = test_long() ? COMPLEX_STEPS : COMPLEX_SAMPLE;
  for (int i = 0; i < N_MECHANISMS; i++) {
    const int long_way = mechanisms[i].long_way;
    count c = {0};
    for (int k = 0; k < designs; k++) {
      check_design(i, k, 0, &c);
      if (c.complex_steps < complex_steps) { check_design(i, k, 1, &c); }
    }
    if (long_way) { check_design(i, long_way, 1, &c); }
    printf("\n  %s: %d of %d returned, adjoint to direct %.2g; %d of them to complex step %.2g ", mechanisms[i].file,
           c.returned, designs, c.adjoint, c.complex_steps, c.complex_step);
    CU_ASSERT(c.complex_steps == complex_steps + (long_way > 0));
    CU_ASSERT(c.returned >= 0.99 * (test_long() ? mechanisms[i].of_all : mechanisms[i].of_sample));
  }
}

TEST_MAIN(TEST(test_random_designs))
