/* Mechanisms against independent equations of motion, integrated with order 16 in long double: the kinetic energy of the planar
 * double pendulum of S2 and its derivatives over 20 s, the tip of a spatial chain, and linkages of S3 with their loops,
 * spatial and planar. */
#include "mechanism/case_gradient.h"
#include "extrapolation.h"
#include "test.h"

static const long double tiny = 1e-30L; /* complex step */

/* Objectives [0] of a run and their derivatives in three variables. */
static void evaluate(const char *file, int nset, const char *const *set, const char *method, int n, double y[][4]) {
  mbo_run_config *c;
  mechanism *m;
  mbd_error err = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/configs/%s", MBOPT_SOURCE_DIR, file);
  must(mbo_run_config_read(path, nset, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  CU_ASSERT_EQUAL_FATAL(m->n, 3);
  must(mechanism_evaluate(m, m->start, method, &err), &err);
  for (int i = 0; i < n; i++) {
    y[i][0] = m->psi[i];
    memcpy(y[i] + 1, m->grad + 3 * i, 3 * sizeof *m->grad);
  }
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

/* Errors are even powers of the step: what three steps, each half of the one before, leave is of order six. */
static double extrapolate(double coarse, double middle, double fine) {
  const double a = (4 * middle - coarse) / 3, b = (4 * fine - middle) / 3;
  return (16 * b - a) / 15;
}

/* ---- double pendulum: closed form ---- */

enum { L1, L2, M_P, M_Q, N_VARY };

static const char *const vary[N_VARY] = {"L1", "L2", "M_P", "M_Q"};
static const long double nominal[N_VARY] = {1, 0.8L, 2, 1};
static const double instants[] = {0.5, 2, 5, 10, 20};
enum { N_INSTANTS = sizeof instants / sizeof instants[0] };

/* y = a, b, a', b': angles of the rods from the vertical. Lagrange's equations of two point masses:
 *   (mP + mQ) L1 a'' + mQ L2 cos(a - b) b'' = -mQ L2 b'^2 sin(a - b) - (mP + mQ) g sin a
 *   L1 cos(a - b) a'' + L2 b''              =  L1 a'^2 sin(a - b) - g sin b */
static void pendulum_rhs(const void *data, const ref *y, ref *yd) {
  const ref *v = data, c = ccosl(y[0] - y[1]), s = csinl(y[0] - y[1]), m = v[M_P] + v[M_Q];
  const long double g = 9.81L;
  const ref e = -v[M_Q] * v[L2] * y[3] * y[3] * s - m * g * csinl(y[0]);
  const ref f = v[L1] * y[2] * y[2] * s - g * csinl(y[1]);
  const ref det = m * v[L1] * v[L2] - v[M_Q] * v[L2] * c * v[L1] * c;
  yd[0] = y[2], yd[1] = y[3];
  yd[2] = (e * v[L2] - v[M_Q] * v[L2] * c * f) / det;
  yd[3] = (m * v[L1] * f - v[L1] * c * e) / det;
}

static ref pendulum_energy(const ref *v, const ref *y) {
  return (v[M_P] + v[M_Q]) * v[L1] * v[L1] * y[2] * y[2] / 2 + v[M_Q] * v[L2] * v[L2] * y[3] * y[3] / 2 +
         v[M_Q] * v[L1] * v[L2] * y[2] * y[3] * ccosl(y[0] - y[1]);
}

/* Kinetic energy [0] and its derivatives [1 + variable] at the instants. */
static void pendulum_reference(long double H, double expected[N_INSTANTS][1 + N_VARY]) {
  for (int k = 0; k < N_VARY; k++) {
    ref v[N_VARY], y[4] = {0.5L, 0.3L, 0, 0};
    long step = 0;
    for (int i = 0; i < N_VARY; i++) { v[i] = nominal[i] + (i == k ? tiny * I : 0); }
    for (int i = 0; i < N_INSTANTS; i++) {
      for (; (double)(step * H) < instants[i] - 1e-9; step++) { ref_step(pendulum_rhs, v, 4, y, H); }
      const ref T = pendulum_energy(v, y);
      expected[i][0] = (double)creall(T);
      expected[i][1 + k] = (double)(cimagl(T) / tiny);
    }
  }
}

/* ---- the same by the library, over time ---- */

typedef struct history {
  mbd_sim *s;
  double h;
  double (*y)[1 + N_VARY]; /* [N_INSTANTS] */
} history;

static int look(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  const history *q = user;
  (void)k, (void)z, (void)zd, (void)zdd, (void)lam;
  for (int i = 0; i < N_INSTANTS; i++) {
    if (fabs(t - instants[i]) > q->h / 2) { continue; }
    q->y[i][0] = y[0];
    mbd_sim_output_sens(q->s, 0, q->y[i] + 1);
  }
  return 0;
}

static void pendulum_computed(const char *formulation, const char *integrator, const char *step,
                              double y[N_INSTANTS][1 + N_VARY]) {
  char set[3][64];
  const char *const sets[] = {set[0], set[1], set[2], "case.swing.rtol=1e-13", "case.swing.atol=1e-14"};
  const int chooses = strcmp(integrator, "dormand_prince") == 0; /* its steps by rtol */
  mbo_run_config *c;
  mechanism *m;
  mbd_error err = {0};
  snprintf(set[0], sizeof set[0], "case.swing.formulation=%s", formulation);
  snprintf(set[1], sizeof set[1], "case.swing.integrator=%s", integrator);
  snprintf(set[2], sizeof set[2], "case.swing.step=%s", step);
  must(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/double_pendulum.ini", chooses ? 5 : 3, sets, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  mechanism_case *q = &m->cases[0];
  CU_ASSERT_EQUAL_FATAL(m->n, N_VARY);
  for (int i = 0; i < N_VARY; i++) { CU_ASSERT_STRING_EQUAL(m->name[i], vary[i]); }
  CU_ASSERT_STRING_EQUAL(mbd_outputs_name(q->outputs, 0), "energy.kinetic");
  must(case_prepare(m, q, (case_request){.method = GRADIENT_DIRECT}, &err), &err);
  must(mechanism_set_design(m, m->start, 1, &err), &err);
  history w = {q->sim, q->c.step, y};
  must(mbd_sim_run(q->sim, q->v->params, m->n, q->v->d, q->psi, q->grad, NULL, look, &w, &err), &err);
  for (int k = 0; k < N_VARY; k++) { /* the last row is the gradient of the terminal objective */
    CHECK_CLOSE(vary[k], y[N_INSTANTS - 1][1 + k], q->grad[k], 0);
  }
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

/* T is linear in the masses together: M_P T_P + M_Q T_Q = T for the accelerations do not change with both. */
static void check_masses(const double *y) {
  CHECK_CLOSE("homogeneous in the masses", 2 * y[1 + M_P] + 1 * y[1 + M_Q], y[0], 1e-10);
}

static void test_reference_of_pendulum(void) {
  double a[N_INSTANTS][1 + N_VARY], b[N_INSTANTS][1 + N_VARY];
  pendulum_reference(0.1L, a);
  pendulum_reference(0.05L, b);
  for (int i = 0; i < N_INSTANTS; i++) {
    for (int k = 0; k <= N_VARY; k++) { CHECK_NEAR("reference", a[i][k], b[i][k], 1 + fabs(b[i][k]), 1e-12); }
    check_masses(b[i]);
  }
}

static void test_double_pendulum(void) {
  static const char *const steps[] = {"4e-3", "2e-3", "1e-3"};
  double expected[N_INSTANTS][1 + N_VARY], y[3][N_INSTANTS][1 + N_VARY];
  pendulum_reference(0.05L, expected);
  for (int k = 0; k < 3; k++) { pendulum_computed("ali3p", "newmark", steps[k], y[k]); }
  for (int i = 0; i < N_INSTANTS; i++) {
    for (int k = 0; k <= N_VARY; k++) {
      const double c = y[0][i][k], m = y[1][i][k], f = y[2][i][k];
      const double w = expected[i][k];
      const char *name = k ? vary[k - 1] : "kinetic energy";
      CHECK_NEAR(name, f, w, 1 + fabs(w), 5e-4);
      CHECK_NEAR(name, extrapolate(c, m, f), w, 1 + fabs(w), 1e-9);
      if (fabs(f - w) > 1e-5) { CHECK_CLOSE("order", log2(fabs((m - w) / (f - w))), 2, 0.02); }
    }
    check_masses(y[2][i]);
  }
}

/* State space without extrapolation, at nodes of 0.1 s by dense output, and by explicit steps of 1 ms; largest seen: 3e-12 and
 * 4e-10. */
static void test_double_pendulum_state_space(void) {
  static const struct {
    const char *formulation, *integrator, *step;
    double tol;
  } way[] = {{"matrix_r", "dormand_prince", "0.1", 1e-11},
             {"semi_recursive", "dormand_prince", "0.1", 1e-11},
             {"fully_recursive", "dormand_prince", "0.1", 1e-11},
             {"fully_recursive", "runge_kutta_4", "1e-3", 2e-9}};
  double expected[N_INSTANTS][1 + N_VARY], y[N_INSTANTS][1 + N_VARY];
  pendulum_reference(0.05L, expected);
  for (size_t q = 0; q < sizeof way / sizeof way[0]; q++) {
    double worst = 0;
    pendulum_computed(way[q].formulation, way[q].integrator, way[q].step, y);
    for (int i = 0; i < N_INSTANTS; i++) {
      for (int k = 0; k <= N_VARY; k++) {
        const double w = expected[i][k];
        CHECK_NEAR(way[q].formulation, y[i][k], w, 1 + fabs(w), way[q].tol);
        worst = fmax(worst, fabs(y[i][k] - w) / (1 + fabs(w)));
      }
    }
    printf("(%s, %s: %.2g) ", way[q].formulation, way[q].integrator, worst);
  }
}

/* ---- spatial chain: M z'' = f with the bodies' Jacobians, in the global frame ---- */

enum { LINKS = 4 };

typedef struct chain {
  ref length, mass1, twist;
} chain;

typedef ref vec[3];

static void cross(const ref *a, const ref *b, ref *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static ref dot(const ref *a, const ref *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The motion of one link: x its own x axis, p its hinge, c its centre, u the axis of its hinge; w its angular velocity; wd, pdd,
 * cdd accelerations at z'' = 0. */
typedef struct bar {
  ref R[3][3];
  vec x, p, c, u, w, wd, pdd, cdd;
} bar;

/* l->R: the columns of b->R turned about l->u by q (Rodrigues). */
static void turn(const bar *b, ref q, bar *l) {
  for (int j = 0; j < 3; j++) {
    const vec a = {b->R[0][j], b->R[1][j], b->R[2][j]};
    vec ua;
    cross(l->u, a, ua);
    const ref along = dot(l->u, a) * (1 - ccosl(q));
    for (int i = 0; i < 3; i++) { l->R[i][j] = a[i] * ccosl(q) + ua[i] * csinl(q) + l->u[i] * along; }
  }
}

/* a += wd x r + w x (w x r) */
static void add_rigid(const bar *k, const ref *r, ref *a) {
  vec e, wr, f;
  cross(k->wd, r, e);
  cross(k->w, r, wr);
  cross(k->w, wr, f);
  for (int i = 0; i < 3; i++) { a[i] += e[i] + f[i]; }
}

static void move(const chain *q, const ref *z, const ref *zd, bar *k) {
  static const bar ground = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .x = {1, 0, 0}};
  for (int n = 0; n < LINKS; n++) {
    const bar *b = n ? &k[n - 1] : &ground;
    const ref cy = ccosl(q->twist * n), cz = csinl(q->twist * n);
    vec r, rc, wu;
    bar *l = &k[n];
    *l = (bar){0};
    for (int i = 0; i < 3; i++) {
      r[i] = n ? q->length * b->x[i] : 0;
      l->u[i] = b->R[i][1] * cy + b->R[i][2] * cz;
      l->p[i] = b->p[i] + r[i], l->pdd[i] = b->pdd[i];
    }
    add_rigid(b, r, l->pdd);
    turn(b, z[n], l);
    cross(b->w, l->u, wu);
    for (int i = 0; i < 3; i++) {
      l->x[i] = l->R[i][0];
      rc[i] = q->length / 2 * l->x[i];
      l->c[i] = l->p[i] + rc[i], l->cdd[i] = l->pdd[i];
      l->w[i] = b->w[i] + l->u[i] * zd[n];
      l->wd[i] = b->wd[i] + wu[i] * zd[n];
    }
    add_rigid(l, rc, l->cdd);
  }
}

/* I v of a round bar of radius 0.05 */
static void inertia_times(const chain *q, const bar *l, ref mass, const ref *v, ref *out) {
  const long double radius = 0.05L;
  const ref across = mass * (q->length * q->length / 12 + radius * radius / 4), axial = mass * radius * radius / 2;
  const ref along = dot(l->x, v);
  for (int i = 0; i < 3; i++) { out[i] = across * v[i] + (axial - across) * along * l->x[i]; }
}

/* What link n adds to M and f. */
static void add_link(const chain *q, const bar *k, int n, ref (*M)[LINKS], ref *f) {
  const bar *l = &k[n];
  const ref mass = n ? 1 : q->mass1;
  vec J[LINKS], Iu, Iw, Iwd, gyro;
  inertia_times(q, l, mass, l->w, Iw);
  inertia_times(q, l, mass, l->wd, Iwd);
  cross(l->w, Iw, gyro);
  for (int j = 0; j <= n; j++) {
    const vec r = {l->c[0] - k[j].p[0], l->c[1] - k[j].p[1], l->c[2] - k[j].p[2]};
    cross(k[j].u, r, J[j]);
    inertia_times(q, l, mass, k[j].u, Iu);
    for (int i = 0; i <= j; i++) { M[j][i] += mass * dot(J[j], J[i]) + dot(Iu, k[i].u); }
    f[j] -= mass * (dot(J[j], l->cdd) + 9.81L * J[j][2]) + dot(k[j].u, Iwd) + dot(k[j].u, gyro);
  }
}

/* M x = f in place; M symmetric, its lower half given. */
static void solve(ref (*M)[LINKS], ref *f) {
  for (int i = 0; i < LINKS; i++) {
    for (int j = 0; j < i; j++) { M[j][i] = M[i][j]; }
  }
  for (int k = 0; k < LINKS; k++) {
    for (int i = k + 1; i < LINKS; i++) {
      const ref w = M[i][k] / M[k][k];
      for (int j = k; j < LINKS; j++) { M[i][j] -= w * M[k][j]; }
      f[i] -= w * f[k];
    }
  }
  for (int k = LINKS - 1; k >= 0; k--) {
    for (int j = k + 1; j < LINKS; j++) { f[k] -= M[k][j] * f[j]; }
    f[k] /= M[k][k];
  }
}

static void chain_rhs(const void *data, const ref *y, ref *yd) {
  bar k[LINKS];
  ref M[LINKS][LINKS] = {{0}}, f[LINKS] = {0};
  move(data, y, y + LINKS, k);
  for (int n = 0; n < LINKS; n++) { add_link(data, k, n, M, f); }
  solve(M, f);
  memcpy(yd, y + LINKS, LINKS * sizeof *yd);
  memcpy(yd + LINKS, f, LINKS * sizeof *yd);
}

/* x and z of the tip after a second, and their derivatives in length, mass1, twist. */
static void chain_reference(double expected[2][4]) {
  for (int p = 0; p < 3; p++) {
    chain q = {1 + (p == 0 ? tiny * I : 0), 1 + (p == 1 ? tiny * I : 0), 1 + (p == 2 ? tiny * I : 0)};
    ref y[2 * LINKS] = {0};
    bar k[LINKS];
    for (int step = 0; step < 50; step++) { ref_step(chain_rhs, &q, 2 * LINKS, y, 0.02L); }
    move(&q, y, y + LINKS, k);
    for (int i = 0; i < 2; i++) {
      const ref tip = k[LINKS - 1].p[2 * i] + q.length * k[LINKS - 1].x[2 * i];
      expected[i][0] = (double)creall(tip);
      expected[i][1 + p] = (double)(cimagl(tip) / tiny);
    }
  }
}

static void test_chain(void) {
  static const char *const steps[] = {"2e-3", "1e-3", "5e-4"}, *const methods[] = {"direct", "discrete_adjoint"},
                           *const names[] = {"tip", "by length", "by mass1", "by twist"};
  double expected[2][4], y[3][2][4];
  chain_reference(expected);
  for (int q = 0; q < 2; q++) {
    for (int k = 0; k < 3; k++) {
      char set[64];
      const char *const sets[] = {"scalars.N=4", set};
      snprintf(set, sizeof set, "case.fall.step=%s", steps[k]);
      evaluate("chain.ini", 2, sets, methods[q], 2, y[k]);
    }
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 4; k++) {
        CHECK_NEAR(names[k], extrapolate(y[0][i][k], y[1][i][k], y[2][i][k]), expected[i][k], 1 + fabs(expected[i][k]),
                   2e-12);
      }
    }
  }
}

/* ---- linkages ---- */

typedef struct linkages {
  int ny, nz;
  ref length, side, bar;
} linkages;

/* All loops stay parallelograms: row k of side bars has one angle y[k] from the vertical, and its bars do not turn. So it is a
 * pendulum of nz links, each of ny + 1 side bars with ny bars at its end; with a(i), i from 0, the mass below row i,
 *   sum_j c_ij (y_j'' cos(y_i - y_j) + y_j'^2 sin(y_i - y_j)) = -g L (a_i + sides/2) sin y_i
 *   c_ij = L^2 (a_max(i,j) + sides/2), c_ii = L^2 (a_i + sides/3) */
static void linkages_rhs(const void *data, const ref *y, ref *yd) {
  const linkages *q = data;
  const int nz = q->nz;
  const ref sides = (q->ny + 1) * q->side, bars = q->ny * q->bar, L = q->length;
  ref M[LINKS][LINKS] = {{0}}, f[LINKS] = {0};
  for (int i = 0; i < nz; i++) {
    const ref below = bars * (nz - i) + sides * (nz - i - 1);
    f[i] = -9.81L * L * (below + sides / 2) * csinl(y[i]);
    for (int j = 0; j < nz; j++) {
      const int lower = i > j ? i : j;
      const ref c = L * L * (bars * (nz - lower) + sides * (nz - lower - 1) + (i == j ? sides / 3 : sides / 2));
      M[i][j] = c * ccosl(y[i] - y[j]);
      f[i] -= c * csinl(y[i] - y[j]) * y[nz + j] * y[nz + j];
    }
  }
  for (int i = nz; i < LINKS; i++) { M[i][i] = 1; }
  solve(M, f);
  memcpy(yd, y + nz, (size_t)nz * sizeof *yd);
  memcpy(yd + nz, f, (size_t)nz * sizeof *yd);
}

/* y of the lowest joint after five seconds from hanging at a rate, and its derivatives in length, side_mass, bar_mass. */
static void linkages_reference(int ny, int nz, double rate, double expected[4]) {
  for (int p = 0; p < 3; p++) {
    const linkages q = {ny, nz, 1 + (p == 0 ? tiny * I : 0), 1 + (p == 1 ? tiny * I : 0), 1 + (p == 2 ? tiny * I : 0)};
    ref y[2 * LINKS] = {0}, tip = 0;
    for (int i = 0; i < nz; i++) { y[nz + i] = rate; }
    for (int step = 0; step < 200; step++) { ref_step(linkages_rhs, &q, 2 * nz, y, 0.025L); }
    for (int i = 0; i < nz; i++) { tip += q.length * csinl(y[i]); }
    expected[0] = (double)creall(tip);
    expected[1 + p] = (double)(cimagl(tip) / tiny);
  }
}

/* Swinging below the horizontal, and one row turning over: through positions in which all its bars lie in one line. */
static const struct {
  int ny, nz;
  double rate, tol; /* seen: 7e-12, 2e-7 of rounding, by 1e-16 / square of the distance */
} swings[] = {{2, 3, 1.04719755119659774615, 1e-11}, {2, 1, 6, 1e-6}};

static void test_linkages(void) {
  static const char *const steps[] = {"4e-3", "2e-3", "1e-3"}, *const methods[] = {"direct", "discrete_adjoint"},
                           *const names[] = {"tip", "by length", "by side_mass", "by bar_mass"};
  double expected[4], y[3][1][4];
  for (size_t i = 0; i < sizeof swings / sizeof swings[0]; i++) {
    char set[4][64];
    const char *const sets[] = {set[0], set[1], set[2], set[3]};
    snprintf(set[0], sizeof set[0], "scalars.NY=%d", swings[i].ny);
    snprintf(set[1], sizeof set[1], "scalars.NZ=%d", swings[i].nz);
    snprintf(set[2], sizeof set[2], "scalars.rate=%.17g", swings[i].rate);
    linkages_reference(swings[i].ny, swings[i].nz, swings[i].rate, expected);
    for (int q = 0; q < 2; q++) {
      for (int k = 0; k < 3; k++) {
        snprintf(set[3], sizeof set[3], "case.swing.step=%s", steps[k]);
        evaluate("linkages.ini", 4, sets, methods[q], 1, y[k]);
      }
      for (int k = 0; k < 4; k++) {
        CHECK_NEAR(names[k], extrapolate(y[0][0][k], y[1][0][k], y[2][0][k]), expected[k], 1 + fabs(expected[k]),
                   swings[i].tol);
      }
    }
  }
}

typedef struct drift {
  double start, max;
  int output;
} drift;

static int watch_energy(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                        const double *lam, const double *y) {
  drift *d = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { d->start = y[d->output]; }
  d->max = fmax(d->max, fabs(y[d->output] - d->start));
  return 0;
}

/* Largest change of the total energy over the run. */
static double energy_drift(int nset, const char *const *set) {
  mbo_run_config *c;
  mechanism *m;
  mbd_error err = {0};
  drift d = {0};
  int count;
  must(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/linkages.ini", nset, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  mechanism_case *q = &m->cases[0];
  must(mbd_outputs_add(q->outputs, "energy.total", &d.output, &count, &err), &err);
  must(mechanism_set_design(m, m->start, 0, &err), &err);
  must(mbd_sim_run(q->sim, q->v->params, 0, NULL, q->psi, NULL, NULL, watch_energy, &d, &err), &err);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  return d.max;
}

/* Of order two, and at 10 ms 8.0e-4 and 1.3e-3 J were seen. */
static void test_linkages_energy(void) {
  static const char *const sizes[] = {"scalars.NY=1", "scalars.NY=2"};
  for (int i = 0; i < 2; i++) {
    const char *const coarse[] = {sizes[i], "scalars.NZ=4", "case.swing.step=20e-3"};
    const char *const fine[] = {sizes[i], "scalars.NZ=4", "case.swing.step=10e-3"};
    const double a = energy_drift(3, coarse), b = energy_drift(3, fine);
    CHECK_CLOSE("order of the drift", log2(a / b), 2, 0.02);
    CHECK_CLOSE("drift", b, 0, 2e-3);
  }
}

/* ---- spatial four-bar linkage ---- */

/* Slender bars of a mass equal to their length; the coupler's motion is that of its ends C, D, and turning about its own axis
 * costs nothing. Coordinates: angles a of the crank and b of the follower, one constraint. */
typedef struct four_bar {
  ref crank, coupler, follower;
} four_bar;

/* A point on a circle by its angle: position and two derivatives. */
typedef struct circle {
  vec at, by, by2;
} circle;

/* centre + radius (cos q e + sin q f) */
static circle on_circle(const ref *centre, ref radius, const ref *e, const ref *f, ref q) {
  circle c;
  for (int i = 0; i < 3; i++) {
    c.by2[i] = -radius * (ccosl(q) * e[i] + csinl(q) * f[i]);
    c.at[i] = centre[i] - c.by2[i];
    c.by[i] = radius * (ccosl(q) * f[i] - csinl(q) * e[i]);
  }
  return c;
}

static circle end_of_crank(const four_bar *q, ref a) {
  return on_circle((vec){0, 0, 0}, q->crank, (vec){0, 0, 1}, (vec){0, -1, 0}, a);
}

static circle end_of_follower(const four_bar *q, ref b) {
  return on_circle((vec){0, 5, 0}, q->follower, (vec){0, 1, 0}, (vec){-sinl(0.5L), 0, cosl(0.5L)}, b);
}

/* y = a, b, a', b'. T = (A a'^2 + B b'^2)/2 + K a' b', K = m/6 C_a . D_b;  Phi = |D - C|^2/2 = constant:
 *   A a'' + K b'' + K_b b'^2 = -V_a + lam Phi_a,  K a'' + B b'' + K_a a'^2 = -V_b + lam Phi_b,  Phi'' = 0 */
static void four_bar_rhs(const void *data, const ref *y, ref *yd) {
  const four_bar *q = data;
  const long double g = 9.81L;
  const ref m = q->coupler, ad = y[2], bd = y[3];
  const circle C = end_of_crank(q, y[0]), D = end_of_follower(q, y[1]);
  const vec r = {D.at[0] - C.at[0], D.at[1] - C.at[1], D.at[2] - C.at[2]};
  const ref A = (q->crank + m) * q->crank * q->crank / 3, B = (q->follower + m) * q->follower * q->follower / 3;
  const ref K = m / 6 * dot(C.by, D.by), K_a = m / 6 * dot(C.by2, D.by), K_b = m / 6 * dot(C.by, D.by2);
  const ref Phi_a = -dot(r, C.by), Phi_b = dot(r, D.by), Phi_ab = -dot(C.by, D.by);
  const ref Phi_aa = dot(C.by, C.by) - dot(r, C.by2), Phi_bb = dot(D.by, D.by) + dot(r, D.by2);
  const ref gam = Phi_aa * ad * ad + 2 * Phi_ab * ad * bd + Phi_bb * bd * bd;
  ref M[LINKS][LINKS] = {{A, K, -Phi_a, 0}, {K, B, -Phi_b, 0}, {-Phi_a, -Phi_b, 0, 0}, {0, 0, 0, 1}};
  ref f[LINKS] = {-(q->crank + m) / 2 * g * C.by[2] - K_b * bd * bd,
                  -(q->follower + m) / 2 * g * D.by[2] - K_a * ad * ad, gam, 0};
  solve(M, f);
  yd[0] = ad, yd[1] = bd, yd[2] = f[0], yd[3] = f[1];
}

/* The follower's angle where the coupler fits, near b: Newton's iteration. */
static ref fit_follower(const four_bar *q, ref b) {
  for (int k = 0; k < 12; k++) {
    const circle C = end_of_crank(q, 0), D = end_of_follower(q, b);
    const vec r = {D.at[0] - C.at[0], D.at[1] - C.at[1], D.at[2] - C.at[2]};
    b -= (dot(r, r) - q->coupler * q->coupler) / 2 / dot(r, D.by);
  }
  return b;
}

/* The crank's angle after five seconds, and its derivatives in the three lengths. */
static void four_bar_reference(double expected[4]) {
  for (int p = 0; p < 3; p++) {
    const four_bar q = {1.5L + (p == 0 ? tiny * I : 0), 4 + (p == 1 ? tiny * I : 0), 2 + (p == 2 ? tiny * I : 0)};
    ref y[4] = {0, fit_follower(&q, 2.1L), 0, -0.1L};
    const circle C = end_of_crank(&q, 0), D = end_of_follower(&q, y[1]);
    const vec r = {D.at[0] - C.at[0], D.at[1] - C.at[1], D.at[2] - C.at[2]};
    y[2] = y[3] * dot(r, D.by) / dot(r, C.by);
    for (int step = 0; step < 500; step++) { ref_step(four_bar_rhs, &q, 4, y, 0.01L); }
    expected[0] = (double)creall(y[0]);
    expected[1 + p] = (double)(cimagl(y[0]) / tiny);
  }
}

static void test_four_bar(void) {
  static const char *const steps[] = {"8e-4", "4e-4", "2e-4"}, *const methods[] = {"direct", "discrete_adjoint"},
                           *const names[] = {"crank", "by L_c", "by L_r", "by L_f"};
  double expected[4], y[3][1][4];
  four_bar_reference(expected);
  for (int q = 0; q < 2; q++) {
    for (int k = 0; k < 3; k++) {
      char set[64];
      const char *const sets[] = {set};
      snprintf(set, sizeof set, "case.swing.step=%s", steps[k]);
      evaluate("spatial_four_bar.ini", 1, sets, methods[q], 1, y[k]);
    }
    for (int k = 0; k < 4; k++) {
      CHECK_NEAR(names[k], extrapolate(y[0][0][k], y[1][0][k], y[2][0][k]), expected[k], 1 + fabs(expected[k]), 5e-7);
    }
  }
}

TEST_MAIN(TEST(test_reference_of_pendulum), TEST(test_double_pendulum), TEST(test_double_pendulum_state_space),
          TEST(test_chain), TEST(test_linkages), TEST(test_linkages_energy), TEST(test_four_bar))
