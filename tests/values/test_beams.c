/* Beams against numbers of an independent program, closed forms and published values: the residual, its mass matrix and its derivative at a
 * given state, frequencies of cantilevers at rest and turning, sections, damping. */
#include "dynamics/motion.h"
#include "flexible/beam.h"
#include "la/dense.h"
#include "model.h"

enum { MAX = 24 };

/* ---- a beam with all kinds of motion between two joints ---- */

/* The torsion constant is the approximation a b^3 (1/3 - 0.21 b/a (1 - b^4/(12 a^4))) of the other program. */
static const char spatial[] =
    "schema = 1\n"
    "[model]\ngravity = 1, -9, 2\njoints = named\n"
    "[scalars]\nh = 0.05\nb = 0.03\n"
    "[beam rod]\nfrom = A\nto = B\nup = up\nsection = given\narea = h*b\n"
    "second_moment_up = b*h^3/12\nsecond_moment_side = h*b^3/12\n"
    "torsion_constant = h*b^3*(1/3 - 0.21*b/h*(1 - b^4/(12*h^4)))\n"
    "E = 2e9\nG = 8e8\ndensity = 1800\nshapes = 3, 2, 1\naxial = 1\npoints = 7\n"
    "[body end]\nmass = 1\ncom = 1.4, 0, 0.05\ninertia = 0.02, 0.03, 0.04\n"
    "[point A]\nat.ground = 0.1, 0.2, 0.3\nat.rod = 0, 0, 0\n"
    "[point B]\nat = 1.3, 0, 0\nbodies = rod.tip, end\n"
    "[vector up]\nalong = 0, 1, 0\nbodies = rod\n"
    "[vector u]\nalong = 1, 2, 2\nbodies = ground, rod\n"
    "[vector w]\nalong = 0, 0.6, 0.8\nbodies = rod.tip, end\n"
    "[joint shoulder]\ntype = revolute\nbodies = ground, rod\npoint = A\naxis = u\n"
    "[joint hand]\ntype = revolute\nbodies = rod.tip, end\npoint = B\naxis = w\n";

static const double z_spatial[] = {0.7, 0.03, -0.05, 0.02, 0.04, -0.02, 0.06, 0.002, -0.4};
static const double zd_spatial[] = {1.1, -0.5, 0.3, 0.2, 0.7, -0.6, 0.4, 0.05, -1.3};
static const double zdd_spatial[] = {2.0, -3.0, 1.0, 4.0, -2.0, 3.0, 1.0, 0.5, 2.5};

static mbd_work *moved(const test_model *q, const double *z, const double *zd, const double *zdd) {
  mbd_error err = {0};
  mbd_work *w;
  must(mbd_work_create(q->m, MBD_RTDYN1, &w, &err), &err);
  motion_place(w, q->p, 0, z);
  motion_move(w, zd, zdd, 1);
  return w;
}

/* Numbers of a program in another language, from positions, velocities and accelerations of the points by complex steps. */
static void test_residual(void) {
  static const double expected[] = {33.52629687482038,  25.230414808208188, -12.391142328279518,
                                    2.5277872659220715, -3.778261563734196, 2.6716492745549427,
                                    10.230590270125425, 7816.492517035941,  1.207401324213977};
  static const double by_height[] = {397.2754306168259,  979.7405546728777,  -538.6205015245267,
                                     127.42898918306743, 48.82324082724511,  19.96069405888819,
                                     326.9200281032132,  156201.18459302987, 0};
  static const double first_row[] = {3.39771143492184,      1.1584227887559087,  -0.42045515346046924,
                                     0.032804657522193185,  -1.1906552846880358, 0.4284489083937196,
                                     -0.026548506835993912, 0.087965033961549,   0.13547072677677088};
  test_model q = model_open_text(spatial);
  mbd_work *w = moved(&q, z_spatial, zd_spatial, zdd_spatial);
  double r[MAX], M[MAX * MAX];
  CU_ASSERT_EQUAL_FATAL(q.m->nz, 9);
  motion_residual(w, r);
  for (int i = 0; i < 9; i++) { CHECK_NEAR("residual", r[i], expected[i], 1 + fabs(expected[i]), 1e-13); }
  motion_mass(w, NULL, M);
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("mass matrix", M[i], first_row[i], 1e-14); }
  CHECK_CLOSE("kinetic energy", motion_kinetic(w), 0.5554924211502357, 1e-14);
  CHECK_CLOSE("potential energy", motion_potential(w), 29.282373848140622, 1e-12);
  /* By the height, a scalar, along its change of the coefficients. */
  mbd_error err = {0};
  mbd_dparams *d;
  double dr[MAX];
  const char *const height[] = {"h"};
  const int *start, *index;
  const double *value;
  const motion_terms terms = {.inertia = 1, .forces = 1};
  double theta[200], h = 0.05;
  must(mbo_model_file_vary(q.file, 1, height, &err), &err);
  must(mbo_model_file_eval(q.file, &h, theta, &start, &index, &value, &err), &err);
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, start[1] - start[0], index + start[0], value + start[0]);
  motion_along(w, d, NULL, NULL, NULL);
  motion_direction(w, &terms, dr, NULL, NULL, NULL);
  for (int i = 0; i < 9; i++) { CHECK_NEAR("by the height", dr[i], by_height[i], 1 + fabs(by_height[i]), 1e-13); }
  mbd_dparams_destroy(d), mbd_work_destroy(w);
  model_close(&q);
}

/* ---- cantilevers ---- */

/* A cantilever of length 1, E I = 1 and mass 1 on a hub that turns about y: E = 1/I, density = 1/A. Bending aside is along y. */
static const char cantilever[] =
    "schema = 1\n"
    "[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nn = 3\n"
    "[beam arm]\nfrom = A\nto = B\nup = up\nsection = given\narea = 1\nsecond_moment_up = 1\n"
    "second_moment_side = 1\ntorsion_constant = 1\nE = 1\ndensity = 1\nshapes = N, N, 0\n"
    "rotary_inertia = no\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, arm\n"
    "[point B]\nat = 1, 0, 0\nbodies = arm.tip\n"
    "[vector up]\nalong = 0, 0, 1\nbodies = arm\n"
    "[vector axis]\nalong = 0, 0, 1\nbodies = ground, arm\n"
    "[joint hub]\ntype = revolute\nbodies = ground, arm\npoint = A\naxis = axis\n";

/* The lowest frequency of n coordinates from `first` on, by inverse iteration. */
static double lowest(int nz, const double *K, const double *M, int first, int n) {
  double A[MAX * MAX], x[MAX], y[MAX], low = 0;
  int piv[MAX];
  for (int i = 0; i < n; i++) {
    x[i] = i == 0;
    for (int j = 0; j < n; j++) { A[i * n + j] = K[(first + i) * nz + first + j]; }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(n, A, piv), MBD_OK);
  for (int iteration = 0; iteration < 60; iteration++) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++) { y[i] += M[(first + i) * nz + first + j] * x[j]; }
    }
    mbd_lu_solve(n, A, piv, 1, y);
    for (int i = 0; i < n; i++) { norm = fmax(norm, fabs(y[i])); }
    low = 1 / norm;
    for (int i = 0; i < n; i++) { x[i] = y[i] / norm; }
  }
  return sqrt(low);
}

/* The frequency along the axis of the hub (plane 0: up) with n shapes, while the hub turns. */
static double frequency(int n, double speed) {
  char text[2000], once[2000], number[8];
  double z[MAX] = {0}, zd[MAX] = {speed}, zdd[MAX] = {0}, K[MAX * MAX], C[MAX * MAX], M[MAX * MAX];
  const motion_terms terms = {.inertia = 1, .forces = 1};
  snprintf(number, sizeof number, "%d", n);
  edit(once, sizeof once, cantilever, "N", number);
  edit(text, sizeof text, once, "N", number);
  test_model q = model_open_text(text);
  mbd_work *w = moved(&q, z, zd, zdd);
  motion_jacobian(w, &terms, NULL, K, C, NULL, M);
  const double found = lowest(q.m->nz, K, M, 1, n);
  mbd_work_destroy(w);
  model_close(&q);
  return found;
}

/* Relative errors of the first frequency of Euler and Bernoulli's beam, (beta L)^2 with cos cosh = -1, by the number of shapes. */
static void test_shapes(void) {
  static const double error[] = {0.2719330302872336, 0.004754323590789422, 0.00030170384309813336,
                                 1.539223593916006e-06, 3.847684326707679e-08};
  const double exact = 1.8751040687119611 * 1.8751040687119611;
  for (int n = 1; n <= 5; n++) { CHECK_CLOSE("first frequency", frequency(n, 0) / exact - 1, error[n - 1], 1e-12); }
}

/* A turning cantilever, out of the plane (A. D. Wright et al., Journal of Applied Mechanics, 1982: 3.6817, 4.1373, 4.7973, 7.3604, 13.170), to
 * the digits of the independent program. Without foreshortening it would become softer than at rest. */
static void test_turning(void) {
  static const double expected[][2] = {{1, 3.681646813958241},
                                       {2, 4.1373195730251},
                                       {3, 4.797278532372764},
                                       {6, 7.360373019368799},
                                       {12, 13.170151434236177}};
  for (int i = 0; i < 5; i++) { CHECK_CLOSE("turning cantilever", frequency(8, expected[i][0]), expected[i][1], 1e-6); }
}

/* ---- sections and damping ---- */

static beam_layout layout_of(const char *section, int n) {
  beam_layout b = {.n = n, .rotary = 1, .nstation = 1, .npoint = 6};
  for (int i = 0; mbd_beam_section_at(i); i++) {
    if (strcmp(mbd_beam_section_at(i)->name, section) == 0) { b.section = mbd_beam_section_at(i); }
  }
  gauss_points(6, b.point, b.weight);
  return b;
}

/* The stiffness of the first shape of a kind is B/L; E = G = L = 1. */
static double stiffness(const char *section, int kind, const double *dimension, int n) {
  beam_layout b = layout_of(section, 1);
  double c[BEAM_DIMENSIONS + 4] = {1, 1, 1, 0, 0, 0, 1}, out[100];
  b.kind[0] = kind, b.degree[0] = 1;
  for (int i = 0; i < n; i++) { c[BEAM_DIMENSIONS + i] = dimension[i]; }
  beam_numbers(&b, 1, c, out);
  return out[0];
}

static void test_sections(void) {
  const double pi = acos(-1), square[] = {1, 1}, flat[] = {0.1, 2}, tall[] = {2, 0.1}, disc[] = {2}, tube[] = {2, 0.5};
  const double i_beam[] = {1, 0.5, 0.1, 0.05};
  CHECK_CLOSE("bending of a rectangle", stiffness("rectangle", BEAM_UP, tall, 2), 0.1 * 8 / 12, 1e-15);
  CHECK_CLOSE("its bending aside", stiffness("rectangle", BEAM_SIDE, tall, 2), 2 * 1e-3 / 12, 1e-16);
  CHECK_CLOSE("its extension", stiffness("rectangle", BEAM_STRETCH, tall, 2), 0.2, 1e-15);
  /* Timoshenko and Goodier, article 109: 0.1406 of a square; b^3 (a - 0.630 b)/3 of a strip. */
  CHECK_CLOSE("torsion of a square", stiffness("rectangle", BEAM_TWIST, square, 2), 0.140577, 1e-6);
  CHECK_CLOSE("torsion of a strip", stiffness("rectangle", BEAM_TWIST, flat, 2), 1e-3 * (2 - 0.063025) / 3, 1e-8);
  CHECK_CLOSE("the same, lying", stiffness("rectangle", BEAM_TWIST, tall, 2),
              stiffness("rectangle", BEAM_TWIST, flat, 2), 1e-18);
  CHECK_CLOSE("bending of a circle", stiffness("circle", BEAM_UP, disc, 1), pi / 4, 1e-15);
  CHECK_CLOSE("torsion of a circle", stiffness("circle", BEAM_TWIST, disc, 1), pi / 2, 1e-15);
  CHECK_CLOSE("extension of a tube", stiffness("tube", BEAM_STRETCH, tube, 2), pi * 0.75, 1e-14);
  CHECK_CLOSE("bending of a tube", stiffness("tube", BEAM_SIDE, tube, 2), pi / 4 * (1 - 0.0625), 1e-14);
  CHECK_CLOSE("bending of an I beam", stiffness("i_beam", BEAM_UP, i_beam, 4), 0.5 / 12 - 0.45 * 0.512 / 12, 1e-15);
  CHECK_CLOSE("its bending aside", stiffness("i_beam", BEAM_SIDE, i_beam, 4), 2 * 0.1 * 0.125 / 12 + 0.8 * 1.25e-4 / 12,
              1e-15);
}

/* With D = 2 zeta B of one ratio, B M^-1 B = K: in the modes 2 zeta w of the mass. M comes from damping per mass alone. */
static void test_damping(void) {
  enum { N = 7 };
  beam_layout b = layout_of("rectangle", N);
  static const int kind[N] = {BEAM_UP, BEAM_UP, BEAM_UP, BEAM_SIDE, BEAM_SIDE, BEAM_TWIST, BEAM_SHEAR_UP};
  static const int degree[N] = {1, 2, 3, 1, 2, 1, 1};
  double c[] = {7e10, 2.7e10, 2700, 0.01, 0, 0, 0.8, 0.02, 0.02}, ratio[2 * N * N + 100], mass[2 * N * N + 100];
  int piv[N];
  memcpy(b.kind, kind, sizeof kind), memcpy(b.degree, degree, sizeof degree);
  b.ratio = 1;
  beam_numbers(&b, 0.4, c, ratio);
  b.ratio = 0, c[BEAM_OF_MASS] = 1;
  beam_numbers(&b, 0.4, c, mass);
  const double *K = ratio, *D = ratio + N * N;
  double *M = mass + N * N, X[N * N];
  memcpy(X, D, sizeof X);
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, M, piv), MBD_OK);
  mbd_lu_solve(N, M, piv, N, X);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double DMD = 0;
      for (int k = 0; k < N; k++) { DMD += D[i * N + k] * X[k * N + j]; }
      CHECK_NEAR("D M^-1 D = (2 zeta)^2 K", DMD / (4 * 0.01 * 0.01), K[i * N + j], sqrt(K[i * N + i] * K[j * N + j]),
                 1e-10);
    }
  }
}

TEST_MAIN(TEST(test_residual), TEST(test_shapes), TEST(test_turning), TEST(test_sections), TEST(test_damping))
