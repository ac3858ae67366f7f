/* The door to the mechanics (lib/dynamics/motion.h): what it gives does not depend on what was asked before, terms add up, and what is
 * not wanted changes nothing. That it is right the conformance tests say. */
#include "conformance/mechanism.h"

enum { BUGGY = N_CASES - 1 };

typedef struct matrices {
  double *K, *C, *M;
} matrices;

static matrices matrices_create(int n) {
  double *all = calloc(3 * (size_t)(n * n), sizeof *all);
  return (matrices){all, all + n * n, all + 2 * n * n};
}

static void jacobian(bench *b, const motion_terms *e, const mbd_nonzeros *at, const matrices *q) {
  motion_jacobian(b->w, e, at, q->K, q->C, NULL, q->M);
}

static void check_equal(const char *what, size_t n, const double *got, const double *expected) {
  for (size_t i = 0; i < n; i++) { CHECK_CLOSE(what, got[i], expected[i], 0); }
}

static void check_near(const char *what, size_t n, const double *got, const double *expected) {
  double size = 0;
  for (size_t i = 0; i < n; i++) { size = fmax(size, fabs(expected[i])); }
  for (size_t i = 0; i < n; i++) { CHECK_NEAR(what, got[i], expected[i], size, 1e-13); }
}

static bench open_buggy(void) {
  bench b = {0};
  open_bench(&b, BUGGY, MBD_RTDYN0);
  return b;
}

/* Derivatives after another motion, at another place, are those of a work that has seen nothing else. */
static void test_next_motion(void) {
  bench b = open_buggy();
  const int n = b.m->nz;
  const size_t size = (size_t)(n * n);
  const motion_terms e = motion_equations(rows_of(&b), b.lam);
  matrices fresh = matrices_create(n), again = matrices_create(n);
  double *z = calloc((size_t)n, sizeof *z);
  for (int j = 0; j < n; j++) { z[j] = b.z[j] + 0.01 * j; }
  sweep(&b, RESIDUAL);
  jacobian(&b, &e, NULL, &fresh);
  motion_move(b.w, b.zdd, b.zd, 0);
  jacobian(&b, &e, NULL, &again);
  motion_place(b.w, b.p, t, z);
  motion_move(b.w, NULL, b.zdd, 0);
  const motion_terms rest = {.inertia = 1, .rows = rows_of(&b)};
  motion_jacobian(b.w, &rest, NULL, again.K, NULL, NULL, NULL);
  sweep(&b, RESIDUAL);
  jacobian(&b, &e, NULL, &again);
  check_equal("K", size, again.K, fresh.K);
  check_equal("C", size, again.C, fresh.C);
  check_equal("M", size, again.M, fresh.M);
  free(z), free(fresh.K), free(again.K);
  close_bench(&b);
}

/* A residual takes the forces that a Jacobian at the same motion has evaluated, and none of another motion. */
static void test_forces_of_jacobian(void) {
  bench b = open_buggy();
  const int n = b.m->nz;
  const motion_terms e = motion_equations(rows_of(&b), b.lam);
  matrices q = matrices_create(n);
  double *r = calloc(3 * (size_t)n, sizeof *r), *faster = r + n, *after = faster + n;
  sweep(&b, RESIDUAL);
  motion_residual(b.w, r);
  motion_move(b.w, b.zdd, b.zd, 1);
  motion_residual(b.w, faster);
  sweep(&b, RESIDUAL);
  jacobian(&b, &e, NULL, &q);
  motion_residual(b.w, after);
  check_equal("the same motion", (size_t)n, after, r);
  motion_move(b.w, b.zdd, b.zd, 1);
  motion_residual(b.w, after);
  check_equal("other velocities at the same place", (size_t)n, after, faster);
  free(r), free(q.K);
  close_bench(&b);
}

/* r + Phi_z' lam is the sum of its terms, and so are its derivatives. */
static void test_terms(void) {
  bench b = open_buggy();
  const int n = b.m->nz, nc = b.m->ncoef;
  const size_t size = (size_t)(n * n);
  const motion_terms all = motion_equations(rows_of(&b), b.lam);
  const motion_terms part[] = {
      {.inertia = 1, .rows = all.rows}, {.forces = 1, .rows = all.rows}, {.rows = all.rows, .lam = b.lam}};
  matrices whole = matrices_create(n), one = matrices_create(n), sum = matrices_create(n);
  double *dr = calloc(3 * (size_t)n, sizeof *dr), *dr_one = dr + n, *dr_sum = dr_one + n;
  int *index = calloc((size_t)nc, sizeof *index);
  for (int i = 0; i < nc; i++) { index[i] = i; }
  mbd_dparams_set(b.d, b.p, nc, index, b.p->theta);
  sweep(&b, RESIDUAL);
  jacobian(&b, &all, NULL, &whole);
  motion_along(b.w, b.d, b.mu, b.z, b.zd);
  motion_direction(b.w, &all, dr, NULL, NULL, NULL);
  for (int i = 0; i < 3; i++) {
    jacobian(&b, &part[i], NULL, &one);
    motion_direction(b.w, &part[i], dr_one, NULL, NULL, NULL);
    for (size_t k = 0; k < size; k++) { sum.K[k] += one.K[k], sum.C[k] += one.C[k]; }
    for (int j = 0; j < n; j++) { dr_sum[j] += dr_one[j]; }
  }
  check_near("K", size, sum.K, whole.K);
  check_near("C", size, sum.C, whole.C);
  check_near("dr", (size_t)n, dr_sum, dr);
  free(index), free(dr), free(whole.K), free(one.K), free(sum.K);
  close_bench(&b);
}

/* K and C are overwritten at the listed places alone; M and C are left out; of a direction any part is there without the others. */
static void test_not_wanted(void) {
  bench b = open_buggy();
  const int n = b.m->nz, nrow = rows_of(&b).nrow;
  const motion_terms e = motion_equations(rows_of(&b), NULL);
  matrices all = matrices_create(n), listed = matrices_create(n);
  int *count = calloc((size_t)n, sizeof *count), *col = calloc((size_t)(n * n), sizeof *col);
  double *d = calloc(4 * (size_t)nrow, sizeof *d), *alone = d + 3 * nrow;
  sweep(&b, RESIDUAL);
  jacobian(&b, &e, NULL, &all);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const int used = all.K[i * n + j] != 0 || all.C[i * n + j] != 0;
      if (used) { col[i * n + count[i]++] = j; }
      listed.K[i * n + j] = used ? 1e9 : 7;
    }
  }
  motion_jacobian(b.w, &e, &(mbd_nonzeros){.count = count, .col = col}, listed.K, listed.C, NULL, NULL);
  int untouched = 0;
  for (int i = 0; i < n * n; i++) { /* elsewhere a zero may be written */
    if (all.K[i] != 0 || all.C[i] != 0) { CHECK_CLOSE("K at its places", listed.K[i], all.K[i], 0); }
    untouched += listed.K[i] == 7;
    CHECK_CLOSE("M", listed.M[i], 0, 0);
  }
  CU_ASSERT(untouched > 0);
  motion_along(b.w, NULL, b.mu, b.z, b.zd);
  motion_direction(b.w, &e, NULL, d, d + nrow, d + 2 * nrow);
  for (int order = 0; order < 3; order++) {
    motion_direction(b.w, &e, NULL, order == 0 ? alone : NULL, order == 1 ? alone : NULL, order == 2 ? alone : NULL);
    check_equal("a change of the rows alone", (size_t)nrow, alone, d + order * nrow);
  }
  free(count), free(col), free(d), free(all.K), free(listed.K);
  close_bench(&b);
}

/* Without the linearized elements a reverse pass has the coefficients that are no geometry, and no coordinates. */
static void test_coefficients_alone(void) {
  bench b = open_buggy();
  const int n = b.m->nz, nc = b.m->ncoef;
  double *full = calloc((size_t)(nc + n), sizeof *full), *z = full + nc;
  sweep(&b, RESIDUAL);
  motion_linearize(b.w, rows_of(&b), b.lam, &b.linear);
  reverse_begin(&b.q, b.w, b.theta), params_reverse_clear(b.theta);
  motion_reverse_residual(&b.q, &b.linear, b.mu);
  memcpy(full, b.theta->theta, (size_t)nc * sizeof *full); /* geometry comes from markers and joints, in the end */
  reverse_begin(&b.q, b.w, b.theta), params_reverse_clear(b.theta);
  motion_reverse_residual(&b.q, NULL, b.mu);
  check_equal("coefficients", (size_t)nc, b.theta->theta, full);
  reverse_coordinates(&b.q, z, NULL, NULL);
  for (int j = 0; j < n; j++) { CHECK_CLOSE("coordinates", z[j], 0, 0); }
  free(full);
  close_bench(&b);
}

TEST_MAIN(TEST(test_next_motion), TEST(test_forces_of_jacobian), TEST(test_terms), TEST(test_not_wanted),
          TEST(test_coefficients_alone))
