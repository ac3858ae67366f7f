/* Inverse dynamics beside MuJoCo's on the same tree of 43 joints (bench.h), at the same motions, in one run: first that both give the same
 * forces, then the time per body, in turn, the least of many passes.
 *   mj_inverse    positions, mass matrix, velocities, forces; contacts and constraints are switched off
 *   of it alone   mj_kinematics, mj_comPos, mj_comVel, mj_rne: what the forces need
 * Then the derivatives of a step, v+ = v + h a(q, v), q+ = q + h v+: MuJoCo's differences, mjd_transitionFD, and ours from the matrices of inverse
 * dynamics, a_q = -M^-1 Q_q, a_v = -M^-1 Q_v at a = -M^-1 Q(q, v, 0). */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "la/dense.h"
#include "mbd/inverse.h"

enum { N = BENCH_HUMAN, MOTIONS = 64, PASSES = 400 };

typedef struct pair {
  mbd_model *m;
  mbd_params *p;
  mbd_inverse *v;
  mjModel *mm;
  mjData *md;
  int place[N];                                          /* of joint i in z */
  double z[MOTIONS][N], zd[MOTIONS][N], zdd[MOTIONS][N]; /* of mbopt, then of MuJoCo */
  double q[MOTIONS][N], qd[MOTIONS][N], qdd[MOTIONS][N];
  double Q[N];
} pair;

/* ---- the tree as MuJoCo reads it ---- */

static int write_body(char *text, size_t size, int i) {
  const bench_link q = bench_link_of(i);
  int n = snprintf(text, size,
                   "<body name='b%d' pos='%.17g %.17g %.17g'><joint type='hinge' axis='%g %g %g'/>"
                   "<inertial pos='%.17g %.17g %.17g' mass='%.17g' fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>",
                   i, q.place[0], q.place[1], q.place[2], q.axis[0], q.axis[1], q.axis[2], q.com[0], q.com[1], q.com[2],
                   q.mass, q.inertia[0], q.inertia[1], q.inertia[2], q.inertia[3], q.inertia[4], q.inertia[5]);
  for (int k = i + 1; k < N; k++) {
    if (bench_human_parent(k) == i) { n += write_body(text + n, size - (size_t)n, k); }
  }
  return n + snprintf(text + n, size - (size_t)n, "</body>");
}

static mjModel *read_tree(void) {
  static char text[100000];
  char error[1000] = "";
  mjVFS *files = calloc(1, sizeof *files);
  int n = snprintf(text, sizeof text,
                   "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'>"
                   "<flag contact='disable' constraint='disable'/></option><worldbody>");
  n += write_body(text + n, sizeof text - (size_t)n, 0);
  n += snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
  mj_defaultVFS(files);
  mj_makeEmptyFileVFS(files, "tree.xml", n);
  memcpy(files->filedata[mj_findFileVFS(files, "tree.xml")], text, (size_t)n);
  mjModel *m = mj_loadXML("tree.xml", files, error, sizeof error);
  if (!m) {
    fprintf(stderr, "MuJoCo: %s\n", error);
    exit(1);
  }
  mj_deleteVFS(files);
  free(files);
  return m;
}

/* ---- both ---- */

static void open_pair(pair *q, mbd_reference reference) {
  mbd_error err;
  q->m = bench_human();
  bench_must(mbd_params_create(q->m, NULL, &q->p, &err), &err);
  bench_must(mbd_inverse_create(q->m, reference, 0, &q->v, &err), &err);
  q->mm = read_tree();
  q->md = mj_makeData(q->mm);
  for (int i = 1; i <= N; i++) {
    mbd_body_report b;
    mbd_model_body(q->m, i, &b);
    q->place[atoi(b.name + 1)] = b.z0;
  }
  for (int k = 0; k < MOTIONS; k++) {
    for (int i = 0; i < N; i++) {
      q->q[k][i] = sin(0.3 * k + 1.7 * i), q->qd[k][i] = cos(0.2 * k + 2.1 * i),
      q->qdd[k][i] = 2 * sin(1 + 0.5 * k + i);
      q->z[k][q->place[i]] = q->q[k][i], q->zd[k][q->place[i]] = q->qd[k][i], q->zdd[k][q->place[i]] = q->qdd[k][i];
    }
  }
}

static void close_pair(pair *q) {
  mj_deleteData(q->md), mj_deleteModel(q->mm);
  mbd_inverse_destroy(q->v), mbd_params_destroy(q->p), mbd_model_destroy(q->m);
}

static void ours(pair *q, int k) {
  mbd_error err;
  bench_must(mbd_inverse_dynamics(q->v, q->p, 0, q->z[k], q->zd[k], q->zdd[k], 0, NULL, q->Q, &err), &err);
}

static void ours_matrices(pair *q, int k) {
  const double *Q_z, *Q_zd, *Q_zdd;
  ours(q, k);
  mbd_inverse_jacobian(q->v, &Q_z, &Q_zd, &Q_zdd);
}

static void set_motion(pair *q, int k) {
  memcpy(q->md->qpos, q->q[k], sizeof q->q[k]);
  memcpy(q->md->qvel, q->qd[k], sizeof q->qd[k]);
  memcpy(q->md->qacc, q->qdd[k], sizeof q->qdd[k]);
}

static void theirs(pair *q, int k) {
  set_motion(q, k);
  mj_inverse(q->mm, q->md);
}

static void theirs_alone(pair *q, int k) {
  set_motion(q, k);
  mj_kinematics(q->mm, q->md);
  mj_comPos(q->mm, q->md);
  mj_comVel(q->mm, q->md);
  mj_rne(q->mm, q->md, 1, q->md->qfrc_inverse);
}

static double largest_difference(pair *q, void (*other)(pair *q, int k)) {
  double max = 0, size = 0;
  for (int k = 0; k < MOTIONS; k++) {
    ours(q, k), other(q, k);
    for (int i = 0; i < N; i++) {
      max = fmax(max, fabs(q->Q[q->place[i]] - q->md->qfrc_inverse[i]));
      size = fmax(size, fabs(q->Q[q->place[i]]));
    }
  }
  return max / size;
}

/* ---- derivatives of a step ---- */

/* A [2n][2n] of the state (q, v), the joints in MuJoCo's order. */
static void transition(pair *q, int k, double *A) {
  enum { M = 2 * N };
  static double LU[N * N], rhs[N][M], zero[N];
  static int pivots[N];
  const double *Q_z, *Q_zd, *mass, h = q->mm->opt.timestep;
  double a[N];
  mbd_error err;
  bench_must(mbd_inverse_dynamics(q->v, q->p, 0, q->z[k], q->zd[k], zero, 0, NULL, q->Q, &err), &err);
  mbd_inverse_jacobian(q->v, &Q_z, &Q_zd, &mass);
  memcpy(LU, mass, sizeof LU);
  bench_must(mbd_lu_factor(N, LU, pivots), &err);
  for (int i = 0; i < N; i++) { a[i] = -q->Q[i]; }
  mbd_lu_solve(N, LU, pivots, 1, a);
  bench_must(mbd_inverse_dynamics(q->v, q->p, 0, q->z[k], q->zd[k], a, 0, NULL, q->Q, &err), &err);
  mbd_inverse_jacobian(q->v, &Q_z, &Q_zd, &mass);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) { rhs[i][j] = -Q_z[i * N + j], rhs[i][N + j] = -Q_zd[i * N + j]; }
  }
  mbd_lu_solve(N, LU, pivots, M, rhs[0]);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      const double v_q = h * rhs[q->place[i]][q->place[j]], v_v = (i == j) + h * rhs[q->place[i]][N + q->place[j]];
      A[(N + i) * M + j] = v_q, A[(N + i) * M + N + j] = v_v;
      A[i * M + j] = (i == j) + h * v_q, A[i * M + N + j] = h * v_v;
    }
  }
}

static void print_transitions(pair *q) {
  enum { SIZE = 4 * N * N, STATES = 8, ROUNDS = 10 };
  static double ours_of[SIZE], theirs_of[SIZE];
  double own = INFINITY;
  printf(
      "\n| derivatives of a step | step of the differences | us | ours: us | ours/MuJoCo | error "
      "|\n|---|---:|---:|---:|---:|---:|\n");
  for (int centred = 0; centred < 2; centred++) {
    for (double eps = 1e-4; eps > 1e-9; eps /= 10) {
      double least = INFINITY, error = 0, size = 0;
      for (int round = 0; round < ROUNDS; round++) {
        double begun = bench_now();
        for (int k = 0; k < STATES; k++) { transition(q, k, ours_of); }
        own = fmin(own, (bench_now() - begun) / STATES);
        begun = bench_now();
        for (int k = 0; k < STATES; k++) {
          set_motion(q, k);
          mjd_transitionFD(q->mm, q->md, eps, (mjtByte)centred, theirs_of, NULL, NULL, NULL);
        }
        least = fmin(least, (bench_now() - begun) / STATES);
      }
      for (int k = 0; k < STATES; k++) {
        set_motion(q, k);
        mjd_transitionFD(q->mm, q->md, eps, (mjtByte)centred, theirs_of, NULL, NULL, NULL);
        transition(q, k, ours_of);
        for (int i = 0; i < SIZE; i++) {
          error = fmax(error, fabs(ours_of[i] - theirs_of[i])), size = fmax(size, fabs(ours_of[i]));
        }
      }
      printf("| %s | %.0e | %.0f | %.0f | %.3f | %.1e |\n", centred ? "centred" : "forward", eps, 1e6 * least,
             1e6 * own, own / least, error / size);
    }
  }
}

int main(void) {
  static const char *const names[] = {"com", "origin", "joint"};
  void (*const what[])(pair * q, int k) = {ours, ours_matrices, theirs, theirs_alone};
  printf(
      "MuJoCo %s\n| reference | mbopt: Q | mbopt: Q, matrices | mj_inverse | of it alone | Q/mj_inverse | Q/alone | "
      "difference |\n"
      "|-----------|---------:|-------------------:|-----------:|------------:|-------------:|--------:|-----------:|"
      "\n",
      mj_versionString());
  for (int r = 0; r < 3; r++) {
    pair *q = calloc(1, sizeof *q);
    double min[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    open_pair(q, (mbd_reference)r);
    const double difference = fmax(largest_difference(q, theirs), largest_difference(q, theirs_alone));
    for (int pass = 0; pass < PASSES; pass++) {
      for (int i = 0; i < 4; i++) {
        const double begun = bench_now();
        for (int k = 0; k < MOTIONS; k++) { what[i](q, k); }
        min[i] = fmin(min[i], 1e9 * (bench_now() - begun) / MOTIONS / N);
      }
    }
    printf("| %-9s | %8.0f | %18.0f | %10.0f | %11.0f | %12.2f | %7.2f | %10.1e |\n", names[r], min[0], min[1], min[2],
           min[3], min[0] / min[2], min[0] / min[3], difference);
    close_pair(q);
    free(q);
  }
  pair *q = calloc(1, sizeof *q);
  open_pair(q, MBD_RTDYN0);
  print_transitions(q);
  close_pair(q);
  free(q);
  return 0;
}
