/* The multiple four-bar linkage of S3: columns + 1 chains of hanging bars, side by side, joined at every level by
 * horizontal ones; bars of 1 kg and 1 m, all joints revolute about x, gravity along -z; the first chain swings from its
 * top joint. As many degrees of freedom as levels, however many bodies. What a time step of ALI3-P costs with dense and
 * with sparse factors, alternating in one run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "mbd/simulate.h"

enum { STEPS = 30, ROUNDS = 5 };

typedef struct linkage {
  mbd_spec *s;
  int columns, levels;
  int mass, centre, upright, level, at; /* coefficients */
} linkage;

static int coefs(mbd_spec *s, const char *name, int n, const double *v) {
  const int first = mbd_spec_coef(s, name, v[0]);
  for (int i = 1; i < n; i++) { mbd_spec_coef(s, name, v[i]); }
  return first;
}

/* Point p on body b, at the end z (of a hanging bar) or y (of a horizontal one) of its frame. */
static void place(const linkage *q, const char *p, const char *b, double y, double z) {
  const double at[3] = {0, y, z};
  mbd_error err;
  bench_must(mbd_spec_point_on(q->s, p, b, coefs(q->s, p, 3, at), &err), &err);
}

static void add_reverse(const linkage *q, const char *name, int hanging) {
  static const double inertia[2][6] = {{1.0 / 12, 0, 1.0 / 12}, {1.0 / 12, 1.0 / 12, 0}};
  static const double com[2][3] = {{0, 0.5, 0}, {0, 0, -0.5}}, mass = 1, x[3] = {1, 0, 0};
  mbd_error err;
  bench_must(mbd_spec_body(q->s, name, coefs(q->s, "mass", 1, &mass), coefs(q->s, "com", 3, com[hanging]),
                           coefs(q->s, "inertia", 6, inertia[hanging]), &err),
             &err);
  bench_must(mbd_spec_vector_on(q->s, "x", name, coefs(q->s, "x", 3, x), &err), &err);
}

static void add_joint(const linkage *q, const char *name, const char *from, const char *to, const char *point) {
  mbd_joint_desc j;
  mbd_error err;
  mbd_joint_desc_init(&j);
  j.name = name, j.type = "revolute", j.axis = "x";
  j.body[0] = from, j.body[1] = to;
  j.point[0] = j.point[1] = point;
  bench_must(mbd_spec_joint(q->s, &j, &err), &err);
}

/* The hanging bar k of chain c, from the joint above, and the horizontal bar that leads to it from the chain before. */
static void add_level(const linkage *q, int c, int k) {
  char bar[32], above[32], point[32], above_point[32], joint[32], across[32], before[32], left[32];
  mbd_error err;
  snprintf(bar, sizeof bar, "v%d_%d", c, k);
  snprintf(above, sizeof above, k == 1 ? "ground" : "v%d_%d", c, k - 1);
  snprintf(point, sizeof point, "p%d_%d", c, k);
  snprintf(above_point, sizeof above_point, "p%d_%d", c, k - 1);
  snprintf(joint, sizeof joint, "j%d_%d", c, k);
  add_reverse(q, bar, 1);
  bench_must(mbd_spec_point(q->s, point, &err), &err);
  place(q, point, bar, 0, -1);
  place(q, above_point, bar, 0, 0);
  add_joint(q, joint, above, bar, above_point);
  if (c == 0) { return; }
  snprintf(across, sizeof across, "h%d_%d", c, k);
  snprintf(before, sizeof before, "v%d_%d", c - 1, k);
  snprintf(left, sizeof left, "p%d_%d", c - 1, k);
  add_reverse(q, across, 0);
  place(q, left, across, 0, 0);
  place(q, point, across, 1, 0);
  snprintf(joint, sizeof joint, "l%d_%d", c, k);
  add_joint(q, joint, before, across, left);
  snprintf(joint, sizeof joint, "r%d_%d", c, k);
  add_joint(q, joint, across, bar, point);
}

static void hold(const linkage *q, int k) {
  const double value = 0, rate = k == 1 ? acos(-1) / 3 : 0;
  char name[32];
  mbd_error err;
  snprintf(name, sizeof name, "j0_%d.angle", k);
  bench_must(mbd_spec_hold(q->s, name, coefs(q->s, name, 1, &value), coefs(q->s, name, 1, &rate), &err), &err);
}

mbd_model *bench_linkage(int columns, int levels) {
  const double g[3] = {0, 0, -9.81}, x[3] = {1, 0, 0};
  const linkage q = {.s = mbd_spec_create(), .columns = columns, .levels = levels};
  mbd_error err;
  mbd_model *m;
  char top[32];
  mbd_spec_gravity(q.s, coefs(q.s, "g", 3, g));
  mbd_spec_find_joints(q.s, 0);
  bench_must(mbd_spec_vector(q.s, "x", &err), &err);
  bench_must(mbd_spec_vector_on(q.s, "x", "ground", coefs(q.s, "x", 3, x), &err), &err);
  for (int c = 0; c <= columns; c++) {
    snprintf(top, sizeof top, "p%d_0", c);
    bench_must(mbd_spec_point(q.s, top, &err), &err);
    place(&q, top, "ground", c, 0);
    for (int k = 1; k <= levels; k++) { add_level(&q, c, k); }
  }
  for (int k = 1; k <= levels; k++) { hold(&q, k); }
  bench_must(mbd_model_create(q.s, &m, &err), &err);
  mbd_spec_destroy(q.s);
  return m;
}

/* ---- time ---- */

typedef struct stopwatch {
  double begun, ended;
} stopwatch;

/* From the first step to the last: the start is another matter. */
static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  stopwatch *w = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  if (k == 1) { w->begun = bench_now(); }
  if (k == STEPS) { w->ended = bench_now(); }
  return 0;
}

static double step_time(mbd_sim *s, const mbd_params *p) {
  stopwatch w = {0};
  mbd_error err;
  bench_must(mbd_sim_run(s, p, 0, NULL, NULL, NULL, NULL, watch, &w, &err), &err);
  return (w.ended - w.begun) / (STEPS - 1);
}

static void measure(int columns, int levels) {
  static const mbd_linear_solver kinds[3] = {MBD_LINEAR_DENSE, MBD_LINEAR_SPARSE, MBD_LINEAR_AUTO};
  mbd_model *m = bench_linkage(columns, levels);
  double time[3] = {INFINITY, INFINITY, INFINITY};
  mbd_outputs *o;
  mbd_params *p;
  mbd_sim *s[3];
  mbd_error err;
  bench_must(mbd_outputs_create(m, &o, &err), &err);
  bench_must(mbd_params_create(m, NULL, &p, &err), &err);
  for (int i = 0; i < 3; i++) {
    mbd_case c;
    mbd_case_init(&c);
    c.step = 1e-2, c.duration = STEPS * c.step, c.linear_solver = kinds[i];
    bench_must(mbd_sim_create(m, &c, o, 0, NULL, 0, 0, &s[i], &err), &err);
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < 3; i++) { time[i] = fmin(time[i], step_time(s[i], p)); }
  }
  printf("%4d x %-3d %8d %12d %12.0f %12.0f %14.1f %14.2f\n", columns, levels, mbd_model_nz(m), mbd_model_nphi(m),
         1e6 * time[0], 1e6 * time[1], time[0] / time[1], time[2] / fmin(time[0], time[1]));
  for (int i = 0; i < 3; i++) { mbd_sim_destroy(s[i]); }
  mbd_outputs_destroy(o), mbd_params_destroy(p), mbd_model_destroy(m);
}

void bench_linkages(void) {
  static const int size[][2] = {{1, 5}, {1, 8}, {4, 3}, {1, 15}, {4, 5}, {2, 15}, {15, 3}, {4, 15}, {7, 15}, {15, 15}};
  printf("\nmultiple four-bar linkage, one time step\n%-10s %8s %12s %12s %12s %14s %14s\n", "size", "bodies",
         "equations", "dense [us]", "sparse [us]", "dense/sparse", "auto/best");
  for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) { measure(size[i][0], size[i][1]); }
}
