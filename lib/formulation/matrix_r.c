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

static void matrix_r_layout(matrix_r *member, size_t n, size_t k, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * n, &member->R, &member->MR, &member->I, &member->RMR);
  member->piv = mbd_arena_take(a, n * sizeof *member->piv);
  MBD_ARENA_REALS(a, n * k, &member->e, &member->w);
}

static mbd_status matrix_r_create(mbd_sim *s, void **memory, mbd_error *err) {
  const size_t n = (size_t)s->m->nz, k = (size_t)ss_columns(s);
  matrix_r *member = calloc(1, sizeof *member);
  *memory = member;
  if (!member) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for Matrix R"); }
  while (mbd_arena_pass(&member->arena)) { matrix_r_layout(member, n, k, &member->arena); }
  MBD_TRY(mbd_arena_check(&member->arena, "Matrix R", err));
  return matrices_create(s, &member->x, err);
}

static void matrix_r_destroy(void *memory) {
  matrix_r *member = memory;
  matrices_destroy(&member->x);
  free(member->arena.base);
  free(member);
}

static mbd_status matrix_r_factor(mbd_sim *s, void *memory, mbd_error *err) {
  matrix_r *member = memory;
  independent *indep = ss_of(s)->indep;
  const int n = s->m->nz, nf = indep->nrate;
  const size_t bytes = sizeof *member->R;
  memset(member->I, 0, (size_t)nf * (size_t)nf * bytes);
  for (int f = 0; f < nf; f++) { member->I[f * nf + f] = 1; }
  independent_velocities(indep, nf, NULL, member->I, member->R);
  motion_mass(s->w, &member->x.M_at, member->x.M);
  memset(member->MR, 0, (size_t)n * (size_t)nf * bytes);
  mbd_mul_add_at(n, n, nf, 1, member->x.M, &member->x.M_at, member->R, member->MR);
  independent_velocities_T(indep, nf, member->MR, NULL, member->RMR);
  return nf == 0 || mbd_lu_factor(nf, member->RMR, member->piv) == MBD_OK ? MBD_OK : mass_missing(s, err);
}

/* Compares R'(f - M x), which the multipliers cannot balance, with its size before the solution; it fails if the ratio is too large. */
static mbd_status matrix_r_answer(int size, double sides, const mbd_real *left, mbd_error *err) {
  const double max = mbd_norm_inf(size, left);
  if (max <= accepted * sides) { return MBD_OK; }
  if (isnan(max)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "accelerations in independent coordinates are not exact: a residual of %.3g of the forces (a nearly singular "
      "position: formulation = ali3p, or other 'independent' coordinates)",
      max / sides);
}

static mbd_status matrix_r_solve(mbd_sim *s, void *memory, int k, const mbd_real *f, const mbd_real *g, mbd_real *x,
                                 mbd_real *y, mbd_error *err) {
  matrix_r *member = memory;
  independent *indep = ss_of(s)->indep;
  const int n = s->m->nz, nf = indep->nrate;
  const size_t bytes = (size_t)n * (size_t)k * sizeof *f;
  const mbd_nonzeros *at = k > 2 || member->x.sparse ? &member->x.M_at : NULL;
  independent_velocities(indep, k, g, NULL, x);
  memcpy(member->e, f, bytes);
  mbd_mul_add_at(n, n, k, -1, member->x.M, at, x, member->e);
  independent_velocities_T(indep, k, member->e, NULL, member->w);
  const double sides = mbd_norm_inf(nf * k, member->w) + mbd_norm_inf(n * k, f);
  mbd_lu_solve(nf, member->RMR, member->piv, k, member->w);
  independent_velocities(indep, k, g, member->w, x);
  memcpy(member->e, f, bytes);
  mbd_mul_add_at(n, n, k, -1, member->x.M, at, x, member->e);
  independent_velocities_T(indep, k, member->e, s->m->nphi ? y : NULL, member->w);
  return matrix_r_answer(nf * k, sides, member->w, err);
}

static matrices *matrices_of(const mbd_sim *s) {
  return &((matrix_r *)ss_of(s)->ops_memory)->x;
}

static const ss_ops projected = {
    .create = matrix_r_create, .destroy = matrix_r_destroy, .factor = matrix_r_factor, .solve = matrix_r_solve};

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
    .velocities = 1,
    SS_FORMULATION};
