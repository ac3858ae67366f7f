/* The method that S2 compares its recursion with, for the chain of bench_tree: direct differentiation of O(n^3) dynamics. The mass matrix is summed
 * over the bodies, and its derivative by a variable goes through every coordinate,
 *   M = sum_i J_i' M_i J_i,      M' = sum_k dM/dz_k z_k',
 * which takes O(n^4) a variable; zdd' = M^-1 (... - M' zdd). Forces, whose part is O(n^3), are left out, so that the time is a lower bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "dynamics/motion.h"
#include "base/v3.h"
#include "mbd/params.h"
#include "mbd/work.h"

enum { BODIES_MAX = 64 };

typedef struct body {
  double mass, inertia[9];       /* about the centre of mass, global axes */
  double axis[3], at[3], com[3]; /* of its joint, and its centre of mass; global */
  double v[BODIES_MAX][3];       /* columns of J_i: velocities of the centre of mass; those of rotation are the axes */
} body;

typedef struct chain {
  int n;
  body of[BODIES_MAX];
  double M[BODIES_MAX][BODIES_MAX], dM[BODIES_MAX][BODIES_MAX], zp[BODIES_MAX];
} chain;

/* R := R times the rotation by an angle about one of the frame's axes */
static void turn(double R[9], const double axis[3], double angle) {
  const int a = axis[0] != 0 ? 0 : axis[1] != 0 ? 1 : 2, b = (a + 1) % 3, c = (a + 2) % 3;
  for (int i = 0; i < 3; i++) {
    const double x = R[3 * i + b], y = R[3 * i + c];
    R[3 * i + b] = x * cos(angle) + y * sin(angle), R[3 * i + c] = y * cos(angle) - x * sin(angle);
  }
}

static void place(chain *q, const double *z) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, at[3] = {0};
  for (int i = 0; i < q->n; i++) {
    const bench_link link = bench_link_of(i);
    const double *J = link.inertia, local[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    body *b = &q->of[i];
    double arm[3], half[9];
    m3_vec(arm, R, link.place);
    v3_add(at, at, arm);
    m3_vec(b->axis, R, link.axis);
    turn(R, link.axis, z[i]);
    m3_vec(arm, R, link.com);
    v3_copy(b->at, at), v3_copy(b->com, at), v3_add(b->com, b->com, arm);
    b->mass = link.mass;
    m3_mul(half, R, local);
    m3_mulT(b->inertia, half, R);
    for (int j = 0; j <= i; j++) {
      v3_sub(arm, b->com, q->of[j].at);
      v3_cross(b->v[j], q->of[j].axis, arm);
    }
  }
}

static void mass_matrix(chain *q) {
  for (int a = 0; a < q->n; a++) {
    for (int b = 0; b <= a; b++) { q->M[a][b] = 0; }
  }
  for (int i = 0; i < q->n; i++) {
    const body *w = &q->of[i];
    for (int b = 0; b <= i; b++) {
      double Ib[3];
      m3_vec(Ib, w->inertia, q->of[b].axis);
      for (int a = b; a <= i; a++) { q->M[a][b] += w->mass * v3_dot(w->v[a], w->v[b]) + v3_dot(q->of[a].axis, Ib); }
    }
  }
}

/* Adds z_k' d(J_i' M_i J_i)/dz_k: what is beyond joint k turns about its axis u with I' = u~ I - I u~; the axes before it stay. */
static void add_change(chain *q, int i, int k) {
  const body *w = &q->of[i], *joint = &q->of[k];
  const double *u = joint->axis, zero[3] = {0};
  double dv[BODIES_MAX][3], dw[BODIES_MAX][3], Iw[BODIES_MAX][3], dIw[BODIES_MAX][3];
  for (int j = 0; j <= i; j++) {
    double x[3], back[3];
    v3_cross(x, u, q->of[j].axis);
    if (k < j) {
      v3_cross(dv[j], u, w->v[j]), v3_copy(dw[j], x);
    } else {
      v3_cross(dv[j], q->of[j].axis, w->v[k]), v3_copy(dw[j], zero);
    }
    m3_vec(Iw[j], w->inertia, q->of[j].axis);
    v3_sub(x, dw[j], x);
    m3_vec(back, w->inertia, x); /* I (dw - u x w) */
    v3_cross(dIw[j], u, Iw[j]);
    v3_add(dIw[j], dIw[j], back);
  }
  for (int a = 0; a <= i; a++) {
    for (int b = 0; b <= a; b++) {
      q->dM[a][b] += q->zp[k] * (w->mass * (v3_dot(dv[a], w->v[b]) + v3_dot(w->v[a], dv[b])) + v3_dot(dw[a], Iw[b]) +
                                 v3_dot(q->of[a].axis, dIw[b]));
    }
  }
}

static void mass_matrix_change(chain *q) {
  for (int a = 0; a < q->n; a++) {
    for (int b = 0; b <= a; b++) { q->dM[a][b] = 0; }
  }
  for (int k = 0; k < q->n; k++) {
    for (int i = k; i < q->n; i++) { add_change(q, i, k); }
  }
}

/* The largest deviation of M from libmbd's, and of M' from its central differences. */
static double deviation(chain *q, const double *z) {
  const double h = 1e-6;
  double largest = 0, at[BODIES_MAX], high[BODIES_MAX][BODIES_MAX], *M = calloc((size_t)(q->n * q->n), sizeof *M);
  mbd_error err;
  mbd_params *p;
  mbd_work *w;
  mbd_model *m = bench_tree(q->n, 1);
  bench_must(mbd_params_create(m, NULL, &p, &err), &err);
  bench_must(mbd_work_create(m, MBD_RTDYN1, &w, &err), &err);
  motion_place(w, p, 0, z);
  motion_mass(w, NULL, M);
  for (int side = 1; side >= -1; side -= 2) {
    for (int i = 0; i < q->n; i++) { at[i] = z[i] + side * h * q->zp[i]; }
    place(q, at), mass_matrix(q);
    for (int a = 0; a < q->n && side > 0; a++) {
      for (int b = 0; b <= a; b++) { high[a][b] = q->M[a][b]; }
    }
  }
  for (int a = 0; a < q->n; a++) {
    for (int b = 0; b <= a; b++) { high[a][b] = (high[a][b] - q->M[a][b]) / (2 * h); }
  }
  place(q, z), mass_matrix(q), mass_matrix_change(q);
  for (int a = 0; a < q->n; a++) {
    for (int b = 0; b <= a; b++) {
      largest = fmax(largest, fmax(fabs(q->M[a][b] - M[a * q->n + b]), fabs(q->dM[a][b] - high[a][b])));
    }
  }
  free(M), mbd_work_destroy(w), mbd_params_destroy(p), mbd_model_destroy(m);
  return largest;
}

double bench_conventional(int bodies) {
  chain *q = calloc(1, sizeof *q);
  double z[BODIES_MAX], min = INFINITY;
  q->n = bodies;
  for (int i = 0; i < bodies; i++) { z[i] = 0.3 * sin(1.7 * i + 0.2), q->zp[i] = cos(0.9 * i); }
  const double off = deviation(q, z);
  if (!(off < 1e-6 * bodies * bodies * bodies)) {
    fprintf(stderr, "mass matrix or its derivative of %d bodies is off by %g\n", bodies, off);
    exit(1);
  }
  const int times_in_turn = 200000 / (bodies * bodies * bodies) + 1;
  for (int round = 0; round < 9; round++) {
    const double begun = bench_now();
    for (int k = 0; k < times_in_turn; k++) { mass_matrix_change(q); }
    min = fmin(min, (bench_now() - begun) / times_in_turn);
  }
  free(q);
  return min;
}
