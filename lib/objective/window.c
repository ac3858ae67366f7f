/* The points of a window and their weights in integrals.
 *
 * A window whose ends are nodes that do not move takes the rule of the nodes, as a run of that duration does (node_weights.c). A whole run
 * of interpolated steps takes the Gauss points of these steps. Any other window is a sum over three Gauss points in
 * every cell between rows; so are quantiles, which count points, and integrals of what bends where s is zero, whose cells are split there.
 * The first and the last cell may be cut, and outputs are interpolated by the history, so that the sum is smooth
 * in the ends of the window:
 *   from l to r   (r - l) sum_i gamma_i g(l + xi_i (r - l));   over an output x   (r - l) sum_i gamma_i dx/dt g
 * x must rise in the whole window or fall in the whole window. The form integral runs along the motion, as the work of a force over a
 * distance does; all others run towards increasing x, so that no square or mean turns negative.
 * Equations: theory.md §6 (6.2), (6.3). */
#include <math.h>
#include <stdlib.h>

#include "objective/histories.h"

/* ---- the window ---- */

/* 1: the moment can move relative to the nodes: a crossing, or a given time where the duration is free. */
static int moves(const mbd_sim *s, const moment_time *m) {
  return m->is->kind > (s->c.free_duration ? MBD_MOMENT_NONE : MBD_MOMENT_TIME);
}

/* The number of the node at time t; -1: there is none. */
static int node_at(const mbd_sim *s, double t) {
  const double k = floor(t / s->h + 0.5);
  return fabs(t - k * s->h) <= 1e-9 * s->h ? (int)k : -1;
}

/* Returns 1 and sets the rows first .. last where the window takes the rule of the rows. */
static int find_rows(const mbd_sim *s, history_objective *l) {
  const history *h = &s->objectives->histories->h;
  if (l->over >= 0 || moves(s, &l->from) || moves(s, &l->until)) { return 0; }
  if (l->form->over == FORM_QUANTILE || l->form->over == FORM_SPLIT) { return 0; }
  const int first = node_at(s, mbd_same(l->from.t)), last = node_at(s, mbd_same(l->until.t));
  if (quadrature_between_nodes(s)) {
    l->first = 0, l->last = h->rows - 1;
    return first == 0 && last == s->nsteps;
  }
  l->first = first, l->last = last;
  return first >= 0 && last > first;
}

static mbd_real over_at(const mbd_sim *s, const history_objective *l, int cell, mbd_real t) {
  const sim_histories *histories = s->objectives->histories;
  history_point point;
  history_point_at(&histories->h, cell, t, &point);
  return history_sum(&histories->h, &point, point.at, history_column(histories, l->over));
}

/* MBD_OUT_OF_DOMAIN if the output over which the integral is taken reverses within the window. Sets l->direction. */
static mbd_status check_over(const mbd_sim *s, history_objective *l, mbd_error *err) {
  const sim_histories *histories = s->objectives->histories;
  const history *h = &histories->h;
  const char *name = s->o->item[histories->slot_output[l->over]].name;
  double before = mbd_same(over_at(s, l, l->first, l->from.t));
  const double span = mbd_same(over_at(s, l, l->last, l->until.t)) - before;
  const double falls = span < 0 ? -1 : 1;
  l->direction = l->form->over == FORM_INTEGRAL && !l->form->info.is_square ? 1 : falls;
  for (int k = l->first + 1; k <= l->last + 1; k++) {
    const double x = k <= l->last ? mbd_same(history_at_row(h, k, history_column(histories, l->over))) : before + span;
    const int end = k == l->last + 1;
    if (!(span != 0) || (!end && falls * (x - before) < -1e-9 * fabs(span))) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
               "%s: over: '%s' turns back at t = %.6g s; an integral over it needs a window, from and until, in which "
               "it rises or falls all the time",
               history_label(l), name, k <= l->last ? h->t[k - 1] : mbd_first(l->until.t));
    }
    before = end ? before : x;
  }
  return MBD_OK;
}

/* ---- pieces ---- */

/* A part of a cell, from lo to hi. begin, end: the moments that these are, with which they move; NULL: rows. A point at
 * lo + x (hi - lo) moves with the ends by 1 - x and x. splits: 1, another piece of the cell follows. */
typedef struct piece {
  mbd_real lo, hi;
  moment_time *begin, *end;
  int splits;
} piece;

/* The part of a cell that is in the window. */
static piece cell_of(const mbd_sim *s, history_objective *l, int cell) {
  const history *h = &s->objectives->histories->h;
  piece part = {.lo = h->t[cell], .hi = h->t[cell + 1]};
  if (cell == l->first) { part.begin = &l->from, part.lo = l->from.t; }
  if (cell == l->last) { part.end = &l->until, part.hi = l->until.t; }
  return part;
}

/* ---- zeros of s in the window ---- */

static mbd_real error_of_term(const mbd_sim *s, const history_objective *l, const history_point *p, mbd_real *rate) {
  return history_error(s, l, l->looked_at, p, rate);
}

static mbd_status add_zero(const mbd_sim *s, history_objective *l, const error_zero *zero, mbd_error *err) {
  sim_histories *histories = s->objectives->histories;
  if (histories->nzero == histories->zero_capacity) {
    const int capacity = 2 * histories->zero_capacity + 16;
    error_zero *grown = realloc(histories->zero, (size_t)capacity * sizeof *grown);
    if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "%s: no memory for %d changes of sign", history_label(l), capacity); }
    histories->zero = grown, histories->zero_capacity = capacity;
  }
  int at = histories->nzero++;
  for (; at > l->zero && mbd_if(mbd_re(histories->zero[at - 1].at.t) > mbd_re(zero->at.t)); at--) {
    histories->zero[at] = histories->zero[at - 1];
  }
  histories->zero[at] = *zero;
  l->nzero++;
  return MBD_OK;
}

/* Finds the times at which s of a term changes its sign from one end of a cell to the other. */
static mbd_status find_zeros(const mbd_sim *s, history_objective *l, mbd_error *err) {
  history_point at;
  for (int cell = l->first; cell <= l->last; cell++) {
    const piece part = cell_of(s, l, cell);
    for (l->looked_at = 0; l->looked_at < l->nterm; l->looked_at++) {
      error_zero zero = {.cell = cell, .term = l->looked_at, .at = {.slot = -1}};
      double at_end[2];
      for (int i = 0; i < 2; i++) {
        history_point_at(&s->objectives->histories->h, cell, i ? part.hi : part.lo, &at);
        at_end[i] = mbd_same(history_error(s, l, l->looked_at, &at, NULL));
      }
      if (!(at_end[0] * at_end[1] < 0)) { continue; }
      history_root(s, l, error_of_term, cell, mbd_same(part.lo), mbd_same(part.hi), &zero.at);
      if (mbd_if(mbd_re(zero.at.rate) != 0)) { MBD_TRY(add_zero(s, l, &zero, err)); }
    }
  }
  return MBD_OK;
}

mbd_status history_window(const mbd_sim *s, history_objective *l, mbd_error *err) {
  l->zero = s->objectives->histories->nzero, l->nzero = 0;
  if (mbd_any(mbd_re(l->until.t) <= mbd_re(l->from.t))) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: the window is empty: it begins at t = %.6g s and ends at %.6g s",
             history_label(l), mbd_first(l->from.t), mbd_first(l->until.t));
  }
  l->aligned = find_rows(s, l);
  if (l->aligned) { return MBD_OK; }
  const history *h = &s->objectives->histories->h;
  l->first = history_cell(h, mbd_re(l->from.t)), l->last = history_cell(h, mbd_re(l->until.t));
  if (l->over >= 0 && l->form->over != FORM_END && l->form->over != FORM_SETTLED) { MBD_TRY(check_over(s, l, err)); }
  return l->form->over == FORM_SPLIT ? find_zeros(s, l, err) : MBD_OK;
}

/* ---- its points ---- */

static int next_row(const mbd_sim *s, const history_objective *l, window_walk *w, window_point *p) {
  const history *h = &s->objectives->histories->h;
  const int row = l->first + w->i++;
  if (row > l->last) { return 0; }
  history_point_of_row(h, row, &p->at);
  p->w = quadrature_between_nodes(s) ? h->q[row] : quadrature_rule(s, l->last - l->first, row - l->first);
  return 1;
}

enum { GAUSS = 3 };
static const double gauss_at[GAUSS] = {0.11270166537925831, 0.5, 0.88729833462074169}; /* (1 -+ sqrt(3/5))/2 */
static const double gauss_weight[GAUSS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* The piece of a cell that begins after `behind` zeros of the window. */
static piece piece_of(const mbd_sim *s, history_objective *l, int cell, int behind) {
  error_zero *zero = l->nzero > 0 ? s->objectives->histories->zero + l->zero : NULL;
  piece part = cell_of(s, l, cell);
  if (behind > 0 && zero[behind - 1].cell == cell) { part.begin = &zero[behind - 1].at; }
  if (behind < l->nzero && zero[behind].cell == cell) { part.end = &zero[behind].at, part.splits = 1; }
  if (part.begin) { part.lo = part.begin->t; }
  if (part.end) { part.hi = part.end->t; }
  return part;
}

/* Weight of a point in an integral over an output: that over time, times dx/dt; with its derivatives. */
static void weigh_over(const mbd_sim *s, const history_objective *l, const piece *c, double x, double part,
                       window_point *p) {
  const sim_histories *histories = s->objectives->histories;
  const int column = history_column(histories, l->over);
  const double sign = l->direction * part;
  const mbd_real length = c->hi - c->lo, rate = history_sum(&histories->h, &p->at, p->at.rate, column);
  const mbd_real bend = history_sum(&histories->h, &p->at, p->at.bend, column);
  for (int j = 0; j < p->at.n; j++) { p->w_over[j] = sign * length * p->at.rate[j]; }
  p->w = sign * length * rate;
  if (c->begin) { p->w_begin = sign * (length * bend * (1 - x) - rate); }
  if (c->end) { p->w_end = sign * (length * bend * x + rate); }
}

static int next_in_cell(const mbd_sim *s, history_objective *l, window_walk *w, window_point *p) {
  const int cell = l->first + w->cell, i = w->i;
  if (cell > l->last) { return 0; }
  const piece c = piece_of(s, l, cell, w->zero);
  const double x = gauss_at[i], part = gauss_weight[i];
  w->i = (i + 1) % GAUSS;
  if (w->i == 0) { w->zero += c.splits, w->cell += !c.splits; }
  history_point_at(&s->objectives->histories->h, cell, c.lo + x * (c.hi - c.lo), &p->at);
  p->begin = c.begin, p->end = c.end;
  p->t_begin = c.begin ? 1 - x : 0, p->t_end = c.end ? x : 0;
  p->w = part * (c.hi - c.lo);
  p->w_begin = c.begin ? -part : 0, p->w_end = c.end ? part : 0;
  if (l->over >= 0) { weigh_over(s, l, &c, x, part, p); }
  return 1;
}

int window_next(const mbd_sim *s, history_objective *l, window_walk *w, window_point *p) {
  *p = (window_point){.w = 0};
  const int found = l->aligned ? next_row(s, l, w, p) : next_in_cell(s, l, w, p);
  if (l->over < 0) { p->w *= s->dilation, p->w_begin *= s->dilation, p->w_end *= s->dilation; }
  return found;
}
