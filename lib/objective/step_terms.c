/* Terms of a step as arguments of objectives, S0 (12), (13): lam*, sigma, kappa of its equations and projections, v*, a* of its scheme. Outputs
 * read them behind the reactions (output.h). At the start no step has been taken: lam* = lam, v* = zd, a* = zdd, and nothing has been
 * projected.
 * Equations: theory.md §5.1 (5.2), (5.4), theory.md §7.2 (7.4). */
#include <string.h>

#include "objective/objectives.h"

static int term_size(const mbd_model *m, int term) {
  return term < OUTPUT_V_STAR ? m->nphi : m->nz;
}

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
  const mbd_model *m = s->m;
  const mbd_real *lam = min_norm_lam(s);
  mbd_real *all = s->objectives->lam;
  sim_step_terms value, sens;
  if (!all) { return lam; }
  terms_at(s, &value, &sens);
  const mbd_real *const from[] = {lam, value.lam, value.sigma, value.kappa, value.v, value.a};
  memset(all, 0, (size_t)output_lam_max(m) * sizeof *all);
  for (int k = OUTPUT_REACTION; k <= OUTPUT_A_STAR; k++) {
    if (from[k]) { memcpy(all + output_term_at(m, k), from[k], (size_t)term_size(m, k) * sizeof *all); }
  }
  return all;
}

void step_terms_sens(const mbd_sim *s, const mbd_real *g_lam, mbd_real *yp) {
  const mbd_model *m = s->m;
  sim_step_terms value, sens;
  terms_at(s, &value, &sens);
  const mbd_real *const by[] = {NULL, sens.lam, sens.sigma, sens.kappa, sens.v, sens.a};
  for (int k = OUTPUT_LAM_STAR; k <= OUTPUT_A_STAR; k++) {
    if (by[k]) { objectives_add_row(term_size(m, k), s->np, g_lam + output_term_at(m, k), by[k], yp); }
  }
}

void step_terms_back(const mbd_sim *s, sim_adjoint *a, int k, const mbd_real *g_lam) {
  adjoint_step_terms *by = &a->by_step;
  mbd_real *const to[] = {NULL, by->lam, by->sigma, by->kappa, by->v, by->a};
  if (!s->objectives->lam) { return; }
  for (int i = OUTPUT_LAM_STAR; i <= OUTPUT_A_STAR; i++) {
    adjoint_put(term_size(s->m, i), a->npsi, k, g_lam + output_term_at(s->m, i), to[i]);
  }
  by->any = 1;
}
