/* Published four-bar linkages against the points that they are to pass, by the closed form of the coupler curve and by the run file of
 * problems/path_points, and what the optimization makes of them. */
#include <complex.h>
#include <math.h>

#include "mbo/backend.h"
#include "opened_run.h"

enum { POINTS = 25, CIRCLE = 36000 };

/* base [x, y, turned, length], crank, coupler, follower, and P in polar coordinates of the coupler; the sum of squared distances to its points,
 * as in the problem's README. */
typedef struct linkage {
  const char *points;
  int n;
  double x, y, turned, base, crank, coupler, follower, far, turn;
  double sum;
} linkage;

static const linkage published[] = {
    {"bulatovic_2", 12, 1.14265, 0.48237, 0.16502, 2.87645, 1.14644, 4.40713, 4.75773, 2.6666, -1.1364, 1.488e-4},
    {"bulatovic_3", 25, -2.31301, 2.86189, -0.61763, 9.99432, 1.93027, 4.57242, 7.36674, 8.0425, 0.1874, 3.872e-2},
    {"yu_1", 20, -11.55, -20.14, 2.981022362406315, 65.87, 17.43, 25.46, 64.57, 23.47, 2.834414705238791, 3.430},
    {"yu_2", 20, -44.87, 71.09, 5.187118536927147, 76.77, 27.31, 46.44, 72.55, 60.42, 5.489060497522167, 18.62}};

/* P where the crank is at this angle from the base: C is on the left of the way from B to D. */
static double complex coupler_point(const linkage *l, double angle) {
  const double complex A = l->x + I * l->y, along = cexp(I * l->turned), B = A + l->crank * along * cexp(I * angle);
  const double complex way = A + l->base * along - B;
  const double r = cabs(way), a = (l->coupler * l->coupler - l->follower * l->follower + r * r) / (2 * r);
  const double complex bar = (a + I * sqrt(l->coupler * l->coupler - a * a)) * way / r / l->coupler;
  return B + l->far * bar * cexp(I * l->turn);
}

static int read_points(const char *name, double complex *p) {
  char path[512], line[100];
  double t, x, y;
  int n = 0;
  snprintf(path, sizeof path, "%s/problems/path_points/%s.csv", MBOPT_SOURCE_DIR, name);
  FILE *f = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%lf,%lf,%lf", &t, &x, &y) == 3 && n < POINTS) { p[n++] = x + I * y; }
  }
  fclose(f);
  return n;
}

/* The angle of the crank, to CIRCLE parts and then by a parabola, where P is nearest. */
static double nearest_angle(const linkage *l, double complex point) {
  const double part = 2 * acos(-1) / CIRCLE;
  double best = 0, least = INFINITY;
  for (int i = 0; i < CIRCLE; i++) {
    const double far = cabs(coupler_point(l, i * part) - point);
    if (far < least) { least = far, best = i * part; }
  }
  double f[3];
  for (int k = 0; k < 3; k++) {
    const double complex d = coupler_point(l, best + (k - 1) * part) - point;
    f[k] = creal(d * conj(d));
  }
  return best + part * (f[0] - f[2]) / (2 * (f[0] - 2 * f[1] + f[2]));
}

static opened_run open_points(const linkage *l, double size) {
  char set[6][100];
  const char *at[6];
  snprintf(set[0], sizeof set[0], "scalars.N=%d", l->n), snprintf(set[1], sizeof set[1], "scalars.size=%g", size);
  snprintf(set[2], sizeof set[2], "scalars.sense=1"), snprintf(set[3], sizeof set[3], "scalars.circuit=1");
  for (int c = 0; c < 2; c++) {
    snprintf(set[4 + c], sizeof set[4 + c], "measurement.%c.file=../problems/path_points/%s.csv", "xy"[c], l -> points);
  }
  for (int i = 0; i < 6; i++) { at[i] = set[i]; }
  return run_open("configs/path_points.ini", 6, at);
}

/* The linkage as a design, with the crank at these angles. */
static void design_of(const linkage *l, const double *angle, double *q) {
  const double r = l->crank, b = l->coupler, c = l->follower, d = l->base;
  const double fixed[] = {r,    b + c - r - d,         d + c - r - b,         d + b - r - c, l->x,
                          l->y, l->far * cos(l->turn), l->far * sin(l->turn), l->turned,     angle[0]};
  memcpy(q, fixed, sizeof fixed);
  for (int i = 1; i < l->n; i++) { q[9 + i] = remainder(angle[i] - angle[i - 1], 2 * acos(-1)); }
}

static void test_published(void) {
  for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
    const linkage *l = &published[k];
    double complex point[POINTS];
    double angle[POINTS], q[POINTS + 9], sum = 0;
    mbd_error err = {0};
    CU_ASSERT_EQUAL_FATAL(read_points(l->points, point), l->n);
    for (int i = 0; i < l->n; i++) {
      angle[i] = nearest_angle(l, point[i]);
      const double complex d = coupler_point(l, angle[i]) - point[i];
      sum += creal(d * conj(d));
    }
    CHECK_CLOSE(l->points, sum, l->sum, 5e-4 * l->sum); /* four digits are printed */
    opened_run r = open_points(l, 1);
    CU_ASSERT_EQUAL_FATAL(r.m->n, l->n + 9);
    design_of(l, angle, q);
    must(mechanism_evaluate(r.m, q, "none", &err), &err);
    CHECK_CLOSE("by mbopt", r.m->psi[0] + r.m->psi[1], sum, 1e-9 * sum);
    run_close(&r);
  }
}

/* Wherever the crank begins, the linkage closes on the side that the model says: the search for the start begins at the angle at which the crank is
 * held, and not at zero. */
static void test_circuit(void) {
  const linkage *l = &published[0];
  double complex point[POINTS];
  double angle[POINTS], q[POINTS + 9];
  mbd_error err = {0};
  read_points(l->points, point);
  opened_run r = open_points(l, 1);
  for (int begin = 0; begin < 13; begin++) {
    double sum = 0;
    for (int i = 0; i < l->n; i++) {
      angle[i] = 0.5 * begin + 0.5 * i;
      const double complex d = coupler_point(l, angle[i]) - point[i];
      sum += creal(d * conj(d));
    }
    design_of(l, angle, q);
    must(mechanism_evaluate(r.m, q, "none", &err), &err);
    CHECK_CLOSE("any angles", r.m->psi[0] + r.m->psi[1], sum, 1e-9 * sum);
  }
  run_close(&r);
}

/* ---- prescribed timing ---- */

/* Published dimensions: base, crank, coupler, follower, P along and across the coupler, A, angle of the base, first angle of the crank; and the sum of squared
 * distances, as in the problem's README. The angles of arc_5 and arch_6 are given. */
typedef struct timed {
  const char *points;
  double x[10], sum;
} timed;

static const timed by_timing[] = {
    {"arc_5", {3.509643, 1.857606, 4.725835, 3.518721, 1.959538, 1.558898, 0, 0, 0, 0.52359877559829887}, 9.526e-4},
    {"arc_5", {3.0630424, 1.9959624, 3.305823, 2.524706, 1.645158, 1.708959, 0, 0, 0, 0.52359877559829887}, 1.827e-6},
    {"arc_5",
     {3.77326856, 2.00000403, 4.11697104, 2.74615671, 1.67848787, 1.67098007, 0, 0, 0, 0.52359877559829887},
     1.284e-6},
    {"loop_18",
     {3.057878, 0.237803, 4.828954, 2.056456, 0.767038, 1.850828, 1.776808, -0.641991, 1.002168, 0.226186},
     3.375e-2},
    {"loop_18",
     {1.87966, 0.274853, 1.180253, 2.138209, -0.833592, -0.37877, 1.132062, 0.663433, 4.354224, 2.558625},
     6.607e-2},
    {"loop_18",
     {4.453772, 0.297057, 3.913095, 0.849372, -2.067338, 1.6610626, -1.309243, 2.806964, 2.7387359, 4.853543},
     1.940e-2},
    {"loop_18",
     {49.800886, 0.28817159, 48.476138, 1.633642, -23.41281, 7.6644886, -14.836153, 20.140223, 2.5286091, 5.0644224},
     1.608e-2},
    {"arch_6",
     {49.99998, 1.3484315, 1.3484507, 50, 11.384434, 4.4424357, 10.194752, -3.694134, 6.2158799, 0.52359877559829887},
     1.216},
};

static opened_run open_timed(const char *points) {
  const int n = strcmp(points, "loop_18") == 0 ? 18 : strcmp(points, "arc_5") == 0 ? 5 : 6;
  char set[6][100];
  const char *at[6];
  snprintf(set[0], sizeof set[0], "scalars.N=%d", n);
  snprintf(set[1], sizeof set[1], "scalars.swing=%s", n == 18 ? "20*pi/180" : n == 5 ? "pi/12" : "pi/6");
  snprintf(set[2], sizeof set[2], "scalars.size=%d", n == 18 ? 1 : n == 5 ? 3 : 20);
  snprintf(set[3], sizeof set[3], "design.first.start=%s", n == 18 ? "0" : "pi/6");
  for (int c = 0; c < 2; c++) {
    snprintf(set[4 + c], sizeof set[4 + c], "measurement.%c.file=../problems/path_points/%s.csv", "xy"[c], points);
  }
  for (int i = 0; i < 6; i++) { at[i] = set[i]; }
  return run_open("configs/path_timing.ini", 6, at);
}

static void test_timing(void) {
  for (size_t k = 0; k < sizeof by_timing / sizeof *by_timing; k++) {
    const double *x = by_timing[k].x, d = x[0], r = x[1], b = x[2], c = x[3];
    const double q[] = {r, b + c - r - d, d + c - r - b, d + b - r - c, x[6], x[7], x[4], x[5], x[8], x[9]};
    mbd_error err = {0};
    opened_run run = open_timed(by_timing[k].points);
    CU_ASSERT_EQUAL_FATAL(run.m->n, 10);
    must(mechanism_evaluate(run.m, q, "none", &err), &err);
    CHECK_CLOSE(by_timing[k].points, run.m->psi[0] + run.m->psi[1], by_timing[k].sum, 5e-4 * by_timing[k].sum);
    run_close(&run);
  }
}

static double solved(const opened_run *r, const double *start) {
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.max_evaluations = 200, s.gauss_newton = 1, s.tol_offset = 0;
  mechanism_problem(r->m, &p);
  p.start = start;
  must(mbo_solve("levenberg_marquardt", &p, &s, &q, &err), &err);
  CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
  const double f = q.f;
  mbo_result_free(&q);
  return f;
}

/* From the start of the run file, and from a published linkage, whose sum of squares it halves. */
static void test_found(void) {
  opened_run r = run_open("configs/path_points.ini", 0, NULL);
  CHECK_CLOSE("gait", solved(&r, r.m->start), 8.38433e-6, 1e-10);
  run_close(&r);
  const linkage *l = &published[0];
  double complex point[POINTS];
  double angle[POINTS], q[POINTS + 9];
  read_points(l->points, point);
  for (int i = 0; i < l->n; i++) { angle[i] = nearest_angle(l, point[i]); }
  r = open_points(l, 1);
  design_of(l, angle, q);
  CHECK_CLOSE(l->points, solved(&r, q), 7.60894e-5, 1e-9);
  run_close(&r);
  r = open_timed("loop_18");
  CHECK_CLOSE("loop_18", solved(&r, r.m->start), 9.02888e-3, 1e-7);
  run_close(&r);
}

TEST_MAIN(TEST(test_published), TEST(test_circuit), TEST(test_timing), TEST(test_found))
