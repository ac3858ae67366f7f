/* The human of problems/human against S4: its graph (18)-(20), and for its motion the torques by S4's own recursion with 4 x 4 matrices,
 * (4), (5) and (9), over a table of Denavit-Hartenberg rows in numbers, with both feet on the ground too; their derivatives by the complex step of that recursion; the six
 * sensitivities of its figures 4 and 5 against central differences. */
#include <complex.h>

#include "mbd/inverse.h"
#include "mbd/measures.h"
#include "mbd/picture.h"
#include "model.h"
#include "opened_run.h"

enum { N = 43, BRANCHES = 7, SAMPLES = 301 };

static const double pi = 3.14159265358979323846, interval = 0.01, gravity = 9.81;

/* ---- the graph ---- */

/* S4 (18), the second row: the parents of the joints 1 to 43. */
static const int parent_of[N] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 5,  14, 15, 16, 17, 18, 19, 20, 5,
                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 22, 32, 33, 34, 35, 36, 37, 38, 39, 22, 41, 42};
/* S4 (19), the second row; S4 (20). */
static const int branch_parent[BRANCHES] = {0, 1, 1, 1, 4, 4, 4};
static const int branch_ends[2][BRANCHES] = {{1, 6, 14, 22, 23, 32, 41}, {5, 13, 21, 22, 31, 40, 43}};

static void test_graph(void) {
  test_model q = model_open("problems/human/human.ini");
  mbd_error err = {0};
  mbd_topology *t;
  must(mbd_topology_create(q.m, &t, &err), &err);
  CU_ASSERT_EQUAL_FATAL(t->njoint, N);
  CU_ASSERT_EQUAL_FATAL(t->nbranch, BRANCHES);
  for (int i = 0; i < N; i++) { CU_ASSERT_EQUAL(t->joint_parent[i], parent_of[i]); }
  for (int k = 0; k < BRANCHES; k++) {
    CU_ASSERT_EQUAL(t->branch_parent[k], branch_parent[k]);
    CU_ASSERT_EQUAL(t->branch_first[k], branch_ends[0][k]);
    CU_ASSERT_EQUAL(t->branch_last[k], branch_ends[1][k]);
  }
  CU_ASSERT_EQUAL(t->depth, 395);
  CU_ASSERT_EQUAL(t->coupled, 747);
  CU_ASSERT_EQUAL(t->ncoordinate, N);
  mbd_topology_destroy(t);
  model_close(&q);
}

/* ---- rows ---- */

typedef struct row {
  double theta, d, a, alpha;
} row;

enum { ROOT = 5, LEG = 8, ARM = 9, HEAD = 3 };

/* The far side of the body is that of `side` = 1 with lengths of the opposite sign, and a first row of its own. */
static void leg_rows(double side, row *r) {
  const double q = pi / 2, thigh = 0.4222, shank = 0.4403, foot = 0.2581, ankle = 0.039 * 1.741;
  const row rows[LEG] = {{(1 + side) * q, -side * 0.36 * 0.235, 0, q},
                         {q, 0, 0, q},
                         {q, side * thigh, 0, q},
                         {pi, 0, 0, q},
                         {pi, side * shank, 0, q},
                         {q, 0, 0, q},
                         {0, side * 0.47 * foot, side * 0.7 * ankle, -q},
                         {-q, 0, side * 0.28 * foot, 0}};
  memcpy(r, rows, sizeof rows);
}

static void arm_rows(double side, row *r) {
  const double q = pi / 2, shoulder = 0.129 * 1.741;
  const row rows[ARM] = {{-q, 0.5155, 0, -side * q},
                         {0, 0, side * shoulder, 0},
                         {q, 0, 0, q},
                         {q, 0, 0, q},
                         {0, side * 0.2817, 0, -q},
                         {0, 0, 0, q},
                         {q, side * 0.2689, 0, q},
                         {q, 0, 0, q},
                         {0, 0, side * 0.1879, 0}};
  memcpy(r, rows, sizeof rows);
}

static void all_rows(row r[N]) {
  const double q = pi / 2;
  const row head[HEAD] = {{0, 0.6033, 0, -q}, {-q, 0, 0, -q}, {0, 0, 0.2429, 0}};
  for (int i = 0; i < ROOT; i++) { r[i] = (row){q, 0, 0, q}; }
  leg_rows(1, r + 5), leg_rows(-1, r + 13);
  r[21] = (row){q, 0, 0, q};
  arm_rows(1, r + 22), arm_rows(-1, r + 31);
  memcpy(r + 40, head, sizeof head);
}

/* ---- S4's recursion, over complex numbers ---- */

typedef double complex number;
typedef number m4[4][4];

static void multiply(m4 C, m4 A, m4 B) {
  m4 P;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      P[i][k] = 0;
      for (int l = 0; l < 4; l++) { P[i][k] += A[i][l] * B[l][k]; }
    }
  }
  memcpy(C, P, sizeof P);
}

/* C += factor A B */
static void add_product(m4 C, number factor, m4 A, m4 B) {
  m4 P;
  multiply(P, A, B);
  for (int i = 0; i < 16; i++) { C[i / 4][i % 4] += factor * P[i / 4][i % 4]; }
}

/* S4 (4) */
static void link_matrix(number theta, number d, double a, double alpha, m4 A) {
  const number c = ccos(theta), s = csin(theta), ca = cos(alpha), sa = sin(alpha);
  const m4 of = {{c, -ca * s, sa * s, a * c}, {s, ca * c, -sa * c, a * s}, {0, sa, ca, d}, {0, 0, 0, 1}};
  memcpy(A, of, sizeof of);
}

/* From outside, on a link: a force at a point of its frame, and a torque, both in global axes; S4 (9). */
typedef struct load {
  int joint; /* from 0 */
  double point[3], force[3], torque[3];
} load;

enum { FEET = 2 };

typedef struct human {
  row r[N];
  int nload;
  load load[FEET];
  double mass[N], com[N][3], J[N][9]; /* of the link, in its frame; J about the centre of mass */
} human;

/* S4 (7): with the matrix of inertia J_o about the origin, [tr(J_o)/2 - J_o, m r; m r', m] */
static void inertia_matrix(const human *h, int i, m4 J) {
  const double m = h->mass[i], *r = h->com[i], *Jc = h->J[i], trace = Jc[0] + Jc[4] + Jc[8];
  for (int k = 0; k < 3; k++) {
    for (int l = 0; l < 3; l++) { J[k][l] = (k == l ? trace / 2 : 0) - Jc[3 * k + l] + m * r[k] * r[l]; }
    J[k][3] = J[3][k] = m * r[k];
  }
  J[3][3] = m;
}

/* B = Z A and C = Z B: the derivatives by the coordinate. */
static void derived(int prismatic, m4 A, m4 B) {
  memset(B, 0, sizeof(m4));
  for (int k = 0; k < 4; k++) {
    if (prismatic) {
      B[2][k] = A[3][k];
    } else {
      B[0][k] = -A[1][k], B[1][k] = A[0][k];
    }
  }
}

/* What the loads take from the torques: -f' (dT_i/dq_i) F_i - G_i' T_p w_0 with F_i the point of the load in frame i, G_i its torque. */
static void subtract_loads(const human *h, m4 *A, m4 *T, m4 *TB, number *Q) {
  for (int f = 0; f < h->nload; f++) {
    const load *l = &h->load[f];
    number at[4] = {l->point[0], l->point[1], l->point[2], 1};
    for (int i = l->joint; i >= 0; i = parent_of[i] - 1) {
      const int p = parent_of[i] - 1;
      number next[4] = {0};
      for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 4; k++) { Q[i] -= l->force[c] * TB[i][c][k] * at[k]; }
        if (i >= 3) { Q[i] -= l->torque[c] * (p < 0 ? c == 2 : T[p][c][2]); }
      }
      for (int k = 0; k < 16; k++) { next[k / 4] += A[i][k / 4][k % 4] * at[k % 4]; }
      memcpy(at, next, sizeof at);
    }
  }
}

/* S4 (5), then H_i = J_i R_i' + sum A_p H_p, E_i = m_i r_i + sum A_p E_p, and (9). */
static void recursion(const human *h, const number *q, const number *qd, const number *qdd, number *Q) {
  static m4 A[N], T[N], S[N], R[N], TB[N], H[N];
  number E[N][4] = {{0}};
  for (int i = 0; i < N; i++) {
    const int p = parent_of[i] - 1, prismatic = i < 3;
    m4 B, C, one = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, zero = {{0}};
    m4 *Tp = p < 0 ? &one : &T[p], *Sp = p < 0 ? &zero : &S[p], *Rp = p < 0 ? &zero : &R[p];
    link_matrix(h->r[i].theta + (prismatic ? 0 : q[i]), h->r[i].d + (prismatic ? q[i] : 0), h->r[i].a, h->r[i].alpha,
                A[i]);
    derived(prismatic, A[i], B);
    derived(prismatic, B, C);
    multiply(T[i], *Tp, A[i]);
    multiply(TB[i], *Tp, B);
    multiply(S[i], *Sp, A[i]);
    add_product(S[i], qd[i], *Tp, B);
    multiply(R[i], *Rp, A[i]);
    add_product(R[i], 2 * qd[i], *Sp, B);
    add_product(R[i], qd[i] * qd[i], *Tp, C);
    add_product(R[i], qdd[i], *Tp, B);
  }
  memset(H, 0, sizeof H);
  for (int i = N - 1; i >= 0; i--) {
    const int p = parent_of[i] - 1;
    m4 J, Rt;
    inertia_matrix(h, i, J);
    for (int k = 0; k < 16; k++) { Rt[k / 4][k % 4] = R[i][k % 4][k / 4]; }
    add_product(H[i], 1, J, Rt);
    for (int k = 0; k < 3; k++) { E[i][k] += h->mass[i] * h->com[i][k]; }
    E[i][3] += h->mass[i];
    Q[i] = 0;
    for (int k = 0; k < 16; k++) { Q[i] += TB[i][k / 4][k % 4] * H[i][k % 4][k / 4]; }
    for (int k = 0; k < 4; k++) { Q[i] += gravity * TB[i][2][k] * E[i][k]; } /* its vector is along -z */
    if (p < 0) { continue; }
    add_product(H[p], 1, A[i], H[i]);
    for (int k = 0; k < 16; k++) { E[p][k / 4] += A[i][k / 4][k % 4] * E[i][k % 4]; }
  }
  subtract_loads(h, A, T, TB, Q);
}

/* ---- both ---- */

typedef struct both {
  human h;
  test_model q;
  mbd_inverse *v;
  int z[N], body[N]; /* coordinate and body of the library for a joint of S4 */
} both;

static both open_both(void) {
  both b = {.q = model_open("problems/human/human.ini")};
  mbd_error err = {0};
  mbd_topology *t;
  all_rows(b.h.r);
  must(mbd_topology_create(b.q.m, &t, &err), &err);
  for (int i = 0; i < N; i++) {
    mbd_body_report r;
    mbd_model_body(b.q.m, t->body[i], &r);
    b.z[i] = r.z0, b.body[i] = t->body[i];
    b.h.mass[i] = mbd_params_mass(b.q.p, t->body[i]);
    mbd_params_com(b.q.p, t->body[i], b.h.com[i]);
    mbd_params_inertia(b.q.p, t->body[i], b.h.J[i]);
  }
  mbd_topology_destroy(t);
  must(mbd_inverse_create(b.q.m, MBD_RTDYN0, FEET, &b.v, &err), &err);
  return b;
}

static void close_both(both *b) {
  mbd_inverse_destroy(b->v);
  model_close(&b->q);
}

/* q_i = sin 2 pi t, in both numberings alike; `by` of joint `joint` changed: 0 the coordinate, 1 its rate, 2 its acceleration. */
typedef struct change {
  int by, joint;
  number size;
} change;

static void library_torques(both *b, double t, change c, double Q[N]) {
  const double w = 2 * pi;
  double x[3][N], all[N];
  mbd_error err = {0};
  for (int i = 0; i < N; i++) { x[0][i] = sin(w * t), x[1][i] = w * cos(w * t), x[2][i] = -w * w * sin(w * t); }
  mbd_wrench feet[FEET];
  for (int f = 0; f < b->h.nload; f++) {
    const load *l = &b->h.load[f];
    feet[f].body = b->body[l->joint];
    memcpy(feet[f].point, l->point, sizeof l->point);
    memcpy(feet[f].force, l->force, sizeof l->force);
    memcpy(feet[f].torque, l->torque, sizeof l->torque);
  }
  x[c.by][b->z[c.joint]] += creal(c.size);
  must(mbd_inverse_dynamics(b->v, b->q.p, t, x[0], x[1], x[2], b->h.nload, feet, all, &err), &err);
  for (int i = 0; i < N; i++) { Q[i] = all[b->z[i]]; }
}

static void recursion_torques(const both *b, double t, change c, number Q[N]) {
  const double w = 2 * pi;
  number x[3][N];
  for (int i = 0; i < N; i++) { x[0][i] = sin(w * t), x[1][i] = w * cos(w * t), x[2][i] = -w * w * sin(w * t); }
  x[c.by][c.joint] += c.size;
  recursion(&b->h, x[0], x[1], x[2], Q);
}

static const change none = {0};

static void compare_torques(both *b) {
  for (int k = 0; k < SAMPLES; k++) {
    double Q[N], largest = 0;
    number expected[N];
    library_torques(b, k * interval, none, Q);
    recursion_torques(b, k * interval, none, expected);
    for (int i = 0; i < N; i++) { largest = fmax(largest, fabs(creal(expected[i]))); }
    for (int i = 0; i < N; i++) { CHECK_NEAR("torque", Q[i], creal(expected[i]), largest, 1e-14); }
  }
}

static void test_torques(void) {
  both b = open_both();
  compare_torques(&b);
  close_both(&b);
}

/* Both feet on the ground: S4 (9) with two forces and torques at once, on the right foot and on the left toes. */
static const load feet[FEET] = {{12 - 1, {0.02, 0.05, -0.01}, {30, -20, 420}, {3, -8, 2}},
                                {21 - 1, {0.01, -0.02, 0.03}, {-45, 15, 310}, {-4, 6, 1}}};

static void test_feet(void) {
  both b = open_both();
  double free[N], loaded[N];
  library_torques(&b, 0.2, none, free);
  b.h.nload = FEET;
  memcpy(b.h.load, feet, sizeof feet);
  compare_torques(&b);
  library_torques(&b, 0.2, none, loaded);
  CHECK_CLOSE("held up", free[0] - loaded[0], 420 + 310, 1e-11);
  CU_ASSERT(free[43 - 1] == loaded[43 - 1]); /* the head does not feel them */
  close_both(&b);
}

static int related(int i, int m) {
  for (int k = i + 1; k; k = parent_of[k - 1]) {
    if (k == m + 1) { return 1; }
  }
  for (int k = m + 1; k; k = parent_of[k - 1]) {
    if (k == i + 1) { return 1; }
  }
  return 0;
}

/* Every tenth sample, all 3 * 1849 entries: as the complex step of S4's recursion says, and exact zeros between branches. */
static void test_derivatives(void) {
  static double expected[3][N][N];
  both b = open_both();
  b.h.nload = FEET;
  memcpy(b.h.load, feet, sizeof feet);
  for (int k = 0; k < SAMPLES; k += 10) {
    const double h = 1e-30;
    const double *D[3];
    double Q[N], largest[3] = {0};
    library_torques(&b, k * interval, none, Q);
    mbd_inverse_jacobian(b.v, &D[0], &D[1], &D[2]);
    for (int by = 0; by < 3; by++) {
      for (int m = 0; m < N; m++) {
        number changed[N];
        recursion_torques(&b, k * interval, (change){by, m, I * h}, changed);
        for (int i = 0; i < N; i++) {
          expected[by][i][m] = cimag(changed[i]) / h;
          largest[by] = fmax(largest[by], fabs(expected[by][i][m]));
        }
      }
    }
    int zeros = 0;
    for (int c = 0; c < 3 * N * N; c++) {
      const int by = c / (N * N), i = c / N % N, m = c % N;
      const double got = D[by][N * b.z[i] + b.z[m]];
      CHECK_NEAR("derivative", got, expected[by][i][m], largest[by], 1e-14);
      CU_ASSERT(related(i, m) || got == 0);
      zeros += !related(i, m);
    }
    CU_ASSERT_EQUAL(zeros, 3 * (N * N - 747));
    CU_ASSERT(D[0][N * b.z[42 - 1] + b.z[18 - 1]] == 0); /* the example of S4: dQ42/dq18 */
  }
  close_both(&b);
}

/* S4, figures 4 and 5: torque, joint, 0 q, 1 qd, 2 qdd; numbers from 1. S4 finds spikes of the differences at 0.5 and 1 s in the fourth,
 * where q14 and Q18 vanish; here curves and differences are smooth there. */
static const struct {
  int torque, joint, by;
} figures[] = {{20, 5, 0}, {30, 25, 1}, {42, 22, 2}, {18, 14, 0}, {18, 14, 1}, {18, 14, 2}};

/* Second difference over three samples. */
static double bend(const double *y, int k) {
  return fabs(y[k - 1] - 2 * y[k] + y[k + 1]);
}

static void test_figures(void) {
  both b = open_both();
  for (int f = 0; f < 6; f++) {
    const int i = figures[f].torque - 1, m = figures[f].joint - 1, by = figures[f].by;
    const double h = 1e-5;
    double y[SAMPLES], sum = 0, size = 0, sharpest = 0;
    for (int k = 0; k < SAMPLES; k++) {
      const double *D[3];
      double Q[N], high[N], low[N];
      library_torques(&b, k * interval, (change){by, m, h}, high);
      library_torques(&b, k * interval, (change){by, m, -h}, low);
      library_torques(&b, k * interval, none, Q);
      mbd_inverse_jacobian(b.v, &D[0], &D[1], &D[2]);
      y[k] = D[by][N * b.z[i] + b.z[m]];
      const double error = y[k] - (high[i] - low[i]) / (2 * h);
      sum += error * error;
      size = fmax(size, fabs(y[k]));
    }
    /* seen: 1e-10 to 3e-9 of the largest value, the rounding of the differences */
    CHECK_NEAR("RMS against differences", sqrt(sum / SAMPLES), 0, size, 1e-8);
    CU_ASSERT(size > 1e-3);
    for (int k = 1; k + 1 < SAMPLES; k++) { sharpest = fmax(sharpest, bend(y, k)); }
    for (int k = 49; k <= 51; k++) { CU_ASSERT(bend(y, k) <= sharpest && bend(y, k + 50) <= sharpest); }
    CU_ASSERT(sharpest < 0.2 * size);
  }
  close_both(&b);
}

/* ---- the spikes ---- */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A torque, by the library or by S4's recursion. */
static double one_torque(both *b, int by_recursion, double t, change c, int torque) {
  double Q[N];
  number R[N];
  if (by_recursion) {
    recursion_torques(b, t, c, R);
    return creal(R[torque]);
  }
  library_torques(b, t, c, Q);
  return Q[torque];
}

/* The adaptive difference of a torque, after the scheme of the tool that S4 names: central differences with the steps 100 size 2^-k, without
 * their terms h^2 and h^4 (Richardson); the difference of neighbours is their error. The three least and the three largest estimates are
 * left out, and of the others the one with the least error is the derivative. */
static double adaptive_difference(both *b, int by_recursion, double t, change c, int torque, double size) {
  enum { STEPS = 26, ESTIMATES = STEPS - 2, TRIM = 3 };
  double D[STEPS], estimate[ESTIMATES], sorted[ESTIMATES - 1][2];
  for (int k = 0; k < STEPS; k++) {
    const double h = ldexp(100 * size, -k);
    const change high = {c.by, c.joint, h}, low = {c.by, c.joint, -h};
    D[k] = (one_torque(b, by_recursion, t, high, torque) - one_torque(b, by_recursion, t, low, torque)) / (2 * h);
  }
  for (int k = 0; k < ESTIMATES; k++) { estimate[k] = (64 * D[k + 2] - 20 * D[k + 1] + D[k]) / 45; }
  for (int k = 0; k < ESTIMATES - 1; k++) {
    sorted[k][0] = estimate[k], sorted[k][1] = fabs(estimate[k] - estimate[k + 1]);
  }
  qsort(sorted, ESTIMATES - 1, sizeof sorted[0], ascending);
  int best = TRIM;
  for (int k = TRIM; k < ESTIMATES - 1 - TRIM; k++) { best = sorted[k][1] < sorted[best][1] ? k : best; }
  return sorted[best][0];
}

/* That tool takes steps relative to what varies, unless this is exactly 0. At t = 0 sin 2 pi t is; at 0.5 and 1 s it is 1.2e-16 and
 * -2.4e-16, so that no step is longer than 2.4e-14, most differences of torques are exactly 0, and 0 +- 0 is the estimate: a spike of the
 * derivatives by coordinates and accelerations, unless they are 0 themselves. By the rates, which do not vanish there, there are none, nor
 * with steps relative to 1. Of the three of figure 5 dQ18/dq14 alone has the spikes, as S4 shows; Q18 does not vanish. */
static void test_spikes(void) {
  both b = open_both();
  for (int f = 0; f < 6; f++) {
    const int i = figures[f].torque - 1, m = figures[f].joint - 1, by = figures[f].by;
    for (int k = 0; k <= 100; k += 25) {
      const double t = k * interval, w = 2 * pi, of[] = {sin(w * t), w * cos(w * t), -w * w * sin(w * t)};
      const change c = {by, m, 0};
      const double *D[3];
      double Q[N];
      library_torques(&b, t, none, Q);
      mbd_inverse_jacobian(b.v, &D[0], &D[1], &D[2]);
      const double exact = D[by][N * b.z[i] + b.z[m]], size = fmax(1, fabs(exact)), x = fabs(of[by]);
      const int lost = x > 0 && x < 1e-13;
      if (k == 50 && f == 3) { CU_ASSERT(lost && fabs(exact) > 7 && fabs(Q[i]) > 7); }
      for (int by_recursion = 0; by_recursion <= (f == 3); by_recursion++) {
        const double absolute = adaptive_difference(&b, by_recursion, t, c, i, 1);
        const double relative = adaptive_difference(&b, by_recursion, t, c, i, x > 0 ? x : 1);
        CHECK_NEAR("steps relative to 1", absolute, exact, size, 1e-9);
        CHECK_NEAR("steps relative to what varies", relative, lost ? 0 : exact, size, 1e-9);
      }
    }
  }
  close_both(&b);
}

/* ---- the kinematic cases ---- */

typedef struct seen {
  int joint; /* from 1 */
  const char *coordinate;
  double torque;
} seen;

/* Forces of drives at t = 0.37, for `drive.*` and `stance` of the model; they are in proportion to the mass of the body. */
static void check_drives(const char *drive, int stance, int n, const seen *list) {
  char path[] = "/tmp/mbopt_run_XXXXXX", text[3000];
  double c[8], g[1], jac[8];
  int used = snprintf(text, sizeof text,
                      "schema = 1\n[model]\nfile = %s/problems/human/human.ini\n[scalars]\nstance = %d\n[design mass]\n"
                      "[case wave]\nanalysis = kinematic\nduration = 0.37\nstep = 0.01\ndrive.* = %s\n"
                      "[objective effort]\nof = drive.trunk.flexion.angle.drive_force\nform = mean_square\n",
                      MBOPT_SOURCE_DIR, stance, drive);
  for (int i = 0; i < n; i++) {
    used +=
        snprintf(text + used, sizeof text - (size_t)used,
                 "[constraint c%d]\nof = drive.%s.drive_force\nform = terminal\nupper = 1e9\n", i, list[i].coordinate);
  }
  write_file(path, text);
  opened_run r = run_read(path, 0, NULL);
  mbo_problem p;
  mbo_eval v = {.c = c, .g = g, .jac = jac};
  mechanism_problem(r.m, &p);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &v);
  for (int i = 0; i < n; i++) {
    const double scale = fmax(fabs(list[i].torque), 1);
    CHECK_NEAR(list[i].coordinate, c[i], list[i].torque, scale, 1e-12);
    CHECK_NEAR("all masses in proportion", jac[i], list[i].torque / 73, scale, 1e-13);
  }
  run_close(&r);
  unlink(path);
}

/* What the drives exert is what inverse dynamics gives, also where the ground is two forces of the model. */
static void test_drives(void) {
  seen list[] = {{1, "pelvis_z.distance", 0},
                 {5, "pelvis_roll.angle", 0},
                 {18, "left_leg.knee_rotation.angle", 0},
                 {43, "head.tilt.angle", 0}};
  enum { SEEN = sizeof list / sizeof list[0] };
  const double half = 73 * gravity / 2, point[2] = {0.3 * 0.039 * 1.741, 0.47 * 0.2581};
  both b = open_both();
  for (int stance = 0; stance < 2; stance++) {
    double Q[N];
    b.h.nload = stance * FEET;
    b.h.load[0] = (load){12 - 1, {point[0], point[1], 0}, {0, 0, half}, {0}};
    b.h.load[1] = (load){20 - 1, {-point[0], -point[1], 0}, {0, 0, half}, {0}};
    library_torques(&b, 0.37, none, Q);
    for (int i = 0; i < SEEN; i++) { list[i].torque = Q[list[i].joint - 1]; }
    check_drives("wave", stance, SEEN, list);
  }
  close_both(&b);
}

/* At rest on both feet, by hand: the ground carries the body; of a collarbone the drive holds an arm up; at hips, knees and ankles it holds
 * half of the weight less the parts of the feet, which alone are not above the soles: one foot's moment about the ankle. */
static void test_rest(void) {
  const double arm = (0.0271 + 0.0162 + 0.0061) * 73, foot = 0.0137 * 73, length = 0.2581;
  const double ankle = -foot * gravity * (0.4415 - 0.25) * length;
  const seen list[] = {{1, "pelvis_z.distance", 0},
                       {5, "pelvis_roll.angle", 0},
                       {24, "right_arm.collarbone_depression.angle", -arm * gravity * 0.129 * 1.741},
                       {33, "left_arm.collarbone_depression.angle", -arm * gravity * 0.129 * 1.741},
                       {14, "left_leg.hip_extension.angle", ankle},
                       {9, "right_leg.knee_flexion.angle", ankle},
                       {11, "right_leg.ankle_flexion.angle", ankle}};
  check_drives("0", 1, sizeof list / sizeof list[0], list);
}

/* ---- motions that are designed ---- */

/* The design at which the search for a reaching motion begins stands still on both feet, a quarter of the weight on each heel and ball. By
 * hand: the collarbones hold the arms (test_rest), the ankles, knees and hips what the ground presses in front of them less the foot, the
 * toes their weight; the ground carries the body but turns it; the finger hangs. */
static double standing_objective(void) {
  const double g = gravity, foot = 0.0137 * 73, length = 0.2581, toes = 0.28 * length, shoulder = 0.129 * 1.741;
  const double arm = (0.0271 + 0.0162 + 0.0061) * 73 * g * shoulder;
  const double forward = 73 * g / 2 * (0.47 - 0.25) / 2 * length - foot * g * (0.4415 - 0.25) * length;
  const double toe = 0.138 * foot * g * toes / 2, turning = 2 * forward;
  const double effort =
      2 * (pow(arm / 80, 2) + pow(forward / 180, 2) + pow(forward / 180, 2) + pow(forward / 120, 2) + pow(toe / 15, 2));
  const double sole = -0.4222 - 0.4403 - 0.039 * 1.741, tip = 0.5155 - 0.2817 - 0.2689 - 0.1879;
  const double distance = pow(0.75, 2) + pow(0.3 - shoulder, 2) + pow(sole + 1.3 - tip, 2);
  return effort + 1e-2 * turning * turning + 1e3 * distance;
}

/* The objective of standing, and the gradient by all variables near it: by direct differentiation and by the discrete adjoint. */
static void test_reach(void) {
  enum { VARIABLES = 335 };
  static double g[2][VARIABLES], x[VARIABLES];
  double largest = 0;
  for (int method = 0; method < 2; method++) {
    const char *set[] = {"case.reach.step=T/6", "optimizer.backend=lbfgsb", "optimizer.hessian=limited_memory",
                         method ? "gradient.method=discrete_adjoint" : "gradient.method=direct"};
    opened_run r = run_open("configs/human_reach.ini", 4, set);
    mbo_problem p;
    mbo_eval v = {.g = g[method]};
    mechanism_problem(r.m, &p);
    CU_ASSERT_EQUAL_FATAL(p.n, VARIABLES);
    run_evaluate(&p, p.start, MBO_REQUEST_VALUE, &v);
    CHECK_NEAR("standing", v.f, standing_objective(), v.f, 1e-12);
    for (int i = 0; i < p.n; i++) { x[i] = p.start[i] + 0.05 * p.scale[i] * sin(1 + 7 * i); }
    run_evaluate(&p, x, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &v);
    run_close(&r);
  }
  for (int i = 0; i < VARIABLES; i++) { largest = fmax(largest, fabs(g[0][i])); }
  for (int i = 0; i < VARIABLES; i++) { CHECK_NEAR("direct and adjoint", g[1][i], g[0][i], largest, 1e-12); }
}

TEST_MAIN(TEST(test_graph), TEST(test_torques), TEST(test_feet), TEST(test_derivatives), TEST(test_figures),
          TEST(test_spikes), TEST(test_drives), TEST(test_rest), TEST(test_reach))
