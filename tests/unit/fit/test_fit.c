/* What a fit says: coverage of its intervals, variables that the data do not determine, bounds, losses, held-out series; the quantiles and
 * singular values that it takes. */
#include "base/random.h"
#include "fit/fit.h"
#include "fit/student.h"
#include "mechanism/svd.h"
#include "opened_run.h"

/* ---- quantiles, singular values ---- */

/* Tables of Student's distribution. */
static void test_quantiles(void) {
  CHECK_CLOSE("one", student_quantile(0.95, 1), 12.706204736174694, 1e-10);
  CHECK_CLOSE("five", student_quantile(0.99, 5), 4.0321429835552278, 1e-11);
  CHECK_CLOSE("ten", student_quantile(0.95, 10), 2.2281388519862735, 1e-11);
  CHECK_CLOSE("thousand", student_quantile(0.5, 1000), 0.674735164607256, 1e-12);
  CHECK_CLOSE("normal", student_quantile(0.95, INFINITY), 1.9599639845400545, 1e-12);
}

/* A = U diag(6, 1e-6, 0) V' with rotations U, V of two rows and columns each. */
static void test_singular_values(void) {
  const double c = 0.8, s = 0.6, e = 1e-6;
  double A[12] = {6 * c, 6 * s, 0, 0, 0, 0, -e * s, e * c, 0, 0, 0, 0}, R[9], sigma[3], V[9];
  svd_triangle(4, 3, A);
  memcpy(R, A, sizeof R);
  svd_jacobi(3, R, sigma, V);
  CHECK_CLOSE("largest", sigma[0], 6, 1e-14);
  CHECK_CLOSE("small", sigma[1], e, 1e-15);
  CHECK_CLOSE("none", sigma[2], 0, 1e-20);
  const double expected[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("vector", V[i], expected[i], 1e-9); }
}

/* ---- a bar that swings ---- */

static const char bar[] =
    "schema = 1\n[model]\ngravity = 0, 0, -9.81\n"
    "[scalars]\nmass = 2\nstiffness = 8\ndamping = 0.4\nangle = 0.5\nbias = 0\nlate = 0\n"
    "[body bar]\nmass = mass\ncom = 0.5, 0, 0\ninertia = 0, mass/12, mass/12\n"
    "[point o]\nat = 0, 0, 0\nbodies = ground, bar\n"
    "[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n"
    "[force spring]\ntype = torsion_spring\ncoordinate = ground-bar.angle\nstiffness = stiffness\ndamping = damping\n"
    "[start]\nhold.ground-bar.angle = angle\n";
static const char swing[] =
    "schema = 1\n[model]\nfile = MODEL\n[case drop]\nduration = 1.2\nstep = 0.02\nformulation = matrix_r\n"
    "integrator = runge_kutta_4\n[output]\noutputs = spring.force\n"
    "[measurement angle]\nfile = TABLE\nof = ground-bar.angle\nsigma = 0.01\n"
    "[measurement rate]\nfile = TABLE\nof = bar.rate.y\nsigma = 0.05\n";

enum { SAMPLES = 30 };

static void write_table(char path[40]) {
  char text[2000];
  size_t n = (size_t)snprintf(text, sizeof text, "t,v\n");
  for (int i = 0; i < SAMPLES; i++) { n += (size_t)snprintf(text + n, sizeof text - n, "%g,0\n", 0.013 + 0.04 * i); }
  strcpy(path, "/tmp/mbopt_table_XXXXXX");
  write_file(path, text);
}

/* The swing with more text, whose series have zeros until the test sets them. */
static opened_run open_swing(const char *model, const char *text, const char *more) {
  char table[40], all[4000], once[4000];
  write_table(table);
  snprintf(all, sizeof all, "%s%s", text, more);
  while (strstr(all, "TABLE")) {
    edit(once, sizeof once, all, "TABLE", table);
    strcpy(all, once);
  }
  const opened_run r = run_open_texts(model, all, 0, NULL);
  unlink(table);
  return r;
}

static double normal(uint64_t *state) {
  const double u = 1 - random_unit(state), v = random_unit(state);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Values := those of the design x, with `noise` times the sigma of each series. */
static void measure(opened_run *r, const double *x, double noise, uint64_t *state) {
  mbd_error err = {0};
  must(mechanism_evaluate(r->m, x, "none", &err), &err);
  for (int i = 0; i < r->m->ncase; i++) {
    mechanism_case *q = &r->m->cases[i];
    for (int k = 0; k < q->npsi; k++) {
      measured_series *s = &q->series[k];
      mbd_sim_measured(q->sim, k, s->value, NULL);
      for (int j = 0; j < s->is.n; j++) { s->value[j] += noise * s->is.sigma * normal(state); }
    }
  }
}

enum { MAX = 8 };

/* Gauss-Newton steps by Cholesky's factors, from x. */
static void solve(opened_run *r, int steps, double *x) {
  mbo_problem p;
  mechanism_problem(r->m, &p);
  const int n = p.n;
  for (int step = 0; step < steps; step++) {
    double H[MAX * MAX], g[MAX];
    mbo_eval v = {.g = g, .H = H};
    run_evaluate(&p, x, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON, &v);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        double sum = H[i * n + j];
        for (int k = 0; k < j; k++) { sum -= H[i * n + k] * H[j * n + k]; }
        H[i * n + j] = i == j ? sqrt(sum) : sum / H[j * n + j];
      }
    }
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) { g[i] -= H[i * n + k] * g[k]; }
      g[i] /= H[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) { g[i] -= H[k * n + i] * g[k]; }
      g[i] /= H[i * n + i];
      x[i] -= g[i];
    }
  }
}

static fit *fit_of(opened_run *r, const double *x) {
  fit *f;
  mbd_error err = {0};
  must(fit_create(r->m, x, &f, &err), &err);
  return f;
}

/* ---- coverage ---- */

/* 95 % intervals hold the truth in 90 to 99 of 100 draws of the noise, of every variable: with the sigmas as they are, and with the noise
 * estimated from the residuals where the sigmas are four times too large. Over 3000 draws it is 94.2 to 95.1. */
static void test_coverage(void) {
  enum { N = 4 };
  const int draws = test_slow() ? 20 : 200; /* of too few there is no share to judge */
  static const char designs[] =
      "[design stiffness]\n[design damping]\n[design angle]\n[design bias]\nstart = 0.03\n[fit]\nnoise = ";
  for (int estimated = 0; estimated < 2; estimated++) {
    char more[400], biased[1000];
    uint64_t state = 11;
    int inside[N] = {0};
    edit(biased, sizeof biased, swing, "sigma = 0.01\n", "sigma = 0.01\noffset = bias\n");
    snprintf(more, sizeof more, "%s%s\n", designs, estimated ? "estimated" : "given");
    opened_run r = open_swing(bar, biased, more);
    for (int draw = 0; draw < draws; draw++) {
      double x[N];
      memcpy(x, r.m->start, sizeof x);
      measure(&r, r.m->start, estimated ? 0.25 : 1, &state);
      solve(&r, 4, x);
      fit *f = fit_of(&r, x);
      CU_ASSERT(f->samples == 2 * SAMPLES && f->estimated == N && f->blind == 0 && f->uncertain == 0);
      CU_ASSERT(f->noise_given == !estimated && !f->contradicted);
      CU_ASSERT(f->alike == 0 && f->step_error < FIT_STEP_ERROR);
      for (int i = 0; i < N; i++) { inside[i] += f->lower[i] <= r.m->start[i] && r.m->start[i] <= f->upper[i]; }
      if (estimated) { CU_ASSERT(fabs(f->noise - 0.25) < 0.12); } /* its deviation is 0.025 */
      fit_destroy(f);
    }
    for (int i = 0; i < N; i++) {
      printf("  %s: %.1f %% of intervals with the truth\n", r.m->name[i], 100.0 * inside[i] / draws);
      CU_ASSERT(test_slow() || (inside[i] >= 0.90 * draws && inside[i] <= 0.99 * draws));
    }
    run_close(&r);
  }
}

/* Deviations are those of the estimates over the draws; samples lie in the band with its probability. */
static void test_deviations(void) {
  enum { DRAWS = 100, N = 3 };
  uint64_t state = 5;
  double sum[N] = {0}, square[N] = {0}, told[N] = {0};
  opened_run r = open_swing(bar, swing, "[design stiffness]\n[design damping]\n[design angle]\n");
  for (int draw = 0; draw < DRAWS; draw++) {
    double x[N];
    memcpy(x, r.m->start, sizeof x);
    measure(&r, r.m->start, 1, &state);
    solve(&r, 4, x);
    fit *f = fit_of(&r, x);
    for (int i = 0; i < N; i++) {
      const double e = x[i] - r.m->start[i];
      sum[i] += e, square[i] += e * e, told[i] += f->deviation[i] / DRAWS;
    }
    fit_destroy(f);
  }
  for (int i = 0; i < N; i++) { /* the deviation of a deviation from 100 draws: 7 % */
    const double seen = sqrt((square[i] - sum[i] * sum[i] / DRAWS) / (DRAWS - 1));
    CU_ASSERT(fabs(sum[i] / DRAWS) < 3.5 * seen / sqrt(DRAWS));
    CHECK_NEAR(r.m->name[i], seen, told[i], told[i], 0.2);
  }
  run_close(&r);
}

/* ---- what is not determined ---- */

/* Motions are those of stiffness, damping and mass in proportion; the force of the spring tells them apart. */
static void test_blind(void) {
  uint64_t state = 7;
  opened_run r = open_swing(bar, swing, "[design stiffness]\n[design damping]\n[design mass]\n[design angle]\n");
  measure(&r, r.m->start, 0, &state);
  fit *f = fit_of(&r, r.m->start);
  CU_ASSERT_EQUAL_FATAL(f->blind, 1);
  CU_ASSERT_EQUAL(f->uncertain, 0);
  const fit_direction *d = &f->direction[0];
  CU_ASSERT(isinf(d->deviation) && d->singular < 1e-7);
  for (int i = 0; i < 3; i++) { /* scales are the starts, so that the parts are equal */
    CHECK_CLOSE(r.m->name[i], d->part[i], 1 / sqrt(3), 1e-6);
    CU_ASSERT(isinf(f->deviation[i]) && !fit_determines(f, i) && isinf(f->upper[i]) && isinf(-f->lower[i]));
  }
  CHECK_CLOSE("angle", d->part[3], 0, 1e-6);
  CU_ASSERT(f->deviation[3] > 0 && f->deviation[3] < 0.02 && fit_determines(f, 3));
  CU_ASSERT(isnan(f->correlation[1]) && fabs(f->correlation[15] - 1) < 1e-12);
  CU_ASSERT_EQUAL_FATAL(d->ninformative, 1);
  CU_ASSERT_STRING_EQUAL(d->informative_output[0].output, "spring.force");
  CU_ASSERT_STRING_EQUAL(d->informative_output[0].in_case, "drop");
  CU_ASSERT(d->informative_output[0].change > 1 && d->informative_output[0].part > 0.1);
  for (int k = 1; k < f->ndirection;
       k++) { /* both series determine the others: their parts are the square of the singular value */
    const fit_direction *seen = &f->direction[k];
    CU_ASSERT(seen->seen[0] > 0 && seen->seen[1] > 0);
    CHECK_CLOSE("parts of the series", (seen->seen[0] + seen->seen[1]) / (seen->singular * seen->singular), 1, 1e-10);
  }
  for (int i = 0; i < SAMPLES; i++) { /* what it shows is determined all the same */
    CU_ASSERT(isfinite(f->series[0].deviation[i]) && f->series[0].deviation[i] > 0);
  }
  fit_destroy(f), run_close(&r);
}

/* An arm of two links that is driven: its torques depend on four combinations of six inertial parameters. */
static const char arm[] =
    "schema = 1\n[model]\ngravity = 0, 0, -9.81\n"
    "[scalars]\nm1 = 3\nc1 = 0.4\nJ1 = 0.2\nm2 = 2\nc2 = 0.3\nJ2 = 0.1\n"
    "[body a]\nmass = m1\ncom = c1, 0, 0\ninertia = 0, J1, J1\n"
    "[body b]\nmass = m2\ncom = 1 + c2, 0, 0\ninertia = 0, J2, J2\n"
    "[point o]\nat = 0, 0, 0\nbodies = ground, a\n[vector y1]\nalong = 0, 1, 0\nbodies = ground, a\n"
    "[point p]\nat = 1, 0, 0\nbodies = a, b\n[vector y2]\nalong = 0, 1, 0\nbodies = a, b\n"
    "[curve q1]\ntype = harmonic\ncoefficients = 0.2, 0.7, 5, 0.3\n"
    "[curve q2]\ntype = harmonic\ncoefficients = -0.3, 0.9, 8, 1\n";
static const char torques[] =
    "schema = 1\n[model]\nfile = MODEL\n[case move]\nanalysis = kinematic\nduration = 1.2\nstep = 0.02\n"
    "drive.ground-a.angle = q1\ndrive.a-b.angle = q2\n"
    "[output]\noutputs = ground-a.reaction_force\n"
    "[measurement t1]\nfile = TABLE\nof = drive.ground-a.angle.drive_force\nsigma = 0.05\n"
    "[measurement t2]\nfile = TABLE\nof = drive.a-b.angle.drive_force\nsigma = 0.05\n"
    "[design m1]\n[design c1]\n[design J1]\n[design m2]\n[design c2]\n[design J2]\n";

static void test_arm(void) {
  uint64_t state = 3;
  opened_run r = open_swing(arm, torques, "");
  measure(&r, r.m->start, 0, &state);
  fit *f = fit_of(&r, r.m->start);
  CU_ASSERT_EQUAL_FATAL(f->blind, 2);
  for (int i = 0; i < f->n; i++) { CU_ASSERT(!fit_determines(f, i)); } /* each is in one of the combinations */
  for (int k = 0; k < 2; k++) {
    const fit_direction *d = &f->direction[k];
    double p[6];
    for (int i = 0; i < 6; i++) { p[i] = d->part[i] * r.m->scale[i]; }
    /* m1 c1 + m2, m2 c2, J1 + m1 c1^2 + m2 and J2 + m2 c2^2 stay */
    CHECK_CLOSE("static 1", 0.4 * p[0] + 3 * p[1] + p[3], 0, 1e-6);
    CHECK_CLOSE("static 2", 0.3 * p[3] + 2 * p[4], 0, 1e-6);
    CHECK_CLOSE("inertia 1", p[2] + 0.16 * p[0] + 2.4 * p[1] + p[3], 0, 1e-6);
    CHECK_CLOSE("inertia 2", p[5] + 0.09 * p[3] + 1.2 * p[4], 0, 1e-6);
    CU_ASSERT(d->ninformative > 0 && strncmp(d->informative_output[0].output, "ground-a.reaction_force", 23) == 0);
  }
  fit_destroy(f), run_close(&r);
}

/* ---- bounds, losses, series that are held out ---- */

/* A variable at a bound is taken to stay there: the others are as precise as without it. Intervals end at bounds. */
static void test_bounds(void) {
  uint64_t state = 9;
  opened_run r =
      open_swing(bar, swing, "[design stiffness]\nupper = 8.01\n[design damping]\nlower = 0.4\n[design angle]\n");
  opened_run less = open_swing(bar, swing, "[design stiffness]\n[design angle]\n");
  measure(&r, r.m->start, 1, &state), measure(&less, less.m->start, 1, &state);
  fit *f = fit_of(&r, r.m->start), *g = fit_of(&less, less.m->start);
  CU_ASSERT_STRING_EQUAL(f->bound[1], "lower bound");
  CU_ASSERT(f->estimated == 2 && f->deviation[1] == 0 && f->lower[1] == f->upper[1]);
  CHECK_CLOSE("stiffness", f->deviation[0], g->deviation[0], 1e-9);
  CHECK_CLOSE("angle", f->deviation[2], g->deviation[1], 1e-11);
  CU_ASSERT(f->upper[0] == 8.01 && g->upper[0] > 8.05);
  CHECK_CLOSE("interval", g->upper[0] - 8, 1.9599639845400545 * g->deviation[0], 1e-12);
  fit_destroy(f), fit_destroy(g), run_close(&r), run_close(&less);
}

/* One sample in ten is far off: a loss keeps the estimate near the truth, which squares do not, and its intervals hold. */
static void test_outliers(void) {
  static const char *const losses[] = {"square", "huber", "cauchy"};
  for (int loss = 0; loss < 3; loss++) {
    char with[1000], more[200];
    uint64_t state = 21;
    double x[1] = {8};
    snprintf(more, sizeof more, "sigma = 0.01\nloss = %s\n", losses[loss]);
    edit(with, sizeof with, swing, "sigma = 0.01\n", more);
    opened_run r = open_swing(bar, with, "[design stiffness]\n");
    measure(&r, r.m->start, 1, &state);
    for (int i = 0; i < SAMPLES; i += 10) { r.m->cases[0].series[0].value[i + 5] += 1; }
    solve(&r, 40, x);
    fit *f = fit_of(&r, x);
    CU_ASSERT_EQUAL(f->noise_given, loss == 0);
    CU_ASSERT(loss == 0 ? fabs(x[0] - 8) > 0.4 : fabs(x[0] - 8) < 0.1);
    CU_ASSERT(loss == 0 ? f->upper[0] < 8 || f->lower[0] > 8 : f->lower[0] < 8 && f->upper[0] > 8);
    CU_ASSERT(f->contradicted == (loss == 0) && f->noise < 2 && f->noise > 0.5);
    if (loss == 1) {
      /* psi' of the angles is 1 within 1.345 sigma and 0 beyond, that of the rates, in squares, is 1: K = 1 + (1 - m)/(m N) of one variable, m
       * the part of psi' = 1 in all N. */
      const fit_series *s = &f->series[0];
      double within = SAMPLES;
      for (int k = 0; k < SAMPLES; k++) { within += fabs(s->y[k] - s->samples->value[k]) <= 1.345 * s->samples->sigma; }
      const double few = 1 + (2 * SAMPLES - within) / (2 * SAMPLES * within);
      CU_ASSERT(within < 0.9 * 2 * SAMPLES);
      CHECK_CLOSE("deviation", f->direction[0].deviation, few * f->noise / f->direction[0].singular, 1e-13);
      CHECK_CLOSE("K", f->few, few, 1e-13);
    }
    fit_destroy(f), run_close(&r);
  }
}

/* A series that is held out adds nothing to the estimate, and says how well it is predicted. */
static void test_hold_out(void) {
  char held[1000];
  uint64_t state = 2;
  edit(held, sizeof held, swing, "sigma = 0.05\n", "sigma = 0.05\nhold_out = yes\n");
  opened_run r = open_swing(bar, held, "[design stiffness]\n[design damping]\n");
  double x[2] = {8, 0.4};
  measure(&r, r.m->start, 1, &state);
  solve(&r, 4, x);
  fit *f = fit_of(&r, x);
  CU_ASSERT(f->samples == SAMPLES && f->freedom == SAMPLES - 2);
  CU_ASSERT(f->series[1].config->hold_out && fabs(sqrt(f->series[1].reduced) - 1) < 0.4);
  CHECK_NEAR("rms", f->series[1].rms, 0.05 * sqrt(f->series[1].reduced), 1, 1e-15);
  CU_ASSERT(f->series[1].deviation[3] > 0 && f->direction[0].seen[1] > 0);
  fit_destroy(f), run_close(&r);
}

/* ---- what intervals assume ---- */

/* The measured values of `from`, of the same samples. */
static void copy_values(const opened_run *from, opened_run *to) {
  for (int k = 0; k < from->m->cases[0].npsi; k++) {
    const measured_series *s = &from->m->cases[0].series[k];
    memcpy(to->m->cases[0].series[k].value, s->value, (size_t)s->is.n * sizeof *s->value);
  }
}

/* Residuals 1, 1, ... of 30 samples have 29 products of neighbours and 30 squares; 1, -1, ... the same with the other sign. An outlier counts as
 * three times the noise: two products are 3 then, and one square is 9. */
static void test_neighbours(void) {
  static const struct {
    int sign;
    double outlier, expected;
  } given[] = {{1, 0, 29. / 30}, {-1, 0, -29. / 30}, {1, 100, 33. / 38}, {-1, 100, -21. / 38}};
  for (int k = 0; k < 4; k++) {
    uint64_t state = 1;
    opened_run r = open_swing(bar, swing, "[design stiffness]\n");
    measured_series *s = &r.m->cases[0].series[0];
    measure(&r, r.m->start, 0, &state);
    for (int i = 0; i < SAMPLES; i++) { s->value[i] -= s->is.sigma * (i % 2 ? given[k].sign : 1); }
    s->value[15] -= s->is.sigma * given[k].outlier;
    fit *f = fit_of(&r, r.m->start);
    CHECK_CLOSE("neighbours", f->series[0].neighbours, given[k].expected, 1e-9);
    CU_ASSERT(f->series[0].alike == (given[k].sign > 0) && f->alike == (given[k].sign > 0));
    CU_ASSERT(!f->series[1].alike); /* of computed data, which leave rounding */
    fit_destroy(f), run_close(&r);
  }
}

/* A spring that is too soft leaves residuals that are alike, and a damper far from the true one; the right model does neither. */
static void test_wrong_model(void) {
  char wrong[2000];
  uint64_t state = 3;
  edit(wrong, sizeof wrong, bar, "stiffness = 8", "stiffness = 6");
  opened_run truth = open_swing(bar, swing, "[design damping]\n[design angle]\n");
  opened_run r = open_swing(wrong, swing, "[design damping]\n[design angle]\n[fit]\nnoise = estimated\n");
  double x[2] = {0.4, 0.5};
  measure(&truth, truth.m->start, 1, &state);
  copy_values(&truth, &r);
  solve(&r, 8, x);
  fit *f = fit_of(&r, x), *g = fit_of(&truth, truth.m->start);
  CU_ASSERT(f->alike == 2 && g->alike == 0);
  CU_ASSERT(f->upper[0] < 0.4 || f->lower[0] > 0.4); /* the interval is without the truth */
  fit_destroy(f), fit_destroy(g), run_close(&r), run_close(&truth);
}

/* Half the step of Newmark's rule changes the estimates by what the fit foretells; those of a smaller step do not change. */
static void test_step_error(void) {
  static const char *const steps[] = {"step = 0.04", "step = 0.02", "step = 0.001"};
  enum { RUNS = 3, N = 3 };
  double x[RUNS][N];
  fit *f[RUNS];
  opened_run r[RUNS];
  char plain[1000], text[1000];
  uint64_t state = 4;
  edit(plain, sizeof plain, swing, "formulation = matrix_r\nintegrator = runge_kutta_4\n", "");
  for (int k = RUNS - 1; k >= 0; k--) {
    edit(text, sizeof text, plain, "step = 0.02", steps[k]);
    r[k] = open_swing(bar, text, "[design stiffness]\n[design damping]\n[design angle]\n");
    if (k == RUNS - 1) { measure(&r[k], r[k].m->start, 1, &state); }
    copy_values(&r[RUNS - 1], &r[k]);
    memcpy(x[k], r[k].m->start, sizeof x[k]);
    solve(&r[k], 8, x[k]);
    f[k] = fit_of(&r[k], x[k]);
  }
  for (int j = 0; j < N; j++) {
    CHECK_NEAR(r[0].m->name[j], f[0]->step_shift[j], x[1][j] - x[0][j], f[0]->deviation[j], 0.01);
  }
  CU_ASSERT(f[0]->step_error > FIT_STEP_ERROR && f[2]->step_error < 0.01);
  CHECK_CLOSE("ratio", f[0]->step_error, fabs(f[0]->step_shift[f[0]->step_of]) / f[0]->deviation[f[0]->step_of], 1e-15);
  for (int k = 0; k < RUNS; k++) { fit_destroy(f[k]), run_close(&r[k]); }
}

/* ---- what to measure next ---- */

#define THREE "[design stiffness]\n[design damping]\n[design angle]\n"

/* A measurement that is held out is predicted to be worth what it is worth once it is not. */
static void test_next_held_out(void) {
  char held[1000];
  uint64_t state = 2;
  edit(held, sizeof held, swing, "sigma = 0.05\n", "sigma = 0.05\nhold_out = yes\n");
  opened_run r = open_swing(bar, held, THREE), whole = open_swing(bar, swing, THREE);
  measure(&r, r.m->start, 1, &state), measure(&whole, r.m->start, 1, &state);
  fit *f = fit_of(&r, r.m->start), *g = fit_of(&whole, r.m->start);
  CU_ASSERT(f->nnext == 1 && g->nnext == 0);
  const fit_next *next = &f->next[0];
  CU_ASSERT_STRING_EQUAL(next->name, "rate");
  CU_ASSERT(next->held_out && next->samples == SAMPLES && next->sigma == 0.05 && next->determined == 3);
  double product = 1;
  for (int k = 0; k < 3; k++) { product *= f->direction[k].singular / g->direction[k].singular; }
  CHECK_CLOSE("volume", next->width, cbrt(product), 1e-11);
  for (int i = 0; i < 3; i++) { CHECK_NEAR(r.m->name[i], next->deviation[i], g->deviation[i], g->deviation[i], 1e-10); }
  fit_destroy(f), fit_destroy(g), run_close(&r), run_close(&whole);
}

/* The predicted deviation is that of the estimates over 200 draws of the noise with the measurement, and 95 % intervals by it hold the truth. */
static void test_next_over_draws(void) {
  enum { N = 3 };
  const int draws = test_slow() ? 20 : 200;
  char held[1000];
  uint64_t state = 8;
  double sum[N] = {0}, square[N] = {0};
  int inside[N] = {0};
  edit(held, sizeof held, swing, "sigma = 0.05\n", "sigma = 0.05\nhold_out = yes\n");
  opened_run r = open_swing(bar, held, THREE), whole = open_swing(bar, swing, THREE);
  measure(&r, r.m->start, 0, &state);
  fit *f = fit_of(&r, r.m->start);
  for (int draw = 0; draw < draws; draw++) {
    double x[N];
    memcpy(x, r.m->start, sizeof x);
    measure(&whole, r.m->start, 1, &state);
    solve(&whole, 3, x);
    for (int i = 0; i < N; i++) {
      const double e = x[i] - r.m->start[i];
      sum[i] += e, square[i] += e * e, inside[i] += fabs(e) < 1.96 * f->next[0].deviation[i];
    }
  }
  for (int i = 0; i < N; i++) { /* the deviation of a deviation from 200 draws: 5 % */
    const double seen = sqrt((square[i] - sum[i] * sum[i] / draws) / (draws - 1));
    printf("  %s: predicted %.4g, seen %.4g, %.1f %% inside\n", r.m->name[i], f->next[0].deviation[i], seen,
           100.0 * inside[i] / draws);
    CU_ASSERT(f->next[0].deviation[i] < f->deviation[i]);
    CU_ASSERT(test_slow() || (inside[i] >= 0.90 * draws && inside[i] <= 0.99 * draws));
    CHECK_NEAR(r.m->name[i], seen, f->next[0].deviation[i], f->next[0].deviation[i], test_slow() ? 0.5 : 0.15);
  }
  fit_destroy(f), run_close(&r), run_close(&whole);
}

/* Of sensors the best comes first: one that shows the direction that nothing else does, then by volume. An informative output is predicted as a
 * sensor with its noise is. */
static void test_next_sensors(void) {
  static const char four[] = "[design stiffness]\n[design damping]\n[design mass]\n[design angle]\n";
  uint64_t state = 7;
  char more[600];
  opened_run r = open_swing(bar, swing, four);
  measure(&r, r.m->start, 0, &state);
  fit *f = fit_of(&r, r.m->start);
  const fit_informative_output *o = &f->direction[0].informative_output[0];
  snprintf(more, sizeof more,
           "%s[sensor angle2]\nof = ground-bar.angle\nsigma = 1e-5\n[sensor torque]\nof = spring.force\nsigma = %.17g\n"
           "[sensor late]\nof = bar.rate.y\nsigma = 1\nrate = 25\nfrom = 0.6\n",
           four, o->sigma);
  opened_run with = open_swing(bar, swing, more);
  measure(&with, with.m->start, 0, &state);
  fit *g = fit_of(&with, with.m->start);
  CU_ASSERT_EQUAL_FATAL(g->nnext, 3);
  CU_ASSERT_STRING_EQUAL(g->next[0].name, "torque");
  CU_ASSERT_STRING_EQUAL(g->next[1].name, "angle2");
  CU_ASSERT(g->next[0].determined == 4 && isnan(g->next[0].width) && o->samples == 61 && g->next[0].samples == 61);
  CU_ASSERT(g->next[1].width < 0.1 && g->next[2].width < 1 && g->next[2].width > 0.99);
  CHECK_CLOSE("samples of a rate", g->next[2].samples, 25 * 0.6, 1e-12);
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(r.m->name[i], o->deviation[i], g->next[0].deviation[i], o->deviation[i], 1e-9);
    CU_ASSERT(g->next[1].deviation[i] < g->next[0].deviation[i] && g->next[2].deviation[i] <= g->next[1].deviation[i]);
  }
  fit_destroy(f), fit_destroy(g), run_close(&r), run_close(&with);
}

/* D takes what makes the product of the deviations smaller, A what makes the sum of their squares smaller: for a variable that is known ten times worse
 * than another a sensor of the first, even where one of the second gains more. */
static void test_next_criteria(void) {
  static const char both[] =
      "[design bias]\nscale = 1\nstart = 0.1\n[design late]\nscale = 1\nstart = 0.1\n[quantity b]\nvalue = "
      "bias\n[quantity l]\n"
      "value = late\n[sensor of_b]\nof = b\nsigma = 0.1\nuntil = 0\n[sensor of_l]\nof = l\nsigma = 0.005\nuntil = 0\n";
  char text[1000], more[900];
  uint64_t state = 1;
  /* 30 samples of the bias with sigma = 0.5, 30 of the lateness with sigma 0.05: deviations 0.0913, 0.00913 */
  edit(text, sizeof text, swing, "of = ground-bar.angle\nsigma = 0.01", "of = b\nsigma = 0.5");
  edit(more, sizeof more, text, "of = bar.rate.y\nsigma = 0.05", "of = l\nsigma = 0.05");
  for (int a = 0; a < 2; a++) {
    char with[900];
    snprintf(with, sizeof with, "%s[fit]\ncriterion = %s\n", both, a ? "A" : "D");
    opened_run r = open_swing(bar, more, with);
    measure(&r, r.m->start, 0, &state);
    fit *f = fit_of(&r, r.m->start);
    const double vb = 0.25 / 30, vl = 0.0025 / 30, wb = 1 / (1 / vb + 100), wl = 1 / (1 / vl + 40000);
    CU_ASSERT_EQUAL_FATAL(f->nnext, 2);
    CU_ASSERT_STRING_EQUAL(f->next[0].name, a ? "of_b" : "of_l");
    CHECK_CLOSE("width", f->next[0].width, a ? sqrt((wb + vl) / (vb + vl)) : sqrt(sqrt(wl / vl)), 1e-12);
    CHECK_CLOSE("width", f->next[1].width, a ? sqrt((wb + wl) / (wb + vl)) : sqrt(sqrt(wb / vb)), 1e-12);
    CHECK_CLOSE("bias", f->next[1].deviation[0], sqrt(wb), 1e-12);
    CHECK_CLOSE("late", f->next[1].deviation[1], sqrt(wl), 1e-12);
    /* Of one sample that both share, w of the bias: ln (120 + 100 w)(52000 - 40000 w) is greatest at w = 1/20, and 1/(120 + 100 w) + 1/(52000 - 40000 w) falls up
     * to w = 1. */
    const double w = f->next[a ? 0 : 1].share, best = a ? 1 : 0.05, of_both[] = {w, best};
    double criterion[2];
    for (int i = 0; i < 2; i++) {
      const double Fb = 120 + 100 * of_both[i], Fl = 52000 - 40000 * of_both[i];
      criterion[i] = a ? log(1 / Fb + 1 / Fl) / 2 : -log(Fb * Fl) / 4;
    }
    CHECK_CLOSE("sum", f->next[0].share + f->next[1].share, 1, 1e-14);
    CHECK_CLOSE("share", w, best, 0.01);
    CU_ASSERT(f->share_gap > 0 && f->share_gap <= 1e-5);
    CU_ASSERT(criterion[0] >= criterion[1] && criterion[0] <= criterion[1] + 1.001 * f->share_gap);
    fit_destroy(f), run_close(&r);
  }
}

/* ---- what is refused ---- */

static void test_refused(void) {
  static const struct {
    const char *more, *message;
  } bad[] = {
      {"", "no [design NAME]; there is nothing to fit"},
      {"[design mass]\n[objective x]\nof = bar.rate.y\nform = rms\n", "[objective x] is no measurement"},
      {"[design mass]\n[constraint x]\nof = bar.rate.y\nform = rms\nupper = 9\n",
       "[constraint x]: intervals of mbopt fit"},
      {"[design mass]\nvalues = 1, 2, 3\n", "[design mass] values: what is chosen from a catalogue"},
      {"[design mass]\n[objectives]\ncombine = worst\n", "[objectives] combine = worst: mbopt fit needs the sum"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mbd_error err = {0};
    opened_run r = open_swing(bar, swing, bad[i].more);
    CU_ASSERT_EQUAL(fit_check(r.config, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i].message);
    run_close(&r);
  }
  mbd_error err = {0};
  opened_run r = open_swing(bar, swing, "[design mass]\n[fit]\nnoise = estimated\n");
  CU_ASSERT_EQUAL(fit_check(r.config, &err), MBD_OK);
  r.m->cases[0].series[0].is.n = 1, r.m->cases[0].series[1].hold_out = 1, r.config->measurement[1].hold_out = 1;
  fit *f = NULL;
  CU_ASSERT_EQUAL(fit_create(r.m, r.m->start, &f, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "1 sample for 1 variable leaves nothing to estimate the noise from");
  CU_ASSERT_PTR_NULL(f);
  run_close(&r);
}

TEST_MAIN(TEST(test_quantiles), TEST(test_singular_values), TEST(test_coverage), TEST(test_deviations),
          TEST(test_blind), TEST(test_arm), TEST(test_bounds), TEST(test_outliers), TEST(test_hold_out),
          TEST(test_neighbours), TEST(test_wrong_model), TEST(test_step_error), TEST(test_next_held_out),
          TEST(test_next_over_draws), TEST(test_next_sensors), TEST(test_next_criteria), TEST(test_refused))
