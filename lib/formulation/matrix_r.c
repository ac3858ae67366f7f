/* Matrix R (theory.md §5; S1): the equations of motion projected on the motions that the constraints allow. With x = S g + R w,
 *   (R' M R) w = R'(f - M S g),     y = S'(f - M x) */
#include <stdlib.h>
#include <string.h>

#include "formulation/mass.h"
#include "formulation/state_space.h"

static const double accepted = 1e-9; /* residual of a solution, relative to its right-hand sides */

typedef struct matrix_r {
  matrices x;
  mbd_real *R, *MR; /* [nz][nf] */
  mbd_real *I;      /* [nf][nf] */
  mbd_real *RMR;    /* [nf][nf] factors */
  int *piv;         /* [nf] */
  mbd_real *e, *w;  /* [nz][k], [nf][k] */
  mbd_arena arena;
} matrix_r;

static void layout(matrix_r *q, size_t n, size_t k, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * n, &q->R, &q->MR, &q->I, &q->RMR);
  q->piv = mbd_arena_take(a, n * sizeof *q->piv);
  MBD_ARENA_REALS(a, n * k, &q->e, &q->w);
}

static mbd_status create(mbd_sim *s, void **own, mbd_error *err) {
  const size_t n = (size_t)s->m->nz, k = (size_t)ss_columns(s);
  matrix_r *q = calloc(1, sizeof *q);
  *own = q;
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for Matrix R"); }
  while (mbd_arena_pass(&q->arena)) { layout(q, n, k, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "Matrix R", err));
  return matrices_create(s, &q->x, err);
}

static void destroy(void *own) {
  matrix_r *q = own;
  matrices_destroy(&q->x);
  free(q->arena.base);
  free(q);
}

static mbd_status factor(mbd_sim *s, void *own, mbd_error *err) {
  matrix_r *q = own;
  independent *indep = ss_of(s)->indep;
  const int n = s->m->nz, nf = indep->nf;
  const size_t bytes = sizeof *q->R;
  memset(q->I, 0, (size_t)nf * (size_t)nf * bytes);
  for (int f = 0; f < nf; f++) { q->I[f * nf + f] = 1; }
  independent_solve(indep, nf, NULL, q->I, q->R);
  motion_mass(s->w, &q->x.M_at, q->x.M);
  memset(q->MR, 0, (size_t)n * (size_t)nf * bytes);
  mbd_mul_add_at(n, n, nf, 1, q->x.M, &q->x.M_at, q->R, q->MR);
  independent_solve_T(indep, nf, q->MR, NULL, q->RMR);
  return nf == 0 || mbd_lu_factor(nf, q->RMR, q->piv) == MBD_OK ? MBD_OK : mass_missing(s, err);
}

/* Compares R'(f - M x), which the multipliers cannot balance, with its size before the solution; it fails if the ratio is too large. */
static mbd_status answer(int size, double sides, const mbd_real *left, mbd_error *err) {
  const double max = mbd_norm_inf(size, left);
  if (max <= accepted * sides) { return MBD_OK; }
  if (isnan(max)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "accelerations in independent coordinates are not exact: a residual of %.3g of the forces (a nearly singular "
      "position: formulation = ali3p, or other 'independent' coordinates)",
      max / sides);
}

static mbd_status solve(mbd_sim *s, void *own, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                        mbd_error *err) {
  matrix_r *q = own;
  independent *indep = ss_of(s)->indep;
  const int n = s->m->nz, nf = indep->nf;
  const size_t bytes = (size_t)n * (size_t)k * sizeof *f;
  const mbd_nonzeros *at = k > 2 || q->x.sparse ? &q->x.M_at : NULL;
  independent_solve(indep, k, g, NULL, x);
  memcpy(q->e, f, bytes);
  mbd_mul_add_at(n, n, k, -1, q->x.M, at, x, q->e);
  independent_solve_T(indep, k, q->e, NULL, q->w);
  const double sides = mbd_norm_inf(nf * k, q->w) + mbd_norm_inf(n * k, f);
  mbd_lu_solve(nf, q->RMR, q->piv, k, q->w);
  independent_solve(indep, k, g, q->w, x);
  memcpy(q->e, f, bytes);
  mbd_mul_add_at(n, n, k, -1, q->x.M, at, x, q->e);
  independent_solve_T(indep, k, q->e, s->m->nphi ? y : NULL, q->w);
  return answer(nf * k, sides, q->w, err);
}

static matrices *matrices_of(const mbd_sim *s) {
  return &((matrix_r *)ss_of(s)->own)->x;
}

static const ss_ops projected = {.create = create, .destroy = destroy, .factor = factor, .solve = solve};

extern const mbd_formulation_ops mbd_formulation_natural_matrix_r;

const mbd_formulation_ops mbd_formulation_matrix_r = {
    .name = "matrix_r",
    .doc =
        "Equations of motion projected on the motions that the constraints allow (Matrix R): an ordinary differential "
        "equation in independent coordinates, joint or natural, for open and closed loops; state space.",
    .in_natural = &mbd_formulation_natural_matrix_r,
    .space = &projected,
    .matrices = matrices_of,
    .tangent = 1,
    SS_FORMULATION};
