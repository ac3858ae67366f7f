/* States from node to node by the trapezoidal rule (node_states.h). With f_x = df/dx and T = 1 - h/2 f_x,
 *   Newton      T dx = -(x - x_ - h/2 (f_ + f))
 *   direct      T x' = x_' + h/2 (f_' + f'|_x) + h'/2 (f_ + f),     f' = f'|_x + f_x x'
 *   adjoint     T' xi = x^ + f_x' f^,   of x_: xi,   of f_: h/2 xi,   of f, with x held: f^ + h/2 xi,   of h: xi . (f_ + f)/2
 * with x^, f^ the derivatives of an objective by x and f, from the node and from the next one.
 * Equations: theory.md §4.3 (4.17a). */
#include "objective/node_states.h"

#include <stdlib.h>
#include <string.h>

#include "model/state.h"
#include "objective/objectives.h"
#include "output/acting.h"

enum { ITERATIONS = 30 };

static const double quadratic_from =
    1e-8; /* relative to x and its change in the step: smaller corrections are followed by rounding */

/* ---- memory ---- */

static void layout(node_states *g, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)g->n, np = (size_t)s->np_max, npsi = (size_t)s->npsi;
  g->state = mbd_arena_take(a, n * sizeof *g->state);
  g->rate = mbd_arena_take(a, n * sizeof *g->rate);
  g->piv = mbd_arena_take(a, n * sizeof *g->piv);
  MBD_ARENA_REALS(a, n, &g->f, &g->b, &g->by);
  MBD_ARENA_REALS(a, n * n, &g->f_x, &g->lu);
  g->yp = mbd_arena_real(a, np + 1);
  MBD_ARENA_REALS(a, n * np, &g->xp, &g->fp, &g->fp_given);
  MBD_ARENA_REALS(a, n * npsi, &g->by_x, &g->by_f);
}

/* 1: the rate may depend on states: it reads one of them, or a force, which may. */
static int reads_states(const output_formula *f) {
  int reads = 0;
  for (int i = 0; i < f->input->n; i++) {
    reads |= f->input->item[i].of == &output_states || f->input->item[i].of == &output_forces;
  }
  return reads;
}

static void add_state(const mbd_sim *s, node_states *g, int state) {
  const mbd_model *m = s->m;
  output_formula *rate = acting_rate(m, state);
  const int k = g->n++;
  g->state[k] = state;
  g->rate[k] = (output){.name = m->z_name[model_first_state(m) + state],
                        .unit = m->state[state].rate_unit,
                        .of = &output_derived,
                        .ops = output_derived.row,
                        .turn = -1,
                        .terms = 1u << OUTPUT_REACTION,
                        .formula = rate};
  g->coupled |= reads_states(rate);
  g->reads_reactions |= output_reads_reactions(&g->rate[k]);
}

/* Tyres with relaxation lengths are forces on the coordinates of their states, which nothing integrates where the motion is given. */
static mbd_status check_forces(const mbd_model *m, mbd_error *err) {
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    if (f->ops == &f->with_states) {
      MBD_FAIL(
          err, MBD_UNSUPPORTED,
          "force '%s' has states of its own, by its relaxation lengths, which an analysis of given motions does not "
          "integrate; expected analysis = motion, or a tyre without them",
          f->name);
    }
  }
  return MBD_OK;
}

mbd_status node_states_create(mbd_sim *s, int kinematic, mbd_error *err) {
  sim_node_states *states = s->node_states = calloc(1, sizeof *states);
  if (!states) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for states"); }
  const mbd_model *m = s->m;
  if (kinematic) { MBD_TRY(check_forces(m, err)); }
  node_states *group[] = {&states->acting, &states->measuring};
  for (int i = 0; i < m->nstate; i++) { group[model_state_measures(m, i)]->n++; }
  if (!kinematic) { states->acting.n = 0; }
  while (mbd_arena_pass(&states->arena)) {
    for (int g = 0; g < 2; g++) { layout(group[g], s, &states->arena); }
  }
  MBD_TRY(mbd_arena_check(&states->arena, "states", err));
  for (int g = 0; g < 2; g++) { group[g]->n = 0, group[g]->own_start = kinematic; }
  for (int i = 0; i < m->nstate; i++) {
    const int measures = model_state_measures(m, i);
    if (measures || kinematic) { add_state(s, group[measures], i); }
  }
  return MBD_OK;
}

void node_states_destroy(sim_node_states *states) {
  if (!states) { return; }
  free(states->arena.base);
  free(states);
}

void node_states_sweep_markers(mbd_sim *s) {
  const node_states *group[] = {&s->node_states->acting, &s->node_states->measuring};
  for (int g = 0; g < 2; g++) {
    for (int i = 0; i < group[g]->n; i++) { output_sweep_markers(s->w, &group[g]->rate[i]); }
  }
}

/* ---- a node ---- */

static int is_first(const mbd_sim *s) {
  return mbd_same(s->t) == 0;
}

static int coordinate(const mbd_sim *s, const node_states *g, int i) {
  return model_first_state(s->m) + g->state[i];
}

static mbd_real half_step(const mbd_sim *s) {
  return s->h * s->dilation / 2;
}

/* f, at the x of s->now. */
static void evaluate(mbd_sim *s, node_states *g, const mbd_real *lam) {
  for (int i = 0; i < g->n; i++) {
    const int j = coordinate(s, g, i);
    motion_move_free(s->w, j, s->now.zd[j], s->now.zdd[j]);
  }
  for (int i = 0; i < g->n; i++) { g->f[i] = output_value(s->w, &g->rate[i], lam); }
}

/* df_i/dx, from the derivatives by zd. */
static void take_slopes(const mbd_sim *s, node_states *g, int i, const mbd_real *g_zd) {
  for (int k = 0; k < g->n; k++) { g->f_x[i * g->n + k] = g_zd[coordinate(s, g, k)]; }
}

/* T, factored, with the df/dx at hand. */
static mbd_status factor(const mbd_sim *s, node_states *g) {
  const int n = g->n;
  for (int i = 0; i < n * n; i++) { g->lu[i] = (i % (n + 1) == 0) - half_step(s) * g->f_x[i]; }
  return mbd_lu_factor(n, g->lu, g->piv);
}

static void evaluate_slopes(mbd_sim *s, node_states *g, const mbd_real *lam) {
  const sim_objectives *to = s->objectives;
  memset(g->f_x, 0, (size_t)g->n * (size_t)g->n * sizeof *g->f_x);
  for (int i = 0; g->coupled && i < g->n; i++) {
    output_rows(s->w, &g->rate[i], lam, to->g_z, to->g_zd, to->g_zdd, to->g_lam);
    take_slopes(s, g, i, to->g_zd);
  }
}

static mbd_status failed(const mbd_sim *s, const node_states *g, mbd_error *err) {
  for (int i = 0; i < g->n; i++) {
    const char *name = g->rate[i].name, *why = output_why_undefined(&g->rate[i]);
    if (isfinite(mbd_largest(g->f[i]))) { continue; }
    MBD_FAIL(err, MBD_NOT_FINITE, "the rate of state '%s' is %g%s%s", name, mbd_first(g->f[i]),
             why ? "; it is undefined where " : "", why ? why : "");
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "the states do not follow from their rates at the end of a step of %g s; expected shorter steps", s->h);
}

/* Applies Newton's correction to x; *small: 1: it was small beside x and what it has changed by in the step. */
static mbd_status correct(mbd_sim *s, node_states *g, const mbd_real *lam, int *small) {
  const mbd_real h = half_step(s);
  for (int i = 0; i < g->n; i++) {
    const int j = coordinate(s, g, i);
    g->b[i] = s->before.zd[j] + h * (s->before.zdd[j] + g->f[i]) - s->now.zd[j];
  }
  evaluate_slopes(s, g, lam);
  MBD_TRY(factor(s, g));
  mbd_lu_solve(g->n, g->lu, g->piv, 1, g->b);
  *small = 1;
  for (int i = 0; i < g->n; i++) {
    const int j = coordinate(s, g, i);
    s->now.zd[j] += g->b[i];
    const double size = mbd_largest(s->now.zd[j]) + mbd_largest(s->now.zd[j] - s->before.zd[j]);
    *small &= mbd_largest(g->b[i]) <= quadratic_from * size; /* not a number: not small */
  }
  return MBD_OK;
}

mbd_status node_states_solve(mbd_sim *s, node_states *g, const mbd_real *lam, mbd_error *err) {
  /* x at node 0 is given. Else the first iterate is that of the previous node. */
  for (int i = 0; i < g->n; i++) {
    const int j = coordinate(s, g, i);
    if (!is_first(s)) {
      s->now.zd[j] = s->before.zd[j];
    } else if (g->own_start) {
      s->now.zd[j] = s->p->theta[s->m->state[g->state[i]].start];
    }
    s->now.zdd[j] = 0;
  }
  evaluate(s, g, lam);
  /* Without states in the rates the first correction is exact. */
  for (int it = 0, after = 0; g->n > 0 && !is_first(s) && after <= EXTRA_ITERATIONS + 1; it++) {
    int small;
    if (it == ITERATIONS || correct(s, g, lam, &small) != MBD_OK) { return failed(s, g, err); }
    if (!g->coupled) { break; }
    evaluate(s, g, lam);
    if (after || small) { after++; }
  }
  for (int i = 0; i < g->n; i++) {
    if (!isfinite(mbd_largest(g->f[i]))) { return failed(s, g, err); }
    s->now.zdd[coordinate(s, g, i)] = g->f[i];
  }
  for (int i = 0; i < g->n; i++) {
    const int j = coordinate(s, g, i);
    motion_move_free(s->w, j, s->now.zd[j], s->now.zdd[j]);
  }
  return MBD_OK;
}

/* ---- along directions ---- */

/* x' [n][np] at node 0, in s->sens, where it is a coefficient. */
static void start_sens(mbd_sim *s, const node_states *g) {
  const int np = s->np;
  for (int i = 0; g->own_start && i < g->n; i++) {
    mbd_real *xp = s->sens.zd + coordinate(s, g, i) * np;
    for (int k = 0; k < np; k++) { xp[k] = s->d[k]->dtheta[s->m->state[g->state[i]].start]; }
  }
}

static void copy_rows(const mbd_sim *s, const node_states *g, const mbd_real *from, mbd_real *to) {
  const size_t np = (size_t)s->np;
  for (int i = 0; i < g->n; i++) {
    memcpy(to + (size_t)i * np, from + (size_t)coordinate(s, g, i) * np, np * sizeof *to);
  }
}

void node_states_sens(mbd_sim *s, node_states *g) {
  const int n = g->n, np = s->np;
  const mbd_real h = half_step(s);
  if (n == 0) { return; }
  if (is_first(s)) {
    start_sens(s, g);
    copy_rows(s, g, s->sens.zd, g->xp);
  }
  /* f' with x held, and df/dx. */
  for (int i = 0; i < n; i++) {
    mbd_real *xp = s->sens.zd + coordinate(s, g, i) * np, *fp = s->sens.zdd + coordinate(s, g, i) * np;
    memset(xp, 0, (size_t)np * sizeof *xp), memset(fp, 0, (size_t)np * sizeof *fp);
  }
  for (int i = 0; i < n; i++) {
    objectives_output_sens(s, &g->rate[i], g->yp);
    memcpy(g->fp_given + i * np, g->yp, (size_t)np * sizeof *g->yp);
    take_slopes(s, g, i, s->objectives->g_zd);
  }
  /* x', but at node 0: the factors are those of the df/dx at the solution. */
  if (!is_first(s)) {
    for (int i = 0; i < n; i++) {
      const int j = coordinate(s, g, i);
      for (int k = 0; k < np; k++) {
        mbd_real *x = &g->xp[i * np + k];
        *x += h * (g->fp[i * np + k] + g->fp_given[i * np + k]);
        *x += s->stretch[k] * h * (s->before.zdd[j] + s->now.zdd[j]);
      }
    }
    (void)factor(s, g); /* as in the last iteration, which has succeeded */
    mbd_lu_solve(n, g->lu, g->piv, np, g->xp);
  }
  /* f' */
  memcpy(g->fp, g->fp_given, (size_t)n * (size_t)np * sizeof *g->fp);
  mbd_mul_add(n, n, np, 1, g->f_x, g->xp, g->fp);
  for (int i = 0; i < n; i++) {
    const int j = coordinate(s, g, i);
    memcpy(s->sens.zd + j * np, g->xp + i * np, (size_t)np * sizeof *g->xp);
    memcpy(s->sens.zdd + j * np, g->fp + i * np, (size_t)np * sizeof *g->fp);
  }
}

/* ---- states that measure ---- */

mbd_status node_states_measure(mbd_sim *s, mbd_error *err) {
  node_states *g = &s->node_states->measuring;
  if (g->n == 0) { return MBD_OK; }
  if (g->reads_reactions) { min_norm_update(s, 0); }
  MBD_TRY(node_states_solve(s, g, g->reads_reactions ? min_norm_lam(s) : s->now.reaction, err));
  if (s->np > 0) { node_states_sens(s, g); }
  return MBD_OK;
}

int node_states_read_reactions(const mbd_model *m) {
  int reads = 0;
  for (int i = 0; i < m->nstate; i++) {
    const output_formula *f = m->state[i].measured;
    for (int k = 0; f && k < f->input->n; k++) { reads |= output_reads_reactions(&f->input->item[k]); }
  }
  return reads;
}

double node_states_slope(mbd_sim *s, int state) {
  node_states *group[] = {&s->node_states->acting, &s->node_states->measuring};
  for (int g = 0; g < 2; g++) {
    for (int i = 0; i < group[g]->n; i++) {
      if (group[g]->state[i] != state) { continue; }
      evaluate_slopes(s, group[g], s->now.reaction);
      return sim_of(s, group[g]->f_x[i * (group[g]->n + 1)]);
    }
  }
  return 0;
}

void node_states_linear(mbd_sim *s, int k, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dlam,
                        mbd_real *dzdd) {
  const node_states *g = &s->node_states->measuring;
  const sim_objectives *to = s->objectives;
  const int n = s->m->nz;
  for (int i = 0; i < g->n; i++) {
    mbd_real *row = dzdd + coordinate(s, g, i) * k;
    output_rows(s->w, &g->rate[i], s->now.reaction, to->g_z, to->g_zd, to->g_zdd, to->g_lam);
    memset(row, 0, (size_t)k * sizeof *row);
    objectives_add_row(n, k, to->g_z, dz, row);
    objectives_add_row(n, k, to->g_zd, dzd, row);
    objectives_add_row(n, k, to->g_zdd, dzdd, row);
    objectives_add_row(s->m->nphi, k, to->g_lam, dlam, row);
  }
}

/* ---- in reverse ---- */

void node_states_begin_back(mbd_sim *s, int npsi) {
  node_states *group[] = {&s->node_states->acting, &s->node_states->measuring};
  for (int g = 0; g < 2; g++) {
    const size_t size = (size_t)group[g]->n * (size_t)npsi;
    adjoint_zero(size, group[g]->by_x), adjoint_zero(size, group[g]->by_f);
  }
}

void node_states_linearize(mbd_sim *s, node_states *g, const mbd_real *lam) {
  if (g->n == 0 || is_first(s)) { return; }
  evaluate_slopes(s, g, lam);
  (void)factor(s, g); /* as in the run, which has succeeded */
}

/* Node 0, where x does not depend on f. */
static void start_back(mbd_sim *s, const node_states *g, mbd_reverse *sweep) {
  for (int i = 0; g->own_start && i < g->n; i++) {
    const int j = coordinate(s, g, i);
    sweep->theta->theta[s->m->state[g->state[i]].start] += sweep->zd[j];
    sweep->zd[j] = 0;
  }
}

void node_states_back(mbd_sim *s, node_states *g, sim_adjoint *a, int k, const mbd_real *lam, mbd_real *g_lam) {
  mbd_reverse *sweep = &a->reverse[k];
  const int n = g->n, np = a->npsi;
  const mbd_real h = half_step(s);
  /* f^ and x^ + f_x' f^, of the node and of the next one. */
  for (int i = 0; i < n; i++) {
    const int j = coordinate(s, g, i);
    mbd_real *by_f = &g->by_f[i * np + k];
    sweep->theta->stretch += *by_f * s->now.zdd[j]; /* of the part of the next step that is h'/2 f */
    g->by[i] = sweep->zdd[j] + *by_f;
    g->b[i] = sweep->zd[j] + g->by_x[i * np + k];
    sweep->zdd[j] = 0;
  }
  if (!is_first(s)) {
    mbd_mulT_add(n, n, 1, 1, g->f_x, g->by, g->b);
    mbd_lu_solve_T(n, g->lu, g->piv, 1, g->b);
    for (int i = 0; i < n; i++) {
      g->by_x[i * np + k] = g->b[i], g->by_f[i * np + k] = h * g->b[i];
      sweep->theta->stretch += h * g->b[i] * s->now.zdd[coordinate(s, g, i)];
      g->by[i] += h * g->b[i];
    }
  }
  /* What f depends on. The derivatives by x are in xi; at node 0 they are those by its start. */
  for (int i = 0; i < n; i++) { sweep->zd[coordinate(s, g, i)] = is_first(s) ? g->b[i] : 0; }
  for (int i = 0; i < n; i++) {
    if (mbd_any(g->by[i] != 0)) { output_reverse(sweep, &g->rate[i], lam, g->by[i], g_lam); }
  }
  if (is_first(s)) { start_back(s, g, sweep); }
  for (int i = 0; i < n && !is_first(s); i++) { sweep->zd[coordinate(s, g, i)] = 0; }
}
