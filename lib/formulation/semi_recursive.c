/* Semi-recursive formulation of open loops (S1): the mass matrix M by composite bodies, factored with the normalizations of
 * Euler parameters as multipliers.
 * Equations: theory.md §5.4, theory.md §3 (3.6); S0 (8). */
#include <stdlib.h>
#include <string.h>

#include "formulation/mass.h"
#include "formulation/state_space.h"

typedef struct mass_matrix {
  matrices x;
  mbd_real *dx, *rg; /* scratch of its solver: [nz][k], [nphi][k] */
  mbd_arena arena;
} mass_matrix;

static void semi_recursive_layout(mass_matrix *mass, size_t n, size_t m, size_t k, mbd_arena *a) {
  mass->dx = mbd_arena_real(a, n * k);
  mass->rg = mbd_arena_real(a, m * k + 1);
}

static mbd_status semi_recursive_create(mbd_sim *s, void **memory, mbd_error *err) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, k = (size_t)ss_columns(s);
  mass_matrix *mass = calloc(1, sizeof *mass);
  *memory = mass;
  if (!mass) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the mass matrix"); }
  while (mbd_arena_pass(&mass->arena)) { semi_recursive_layout(mass, n, m, k, &mass->arena); }
  MBD_TRY(mbd_arena_check(&mass->arena, "the mass matrix", err));
  return matrices_create(s, &mass->x, err);
}

static void semi_recursive_destroy(void *memory) {
  mass_matrix *mass = memory;
  matrices_destroy(&mass->x);
  free(mass->arena.base);
  free(mass);
}

static mbd_status semi_recursive_factor(mbd_sim *s, void *memory, mbd_error *err) {
  mass_matrix *mass = memory;
  return mass_factor(s, &mass->x, err);
}

static mbd_status semi_recursive_solve(mbd_sim *s, void *memory, int k, const mbd_real *f, const mbd_real *g,
                                       mbd_real *x, mbd_real *y, mbd_error *err) {
  mass_matrix *mass = memory;
  memset(y, 0, (size_t)s->m->nphi * (size_t)k * sizeof *y);
  return mbd_saddle_solve(&mass->x.motion, k, f, g, x, y, mass->dx, mass->rg, err);
}

static matrices *matrices_of(const mbd_sim *s) {
  return &((mass_matrix *)ss_of(s)->ops_memory)->x;
}

static const ss_ops with_mass = {.open_loops = 1,
                                 .create = semi_recursive_create,
                                 .destroy = semi_recursive_destroy,
                                 .factor = semi_recursive_factor,
                                 .solve = semi_recursive_solve};

const mbd_formulation_ops mbd_formulation_semi_recursive = {
    .name = "semi_recursive",
    .doc = "Mass matrix of an open loop in joint coordinates, factored: for up to a few tens of bodies; state space.",
    .space = &with_mass,
    .matrices = matrices_of,
    .tangent = 1,
    .velocities = 1,
    SS_FORMULATION};
