/* The points of a window and their weights in integrals.
 *
 * A window whose ends are nodes that do not move takes the rule of the nodes, as a run of that duration does (node_weights.c). A whole run
 * of interpolated steps takes the Gauss points of these steps, except for quantiles. Any other window is a sum over three Gauss points in
 * every cell between rows. The first and the last cell may be cut, and outputs are interpolated by the history, so that the sum is smooth
 * in the ends of the window:
 *   from l to r   (r - l) sum_i gamma_i g(l + xi_i (r - l));   over an output x   (r - l) sum_i gamma_i dx/dt g
 * x must rise in the whole window or fall in the whole window; the integral runs towards increasing x.
 * Equations: theory.md §6 (6.2), (6.3). */
#include <math.h>

#include "objective/late.h"

static mbd_real row_value(const history *h, int row, int column) {
  return h->y[(size_t)row * (size_t)h->ncolumn + (size_t)column];
}

/* ---- the window ---- */

/* 1: the moment can move relative to the nodes: a crossing, or a given time where the duration is free. */
static int moves(const mbd_sim *s, const late_moment *m) {
  return m->is->kind > (s->c.free_duration ? MBD_MOMENT_NONE : MBD_MOMENT_TIME);
}

/* The number of the node at time t; -1: there is none. */
static int node_at(const mbd_sim *s, double t) {
  const double k = floor(t / s->h + 0.5);
  return fabs(t - k * s->h) <= 1e-9 * s->h ? (int)k : -1;
}

/* Returns 1 and sets the rows first .. last where the window takes the rule of the rows. */
static int find_rows(const mbd_sim *s, late_objective *l) {
  const history *h = &s->objectives->late->h;
  if (l->over >= 0 || moves(s, &l->from) || moves(s, &l->until)) { return 0; }
  const int first = node_at(s, mbd_re(l->from.t)), last = node_at(s, mbd_re(l->until.t));
  if (quadrature_between_nodes(s)) { /* a quantile counts points, of which long steps have too few */
    l->first = 0, l->last = h->rows - 1;
    return first == 0 && last == s->nsteps && l->form->over != FORM_QUANTILE;
  }
  l->first = first, l->last = last;
  return first >= 0 && last > first;
}

static void find_cells(const mbd_sim *s, late_objective *l) {
  const history *h = &s->objectives->late->h;
  l->first = history_cell(h, mbd_re(l->from.t)), l->last = history_cell(h, mbd_re(l->until.t));
}

static mbd_real over_at(const mbd_sim *s, const late_objective *l, int cell, mbd_real t) {
  const sim_late *q = s->objectives->late;
  history_point point;
  history_point_at(&q->h, cell, t, &point);
  return history_sum(&q->h, &point, point.at, late_column(q, l->over));
}

/* MBD_OUT_OF_DOMAIN if the output over which the integral is taken reverses within the window. Sets l->direction. */
static mbd_status check_over(const mbd_sim *s, late_objective *l, mbd_error *err) {
  const sim_late *q = s->objectives->late;
  const history *h = &q->h;
  const char *name = s->o->item[q->slot_output[l->over]].name;
  double before = mbd_re(over_at(s, l, l->first, l->from.t));
  const double way = mbd_re(over_at(s, l, l->last, l->until.t)) - before;
  l->direction = way < 0 ? -1 : 1;
  for (int k = l->first + 1; k <= l->last + 1; k++) {
    const double x = k <= l->last ? mbd_re(row_value(h, k, late_column(q, l->over))) : before + way;
    const int end = k == l->last + 1;
    if (!(way != 0) || (!end && l->direction * (x - before) < -1e-9 * fabs(way))) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
               "%s: over: '%s' turns back at t = %.6g s; an integral over it needs a window, from and until, in which "
               "it rises or falls all the time",
               late_label(l), name, k <= l->last ? h->t[k - 1] : mbd_re(l->until.t));
    }
    before = end ? before : x;
  }
  return MBD_OK;
}

mbd_status late_window(const mbd_sim *s, late_objective *l, mbd_error *err) {
  if (mbd_re(l->until.t) <= mbd_re(l->from.t)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: the window is empty: it begins at t = %.6g s and ends at %.6g s",
             late_label(l), mbd_re(l->from.t), mbd_re(l->until.t));
  }
  l->aligned = find_rows(s, l);
  if (l->aligned) { return MBD_OK; }
  find_cells(s, l);
  return l->over >= 0 && l->form->over != FORM_END && l->form->over != FORM_SETTLED ? check_over(s, l, err) : MBD_OK;
}

/* ---- its points ---- */

static int next_row(const mbd_sim *s, const late_objective *l, late_walk *w, late_point *p) {
  const history *h = &s->objectives->late->h;
  const int row = l->first + w->i++;
  if (row > l->last) { return 0; }
  history_point_of_row(h, row, &p->at);
  p->w = quadrature_between_nodes(s) ? h->q[row] : quadrature_rule(s, l->last - l->first, row - l->first);
  return 1;
}

enum { GAUSS = 3 };
static const double gauss_at[GAUSS] = {0.11270166537925831, 0.5, 0.88729833462074169}; /* (1 -+ sqrt(3/5))/2 */
static const double gauss_weight[GAUSS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* The part of a cell from lo to hi that is in the window. cut_from, cut_until: 1, that end is an end of the window, and
 * moves with it; a point at lo + x (hi - lo) moves with the ends by 1 - x and x. */
typedef struct piece {
  mbd_real lo, hi;
  int cut_from, cut_until;
} piece;

static piece piece_of(const mbd_sim *s, const late_objective *l, int cell) {
  const history *h = &s->objectives->late->h;
  piece part = {.cut_from = cell == l->first, .cut_until = cell == l->last};
  part.lo = h->t[cell], part.hi = h->t[cell + 1];
  if (part.cut_from) { part.lo = l->from.t; }
  if (part.cut_until) { part.hi = l->until.t; }
  return part;
}

/* Weight of a point in an integral over an output: that over time, times dx/dt; with its derivatives. */
static void weigh_over(const mbd_sim *s, const late_objective *l, const piece *c, double x, double part,
                       late_point *p) {
  const sim_late *q = s->objectives->late;
  const int column = late_column(q, l->over);
  const double sign = l->direction * part;
  const mbd_real length = c->hi - c->lo, rate = history_sum(&q->h, &p->at, p->at.rate, column);
  const mbd_real bend = history_sum(&q->h, &p->at, p->at.bend, column);
  for (int j = 0; j < p->at.n; j++) { p->w_over[j] = sign * length * p->at.rate[j]; }
  p->w = sign * length * rate;
  if (c->cut_from) { p->w_from = sign * (length * bend * (1 - x) - rate); }
  if (c->cut_until) { p->w_until = sign * (length * bend * x + rate); }
}

static int next_in_cell(const mbd_sim *s, const late_objective *l, late_walk *w, late_point *p) {
  const int cell = l->first + w->i / GAUSS, i = w->i % GAUSS;
  if (cell > l->last) { return 0; }
  const piece c = piece_of(s, l, cell);
  const double x = gauss_at[i], part = gauss_weight[i];
  w->i++;
  history_point_at(&s->objectives->late->h, cell, c.lo + x * (c.hi - c.lo), &p->at);
  p->t_from = c.cut_from ? 1 - x : 0, p->t_until = c.cut_until ? x : 0;
  p->w = part * (c.hi - c.lo);
  p->w_from = c.cut_from ? -part : 0, p->w_until = c.cut_until ? part : 0;
  if (l->over >= 0) { weigh_over(s, l, &c, x, part, p); }
  return 1;
}

int late_next(const mbd_sim *s, const late_objective *l, late_walk *w, late_point *p) {
  *p = (late_point){.w = 0};
  const int found = l->aligned ? next_row(s, l, w, p) : next_in_cell(s, l, w, p);
  if (l->over < 0) { p->w *= s->dilation, p->w_from *= s->dilation, p->w_until *= s->dilation; }
  return found;
}
