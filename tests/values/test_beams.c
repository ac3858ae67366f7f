/* Beams against numbers of an independent program, closed forms and published values: the residual, its mass matrix and its derivative at a
 * given state, frequencies of cantilevers at rest and turning, sections, damping. */
#include <unistd.h>

#include "dynamics/motion.h"
#include "files/json.h"
#include "flexible/beam.h"
#include "la/dense.h"
#include "mbd/linearize.h"
#include "mbd/picture.h"
#include "model.h"
#include "output/output.h"
#include "values.h"

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

/* Lagrange's equations of the energies alone: r = dp/dt - dT/dz + dV/dz with p = dT/dzd, which differences give exactly, since T is of second order
 * in zd; the power zd . r of the residual is the rate of the energy. */
static double kinetic(mbd_work *w, const double *z, const double *zd) {
  static const double none[MAX] = {0};
  motion_place(w, w->p, 0, z);
  motion_move(w, zd, none, 1);
  return motion_kinetic(w);
}

static double momentum(mbd_work *w, const double *z, const double *zd, int i) {
  double up[MAX], down[MAX];
  memcpy(up, zd, sizeof up), memcpy(down, zd, sizeof down);
  up[i] += 1, down[i] -= 1;
  return (kinetic(w, z, up) - kinetic(w, z, down)) / 2;
}

static double potential(mbd_work *w, const double *z) {
  kinetic(w, z, z);
  return motion_potential(w);
}

static void test_lagrange(void) {
  /* The derivative at zero of what is known at steps of 1, 2, 3, 4 to both sides, of the eighth order. */
  static const double factor[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  enum { NZ = 9 };
  const double h = 5e-3;
  test_model q = model_open_text(spatial);
  double r[MAX], z[MAX] = {0}, zd[MAX] = {0}, zdd[MAX] = {0}, power = 0, rate = 0;
  memcpy(z, z_spatial, sizeof z_spatial), memcpy(zd, zd_spatial, sizeof zd_spatial),
      memcpy(zdd, zdd_spatial, sizeof zdd_spatial);
  mbd_work *w = moved(&q, z, zd, zdd);
  motion_residual(w, r);
  for (int i = 0; i < NZ; i++) {
    double expected = momentum(w, z, zdd, i);
    for (int k = 1; k <= 4; k++) {
      for (int side = -1; side <= 1; side += 2) {
        double along[MAX], by[MAX];
        memcpy(along, z, sizeof along), memcpy(by, z, sizeof by);
        for (int j = 0; j < NZ; j++) { along[j] += side * k * h * zd[j]; }
        by[i] += side * k * h;
        expected += side * factor[k - 1] / h * (momentum(w, along, zd, i) - kinetic(w, by, zd) + potential(w, by));
      }
    }
    CHECK_NEAR("Lagrange's equations", r[i], expected, 1 + fabs(expected), 1e-10);
    power += zd[i] * r[i];
  }
  for (int k = 1; k <= 4; k++) {
    for (int side = -1; side <= 1; side += 2) {
      double at[MAX], speed[MAX];
      const double t = side * k * h;
      for (int j = 0; j < MAX; j++) { at[j] = z[j] + t * zd[j] + t * t / 2 * zdd[j], speed[j] = zd[j] + t * zdd[j]; }
      rate += side * factor[k - 1] / h * (kinetic(w, at, speed) + potential(w, at));
    }
  }
  CHECK_NEAR("power", power, rate, fabs(rate), 1e-10);
  mbd_work_destroy(w), model_close(&q);
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

/* The lowest two frequencies of n coordinates from `first` on, by inverse iteration, the second orthogonal to the first. */
static void lowest(int nz, const double *K, const double *M, int first, int n, double w[2]) {
  double A[MAX * MAX], x[MAX], y[MAX], Mv[MAX] = {0}, v[MAX] = {0}, vMv = 1;
  int piv[MAX];
  for (int i = 0; i < n * n; i++) { A[i] = K[(first + i / n) * nz + first + i % n]; }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(n, A, piv), MBD_OK);
  for (int mode = 0; mode < 2 && mode < n; mode++) {
    double norm = 1;
    for (int i = 0; i < n; i++) { x[i] = i == 0 || mode; }
    for (int iteration = 0; iteration < 60; iteration++) {
      double along = 0;
      for (int i = 0; i < n; i++) { along += Mv[i] * x[i] / vMv; }
      for (int i = 0; i < n; i++) { x[i] -= along * v[i]; }
      for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) { y[i] += M[(first + i) * nz + first + j] * x[j]; }
      }
      mbd_lu_solve(n, A, piv, 1, y);
      norm = 0;
      for (int i = 0; i < n; i++) { norm = fmax(norm, fabs(y[i])); }
      for (int i = 0; i < n; i++) { x[i] = y[i] / norm; }
    }
    w[mode] = sqrt(1 / norm);
    vMv = 0;
    for (int i = 0; i < n; i++) {
      v[i] = x[i], Mv[i] = 0;
      for (int j = 0; j < n; j++) { Mv[i] += M[(first + i) * nz + first + j] * x[j]; }
      vMv += x[i] * Mv[i];
    }
  }
}

/* The lowest two frequencies of the first n shapes of a cantilever while its hub turns. */
static void lowest_of(const char *text, int n, double speed, double w[2]) {
  double z[MAX] = {0}, zd[MAX] = {speed}, zdd[MAX] = {0}, K[MAX * MAX], C[MAX * MAX], M[MAX * MAX];
  const motion_terms terms = {.inertia = 1, .forces = 1};
  test_model q = model_open_text(text);
  mbd_work *work = moved(&q, z, zd, zdd);
  motion_jacobian(work, &terms, NULL, K, C, NULL, M);
  lowest(q.m->nz, K, M, 1, n, w);
  mbd_work_destroy(work);
  model_close(&q);
}

/* Those in which n shapes are, the first ones of the beam. `shapes` has %d for n. */
static void frequencies(const char *shapes, const char *more, int n, double speed, double w[2]) {
  char text[2500], once[2500], words[60];
  snprintf(words, sizeof words, shapes, n, n);
  edit(once, sizeof once, cantilever, "shapes = N, N, 0", words);
  snprintf(text, sizeof text, "%s%s", once, more);
  lowest_of(text, n, speed, w);
}

/* The lowest two frequencies of a mechanism at rest, those of rigid motions apart; returns how many coordinates are independent. */
static int vibrations(const char *text, double w[2]) {
  test_model q = model_open_text(text);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_linear linear;
  const mbd_case c = case_lasting(0.01, 0.01);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_linearize(s, q.p, &linear, &err), &err);
  w[0] = w[1] = INFINITY;
  for (int i = 0; i < 2 * linear.n; i++) {
    const double found = linear.im[i];
    if (linear.rigid[i] || found <= 0) { continue; }
    w[1] = fmin(w[1], fmax(w[0], found)), w[0] = fmin(w[0], found);
  }
  const int n = linear.n;
  mbd_linear_free(&linear), mbd_sim_destroy(s), model_close(&q);
  return n;
}

static const char along_axis[] = "shapes = %d, %d, 0"; /* up, which is the axis of the hub, and aside */

/* Relative errors of frequencies by the number of shapes: the first two of Euler and Bernoulli's beam, (beta L)^2 with cos cosh = -1; its first one with
 * a mass at the tip as large as its own; extension, pi/2. */
static void test_shapes(void) {
  static const double first[] = {0.2719330302872336, 0.004754323590789422, 0.00030170384309813336,
                                 1.539223593916006e-06, 3.847684326707679e-08},
                      second[] = {0, 0.5796549244649996, 0.009025418045693456, 0.005597580615334552,
                                  2.829435347684317e-05},
                      laden[] = {0.1723780683452334, 0.00017130920650809678, 1.157242563554206e-05,
                                 8.22107910636305e-08},
                      stretched[] = {0.1026577908435844, 0.0037541169915062955, 6.830076021824283e-05,
                                     6.827980090218233e-07};
  static const char bob[] =
      "[body bob]\nmass = 1\ncom = 1, 0, 0\ninertia = 0, 0, 0\n[point C]\nat = 1, 0, 0\n"
      "bodies = arm.tip, bob\n[joint bolt]\ntype = weld\nbodies = arm.tip, bob\npoint = C\n";
  const double exact[] = {1.8751040687119611, 4.694091132974175, 1.2479174096064694};
  double w[2];
  for (int n = 1; n <= 5; n++) {
    frequencies(along_axis, "", n, 0, w);
    CHECK_CLOSE("first frequency", w[0] / (exact[0] * exact[0]) - 1, first[n - 1], 1e-12);
    if (n > 1) { CHECK_CLOSE("second frequency", w[1] / (exact[1] * exact[1]) - 1, second[n - 1], 1e-10); }
  }
  for (int n = 1; n <= 4; n++) {
    frequencies(along_axis, bob, n, 0, w);
    CHECK_CLOSE("with a mass", w[0] / (exact[2] * exact[2]) - 1, laden[n - 1], 1e-12);
    frequencies("shapes = 0, 0, 0\naxial = %d", "", n, 0, w);
    CHECK_CLOSE("extension", w[0] / acos(0) - 1, stretched[n - 1], 1e-12);
  }
}

/* A turning cantilever, out of the plane (A. D. Wright et al., Journal of Applied Mechanics, 1982: 3.6817, 4.1373, 4.7973, 7.3604, 13.170), to
 * the digits of the independent program. Without foreshortening it would become softer than at rest. */
static void test_turning(void) {
  static const double expected[][2] = {{1, 3.681646813958241},
                                       {2, 4.1373195730251},
                                       {3, 4.797278532372764},
                                       {6, 7.360373019368799},
                                       {12, 13.170151434236177}};
  for (int i = 0; i < 5; i++) {
    double w[2];
    frequencies(along_axis, "", 8, expected[i][0], w);
    CHECK_CLOSE("turning cantilever", w[0], expected[i][1], 1e-6);
  }
}

/* Its extension as it turns, u'' + k^2 (x + u) = 0, k^2 = speed^2 rho/E, u' = 0 at the tip: tan(k)/k - 1 of its length, a little more than k^2/3. */
static void test_extension(void) {
  char once[2000], text[2000];
  double z[MAX] = {0}, zd[MAX] = {0.0124212}, zdd[MAX] = {0}, r[MAX], K[MAX * MAX], C[MAX * MAX], M[MAX * MAX];
  int piv[MAX];
  const motion_terms terms = {.inertia = 1, .forces = 1};
  edit(once, sizeof once, cantilever, "shapes = N, N, 0", "shapes = 0, 0, 0\naxial = 3");
  edit(text, sizeof text, once, "n = 3", "n = 0");
  test_model q = model_open_text(text);
  mbd_work *w = moved(&q, z, zd, zdd);
  const int n = q.m->nz;
  /* Linear in the amplitudes. */
  motion_residual(w, r);
  motion_jacobian(w, &terms, NULL, K, C, NULL, M);
  for (int i = 0; i < n; i++) { K[i] = K[i * n] = i == 0, r[i] *= i > 0; }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(n, K, piv), MBD_OK);
  mbd_lu_solve(n, K, piv, 1, r);
  CHECK_CLOSE("extension", -r[1], tan(zd[0]) / zd[0] - 1, 1e-15);
  mbd_work_destroy(w), model_close(&q);
}

/* A beam that is held at its tip alone, by a hinge: its own body floats, and closures hold it. The first frequency of a hinged free beam, betaL =
 * 3.9266, with the error of three shapes that the independent program has. */
static void test_held_at_its_tip(void) {
  char once[2000], twice[2000], text[2000];
  edit(once, sizeof once, cantilever, "shapes = N, N, 0", "shapes = 0, 3, 0");
  edit(twice, sizeof twice, once, "bodies = ground, arm\n[point B]", "bodies = arm\n[point B]");
  edit(once, sizeof once, twice, "bodies = arm.tip\n", "bodies = ground, arm.tip\n");
  edit(twice, sizeof twice, once, "bodies = ground, arm\n[joint hub]", "bodies = ground, arm.tip\n[joint hub]");
  edit(text, sizeof text, twice, "bodies = ground, arm\npoint = A", "bodies = ground, arm.tip\npoint = B");
  const double exact = 3.926602312047919 * 3.926602312047919;
  double w[2];
  CU_ASSERT_EQUAL(vibrations(text, w), 4);
  CHECK_CLOSE("first frequency", w[0] / exact - 1, 0.008408428711110805, 1e-10);
}

/* On two hinges, of which one slides along the beam: pi^2 and 4 pi^2, with the errors of the independent program. */
static void test_hinged(void) {
  static const char slide[] =
      "[body slide]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n[point C]\nat = 1, 0, 0\nbodies = arm.tip, slide\n"
      "[vector pin]\nalong = 0, 0, 1\nbodies = arm.tip, slide\n[vector along]\nalong = 1, 0, 0\nbodies = ground, "
      "slide\n"
      "[joint hinge]\ntype = revolute\nbodies = arm.tip, slide\npoint = C\naxis = pin\n"
      "[joint rail]\ntype = prismatic\nbodies = ground, slide\naxis = along\n";
  static const double first[] = {0.10991795668063675, 0.000296130456947985, 0.000296130456947985,
                                 1.3598067716280582e-07},
                      second[] = {0.27157076291991666, 0.27157076291994464, 0.004233739875332043, 0.004233739875314946};
  const double exact = acos(-1) * acos(-1);
  for (int n = 2; n <= 5; n++) {
    char text[3000], once[2500], words[60];
    double w[2];
    snprintf(words, sizeof words, "shapes = 0, %d, 0", n);
    edit(once, sizeof once, cantilever, "shapes = N, N, 0", words);
    snprintf(text, sizeof text, "%s%s", once, slide);
    CU_ASSERT_EQUAL(vibrations(text, w), n);
    CHECK_CLOSE("first frequency on two hinges", w[0] / exact - 1, first[n - 2], 1e-10);
    CHECK_CLOSE("second frequency on two hinges", w[1] / (4 * exact) - 1, second[n - 2], 1e-9);
  }
}

/* The determinant of Timoshenko's clamped, free beam of length 1, with k = G ks, of area 1 and second moment I: displacement cosh a x, sinh a x,
 * cos b x, sin b x; its section turns by p = a + m/a, q = b - m/b times these, m = rho w^2/k. */
static double of_timoshenko(double w, double E, double k, double rho, double I) {
  const double m = rho * w * w / k, sum = m + rho * w * w / E, product = m * rho * w * w / E - rho * w * w / (E * I);
  const double root = sqrt(sum * sum - 4 * product), a = sqrt((root - sum) / 2), b = sqrt((root + sum) / 2);
  const double p = a + m / a, q = b - m / b;
  /* No moment, p a cosh ... = 0, and no shear force at the tip, for cosh - cos and for sinh - p/q sin. */
  return (p * a * cosh(a) + q * b * cos(b)) * ((a - p) * cosh(a) - p / q * (b - q) * cos(b)) -
         (p * a * sinh(a) + p * b * sin(b)) * ((a - p) * sinh(a) + (b - q) * sin(b));
}

/* A short beam with shear and rotary inertia, h/L = 0.2, of aluminium; and one whose height falls to a half, which has the frequencies 3.8238 and
 * 18.317 (E I/(rho A))^(1/2)/L^2 of its clamped end, which shooting along (E I w'')'' = omega^2 rho A w gives, to the digits of the independent program. */
static void test_sheared_and_tapered(void) {
  static const double sheared[][2] = {{0.00483594855319569, 0.37677623334106447},
                                      {0.00028278257955816066, 0.014281361929126657},
                                      {1.3315618632159243e-06, 0.0036433935164257303},
                                      {3.580271301650839e-08, 4.79406368398827e-05}},
                      tapered[][2] = {{0.00577657055808678, 0.17950999878001395},
                                      {0.00015606691587377597, 0.03103344065171476},
                                      {0.0001105097044444836, 0.0021929660398509743},
                                      {1.3584741992644922e-05, 0.0012861635847487563}};
  const double E = 7e10, G = 2.7e10, rho = 2700, h = 0.2, from[2] = {900, 5300},
               taper[2] = {112.40870858827905, 538.4768561347222};
  double exact[2];
  for (int mode = 0; mode < 2; mode++) {
    double low = from[mode], high = from[mode] + 200;
    const double sign = of_timoshenko(low, E, G * 5 / 6, rho, h * h / 12);
    for (int i = 0; i < 60; i++) {
      exact[mode] = (low + high) / 2;
      *(of_timoshenko(exact[mode], E, G * 5 / 6, rho, h * h / 12) * sign > 0 ? &low : &high) = exact[mode];
    }
    CHECK_CLOSE("by shooting", taper[mode] / (sqrt(E / rho / 12) * 0.02), mode ? 18.317 : 3.8238, mode ? 5e-4 : 5e-5);
  }
  for (int n = 2; n <= 5; n++) {
    char text[2500], words[250];
    double w[2];
    static const char arm[] =
        "section = given\narea = 1\nsecond_moment_up = 1\nsecond_moment_side = 1\ntorsion_constant = 1\n"
        "E = 1\ndensity = 1\nshapes = N, N, 0\nrotary_inertia = no\n";
    snprintf(words, sizeof words,
             "section = rectangle\nheight = 0.2\nwidth = 0.1\nE = 7e10\nG = 2.7e10\ndensity = 2700\n"
             "shapes = %d, 0, 0\nshear = %d\nshear_factor = 5/6\n",
             n, n);
    edit(text, sizeof text, cantilever, arm, words);
    lowest_of(text, 2 * n, 0, w);
    for (int mode = 0; mode < 2; mode++) {
      CHECK_CLOSE("frequency with shear", w[mode] / exact[mode] - 1, sheared[n - 2][mode], 1e-9);
    }
    snprintf(words, sizeof words,
             "section = rectangle\nheight = 0.02, 0.01\nwidth = 0.1\nE = 7e10\ndensity = 2700\n"
             "shapes = %d, 0, 0\nrotary_inertia = no\n",
             n);
    edit(text, sizeof text, cantilever, arm, words);
    lowest_of(text, n, 0, w);
    for (int mode = 0; mode < 2; mode++) {
      CHECK_CLOSE("frequency with a taper", w[mode] / taper[mode] - 1, tapered[n - 2][mode], 1e-9);
    }
  }
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
  double c[BEAM_DIMENSIONS + 4] = {1, 1, 1, 0, 0, 0, 1}, out[120];
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

/* With D = 2 zeta B of one ratio, B M^-1 B = K: in the modes 2 zeta w of the mass. M is damping per mass alone, too. */
static void test_damping(void) {
  enum { N = 7 };
  beam_layout b = layout_of("rectangle", N);
  static const int kind[N] = {BEAM_UP, BEAM_UP, BEAM_UP, BEAM_SIDE, BEAM_SIDE, BEAM_TWIST, BEAM_SHEAR_UP};
  static const int degree[N] = {1, 2, 3, 1, 2, 1, 1};
  double c[] = {7e10, 2.7e10, 2700, 0.01, 0, 0, 0.8, 0.02, 0.02}, ratio[3 * N * N + 120], mass[3 * N * N + 120];
  int piv[N];
  memcpy(b.kind, kind, sizeof kind), memcpy(b.degree, degree, sizeof degree);
  b.ratio = 1;
  beam_numbers(&b, 0.4, c, ratio);
  b.ratio = 0, c[BEAM_OF_MASS] = 1;
  beam_numbers(&b, 0.4, c, mass);
  const double *K = ratio, *D = ratio + N * N;
  double *M = mass + N * N, X[N * N];
  for (int i = 0; i < N * N; i++) { CHECK_CLOSE("mass matrix", M[i], mass[beam_mass_at(&b) + i], 1e-15); }
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

/* ---- outputs ---- */

/* A load P = 2 N along `up` and aside at the tip of a cantilever of length L = 1.5 without weight; linear. */
static const char loaded[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nh = 0.04\nb = 0.03\n"
    "[beam arm]\nfrom = A\nto = B\nup = up\nsection = rectangle\nheight = h\nwidth = b\nE = 2e9\nG = 8e8\n"
    "density = 1200\nshapes = 3, 2, 1\naxial = 1\nstiffening = no\nnodes = mid: 0.5\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, arm\n[point B]\nat = 1.5, 0, 0\nbodies = arm.tip\n"
    "[vector up]\nalong = 0, 0, 1\nbodies = arm\n"
    "[joint clamp]\ntype = weld\nbodies = ground, arm\npoint = A\n"
    "[force load]\ntype = point_force\npoint = B\ndirection = 0, -1, 1\nforce = push\n"
    "[curve push]\ntype = polynomial\ncoefficients = 2\n";

/* Outputs in static equilibrium. */
static void evaluate_static(const char *text, int n, const char *const *name, double *y) {
  enum { N_MAX = 8 };
  test_model q = model_open_text(text);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c = case_lasting(1, 1);
  mbd_term t[N_MAX];
  c.analysis = "static";
  for (int i = 0; i < n; i++) {
    t[i] = (mbd_term){.psi = i, .output = model_output(&q, name[i]), .form = "terminal", .weight = 1};
  }
  must(mbd_sim_create(q.m, &c, q.o, n, t, n, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, y, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s), model_close(&q);
}

static void test_loaded(void) {
  const double L = 1.5, P = 2, h = 0.04, b = 0.03, E = 2e9, I = b * h * h * h / 12, Is = h * b * b * b / 12;
  const struct {
    const char *name;
    double y;
  } expected[] = {
      {"arm.tip.deflection_up", P * L * L * L / (3 * E * I)},
      {"arm.mid.deflection_up", 5 * P * L * L * L / (48 * E * I)},
      {"arm.mid.chord_deflection_up", -P * L * L * L / (16 * E * I)},
      {"arm.tip.slope_up", P * L * L / (2 * E * I)},
      {"arm.curvature_up", P * L / (E * I)},
      {"arm.moment_up", P * L},
      {"arm.mid.moment_up", P * L / 2},
      {"arm.stress_up", P * L * h / 2 / I},
      {"arm.tip.deflection_side", P * L * L * L / (3 * E * Is)},
      {"arm.mid.chord_deflection_side", -P * L * L * L / (16 * E * Is)},
      {"arm.mid.moment_side", P * L / 2},
      {"arm.stress", P * L * h / 2 / I + P * L * b / 2 / Is},
      {"arm.tip.stress", 0},
      {"arm.mass", 1200 * h * b * L},
      {"arm.elastic.energy", P * P * L * L * L / (6 * E * I) + P * P * L * L * L / (6 * E * Is)},
  };
  enum { N = sizeof expected / sizeof expected[0] };
  test_model q = model_open_text(loaded);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c = case_lasting(1, 1);
  mbd_term t[N];
  double y[N];
  c.analysis = "static";
  for (int i = 0; i < N; i++) {
    t[i] = (mbd_term){.psi = i, .output = model_output(&q, expected[i].name), .form = "terminal", .weight = 1};
  }
  must(mbd_sim_create(q.m, &c, q.o, N, t, N, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, y, NULL, NULL, NULL, NULL, &err), &err);
  for (int i = 0; i < N; i++) {
    char row[100];
    snprintf(row, sizeof row, "beam%s", strrchr(expected[i].name, '.'));
    CHECK_VALUE(row, y[i], expected[i].y, 1e-9 * (expected[i].y != 0 ? fabs(expected[i].y) : 1e5));
  }
  /* Its points of inertia move with it. */
  const mbd_beam *beam = &q.m->beam[0];
  for (int k = 0; k < beam->layout.npoint; k++) {
    const double x = L * beam->layout.point[k];
    double o[3], A[9];
    mbd_sim_pose(s, beam->node[beam->layout.nnode + k], o, A);
    CHECK_CLOSE("along", o[0], x, 1e-12);
    CHECK_CLOSE("up", o[2], P * x * x * (3 * L - x) / (6 * E * I), 1e-12);
  }
  mbd_sim_destroy(s), model_close(&q);
}

/* A strip with a ridge: forces and moments at its tip have the stresses of statics with two shapes, wherever its section is. */
static void test_ridge(void) {
  const double L = 1.5, P = 2, h = 0.04, b = 0.03, E = 2e9, W = b * 9 * h * h / 6;
  char text[2000];
  edit(text, sizeof text, loaded, "height = h\nwidth = b", "height = h, 3*h, h\nwidth = b");
  static const char *const name[] = {"arm.moment_up", "arm.mid.moment_up", "arm.mid.stress_up", "arm.mid.curvature_up",
                                     "arm.mid.moment_side"};
  const double expected[] = {P * L, P * L / 2, P * L / 2 / W, P * L / 2 / (E * W * 1.5 * h), P * L / 2};
  double y[5];
  evaluate_static(text, 5, name, y);
  for (int i = 0; i < 5; i++) { CHECK_NEAR(name[i], y[i], expected[i], expected[i], 1e-9); }
  /* In a waist, where no point of inertia is, the stress of two planes is the largest of all. */
  static const char *const largest[] = {"arm.mid.stress", "arm.largest_stress"};
  edit(text, sizeof text, loaded, "height = h\nwidth = b", "height = h, h/3, h\nwidth = b, b/3, b");
  evaluate_static(text, 2, largest, y);
  CHECK_NEAR("in the waist", y[0], 27 * 6 * P * L / 2 * (1 / (b * h * h) + 1 / (h * b * b)), y[0], 1e-9);
  CU_ASSERT(y[1] >= y[0] && y[1] < 1.03 * y[0]);
}

/* The weight of a beam whose stiffness falls to a 27th in its middle: a moment of second degree, which three shapes have. A force in the middle: a
 * corner, of which n shapes have the polynomial of degree n - 1 that is nearest in the mean square. */
static void test_moments_between_ends(void) {
  static const char *const name[] = {"arm.moment_up", "arm.mid.moment_up"};
  static const double corner[] = {0.75, 1.0625, 1.0625, 0.96875};
  const double L = 1.5, P = 2, weight = 1200 * 9.81 * 1e-3;
  char text[2000], once[2000], words[60];
  double y[2];
  edit(once, sizeof once, loaded, "section = rectangle\nheight = h\nwidth = b",
       "section = given\narea = 1e-3\nsecond_moment_up = 1e-7, 1e-7/27, 1e-7\nsecond_moment_side = 1e-7\n"
       "torsion_constant = 1e-7");
  edit(text, sizeof text, once, "gravity = 0, 0, 0", "gravity = 0, 0, 9.81");
  edit(once, sizeof once, text, "coefficients = 2", "coefficients = 0");
  evaluate_static(once, 2, name, y);
  CHECK_CLOSE("clamped end", y[0], weight * L * L / 2, 1e-8);
  CHECK_CLOSE("middle", y[1], weight * L * L / 8, 1e-8);
  for (int n = 2; n <= 5; n++) {
    snprintf(words, sizeof words, "shapes = %d, 2, 1", n);
    edit(once, sizeof once, loaded, "shapes = 3, 2, 1", words);
    edit(text, sizeof text, once, "point = B\ndirection", "point = C\ndirection");
    edit(once, sizeof once, text, "[vector up]", "[point C]\nat = 0.75, 0, 0\nbodies = arm.mid\n[vector up]");
    evaluate_static(once, 1, name, y);
    CHECK_CLOSE("clamped end by a force in the middle", y[0], corner[n - 2] * P * L / 2, 1e-9);
  }
}

/* The value of an output at the motion of a work. */
static double output_at_motion(const test_model *q, mbd_work *w, const char *name) {
  const int i = model_output(q, name);
  return output_value(w, &q->o->item[i], NULL);
}

/* With the strains e_up1 = 0.02, e_side1 = 0.01, e_twist1 = 0.03, e_stretch1 = 0.001, constant along the beam. */
static void test_strains(void) {
  const double z[] = {0.02, 0, 0, 0.01, 0, 0.03, 0.001}, sheared[] = {0.02, 0, 0, 0.01, 0, 0.03, 0.001, 0.004, 0.005};
  const double L = 1.5, h = 0.04, b = 0.03, E = 2e9, G = 8e8, pi = acos(-1), d = 0.05, zero[MAX] = {0};
  const double up = E * h / 2 * 0.02 / L, side = E * b / 2 * 0.01 / L, axial = E * 0.001;
  test_model q = model_open_text(loaded);
  mbd_work *w = moved(&q, z, zero, zero);
  CHECK_VALUE("beam.curvature_side", output_at_motion(&q, w, "arm.mid.curvature_side"), 0.01 / L, 1e-17);
  CHECK_VALUE("beam.slope_side", output_at_motion(&q, w, "arm.mid.slope_side"), 0.005, 1e-17);
  CHECK_VALUE("beam.stress_side", output_at_motion(&q, w, "arm.tip.stress_side"), side, 1e-9);
  CHECK_VALUE("beam.axial_force", output_at_motion(&q, w, "arm.axial_force"), E * h * b * 0.001, 1e-9);
  CHECK_VALUE("beam.stress_axial", output_at_motion(&q, w, "arm.tip.stress_axial"), axial, 1e-8);
  CHECK_VALUE("beam.twist", output_at_motion(&q, w, "arm.mid.twist"), 0.015, 1e-17);
  CHECK_VALUE("beam.stress", output_at_motion(&q, w, "arm.mid.stress"), up + side + axial, 1e-4);
  /* Of 6 points, the middle and both ends alike. */
  CHECK_VALUE("beam.largest_stress", output_at_motion(&q, w, "arm.largest_stress"),
              (up + side + axial) * pow(9, 1.0 / 32), 1e-4);
  mbd_work_destroy(w), model_close(&q);
  char text[2000];
  edit(text, sizeof text, loaded, "section = rectangle\nheight = h\nwidth = b", "section = circle\ndiameter = 0.05");
  q = model_open_text(text), w = moved(&q, z, zero, zero);
  const double bending = E * d / 2 * hypot(0.02, 0.01) / L, shear = G * d / 2 * 0.03 / L;
  CHECK_VALUE("beam.torque", output_at_motion(&q, w, "arm.torque"), G * pi * d * d * d * d / 32 * 0.03 / L, 1e-12);
  CHECK_VALUE("beam.stress_torsion", output_at_motion(&q, w, "arm.tip.stress_torsion"), shear, 1e-8);
  CHECK_VALUE("beam.stress", output_at_motion(&q, w, "arm.mid.stress"),
              sqrt((bending + axial) * (bending + axial) + 3 * shear * shear), 1e-4);
  mbd_work_destroy(w), model_close(&q);
  edit(text, sizeof text, loaded, "axial = 1", "axial = 1\nshear = 1\nshear_factor = 0.8");
  q = model_open_text(text), w = moved(&q, sheared, zero, zero);
  CHECK_VALUE("beam.shear_force_up", output_at_motion(&q, w, "arm.shear_force_up"), 0.8 * G * h * b * 0.004, 1e-9);
  CHECK_VALUE("beam.shear_force_side", output_at_motion(&q, w, "arm.mid.shear_force_side"), 0.8 * G * h * b * 0.005,
              1e-9);
  CHECK_VALUE("beam.slope_up", output_at_motion(&q, w, "arm.mid.slope_up"), 0.01 + 0.004, 1e-17);
  CHECK_VALUE("beam.deflection_up", output_at_motion(&q, w, "arm.mid.deflection_up"), L * (0.02 / 8 + 0.004 / 2),
              1e-17);
  mbd_work_destroy(w), model_close(&q);
}

/* Euler and Bernoulli's first frequency with the errors of two and three shapes; torsion of a bar with that of one shape. */
static void test_frequencies(void) {
  const double L = 1.5, h = 0.04, E = 2e9, rho = 1200, pi = acos(-1), beta = 1.8751040687119611;
  const double up = beta * beta / (2 * pi) * sqrt(E * h * h / 12 / rho) / (L * L), zero[MAX] = {0};
  char text[2000];
  edit(text, sizeof text, loaded, "stiffening = no", "rotary_inertia = no");
  test_model q = model_open_text(text);
  mbd_work *w = moved(&q, zero, zero, zero);
  CHECK_VALUE("beam.frequency_up", output_at_motion(&q, w, "arm.frequency_up") / up - 1, 3.0170384309813e-4, 1e-12);
  CHECK_VALUE("beam.frequency_side", output_at_motion(&q, w, "arm.frequency_side") / (up * 0.75) - 1, 4.754323590789e-3,
              1e-12);
  mbd_work_destroy(w), model_close(&q);
  edit(text, sizeof text, loaded, "section = rectangle\nheight = h\nwidth = b", "section = circle\ndiameter = 0.05");
  q = model_open_text(text), w = moved(&q, zero, zero, zero);
  CHECK_VALUE("beam.frequency_twist", output_at_motion(&q, w, "arm.frequency_twist"),
              sqrt(3 * 8e8 / rho) / (2 * pi * L), 1e-10);
  mbd_work_destroy(w), model_close(&q);
}

static void test_every_output_has_values(void) {
  mbd_output_info q;
  for (int i = 0; mbd_output_info_at(i, &q); i++) {
    if (strncmp(q.name, "BEAM.", 5) != 0) { continue; }
    memcpy(q.name, "beam", 4);
    EXPECT_VALUE("output", q.name, NULL);
  }
}

static void test_refused_outputs(void) {
  static const struct {
    const char *name, *message;
  } cases[] = {
      {"arm.deflection_up",
       "output 'arm.deflection_up' is always zero there, expected that of another node, as "
       "'arm.tip.deflection_up'"},
      {"arm.tip.chord_deflection_up",
       "always zero there, expected that of a node between the ends, as of nodes = mid: 0.5"},
      {"arm.chord_deflection_side", "always zero there, expected that of a node between the ends"},
      {"arm.tip.shear_force_up", "beam 'arm' has no shapes of shear along `up`: shear = 1"},
      {"arm.tip.mass", "output 'arm.tip.mass' is one of the whole beam, expected 'arm.mass'"},
      {"arm.stress_torsion", "section = rectangle, expected circle or tube; else a quantity of arm.torque"},
      {"arm.tip.strain", "has no quantity 'strain'"},
      {"arm.tip.deflexion_up",
       "has no quantity 'deflexion_up', did you mean 'deflection_up'? Else expected one of: angle.x"},
      {"arm.tip.deflexion_up", "curvature_side, moment_up"},
  };
  test_model q = model_open_text(loaded);
  mbd_error err = {0};
  int first, count;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    CU_ASSERT_EQUAL(mbd_outputs_add(q.o, cases[i].name, &first, &count, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
  }
  model_close(&q);
  char once[2000], text[2000];
  edit(once, sizeof once, cantilever, "N", "2");
  edit(text, sizeof text, once, "N", "2");
  q = model_open_text(text);
  CU_ASSERT_EQUAL(mbd_outputs_add(q.o, "arm.largest_stress", &first, &count, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "section = given has no outermost fibres");
  model_close(&q);
}

/* ---- data from outside ---- */

/* x turned from the joint's frame, as rows; scaled. */
static json_t *turned(const double *F, const double *x, int n, int stride, double s) {
  json_t *list = json_array();
  for (int k = 0; k < n; k++, x += stride) {
    double y[3];
    m3_vec(y, F, x);
    v3_scale(y, s, y);
    json_array_append_new(list, json_numbers(y, 3));
  }
  return list;
}

static json_t *square(const double *A, int n, double s) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) {
    double row[MBD_NZ_MAX];
    for (int j = 0; j < n; j++) { row[j] = s * A[i * n + j]; }
    json_array_append_new(list, json_numbers(row, n));
  }
  return list;
}

/* The place of a node of the beam, as the file has it. */
static json_t *exported(const test_model *q, int node, int is_point) {
  const mbd_beam *b = &q->m->beam[0];
  const int n = b->layout.n;
  const joint_params *joint = &q->p->joint[q->m->body[b->node[node]].joint];
  const double *own = joint->own, *F = joint->F[0], L = own[MODAL_SCALE], x = own[MODAL_AT];
  double at[3];
  for (int i = 0; i < 3; i++) { at[i] = (1 - x) * q->p->theta[b->from + i] + x * q->p->theta[b->to + i]; }
  json_t *o = json_pack(
      "{s:o, s:o, s:o, s:o}", "at", json_numbers(at, 3), "translation", turned(F, own + modal_shape(0), n, 6, L),
      "rotation", turned(F, own + modal_shape(0) + 3, n, 6, 1), "shortening", square(own + modal_shortening(n), n, L));
  if (!is_point) { return o; }
  const double *number = q->p->theta + b->numbers + beam_point_at(&b->layout, node - b->layout.nnode);
  double J[9] = {number[1], 0, 0, 0, number[2], 0, 0, 0, number[3]}, FJ[9], FJF[9];
  m3_mul(FJ, F, J);
  for (int i = 0; i < 9; i++) { FJF[i] = v3_dot(FJ + 3 * (i / 3), F + 3 * (i % 3)); }
  const double inertia[6] = {FJF[0], FJF[4], FJF[8], FJF[1], FJF[2], FJF[5]};
  json_object_set_new(o, "mass", json_real(number[0]));
  json_object_set_new(o, "inertia", json_numbers(inertia, 6));
  return o;
}

static json_t *export_beam(const test_model *q) {
  const mbd_beam *b = &q->m->beam[0];
  const beam_layout *l = &b->layout;
  const double *numbers = q->p->theta + b->numbers, u[3] = {1, 0, 0};
  json_t *shapes = json_array(), *nodes = json_object(), *points = json_array();
  for (int k = 0; k < l->n; k++) {
    char name[20];
    beam_shape_name(l, k, name, sizeof name);
    json_array_append_new(shapes, json_string(name));
  }
  json_object_set_new(nodes, "tip", exported(q, 0, 0));
  for (int k = 0; k < l->npoint; k++) { json_array_append_new(points, exported(q, l->nnode + k, 1)); }
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "shapes", shapes, "stiffness", square(numbers, l->n, 1),
                   "damping", square(numbers + l->n * l->n, l->n, 1), "mass_matrix",
                   square(numbers + beam_mass_at(l), l->n, 1), "nodes", nodes, "points", points, "axis",
                   json_numbers(u, 3));
}

/* The beam of `spatial` as such a body. */
static void with_data(const char *file, const char *keys, char *text, size_t size) {
  const char *from = strstr(spatial, "[beam rod]"), *to = strstr(spatial, "[body end]");
  snprintf(text, size, "%.*s[body rod]\nmodal_data = /tmp/%s\n%s%s", (int)(from - spatial), spatial, file, keys, to);
}

/* Its residual [MAX] and mass matrix in the given motion. */
static void residual_of(const char *text, double *r, double *M) {
  test_model q = model_open_text(text);
  mbd_work *w = moved(&q, z_spatial, zd_spatial, zdd_spatial);
  CU_ASSERT_EQUAL_FATAL(q.m->nz, 9);
  motion_residual(w, r);
  motion_mass(w, NULL, M);
  mbd_work_destroy(w), model_close(&q);
}

static void test_exported(void) {
  test_model beam = model_open_text(spatial);
  mbd_error err = {0};
  json_t *data = export_beam(&beam);
  char text[3000], file[64], path[80];
  double r[2][MAX], M[2][MAX * MAX];
  snprintf(file, sizeof file, "mbopt_modal_%d.json", (int)getpid());
  snprintf(path, sizeof path, "/tmp/%s", file);
  must(json_write_file("/tmp", file, data, &err), &err);
  with_data(file, "", text, sizeof text);
  test_model body = model_open_text(text);
  CU_ASSERT_EQUAL_FATAL(body.m->nz, beam.m->nz);
  int first, count;
  CU_ASSERT_EQUAL(mbd_outputs_add(body.o, "rod.largest_stress", &first, &count, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text,
                 "the shapes of body 'rod' are those of modal_data, which have no kinds; its outputs are its");
  for (int k = 0; k < 2; k++) {
    mbd_work *w = moved(k ? &body : &beam, z_spatial, zd_spatial, zdd_spatial);
    motion_residual(w, r[k]);
    motion_mass(w, NULL, M[k]);
    mbd_work_destroy(w);
  }
  for (int i = 0; i < beam.m->nz; i++) { CHECK_NEAR("residual", r[1][i], r[0][i], 1 + fabs(r[0][i]), 1e-12); }
  for (int i = 0; i < beam.m->nz * beam.m->nz; i++) { CHECK_CLOSE("mass matrix", M[1][i], M[0][i], 1e-12); }
  model_close(&body), model_close(&beam);
  json_decref(data);
  remove(path);
}

/* sum m x x' of points, x = [ 1 ; s ; S_1 ; ... ], with the masses of a list; sum m G [ 1 ; s ]. */
static json_t *moments_of(json_t *points, json_t *masses, int n) {
  enum { N_MAX = 4 + 3 * MBD_NZ_MAX };
  double Q[N_MAX * N_MAX] = {0}, x[N_MAX] = {1};
  const int N = 4 + 3 * n;
  for (size_t p = 0; p < json_array_size(points); p++) {
    const json_t *point = json_array_get(points, p), *S = json_object_get(point, "translation");
    const double mass = json_number_in(json_array_get(masses, p), "mass");
    for (int i = 1; i < N; i++) {
      const json_t *from = i < 4 ? json_object_get(point, "at") : json_array_get(S, (size_t)(i - 4) / 3);
      x[i] = json_number_of(json_array_get(from, (size_t)(i - 1) % 3));
    }
    for (int i = 0; i < N * N; i++) { Q[i] += mass * x[i / N] * x[i % N]; }
  }
  json_t *list = json_array();
  for (int i = 0; i < N; i++) { json_array_append_new(list, json_numbers(Q + i * N, N)); }
  return list;
}

static json_t *shortening_of(const json_t *points, int n) {
  json_t *list = json_array();
  for (int i = 0; i < 4; i++) {
    double G[MBD_NZ_MAX * MBD_NZ_MAX] = {0};
    for (size_t p = 0; p < json_array_size(points); p++) {
      const json_t *point = json_array_get(points, p), *at = json_object_get(point, "at");
      const double x = i ? json_number_of(json_array_get(at, (size_t)i - 1)) : 1;
      for (int k = 0; k < n * n; k++) {
        const json_t *row = json_array_get(json_object_get(point, "shortening"), (size_t)(k / n));
        G[k] += json_number_in(point, "mass") * x * json_number_of(json_array_get(row, (size_t)(k % n)));
      }
    }
    json_array_append_new(list, square(G, n, 1));
  }
  return list;
}

/* Moments in place of points. Without foreshortening the same numbers, also at a design at which masses change; with it the same to second order
 * in the amplitudes, here 0.05. */
static void test_moments(void) {
  for (int shortened = 0; shortened < 2; shortened++) {
    test_model beam = model_open_text(spatial);
    const int n = beam.m->beam[0].layout.n;
    mbd_error err = {0};
    json_t *data = export_beam(&beam), *points = json_object_get(data, "points"), *change = json_array(), *point;
    char text[3000], file[64], path[80];
    double r[2][MAX], M[2][MAX * MAX], worst = 0;
    size_t p;
    json_object_del(data, "mass_matrix");
    json_array_foreach(points, p, point) {
      json_object_del(point, "inertia");
      if (!shortened) { json_object_del(point, "shortening"); }
      /* Torsion moves the points, which have no inertia of their own here. */
      json_array_set_new(json_object_get(point, "translation"), 5,
                         json_numbers((double[]){0, 0.02, 0.01 * (double)p}, 3));
      json_array_append_new(change, json_pack("{s:f}", "mass", 3.0 * (double)p - 8));
    }
    json_object_set_new(data, "derivatives", json_pack("{s:{s:f, s:O}}", "h", "at", 0.048, "points", change));
    for (int k = 0; k < 2; k++) {
      snprintf(file, sizeof file, "mbopt_modal_%d.json", (int)getpid());
      snprintf(path, sizeof path, "/tmp/%s", file);
      must(json_write_file("/tmp", file, data, &err), &err);
      with_data(file, "linear = yes\n", text, sizeof text);
      residual_of(text, r[k], M[k]);
      if (k) { break; }
      if (shortened) { json_object_set_new(data, "shortening_moments", shortening_of(points, n)); }
      json_object_set_new(data, "derivatives",
                          json_pack("{s:{s:f, s:o}}", "h", "at", 0.048, "moments", moments_of(points, change, n)));
      json_object_set_new(data, "moments", moments_of(points, points, n));
      json_object_del(data, "points");
    }
    for (int i = 0; i < beam.m->nz; i++) { worst = fmax(worst, fabs(r[1][i] - r[0][i]) / (1 + fabs(r[0][i]))); }
    for (int i = 0; i < beam.m->nz * beam.m->nz; i++) { worst = fmax(worst, fabs(M[1][i] - M[0][i])); }
    CHECK_CLOSE(shortened ? "moments with foreshortening" : "moments", worst, 0, shortened ? 1e-3 : 1e-13);
    model_close(&beam);
    json_decref(data), json_decref(change);
    remove(path);
  }
}

/* A torsion bar that is turned by q at one end: by the map (12.1), q = 2 atan(phi/2), its torque is G J/L phi (1 + phi^2/4), which is q^2/3 more than G J/L q
 * to the second order. From 0.17 rad on, where that is 1 %, a run has a warning. */
static void test_twisted(void) {
  static const char bar[] =
      "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nturned = %g\n"
      "[beam bar]\nfrom = O\nto = A\nsection = circle\ndiameter = 0.02\nE = 2e11\nG = 8e10\ndensity = 7800\nshapes = "
      "0, 0, 1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[point A]\nat = 2, 0, 0\nbodies = bar.tip, ground\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, bar\n"
      "[joint hub]\ntype = revolute\nbodies = ground, bar\npoint = O\naxis = x\n"
      "[joint clamp]\ntype = weld\nbodies = bar.tip, ground\npoint = A\n"
      "[curve turn]\ntype = polynomial\ncoefficients = turned\n"
      "[constraint drive]\ntype = driven_coordinate\ncoordinate = hub.angle\nmotion = turn\n";
  const double turned[] = {0.1, 0.16, 0.18, 0.5}, rigidity = 8e10 * M_PI * pow(0.02, 4) / 32 / 2;
  for (int i = 0; i < 4; i++) {
    char text[2000];
    mbd_error err = {0};
    mbd_sim *s;
    mbd_case c = case_lasting(1, 1);
    double y;
    c.analysis = "static";
    snprintf(text, sizeof text, bar, turned[i]);
    test_model q = model_open_text(text);
    const mbd_term t = {.output = model_output(&q, "drive.drive_force"), .form = "terminal", .weight = 1};
    must(mbd_sim_create(q.m, &c, q.o, 1, &t, 1, 0, &s, &err), &err);
    must(mbd_sim_run(s, q.p, 0, NULL, &y, NULL, NULL, NULL, NULL, &err), &err);
    const double phi = 2 * tan(turned[i] / 2), torque = rigidity * phi * (1 + phi * phi / 4);
    CHECK_CLOSE("torque", y, torque, 1e-9 * torque);
    const mbd_warning *w = warning_of(s, "slopes");
    CU_ASSERT_EQUAL(w != NULL, i > 1);
    if (w) { CHECK_CONTAINS(w->text, "twists of beams exceed 0.17 rad"); }
    mbd_sim_destroy(s), model_close(&q);
  }
}

/* A strip on edge under a force at its tip, shown: a warning from the moment on from which a cantilever under a couple tips over sideways. */
static int look(void *user, int k, double at, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  (void)k, (void)at, (void)zd, (void)zdd, (void)lam, (void)y;
  if (user) { memcpy(user, z, 7 * sizeof *z); } /* of the beam `loaded` */
  return 0;
}

static void test_lateral_buckling(void) {
  static const char strip[] =
      "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nF = 1\n"
      "[beam strip]\nfrom = O\nto = A\nup = z\nsection = given\narea = 2e-4\nsecond_moment_up = "
      "2e-7\nsecond_moment_side = 7e-11\n"
      "torsion_constant = 3e-10\nE = 7e10\nG = 2.7e10\ndensity = 2700\nshapes = 3, 3, TWIST\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, strip\n[point A]\nat = 0, 1.2, 0\nbodies = strip.tip\n"
      "[vector z]\nalong = 0, 0, 1\nbodies = strip\n[joint clamp]\ntype = weld\nbodies = ground, strip\npoint = O\n"
      "[force load]\ntype = point_force\npoint = A\ndirection = 0, 0, 1\nforce = pull\n"
      "[curve pull]\ntype = polynomial\ncoefficients = 0, F\n";
  const double stiff = 7e10 * 2e-7, across = 7e10 * 7e-11, torsion = 2.7e10 * 3e-10;
  const double moment = M_PI / 2 / 1.2 * sqrt(across * torsion / ((1 - across / stiff) * (1 - torsion / stiff)));
  for (int i = 0; i < 4; i++) {
    char shapes[2000], text[2000], force[40];
    mbd_error err = {0};
    mbd_sim *s;
    mbd_case c = case_lasting(1, 1);
    c.analysis = "static";
    snprintf(force, sizeof force, "F = %.17g\n", moment / 1.2 * (i == 0 ? 0.999 : i == 2 ? -1.001 : 1.001));
    edit(shapes, sizeof shapes, strip, "TWIST", i == 3 ? "0" : "1");
    edit(text, sizeof text, shapes, "F = 1\n", force);
    test_model q = model_open_text(text);
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
    must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, look, NULL, &err), &err);
    const mbd_warning *w = warning_of(s, "unstable");
    CU_ASSERT_EQUAL(w != NULL, i == 1 || i == 2);
    if (w) { CHECK_CONTAINS(w->text, "from which it may tip over sideways"); }
    mbd_sim_destroy(s), model_close(&q);
  }
}

/* A beam in hinges at both ends under its weight has its largest stress m g L/8 h/(2 I) in the middle, whether there is a point of inertia or not; a beam with
 * a waist of its section there, which pictures show at the nearest of their stations. */
static void test_largest_stress(void) {
  static const char hinged[] =
      "schema = 1\n[model]\ngravity = 0, 0, -9.81\njoints = named\n[beam bar]\nfrom = O\nto = A\nup = z\nheight = "
      "0.02\nwidth = 0.01\n"
      "E = 7e10\ndensity = 2700\nshapes = SHAPES, 0, 0\naxial = 1\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n"
      "[point A]\nat = 1, 0, 0\nbodies = bar.tip, ground\n[vector y]\nalong = 0, 1, 0\nbodies = ground, bar, bar.tip\n"
      "[vector z]\nalong = 0, 0, 1\nbodies = bar\n[joint left]\ntype = revolute\nbodies = ground, bar\npoint = O\naxis "
      "= y\n"
      "[joint right]\ntype = revolute\nbodies = ground, bar.tip\npoint = A\naxis = y\n";
  const double exact = 2700 * 0.02 * 0.01 * 9.81 / 8 * 6 / (0.01 * 0.02 * 0.02);
  for (int shapes = 3; shapes <= 6; shapes++) {
    char text[2000], count[4];
    double y;
    snprintf(count, sizeof count, "%d", shapes);
    edit(text, sizeof text, hinged, "SHAPES", count);
    evaluate_static(text, 1, (const char *const[]){"bar.largest_stress"}, &y);
    CU_ASSERT(y > exact && y < 1.03 * exact);
  }
  char plain[2000], text[2000];
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c = case_lasting(1, 1);
  double z[7], shown = 0, stress, middle;
  c.analysis = "static";
  edit(text, sizeof text, loaded, "height = h\nwidth = b", "height = 2*h, h/2, 2*h\nwidth = b");
  evaluate_static(text, 1, (const char *const[]){"arm.mid.stress"}, &middle);
  edit(plain, sizeof plain, text, "nodes = mid: 0.5\n", "");
  test_model q = model_open_text(plain);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, look, z, &err), &err);
  for (int k = 0; mbd_params_beam_stress(q.p, z, 0, k, &stress); k++) { shown = fmax(shown, stress); }
  CHECK_NEAR("of the waist", shown, middle, middle, 1e-12);
  mbd_sim_destroy(s), model_close(&q);
}

TEST_MAIN(TEST(test_exported), TEST(test_moments), TEST(test_residual), TEST(test_shapes), TEST(test_turning),
          TEST(test_extension), TEST(test_held_at_its_tip), TEST(test_hinged), TEST(test_sheared_and_tapered),
          TEST(test_lagrange), TEST(test_ridge), TEST(test_moments_between_ends), TEST(test_sections),
          TEST(test_damping), TEST(test_loaded), TEST(test_twisted), TEST(test_largest_stress),
          TEST(test_lateral_buckling), TEST(test_strains), TEST(test_frequencies), TEST(test_refused_outputs),
          TEST(test_every_output_has_values))
