/* Matrix R in natural coordinates, as a member of the state-space family: its choice of independent coordinates, states between nodes, and the
 * dynamic problem
 *   M x + Phi_q' y = f,  Phi_q x = g:     x = S g + R w,   (R' M R) w = R'(f - M S g),     y = S'(f - M x)
 * Equations: theory.md §5.3 (5.7a). */
#include <stdlib.h>
#include <string.h>

#include "formulation/natural_matrix_r.h"

static natural_matrix_r *owner_of(const mbd_sim *s) {
  return (natural_matrix_r *)(void *)natural_run_around(s);
}

static mbd_status natural_choice(mbd_sim *s, int kmax, independent **out, mbd_error *err) {
  return natural_independent_create(&owner_of(s)->base, ss_of(s)->max_free, kmax, out, err);
}

/* Computes the joint coordinates of a state between nodes; their guess is extrapolated from the last node of the run. */
static mbd_status show_state(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  natural_matrix_r *member = owner_of(s);
  mbd_sim *run = *seen = member->base.run;
  const sim_state before = run->before;
  const double h = run->h;
  run->t = s->t;
  run->before.z = member->z_stage, run->before.zd = member->zd_stage, run->before.zdd = member->zdd_stage;
  run->h = mbd_same(s->t) - member->t_node;
  mbd_status status = natural_write_back(run, err);
  run->before = before, run->h = h;
  if (status == MBD_OK && s->np > 0) { status = natural_sens_joints(run, err); }
  return status;
}

/* ---- R'MR ---- */

static const double accepted = 1e-9; /* residual of a solution, relative to its right-hand sides */

typedef struct projected {
  mbd_real *MR;  /* [nq][nf] */
  mbd_real *RMR; /* [nf][nf] factors */
  int *piv;
  mbd_real *e, *w; /* [nq][k], [nf][k] */
  mbd_real *none;  /* [nf][k] */
  mbd_real *R, *I; /* with velocity constraints: R of the independent rates [nq][nf], and a unit matrix */
  mbd_arena arena;
} projected;

static natural_independent *indep_of(const mbd_sim *s) {
  return (natural_independent *)ss_of(s)->indep;
}

static mbd_status projected_create(mbd_sim *s, void **memory, mbd_error *err) {
  const size_t n = (size_t)ss_of(s)->n + 1, nf = (size_t)ss_of(s)->max_free + 1, k = (size_t)ss_columns(s);
  projected *system = calloc(1, sizeof *system);
  *memory = system;
  if (!system) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for Matrix R"); }
  while (mbd_arena_pass(&system->arena)) {
    system->MR = mbd_arena_real(&system->arena, n * nf), system->RMR = mbd_arena_real(&system->arena, nf * nf);
    system->piv = mbd_arena_take(&system->arena, nf * sizeof *system->piv);
    system->e = mbd_arena_real(&system->arena, n * k);
    MBD_ARENA_REALS(&system->arena, nf * k, &system->w, &system->none);
    if (s->m->nvelocity > 0) {
      system->R = mbd_arena_real(&system->arena, n * nf), system->I = mbd_arena_real(&system->arena, nf * nf);
    }
  }
  return mbd_arena_check(&system->arena, "Matrix R", err);
}

static void projected_destroy(void *memory) {
  projected *system = memory;
  free(system->arena.base);
  free(system);
}

static mbd_packed mass_of(const mbd_sim *s) {
  return owner_of(s)->M;
}

/* R of the independent rates at the current factors. */
static const mbd_real *rates_R(mbd_sim *s, projected *system) {
  independent *indep = ss_of(s)->indep;
  const int nf = indep->nrate;
  if (!indep->velocity) { return natural_independent_R(indep_of(s)); }
  memset(system->I, 0, (size_t)nf * (size_t)nf * sizeof *system->I);
  for (int f = 0; f < nf; f++) { system->I[f * nf + f] = 1; }
  independent_velocities(indep, nf, NULL, system->I, system->R);
  return system->R;
}

static mbd_status projected_factor(mbd_sim *s, void *memory, mbd_error *err) {
  projected *system = memory;
  const int n = ss_of(s)->n, nf = ss_of(s)->indep->nrate;
  const mbd_packed M = mass_of(s);
  const mbd_real *R = rates_R(s, system);
  memset(system->MR, 0, (size_t)n * (size_t)nf * sizeof *system->MR);
  memset(system->RMR, 0, (size_t)nf * (size_t)nf * sizeof *system->RMR);
  mbd_packed_mul_add(n, nf, 1, &M, R, system->MR);
  mbd_mulT_add(n, nf, nf, 1, R, system->MR, system->RMR);
  if (nf == 0 || mbd_lu_factor(nf, system->RMR, system->piv) == MBD_OK) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR,
           "the mass matrix is singular on the motions that the constraints allow: a coordinate moves without inertia");
}

static mbd_status projected_solve(mbd_sim *s, void *memory, int k, const mbd_real *f, const mbd_real *g, mbd_real *x,
                                  mbd_real *y, mbd_error *err) {
  projected *system = memory;
  natural_independent *indep = indep_of(s);
  const int n = ss_of(s)->n, nf = indep->base.nrate;
  const size_t bytes = (size_t)n * (size_t)k * sizeof *f, of_w = (size_t)nf * (size_t)k * sizeof *f;
  const mbd_packed M = mass_of(s);
  const mbd_real *R = indep->base.velocity ? system->R : natural_independent_R(indep);
  /* x = S g. */
  independent_velocities(&indep->base, k, g, NULL, x);
  /* (R' M R) w = R' (f - M S g), x += R w, theory.md §5.3 (5.7a). */
  /* y = S' (f - M x). R' (f - M x) would be zero without rounding: its size tells whether the solution is accurate. */
  memcpy(system->e, f, bytes);
  mbd_packed_mul_add(n, k, -1, &M, x, system->e);
  memset(system->w, 0, of_w);
  mbd_mulT_add(n, nf, k, 1, R, system->e, system->w);
  const double sides_of = mbd_norm_inf(nf * k, system->w) + mbd_norm_inf(n * k, f);
  mbd_lu_solve(nf, system->RMR, system->piv, k, system->w);
  mbd_mul_add(n, nf, k, 1, R, system->w, x);
  memcpy(system->e, f, bytes);
  mbd_packed_mul_add(n, k, -1, &M, x, system->e);
  independent_velocities_T(&indep->base, k, system->e, y, system->none);
  const double left = mbd_norm_inf(nf * k, system->none);
  if (left <= accepted * sides_of) { return MBD_OK; }
  if (isnan(left)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
  MBD_FAIL(err, MBD_SINGULAR,
           "accelerations in independent natural coordinates are not exact: a residual of %.3g of the forces (a nearly "
           "singular position: formulation = ali3p)",
           left / sides_of);
}

const ss_ops ss_natural_projected = {
    .choice = natural_choice,
    .show = show_state,
    .create = projected_create,
    .destroy = projected_destroy,
    .factor = projected_factor,
    .solve = projected_solve,
};
