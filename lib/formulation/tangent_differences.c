/* K and C by forward differences of the residual. Columns that have no row in common are taken in one difference: the
 * tree and the elements determine where K and C can differ from zero. A chain of n coordinates, whose columns have rows
 * in common, takes n differences for each matrix; a linkage of many chains takes hardly more than one of its chains.
 * The increment of x is 1.5e-8 (1 + |x|), the square root of the rounding error, so that half of the digits are
 * correct.
 * Equations: theory.md §5.1 (5.3); S3 (20). */
#include <stdlib.h>
#include <string.h>

#include "formulation/tangent.h"

typedef struct differences {
  mbd_nonzeros at; /* the formulation's */
  int ncolour, *colour, *mark;
  mbd_real *x, *step;     /* [nz] the perturbed argument, its increments */
  mbd_real *r0, *r, *phi; /* [nz], [nphi] */
  mbd_arena arena;
} differences;

/* Greedy, in the order of the columns. mark [n]: for each colour, the last column that must not have it. */
static int colours(int n, const mbd_nonzeros *at, int *colour, int *mark) {
  int used = 0;
  for (int k = 0; k < n; k++) { mark[k] = -1; }
  for (int j = 0; j < n; j++) {
    for (int p = 0; p < at->count[j]; p++) {
      const int i = mbd_nonzeros_row(at, j, n)[p];
      for (int q = 0; q < at->count[i]; q++) {
        const int k = mbd_nonzeros_row(at, i, n)[q];
        if (k < j) { mark[colour[k]] = j; }
      }
    }
    int c = 0;
    while (c < used && mark[c] == j) { c++; }
    if (c == used) { used++; }
    colour[j] = c;
  }
  return used;
}

static void differences_layout(differences *tangent, const mbd_model *m, mbd_arena *a) {
  const size_t n = (size_t)m->nz;
  MBD_ARENA_REALS(a, n, &tangent->x, &tangent->step, &tangent->r0, &tangent->r);
  tangent->phi = mbd_arena_real(a, (size_t)m->nphi + 1);
  tangent->colour = mbd_arena_take(a, n * sizeof *tangent->colour);
  tangent->mark = mbd_arena_take(a, n * sizeof *tangent->mark);
}

static mbd_status differences_create(mbd_sim *s, const mbd_nonzeros *at, mbd_error *err) {
  differences *tangent = s->tangent_memory = calloc(1, sizeof *tangent);
  if (!tangent) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for differences of the residual"); }
  while (mbd_arena_pass(&tangent->arena)) { differences_layout(tangent, s->m, &tangent->arena); }
  MBD_TRY(mbd_arena_check(&tangent->arena, "differences of the residual", err));
  tangent->at = *at;
  tangent->ncolour = colours(s->m->nz, at, tangent->colour, tangent->mark);
  return MBD_OK;
}

static void differences_destroy(void *memory) {
  differences *tangent = memory;
  if (!tangent) { return; }
  free(tangent->arena.base);
  free(tangent);
}

/* x := x0, with an increment in the columns of one colour */
static void perturb(const mbd_sim *s, differences *tangent, int c, const mbd_real *x0) {
  static const double root = 1.5e-8;
  for (int j = 0; j < s->m->nz; j++) {
    tangent->x[j] = x0[j];
    if (tangent->colour[j] != c) { continue; }
    tangent->x[j] += root * (1 + mbd_largest(x0[j]));
    tangent->step[j] = tangent->x[j] - x0[j]; /* the increment after rounding */
  }
}

/* Stores the columns of one colour of A, computed from r and r0. */
static void differences_store(const mbd_sim *s, const differences *tangent, int c, mbd_real *A) {
  const int n = s->m->nz;
  for (int i = 0; i < n; i++) {
    for (int p = 0; p < tangent->at.count[i]; p++) {
      const int j = mbd_nonzeros_row(&tangent->at, i, n)[p];
      if (tangent->colour[j] == c) {
        A[mbd_entry(&tangent->at, n, i, j)] = (tangent->r[i] - tangent->r0[i]) / tangent->step[j];
      }
    }
  }
}

static void differences_evaluate(mbd_sim *s, const tangent_motion *at, mbd_real *K, mbd_real *C) {
  differences *tangent = s->tangent_memory;
  /* C = dr/dzd: reactions do not depend on zd, so r alone is differenced. */
  motion_residual(s->w, tangent->r0);
  for (int c = 0; c < tangent->ncolour; c++) {
    perturb(s, tangent, c, at->zd);
    motion_move(s->w, tangent->x, at->zdd, 1);
    motion_residual(s->w, tangent->r);
    differences_store(s, tangent, c, C);
  }
  /* K = d(r + Phi_z' lam)/dz at fixed zd, zdd, lam. */
  motion_move(s->w, at->zd, at->zdd, 1);
  motion_residual_held(s->w, s->eq, at->lam, tangent->phi, tangent->r0);
  for (int c = 0; c < tangent->ncolour; c++) {
    perturb(s, tangent, c, at->z);
    motion_place(s->w, s->p, s->t, tangent->x);
    motion_move(s->w, at->zd, at->zdd, 1);
    motion_residual_held(s->w, s->eq, at->lam, tangent->phi, tangent->r);
    differences_store(s, tangent, c, K);
  }
  /* The work holds the unperturbed motion again. */
  motion_place(s->w, s->p, s->t, at->z);
  motion_move(s->w, at->zd, at->zdd, 1);
}

const mbd_tangent_ops mbd_tangent_differences = {
    .name = "differences",
    .doc =
        "By differences of the residual, one for all columns that have no row in common. Newton's iteration takes "
        "about as many "
        "corrections and ends at the same solution; gradients are those of the analytic tangent.",
    .create = differences_create,
    .destroy = differences_destroy,
    .evaluate = differences_evaluate,
};
