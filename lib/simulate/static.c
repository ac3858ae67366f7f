/* Static analysis (theory.md §5.7): at every node the mechanism rests where loads and drives of that time hold it,
 *   r(z, zd = 0, zdd = 0, t) + Phi_z' lam = 0,   Phi(z, t) = 0
 * The first equilibrium is sought from the assembled position (equilibrium.c), the others are followed from node to node (static_path.c).
 * How fast drives and loads move does not count. Of redundant rows lam is that of least norm. */
#include "simulate/static.h"

#include <stdlib.h>
#include <string.h>

static mbd_status create(mbd_sim *s, mbd_error *err) {
  statics *path = s->memory = calloc(1, sizeof *path);
  if (!path) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a static case"); }
  while (mbd_arena_pass(&path->arena)) {
    MBD_ARENA_REALS(&path->arena, (size_t)s->m->nz, &path->from_z, &path->to_z, &path->first);
    MBD_ARENA_REALS(&path->arena, (size_t)s->m->nphi + 1, &path->from_lam, &path->to_lam);
  }
  return mbd_arena_check(&path->arena, "a static case", err);
}

static void destroy(mbd_sim *s) {
  statics *path = s->memory;
  if (!path) { return; }
  free(path->arena.base);
  free(path);
}

/* ---- redundant rows ---- */

/* y := the multipliers of least norm, P y, at the current system, which is made anew with them. */
static mbd_status min_norm(mbd_sim *s, mbd_error *err) {
  mbd_real *y = s->start->equilibrium->y, *residual = s->start->F;
  const size_t m = (size_t)s->eq.nrow;
  s->start->without_held = 1;
  MBD_TRY(assembly_choose_free(s, err));
  MBD_TRY(start_factor_present_rows(s, err));
  memset(residual, 0, (size_t)start_rows(s) * sizeof *residual);
  memcpy(residual, y, m * sizeof *residual);
  mbd_blocks_solve(s->start->rows, 1, residual, s->start->dz);
  for (size_t i = 0; i < m; i++) { y[i] -= residual[i]; }
  return equilibrium_system(s, err);
}

/* ---- a node ---- */

/* Do the rows hold? At the current system. */
static mbd_status check_rows(const mbd_sim *s, mbd_error *err) {
  const sim_equilibrium *equilibrium = s->start->equilibrium;
  int worst = 0;
  for (int i = 1; i < s->eq.nrow; i++) {
    if (!(mbd_largest(equilibrium->F[i]) <= mbd_largest(equilibrium->F[worst]))) { worst = i; }
  }
  if (s->eq.nrow == 0 || mbd_largest(equilibrium->F[worst]) <= start_held_to * (1 + mbd_norm_inf(s->m->nz, s->now.z))) {
    return MBD_OK;
  }
  char left[START_ROW_LEFT];
  MBD_FAIL(err, MBD_NO_ASSEMBLY, "no position satisfies all constraints and drives: equation %s",
           start_row_left(s, worst, mbd_first(equilibrium->F[worst]), "", left));
}

/* A stable way that becomes unstable has passed a bifurcation. */
static mbd_status judge(mbd_sim *s, mbd_error *err) {
  statics *path = statics_of(s);
  const equilibrium_verdict *v = &path->verdict;
  const int before = path->left_unstable;
  path->left_unstable = v->leaves[0] != '\0';
  if (v->nfloating) { return equilibrium_floats(s, v, err); }
  if (!path->left_unstable || before) { return MBD_OK; }
  const double turned = path->turned, t = turned > mbd_same(s->t) - s->h ? turned : mbd_same(s->t);
  sim_warn(s, "unstable", t,
           t > 0
               ? "the equilibrium is unstable from t = %.4g s on: a small push along %s makes the mechanism leave it. "
                 "Another way of equilibria branches off there (buckling), which a small asymmetry of the model or of "
                 "its load leads into; outputs are those of the unstable one"
               : "the equilibrium at t = %.4g s is unstable: a small push along %s makes the mechanism leave it (a "
                 "folded linkage or a spring past its dead point). Guesses or held quantities closer to the position "
                 "that is meant, or springs that carry the load",
           t, v->leaves);
  return MBD_OK;
}

/* At an equilibrium s->now.z with its multipliers in y and its factored system: computes the rest of the state. */
static mbd_status finish(mbd_sim *s, mbd_error *err) {
  const size_t n = (size_t)s->m->nz;
  memset(s->now.zd, 0, n * sizeof *s->now.zd);
  memset(s->now.zdd, 0, n * sizeof *s->now.zdd);
  equilibrium_states(s->m, 1, s->now.z, s->now.zd);
  MBD_TRY(check_rows(s, err));
  if (s->rank < s->eq.nrow) { MBD_TRY(min_norm(s, err)); }
  memcpy(s->now.lam, s->start->equilibrium->y, (size_t)s->eq.nrow * sizeof *s->now.lam);
  static_keep(s);
  return judge(s, err);
}

static mbd_status start(mbd_sim *s, mbd_error *err) {
  s->t = 0;
  statics_of(s)->left_unstable = 0, statics_of(s)->turned = -1;
  /* Held quantities are guesses: where they contradict the drives they are left out. */
  s->start->without_held = 0;
  if (s->held.nhold == 0 || assembly_close(s, NULL) != MBD_OK) {
    s->start->without_held = 1;
    MBD_TRY(assembly_close(s, err));
  }
  MBD_TRY(start_check_singular(s, err));
  MBD_TRY(equilibrium_state(s, err));
  const mbd_status status = equilibrium_system(s, err);
  return status == MBD_OK ? finish(s, err) : equilibrium_not_found(s, status, err);
}

/* K z' + Phi_z' lam' = -r_theta, Phi_z z' = -phi_theta, at the system of `finish`. Where rows are redundant, lam' is one of many that
 * serve (objective/min_norm.h). */
static mbd_status sens(mbd_sim *s, mbd_error *err) {
  const size_t n = (size_t)s->m->nz, np = (size_t)s->np, rows = (size_t)s->eq.nrow * np;
  memset(s->sens.zd, 0, n * np * sizeof *s->sens.zd);
  memset(s->sens.zdd, 0, n * np * sizeof *s->sens.zdd);
  MBD_TRY(equilibrium_sens_at(s, err));
  equilibrium_states(s->m, s->np, s->sens.z, s->sens.zd);
  memcpy(s->sens.lam, s->start->equilibrium->dy, rows * sizeof *s->sens.lam);
  return MBD_OK;
}

static mbd_status node(mbd_sim *s, mbd_error *err) {
  MBD_TRY(static_follow(s, err));
  return finish(s, err);
}

static mbd_status adjoint(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  if (s->m->nstate > 0) {
    adjoint_read(s, a, 1, a->zd);
    equilibrium_states_back(s->m, a);
  }
  adjoint_read(s, a, 0, a->z);
  adjoint_read_joints(a);
  memcpy(s->start->equilibrium->y, s->now.lam, (size_t)s->eq.nrow * sizeof *s->now.lam);
  MBD_TRY(equilibrium_system(s, err));
  return equilibrium_solve_back(s, a, a->lam, err);
}

const sim_analysis analysis_static = {
    .name = "static",
    .doc =
        "the mechanism is at rest at every node, in equilibrium under the loads and drives of that time. The time only "
        "says which loads and drives go together: velocities and accelerations are zero. Each equilibrium is found "
        "from the one before; held quantities are guesses of the first equilibrium",
    .own_start = "every node of a static case is an equilibrium, where held quantities do not count",
    .held = 1,
    .settles = 1,
    .create = create,
    .destroy = destroy,
    .start = start,
    .node = node,
    .sens = sens,
    .adjoint = adjoint,
};
