/* Terms of a step as arguments of objectives, S0 (12), (13): lam*, sigma, kappa of its equations and projections, v*, a* of its scheme. Outputs
 * read them behind the reactions (output.h). At the start no step has been taken: lam* = lam, v* = zd, a* = zdd, and nothing has been
 * projected.
 * Equations: theory.md §5.1 (5.2), (5.4), theory.md §7.2 (7.4). */
#include <string.h>

#include "objective/objectives.h"

static void terms_at(const mbd_sim *s, sim_step_terms *value, sim_step_terms *sens) {
  if (mbd_same(s->t) > 0) {
    s->step_terms(s, value, sens);
    return;
  }
  *value = (sim_step_terms){.lam = s->now.reaction, .v = s->now.zd, .a = s->now.zdd};
  *sens = (sim_step_terms){.lam = s->sens.reaction, .v = s->sens.zd, .a = s->sens.zdd};
}

mbd_status step_terms_check(const mbd_sim *s, mbd_error *err) {
  for (int o = 0; o < s->o->n; o++) {
    if (!output_reads_step(&s->o->item[o]) || s->step_terms) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "output '%s' is a term of a step: analysis = %s, formulation = %s, coordinates = %s has none, expected "
             "analysis = motion with formulation = ali3p or penalty in joint coordinates",
             s->o->item[o].name, s->c.analysis, s->c.formulation,
             s->c.coordinates == MBD_COORDINATES_NATURAL ? "natural" : "joint");
  }
  return MBD_OK;
}

mbd_status step_terms_determined(const mbd_sim *s, mbd_error *err) {
  if (s->rank == s->m->nphi) { return MBD_OK; }
  for (int o = 0; o < s->o->n; o++) {
    if (!output_reads_step_multipliers(&s->o->item[o])) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "output '%s': the constraints are redundant ('%s' follows from others), and mechanics does not determine "
             "how their multipliers in a step share; expected CONSTRAINT.multiplier, of least norm, or a model without "
             "them",
             s->o->item[o].name, s->m->phi_name[s->row[s->rank]]);
  }
  return MBD_OK;
}

const mbd_real *step_terms_update(mbd_sim *s) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi;
  const mbd_real *lam = min_norm_lam(s);
  mbd_real *all = s->objectives->lam;
  sim_step_terms value, sens;
  if (!all) { return lam; }
  terms_at(s, &value, &sens);
  memset(all, 0, (4 * m + 2 * n) * sizeof *all);
  memcpy(all, lam, m * sizeof *all);
  memcpy(all + m, value.lam, m * sizeof *all);
  if (value.sigma) { memcpy(all + 2 * m, value.sigma, m * sizeof *all); }
  if (value.kappa) { memcpy(all + 3 * m, value.kappa, m * sizeof *all); }
  memcpy(all + 4 * m, value.v, n * sizeof *all), memcpy(all + 4 * m + n, value.a, n * sizeof *all);
  return all;
}

/* yp [np] += g [n] block [n][np] */
static void add_block(int n, int np, const mbd_real *g, const mbd_real *block, mbd_real *yp) {
  for (int i = 0; block && i < n; i++) { mbd_axpy(np, g[i], block + (size_t)i * (size_t)np, yp); }
}

void step_terms_sens(const mbd_sim *s, const mbd_real *g_lam, mbd_real *yp) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  sim_step_terms value, sens;
  terms_at(s, &value, &sens);
  add_block(m, np, g_lam + m, sens.lam, yp);
  add_block(m, np, g_lam + 2 * m, sens.sigma, yp);
  add_block(m, np, g_lam + 3 * m, sens.kappa, yp);
  add_block(n, np, g_lam + 4 * m, sens.v, yp), add_block(n, np, g_lam + 4 * m + n, sens.a, yp);
}

void step_terms_back(const mbd_sim *s, sim_adjoint *a, int k, const mbd_real *g_lam) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)a->npsi;
  mbd_real *const block[] = {a->by_step.lam, a->by_step.sigma, a->by_step.kappa};
  if (!s->objectives->lam) { return; }
  for (int i = 0; i < 3; i++) { adjoint_put((int)m, (int)np, k, g_lam + (size_t)(1 + i) * m, block[i]); }
  adjoint_put((int)n, (int)np, k, g_lam + 4 * m, a->by_step.v);
  adjoint_put((int)n, (int)np, k, g_lam + 4 * m + n, a->by_step.a);
  a->by_step.any = 1;
}
