/* What the parts of the benchmark share: the clock, and trees of links. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* not wall time: other programs run beside */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_must(mbd_status status, const mbd_error *err) {
  if (status != MBD_OK) {
    fprintf(stderr, "%s\n", err->text);
    exit(1);
  }
}

/* ---- models ---- */

static int coefs(mbd_spec *s, const char *name, int n, const double *v) {
  int first = mbd_spec_coef(s, name, v[0]);
  for (int i = 1; i < n; i++) { mbd_spec_coef(s, name, v[i]); }
  return first;
}

bench_link bench_link_of(int i) {
  return (bench_link){.mass = 1,
                      .com = {0.3, 0.1, -0.2},
                      .inertia = {0.1, 0.12, 0.09, 0.01, 0, 0.005},
                      .place = {0.5, 0.1 * (i % 3), -0.2},
                      .axis = {i % 3 == 0, i % 3 == 1, i % 3 == 2}};
}

static void add_link(mbd_spec *s, int i, int carrier, mbd_cut cut, mbd_error *err) {
  const bench_link q = bench_link_of(i);
  const double origin[3] = {0, 0, 0};
  char name[32], parent[32] = "ground", point[32], vector[32], joint[32];
  mbd_joint_desc j;
  snprintf(name, sizeof name, "b%d", i);
  if (carrier >= 0) { snprintf(parent, sizeof parent, "b%d", carrier); }
  snprintf(point, sizeof point, "p%d", i);
  snprintf(vector, sizeof vector, "v%d", i);
  snprintf(joint, sizeof joint, "j%d", i);
  bench_must(mbd_spec_body(s, name, coefs(s, "mass", 1, &q.mass), coefs(s, "com", 3, q.com),
                           coefs(s, "inertia", 6, q.inertia), err),
             err);
  bench_must(mbd_spec_point(s, point, err), err);
  bench_must(mbd_spec_point_on(s, point, parent, coefs(s, point, 3, q.place), err), err);
  bench_must(mbd_spec_point_on(s, point, name, coefs(s, point, 3, origin), err), err);
  bench_must(mbd_spec_vector(s, vector, err), err);
  bench_must(mbd_spec_vector_on(s, vector, parent, coefs(s, vector, 3, q.axis), err), err);
  bench_must(mbd_spec_vector_on(s, vector, name, coefs(s, vector, 3, q.axis), err), err);
  mbd_joint_desc_init(&j);
  j.name = joint, j.type = "revolute", j.cut = cut;
  j.body[0] = parent, j.body[1] = name;
  j.point[0] = j.point[1] = point;
  j.axis = vector;
  bench_must(mbd_spec_joint(s, &j, err), err);
}

/* A description with gravity alone; and the model of one, which it destroys. */
static mbd_spec *falling(void) {
  const double g[3] = {0, 0, -9.81};
  mbd_spec *s = mbd_spec_create();
  mbd_spec_gravity(s, coefs(s, "g", 3, g));
  return s;
}

static mbd_model *made_of(mbd_spec *s) {
  mbd_error err;
  mbd_model *m;
  bench_must(mbd_model_create(s, &m, &err), &err);
  mbd_spec_destroy(s);
  return m;
}

/* branches 0: the published tree */
static mbd_model *tree(int bodies, int branches) {
  mbd_error err;
  mbd_spec *s = falling();
  for (int i = 0; i < bodies; i++) {
    const int carrier = i == 0 ? -1 : branches ? (i - 1) / branches : bench_human_parent(i);
    add_link(s, i, carrier, MBD_CUT_AUTO, &err);
  }
  return made_of(s);
}

mbd_model *bench_tree(int bodies, int branches) {
  return tree(bodies, branches);
}

int bench_human_parent(int i) {
  switch (i + 1) {
    case 14:
    case 22: return 5 - 1;
    case 32:
    case 41: return 22 - 1;
    default: return i - 1;
  }
}

mbd_model *bench_human(void) {
  return tree(BENCH_HUMAN, 0);
}

/* The angle of joint i: those about y turn the chain by half a circle, all others are zero. */
static double arc(int bodies, int i) {
  const int joints = (bodies + 1) / 3;
  if (i % 3 != 1) { return 0; }
  return i == 1 ? acos(-1) / 2 : -acos(-1) / (joints - 1);
}

static void add_turned(double angle, const double r[3], double at[3]) {
  at[0] += cos(angle) * r[0] + sin(angle) * r[2];
  at[1] += r[1];
  at[2] += cos(angle) * r[2] - sin(angle) * r[0];
}

/* Where joint i is; returns by how much link i is turned. */
static double arc_place(int bodies, int i, double at[3]) {
  double angle = 0;
  at[0] = at[1] = at[2] = 0;
  for (int k = 0; k <= i; k++) {
    add_turned(angle, bench_link_of(k).place, at);
    angle += arc(bodies, k);
  }
  return angle;
}

/* The end of the last link, on a ball joint at the place where it is in the arc. */
static void add_closure(mbd_spec *s, int bodies) {
  const double tip[3] = {0.5, 0, -0.2};
  double end[3];
  char last[32];
  mbd_error err;
  mbd_joint_desc j;
  add_turned(arc_place(bodies, bodies - 1, end), tip, end);
  snprintf(last, sizeof last, "b%d", bodies - 1);
  bench_must(mbd_spec_point(s, "end", &err), &err);
  bench_must(mbd_spec_point_on(s, "end", "ground", coefs(s, "end", 3, end), &err), &err);
  bench_must(mbd_spec_point_on(s, "end", last, coefs(s, "tip", 3, tip), &err), &err);
  mbd_joint_desc_init(&j);
  j.name = "closure", j.type = "spherical";
  j.body[0] = "ground", j.body[1] = last;
  j.point[0] = j.point[1] = "end";
  bench_must(mbd_spec_joint(s, &j, &err), &err);
}

/* The coordinate begins with this value; hold: and at rest. */
static void begin(mbd_spec *s, const char *name, double value, int hold) {
  const double rate = 0;
  mbd_error err;
  bench_must(mbd_spec_guess(s, name, coefs(s, name, 1, &value), &err), &err);
  if (!hold) { return; }
  bench_must(mbd_spec_hold(s, name, coefs(s, name, 1, &value), coefs(s, name, 1, &rate), &err), &err);
}

/* Link i, whose joint is cut, on a floating joint; of its Euler parameters the one is held that changes by its joint's angle. */
static void float_link(mbd_spec *s, int bodies, int i) {
  double value[7] = {0};
  char body[32], joint[32], name[40];
  mbd_error err;
  mbd_joint_desc j;
  const double angle = arc_place(bodies, i, value);
  value[3] = cos(angle / 2), value[5] = sin(angle / 2);
  snprintf(body, sizeof body, "b%d", i);
  snprintf(joint, sizeof joint, "f%d", i);
  mbd_joint_desc_init(&j);
  j.name = joint, j.type = "floating", j.cut = MBD_CUT_NO;
  j.body[0] = "ground", j.body[1] = body;
  bench_must(mbd_spec_joint(s, &j, &err), &err);
  for (int k = 0; k < 7; k++) {
    static const char *const names[7] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
    snprintf(name, sizeof name, "%s.%s", joint, names[k]);
    begin(s, name, value[k], k == 4 + i % 3);
  }
}

mbd_model *bench_arc(int bodies, int closed, int cut) {
  mbd_error err;
  mbd_spec *s = falling();
  for (int i = 0; i < bodies; i++) {
    const int is_cut = cut > 0 && i > 0 && i % cut == 0;
    char name[32];
    add_link(s, i, i - 1, is_cut ? MBD_CUT_YES : MBD_CUT_AUTO, &err);
    snprintf(name, sizeof name, "j%d.angle", i);
    if (is_cut) {
      float_link(s, bodies, i);
    } else { /* a closure determines the last ones */
      begin(s, name, arc(bodies, i), !closed || i < bodies - 3);
    }
  }
  if (closed) { add_closure(s, bodies); }
  return made_of(s);
}
