/* Memory for simulating one case. */
#include <stdlib.h>

#include "formulation/formulation.h"
#include "formulation/projection.h"
#include "formulation/state_space.h"
#include "formulation/tangent.h"
#include "model/state.h"
#include "objective/node_states.h"
#include "objective/objectives.h"
#include "output/time_curves.h"
#include "simulate/analysis.h"
#include "simulate/branch.h"
#include "simulate/case.h"
#include "simulate/closing.h"
#include "simulate/run.h"
#include "simulate/start.h"
#include "simulate/steady.h"
#include "simulate/growth.h"
#include "simulate/watch.h"
#include "state/turns.h"
#include "base/sized.h"

static void state_layout(sim_state *state, size_t n, size_t m, int apart, int has_acc, mbd_arena *a) {
  MBD_ARENA_REALS(a, n, &state->z, &state->zd, &state->zdd);
  state->lam = mbd_arena_real(a, m + 1);
  state->reaction = apart ? mbd_arena_real(a, m + 1) : state->lam;
  state->acc = has_acc ? mbd_arena_real(a, n) : NULL;
}

/* Returns 1 if the formulation, or the search for static equilibrium, forms mass matrices or matrices of
 * derivatives. */
static int requests_matrices(const mbd_sim *s) {
  if (s->ops->space && s->integrator->scheme && !ss_matrix_free(s)) { return 1; }
  return s->ops->matrices || s->c.start == MBD_START_EQUILIBRIUM || s->analysis->settles || s->analysis->closes ||
         steady_requested(s);
}

static void sim_layout(mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)s->np_max;
  const int apart = sim_reactions_apart(s), has_acc = s->scheme.has_acc;
  /* The states of two nodes, and what a run keeps of its motion. */
  state_layout(&s->now, n, m, apart, has_acc, a);
  state_layout(&s->before, n, m, apart, has_acc, a);
  s->z_first = mbd_arena_real(a, n);
  s->row = mbd_arena_take(a, (m + 1) * sizeof *s->row);
  s->left_out = s->m->nvelocity > 0 ? mbd_arena_take(a, (size_t)s->m->nvelocity_row) : NULL;
  s->stage_difference = mbd_arena_take(a, n * sizeof *s->stage_difference);
  /* Checks of accuracy, and what an observer is shown. */
  watch_layout(s, a);
  singular_layout(s, a);
  growth_layout(s, a);
  observed_layout(s, a);
  /* Derivatives of the state along the directions. */
  MBD_ARENA_REALS(a, n * np, &s->sens.z, &s->sens.zd, &s->sens.zdd);
  s->sens.lam = mbd_arena_real(a, m * np + 1);
  s->sens.reaction = apart ? mbd_arena_real(a, m * np + 1) : s->sens.lam;
  s->sens.acc = has_acc ? mbd_arena_real(a, n * np) : NULL;
  MBD_ARENA_REALS(a, n, &s->column_z, &s->column_zd);
  s->stretch = mbd_arena_real(a, np + 1);
  s->timed = mbd_arena_take(a, ((size_t)s->m->ncurve + 1) * sizeof *s->timed);
}

/* Velocity constraints are for steps of some formulations, in joint coordinates and in natural ones. */
static mbd_status check_velocity_constraints(const mbd_sim *s, mbd_error *err) {
  if (s->m->nvelocity == 0) { return MBD_OK; }
  const char *first = s->m->constraint[s->m->nconstraint - s->m->nvelocity].name;
  if (!analysis_integrates(s->analysis) && !s->analysis->settles && !s->analysis->moves_steadily) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "analysis = %s: with velocity constraint '%s' positions follow from velocities by integration; expected "
             "analysis = motion, where constraints of type driven_coordinate drive coordinates too",
             s->c.analysis, first);
  }
  for (int i = s->m->nconstraint - s->m->nvelocity; s->analysis->settles && i < s->m->nconstraint; i++) {
    if (!s->m->constraint[i].ops->phi_t) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "analysis = %s: velocity constraint '%s' keeps a velocity, but nothing moves there; expected analysis = "
             "motion",
             s->c.analysis, s->m->constraint[i].name);
  }
  if (!s->ops->velocities && analysis_integrates(s->analysis)) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "formulation = %s: velocity constraint '%s' is not available there; expected formulation = ali3p, since a "
             "penalty on a velocity lets it slip",
             s->c.formulation, first);
  }
  return MBD_OK;
}

/* States that measure follow from node to node, so not between nodes, and they do not settle. */
static mbd_status check_measuring(const mbd_sim *s, mbd_error *err) {
  const mbd_tableau *t = s->integrator->tableau;
  for (int i = 0; i < s->m->nstate; i++) {
    const char *name = s->m->z_name[model_first_state(s->m) + i];
    if (!model_state_measures(s->m, i)) { continue; }
    if (s->analysis->settles || s->analysis->moves_steadily) {
      MBD_FAIL(
          err, MBD_UNSUPPORTED,
          "analysis = %s: state '%s' measures accelerations or reactions in time, which does not pass there; expected "
          "analysis = motion or kinematic",
          s->c.analysis, name);
    }
    if (t && t->dense) {
      MBD_FAIL(
          err, MBD_UNSUPPORTED,
          "integrator = %s: state '%s' measures accelerations or reactions at the nodes, but this integrator reads "
          "what is between them; expected an integrator with steps of one length",
          s->integrator->name, name);
    }
  }
  return MBD_OK;
}

/* Refuses combinations of case and model that are not available. */
static mbd_status check_case(const mbd_sim *s, mbd_error *err) {
  MBD_TRY(check_velocity_constraints(s, err));
  if (s->tangent->evaluate && !analysis_integrates(s->analysis)) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "tangent = %s: analysis '%s' takes no time steps; expected tangent = analytic",
             s->tangent->name, s->c.analysis);
  }
  MBD_TRY(tangent_check(s, err));
  MBD_TRY(check_measuring(s, err));
  const int gives = s->c.steady_speed || s->c.steady_curvature || s->c.steady_lateral_acceleration || s->c.nfound > 0;
  if (gives && !steady_requested(s)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "steady.%s says something of a steady motion; expected start = steady, or analysis = steady",
             s->c.steady_speed                  ? "speed"
             : s->c.steady_curvature            ? "curvature"
             : s->c.steady_lateral_acceleration ? "lateral_acceleration"
                                                : "find");
  }
  if (s->c.start == MBD_START_GIVEN) { return MBD_OK; }
  if (s->analysis->own_start) {
    MBD_FAIL(err, MBD_BAD_INPUT, "start = %s: %s; expected start = given",
             s->c.start == MBD_START_STEADY ? "steady" : "equilibrium", s->analysis->own_start);
  }
  if (s->c.start == MBD_START_STEADY || s->m->nhold_kept < s->m->nhold) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "a start from equilibrium needs held quantities that settle: settle = QUANTITY, ... in the model's [start]");
}

/* Creates all parts of a simulation, in an object of zeros. */
static mbd_status make_parts(mbd_sim *s, int nterm, const mbd_term *term, mbd_error *err) {
  MBD_TRY(check_case(s, err));
  for (int i = 0; i < nterm; i++) { MBD_TRY(closing_check_term(s, &term[i], err)); }
  MBD_TRY(objectives_create(s, nterm, term, err));
  MBD_TRY(node_states_create(
      s, !analysis_integrates(s->analysis) && !s->analysis->settles && !s->analysis->moves_steadily, err));
  while (mbd_arena_pass(&s->arena)) { sim_layout(s, &s->arena); }
  MBD_TRY(mbd_arena_check(&s->arena, "a simulation", err));
  s->ntimed = time_curves_list(s->m, s->timed);
  MBD_TRY(work_create(s->m, s->c.reference, requests_matrices(s), &s->w, err));
  MBD_TRY(turns_create(s, err));
  MBD_TRY(branches_create(s, err));
  MBD_TRY(start_create(s, err));
  s->objectives->min_norm.rows = s->start->rows;
  return s->ops->create ? s->ops->create(s, err) : MBD_OK;
}

static mbd_status create(const mbd_model *m, const mbd_case *c, const mbd_outputs *o, int nterm, const mbd_term *term,
                         int npsi, int np, mbd_sim **out, mbd_error *err) {
  MBD_TRY(case_check(c, err));
  if (c->free_duration < 0 || c->free_duration > m->ncoef) {
    MBD_FAIL(err, MBD_BAD_INPUT, "free_duration = %d, expected a number between 0 and %d, the coefficients",
             c->free_duration, m->ncoef);
  }
  /* An analysis that integrates takes the formulation of the case; the others have steps of their ours. */
  const sim_analysis *analysis = analysis_find(c->analysis);
  const int integrates = analysis_integrates(analysis);
  const mbd_formulation_ops *ops = &analysis_steps;
  if (integrates) { MBD_TRY(formulation_choose(c, &ops, err)); }
  if (!integrates && c->coordinates != MBD_COORDINATES_JOINT) {
    MBD_FAIL(err, MBD_BAD_INPUT, "coordinates = natural: analysis = %s, expected motion", c->analysis);
  }
  mbd_sim *s = calloc(1, sizeof *s);
  if (!s) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  *s = (mbd_sim){.m = m,
                 .o = o,
                 .c = *c,
                 .analysis = analysis,
                 .ops = ops,
                 .step_terms = ops->step_terms,
                 .tangent = mbd_tangent_find(c->tangent),
                 .integrator = integrates ? mbd_integrator_find(c->integrator) : &analysis_exact_nodes,
                 .dilation = 1,
                 .npsi = npsi,
                 .np_max = np,
                 .velocity_row = m->nphi - m->nvelocity_row,
                 .at_rest = analysis->settles,
                 .eq = motion_constraints(m),
                 .held = integrates || analysis->held ? motion_with_holds(m, m->nhold) : motion_constraints(m)};
  /* Reactions differ from the multipliers where projections correct the accelerations, theory.md §5.1 (5.4). */
  s->reactions_apart = s->ops->projects && mbd_projection_find(c->projection_matrix)->forces;
  /* Equal steps that end at the duration; a remainder of the order of rounding adds no step. */
  s->nsteps = (int)ceil(c->duration / c->step - 1e-6);
  s->h = c->duration / s->nsteps;
  if (s->integrator->scheme) { s->scheme = s->integrator->scheme(c, s->h); }
  const mbd_status status = make_parts(s, nterm, term, err);
  if (status != MBD_OK) { mbd_sim_destroy(s); }
  *out = status == MBD_OK ? s : NULL;
  return status;
}

/* Converts terms of another version of the headers; the caller frees the result. */
static mbd_status read_terms(int n, const mbd_term *theirs, size_t size, mbd_term **ours, mbd_error *err) {
  *ours = calloc((size_t)n + 1, sizeof **ours);
  if (!*ours) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d terms", n); }
  for (int i = 0; i < n; i++) {
    SIZED_READ(&(*ours)[i], (const char *)theirs + (size_t)i * size, size, "mbd_term", err);
  }
  return MBD_OK;
}

mbd_status mbd_sim_create_sized(const mbd_model *m, const mbd_case *c, size_t case_size, const mbd_outputs *o,
                                int nterm, const mbd_term *term, size_t term_size, int npsi, int np, mbd_sim **out,
                                mbd_error *err) {
  mbd_case ours;
  mbd_term *terms = NULL;
  mbd_status status = MBD_OK;
  *out = NULL;
  SIZED_READ(&ours, c, case_size, "mbd_case", err);
  if (term_size != sizeof *term) { status = read_terms(nterm, term, term_size, &terms, err); }
  if (status == MBD_OK) { status = create(m, &ours, o, nterm, terms ? terms : term, npsi, np, out, err); }
  free(terms);
  return status;
}

void mbd_sim_destroy(mbd_sim *s) {
  if (!s) { return; }
  if (s->adjoint) { s->adjoint_destroy(s->adjoint); }
  if (s->ops->destroy) { s->ops->destroy(s); }
  if (s->tangent->destroy) { s->tangent->destroy(s->tangent_memory); }
  mbd_work_destroy(s->w);
  objectives_destroy(s->objectives);
  start_destroy(s->start);
  turns_destroy(s->turns);
  branches_destroy(s->branches);
  node_states_destroy(s->node_states);
  free(s->arena.base);
  free(s);
}
