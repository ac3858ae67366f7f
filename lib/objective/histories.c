/* History objectives (theory.md §6 (6.2)): their memory, and the chain rule from derivatives by the values at points to derivatives by rows,
 * along directions and by coefficients. */
#include "objective/histories.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which objectives are made of histories; checks of their terms ---- */

static int is_moment(const mbd_moment *m) {
  return m->kind != MBD_MOMENT_NONE;
}

static int same_moment(const mbd_moment *one, const mbd_moment *other) {
  return one->kind == other->kind && one->output == other->output && one->value == other->value;
}

/* NaN is a number that was not given. */
static int same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Terms of one objective, of which one is made of histories, differ in output and target alone. */
static int go_together(const sim_objectives *objectives, int i, int j) {
  const mbd_term *one = &objectives->term[i], *other = &objectives->term[j];
  return objectives->form[i] == objectives->form[j] && one->weight == other->weight &&
         same_number(one->smoothing, other->smoothing) && same_number(one->sharpness, other->sharpness) &&
         same_number(one->tolerance, other->tolerance) && same_number(one->level, other->level) &&
         same_number(one->width, other->width) && one->over == other->over && one->samples == other->samples &&
         same_moment(&one->from, &other->from) && same_moment(&one->until, &other->until) &&
         same_moment(&one->at, &other->at);
}

static const char *label_of(const mbd_term *k, char text[32]) {
  snprintf(text, 32, "objective %d", k->psi + 1);
  return k->label ? k->label : text;
}

/* MBD_BAD_INPUT if a given time lies outside of the case. */
static mbd_status check_time(const mbd_sim *s, const mbd_term *k, const mbd_moment *m, const char *key,
                             mbd_error *err) {
  char text[32];
  if (m->kind != MBD_MOMENT_TIME || (m->value >= 0 && m->value <= s->c.duration + 1e-9 * s->h)) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s = %g s lies outside of the case, which lasts from 0 to %g s", label_of(k, text),
           key, m->value, s->c.duration);
}

/* MBD_BAD_INPUT if a number that the form needs is missing or out of range. */
static mbd_status check_needs(const mbd_term *k, const mbd_form_info *f, mbd_error *err) {
  char text[32];
  const char *label = label_of(k, text);
  if ((f->needs & MBD_NEEDS_AT) && !is_moment(&k->at)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form %s needs a time, at", label, f->name);
  }
  if ((f->needs & MBD_NEEDS_TOLERANCE) && !(k->tolerance > 0)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form %s needs a tolerance > 0, in the unit of its output", label, f->name);
  }
  if ((f->needs & MBD_NEEDS_LEVEL) && !(k->level > 0 && k->level < 1 && k->width > 0)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form %s needs a level between 0 and 1, and a width > 0 in the unit of its output",
             label, f->name);
  }
  return MBD_OK;
}

/* Refuses keys that the form does not take, since they would change nothing. Then checks the times of the window. */
static mbd_status check_window(const mbd_sim *s, const mbd_term *k, const mbd_form_info *f, mbd_error *err) {
  char text[32];
  const int at = (f->needs & MBD_NEEDS_AT) != 0;
  /* Moments for which the form has no key. */
  if (is_moment(&k->at) && !at) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form %s has no key at, which belongs to value_at", label_of(k, text), f->name);
  }
  if ((is_moment(&k->from) && !(f->takes & MBD_TAKES_FROM)) ||
      (is_moment(&k->until) && !(f->takes & MBD_TAKES_UNTIL))) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form %s is the value at one time: it has no key %s", label_of(k, text), f->name,
             at ? "from or until, but at" : "from, but until");
  }
  /* `over` changes the weights of integrals and the abscissa of a target curve, and nothing else. */
  const int integrates = f->takes == (MBD_TAKES_FROM | MBD_TAKES_UNTIL) && !(f->needs & MBD_NEEDS_TOLERANCE);
  if (k->over && !k->target_curve && !integrates) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form %s is no integral or mean: over changes nothing without a target_curve",
             label_of(k, text), f->name);
  }
  /* Given times lie within the case, and a window whose ends are no crossings begins before it ends. */
  MBD_TRY(check_time(s, k, &k->from, "from", err));
  MBD_TRY(check_time(s, k, &k->until, "until", err));
  MBD_TRY(check_time(s, k, &k->at, "at", err));
  const int fixed = k->from.kind <= MBD_MOMENT_TIME && k->until.kind <= MBD_MOMENT_TIME;
  const double end = k->until.kind == MBD_MOMENT_TIME ? k->until.value : s->c.duration;
  if (!fixed || k->from.kind == MBD_MOMENT_NONE || k->from.value < end) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: from = %g s, expected less than until = %g s", label_of(k, text), k->from.value,
           end);
}

mbd_status history_check_term(const mbd_sim *s, const mbd_term *k, const mbd_form_info *f, mbd_error *err) {
  char text[32];
  MBD_TRY(check_needs(k, f, err));
  if (f->needs & MBD_NEEDS_SAMPLES) {
    MBD_TRY((f->is_square ? measured_check : weighted_samples_check)(s, label_of(k, text), k->samples, err));
  }
  return check_window(s, k, f, err);
}

/* ---- memory ---- */

/* The number of terms of an objective that is computed from histories; 0: it is not. */
static int count_terms(const sim_objectives *objectives, int psi) {
  int terms = 0, histories = 0;
  for (int i = 0; i < objectives->nterm; i++) {
    if (objectives->term[i].psi == psi) { terms++, histories |= objectives->history_term[i]; }
  }
  return histories ? terms : 0;
}

/* Returns the number of history objectives. *max: the largest number of terms of one of them. *slots: room for the slots of all, which are
 * those of its terms, of `over` and of three moments for each objective. */
static int objectives_of(const mbd_sim *s, int *max, int *slots) {
  int n = 0;
  *max = *slots = 0;
  for (int psi = 0; psi < s->npsi; psi++) {
    const int terms = count_terms(s->objectives, psi);
    if (!terms) { continue; }
    n++, *slots += terms + 4;
    *max = terms > *max ? terms : *max;
  }
  return n;
}

static void layout(sim_histories *histories, const mbd_sim *s, int max, int slots, mbd_arena *arena) {
  const size_t np = (size_t)s->np_max + 1;
  histories->objective = mbd_arena_take(arena, ((size_t)histories->n + 1) * sizeof *histories->objective);
  histories->slot_output = mbd_arena_take(arena, ((size_t)slots + 1) * sizeof *histories->slot_output);
  histories->terms = mbd_arena_take(arena, ((size_t)s->objectives->nterm + 1) * sizeof *histories->terms);
  histories->h.column = mbd_arena_take(arena, ((size_t)s->o->n + 1) * sizeof *histories->h.column);
  MBD_ARENA_REALS(arena, (size_t)max + 1, &histories->by_s, &histories->s);
  MBD_ARENA_REALS(arena, np, &histories->sp, &histories->mean_p);
}

static int add_slot(const mbd_sim *s, int o) {
  sim_histories *histories = s->objectives->histories;
  history *h = &histories->h;
  if (h->column[o] < 0) { h->column[o] = h->ncolumn++; }
  s->objectives->requested[o] = 1;
  histories->slot_output[h->nbar] = o;
  return h->nbar++;
}

static moment_time moment_of(const mbd_sim *s, const mbd_moment *m, const char *key) {
  return (moment_time){.is = m, .key = key, .slot = m->kind > MBD_MOMENT_TIME ? add_slot(s, m->output) : -1};
}

/* Collects the terms of objective psi, and makes slots for them, for `over` and for the moments. */
static void set_up(const mbd_sim *s, history_objective *l, int psi, int *terms) {
  const sim_objectives *objectives = s->objectives;
  *l = (history_objective){.psi = psi, .term = terms, .slot = objectives->histories->h.nbar};
  for (int i = 0; i < objectives->nterm; i++) {
    if (objectives->term[i].psi != psi) { continue; }
    l->term[l->nterm++] = i;
    add_slot(s, objectives->term[i].output);
  }
  l->k = &objectives->term[l->term[0]], l->form = objectives->form[l->term[0]];
  l->over = l->k->over ? add_slot(s, l->k->over - 1) : -1;
  l->from = moment_of(s, &l->k->from, "from");
  l->until = moment_of(s, &l->k->until, "until");
  l->at = moment_of(s, &l->k->at, "at");
  snprintf(l->label, sizeof l->label, "objective %d", psi + 1);
}

static mbd_status check_together(const mbd_sim *s, const history_objective *l, mbd_error *err) {
  if (l->form->over == FORM_MEASURED && l->nterm > 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: a measured series is compared with one number, but its output has %d",
             history_label(l), l->nterm);
  }
  for (int i = 1; i < l->nterm; i++) {
    if (!go_together(s->objectives, l->term[0], l->term[i])) {
      MBD_FAIL(
          err, MBD_BAD_INPUT,
          "%s: all terms of an objective with such a form or with a window have the same keys, except for output and "
          "target",
          history_label(l));
    }
  }
  return MBD_OK;
}

static mbd_status reserve(sim_histories *histories, int rows, mbd_error *err) {
  MBD_TRY(history_reserve(&histories->h, rows, err));
  if (histories->nsample == 0) { return MBD_OK; }
  const size_t size = (size_t)history_max_points(rows) * (size_t)(1 + histories->nsample);
  mbd_real *sample = realloc(histories->sample, size * sizeof *sample);
  if (!sample) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for quantiles of %d points", history_max_points(rows)); }
  histories->sample = sample;
  return MBD_OK;
}

/* Counts the history objectives, takes their memory, and sets up each with its terms. */
static mbd_status make(const mbd_sim *s, sim_histories *made, mbd_error *err) {
  int max, slots, n = 0, *terms;
  /* The numbers of objectives, terms and slots, and the memory for these. */
  made->n = objectives_of(s, &max, &slots);
  while (mbd_arena_pass(&made->arena)) { layout(made, s, max, slots, &made->arena); }
  MBD_TRY(mbd_arena_check(&made->arena, "histories of objectives", err));
  /* No output has a column yet. Polynomials between rows have degree three below order four, else five. */
  for (int o = 0; o < s->o->n; o++) { made->h.column[o] = -1; }
  made->h.np = s->np_max, made->h.stencil = s->integrator->order < 4 ? 4 : STENCIL;
  terms = made->terms;
  /* Each objective that is computed from histories gets its terms and slots; quantiles keep samples of all terms. */
  for (int psi = 0; psi < s->npsi; psi++) {
    if (!count_terms(s->objectives, psi)) { continue; }
    history_objective *l = &made->objective[n++];
    set_up(s, l, psi, terms);
    terms += l->nterm;
    MBD_TRY(check_together(s, l, err));
    if (l->form->over == FORM_QUANTILE && l->nterm > made->nsample) { made->nsample = l->nterm; }
  }
  /* Memory for the rows. For integrators with step size control their number is an estimate, which history_row extends. */
  return reserve(made, quadrature_between_nodes(s) ? 3 * s->nsteps + 1000 : s->nsteps + 1, err);
}

mbd_status history_create(mbd_sim *s, mbd_error *err) {
  sim_objectives *objectives = s->objectives;
  int any = 0;
  for (int i = 0; i < objectives->nterm; i++) {
    const mbd_term *k = &objectives->term[i];
    objectives->history_term[i] =
        objectives->form[i]->info.is_history || is_moment(&k->from) || is_moment(&k->until) || k->over;
    if (!objectives->history_term[i]) { objectives->node_term[objectives->nnode++] = i; }
    any |= objectives->history_term[i];
  }
  if (!any) { return MBD_OK; }
  objectives->histories = calloc(1, sizeof *objectives->histories);
  if (!objectives->histories) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for objectives"); }
  return make(s, objectives->histories, err);
}

void history_destroy(sim_histories *histories) {
  if (!histories) { return; }
  history_release(&histories->h);
  free(histories->sample), free(histories->zero), free(histories->arena.base);
  free(histories);
}

/* ---- during the run ---- */

void history_reset(sim_histories *histories) {
  histories->h.rows = 0;
}

mbd_status history_row(mbd_sim *s, double weight, mbd_error *err) {
  sim_histories *histories = s->objectives->histories;
  history *h = &histories->h;
  if (h->rows == h->capacity) { MBD_TRY(reserve(histories, 2 * h->capacity, err)); }
  h->t[h->rows] = mbd_same(s->t), h->q[h->rows] = weight;
  h->rows++;
  return MBD_OK;
}

void history_keep(mbd_sim *s, int o, const mbd_real *yp) {
  history *h = &s->objectives->histories->h;
  if (h->column[o] < 0) { return; }
  const size_t at = (size_t)(h->rows - 1) * (size_t)h->ncolumn + (size_t)h->column[o];
  h->y[at] = s->objectives->y[o];
  if (yp) { memcpy(h->yp + at * (size_t)h->np, yp, (size_t)s->np * sizeof *h->yp); }
}

/* ---- derivatives by rows ---- */

/* Adds `scale` times the point's weights to the derivatives by the values of a slot in the point's rows. */
static void add_reverse(const mbd_sim *s, int slot, const history_point *point, mbd_real scale,
                        const mbd_real *weight) {
  history *h = &s->objectives->histories->h;
  for (int j = 0; j < point->n; j++) {
    h->reverse[(size_t)(point->first + j) * (size_t)h->nbar + (size_t)slot] += scale * weight[j];
  }
}

/* A window_sink: distributes the derivatives by s and by the weight at a point to the rows, to the ends of the window, to the stretch of the
 * time, and, for the target curves' coefficients, to the gradient. */
static void to_rows(mbd_sim *s, history_objective *l, const window_point *p, const mbd_real *by_s, mbd_real by_w,
                    void *user) {
  const double weight = l->k->weight;
  const int moves = p->begin || p->end;
  mbd_real by_t = 0, rate, x_rate;
  (void)user;
  for (int i = 0; i < l->nterm; i++) {
    /* By s of a term: to the rows of its output, and to the time of the point. */
    if (moves) {
      history_error(s, l, i, &p->at, &rate);
      by_t += by_s[i] * rate;
    }
    add_reverse(s, l->slot + i, &p->at, weight * by_s[i], p->at.at);
    if (!history_target(s, l, i)) { continue; }
    const mbd_real x = history_place(s, l, &p->at, &x_rate);
    /* s is less the target curve at x: x is the output `over` (to its rows), or t = sigma tau (to the stretch). */
    const mbd_real slope = objectives_target_at(s, l->term[i], x).yx;
    if (l->over >= 0) {
      add_reverse(s, l->over, &p->at, -weight * by_s[i] * slope, p->at.at);
    } else {
      l->by_stretch -= by_s[i] * slope * x;
    }
    /* Changes of the target curve itself along the directions. */
    for (int a = 0; a < s->np; a++) {
      s->objectives->grad[l->psi * s->np + a] -= weight * by_s[i] * objectives_target_sens(s, l->term[i], x, a).y;
    }
  }
  /* By the weight of the point: to the rows of the output that the integral is over, or to the stretch of the time. */
  if (l->over >= 0) {
    add_reverse(s, l->over, &p->at, weight * by_w, p->w_over);
  } else {
    l->by_stretch += by_w * p->w;
  }
  /* Ends of the window that move change the time and the weight of the point. */
  if (p->begin) { p->begin->reverse += by_t * p->t_begin + by_w * p->w_begin; }
  if (p->end) { p->end->reverse += by_t * p->t_end + by_w * p->w_end; }
}

/* Passes the derivative by the time of a moment on: a crossing has t' = -y'/rate, a given time tau = t/sigma. */
static void moment_to_rows(const mbd_sim *s, history_objective *l, const moment_time *moment) {
  if (moment->is->kind == MBD_MOMENT_TIME) { l->by_stretch -= moment->reverse * moment->t; }
  if (moment->slot < 0) { return; }
  add_reverse(s, moment->slot, &moment->near, -l->k->weight * moment->reverse / moment->rate, moment->near.at);
}

/* grad += sum over the rows of bar y' */
static void add_gradient(const mbd_sim *s, const history_objective *l, int slot) {
  const sim_histories *histories = s->objectives->histories;
  const history *h = &histories->h;
  mbd_real *grad = s->objectives->grad + l->psi * s->np;
  for (int k = 0; k < h->rows; k++) {
    const mbd_real reverse = h->reverse[(size_t)k * (size_t)h->nbar + (size_t)slot];
    const size_t at = (size_t)k * (size_t)h->ncolumn + (size_t)history_column(histories, slot);
    for (int a = 0; a < s->np; a++) { grad[a] += reverse * h->yp[at * (size_t)h->np + (size_t)a]; }
  }
}

/* ---- Gauss-Newton matrices ---- */

/* The Gauss-Newton matrix of an integral, a mean or a root of squares is
 *   c sum_p w_p u'' s' s'^T   with c = 1, 1/W or 1/(2 W root)
 * and a root has  - m' m'^T/(4 root^3),  m' = sum_p w_p u' s'/W,  besides: the sum stays positive semidefinite. */
static void gauss_newton(const mbd_sim *s, history_objective *l) {
  const sim_histories *histories = s->objectives->histories;
  const int np = s->np, root = l->form->over == FORM_ROOT, mean = root || l->form->over == FORM_MEAN;
  const mbd_real size = root ? mbd_sqrt(l->sum / l->weight) : 0;
  mbd_real *matrix = s->objectives->gn + (size_t)l->psi * (size_t)np * (size_t)np, u_s[2];
  window_point p;
  /* A measured series has a matrix of its own, (6.6); a root that is zero has no derivatives. */
  if (l->form->over == FORM_MEASURED) {
    measured_gauss_newton(s, l, matrix);
    return;
  }
  if (root && !mbd_if(mbd_re(size) > 0)) { return; }
  /* The sum over the points of u'' s' s'^T, and of the vector m'. */
  memset(histories->mean_p, 0, (size_t)np * sizeof *histories->mean_p);
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    const mbd_real part = mean ? p.w / l->weight : p.w;
    for (int i = 0; i < l->nterm; i++) {
      l->form->u(l->k, 1, history_error(s, l, i, &p.at, NULL), u_s);
      history_error_sens(s, l, i, &p.at);
      history_add_product(np, l->k->weight * part * u_s[1] / (root ? 2 * size : 1), histories->sp, matrix);
      for (int a = 0; a < np; a++) { histories->mean_p[a] += part * u_s[0] * histories->sp[a]; }
    }
  }
  /* The second part of the matrix of a root. */
  if (root) { history_add_product(np, -l->k->weight / (4 * size * size * size), histories->mean_p, matrix); }
}

/* ---- after the run ---- */

static mbd_status finish(mbd_sim *s, history_objective *l, mbd_error *err) {
  const int has_window =
      l->form->over != FORM_AT && l->form->over != FORM_END && !(l->form->info.needs & MBD_NEEDS_SAMPLES);
  mbd_real psi;
  MBD_TRY(history_moments(s, l, err));
  if (has_window) { MBD_TRY(history_window(s, l, err)); }
  MBD_TRY(history_value(s, l, &psi, err));
  s->objectives->psi[l->psi] = l->k->weight * psi;
  l->by_stretch = l->by_delay = l->by_offset = 0;
  history_slopes(s, l, to_rows, NULL);
  moment_to_rows(s, l, &l->from), moment_to_rows(s, l, &l->until), moment_to_rows(s, l, &l->at);
  return MBD_OK;
}

mbd_status history_finish(mbd_sim *s, mbd_error *err) {
  sim_histories *histories = s->objectives->histories;
  history *h = &histories->h;
  histories->nzero = 0;
  memset(h->reverse, 0, (size_t)h->rows * (size_t)h->nbar * sizeof *h->reverse);
  for (int k = 0; k < histories->n; k++) {
    history_objective *l = &histories->objective[k];
    const int end = k + 1 < histories->n ? histories->objective[k + 1].slot : h->nbar;
    MBD_TRY(finish(s, l, err));
    for (int slot = l->slot; s->np > 0 && slot < end; slot++) { add_gradient(s, l, slot); }
    for (int a = 0; a < s->np; a++) {
      s->objectives->grad[l->psi * s->np + a] += l->k->weight * l->by_stretch * s->stretch[a];
    }
    measured_gradient(s, l, s->objectives->grad + l->psi * s->np);
    if (s->np > 0 && s->objectives->gauss_newton && l->form->info.is_square) { gauss_newton(s, l); }
  }
  return MBD_OK;
}

/* ---- in reverse ---- */

int history_row_of_node(const mbd_sim *s, int k) {
  const sim_histories *histories = s->objectives->histories;
  if (!histories || !quadrature_between_nodes(s)) { return k; }
  return k == 0 ? 0 : k == s->nsteps ? histories->h.rows - 1 : -1;
}

void history_weights(const mbd_sim *s, int row, int adjoint, mbd_real *wy) {
  const sim_histories *histories = s->objectives->histories;
  const history *h = &histories->h;
  for (int k = 0; k < histories->n; k++) {
    const history_objective *l = &histories->objective[k];
    const double share = objectives_share(s, l->psi, adjoint);
    const int end = k + 1 < histories->n ? histories->objective[k + 1].slot : h->nbar;
    for (int slot = l->slot; share != 0 && slot < end; slot++) {
      wy[histories->slot_output[slot]] += share * h->reverse[(size_t)row * (size_t)h->nbar + (size_t)slot];
    }
  }
}

/* A window_sink: adds the derivatives by the target curves' coefficients to the adjoints. */
static void to_curves(mbd_sim *s, history_objective *l, const window_point *p, const mbd_real *by_s, mbd_real by_w,
                      void *user) {
  sim_adjoint *a = user;
  mbd_real x_rate;
  const mbd_real x = history_place(s, l, &p->at, &x_rate);
  (void)by_w;
  for (int i = 0; i < l->nterm; i++) {
    for (int k = 0; k < a->npsi; k++) {
      objectives_reverse_target(s, l->term[i], x, objectives_share(s, l->psi, k) * l->k->weight * by_s[i], a->theta[k]);
    }
  }
}

void histories_back(mbd_sim *s, sim_adjoint *a) {
  sim_histories *histories = s->objectives->histories;
  histories->h.back = histories->h.rows - 1;
  for (int k = 0; k < histories->n; k++) {
    history_objective *l = &histories->objective[k];
    const mbd_real by_stretch = l->k->weight * l->by_stretch;
    int any = 0;
    for (int i = 0; i < a->npsi; i++) {
      const double share = objectives_share(s, l->psi, i);
      a->theta[i]->stretch += share * by_stretch;
      measured_back(l, share, a->theta[i]);
    }
    for (int i = 0; i < l->nterm; i++) { any |= history_target(s, l, i) != NULL; }
    if (any) { history_slopes(s, l, to_curves, a); }
  }
}

int history_rows_back(mbd_sim *s, int n) {
  sim_histories *histories = s->objectives->histories;
  return histories ? histories->h.back -= n : -1;
}

/* ---- for the library's users ---- */

const mbd_samples *mbd_sim_measured(const mbd_sim *s, int psi, double *y, double *yp) {
  const sim_histories *histories = s->objectives->histories;
  int k = 0;
  while (histories && k < histories->n && histories->objective[k].psi != psi) { k++; }
  const history_objective *l = histories && k < histories->n ? &histories->objective[k] : NULL;
  if (!l || !(l->form->info.needs & MBD_NEEDS_SAMPLES)) { return NULL; }
  if (!y && !yp) { return l->k->samples; }
  if (l->form->over == FORM_MEASURED) {
    measured_samples(s, l, y, yp);
  } else {
    weighted_samples_read(s, l, y, yp);
  }
  return l->k->samples;
}
