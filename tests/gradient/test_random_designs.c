/* Random designs: springs, dampers and masses by a factor of ten up or down, hard points by 30 %. Many of them are such as
 * nobody would build, with forces and multipliers far apart in size: a system that is solved badly, without a word, shows
 * here as a gradient that differs from the transposed way to it, or from the complex step of the whole simulation. */
#include "mechanism/numerical.h"
#include "opened_run.h"

enum { SET = 64, MAX_SCALARS = 64, ALL = 500, SAMPLE = 15, COMPLEX_STEPS = 25, COMPLEX_SAMPLE = 2, ALWAYS = 2 };

/* Scalars with their values in the model file: those with * vary tenfold, the others by 30 %. */
static const char buggy[] =
    "k_f=2e4* c_f=1500* k_r=1.5e4* c_r=1000* m_c=387* k_t=1.65e5* c_t=400* l_f=0.4245 l_r=0.404 x_c=-1.52 "
    "z_c=0.48 x_f=-0.5 x_r=-2.5 Ax=0 Ay=0.25 Az=0.2 Bx=0 By=0.55 Bz=0.18 Ux=0 Uy=0.3 Uz=0.36 Vx=-0.02 Vy=0.52 "
    "Vz=0.38 Ix=-0.12 Iy=0.261 Iz=0.235 Ox=-0.12 Oy=0.544 Oz=0.22 Dx=0 Dy=0.42 Dz=0.2 Tx=0 Ty=0.33 Tz=0.52 "
    "Px=0.45 Py=0.5 rod_y=0.5 Pz=0.3 Qx=0.08 Qz=0.3 Sx=0.1 Sz=0.62 Ex=0.09 Ez=0.46 t_y=0.65";
static const char five_bar[] =
    "k1=100* c1=1* k2=100* c2=1* mA1=1* m12=1.5* m23=1.5* mB3=1* xB=1 x1=-1 y1=-1 x2=0.5 y2=-2 x3=2 y3=-1 "
    "Ls1=2.236 Ls2=2.06";
static const char spatial_four_bar[] = "L_c=1.5 L_r=4 L_f=2 L_g=5 tilt=0.5 rate=-1*";
static const char bicycle[] =
    "w=1.02 c=0.08 tilt=0.314 r_R=0.3 r_F=0.35 m_R=2* m_B=85* m_H=4* m_F=3* v=5 k_tyre=2e5* c_tyre=500*";

/* Of how many designs, of the first SAMPLE and of all 500, the program returned both gradients at commit 89cbfb7 (this test,
 * linked against it). The last numbers: designs that are compared with the complex step in any case: one comes to its equilibrium on
 * a long way along which imaginary parts would grow without bound, that of the other is so nearly singular that its multipliers converge
 * slowly; 0: none. */
static const struct {
  const char *file, *scalars;
  int of_sample, of_all, always[ALWAYS];
} mechanisms[] = {
    {"tests/gradient/designs/buggy.ini", buggy, 10, 306, {37, 28}},
    {"tests/gradient/designs/five_bar.ini", five_bar, 15, 496, {0}},
    {"tests/gradient/designs/spatial_four_bar.ini", spatial_four_bar, 10, 366, {0}},
    {"tests/gradient/designs/bicycle.ini", bicycle, 15, 500, {0}},
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
  char list[1200], *rest = list, *name;
  int n = 0;
  snprintf(list, sizeof list, "%s", mechanisms[which].scalars);
  seed = 1000003ULL * (unsigned)which + (unsigned)number;
  for (int i = 0; i < 20; i++) { any(); }
  for (; (name = strsep(&rest, " ")) != NULL; n++) {
    char *at = strchr(name, '='), *end;
    const double value = strtod(at + 1, &end), u = any(), factor = *end == '*' ? pow(10, u) : 1 + 0.3 * u;
    snprintf(text[n], SET, "scalars.%.*s=%.17g", (int)(at - name), name, value == 0 ? 0.03 * u : value * factor);
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
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(x[i])); }
  return max;
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
  char text[MAX_SCALARS][SET], name[128], path[512];
  const char *set[MAX_SCALARS];
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
    const int *always = mechanisms[i].always;
    count c = {0};
    int added = 0;
    for (int k = 0; k < designs; k++) {
      check_design(i, k, 0, &c);
      if (c.complex_steps < complex_steps) { check_design(i, k, 1, &c); }
    }
    for (; added < ALWAYS && always[added]; added++) { check_design(i, always[added], 1, &c); }
    printf("\n  %s: %d of %d returned, adjoint to direct %.2g; %d of them to complex step %.2g ", mechanisms[i].file,
           c.returned, designs, c.adjoint, c.complex_steps, c.complex_step);
    CU_ASSERT(c.complex_steps == complex_steps + added);
    CU_ASSERT(c.returned >= 0.99 * (test_long() ? mechanisms[i].of_all : mechanisms[i].of_sample));
  }
}

TEST_MAIN(TEST(test_random_designs))
